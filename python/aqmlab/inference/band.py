"""A simultaneous band for the mean of paired curves: the whole curve at once, from a few replications.

Given one difference curve D_r(t) per replication, the band  mean(t) +- u s(t)/sqrt(n)  covers the true mean
difference at *every* t of the range with the stated confidence. The critical value u solves

    alpha = 2 P(T_v > u) + (L / pi) (1 + u^2 / v)^(-(v-1)/2),       v = n - 1,

the expected Euler characteristic of the excursion of a t-field with v degrees of freedom on an interval
(Worsley, Advances in Applied Probability 26, 1994, "Local maxima and the expected Euler characteristic of
excursion sets of chi-squared, F and t fields"), which bounds the probability that the studentised mean
leaves +-u anywhere. L is the intrinsic length of the range: how far the standardised curve turns. With
residuals e_1..e_n at each t, the unit vector e(t)/|e(t)| walks on a sphere, and for Gaussian curves the
expected length of its path *is* L, without bias at any n: |V'| = |P G'| / |G| with independent chi
variables of v-1 and v degrees, and E[chi_(v-1)] E[1/chi_v] = 1. On a grid u never needs to exceed the
Bonferroni value, so the smaller of the two is used.

Why not a bootstrap over replications: with 6 to 8 runs there are few distinct resamples, the studentised
ones degenerate, and coverage falls well short; this formula is exact in its degrees of freedom,
has no random numbers and costs nothing. It assumes that the replication's curve (a mean over 10^5 exchanges
and more) is close to Gaussian; `sign_flip_p_value` needs only symmetry and stands beside it. Where almost no
response ends, a mean of rare clusters is not Gaussian and may look certain by luck: there the band keeps the
half width `RESOLUTION`, a tenth of the smallest difference that any verdict takes notice of.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aqmlab.inference import student
from aqmlab.inference.replication import MINIMUM_REPLICATIONS, NotEnoughReplications

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.statistics.distribution import ResponseTimes

FloatArray = NDArray[np.float64]

RESOLUTION = 0.001
"""The smallest half width of a band, in shares of responses, fixed before any run."""

BISECTIONS = 60

EXACT_FLIP_REPLICATIONS = 14
"""Up to this many replications all sign changes are enumerated (8,192 of them)."""


@dataclass(frozen=True)
class Band:
    """A mean curve with a band that covers the truth at all its times together."""

    time_s: FloatArray
    mean: FloatArray
    lower: FloatArray
    upper: FloatArray
    replications: int
    confidence: float
    critical_value: float
    path_length: float

    def between(self, from_s: float, until_s: float) -> Band:
        """The part of the band on [from_s, until_s]; its confidence remains that of the whole."""
        keep = (self.time_s >= from_s) & (self.time_s <= until_s)
        if not keep.any():
            raise ValueError(f"the band has no time between {from_s} s and {until_s} s")
        cut = (self.time_s[keep], self.mean[keep], self.lower[keep], self.upper[keep])
        return Band(*cut, self.replications, self.confidence, self.critical_value, self.path_length)

    def widened(self, factor: float) -> Band:
        """The same mean with an interval wider by a factor."""
        lower = self.mean - factor * (self.mean - self.lower)
        upper = self.mean + factor * (self.upper - self.mean)
        cut = (self.time_s, self.mean, lower, upper)
        return Band(*cut, self.replications, self.confidence, self.critical_value, self.path_length)

    def reversed(self) -> Band:
        """The band of the opposite difference."""
        cut = (self.time_s, -self.mean, -self.upper, -self.lower)
        return Band(*cut, self.replications, self.confidence, self.critical_value, self.path_length)


def paired_band(
    differences: FloatArray, *, time_s: FloatArray, resolution: float = RESOLUTION, confidence: float = 0.95
) -> Band | NotEnoughReplications:
    """Band for the mean of `differences` (one row per replication, one column per time).

    `resolution` is the smallest half width the band may have.
    """
    replications, times = differences.shape
    if time_s.shape != (times,):
        raise ValueError(f"{times} columns of differences but {time_s.size} times")
    if replications < MINIMUM_REPLICATIONS:
        return NotEnoughReplications(have=replications)
    mean = differences.mean(axis=0)
    residuals = differences - mean
    scatter = np.sqrt((residuals**2).sum(axis=0))
    moving = scatter > 1e-12 * max(1.0, float(np.abs(differences).max(initial=0.0)))
    length = _path_length(residuals[:, moving] / scatter[moving])
    critical = critical_value(
        path_length=length,
        grid_points=max(1, int(moving.sum())),
        degrees_of_freedom=replications - 1,
        confidence=confidence,
    )
    standard_error = scatter / np.sqrt((replications - 1) * replications)
    half = np.maximum(critical * standard_error, resolution)
    return Band(time_s, mean, mean - half, mean + half, replications, confidence, critical, length)


def paired_distributions(
    own: Sequence[ResponseTimes], baseline: Sequence[ResponseTimes], *, time_s: FloatArray
) -> tuple[FloatArray, Band | NotEnoughReplications]:
    """Differences of distribution functions, one row per replication, with the band of their mean.

    Args:
        own: The times of each replication.
        baseline: What they are compared with, in the same order.
        time_s: Where the functions are compared.
    """
    after, before = (np.array([each.cdf(time_s) for each in side]) for side in (own, baseline))
    differences = np.asarray(after - before)
    return differences, paired_band(differences, time_s=time_s)


def critical_value(
    *, path_length: float, grid_points: int, degrees_of_freedom: int, confidence: float = 0.95
) -> float:
    """The u of this file's formula; for a path of length 0 the Student value of one point."""
    alpha = 1.0 - confidence
    bonferroni = -student.quantile(degrees_of_freedom, alpha / (2.0 * grid_points))
    lower, upper = 0.0, bonferroni
    for _ in range(BISECTIONS):
        middle = (lower + upper) / 2.0
        exceedance = _exceedance(middle, path_length=path_length, degrees_of_freedom=degrees_of_freedom)
        lower, upper = (middle, upper) if exceedance > alpha else (lower, middle)
    return upper


