"""The checks of this study that no other paper needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.reproduce.claims import Answer, checks_of
from aqmlab.reproduce.claims.numbers import above_bound
from aqmlab.statistics import mean_interval
from aqmlab.statistics.quantities import quantity

if TYPE_CHECKING:
    from aqmlab.reproduce.claims.numbers import Number
    from aqmlab.reproduce.study import Cell, Study

multicl = checks_of("multicl")


@multicl.check
def loses_more(study: Study, a: Cell, *, of: Number, than: str) -> Answer:
    """In one cell a part of the traffic loses more than another: percentage points, paired by seed."""
    first, second = (study.by_seed(a, number) for number in (of, quantity(than)))
    return above_bound(mean_interval([first[seed] - second[seed] for seed in sorted(first)]), unit="points")
