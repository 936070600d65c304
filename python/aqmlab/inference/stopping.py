"""The number of replications for an interval of a given width that keeps its coverage.

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
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.inference import student
from aqmlab.inference.replication import (
    MINIMUM_REPLICATIONS,
    Interval,
    NotEnoughReplications,
    lacking_values,
)

if TYPE_CHECKING:
    from aqmlab.statistics.distribution import FloatArray


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
