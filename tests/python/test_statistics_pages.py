"""Page load times: both populations of pages, and the Kaplan-Meier estimate against one made by hand."""

from __future__ import annotations

import math
from fractions import Fraction
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

from aqmlab.errors import MissingDataError
from aqmlab.statistics import Pages, page_load_times
from aqmlab.statistics.pages import FollowedPages, unfinished_pages
from aqmlab.statistics.quantities import Measured, page_quantile_s

if TYPE_CHECKING:
    from aqmlab.statistics.distribution import ResponseTimes
    from aqmlab.statistics.recorded import Recorded


def recorded(rows: list[tuple[str, str, float, int]]) -> Recorded:
    """A run with these pages: population, counted as, seconds (in a bin of 1 ms around them), how many."""
    populations, counted, times, counts = zip(*rows, strict=True) if rows else ((), (), (), ())
    columns = {
        "population": pa.array(populations, pa.string()).dictionary_encode(),
        "counted": pa.array(counted, pa.string()).dictionary_encode(),
        "lower_s": pa.array([time - 0.0005 for time in times], pa.float64()),
        "upper_s": pa.array([time + 0.0005 for time in times], pa.float64()),
        "count": pa.array(counts, pa.uint64()),
    }
    return SimpleNamespace(run={"populations": []}, tables={"page_histogram": pa.table(columns)})


def test_completed_pages_are_counted_plainly() -> None:
    run = recorded(
        [("people", "completed", 1.0, 3), ("people", "completed", 5.0, 1), ("people", "followed", 9.0, 7)]
    )
    times = page_load_times(run)
    assert (times.completed, times.failed) == (4, 0)
    assert times.cdf(2.0) == pytest.approx(0.75)


def test_unfinished_pages_weigh_as_kaplan_and_meier_say() -> None:
    # Ten pages: 2 end at 1 s; 3 are unfinished, seen for 2 s; 2 end at 3 s; 1 is unfinished after 4 s; 2
    # end at 5 s. At 1 s 10 are at risk, at 3 s 5, at 5 s 2: S = 8/10, then 8/10 * 3/5, then 0.
    run = recorded([
        ("people", "followed", 1.0, 2), ("people", "unfinished", 2.0, 3), ("people", "followed", 3.0, 2),
        ("people", "unfinished", 4.0, 1), ("people", "followed", 5.0, 2), ("people", "completed", 0.5, 99),
    ])  # fmt: skip
    times = page_load_times(run, Pages.FOLLOWED)
    assert 1.0 - times.cdf([0.9, 1.5, 2.5, 3.5, 4.5, 5.5]) == pytest.approx([1.0, 0.8, 0.8, 0.48, 0.48, 0.0])
    assert times.quantile(0.5) == pytest.approx(3.0, abs=0.001)
    assert times.quantile(0.9) == pytest.approx(5.0, abs=0.001)
    assert unfinished_pages(run) == 4
    # The mean of min(t, 4 s) is the area below S up to 4 s: 1 + 2 * 0.8 + 1 * 0.48.
    assert times.restricted_mean_s(4.0) == pytest.approx(3.08, abs=0.001)


def test_remission_of_leukaemia_as_in_textbooks() -> None:
    # Freireich et al. (1963, Blood 21, 699-716), the patients on 6-mercaptopurine: weeks of remission, and
    # those at which a patient was still in remission when last seen.
    ended = {6: 3, 7: 1, 10: 1, 13: 1, 16: 1, 22: 1, 23: 1}
    seen_for = {6: 1, 9: 1, 10: 1, 11: 1, 17: 1, 19: 1, 20: 1, 25: 1, 32: 2, 34: 1, 35: 1}
    run = recorded(
        [("people", "followed", float(week), count) for week, count in ended.items()]
        + [("people", "unfinished", float(week), count) for week, count in seen_for.items()]
    )
    times = page_load_times(run, Pages.FOLLOWED)
    # At risk, by hand: 21 before week 6, 17 before 7, 15 before 10, 12 before 13, 11 before 16, 7 before 22,
    # 6 before 23.
    steps = [(21, 3), (17, 1), (15, 1), (12, 1), (11, 1), (7, 1), (6, 1)]
    survival = np.cumprod([1.0 - ends / at_risk for at_risk, ends in steps])
    assert survival == pytest.approx([0.857, 0.807, 0.753, 0.690, 0.627, 0.538, 0.448], abs=0.0005)
    assert times.ccdf([week + 0.5 for week in ended]) == pytest.approx(survival)
    assert (times.completed, times.failed) == pytest.approx((21 * (1 - survival[-1]), 21 * survival[-1]))


