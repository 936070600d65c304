"""A quantity of one configuration, and what it changes against the baseline, over the replications.

A replication may lack a quantity (no page began), or have only a bound of it: half of the pages had not ended
when the run did, so that their median is longer than the run could see. Neither takes the quantity away from
the other replications: those that lack it are left out, in pairs, and counted; bounds make a difference
one-sided ("later by at least 12 s").
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.statistics import Interval, NotEnoughReplications, mean_interval, student
from aqmlab.statistics.stopping import two_stage_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from aqmlab.statistics.distribution import FloatArray
    from aqmlab.statistics.quantities import Quantity

    Estimate = Interval | NotEnoughReplications

POWER = 0.8
"""The probability with which a difference that could have been seen is seen."""


@dataclass(frozen=True, eq=False)
class Values:
    """A quantity in each replication, in the order of the seeds.

    Attributes:
        values: The numbers; NaN if the replication lacks the quantity, infinite if only a bound is known.
        bounds: The lower bounds of infinite values; the values themselves elsewhere.
    """

    values: FloatArray
    bounds: FloatArray

    @classmethod
    def of(cls, values: Sequence[float]) -> Values:
        """Values without bounds."""
        numbers = np.array(values, dtype=np.float64)
        return cls(numbers, numbers)

    @property
    def known(self) -> NDArray[np.bool_]:
        """For each replication, whether it has the quantity or a bound of it."""
        return np.asarray(~np.isnan(self.values) & np.isfinite(self.bounds))

    @property
    def beyond(self) -> NDArray[np.bool_]:
        """For each replication, whether only a bound is known."""
        return np.asarray(np.isinf(self.values) & self.known)


@dataclass(frozen=True)
class Level:
    """The mean of a quantity over the replications that have it.

    Attributes:
        estimate: The mean with its interval; only the mean with too few replications or with bounds.
        have: Number of replications with the quantity or a bound of it.
        beyond: Number of these with only a bound; if above zero, the mean is a lower bound.
    """

    estimate: Estimate
    have: int
    beyond: int

    @property
    def mean(self) -> float | None:
        """The mean, or a lower bound of it if `beyond` is not 0; none if no replication has the quantity."""
        return self.estimate.mean

    @classmethod
    def of(cls, values: Values, *, confidence: float, first_stage: int = 0) -> Level:
        """The level over replications; `first_stage` as in `Comparison`."""
        known = values.bounds[values.known]
        beyond = int(values.beyond.sum())
        if known.size == 0:
            return cls(NotEnoughReplications(have=0), 0, 0)
        if beyond:
            unsure = NotEnoughReplications(have=known.size - beyond, mean=float(known.mean()))
            return cls(unsure, known.size, beyond)
        return cls(_interval(known, confidence, first_stage, whole=bool(values.known.all())), known.size, 0)


@dataclass(frozen=True)
class Change:
    """The effect of a configuration on one quantity: its level minus the baseline's.

    Attributes:
        quantity: The quantity.
        before: The level of the baseline.
        after: The level of the configuration.
        difference: The mean difference over the pairs with its interval. The upper end is infinite if the
            configuration's values are bounds, the lower end if the baseline's are. There is no interval with
            too few pairs, or with bounds on both sides.
        pairs: Number of seeds with the quantity, or a bound of it, on both sides.
        visible: The smallest true difference that this number of pairs shows with probability 0.8; none
            without a two-sided interval.
    """

    quantity: Quantity
    before: Level
    after: Level
    difference: Estimate
    pairs: int
    visible: float | None = None

    @classmethod
    def of(
        cls, quantity: Quantity, before: Values, after: Values, *, confidence: float, first_stage: int = 0
    ) -> Change:
        """The change from the values of the baseline to those of a configuration, paired by seed."""
        old, new = (Level.of(each, confidence=0.95, first_stage=first_stage) for each in (before, after))
        estimate = estimated(before, after, confidence=confidence, first_stage=first_stage)
        pairs = int((before.known & after.known).sum())
        return cls(quantity, old, new, estimate, pairs, visible_difference(estimate))

    @property
    def is_one_sided(self) -> bool:
        """Whether only one end of the interval is known."""
        estimate = self.difference
        return isinstance(estimate, Interval) and math.isinf(estimate.upper - estimate.lower)

    @property
    def direction(self) -> int:
        """1 if the quantity is larger than with the baseline, -1 if smaller, 0 if undecided."""
        if not isinstance(self.difference, Interval):
            return 0
        return int(self.difference.lies_above(0.0)) - int(self.difference.lies_below(0.0))


def estimated(before: Values, after: Values, *, confidence: float, first_stage: int = 0) -> Estimate:
    """The mean of `after` less `before` over the pairs that have both, with its interval.

    One end of it is infinite where values of one side are bounds; there is none where those of both are.
    """
    both = before.known & after.known
    longer, shorter = bool(after.beyond[both].any()), bool(before.beyond[both].any())
    pairs = int(both.sum())
    if pairs == 0 or (longer and shorter):
        return NotEnoughReplications(have=0)
    estimate = _interval(
        _pairwise(before.bounds, after.bounds)[both], confidence, first_stage, whole=bool(both.all())
    )
    if not (longer or shorter):
        return estimate
    if not isinstance(estimate, Interval):
        return NotEnoughReplications(have=pairs)
    lower, upper = (estimate.lower, math.inf) if longer else (-math.inf, estimate.upper)
    return Interval(estimate.mean, lower, upper, pairs, confidence)


def paired_difference(before: Values, after: Values) -> Estimate:
    """The mean of `after` minus `before` over the pairs, with its 95 % interval; none if a pair lacks one.

    If a pair lacks a value or has only a bound, there is no mean: a mean over the other pairs would be
    biased. `Change` leaves incomplete pairs out and counts them; claims, searches and cross-validations do
    not.
    """
    return mean_interval(_pairwise(before.values, after.values))


def exceeds(before: Values, after: Values, *, significance: float) -> bool:
    """Whether the mean of `after` less `before` lies above zero in a one-sided test of this level.

    Unlike an interval it is for two pairs or more: a search asks it early, and of candidates that it may
    stop, not of results.
    """
    differences = _pairwise(before.values, after.values)
    error = float(differences.std(ddof=1)) / math.sqrt(differences.size)
    return float(differences.mean()) > student.quantile(differences.size - 1, 1.0 - significance) * error


def _pairwise(before: FloatArray, after: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore"):  # two infinities have no difference
        return np.asarray(after - before)


def leaves_out_zero(estimate: Estimate) -> bool | None:
    """Whether the interval excludes zero; none without an interval."""
    if not isinstance(estimate, Interval):
        return None
    return estimate.lies_above(0.0) or estimate.lies_below(0.0)


def visible_difference(estimate: Estimate) -> float | None:
    """The smallest true difference that this many pairs show with probability 0.8; none of a one-sided one.

    Half width and what a test of this level needs beside it to be 80 % sure (Student's quantiles).
    """
    if not isinstance(estimate, Interval) or math.isinf(estimate.half_width):
        return None
    degrees = estimate.replications - 1
    half = student.two_sided_quantile(degrees, estimate.confidence)
    return estimate.half_width * (1.0 + student.quantile(degrees, POWER) / half)


def _interval(values: FloatArray, confidence: float, first_stage: int, *, whole: bool) -> Estimate:
    if first_stage and whole:
        return two_stage_interval(values, first_stage, confidence=confidence)
    return mean_interval(values, confidence=confidence)
