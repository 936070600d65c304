"""The study of filters: its own checks, and figures over time, from numbers known by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from altered_experiment import altered_experiment
from aqmlab.errors import ExperimentError, MissingDataError
from aqmlab.experiments.sfa.claims import filters
from aqmlab.papers import experiments
from aqmlab.papers.claims import Verdict, evaluate
from aqmlab.papers.study import Study
from aqmlab.show.papers import figures
from aqmlab.show.papers.figures import stretches_chart

if TYPE_CHECKING:
    from pathlib import Path

    from aqmlab.statistics import Recorded

SFA = experiments.load("sfa")


def test_what_is_computed_holds_without_a_run() -> None:
    outcomes = {each.identifier: each for each in evaluate(Study(SFA, SFA.scale("standard"), {}))}
    assert list(outcomes) == [f"S{number:02}" for number in range(1, 16)]
    for identifier in ("S01", "S02", "S03"):
        assert outcomes[identifier].verdict is Verdict.REPRODUCED, outcomes[identifier]


def _names(values: list[str | None]) -> pa.Array:
    return pa.array(values, pa.string()).dictionary_encode()


def _run(rates: list[tuple[float, int, int]]) -> Any:  # noqa: ANN401
    """A run of 400 s: bytes of forward flows and of streams by beginning of the interval, 200 s each."""
    rows: list[tuple[float, str | None, str | None, int]]
    rows = [(at, "forward", None, flows) for at, flows, _ in rates]
    rows += [(at, None, "unresponsive", streams) for at, _, streams in rates]
    count = len(rows)
    nothing = pa.array([0] * count, pa.uint64())
    series = {
        "from_s": pa.array([row[0] for row in rows], pa.float64()),
        "link": _names(["left-to-right"] * count),
        "population": _names([None] * count),
        "flow_group": _names([row[1] for row in rows]),
        "datagram_group": _names([row[2] for row in rows]),
        "sender": _names(["browser"] * count),
        "sent_packets": pa.array([1] * count, pa.uint64()),
        "sent_bytes": pa.array([row[3] for row in rows], pa.uint64()),
        "marked_packets": nothing,
        "discarded_packets": nothing,
        "discarded_bytes": nothing,
    }
    scenario = {
        "record": {"traffic_interval_ms": 200_000.0},
        "flows": [{"name": "forward", "phases": {"each_s": 200.0, "flows": [10, 20, 40]}}],
        "datagrams": [{"count": 5, "start_s": 0.0, "start_spread_s": 0.0, "stop_s": 450.0}],
    }
    run = {
        "measured_from_s": 0.0,
        "measured_until_s": 600.0,
        "links": [{"name": "left-to-right"}],
        "scenario": scenario,
        "seed": 1,
    }
    return SimpleNamespace(run=run, tables={"traffic_series": pa.table(series)})


def test_fairness_is_that_of_classes_in_whole_phases() -> None:
    # The first phase: ten flows of 1 and five streams of 1, fair. The second: twenty flows of 1 and five
    # streams of 4, (20 + 20)²/(25 (20 + 80)) = 0.64. The third ends behind the streams.
    run = _run([(0.0, 10_000, 5_000), (200.0, 20_000, 20_000), (400.0, 1, 900_000)])
    assert filters.fairness_of_classes(run) == pytest.approx((1.0 + 0.64) / 2.0)


def _web(slope: float) -> Any:  # noqa: ANN401
    """A study of web sessions whose drop rate is `slope` per cent for each hundredth of load above 1."""

    def values(name: str, load: float, of: Any) -> list[float]:  # noqa: ANN401
        assert load == 100.0
        sessions = name.split("-")[1]
        if name.endswith("uncongested"):
            return [10.0 * float(sessions) / 1200.0]
        if name.startswith("web"):
            assert of.name == "packet_loss_percent/links.left-to-right@0-2000"
            return [slope * 100.0 * (float(sessions) / 1200.0 - 1.0)]
        return [3.0] * 6

    return SimpleNamespace(values=values, experiment=SimpleNamespace(loads_percent=(100.0,)))


def test_the_load_of_a_phase_is_where_the_line_of_the_web_has_its_drop_rate() -> None:
    sessions = [1200, 1500, 1800]
    answer = filters.drops_are_linear(_web(0.1), sessions=sessions, least_r2=0.98)
    assert answer.holds is True
    # 0.1 per cent for each hundredth: 3 per cent are a load of 1.3.
    for load_is, holds in ((1.3, True), (1.5, False)):
        answer = filters.equivalent_load(
            _web(0.1), ("tcp-dt", 100.0), sessions=sessions, phase="800-1200", load_is=load_is, slack=0.1
        )
        assert answer.holds is holds, answer


def test_a_line_over_time_is_the_mean_of_the_runs_in_which_something_happened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(figures, "looks_of", lambda cells: ["a look"] * len(cells))
    one = _run([(0.0, 25_000, 0), (200.0, 50_000, 0), (400.0, 0, 0)])
    other = _run([(0.0, 75_000, 0), (200.0, 50_000, 0), (400.0, 50_000, 0)])
    study: Any = SimpleNamespace(
        results=lambda *_: [one, other], configuration=lambda name: SimpleNamespace(label=name)
    )
    of = "throughput_mbps/flows.forward"
    chart = stretches_chart(study, [("tcp-dt", 100.0)], title="x", of=of, every_s=200.0)
    assert chart.x.tolist() == [100.0, 300.0, 500.0]
    assert chart.y_axis.label == "throughput (IP), Mbit/s"
    # 50,000 bytes in 200 s are 0.002 Mbit/s.
    assert chart.series[0].y == pytest.approx(np.array([0.002, 0.002, 0.001]))

    window_s = float(one.run["measured_until_s"]) - float(one.run["measured_from_s"])
    assert len(stretches_chart(study, [("tcp-dt", 100.0)], title="x", of=of, every_s=window_s).x) == 1
    with pytest.raises(MissingDataError, match=r"x: every_s = 1000 is longer than the measured 600 s; legal"):
        stretches_chart(study, [("tcp-dt", 100.0)], title="x", of=of, every_s=1000.0)

    def quiet(result: Recorded, _name: str) -> float:
        return float("nan") if result is one else 7.0

    monkeypatch.setattr(figures, "_number", quiet)
    chart = stretches_chart(study, [("tcp-dt", 100.0)], title="x", of=of, every_s=200.0)
    assert chart.series[0].y.tolist() == [7.0, 7.0, 7.0]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            ("every_s = 20", "every_s = 0"),
            "figure 4a: over-time needs of, such as throughput_mbps/links.NAME",
        ),
        (("bins = 20\n", ""), "figure 2: false-positives needs bins and trials"),
        (
            ('of = "queue_mean_kilobytes/links', 'of = "queue_mean_kilobytes/flows'),
            r'no quantity "queue_mean_kilobytes/flows.left-to-right@0-20"',
        ),
    ],
)
def test_a_figure_of_no_number_is_refused(tmp_path: Path, changed: tuple[str, str], message: str) -> None:
    folder = altered_experiment("sfa", tmp_path, *changed)
    with pytest.raises(ExperimentError, match=message):
        experiments.read(folder)
