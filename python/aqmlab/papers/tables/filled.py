"""Each of a paper's tables with our numbers in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aqmlab.papers.tables import best, cells, runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.papers.published import PublishedTable
    from aqmlab.papers.study import Study
    from aqmlab.tables.model import Table


@dataclass(frozen=True)
class Filled:
    """A paper's table with our numbers: cells beside the published ones, or settings beside our best.

    Attributes:
        published: The paper's.
        table: Ours beside it.
        cells: Our cells, where it has columns of numbers.
    """

    published: PublishedTable
    table: Table
    cells: Sequence[cells.Row] = ()

    @property
    def heading(self) -> str:
        """What it is called in print."""
        return f"{self.published.title}: ours and the paper's"


def fill(study: Study) -> list[Filled]:
    """The paper's tables with at least one cell that was run, in the experiment's order."""
    filled = [_fill(study, published) for published in study.experiment.published.tables]
    return [each for each in filled if each.table.rows]


def _fill(study: Study, published: PublishedTable) -> Filled:
    if published.criteria:
        return Filled(published, best.table_of(best.best_rows(study, published), published))
    rows = cells.cell_rows(study, published)
    return Filled(published, (runs if published.run_to_run else cells).table_of(rows), rows)
