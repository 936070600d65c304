"""Sections IV.B and IV.C: losses of parts of the traffic, and how response times degrade."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.comparison import Values, paired_difference
from aqmlab.papers.claims.checks import above_bound, above_zero
from aqmlab.statistics.quantities import quantity, restricted_mean_response_ms

if TYPE_CHECKING:
    from aqmlab.papers.claims import Answer
    from aqmlab.papers.claims.checks import Number
    from aqmlab.papers.study import Cell, Study


def loses_more(study: Study, a: Cell, *, of: Number, than: str) -> Answer:
    """In one cell a part of the traffic loses more than another: percentage points, paired by seed."""
    of_cell = [study.by_seed(a, number) for number in (of, quantity(than))]
    more, less = (Values.of([each[seed] for seed in sorted(each)]) for each in of_cell)
    return above_bound(paired_difference(less, more), unit="points")


def degrades_more(study: Study, a: Cell, b: Cell, *, links: int) -> Answer:
    """From one congested link to `links` the mean up to 2 s grows more under `a` than under `b`."""
    first, second = (_growth_ms(study, cell, links) for cell in (a, b))
    return above_zero([first[seed] - second[seed] for seed in sorted(first)], unit="ms")


def _growth_ms(study: Study, cell: Cell, links: int) -> dict[int, float]:
    """How much a cell of one link gains in its mean where so many have its scheme, by seed."""
    scheme, load = cell
    one, many = (
        study.by_seed((name, load), restricted_mean_response_ms)
        for name in (scheme, "-".join([scheme] * links))
    )
    return {seed: many[seed] - one[seed] for seed in one.keys() & many.keys()}
