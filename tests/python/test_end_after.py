"""A run that ends with a number of exchanges: what Python makes of its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import aqmlab
from aqmlab import Scenario, ScenarioError, Simulation
from aqmlab.show.report.comparison import page_of
from aqmlab.show.report.page import render
from aqmlab.show.words.amounts import length_of_each
from aqmlab.statistics import measured_window_s, response_times
from aqmlab.statistics.recorded import ended_s
from people import a_run

if TYPE_CHECKING:
    from synthetic_results import SyntheticResult

LINK = {"rate_mbps": 2.0, "queue": {"scheme": "drop-tail", "limit_packets": 30}}
CLOUDS = {
    "left": 0,
    "right": 1,
    "profile": "ns2-full",
    "model": {"model": "packmime", "connections_per_second": 10.0},
}


def scenario(exchanges: int) -> Scenario:
    return Scenario.of(
        {
            "name": "enough",
            "duration_s": 60.0,
            "warm_up_s": 5.0,
            "end_after": {"population": "right", "exchanges": exchanges},
            "dumbbell": LINK,
            "users": CLOUDS,
            "record": {"responses": "rows"},
        }
    )


def test_the_run_has_so_many_exchanges_and_ends_with_the_last() -> None:
    result = aqmlab.run(scenario(200), seed=1)
    assert response_times(result, population="right").ended == 200
    last_s = max(result.tables["responses"]["completed_at_s"].to_pylist())
    assert ended_s(result) == pytest.approx(last_s + 1e-9, abs=1e-11)
    assert measured_window_s(result) == pytest.approx(last_s - 5.0, abs=1e-8)


def test_with_too_few_the_clock_ends_it() -> None:
    assert ended_s(aqmlab.run(scenario(1_000_000), seed=1)) == 60.0


def test_steps_are_refused() -> None:
    with pytest.raises(ScenarioError, match="end_after: steps go on to duration_s; leave the key out"):
        Simulation(scenario(200), seed=1)


def test_runs_that_end_by_themselves_at_other_instants_are_compared() -> None:
    red = {"scheme": "red", "limit_packets": 30}
    other = Scenario.of({**scenario(200).resolved, "dumbbell": {**LINK, "queue": red}})
    runs = {
        name: [aqmlab.run(each, seed=seed) for seed in (1, 2, 3)]
        for name, each in {"drop-tail": scenario(200), "red": other}.items()
    }
    assert len({ended_s(each) for of_queue in runs.values() for each in of_queue}) > 3
    assert aqmlab.Comparison.of(runs).seeds == (1, 2, 3)


def test_windows_of_several_lengths_are_told_as_a_range() -> None:
    def measured(seed: int, until_s: float) -> SyntheticResult:
        result = a_run(seed, 1.0, 5.0)
        ends = {"population": "right", "exchanges": 200}
        result.run["scenario"] = {**result.run["scenario"], "end_after": ends}
        result.run.update(measured_from_s=5.0, measured_until_s=until_s)
        return result

    # As by a run that ended at 55.6923 s, and one that the clock ended.
    found = aqmlab.Comparison.of(
        {
            "drop-tail": [measured(1, 55.6923), measured(2, 60.0)],
            "pie": [measured(1, 57.5), measured(2, 59.0)],
        }
    )
    assert found.shortest_window_s == pytest.approx(50.6923)
    assert found.longest_window_s == 55.0
    assert found.to_dict()["shortest_window_s"] == pytest.approx(50.6923)
    assert found.to_dict()["longest_window_s"] == 55.0
    assert "waited for in the measured 50.7 to 55 s." in " ".join(found.details().split())
    page = page_of(found)
    told = render(page).replace("\N{NO-BREAK SPACE}", " ")
    assert page.under_title.endswith("2 runs of 50.7 to 55 s each")
    assert "5 s to the end of each run, at 55.7 to 60 s of the simulated time" in told


@pytest.mark.parametrize(
    ("shortest_s", "longest_s", "words"),
    [(30.0, 30.0, "30 s"), (0.5, 0.5, "0.5 s"), (102.5, 102.5, "102.5 s"), (1200.0, 1200.04, "1200 s")],
)
def test_the_length_of_windows_has_digits_that_people_use(
    shortest_s: float, longest_s: float, words: str
) -> None:
    assert length_of_each(shortest_s, longest_s) == words
