"""Each short run beside its long twin: the same seed and window, followed until all is over.

What the short run could not see to its end the twin has seen. So the twin is the truth: a bound that a short
run gives must hold, and a number that it gives without a bound and without censoring must be the twin's.
Rows for packets and calls have the form of those for pages: what a short run says, what its twin says.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest

import aqmlab
from aqmlab.comparison import Comparison
from aqmlab.comparison.page_ratio import MOST_TRIMMED, trimmed_mean
from aqmlab.statistics import Pages
from aqmlab.statistics.pages import FollowedPages
from aqmlab.statistics.quantities import Measured, page_quantile_s

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aqmlab import Result
    from aqmlab.statistics.observation import Observation

WINDOW_S = (4.0, 14.0)
FUTURE_S = 120.0
CASES = range(30)
IN_SHORT = (0, 7, 13)
"""Of these cases every run of the tests is; the others are exhaustive."""
SHARES = (0.25, 0.5, 0.75, 0.9, 0.95)
ROUNDING = 1e-9


class Said(NamedTuple):
    """What a short run says of a number, and what its twin does."""

    what: str
    short: Observation
    twin: Observation
    is_whole: bool
    """Whether nothing that decides the number was cut off in the short run."""


def scenario(case: int) -> aqmlab.Scenario:
    """A small household with one backup, whose line, queue and people are drawn."""
    draws = np.random.default_rng(case)
    up = float(draws.choice([0.5, 1.0, 2.0, 5.0]))
    queue = str(draws.choice(["drop-tail", "fq-codel", "pie", "codel"]))
    text = f"""
name = "case {case}"
duration_s = {WINDOW_S[1] + float(draws.choice([0.0, 1.0, 4.0]))}
warm_up_s = {WINDOW_S[0]}
[dumbbell]
rate_mbps = {float(draws.choice([2.0, 5.0, 20.0]))}
rate_right_to_left_mbps = {up}
delay_ms = {float(draws.choice([5.0, 20.0]))}
queue = {{ scheme = "{queue}", limit_packets = {int(draws.choice([20, 100, 300]))} }}
[users]
left = 0
right = {int(draws.integers(1, 7))}
model = {{ model = "pages", think_time_median_seconds = {float(draws.choice([1.0, 3.0]))} }}
profile = "linux6-cubic"
[[flows]]
name = "backup"
count = 1
direction = "right-to-left"
profile = "linux6-cubic"
stop_s = {WINDOW_S[1] + 5.0}
"""
    own = aqmlab.Scenario.from_toml(text)
    return own.with_overrides({"cool_down_s": own.duration_s - WINDOW_S[1]})


@cache
def twins(case: int) -> tuple[Result, Result]:
    """The short run of a case, and the long one."""
    own = scenario(case)
    future = {"duration_s": WINDOW_S[1] + FUTURE_S, "cool_down_s": FUTURE_S}
    short, long = (aqmlab.run(each, seed=case + 1) for each in (own, own.with_overrides(future)))
    return short, long


def of_pages(short: Result, long: Result) -> Iterator[Said]:
    """What both say of followed pages."""
    followed = FollowedPages.of(short)
    cut = followed.lower_s[~followed.loaded]
    for share in SHARES:
        number = page_quantile_s(share, Pages.FOLLOWED)
        said, truth = (number.observed(Measured(each)) for each in (short, long))
        yield Said(number.name, said, truth, not cut.size or said.lower < float(cut.min()))


@pytest.mark.parametrize(
    "case", [pytest.param(each, marks=[] if each in IN_SHORT else pytest.mark.exhaustive) for each in CASES]
)
def test_the_future_keeps_every_bound_and_every_number(case: int) -> None:
    short, long = twins(case)
    for said in of_pages(short, long):
        assert math.isnan(said.short.lower) == math.isnan(said.twin.lower), said
        if not said.short.is_known:
            continue
        if said.is_whole and said.short.is_exact:
            assert said.short.lower == pytest.approx(said.twin.value, rel=ROUNDING), said
        elif not said.short.is_exact:
            # The twin's own bound is no less true; what it says at least must not fall short of ours.
            assert said.short.lower <= said.twin.value * (1.0 + ROUNDING), said


@pytest.mark.parametrize(
    "case", [pytest.param(each, marks=[] if each in IN_SHORT else pytest.mark.exhaustive) for each in CASES]
)
def test_the_future_has_the_same_pages(case: int) -> None:
    """Whatever was waited for in the window is a row of both; none is seen for less long afterwards."""
    rows = [{(row["user"], row["page"]): row for row in run.pages.to_pylist()} for run in twins(case)]
    assert rows[0].keys() == rows[1].keys()
    for key, short in rows[0].items():
        long = rows[1][key]
        assert short["page_load_time_s"] <= long["page_load_time_s"] + ROUNDING
        if short["ended"]:
            assert short["page_load_time_s"] == long["page_load_time_s"]


@pytest.mark.parametrize(
    "case", [pytest.param(each, marks=[] if each in IN_SHORT else pytest.mark.exhaustive) for each in CASES]
)
def test_the_future_lies_between_the_ends_of_the_ratio_of_the_same_page(case: int) -> None:
    """Twins of two configurations: the one drawn, and the next case's people on a quicker way up."""
    own = scenario(case)
    quicker = own.with_overrides({"dumbbell.rate_right_to_left_mbps": 10.0})
    future = {"duration_s": WINDOW_S[1] + FUTURE_S, "cool_down_s": FUTURE_S}
    found = []
    for lengths in ({}, future):
        base, other = ([aqmlab.run(each.with_overrides(lengths), seed=case + 1)] for each in (own, quicker))
        found.append(Comparison.of({"slow": base, "quick": other})._match("quick")[0])
    short, long = found
    assert short.pages == long.pages
    assert (short.lower <= long.upper + ROUNDING).all()
    assert (long.lower <= short.upper + ROUNDING).all()
    if short.pages:
        for share in (0.0, MOST_TRIMMED):
            ends = (trimmed_mean(each, share) for each in (short.lower, long.upper, long.lower, short.upper))
            least, most_later, least_later, most = ends
            assert least <= most_later + ROUNDING
            assert least_later <= most + ROUNDING
