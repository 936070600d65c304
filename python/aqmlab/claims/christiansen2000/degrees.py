"""The paper's words for how much two curves or numbers differ, as thresholds.

Fixed before any verdict was looked at, and judged by the simultaneous band of the paired difference of the
distribution functions, or by the interval of the paired difference of a number:

- *little*, *marginal*, *no significant change*: less than 3 points of the distribution function everywhere
  up to 2 s. In table 3 the shares within one second span 1.8 points at 90 % load, where the paper prefers no
  row for them, and 6.8 points at 98 %, where it sees an advantage; 3 points is also the tolerance of a share
  of table 3.
- *much*, *significantly*, *sharply*, *considerably*, *poor*: more than 5 points somewhere up to 2 s. Table 3
  at 98 % again: 5 points within one second part the limit with "some advantage" from the nearest other.
- *slightly*: a difference is shown, and it is below the 5 points of *much* everywhere.
- *as good overall*, *reasonable*: the mean of min(response time, 2 s), which is the area above the paper's
  plots, is larger by no more than 20 ms, one point of the distribution function on average.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.claims.evidence import WHOLE, answered, band_between, decided
from aqmlab.claims.outcome import Part
from aqmlab.statistics import Band, Interval, NotEnoughReplications

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aqmlab.statistics import Recorded
    from aqmlab.study import Cell, Study

LITTLE = 0.03
MUCH = 0.05
SLACK_S = 0.02


@answered
def little_difference(
    study: Study,
    statement: str,
    a: Cell,
    b: Cell,
    *,
    between_s: tuple[float, float] = WHOLE,
    margin: float = LITTLE,
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
    margin: float = LITTLE,
) -> Part:
    """Nowhere has `a` fewer complete than `b` by the margin or more."""

    def judge(band: Band) -> tuple[bool | None, float]:
        holds = decided(float(band.lower.min()) >= -margin, float(band.upper.min()) < -margin)
        return holds, float(band.mean.min())

    said = f"{statement} (by {100 * margin:g} points anywhere)"
    return _judged(study, said, (a, b), between_s, judge)


@answered
def much_better(
    study: Study, statement: str, a: Cell, b: Cell, *, between_s: tuple[float, float] = WHOLE
) -> Part:
    """Somewhere `a` has more complete than `b` by more than 5 points."""

    def judge(band: Band) -> tuple[bool | None, float]:
        holds = decided(float(band.lower.max()) > MUCH, float(band.upper.max()) <= MUCH)
        return holds, float(band.mean.max())

    said = f"{statement} (more than {100 * MUCH:g} points somewhere)"
    return _judged(study, said, (a, b), between_s, judge)


@answered
def slightly_better(
    study: Study, statement: str, a: Cell, b: Cell, *, between_s: tuple[float, float] = WHOLE
) -> Part:
    """`a` has more complete than `b` somewhere, and nowhere by more than 5 points."""

    def judge(band: Band) -> tuple[bool | None, float]:
        shown, possible = float(band.lower.max()), float(band.upper.max())
        holds = decided(shown > 0.0 and possible <= MUCH, shown > MUCH or possible <= 0.0)
        return holds, float(band.mean.max())

    said = f"{statement} (shown, and at most {100 * MUCH:g} points)"
    return _judged(study, said, (a, b), between_s, judge)


def _judged(
    study: Study,
    said: str,
    cells: tuple[Cell, Cell],
    between_s: tuple[float, float],
    judge: Callable[[Band], tuple[bool | None, float]],
) -> Part:
    """What a judge says of the band of one cell minus another: whether it holds, and the effect."""
    band = band_between(study, *cells, between_s)
    if isinstance(band, NotEnoughReplications):
        return Part(said, None, str(band))
    holds, effect = judge(band)
    return Part(said, holds, _extent(band), effect)


# ------------------------------------------------------------------------------------------- single numbers


@answered
def no_slower(study: Study, statement: str, a: Cell, b: Cell, *, slack_s: float = SLACK_S) -> Part:
    """The mean of min(response time, 2 s) of `a` exceeds that of `b` by no more than the slack."""
    difference = study.cell_comparison(a, b).restricted_mean_s
    said = f"{statement} (mean up to 2 s, slack {1000 * slack_s:g} ms)"
    return not_above(said, difference, slack_s, scale=1000.0, unit="ms")


@answered
def slower(study: Study, statement: str, a: Cell, b: Cell) -> Part:
    """The mean of min(response time, 2 s) of `a` exceeds that of `b`."""
    difference = study.cell_comparison(a, b).restricted_mean_s
    return above(f"{statement} (mean up to 2 s)", difference, 0.0, scale=1000.0, unit="ms")


def above(
    statement: str,
    value: Interval | NotEnoughReplications,
    bound: float,
    *,
    scale: float = 1.0,
    unit: str = "",
) -> Part:
    """A mean lies above a bound with all of its interval."""
    if isinstance(value, NotEnoughReplications):
        return Part(statement, None, str(value), value)
    holds = decided(value.lies_above(bound), value.lies_below(bound))
    return Part(statement, holds, shown(value, scale, unit), value)


def not_above(
    statement: str,
    value: Interval | NotEnoughReplications,
    bound: float,
    *,
    scale: float = 1.0,
    unit: str = "",
) -> Part:
    """A mean does not exceed a bound: all of its interval lies below it."""
    if isinstance(value, NotEnoughReplications):
        return Part(statement, None, str(value), value)
    holds = decided(value.lies_below(bound), value.lies_above(bound))
    return Part(statement, holds, shown(value, scale, unit), value)


@answered
def best_of(
    study: Study,
    statement: str,
    cell: Cell,
    rivals: Sequence[str],
    of: Callable[[Recorded], float],
    *,
    highest: bool,
    slack: float,
    unit: str,
) -> Part:
    """No rival at the same load is better than `cell` in a number, by more than the slack."""
    behind = {
        rival: study.difference((rival, cell[1]), cell, of)
        if highest
        else study.difference(cell, (rival, cell[1]), of)
        for rival in rivals
        if rival != cell[0]
    }
    known = {rival: value for rival, value in behind.items() if isinstance(value, Interval)}
    said = f"{statement} (slack {slack:g} {unit})"
    if len(known) < len(behind) or not known:
        return Part(said, None, "; ".join(str(value) for value in behind.values()) or "no rival was run")
    worst = max(known, key=lambda rival: known[rival].mean)
    beaten = [rival for rival, value in known.items() if value.lies_above(slack)]
    unbeaten = all(value.lies_below(slack) for value in known.values())
    holds = False if beaten else (True if unbeaten else None)
    label = study.configuration(worst).label
    behind_by = shown(known[worst], 1.0, unit)
    evidence = f"behind {label}, the best or nearest of {len(known)} others, by {behind_by}"
    return Part(said, holds, evidence, known[worst])


def shown(value: Interval, scale: float = 1.0, unit: str = "") -> str:
    """A mean with its interval and unit."""
    text = f"{value.mean * scale:.4g} [{value.lower * scale:.4g}, {value.upper * scale:.4g}]"
    return f"{text} {unit}".strip()


def _extent(band: Band) -> str:
    mean, lower, upper = 100.0 * band.mean, 100.0 * band.lower, 100.0 * band.upper
    return (
        f"differences from {mean.min():+.1f} to {mean.max():+.1f} points, "
        f"band from {lower.min():+.1f} to {upper.max():+.1f}"
    )


def _extreme(band: Band) -> float:
    highest, lowest = float(band.mean.max()), float(band.mean.min())
    return highest if highest >= -lowest else lowest
