"""A quantity of one configuration, and what it changes against the baseline, over the replications.

Each replication says what it can of a quantity (`aqmlab.statistics.observation`): a number, a bound, or
nothing because there was nothing to measure. Bounds stay bounds: a mean over numbers and lower bounds is a
lower bound, and a difference is one-sided ("later by at least 12 s"). Left out, in pairs, and counted are
only replications in which there was nothing to measure on either side, and those with bounds on both that
leave the difference without any end.

Times are skewed, and Student's interval of a few of them covers too rarely. Their means and differences are
taken of logarithms (`Quantity.on_logarithms`): a level is the geometric mean, the tested statement of a
difference the ratio, which is told in seconds at the level of the baseline.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.inference import MINIMUM_REPLICATIONS, Interval, NotEnoughReplications, mean_interval, student
from aqmlab.inference.replication import two_stage_interval
from aqmlab.statistics.observation import Bound, Observation, bound_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from aqmlab.statistics.distribution import FloatArray
    from aqmlab.statistics.quantities import Quantity

    Estimate = Interval | NotEnoughReplications

_LEAST = 1e-9
"""What a number of zero counts as where logarithms are taken."""
_OF_LEVELS = 0.95
"""The confidence of the interval of a level, whatever that of a difference."""
POWER = 0.8
"""The probability with which a difference that could have been seen is seen."""


@dataclass(frozen=True, eq=False)
class Values:
    """A quantity in each replication, in the order of the seeds: an interval that holds it.

    Attributes:
        lower: The least; not a number if there was nothing to measure, minus infinity if unbounded.
        upper: The most, likewise; equal to `lower` where the number is known.
    """

    lower: FloatArray
    upper: FloatArray

    @classmethod
    def of(cls, values: Sequence[float]) -> Values:
        """Numbers without bounds; not a number where there is none."""
        numbers = np.array(values, dtype=np.float64)
        return cls(numbers, numbers)

    @classmethod
    def observed(cls, observations: Iterable[Observation]) -> Values:
        """What the replications say."""
        each = list(observations)
        lower, upper = (np.array([getattr(one, end) for one in each]) for end in ("lower", "upper"))
        return cls(lower, upper)

    @property
    def each(self) -> list[Observation]:
        """What each replication says."""
        return [
            Observation(float(low), float(high)) for low, high in zip(self.lower, self.upper, strict=True)
        ]

    @property
    def values(self) -> FloatArray:
        """The numbers: infinite where only a lower bound is known, minus infinite with only an upper.

        Not a number between two bounds, as where there is none.
        """
        between = np.isfinite(self.lower) & np.isfinite(self.upper) & (self.lower != self.upper)
        plain = np.where(np.isfinite(self.lower), self.upper, self.lower)
        return np.where(between, np.nan, plain)

    @property
    def bounds(self) -> FloatArray:
        """The numbers, or the known end; of both the lower."""
        return np.where(np.isfinite(self.lower), self.lower, self.upper)

    def logarithms(self) -> Values:
        """The natural logarithms of numbers that cannot be negative, and of their bounds."""
        lower, upper = (
            np.where(np.isneginf(each), -np.inf, np.log(np.maximum(each, _LEAST)))
            for each in (self.lower, self.upper)
        )
        return Values(np.asarray(lower), np.asarray(upper))

    def only(self, kept: NDArray[np.bool_]) -> Values:
        """Without those of other replications, which then have none."""
        return Values(*(np.where(kept, each, np.nan) for each in (self.lower, self.upper)))

    @property
    def known(self) -> NDArray[np.bool_]:
        """For each replication, whether it has the quantity or a bound of it."""
        return np.asarray(np.isfinite(self.bounds))

    @property
    def beyond(self) -> NDArray[np.bool_]:
        """For each replication, whether only a bound is known."""
        return np.asarray(self.known & (self.lower != self.upper))


@dataclass(frozen=True)
class Inference:
    """How intervals over replications are taken."""

    confidence: float  # of each interval
    first_stage: int = 0  # as in `Comparison`
    on_logarithms: bool = False  # as of the quantity
    # whether all replications are one run, as nothing in it is random: there are no intervals
    identical: bool = False


@dataclass(frozen=True)
class Level:
    """The mean of a quantity over the replications that have it; of times the geometric mean.

    Attributes:
        estimate: The mean, with its interval unless there are too few replications or bounds.
        have: Number of replications with the quantity or a bound of it.
        beyond: Number of these with only a bound.
        bound: What the mean says of the true one: a bound where those of replications are.
        between: Its two ends where it is known between them; the interval reaches around both.
    """

    estimate: Estimate
    have: int
    beyond: int
    bound: Bound = Bound.EXACT
    between: Observation | None = None

    @property
    def mean(self) -> float | None:
        """The mean, or its bound; of two the lower; none if there is neither."""
        return self.estimate.mean if self.between is None else self.between.lower

    @property
    def observed(self) -> Observation:
        """What is known of the mean."""
        if self.between is not None:
            return self.between
        if self.mean is None:
            return Observation.nothing()
        of = {Bound.AT_LEAST: Observation.at_least, Bound.AT_MOST: Observation.at_most}
        return of.get(self.bound, Observation.exact)(self.mean)

    @classmethod
    def of(cls, values: Values, how: Inference) -> Level:
        """The level over replications."""
        if how.on_logarithms:
            level = cls.of(values.logarithms(), replace(how, on_logarithms=False))
            ends = level.between and Observation(*map(math.exp, (level.between.lower, level.between.upper)))
            return replace(level, estimate=level.estimate.exponential(), between=ends)
        known = values.known
        have, beyond = int(known.sum()), int(values.beyond.sum())
        if not have:
            return cls(NotEnoughReplications(have=0), 0, 0)
        if not beyond:
            return cls(_interval(values.lower, known, how), have, 0)
        lower, upper = (float(each[known].mean()) for each in (values.lower, values.upper))
        bound = bound_of(lower, upper)
        if bound is Bound.BETWEEN:
            estimate = between(values.lower, values.upper, known, how)
            return cls(estimate, have, beyond, bound, Observation(lower, upper))
        end = upper if bound is Bound.AT_MOST else lower
        # Lower bounds of some replications and upper bounds of others: the mean has neither.
        mean = end if math.isfinite(end) else None
        return cls(NotEnoughReplications(have=have - beyond, mean=mean), have, beyond, bound)


@dataclass(frozen=True)
class Change:
    """The effect of a configuration on one quantity: its level minus the baseline's.

    Attributes:
        quantity: The quantity.
        before: The level of the baseline, over the pairs.
        after: The level of the configuration, over the same pairs.
        difference: The mean difference over the pairs with its interval; none with too few pairs, or with
            bounds on both sides. The upper end is infinite if the configuration's values are bounds, the
            lower end if the baseline's are. Of a quantity on logarithms it is `ratio` less one, times the
            baseline's level.
        pairs: Seeds with the quantity, or a bound of it, on both sides, without `silent`.
        visible: The smallest true increase that these pairs show with probability 0.8; none without a
            two-sided interval.
        visible_decrease: Likewise the smallest decrease, above zero; on logarithms less than the increase.
        ratio: On logarithms the geometric mean of the pairs' ratios, with its interval.
        silent: Further seeds, with bounds on both sides that say nothing of the difference; left out, of the
            levels too.
    """

    quantity: Quantity
    before: Level
    after: Level
    difference: Estimate
    pairs: int
    visible: float | None = None
    ratio: Estimate | None = None
    silent: int = 0
    visible_decrease: float | None = None

    @classmethod
    def of(cls, quantity: Quantity, before: Values, after: Values, how: Inference) -> Change:
        """The change from the values of the baseline to those of a configuration, paired by seed."""
        both = before.known & after.known
        telling = both & _tells(before, after)
        if telling.sum() < MINIMUM_REPLICATIONS:
            telling = both  # without an interval the bounds of all say more
        before, after = before.only(telling), after.only(telling)
        change = cls._of_telling(quantity, before, after, how)
        return replace(change, silent=int(both.sum() - telling.sum()))

    @classmethod
    def of_the_same(cls, quantity: Quantity, level: Level, how: Inference) -> Change:
        """The change from runs to the same runs: nothing, also where they say only a bound."""
        if level.have < MINIMUM_REPLICATIONS or how.identical:
            mean = 0.0 if level.have else None
            none: Estimate = NotEnoughReplications(have=level.have, mean=mean, identical=how.identical)
        else:
            none = Interval(0.0, 0.0, 0.0, level.have, how.confidence)
        ratio = none.exponential() if quantity.on_logarithms else None
        return cls(quantity, level, level, none, level.have, ratio=ratio)

    @classmethod
    def _of_telling(cls, quantity: Quantity, before: Values, after: Values, how: Inference) -> Change:
        pairs = int(before.known.sum())
        of_levels = replace(how, confidence=_OF_LEVELS, on_logarithms=quantity.on_logarithms)
        levels = Level.of(before, of_levels), Level.of(after, of_levels)
        if not quantity.on_logarithms:
            estimate = estimated(before, after, how)
            visible = visible_difference(estimate)
            return cls(quantity, *levels, estimate, pairs, visible, visible_decrease=visible)
        logarithm = estimated(before.logarithms(), after.logarithms(), how)
        visible = visible_difference(logarithm)
        return cls.of_ratio(quantity, levels, logarithm.exponential(), pairs, visible)

    @classmethod
    def of_ratio(
        cls,
        quantity: Quantity,
        levels: tuple[Level, Level],
        ratio: Estimate,
        pairs: int,
        visible: float | None = None,
    ) -> Change:
        """The change that a ratio is, from levels before and after; `visible` is a logarithm."""
        before, after = levels
        base = before.mean
        if base is None or before.bound is Bound.AT_MOST:
            return cls(quantity, before, after, NotEnoughReplications(have=pairs), pairs, ratio=ratio)
        change = cls(quantity, before, after, _at_level(ratio, before), pairs, ratio=ratio)
        if visible is None or before.beyond:
            return change
        more, less = base * math.expm1(visible), -base * math.expm1(-visible)
        return replace(change, visible=more, visible_decrease=less)

    @property
    def is_one_sided(self) -> bool:
        """Whether only one end of the interval is known."""
        estimate = self.difference
        return isinstance(estimate, Interval) and math.isinf(estimate.upper - estimate.lower)

    @property
    def is_between(self) -> bool:
        """Whether the mean difference is known only between two ends."""
        estimate = self.difference
        bounded = bool(self.before.bound or self.after.bound)
        return bounded and isinstance(estimate, Interval) and 0.0 < estimate.upper - estimate.lower < math.inf

    @property
    def direction(self) -> int:
        """1 if the quantity is larger than with the baseline, -1 if smaller, 0 if undecided."""
        if not isinstance(self.difference, Interval):
            certain = self.difference.mean if self.difference.identical else None
            return 0 if not certain else int(math.copysign(1.0, certain))
        return int(self.difference.lies_above(0.0)) - int(self.difference.lies_below(0.0))


def _at_level(ratio: Estimate, before: Level) -> Estimate:
    """The difference that a ratio is at a level of the baseline, which may itself be a lower bound."""
    base = before.mean or 0.0
    if not isinstance(ratio, Interval):
        return ratio if ratio.mean is None else replace(ratio, mean=base * (ratio.mean - 1.0))
    most = math.inf if before.beyond else base
    lower, upper = ratio.lower - 1.0, ratio.upper - 1.0
    lower = -math.inf if before.beyond and lower < 0.0 else base * lower
    upper = most * upper if upper > 0.0 else base * upper
    mean = base * (ratio.mean - 1.0)
    return Interval(mean, lower, upper, ratio.replications, ratio.confidence)


def estimated(before: Values, after: Values, how: Inference) -> Estimate:
    """The mean of `after` less `before` over the pairs that have both, with its interval.

    Where values are bounds, the difference of each pair lies between two ends, and so does its mean: the
    interval reaches from the lower end of that of the lower ends to the upper end of that of the upper ends.
    One of them is infinite where values of one side have no upper or no lower end; there is none where that
    is so of both.
    """
    both = before.known & after.known
    return between(_pairwise(before.upper, after.lower), _pairwise(before.lower, after.upper), both, how)


def between(least: FloatArray, most: FloatArray, having: NDArray[np.bool_], how: Inference) -> Estimate:
    """The mean of numbers that lie between two ends each, over the replications that have one."""
    replications = int(having.sum())
    low, high = (
        _interval(each, having, how) if replications and np.isfinite(each[having]).all() else None
        for each in (least, most)
    )
    if low is None and high is None:
        return NotEnoughReplications(have=0)
    if np.array_equal(least[having], most[having]) and low is not None:
        return low
    if not all(isinstance(each, Interval) for each in (low, high) if each is not None):
        return NotEnoughReplications(have=replications)
    lower = low.lower if isinstance(low, Interval) else -math.inf
    upper = high.upper if isinstance(high, Interval) else math.inf
    mean = low.mean if isinstance(low, Interval) else high.mean if isinstance(high, Interval) else None
    return (
        NotEnoughReplications(have=replications)
        if mean is None
        else Interval(mean, lower, upper, replications, how.confidence)
    )


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


def _tells(before: Values, after: Values) -> NDArray[np.bool_]:
    """For each pair whether one end of the difference is known, at least."""
    ends = _pairwise(before.upper, after.lower), _pairwise(before.lower, after.upper)
    return np.asarray(np.isfinite(ends[0]) | np.isfinite(ends[1]))


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


def _interval(values: FloatArray, known: NDArray[np.bool_], how: Inference) -> Estimate:
    """The interval over the replications that have a value."""
    having = values[known]
    if how.identical:
        return NotEnoughReplications(have=int(having.size), mean=float(having.mean()), identical=True)
    if how.first_stage:
        # Of a value that an added replication lacks the others keep Stein's guarantee: how many there are
        # was decided by the scatter of the first.
        return two_stage_interval(having, int(known[: how.first_stage].sum()), confidence=how.confidence)
    return mean_interval(having, confidence=how.confidence)
