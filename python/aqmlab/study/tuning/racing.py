"""Racing: a candidate is run with more seeds only while it is not significantly worse than the best so far.

Candidate and incumbent have the same users with the same seed, so their difference, seed by seed, is free
of what the traffic does to both. After 2, 4, 8, ... seeds, the mean of these differences is compared with
its Student bound: a candidate whose mean difference exceeds it is stopped. A candidate as good as the
incumbent is stopped with at most the stated probability at each look; one that is better, more rarely.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.comparison import Values, exceeds, paired_difference

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

SIGNIFICANCE = 0.1
_FIRST_SEEDS = 2


def rungs(seeds: Sequence[int]) -> Iterator[Sequence[int]]:
    """The seeds in growing parts: the first 2, the next 2, the next 4, and so on, until all are used."""
    start, size = 0, _FIRST_SEEDS
    while start < len(seeds):
        yield seeds[start:size]
        start, size = size, 2 * size


def is_worse(
    candidate: Mapping[int, float], incumbent: Mapping[int, float], *, significance: float = SIGNIFICANCE
) -> bool:
    """Whether the candidate's cost is significantly above the incumbent's, over the seeds that both have."""
    before, after = _paired(incumbent, candidate)
    if before.values.size < _FIRST_SEEDS:
        return False
    return exceeds(before, after, significance=significance)


def adjusted(candidate: Mapping[int, float], reference: Mapping[int, float]) -> float:
    """The candidate's mean cost over all seeds of the reference, judged by the seeds it was run with.

    Seeds differ in how much traffic they bring. A candidate that saw only some of them is credited with the
    mean of the reference over all seeds plus its own mean difference over those.
    """
    difference = paired_difference(*_paired(reference, candidate)).mean
    return float(np.mean(list(reference.values()))) + (math.inf if difference is None else difference)


def _paired(before: Mapping[int, float], after: Mapping[int, float]) -> tuple[Values, Values]:
    """Costs by seed, over the seeds that both have."""
    shared = sorted(before.keys() & after.keys())
    return Values.of([before[seed] for seed in shared]), Values.of([after[seed] for seed in shared])
