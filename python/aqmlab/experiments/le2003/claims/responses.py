"""Sections 4 and 5, figures 7, 9 and 16 to 23: stretches of curves, and how much a setting gains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.experiments.le2003.claims.cells import with_ecn
from aqmlab.inference import mean_interval
from aqmlab.papers.claims.checks import above_zero, better, between_bounds, equivalent, time_of_share
from aqmlab.statistics import completed_per_90_minutes
from aqmlab.statistics.quantities import restricted_mean_s

if TYPE_CHECKING:
    from aqmlab.papers.claims import Answer
    from aqmlab.papers.study import Cell, Study


def flat_before_one_second(study: Study, a: Cell, *, flat_s: float) -> Answer:
    """More responses complete in a stretch after one second than in the stretch before it."""
    gains = []
    for times in study.times(*a):
        before, at, after = times.cdf([1.0 - flat_s, 1.0, 1.0 + flat_s])
        gains.append(100.0 * float((after - at) - (at - before)))
    return above_zero(
        gains, unit=f"points more in 1.0 to {1.0 + flat_s:g} s than in {1.0 - flat_s:g} to 1.0 s"
    )


def larger_gain(study: Study, a: Cell, b: Cell, *, than_at_percent: float) -> Answer:
    """The area between the curves of `a` and `b` is larger at their load than at another one."""
    here = _gains(study, a, b)
    there = _gains(study, (a[0], than_at_percent), (b[0], than_at_percent))
    gaps = [1000.0 * (one - other) for one, other in zip(here, there, strict=True)]
    return above_zero(gaps, unit="ms of mean response time up to 2 s")


def gains_more_from_ecn(study: Study, a: Cell, b: Cell) -> Answer:
    """The mean response time up to 2 s falls more with ECN for `a` than for `b`."""
    ours, theirs = (_gains(study, with_ecn(cell), cell) for cell in (a, b))
    more = [1000.0 * (one - other) for one, other in zip(ours, theirs, strict=True)]
    return above_zero(more, unit="ms")


def _gains(study: Study, better: Cell, worse: Cell) -> list[float]:
    """By how much the mean response time up to 2 s is shorter in each replication, in seconds."""
    short, long = (study.values(*cell, restricted_mean_s()) for cell in (better, worse))
    return [theirs - ours for ours, theirs in zip(short, long, strict=True)]


def completes_few_more(study: Study, a: Cell, b: Cell, *, few: float) -> Answer:
    """Completed exchanges of `a` and `b` differ by no more than a share."""
    more, fewer = (study.values(*cell, completed_per_90_minutes) for cell in (a, b))
    changes = [one / other - 1.0 for one, other in zip(more, fewer, strict=True)]
    return between_bounds(mean_interval(changes), -few, few)


def equal_for_the_shortest(study: Study, a: Cell, b: Cell, *, shortest: float) -> Answer:
    """`a` is equivalent to `b` up to the time within which a share of the responses of `b` complete."""
    return equivalent(study, a, b, between_s=(0.0, round(time_of_share(study, b, shortest), 2)))


def better_but_for_the_shortest(study: Study, a: Cell, b: Cell, *, shortest: float) -> Answer:
    """`a` is better than `b` beyond the time within which a share of its own responses complete."""
    return better(study, a, b, between_s=(round(time_of_share(study, a, shortest), 2), 2.0))