def exact_shares(ended: dict[int, int], seen_for: dict[int, int]) -> dict[int, Fraction]:
    """Kaplan and Meier's estimate of the share done within each time, by plain loops, exactly."""
    longer, shares = Fraction(1), {}
    for time in sorted(ended):
        at_risk = sum(count for at, count in [*ended.items(), *seen_for.items()] if at >= time)
        longer *= 1 - Fraction(ended[time], at_risk)
        shares[time] = 1 - longer
    return shares


@pytest.mark.parametrize("seed", range(60))
def test_quantiles_are_those_of_an_exact_estimate(seed: int) -> None:
    random = np.random.default_rng(seed)
    some = random.integers(1, 12, size=2)
    ended, seen_for = (
        {int(at): int(random.integers(1, 6)) for at in random.choice(np.arange(1, 30), count, replace=False)}
        for count in some
    )
    run = recorded(
        [("people", "followed", float(at), count) for at, count in ended.items()]
        + [("people", "unfinished", float(at), count) for at, count in seen_for.items()]
    )
    times, exact = page_load_times(run, Pages.FOLLOWED), exact_shares(ended, seen_for)
    assert float(times.cdf(99.0)) <= 1.0
    for time, share in exact.items():
        assert times.cdf(time + 0.5) == pytest.approx(float(share), abs=1e-12)
    for hundredths in range(1, 101):
        share = Fraction(hundredths, 100)
        reached = [time for time, within in exact.items() if within >= share]
        expected = float(min(reached)) if reached else math.inf
        assert times.quantile(hundredths / 100) == pytest.approx(expected, abs=0.001), share


def test_rounding_takes_no_quantile_over_a_gap() -> None:
    # Some of 100 end at 1 s, the others at 9 s or never: 0.55 * 100 and the like are not whole in binary.
    for within in range(1, 100):
        half = recorded([("people", "followed", 1.0, within), ("people", "followed", 9.0, 100 - within)])
        never = recorded([("people", "followed", 1.0, within), ("people", "unfinished", 9.0, 100 - within)])
        for run in (half, never):
            found = page_load_times(run, Pages.FOLLOWED).quantile(within / 100)
            assert found == pytest.approx(1.0, abs=0.001), within


def test_a_quantile_that_too_few_pages_reach_is_infinite() -> None:
    # Five of ten end at 1 s; five are unfinished after 2 s: half is known, more is not.
    run = recorded([("people", "followed", 1.0, 5), ("people", "unfinished", 2.0, 5)])
    times = page_load_times(run, Pages.FOLLOWED)
    assert times.quantile(0.5) == pytest.approx(1.0, abs=0.001)
    assert math.isinf(times.quantile(0.51))


def test_of_pages_that_never_end_only_that_is_known() -> None:
    times = page_load_times(recorded([("people", "unfinished", 2.0, 5)]), Pages.FOLLOWED)
    assert (times.completed, times.ended) == (0, 5)
    assert list(times.cdf([0.0, 1.0, 99.0])) == [0.0, 0.0, 0.0]
    assert math.isinf(times.quantile(0.5))
    assert times.restricted_mean_s(4.0) == 4.0


def test_populations_are_told_apart() -> None:
    run = recorded([
        ("left", "followed", 1.0, 4), ("right", "followed", 2.0, 4), ("right", "unfinished", 3.0, 4),
    ])  # fmt: skip
    assert page_load_times(run, Pages.FOLLOWED, population="left").quantile(1.0) == pytest.approx(
        1.0, abs=0.001
    )
    assert [unfinished_pages(run, name) for name in ("left", "right")] == [0, 4]
    assert page_load_times(run, Pages.FOLLOWED).ended == pytest.approx(12)


