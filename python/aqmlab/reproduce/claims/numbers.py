"""Statements about numbers, judged by Student intervals over replications, or of paired differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.reproduce.claims.answers import answered, decided
from aqmlab.reproduce.claims.outcome import Part
from aqmlab.statistics import Interval, NotEnoughReplications

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aqmlab.reproduce.study import Cell, Study
    from aqmlab.statistics import Recorded


@answered
def higher(
    study: Study, statement: str, a: Cell, b: Cell, of: Callable[[Recorded], float], *, unit: str = ""
) -> Part:
    """A number of `a` exceeds that of `b`."""
    return above(statement, study.difference(a, b, of), unit=unit, before="difference ")


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
    return above(statement, difference, -slack, unit=unit, before="difference ", after=f", slack {slack:g}")


@answered
def no_slower(study: Study, statement: str, a: Cell, b: Cell, *, slack_s: float) -> Part:
    """The mean of min(response time, 2 s) of `a` exceeds that of `b` by no more than the slack."""
    difference = study.cell_comparison(a, b).restricted_mean_s
    said = f"{statement} (mean up to 2 s, slack {1000 * slack_s:g} ms)"
    return not_above(said, difference, slack_s, scale=1000.0, unit="ms")


@answered
def slower(study: Study, statement: str, a: Cell, b: Cell) -> Part:
    """The mean of min(response time, 2 s) of `a` exceeds that of `b`."""
    difference = study.cell_comparison(a, b).restricted_mean_s
    return above(f"{statement} (mean up to 2 s)", difference, scale=1000.0, unit="ms")


def above(
    statement: str,
    value: Interval | NotEnoughReplications,
    bound: float = 0.0,
    *,
    scale: float = 1.0,
    unit: str = "",
    before: str = "",
    after: str = "",
) -> Part:
    """A mean lies above a bound with all of its interval; `before` and `after` stand around it in print."""
    holds = None
    if isinstance(value, Interval):
        holds = decided(value.lies_above(bound), value.lies_below(bound))
    return Part(statement, holds, f"{before}{shown(value, scale, unit)}{after}", value)


def not_above(
    statement: str,
    value: Interval | NotEnoughReplications,
    bound: float,
    *,
    scale: float = 1.0,
    unit: str = "",
) -> Part:
    """A mean does not exceed a bound: all of its interval lies below it."""
    holds = None
    if isinstance(value, Interval):
        holds = decided(value.lies_below(bound), value.lies_above(bound))
    return Part(statement, holds, shown(value, scale, unit), value)


def within(
    statement: str,
    value: Interval | NotEnoughReplications,
    lower: float,
    upper: float,
    *,
    unit: str = "",
) -> Part:
    """A mean lies between two bounds: all of its interval, or none of it, or it cannot be judged."""
    holds = None
    if isinstance(value, Interval):
        outside = value.lies_below(lower) or value.lies_above(upper)
        holds = decided(value.lies_within(lower, upper), outside)
    return Part(statement, holds, f"{shown(value, unit=unit)}; expected {lower:.4g} to {upper:.4g}", value)


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


def shown(value: Interval | NotEnoughReplications, scale: float = 1.0, unit: str = "") -> str:
    """A mean with its interval and unit, or why it has none."""
    if isinstance(value, Interval):
        text = f"{value.mean * scale:.4g} [{value.lower * scale:.4g}, {value.upper * scale:.4g}]"
        return f"{text} {unit}".strip()
    mean = "" if value.mean is None else f"mean {value.mean * scale:.4g} {unit}".strip() + "; "
    return mean + str(value)
