"""The checks that several papers need: of numbers, and of the response times of two cells.

Numbers are judged by Student intervals over replications, or of paired differences; curves by the band of
their paired difference, which is simultaneous over all times (`aqmlab.inference.band`), so a statement may
speak of anywhere or somewhere. How much is little, or much, is a statement's margin, as a share of the
responses.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.errors import TooLittleDataError
from aqmlab.inference import Band, Interval, Judgement, Verdict, mean_interval
from aqmlab.inference.strength import strength_of
from aqmlab.papers.claims.outcome import Answer, decided, weighed
from aqmlab.statistics.quantities import restricted_mean_s

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aqmlab.comparison import CurveDifference
    from aqmlab.inference import NotEnoughReplications
    from aqmlab.papers.study import Cell, Study
    from aqmlab.statistics import Recorded

    Number = Callable[[Recorded], float]
    Range = tuple[float, float]


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


WHOLE = (0.0, 2.0)
"""The times, in seconds, that the figures of both papers show."""


def better(study: Study, a: Cell, b: Cell, *, between_s: Range = WHOLE) -> Answer:
    """The response times of `a` are better than those of `b`, over the whole range or part of it."""
    decision = partial(_is, wanted=Verdict.BETTER)
    return _decided(study.cell_curve(a, b), between_s, decision, lambda found: found.largest_gain)


def equivalent(study: Study, a: Cell, b: Cell, *, between_s: Range = WHOLE) -> Answer:
    """The response times of `a` and `b` differ by at most the margin of equivalence."""
    decision = partial(_is, wanted=Verdict.EQUIVALENT)
    return _decided(study.cell_curve(a, b), between_s, decision, _extreme)


def crossing(study: Study, a: Cell, b: Cell, *, between_s: Range) -> Answer:
    """The curves of `a` and `b` cross, with gain and harm both shown, between two times."""

    def crosses(judgement: Judgement) -> bool | None:
        if judgement.verdict is Verdict.CANNOT_BE_JUDGED:
            return None
        return judgement.crossing_s is not None and between_s[0] <= judgement.crossing_s <= between_s[1]

    return _decided(study.cell_curve(a, b), WHOLE, crosses, lambda found: found.crossing_s)


def little_difference(study: Study, a: Cell, b: Cell, *, margin: float, between_s: Range = WHOLE) -> Answer:
    """The distribution functions of `a` and `b` differ by less than the margin everywhere."""
    band = _band(study, a, b, between_s)
    highest, lowest = float(band.mean.max()), float(band.mean.min())

    def little(band: Band) -> bool | None:
        inside = float(band.lower.min()) >= -margin and float(band.upper.max()) <= margin
        return decided(inside, bool((band.lower > margin).any() or (band.upper < -margin).any()))

    return weighed(band, little, _extent(band), highest if highest >= -lowest else lowest)


def no_worse(study: Study, a: Cell, b: Cell, *, margin: float, between_s: Range = WHOLE) -> Answer:
    """Nowhere has `a` fewer complete than `b` by the margin or more."""
    band = _band(study, a, b, between_s)
    return weighed(
        band,
        lambda band: decided(float(band.lower.min()) >= -margin, float(band.upper.min()) < -margin),
        _extent(band),
        float(band.mean.min()),
    )


def much_better(study: Study, a: Cell, b: Cell, *, margin: float, between_s: Range = WHOLE) -> Answer:
    """Somewhere `a` has more complete than `b` by more than the margin."""
    band = _band(study, a, b, between_s)
    return weighed(
        band,
        lambda band: decided(float(band.lower.max()) > margin, float(band.upper.max()) <= margin),
        _extent(band),
        float(band.mean.max()),
    )


def slightly_better(study: Study, a: Cell, b: Cell, *, margin: float, between_s: Range = WHOLE) -> Answer:
    """`a` has more complete than `b` somewhere, and nowhere by more than the margin."""
    band = _band(study, a, b, between_s)

    def slightly(band: Band) -> bool | None:
        shown, possible = float(band.lower.max()), float(band.upper.max())
        return decided(shown > 0.0 and possible <= margin, shown > margin or possible <= 0.0)

    return weighed(band, slightly, _extent(band), float(band.mean.max()))


def time_of_share(study: Study, cell: Cell, share: float) -> float:
    """Mean over replications of the time within which a share of the responses of a cell completed."""
    return float(np.mean([times.quantile(share) for times in study.times(*cell)]))


def evidence_of(judgement: Judgement) -> str:
    """A verdict with its reason."""
    return f"{judgement.verdict}: {judgement.reason}"


def _is(judgement: Judgement, wanted: Verdict) -> bool | None:
    return None if judgement.verdict is Verdict.CANNOT_BE_JUDGED else judgement.verdict is wanted


def _extreme(judgement: Judgement) -> float:
    return max(judgement.largest_gain, -judgement.largest_harm)


def _decided(
    curve: CurveDifference,
    between_s: Range,
    decision: Callable[[Judgement], bool | None],
    effect: Callable[[Judgement], float | None],
) -> Answer:
    """What the judgement on a range decides, and how clearly."""
    judgement = curve.within(*between_s)
    if not isinstance(curve.band, Band):
        return Answer(None, evidence_of(judgement))
    strength = strength_of(lambda width: decision(curve.within(*between_s, widened=width)))
    return Answer(decision(judgement), evidence_of(judgement), effect(judgement), strength)


def _band(study: Study, a: Cell, b: Cell, between_s: Range) -> Band:
    """The band of one cell minus another."""
    band = study.cell_curve(a, b).band
    if isinstance(band, Band):
        return band.between(*between_s)
    raise TooLittleDataError(str(band))


def _extent(band: Band) -> str:
    mean, lower, upper = 100.0 * band.mean, 100.0 * band.lower, 100.0 * band.upper
    return (
        f"differences from {mean.min():+.1f} to {mean.max():+.1f} points, "
        f"band from {lower.min():+.1f} to {upper.max():+.1f}"
    )
