"""Whether two sets of rows agree, figure by figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .measurement import FIFTHS
from .ratio import Ratio, ratio_of_means

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .measurement import Row

# Figure -> how far from 1 the whole interval of the ratio may reach, fixed before the first run. Timeouts are
# shown, and not judged.
TOLERANCES: dict[str, float | None] = {
    "loss_percent": 0.10,
    "queue_packets_mean": 0.10,
    "utilization": 0.01,
    **dict.fromkeys(FIFTHS, 0.10),
    "timeouts": None,
}
# Seeds are added until no interval reaches further than this share of its tolerance to either side. The rule
# looks at the width alone, never at where the interval lies: looking again favours neither verdict.
WIDEST_SHARE = 0.4


@dataclass(frozen=True)
class Comparison:
    """One figure of one scheme in both programs."""

    figure: str
    ours: tuple[float, ...]
    theirs: tuple[float, ...]
    ratio: Ratio

    @property
    def tolerance(self) -> float | None:
        """How far from 1 the interval may reach; none for a figure that is only shown."""
        return TOLERANCES[self.figure]

    @property
    def agrees(self) -> bool:
        """Whether the whole interval lies within the tolerance."""
        return self.tolerance is None or self.ratio.lies_within(self.tolerance)

    @property
    def is_narrow(self) -> bool:
        """Whether the interval is narrow enough to judge."""
        return self.tolerance is None or self.ratio.half_width <= WIDEST_SHARE * self.tolerance

    @property
    def verdict(self) -> str:
        """One word."""
        if self.tolerance is None:
            return ""
        return "agrees" if self.agrees else "differs"


def compare(ours: Sequence[Row], theirs: Sequence[Row]) -> list[Comparison]:
    """Every figure, in the order of `TOLERANCES`."""
    comparisons = []
    for figure in TOLERANCES:
        here = tuple(row[figure] for row in ours)
        there = tuple(row[figure] for row in theirs)
        comparisons.append(Comparison(figure, here, there, ratio_of_means(here, there)))
    return comparisons


def compare_with_enough_seeds(
    ours: Callable[[range], list[Row]],
    theirs: Callable[[range], list[Row]],
    *,
    seeds: int,
    most: int,
) -> list[Comparison]:
    """Doubles the seeds until every interval is narrow, or until there are `most`.

    `theirs` may give fewer rows than it is asked for: stored ones cannot be added to.
    """
    our_rows, their_rows = ours(range(1, seeds + 1)), theirs(range(1, seeds + 1))
    comparisons = compare(our_rows, their_rows)
    while seeds < most and not all(comparison.is_narrow for comparison in comparisons):
        more = range(seeds + 1, min(2 * seeds, most) + 1)
        our_rows, their_rows = our_rows + ours(more), their_rows + theirs(more)
        seeds = more[-1]
        comparisons = compare(our_rows, their_rows)
    return comparisons
