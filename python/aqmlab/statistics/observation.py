"""What one run says of a number, also where it could not measure it whole: the policy for what is missing.

A run that was too bad to measure is not a run without a number. What did not arrive, ended late or never
began is never left out and never taken for a value. It has one of these, and nothing else:

- A **bound**: the page that had not ended when the run did takes at least as long as it was watched, a median
  of which half had not ended is at least the median of what each was seen to take.
- The **bad end** of the scale (`Quantity.worst`), where there was something to measure and nothing of it
  came: the delay of a call that lost every packet has no upper end, its quality is the worst that there is.
- **Nothing**, only where there was nothing to measure: no page was asked for, no video call took place. Such
  a run is counted beside the number ("in 7 of 8 runs").

An observation is therefore an interval that holds the number; most have equal ends. Means and differences
over runs are taken of both ends (`aqmlab.comparison.change`), so that a bound of one run stays one in every
mean, sentence, table and file.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

UNKNOWN = math.nan


class Bound(StrEnum):
    """What a printed number says of the true one; the value is the sign in front of it, or between two."""

    EXACT = ""
    AT_LEAST = ">"
    AT_MOST = "<"
    BETWEEN = " to "
    """Both ends are known, and differ."""


@dataclass(frozen=True, slots=True)
class Observation:
    """An interval that holds the number of a run.

    Attributes:
        lower: What the number at least is; minus infinity without such a bound, not a number if there was
            nothing to measure.
        upper: What it at most is; likewise.
    """

    lower: float
    upper: float

    def __post_init__(self) -> None:
        if self.lower > self.upper or math.isnan(self.lower) != math.isnan(self.upper):
            raise ValueError(f"an observation from {self.lower} to {self.upper} holds no number")

    @classmethod
    def exact(cls, value: float) -> Observation:
        """A number that was measured."""
        return cls(value, value)

    @classmethod
    def at_least(cls, bound: float) -> Observation:
        """A number of which only the lower end is known."""
        return cls(bound, math.inf)

    @classmethod
    def at_most(cls, bound: float) -> Observation:
        """A number of which only the upper end is known."""
        return cls(-math.inf, bound)

    @classmethod
    def nothing(cls) -> Observation:
        """There was nothing to measure."""
        return cls(UNKNOWN, UNKNOWN)

    @property
    def is_known(self) -> bool:
        """Whether there was something to measure, of which one end at least is known."""
        return math.isfinite(self.lower) or math.isfinite(self.upper)

    @property
    def is_exact(self) -> bool:
        """Whether both ends are the number."""
        return self.lower == self.upper

    @property
    def bound(self) -> Bound:
        """What `value` says of the number."""
        return bound_of(self.lower, self.upper)

    @property
    def value(self) -> float:
        """The number, or the known end, the lower before the upper; not a number if there is none."""
        return (
            self.lower if math.isfinite(self.lower) else self.upper if math.isfinite(self.upper) else UNKNOWN
        )

    @property
    def plain(self) -> float:
        """The number for who takes plain ones: infinite where it has no upper end, else the lower end."""
        return self.upper if math.isinf(self.upper) else self.lower

    def written(self, write: Callable[[float], str]) -> str:
        """In print: 3.9, >1.0, <3.9, or 1.0 to 3.9 where print tells two ends apart; a dash for none."""
        if not self.is_known:
            return "–"
        if self.bound is Bound.BETWEEN:
            return self.bound.join(dict.fromkeys((write(self.lower), write(self.upper))))
        return f"{self.bound}{write(self.value)}"


def mean_of(observations: Iterable[Observation]) -> Observation:
    """The mean of those in which there was something to measure; nothing if there are none."""
    known = [each for each in observations if not math.isnan(each.lower)]
    if not known:
        return Observation.nothing()
    return Observation(
        sum(each.lower for each in known) / len(known), sum(each.upper for each in known) / len(known)
    )


def bound_of(lower: float, upper: float) -> Bound:
    """What is printed in front of the known end of an interval."""
    if lower == upper or math.isnan(lower):
        return Bound.EXACT
    if math.isinf(upper):
        return Bound.AT_LEAST
    return Bound.AT_MOST if math.isinf(lower) else Bound.BETWEEN