def test_a_run_without_pages_says_what_is_missing() -> None:
    without_table = SimpleNamespace(run={"populations": []}, tables={})
    with pytest.raises(MissingDataError, match="page_histogram"):
        page_load_times(without_table)
    for quantity, what in [
        (page_quantile_s(0.5), "ended"),
        (page_quantile_s(0.5, Pages.FOLLOWED), "was waited for"),
    ]:
        with pytest.raises(MissingDataError, match=f"no page {what} in the measured window"):
            quantity(recorded([]))


Row = tuple[float, float, bool]
"""Began, seen for, whether it was loaded."""


def of_rows(rows: list[Row], *, window_s: tuple[float, float] = (10.0, 50.0), objects: int = 3) -> Recorded:
    """A run of 60 s with rows of pages."""
    began, took, loaded = (np.array(column) for column in zip(*rows, strict=True))
    pages = pa.table(
        {
            "population": pa.array(["people"] * len(rows)).dictionary_encode(),
            "began_s": began.astype(float),
            "page_load_time_s": took.astype(float),
            "ended": pa.array(loaded.astype(np.uint8)),
            "objects": pa.array(np.full(len(rows), objects, dtype=np.uint32)),
        }
    )
    run = {
        "populations": [{"name": "people"}],
        "measured_from_s": window_s[0],
        "measured_until_s": window_s[1],
        "scenario": {"duration_s": 60.0},
    }
    return SimpleNamespace(run=run, tables={"pages": pages, "page_histogram": None})


def test_a_page_under_way_when_the_window_begins_enters_at_its_age() -> None:
    # Three begin in the window and take 2, 4 and 9 s; one that began 6 s before it takes 8 s. By hand: at 2 s
    # 3 are at risk, at 4 s 2; at 8 s the one of 9 s and the one that entered at 6 s; at 9 s one.
    run = of_rows([(12.0, 2.0, True), (20.0, 4.0, True), (30.0, 9.0, True), (4.0, 8.0, True)])
    times = page_load_times(run, Pages.FOLLOWED)
    survival = [2 / 3, 1 / 3, 1 / 6, 0.0]
    assert 1.0 - times.cdf([2.5, 4.5, 8.5, 9.5]) == pytest.approx(survival)


def test_a_page_of_the_whole_window_is_a_bound_where_no_other_began() -> None:
    run = of_rows([(4.0, 56.0, False)])
    said = page_quantile_s(0.5, Pages.FOLLOWED).observed(Measured(run))
    assert (said.lower, said.upper) == (56.0, math.inf)
    # Ended after the window it is known; beside two quick pages it is one of three.
    run = of_rows([(4.0, 50.0, True), (20.0, 1.0, True), (30.0, 2.0, True)])
    assert [page_quantile_s(share, Pages.FOLLOWED)(run) for share in (0.5, 0.9)] == [2.0, 50.0]


def test_a_page_of_which_nothing_came_is_waited_for_to_the_end() -> None:
    run = of_rows([(20.0, 3.0, True)], objects=0)
    said = page_quantile_s(0.5, Pages.FOLLOWED).observed(Measured(run))
    assert (said.lower, said.upper) == (40.0, math.inf)


@pytest.mark.parametrize("seed", range(60))
def test_no_bound_exceeds_what_later_is_known(seed: int) -> None:
    """Random pages, entered at random ages and watched for random, unequal times; then watched for longer."""
    draws = np.random.default_rng(seed)
    pages = int(draws.integers(1, 14))
    entered = np.where(draws.random(pages) < 0.5, 0.0, draws.integers(0, 10, pages)).astype(float)
    takes = entered + draws.integers(1, 15, pages)
    watched = entered + draws.integers(1, 10, pages)
    longer = watched + draws.integers(0, 12, pages)
    ones = np.ones(pages)

    def seen_for(limit: np.ndarray) -> ResponseTimes:
        seen = np.minimum(takes, limit)
        return FollowedPages(entered, seen, seen, takes <= limit, ones).times()

    short, later, all_of_them = map(seen_for, (watched, longer, takes))
    for share in (0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0):
        bound = short.quantile(share) if short.seen is None else short.seen.quantile(share)
        assert bound <= later.quantile(share), share
        assert bound <= all_of_them.quantile(share), share
