"""The statements that claims are made of, each answered from a study.

Curves are judged by simultaneous bands of paired differences of distribution functions (`aqmlab.statistics`),
single numbers by Student intervals over replications. What was not run or not recorded, and what too few
replications cannot tell, is answered with a part that does not say yes or no.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Concatenate, ParamSpec

import numpy as np

from aqmlab.claims.outcome import Part
from aqmlab.compare import ComparisonError
from aqmlab.statistics import Band, Interval, Judgement, MissingDataError, NotEnoughReplications, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from aqmlab.statistics import Recorded
    from aqmlab.study import Cell, Study

P = ParamSpec("P")

NO_WORSE = -0.01
WHOLE = (0.0, 2.0)


def answered(
    question: Callable[Concatenate[Study, str, P], Part],
) -> Callable[Concatenate[Study, str, P], Part]:
    """Turns what is missing into a part that cannot be judged."""

    @functools.wraps(question)
    def ask(study: Study, statement: str, /, *args: P.args, **kwargs: P.kwargs) -> Part:
        try:
            return question(study, statement, *args, **kwargs)
        except (MissingDataError, ComparisonError) as missing:
            return Part(statement, None, str(missing))

    return ask


# --------------------------------------------------------------------------------------------------- curves


@answered
def better(study: Study, statement: str, a: Cell, b: Cell, *, between_s: tuple[float, float] = WHOLE) -> Part:
    """The response times of `a` are better than those of `b`, over the whole range or part of it."""
    judgement = study.cell_comparison(a, b).within(*between_s)
    holds = None if judgement.verdict is Verdict.CANNOT_BE_JUDGED else judgement.verdict is Verdict.BETTER
    return Part(statement, holds, _evidence(judgement), judgement.largest_gain)


@answered
def equivalent(
    study: Study, statement: str, a: Cell, b: Cell, *, between_s: tuple[float, float] = WHOLE
) -> Part:
    """The response times of `a` and `b` differ by at most the margin of equivalence."""
    judgement = study.cell_comparison(a, b).within(*between_s)
    holds = None if judgement.verdict is Verdict.CANNOT_BE_JUDGED else judgement.verdict is Verdict.EQUIVALENT
    extreme = max(judgement.largest_gain, -judgement.largest_harm)
    return Part(statement, holds, _evidence(judgement), extreme)


@answered
def no_worse(
    study: Study,
    statement: str,
    a: Cell,
    b: Cell,
    *,
    between_s: tuple[float, float] = WHOLE,
    margin: float = NO_WORSE,
) -> Part:
    """Nowhere is `a` worse than `b` by more than the margin (a negative share of responses)."""
    band = band_between(study, a, b, between_s)
    if isinstance(band, NotEnoughReplications):
        return Part(statement, None, str(band))
    lowest, shown = float(band.lower.min()), float(band.upper.min())
    holds = decided(lowest >= margin, shown < margin)
    return Part(statement, holds, f"the band's lowest point is {lowest:+.3f} (allowed {margin:+.3f})", lowest)


@answered
def crossing(study: Study, statement: str, a: Cell, b: Cell, *, between_s: tuple[float, float]) -> Part:
    """The curves of `a` and `b` cross, with gain and harm both shown, between two times."""
    judgement = study.cell_comparison(a, b).within(*WHOLE)
    if judgement.verdict is Verdict.CANNOT_BE_JUDGED:
        return Part(statement, None, _evidence(judgement))
    at_s = judgement.crossing_s
    holds = at_s is not None and between_s[0] <= at_s <= between_s[1]
    return Part(statement, holds, _evidence(judgement), at_s)


def time_of_share(study: Study, cell: Cell, share: float) -> float:
    """Mean over replications of the time within which a share of the responses of a cell completed."""
    return float(np.mean([times.quantile(share) for times in study.times(*cell)]))


def decided(shown: bool, excluded: bool) -> bool | None:
    """Whether something holds: it is shown, it is excluded, or neither."""
    return True if shown else (False if excluded else None)


def band_between(
    study: Study, a: Cell, b: Cell, between_s: tuple[float, float]
) -> Band | NotEnoughReplications:
    """The simultaneous band of the paired difference, a minus b, between two times in seconds."""
    band = study.cell_comparison(a, b).band
    return band if isinstance(band, NotEnoughReplications) else band.between(*between_s)


def _evidence(judgement: Judgement) -> str:
    return f"{judgement.verdict}: {judgement.reason}"


# ------------------------------------------------------------------------------------------- single numbers


@answered
def higher(
    study: Study, statement: str, a: Cell, b: Cell, of: Callable[[Recorded], float], *, unit: str = ""
) -> Part:
    """A number of `a` exceeds that of `b`."""
    difference = study.difference(a, b, of)
    if isinstance(difference, NotEnoughReplications):
        return Part(statement, None, _plain(difference, unit), difference)
    holds = decided(difference.lies_above(0.0), difference.lies_below(0.0))
    return Part(statement, holds, f"difference {_with_interval(difference, unit)}", difference)


@answered
def at_least(
    study: Study,
    statement: str,
    a: Cell,
    b: Cell,
    of: Callable[[Recorded], float],
    *,
    slack: float,
    unit: str = "",
) -> Part:
    """A number of `a` falls short of that of `b` by no more than the slack."""
    difference = study.difference(a, b, of)
    if isinstance(difference, NotEnoughReplications):
        return Part(statement, None, _plain(difference, unit), difference)
    holds = decided(difference.lies_above(-slack), difference.lies_below(-slack))
    evidence = f"difference {_with_interval(difference, unit)}, slack {slack:g}"
    return Part(statement, holds, evidence, difference)


def within(
    statement: str,
    value: Interval | NotEnoughReplications,
    lower: float,
    upper: float,
    *,
    unit: str = "",
) -> Part:
    """A mean lies between two bounds: all of its interval, or none of it, or it cannot be judged."""
    bounds = f"expected {lower:.4g} to {upper:.4g}"
    if isinstance(value, NotEnoughReplications):
        return Part(statement, None, f"{_plain(value, unit)}; {bounds}", value)
    inside = value.lies_within(lower, upper)
    outside = value.lies_below(lower) or value.lies_above(upper)
    holds = decided(inside, outside)
    return Part(statement, holds, f"{_with_interval(value, unit)}; {bounds}", value)


def positive(statement: str, value: Interval | NotEnoughReplications, *, unit: str = "") -> Part:
    """A mean exceeds zero."""
    if isinstance(value, NotEnoughReplications):
        return Part(statement, None, _plain(value, unit), value)
    holds = decided(value.lies_above(0.0), value.lies_below(0.0))
    return Part(statement, holds, _with_interval(value, unit), value)


def attempt(statement: str, question: Callable[[], Part]) -> Part:
    """A part, or one that cannot be judged where something is missing."""
    try:
        return question()
    except (MissingDataError, ComparisonError) as missing:
        return Part(statement, None, str(missing))


def _with_interval(value: Interval, unit: str) -> str:
    text = f"{value.mean:.4g} [{value.lower:.4g}, {value.upper:.4g}]"
    return f"{text} {unit}".strip()


def _plain(value: NotEnoughReplications, unit: str) -> str:
    mean = "" if value.mean is None else f"mean {value.mean:.4g} {unit}".strip() + "; "
    return mean + str(value)
