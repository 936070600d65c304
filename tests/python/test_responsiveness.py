"""`aqmlab rpm`: the draft's algorithm worked by hand, a line against closed forms, and bad input."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

from aqmlab.presets.line import AS_IT_IS, Line
from aqmlab.show.objects.responsiveness import table_of
from aqmlab.shown import facts
from aqmlab.statistics.series import Series, round_trips_ms, smoothed_round_trips_ms
from aqmlab.study.responsiveness import (
    Confidence,
    Outcome,
    Responsiveness,
    RoundTripsPerMinute,
    Way,
    class_of,
    evaluate,
    measure,
)
from aqmlab.study.responsiveness.algorithm import INTERVAL_S, rounds_per_minute, trimmed_mean
from aqmlab.study.responsiveness.measuring import scenario_of
from small import aqmlab_run
from synthetic_results import SyntheticResult, names

if TYPE_CHECKING:
    from pathlib import Path


def named(name: str, rows: int) -> pa.DictionaryArray:
    return names(np.zeros(rows), [name])


@pytest.fixture(scope="module", name="found")
def a_line_with_two_queues() -> dict[tuple[str, Way], Responsiveness]:
    ways = [Way.UP, Way.BOTH]
    return {
        (each.queue, each.way): each for each in measure(Line.of_rates(20.0, 5.0), ["fq-codel"], ways=ways)
    }


def test_a_trimmed_mean_leaves_out_the_longest_twentieth() -> None:
    assert trimmed_mean(range(1, 101)) == pytest.approx(sum(range(1, 96)) / 95)
    assert trimmed_mean([7.0, 1.0]) == 4.0
    assert trimmed_mean([]) == np.inf


def test_half_of_the_score_are_rates_on_connections_of_their_own() -> None:
    """Rates are averaged, not times: 20 and 60 ms make 2,000, where their mean of 40 ms makes 1,500."""
    assert rounds_per_minute([[20.0], [20.0], [20.0]], [60.0]) == (3000.0 + 1000.0) / 2
    # The steps of a foreign probe weigh the same: (10 + 20 + 30) / 3.
    assert rounds_per_minute([[10.0], [20.0], [30.0]], [20.0]) == 3000.0


def test_a_lost_probe_takes_the_first_timeout_of_tcp_and_a_usual_round_trip() -> None:
    """RFC 6298: 1 s. Of 20 probes 19 count, the longest is trimmed; of two lost ones one is left."""
    lost = np.inf
    assert rounds_per_minute([[20.0] * 19 + [lost]] * 3, [20.0]) == 3000.0
    foreign = 60_000.0 / ((18 * 20.0 + 1020.0) / 19)
    assert rounds_per_minute([[20.0] * 18 + [lost] * 2] * 3, [20.0]) == pytest.approx((foreign + 3000.0) / 2)


def test_where_nothing_returns_there_are_no_round_trips() -> None:
    assert rounds_per_minute([[np.inf] * 5] * 3, [20.0]) == 1500.0
    assert rounds_per_minute([[20.0]] * 3, [np.inf] * 7) == 1500.0
    assert rounds_per_minute([[np.inf] * 5] * 3, []) == 0.0
    outcome = evaluate([0.0] * 16, lambda _first, _last: 0.0)
    assert (outcome.rpm, outcome.confidence, class_of(0.0)) == (0.0, Confidence.HIGH, "poor")


def test_more_lost_probes_never_make_more_round_trips() -> None:
    returned = np.linspace(10.0, 300.0, 40)
    scores = [
        rounds_per_minute([np.where(np.arange(40) < lost, np.inf, returned)] * 3, [20.0])
        for lost in range(0, 41, 4)
    ]
    fewest_first = [
        rounds_per_minute([np.where(np.arange(40) >= 40 - lost, np.inf, returned)] * 3, [20.0])
        for lost in range(0, 41, 4)
    ]
    assert (np.diff(scores) <= 0.0).all()
    assert (np.diff(fewest_first) <= 0.0).all()


@pytest.mark.parametrize(
    ("rpm", "name"),
    [(299.9, "poor"), (300.0, "fair"), (999.9, "fair"), (1000.0, "good"), (6000.0, "excellent")],
)
def test_classes_begin_where_the_draft_says(rpm: float, name: str) -> None:
    assert class_of(rpm) == name


def test_a_steady_line_is_done_as_soon_as_both_could_be_judged() -> None:
    asked: list[tuple[int, int]] = []

    def rpm(first: int, last: int) -> float:
        asked.append((first, last))
        return 1000.0

    outcome = evaluate([50.0] * 30, rpm)
    # Averages over four whole intervals from the fourth on; four of them at the end of the seventh. Then four
    # scores, each over the last four intervals.
    assert asked == [(4, 8), (5, 9), (6, 10), (7, 11)]
    assert (outcome.ended_s, outcome.rpm, outcome.goodput_mbps) == (55.0, 1000.0, 50.0)
    assert (outcome.goodput_confidence, outcome.confidence) == (Confidence.HIGH, Confidence.HIGH)


def test_goodput_that_doubles_is_never_stable_and_its_score_is_told_with_low_confidence() -> None:
    outcome = evaluate([2.0**interval for interval in range(10)], lambda first, last: 100.0 * first + last)
    assert (outcome.goodput_confidence, outcome.confidence) == (Confidence.MEDIUM, Confidence.LOW)
    assert (outcome.rpm, outcome.ended_s) == (610.0, 50.0)


def test_a_score_that_goes_on_falling_has_medium_confidence_and_is_the_last() -> None:
    outcome = evaluate([5.0] * 20, lambda first, last: 0.0 * first + 1000.0 / last)
    assert (outcome.goodput_confidence, outcome.confidence) == (Confidence.HIGH, Confidence.MEDIUM)
    assert (outcome.rpm, outcome.ended_s) == (50.0, 100.0)


def test_too_little_time_to_judge_anything_is_low_confidence() -> None:
    outcome = evaluate([5.0] * 3, lambda first, last: float(last - first))
    assert (outcome.goodput_confidence, outcome.confidence, outcome.rpm) == (
        Confidence.LOW,
        Confidence.LOW,
        3.0,
    )


@pytest.mark.parametrize(("intervals", "confidence"), [(6, Confidence.LOW), (7, Confidence.MEDIUM)])
def test_confidence_is_medium_from_the_fourth_judgement_on(intervals: int, confidence: Confidence) -> None:
    """The draft: low where MAD = 4 iterations had no time. Averages are whole from the fourth on."""
    growing = [2.0**interval for interval in range(intervals)]
    assert evaluate(growing, lambda _first, _last: 1.0).goodput_confidence is confidence


def test_scores_are_stable_by_the_latest_of_them() -> None:
    """Their standard deviation is 4.68: less than 5 % of 100, more than 5 % of 89.2."""
    scores = iter([100.0, 100.0, 100.0, 89.2])
    outcome = evaluate([5.0] * 11, lambda _first, _last: next(scores))
    assert (outcome.rpm, outcome.confidence) == (89.2, Confidence.MEDIUM)
    # The other way about, the latest is the greatest: 5 % of 100 is more than 4.68.
    scores = iter([89.2, 100.0, 100.0, 100.0])
    assert evaluate([5.0] * 11, lambda _first, _last: next(scores)).confidence is Confidence.HIGH


def test_a_connection_is_added_every_five_seconds_up_to_sixteen() -> None:
    document = scenario_of(Line.of_rates(100.0, 10.0), Way.BOTH).resolved
    for flow in document["flows"]:
        assert flow["starts_s"] == [0.0, *(5.0 * place for place in range(1, 16))]
    assert [flow["direction"] for flow in document["flows"]] == ["left-to-right", "right-to-left"]


@pytest.mark.parametrize(
    ("up_mbps", "pairs_per_s"), [(100.0, 50.0), (10.0, 0.05 * 10e6 / 48_000), (0.3, 1.0)]
)
def test_probes_take_a_twentieth_of_the_line_at_most(up_mbps: float, pairs_per_s: float) -> None:
    [probe] = scenario_of(Line.of_rates(200.0, up_mbps), Way.UP).resolved["datagrams"]
    assert probe["rate_mbps"] == pytest.approx(3 * 60 * 8e-6 * pairs_per_s)
    assert probe["echo"] is True


def test_a_full_buffer_costs_what_it_delays(found: dict[tuple[str, Way], Responsiveness]) -> None:
    """Sixteen uploads hold at least 0.7 of 250 ms: what CUBIC leaves if all lose at once."""
    outcome = found[AS_IT_IS, Way.UP].outcome
    longest, shortest = 20.0 + 250.0 + 12.0, 20.0 + 0.7 * 250.0
    assert 60_000 / longest < outcome.rpm < 60_000 / shortest
    assert class_of(outcome.rpm) == "poor"
    # 1,448 of 1,500 bytes of a full line.
    assert outcome.goodput_mbps == pytest.approx(5.0 * 1448 / 1500, rel=0.01)


def test_a_queue_for_each_flow_lets_foreign_probes_pass(found: dict[tuple[str, Way], Responsiveness]) -> None:
    each = found["fq-codel", Way.UP]
    # It waits for the packet that is sent, and on its way back for nothing; an idle line has 20 ms.
    assert trimmed_mean(each.foreign_ms.between(20.0, 80.0)) < 20.0 + 1e3 * 2 * 12_000 / 5e6
    assert found[AS_IT_IS, Way.UP].outcome.rpm * 4 < each.outcome.rpm < 3000.0


def test_the_score_is_that_of_the_samples_of_the_last_four_intervals(
    found: dict[tuple[str, Way], Responsiveness],
) -> None:
    for each in found.values():
        end = each.outcome.ended_s
        begin = end - 4 * INTERVAL_S
        parts = []
        for series in (each.foreign_ms, each.self_ms):
            inside = sorted(
                value for at, value in zip(series.at_s, series.values, strict=True) if begin < at <= end
            )
            kept = inside[: round(0.95 * len(inside))]
            parts.append(60_000 / (sum(kept) / len(kept)))
        assert each.outcome.rpm == pytest.approx(sum(parts) / 2), (each.queue, each.way)
        goodput = zip(each.goodput_mbps.at_s, each.goodput_mbps.values, strict=True)
        last = [value for at, value in goodput if end - 3.5 * INTERVAL_S < at <= end + 0.5]
        assert each.outcome.goodput_mbps == pytest.approx(sum(last) / 4)


@pytest.mark.parametrize(("lost", "least", "most"), [(1.0, 0.0, 0.0), (0.6, 1.0, 300.0)])
def test_a_line_that_loses_what_is_sent_is_poor(lost: float, least: float, most: float) -> None:
    """Nothing is right about no round trip; of 60 % lost each way one probe of six returns."""
    open_line = Line.of_rates(2.0, 2.0)
    lossy = Line({"dumbbell": {**open_line.network["dumbbell"], "loss_probability": lost}})
    [found] = measure(lossy, [], ways=[Way.DOWN])
    assert least <= found.outcome.rpm <= most
    assert class_of(found.outcome.rpm) == "poor"


def test_what_did_not_return_is_infinite_at_the_instant_at_which_it_was_sent() -> None:
    """Four datagrams 0.5 s apart, of which the second did not come back."""
    run = SyntheticResult(
        {},
        {
            "datagrams": pa.table({"group": named("foreign", 1), "sent_packets": [4]}),
            "datagram_arrivals": pa.table(
                {
                    "group": named("foreign-echo", 3),
                    "sent_s": [1.0, 0.0, 1.5],
                    "delay_s": [0.25, 0.5, 0.125],
                }
            ),
        },
    )
    found = round_trips_ms(run, "foreign", each_s=0.5, behind_ms=10.0)
    assert found.at_s.tolist() == [0.0, 0.5, 1.0, 1.5]
    assert found.values.tolist() == [510.0, np.inf, 260.0, 135.0]


def test_a_sender_that_hears_nothing_waits_until_it_does() -> None:
    """Samples every second: no round trip yet, 0.1 s, the same with a timeout that doubles, then 0.2 s."""
    smoothed = [np.nan, np.nan, 0.1, 0.1, 0.1, 0.2, 0.2]
    timeout = [1.0, 2.0, 0.3, 0.3, 0.6, 0.5, 0.5]
    silent = [np.nan] * 7
    run = SyntheticResult(
        {},
        {
            "congestion_windows": pa.table(
                {
                    "time_s": [float(second) for second in range(7)] * 2,
                    "flow_group": named("down", 14),
                    "flow": [0] * 7 + [1] * 7,
                    "smoothed_round_trip_s": smoothed + silent,
                    "retransmission_timeout_s": [*timeout, 1.0, 1.0, 3.0, 3.0, 3.0, 7.0, 7.0],
                }
            )
        },
    )
    found = smoothed_round_trips_ms(run, end_s=7.0)
    own = found.values[::2]
    assert own.tolist() == [2000.0, 1000.0, 100.0, 100.0, 1000.0, 200.0, 200.0]
    assert np.isinf(found.values[1::2]).all()


def test_single_seeds_with_other_words_are_told_beside_that_of_the_mean() -> None:
    """250 and 450 RPM are poor and fair, their mean of 350 is fair."""
    nothing = Series(np.zeros(0), np.zeros(0))

    def test_of(seed: int, rpm: float) -> Responsiveness:
        outcome = Outcome(rpm, 9.0, 20.0, Confidence.HIGH, Confidence.HIGH)
        return Responsiveness(AS_IT_IS, Way.DOWN, seed, outcome, nothing, nothing, nothing)

    line = Line.of_rates(20.0, 4.0)
    found = RoundTripsPerMinute(line, (test_of(1, 250.0), test_of(2, 450.0)))
    assert table_of(found).rows[0][1].lines[0].text == "350 fair*"
    assert "single seeds have other words" in table_of(found).caption
    assert facts(found)["classes_of_seeds"] == {AS_IT_IS: {"down": {"1": "poor", "2": "fair"}}}
    alike = RoundTripsPerMinute(line, (test_of(1, 350.0), test_of(2, 450.0)))
    assert table_of(alike).rows[0][1].lines[0].text == "400 fair"
    assert "seeds" not in table_of(alike).caption


def test_the_command_prints_and_writes_a_row_for_each_queue(tmp_path: Path) -> None:
    arguments = (
        "rpm",
        "--down",
        "8",
        "--up",
        "2",
        "--schemes",
        "fq-codel",
        "--load",
        "up",
        "--output",
        "x.csv",
    )
    done = aqmlab_run(*arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    heading, *rows = (tmp_path / "x.csv").read_text(encoding="utf-8").splitlines()
    ended = "up_goodput_confidence,up_goodput_mbps,up_ended_s,up_words_of_seeds"
    assert heading == f"queue,up_rpm,confidence,up_confidence,{ended}"
    assert [row.split(",")[0] for row in rows] == [AS_IT_IS, "fq-codel"]
    assert "up, RPM" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "give the line: --down 100 --up 10, or a scenario file"),
        (("--down", "8", "--up", "0.1"), "0.256 Mbit/s or more"),
        (("--down", "8", "--up", "2", "--load", "sideways"), "'sideways' is not one of"),
        (("--down", "8", "--up", "2", "--schemes", "cakes"), 'did you mean "cake"'),
        (("--down", "8", "--up", "2", "--output", "x.txt"), ".csv"),
    ],
)
def test_wrong_words_are_told_with_what_is_legal(
    arguments: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    done = aqmlab_run("rpm", *arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert said in " ".join(done.stderr.split()), done.stderr
    assert not list(tmp_path.iterdir())
