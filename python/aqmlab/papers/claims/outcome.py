"""The outcome of checking a claim.

A claim often says several things at once, so it has parts. Of each part four things can be found: it *holds*,
it *differs* (the runs exclude it), the *scale cannot judge* it (the runs were made, but are too few or too
short to decide), or what it asks for was *not run*. A claim is *reproduced* when every part holds, *not* when
none holds and some differ, *partly* when some hold and some differ, and *holds as far as judged* when some
hold and none differs. The reason says how many parts are of which kind, strengths how clearly it was decided.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

from aqmlab.inference import Band, Interval
from aqmlab.inference.strength import strength_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from aqmlab.inference import NotEnoughReplications

Spread = TypeVar("Spread", Interval, Band)


class Verdict(StrEnum):
    """How a claim fared."""

    REPRODUCED = "reproduced"
    AS_FAR_AS_JUDGED = "holds as far as judged"
    PARTLY = "partly"
    NOT = "not"
    SCALE_CANNOT_JUDGE = "scale cannot judge"
    NOT_RUN = "not run"


class Finding(StrEnum):
    """How a statement fared."""

    HOLDS = "holds"
    DIFFERS = "differs"
    SCALE_CANNOT_JUDGE = "scale cannot judge"
    NOT_RUN = "not run"


class Answer(NamedTuple):
    """The finding of a check on a statement.

    Attributes:
        holds: Whether it holds; none if the runs do not decide.
        evidence: The effect and its interval in words, or what is missing.
        effect: The effect as a number with its interval over replications, where it is one number.
        strength: By how much wider the interval could be with the same answer (`aqmlab.inference.strength`);
            none where no interval decides.
        in_sample: What of the models was fitted to the published numbers that decide here; empty: nothing.
    """

    holds: bool | None
    evidence: str
    effect: Interval | NotEnoughReplications | float | None = None
    strength: float | None = None
    in_sample: str = ""

    @property
    def bounds(self) -> tuple[float | None, float | None, float | None]:
        """The effect and the ends of its interval; none where there is none."""
        if isinstance(self.effect, Interval):
            return self.effect.mean, self.effect.lower, self.effect.upper
        effect = self.effect if isinstance(self.effect, float) else getattr(self.effect, "mean", None)
        return effect, None, None


Question: TypeAlias = "Callable[[], Answer | Iterable[tuple[str, Question]]]"
"""A check with its arguments: judges a statement, or splits it into others with their checks."""


@dataclass(frozen=True, slots=True)
class Part:
    """One statement of a claim: what would have to be true, and what was found.

    Attributes:
        statement: In words.
        finding: How it fared.
        answer: What its check says, or what is missing.
        number: The place of its statement in the claim's file, from 1 on.
    """

    statement: str
    finding: Finding
    answer: Answer
    number: int = 1

    @classmethod
    def of(cls, statement: str, answer: Answer, number: int = 1) -> Part:
        """The statement with the answer of runs that were made."""
        found = {True: Finding.HOLDS, False: Finding.DIFFERS, None: Finding.SCALE_CANNOT_JUDGE}
        return cls(statement, found[answer.holds], answer, number)

    @property
    def holds(self) -> bool | None:
        """Whether it holds; none if the runs do not decide, or were not made."""
        return self.answer.holds

    @property
    def evidence(self) -> str:
        """The effect in words, or what is missing."""
        return self.answer.evidence

    @property
    def judged(self) -> bool:
        """Whether the runs decide it."""
        return self.finding in (Finding.HOLDS, Finding.DIFFERS)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A claim with its verdict.

    Attributes:
        identifier: Its number among the published claims.
        where: The place in the paper.
        claim: The claim in words.
        verdict: How it fared.
        reason: Why the verdict is what it is.
        parts: All statements.
    """

    identifier: str
    where: str
    claim: str
    verdict: Verdict
    reason: str
    parts: tuple[Part, ...]

    def count(self, finding: Finding) -> int:
        """How many statements fared so."""
        return sum(1 for part in self.parts if part.finding is finding)

    @property
    def judged(self) -> int:
        """How many statements the runs decide."""
        return sum(1 for part in self.parts if part.judged)

    @property
    def share(self) -> float | None:
        """Of the statements that were judged, the share that holds; none where none was."""
        return self.count(Finding.HOLDS) / self.judged if self.judged else None

    @property
    def fraction(self) -> str:
        """The same in print, such as `7/9`; empty where none was judged."""
        return f"{self.count(Finding.HOLDS)}/{self.judged}" if self.judged else ""

    @property
    def weakest(self) -> float | None:
        """The least strength among the statements that were judged by an interval."""
        return min((_strength(part) for part in self.parts if _is_weighed(part)), default=None)

    @property
    def clearest(self) -> Part | None:
        """The statement that was decided most clearly; of those that differ, if any does."""
        differing = [part for part in self.parts if part.finding is Finding.DIFFERS]
        return max(differing or [part for part in self.parts if part.judged], key=_strength, default=None)

    @property
    def effect(self) -> str:
        """That statement with its evidence; empty where none was judged."""
        found = self.clearest
        return f"{found.finding}: {found.statement} ({found.evidence})" if found else ""


def _strength(part: Part) -> float:
    return part.answer.strength or 0.0


def _is_weighed(part: Part) -> bool:
    return part.judged and part.answer.strength is not None


def decided(shown: bool, excluded: bool) -> bool | None:
    """Whether something holds: it is shown, it is excluded, or neither."""
    return True if shown else (False if excluded else None)


def weighed(
    spread: Spread,
    decision: Callable[[Spread], bool | None],
    evidence: str,
    effect: Interval | float | None = None,
) -> Answer:
    """The answer that an interval or a band decides, and how clearly it does."""
    strength = strength_of(lambda width: decision(spread.widened(width)))
    return Answer(decision(spread), evidence, effect, strength)


# Of forty statements that were not judged the first say why; the others are among the statements themselves.
_SHOWN = 2


def _first_of(evidence: Sequence[str]) -> str:
    more = len(evidence) - _SHOWN
    return "; ".join([*evidence[:_SHOWN], *([f"and {more} more"] if more > 0 else [])]) or "nothing to check"


def combine(parts: Sequence[Part]) -> tuple[Verdict, str]:
    """The verdict on a claim from its parts, with the reason."""
    counts = Counter(part.finding for part in parts)
    held, differing = counts[Finding.HOLDS], counts[Finding.DIFFERS]
    unjudged, missing = counts[Finding.SCALE_CANNOT_JUDGE], counts[Finding.NOT_RUN]
    if held + differing == 0:
        verdict = Verdict.SCALE_CANNOT_JUDGE if unjudged else Verdict.NOT_RUN
        kind = Finding.SCALE_CANNOT_JUDGE if unjudged else Finding.NOT_RUN
        return verdict, _first_of(
            list(dict.fromkeys(part.evidence for part in parts if part.finding is kind))
        )
    tally = f"{held} of {len(parts)} statements hold"
    if differing:
        tally += f", {differing} {'differs' if differing == 1 else 'differ'}"
    if unjudged:
        tally += f", the scale cannot judge {unjudged}"
    if missing:
        tally += f", {missing} {'was' if missing == 1 else 'were'} not run"
    if differing:
        return (Verdict.PARTLY if held else Verdict.NOT), tally
    return (Verdict.AS_FAR_AS_JUDGED if unjudged or missing else Verdict.REPRODUCED), tally
