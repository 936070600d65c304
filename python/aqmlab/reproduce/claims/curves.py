"""Statements about the response times of two cells, judged by the band of their paired difference.

The band is simultaneous over all times (`aqmlab.statistics.band`), so a statement may speak of anywhere or
somewhere. How much is little, or much, is a claim's criterion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab.reproduce.claims.answers import answered, decided
from aqmlab.reproduce.claims.outcome import Part
from aqmlab.statistics import Band, Judgement, NotEnoughReplications, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from aqmlab.reproduce.study import Cell, Study

WHOLE = (0.0, 2.0)
"""The times, in seconds, that the figures of both papers show."""


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


@answered
def little_difference(
    study: Study,
    statement: str,
    a: Cell,
    b: Cell,
    *,
    between_s: tuple[float, float] = WHOLE,
    margin: float,
) -> Part:
    """The distribution functions of `a` and `b` differ by less than the margin everywhere."""

    def judge(band: Band) -> tuple[bool | None, float]:
        inside = float(band.lower.min()) >= -margin and float(band.upper.max()) <= margin
        beyond = bool((band.lower > margin).any() or (band.upper < -margin).any())
        return decided(inside, beyond), _extreme(band)

    said = f"{statement} (less than {100 * margin:g} points)"
    return _judged(study, said, (a, b), between_s, judge)


@answered
def no_worse(
    study: Study,
    statement: str,
    a: Cell,
    b: Cell,
    *,
    between_s: tuple[float, float] = WHOLE,
    margin: float,
) -> Part:
    """Nowhere has `a` fewer complete than `b` by the margin or more."""

    def judge(band: Band) -> tuple[bool | None, float]:
        holds = decided(float(band.lower.min()) >= -margin, float(band.upper.min()) < -margin)
        return holds, float(band.mean.min())

    said = f"{statement} (by {100 * margin:g} points anywhere)"
    return _judged(study, said, (a, b), between_s, judge)


@answered
def much_better(
    study: Study,
    statement: str,
    a: Cell,
    b: Cell,
    *,
    between_s: tuple[float, float] = WHOLE,
    margin: float,
) -> Part:
    """Somewhere `a` has more complete than `b` by more than the margin."""

    def judge(band: Band) -> tuple[bool | None, float]:
        holds = decided(float(band.lower.max()) > margin, float(band.upper.max()) <= margin)
        return holds, float(band.mean.max())

    said = f"{statement} (more than {100 * margin:g} points somewhere)"
    return _judged(study, said, (a, b), between_s, judge)


@answered
def slightly_better(
    study: Study,
    statement: str,
    a: Cell,
    b: Cell,
    *,
    between_s: tuple[float, float] = WHOLE,
    margin: float,
) -> Part:
    """`a` has more complete than `b` somewhere, and nowhere by more than the margin."""

    def judge(band: Band) -> tuple[bool | None, float]:
        shown, possible = float(band.lower.max()), float(band.upper.max())
        holds = decided(shown > 0.0 and possible <= margin, shown > margin or possible <= 0.0)
        return holds, float(band.mean.max())

    said = f"{statement} (shown, and at most {100 * margin:g} points)"
    return _judged(study, said, (a, b), between_s, judge)


def _judged(
    study: Study,
    said: str,
    cells: tuple[Cell, Cell],
    between_s: tuple[float, float],
    judge: Callable[[Band], tuple[bool | None, float]],
) -> Part:
    """What a judge says of the band of one cell minus another: whether it holds, and the effect."""
    found = study.cell_comparison(*cells).band
    if isinstance(found, NotEnoughReplications):
        return Part(said, None, str(found))
    band = found.between(*between_s)
    holds, effect = judge(band)
    return Part(said, holds, _extent(band), effect)


def _evidence(judgement: Judgement) -> str:
    return f"{judgement.verdict}: {judgement.reason}"


def _extent(band: Band) -> str:
    mean, lower, upper = 100.0 * band.mean, 100.0 * band.lower, 100.0 * band.upper
    return (
        f"differences from {mean.min():+.1f} to {mean.max():+.1f} points, "
        f"band from {lower.min():+.1f} to {upper.max():+.1f}"
    )


def _extreme(band: Band) -> float:
    highest, lowest = float(band.mean.max()), float(band.mean.min())
    return highest if highest >= -lowest else lowest
