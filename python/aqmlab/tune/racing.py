"""Racing: a candidate is run with more seeds only while it is not significantly worse than the best so far.

Candidate and incumbent have the same users with the same seed, so their difference, seed by seed, is free
of what the traffic does to both. After 2, 4, 8, ... seeds, the mean of these differences is compared with
its Student bound: a candidate whose mean difference exceeds it is stopped. A candidate as good as the
incumbent is stopped with at most the stated probability at each look; one that is better, more rarely.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab.statistics import student

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
    shared = sorted(candidate.keys() & incumbent.keys())
    if len(shared) < _FIRST_SEEDS:
        return False
    differences = np.array([candidate[seed] - incumbent[seed] for seed in shared])
    error = float(differences.std(ddof=1)) / np.sqrt(len(shared))
    bound = student.quantile(len(shared) - 1, 1.0 - significance) * error
    return bool(differences.mean() > bound)


def adjusted(candidate: Mapping[int, float], reference: Mapping[int, float]) -> float:
    """The candidate's mean cost over all seeds of the reference, judged by the seeds it was run with.

    Seeds differ in how much traffic they bring. A candidate that saw only some of them is credited with the
    mean of the reference over all seeds plus its own mean difference over those.
    """
    shared = sorted(candidate.keys() & reference.keys())
    difference = float(np.mean([candidate[seed] - reference[seed] for seed in shared]))
    return float(np.mean(list(reference.values()))) + difference
