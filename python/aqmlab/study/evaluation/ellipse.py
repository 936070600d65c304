"""The trade-off between delay and goodput as an ellipse (RFC 7928, section 2.7)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

LEVEL = 0.95
"""The probability within the contour, the 1 - epsilon of the RFC."""


@dataclass(frozen=True)
class Ellipse:
    """The contour of the two-dimensional normal distribution of greatest likelihood over the runs.

    Attributes:
        delay_ms: Mean of the runs' mean queueing delays, in milliseconds.
        goodput_mbps: Mean of their goodputs, in Mbit/s.
        variance_delay: Variance of the delays, in ms².
        variance_goodput: Variance of the goodputs, in Mbit²/s².
        covariance: Of both, in ms Mbit/s.
    """

    delay_ms: float
    goodput_mbps: float
    variance_delay: float
    variance_goodput: float
    covariance: float

    @classmethod
    def of(cls, delays_ms: Sequence[float], goodputs_mbps: Sequence[float]) -> Ellipse | None:
        """That of some runs; none of fewer than three, or where a run lacks a number."""
        points = np.array([delays_ms, goodputs_mbps], dtype=np.float64)
        if points.shape[1] < 3 or not np.isfinite(points).all():
            return None
        (delay_ms, goodput_mbps), spread = points.mean(axis=1), np.cov(points, ddof=0)
        return cls(
            float(delay_ms),
            float(goodput_mbps),
            float(spread[0, 0]),
            float(spread[1, 1]),
            float(spread[0, 1]),
        )

    @property
    def half_widths(self) -> tuple[float, float]:
        """How far the contour reaches from its centre in delay (ms) and in goodput (Mbit/s)."""
        reach = _reach()
        return reach * math.sqrt(self.variance_delay), reach * math.sqrt(self.variance_goodput)

    @property
    def correlation(self) -> float:
        """Of delay and goodput, from -1 to 1; not a number where one of them never changes."""
        scale = math.sqrt(self.variance_delay * self.variance_goodput)
        return self.covariance / scale if scale else float("nan")

    def axes(self) -> list[tuple[float, tuple[float, float]]]:
        """The half axes of the contour, the longer first: length, and direction as (delay, goodput)."""
        spread = np.array([[self.variance_delay, self.covariance], [self.covariance, self.variance_goodput]])
        variances, directions = np.linalg.eigh(spread)
        found = [
            (_reach() * math.sqrt(max(float(variance), 0.0)), (float(direction[0]), float(direction[1])))
            for variance, direction in zip(variances, directions.T, strict=True)
        ]
        return found[::-1]


def _reach() -> float:
    """Standard deviations from the centre to the contour: of the chi-square law of two degrees of freedom."""
    return math.sqrt(-2.0 * math.log(1.0 - LEVEL))
