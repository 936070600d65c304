"""Sections 4 to 6, figures 7, 9 and 16 to 23: curves, what a setting gains, and why the schemes differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.inference import mean_interval
from aqmlab.papers.claims.checks import (
    above,
    above_zero,
    better,
    between_bounds,
    equivalent,
    time_of_share,
    within,
)
from aqmlab.statistics import completed_per_90_minutes
from aqmlab.statistics.quantities import class_loss_percent, restricted_mean_s, timeouts_per_thousand

if TYPE_CHECKING:
    from aqmlab.papers.claims import Answer
    from aqmlab.papers.study import Cell, Study
    from aqmlab.statistics import Recorded

LOADS = (80.0, 90.0, 98.0, 105.0)
UNCONGESTED = "uncongested"


def with_ecn(cell: Cell) -> Cell:
    """The cell of the same scheme with ECN."""
    return f"{cell[0]}-ecn", cell[1]


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


def ecn_removes_extra_timeouts(study: Study, a: Cell, b: Cell, *, left_over: float) -> Answer:
    """The excess of timeouts of `a` over those of `b` is with ECN less than a share of what it is without."""
    excess = zip(_excess(study, a, b), _excess(study, with_ecn(a), with_ecn(b)), strict=True)
    to_spare = [left_over * without - ecn for without, ecn in excess]
    return above_zero(to_spare, unit="timeouts per thousand exchanges to spare")


def _excess(study: Study, a: Cell, b: Cell) -> list[float]:
    ours, theirs = (study.values(*cell, timeouts_per_thousand) for cell in (a, b))
    return [one - other for one, other in zip(ours, theirs, strict=True)]


def spared(study: Study, a: Cell, *, packet_class: str) -> Answer:
    """Packets of a class are lost less often than data."""

    def difference(result: Recorded) -> float:
        return class_loss_percent("data")(result) - class_loss_percent(packet_class)(result)

    return above(study, a, of=difference, unit="points")


def lost_like_data(study: Study, a: Cell, *, packet_class: str, bounds: tuple[float, float]) -> Answer:
    """The loss of packets of a class, divided by that of data, lies between the bounds."""

    def ratio(result: Recorded) -> float:
        data = class_loss_percent("data")(result)
        return class_loss_percent(packet_class)(result) / data if data > 0.0 else 1.0

    return within(study, a, of=ratio, bounds=bounds)
