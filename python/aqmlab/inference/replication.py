"""Means and intervals over replications.

One run gives one number. Numbers of different seeds are independent, so a Student interval over them is
honest however dependent the exchanges inside a run are. Fewer than six replications give no interval: the
smallest two-sided level that sign changes of n paired differences can reach is 2 / 2**n, which first drops
below 0.05 at n = 6, and with fewer degrees of freedom an interval says more about luck than about queues.

Adding replications until the usual interval is narrow stops when the scatter happens to look small, and
covers too rarely. Stein's two stages (1945, Annals of Mathematical Statistics 16, 243-258) do not: the first
replications alone say how large the scatter is and so how many there shall be; the interval is that of the
mean of all with the scatter of the first, whose Student quantile it keeps. For Gaussian figures the mean of
all is independent of the scatter of the first, so that it covers exactly as often as it says, whatever rule
took the number from that scatter: also where the widest of several intervals decides. Where some replication
has no number, the mean is of those that have one, with the scatter of those of the first that do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.inference import student

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.statistics.distribution import FloatArray


MINIMUM_REPLICATIONS = 6


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean over replications with its Student interval."""

    mean: float
    lower: float
    upper: float
    replications: int
    confidence: float = 0.95

    def __str__(self) -> str:
        return f"{self.mean:.4g} [{self.lower:.4g}, {self.upper:.4g}]"

    @property
    def half_width(self) -> float:
        """Half the interval's length, in the unit of the mean."""
        return (self.upper - self.lower) / 2.0

    def widened(self, factor: float) -> Interval:
        """The same mean with an interval wider by a factor."""
        lower = self.mean - factor * (self.mean - self.lower)
        upper = self.mean + factor * (self.upper - self.mean)
        return Interval(self.mean, lower, upper, self.replications, self.confidence)

    def lies_above(self, bound: float) -> bool:
        """Whether the whole interval exceeds `bound`."""
        return self.lower > bound

    def lies_below(self, bound: float) -> bool:
        """Whether the whole interval falls short of `bound`."""
        return self.upper < bound

    def lies_within(self, lower: float, upper: float) -> bool:
        """Whether the whole interval lies between the bounds."""
        return lower <= self.lower and self.upper <= upper

    def scaled(self, factor: float) -> Interval:
        """The same in another unit: every number times the factor."""
        return replace(self, mean=self.mean * factor, lower=self.lower * factor, upper=self.upper * factor)

    def exponential(self) -> Interval:
        """From logarithms to the numbers themselves: the mean becomes the geometric one."""
        mean, lower, upper = map(math.exp, (self.mean, self.lower, self.upper))
        return Interval(mean, lower, upper, self.replications, self.confidence)

    def to_dict(self) -> dict[str, float | int]:
        """Plain data."""
        return {
            "mean": self.mean,
            "lower": self.lower,
            "upper": self.upper,
            "replications": self.replications,
            "confidence": self.confidence,
        }


@dataclass(frozen=True, slots=True)
class NotEnoughReplications:
    """Too few replications for an interval or a band.

    Attributes:
        have: Replications with a value.
        need: How many an interval needs.
        mean: The mean, where there is one.
        without: Replications without a value, such as a quantile that too few exchanges reached; there is no
            mean then.
        identical: Whether all replications are the same run, as nothing in it is random.
    """

    have: int
    need: int = MINIMUM_REPLICATIONS
    mean: float | None = None
    without: int = 0
    identical: bool = False

    def scaled(self, factor: float) -> NotEnoughReplications:
        """The same in another unit: every number times the factor."""
        return self if self.mean is None else replace(self, mean=self.mean * factor)

    def exponential(self) -> NotEnoughReplications:
        """From the logarithm to the number itself."""
        return self if self.mean is None else replace(self, mean=math.exp(self.mean))

    def __str__(self) -> str:
        if self.identical:
            return f"nothing is random: {self.have} replications are one run, which says it all"
        if self.without:
            return f"no value in {self.without} of {self.have + self.without} replications"
        return f"not enough replications ({self.have}; an interval needs {self.need})"

    def to_dict(self) -> dict[str, float | int | None]:
        """Plain data."""
        lacking = {"without_value": self.without} if self.without else {}
        return {"mean": self.mean, "replications": self.have, "needed": self.need, **lacking}


def lacking_values(sample: np.ndarray[tuple[int], np.dtype[np.float64]]) -> NotEnoughReplications | None:
    """What there is to say where some replication has no value."""
    have = int(np.isfinite(sample).sum())
    return None if have == sample.size else NotEnoughReplications(have=have, without=int(sample.size) - have)


