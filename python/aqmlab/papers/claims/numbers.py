"""Checks of numbers, judged by Student intervals over replications, or of paired differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.inference import Interval, mean_interval
from aqmlab.papers.claims.outcome import Answer, decided, weighed
from aqmlab.statistics.quantities import restricted_mean_s

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aqmlab.inference import NotEnoughReplications
    from aqmlab.papers.study import Cell, Study
    from aqmlab.statistics import Recorded

    Number = Callable[[Recorded], float]


def higher(
    study: Study, a: Cell, b: Cell, *, of: Number, slack: float = 0.0, unit: str | None = None
) -> Answer:
    """A number of `a` exceeds that of `b`, or falls short of it by no more than the slack."""
    after = f", slack {slack:g}" if slack else ""
    return above_bound(
        study.difference(a, b, of), -slack, unit=unit_of(of, unit), before="difference ", after=after
    )


def alike(study: Study, a: Cell, b: Cell, *, of: Number, limit: float, unit: str | None = None) -> Answer:
    """A number of `a` and that of `b` differ by no more than the limit."""
    return between_bounds(study.difference(a, b, of), -limit, limit, unit=unit_of(of, unit))


def above(study: Study, a: Cell, *, of: Number, bound: float = 0.0, unit: str | None = None) -> Answer:
    """A number of `a` exceeds the bound."""
    return above_bound(study.measure(*a, of), bound, unit=unit_of(of, unit))


def within(
    study: Study, a: Cell, *, of: Number, bounds: tuple[float, float], unit: str | None = None
) -> Answer:
    """A number of `a` lies between the bounds."""
    return between_bounds(study.measure(*a, of), *bounds, unit=unit_of(of, unit))


def no_slower(study: Study, a: Cell, b: Cell, *, slack_s: float) -> Answer:
    """The mean of min(response time, 2 s) of `a` exceeds that of `b` by no more than the slack."""
    value = study.change(a, b, restricted_mean_s())
    evidence = shown(value, 1000.0, "ms")
    if not isinstance(value, Interval):
        return Answer(None, evidence, value)
    return weighed(
        value, lambda mean: decided(mean.lies_below(slack_s), mean.lies_above(slack_s)), evidence, value
    )


def slower(study: Study, a: Cell, b: Cell) -> Answer:
    """The mean of min(response time, 2 s) of `a` exceeds that of `b`."""
    return above_bound(study.change(a, b, restricted_mean_s()), scale=1000.0, unit="ms")


def above_zero(values: Sequence[float], *, unit: str) -> Answer:
    """Numbers of single replications lie above zero in the mean."""
    return above_bound(mean_interval(values), unit=unit)


def above_bound(
    value: Interval | NotEnoughReplications,
    bound: float = 0.0,
    *,
    scale: float = 1.0,
    unit: str = "",
    before: str = "",
    after: str = "",
) -> Answer:
    """A mean lies above a bound with all of its interval; `before` and `after` stand around it in print."""
    evidence = f"{before}{shown(value, scale, unit)}{after}"
    if not isinstance(value, Interval):
        return Answer(None, evidence, value)
    return weighed(
        value, lambda mean: decided(mean.lies_above(bound), mean.lies_below(bound)), evidence, value
    )


def between_bounds(
    value: Interval | NotEnoughReplications, lower: float, upper: float, *, unit: str = ""
) -> Answer:
    """A mean lies between two bounds: all of its interval, or none of it, or it cannot be judged."""
    evidence = f"{shown(value, unit=unit)}; expected {lower:.4g} to {upper:.4g}"
    if not isinstance(value, Interval):
        return Answer(None, evidence, value)

    def inside(mean: Interval) -> bool | None:
        outside = mean.lies_below(lower) or mean.lies_above(upper)
        return decided(mean.lies_within(lower, upper), outside)

    return weighed(value, inside, evidence, value)


def unit_of(of: Number, chosen: str | None = None) -> str:
    """Unit of a difference; percentages differ in points."""
    unit: str = getattr(of, "unit", "") if chosen is None else chosen
    return "points" if unit == "%" else unit


def shown(value: Interval | NotEnoughReplications, scale: float = 1.0, unit: str = "") -> str:
    """A mean with its interval and unit, or why it has none."""
    if isinstance(value, Interval):
        text = f"{value.mean * scale:.4g} [{value.lower * scale:.4g}, {value.upper * scale:.4g}]"
        return f"{text} {unit}".strip()
    mean = "" if value.mean is None else f"mean {value.mean * scale:.4g} {unit}".strip() + "; "
    return mean + str(value)
