"""A number with its bound, and bounds of a statistic by resampling blocks: all resamples, nothing is drawn.

Source: the block bootstrap (Künsch, 1989) with blocks that do not overlap, and Efron's percentile interval.
With six blocks there are 462 different resamples, whose probabilities are multinomial.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_BLOCKS, _LEAST_OF_BLOCK = 6, 2
_TAIL = 0.025


@dataclass(frozen=True)
class Fitted:
    """A number with its bound.

    Attributes:
        value: The number.
        low: The lower end of its bound.
        high: The upper end; infinite where only the lower one is known.
        how: What it was taken from, in words.
    """

    value: float
    low: float
    high: float
    how: str


def bounds(
    values: NDArray[np.float64], statistic: Callable[[NDArray[np.float64]], float]
) -> tuple[float, float]:
    """Where the statistic lies in 95 % of all resamples of consecutive blocks of the values."""
    count = min(_BLOCKS, len(values) // _LEAST_OF_BLOCK)
    if count < _LEAST_OF_BLOCK:
        return float(np.min(values)), float(np.max(values))
    blocks = np.array_split(values, count)
    found = []
    for chosen in combinations_with_replacement(range(count), count):
        times = factorial(count) // prod(map(factorial, Counter(chosen).values()))
        found.append((float(statistic(np.concatenate([blocks[each] for each in chosen]))), times))
    statistics, weights = (np.array(each) for each in zip(*sorted(found), strict=True))
    reached = np.cumsum(weights) / np.sum(weights)
    return tuple(float(statistics[np.searchsorted(reached, each)]) for each in (_TAIL, 1 - _TAIL))  # type: ignore[return-value]