def mean_interval(
    values: Sequence[float] | np.ndarray[tuple[int], np.dtype[np.float64]], *, confidence: float = 0.95
) -> Interval | NotEnoughReplications:
    """Mean of one value per replication with its Student interval.

    For a paired comparison give the differences, replication by replication. A value that is infinite or not
    a number is none.
    """
    sample = np.asarray(values, dtype=np.float64)
    if sample.size == 0:
        raise ValueError("an interval needs at least one value")
    if lacking := lacking_values(sample):
        return lacking
    mean = float(sample.mean())
    if sample.size < MINIMUM_REPLICATIONS:
        return NotEnoughReplications(have=int(sample.size), mean=mean)
    standard_error = float(sample.std(ddof=1)) / np.sqrt(sample.size)
    half = student.two_sided_quantile(sample.size - 1, confidence) * standard_error
    return Interval(mean, mean - half, mean + half, int(sample.size), confidence)


@dataclass(frozen=True, slots=True)
class RunToRun:
    """How single runs scatter: what one further run of the same kind would show."""

    mean: float  # of the replications
    # of one run, estimated from the replications (divided by their number less one)
    standard_deviation: float
    minimum: float  # the least of them
    maximum: float  # the greatest of them
    # the interval in which one further run lies, `mean ± t s sqrt(1 + 1/n)` with Student's t
    next_run: Interval | NotEnoughReplications
    replications: int  # their number, n

    def p_value(self, single_run: float) -> float | None:
        """How often one further run would lie at least as far from the mean; none with too few replications.

        Assumes that runs are independent and about normal.
        """
        if isinstance(self.next_run, NotEnoughReplications):
            return None
        if self.minimum == self.maximum:
            return 1.0 if single_run == self.minimum else 0.0
        errors = abs(single_run - self.mean) / (
            self.standard_deviation * math.sqrt(1.0 + 1.0 / self.replications)
        )
        return 2.0 * student.distribution(self.replications - 1, float(-errors))


def run_to_run(values: Sequence[float], *, confidence: float = 0.95) -> RunToRun:
    """The scatter of one value per replication, with the prediction interval of one further run.

    Where a replication has no value, mean and deviation are not a number and there is no interval.
    """
    sample = np.asarray(values, dtype=np.float64)
    if sample.size == 0:
        raise ValueError("a spread needs at least one value")
    if lacking := lacking_values(sample):
        none = float("nan")
        return RunToRun(none, none, float(sample.min()), float(sample.max()), lacking, int(sample.size))
    size, mean = int(sample.size), float(sample.mean())
    deviation = float(sample.std(ddof=1)) if size > 1 else 0.0
    next_run: Interval | NotEnoughReplications = NotEnoughReplications(have=size, mean=mean)
    if size >= MINIMUM_REPLICATIONS:
        half = student.two_sided_quantile(size - 1, confidence) * deviation * math.sqrt(1.0 + 1.0 / size)
        next_run = Interval(mean, mean - half, mean + half, size, confidence)
    return RunToRun(mean, deviation, float(sample.min()), float(sample.max()), next_run, size)


def replications_for(first: FloatArray, width: float, *, confidence: float = 0.95) -> int:
    """Replications in all that make the interval of a mean no wider than `width`, from the first ones.

    Args:
        first: A value of each of the first replications: six at least.
        width: From the lower bound to the upper one, above 0, in the unit of the values.
        confidence: Of the interval.
    """
    if first.size < MINIMUM_REPLICATIONS or width <= 0.0:
        raise ValueError(f"{first.size} replications and a width of {width}: six at least, and above 0")
    half = student.two_sided_quantile(first.size - 1, confidence) * float(first.std(ddof=1))
    return max(int(first.size), math.ceil((2.0 * half / width) ** 2))


def two_stage_interval(
    values: FloatArray, first: int, *, confidence: float = 0.95
) -> Interval | NotEnoughReplications:
    """The interval of the mean of all values, if the first ones decided the number of values."""
    if first < MINIMUM_REPLICATIONS:
        return NotEnoughReplications(have=first, mean=float(values.mean()))
    if lacking := lacking_values(values):
        return lacking
    scatter = float(values[:first].std(ddof=1)) / np.sqrt(values.size)
    mean, half = float(values.mean()), student.two_sided_quantile(first - 1, confidence) * scatter
    return Interval(mean, mean - half, mean + half, int(values.size), confidence)
