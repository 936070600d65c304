"""How clearly an interval or a band decides: by how much wider it could be with the same answer.

A statement that holds with an interval ten times as wide does not hang on the number of replications; one
whose interval may be 1.05 times as wide does. The same number says of an undecided statement how narrow its
interval would have to be. One measure serves single numbers and whole curves, whatever the rule that decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Decision = Callable[[float], bool | None]

WIDEST = 100.0
"""Upper limit of strengths: a finding that holds with an interval this many times as wide is not in doubt."""
NARROWEST = 1.0 / WIDEST
_BISECTIONS = 30


def strength_of(decision: Decision) -> float:
    """How clearly something is decided.

    Args:
        decision: The answer with the interval so many times as wide; none where it does not decide.

    Returns:
        From 1 to `WIDEST`: by how much wider the interval could be with the same answer. Below 1: how many
        times as wide it may be at most to decide at all. 0: nothing down to `NARROWEST` decides.
    """
    given = decision(1.0)
    if given is None:
        return 0.0 if decision(NARROWEST) is None else _last(decision, decision(NARROWEST), NARROWEST, 1.0)
    if decision(WIDEST) is given:
        return WIDEST
    return _last(decision, given, 1.0, WIDEST)


def _last(decision: Decision, given: bool | None, same: float, other: float) -> float:
    """The width at which the answer changes, between `same`, where it is given, and `other`."""
    for _ in range(_BISECTIONS):
        middle = float((same * other) ** 0.5)
        if decision(middle) is given:
            same = middle
        else:
            other = middle
    return same
