"""What the check of a claim answers.

A claim often says several things at once, so it has parts. It is *reproduced* when every part holds, *not*
when every part that could be judged fails, *cannot be judged* when no part could, and *partly* otherwise;
the reason always says how many parts are of which kind.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.statistics import Interval, NotEnoughReplications


class Verdict(StrEnum):
    """How a claim fared."""

    REPRODUCED = "reproduced"
    PARTLY = "partly"
    NOT = "not"
    CANNOT_BE_JUDGED = "cannot be judged"


class Answer(NamedTuple):
    """What a check says of a statement.

    Attributes:
        holds: Whether it holds; none if it cannot be judged.
        evidence: The effect and its interval in words, or what is missing.
        effect: The effect as a number with its interval over replications, where it is one number.
    """

    holds: bool | None
    evidence: str
    effect: Interval | NotEnoughReplications | float | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """One statement of a claim: what would have to be true, and the answer."""

    statement: str
    holds: bool | None
    evidence: str
    effect: Interval | NotEnoughReplications | float | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """A claim with its verdict.

    Attributes:
        identifier: Its number among the published claims.
        where: Where the paper says it.
        claim: What it says.
        verdict: How it fared.
        effect: The evidence of the part that matters most, in words.
        reason: Why the verdict is what it is.
        parts: All statements.
    """

    identifier: str
    where: str
    claim: str
    verdict: Verdict
    effect: str
    reason: str
    parts: tuple[Part, ...]


def decided(shown: bool, excluded: bool) -> bool | None:
    """Whether something holds: it is shown, it is excluded, or neither."""
    return True if shown else (False if excluded else None)


def combine(parts: Sequence[Part]) -> tuple[Verdict, str]:
    """The verdict on a claim from its parts, with the reason."""
    counts = Counter(part.holds for part in parts)
    held, failed, open_ = counts[True], counts[False], counts[None]
    if held + failed == 0:
        missing = "; ".join(dict.fromkeys(part.evidence for part in parts)) or "nothing to check"
        return Verdict.CANNOT_BE_JUDGED, missing
    tally = f"{held} of {len(parts)} statements hold"
    if failed:
        tally += f", {failed} {'does' if failed == 1 else 'do'} not"
    if open_:
        tally += f", {open_} cannot be judged"
    if failed == 0 and open_ == 0:
        return Verdict.REPRODUCED, tally
    return (Verdict.NOT if held == 0 else Verdict.PARTLY), tally