def sign_flip_p_value(differences: FloatArray, *, seed: int = 0, draws: int = 10_000) -> float:
    """Exact p-value of "no difference anywhere" for paired curves, by changing signs of replications.

    Under the hypothesis each replication's curve is as likely as its mirror image. The statistic is the
    largest studentised mean. Above 14 replications `draws` random sign changes stand for all of them.
    """
    replications = differences.shape[0]
    if replications <= EXACT_FLIP_REPLICATIONS:
        # A set of signs and its mirror give the same statistic, so the first sign is held.
        signs = np.array([(1, *rest) for rest in product((1, -1), repeat=replications - 1)], dtype=np.float64)
    else:
        generator = np.random.default_rng(seed)
        signs = generator.choice((-1.0, 1.0), size=(draws, replications))
        signs[0] = 1.0
    flipped_means = signs @ differences / replications
    mean_squares = (differences**2).mean(axis=0)
    varying = mean_squares > 0.0
    if not varying.any():
        return 1.0
    # The squared t statistic is increasing in mean^2 / mean square, which does not change with the signs.
    largest = (flipped_means[:, varying] ** 2 / mean_squares[varying]).max(axis=1)
    return float(np.mean(largest >= largest[0] * (1.0 - 1e-12)))


def _exceedance(u: float, *, path_length: float, degrees_of_freedom: int) -> float:
    endpoint = 2.0 * student.distribution(degrees_of_freedom, -u)
    exponent = -(degrees_of_freedom - 1) / 2.0
    crossings = path_length / np.pi * (1.0 + u**2 / degrees_of_freedom) ** exponent
    return endpoint + float(crossings)


def _path_length(directions: FloatArray) -> float:
    """Length in radians of the path of unit vectors (one column per time) on the sphere."""
    if directions.shape[1] < 2:
        return 0.0
    chords = np.sqrt((np.diff(directions, axis=1) ** 2).sum(axis=0))
    return float(2.0 * np.arcsin(np.minimum(1.0, chords / 2.0)).sum())
