"""Each of a paper's tables with our numbers in it, in whatever form it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aqmlab.tables import best, cells, runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table as RichTable

    from aqmlab.published import PublishedTable
    from aqmlab.study import Study


@dataclass(frozen=True)
class Filled:
    """A paper's table with our numbers: cells beside the published ones, or settings beside our best.

    Attributes:
        table: The paper's.
        cells: Our cells, where it has columns of numbers.
        settings: Our figures of its settings, where it names the best ones.
    """

    table: PublishedTable
    cells: Sequence[cells.Row] = ()
    settings: Sequence[best.BestRow] = ()

    @property
    def heading(self) -> str:
        """What it is called in print."""
        return f"{self.table.title} beside the published one"

    @property
    def caption(self) -> str:
        """How well it agrees."""
        if self.table.criteria:
            return best.caption(self.settings)
        return runs.caption(self.cells) if self.table.run_to_run else cells.caption(self.cells)

    def __bool__(self) -> bool:
        """Whether there is anything in it."""
        return bool(self.cells or self.settings)

    def csv(self) -> str:
        """The table as CSV."""
        return best.to_csv(self.settings) if self.table.criteria else cells.to_csv(self.cells)

    def html(self) -> str:
        """The table as an HTML fragment."""
        if self.table.criteria:
            return best.to_html(self.settings, self.table)
        return runs.to_html(self.cells) if self.table.run_to_run else cells.to_html(self.cells)

    def rich(self, *, title: str) -> RichTable:
        """The table for the terminal."""
        if self.table.criteria:
            return best.to_rich(self.settings, self.table, title=title)
        if self.table.run_to_run:
            return runs.to_rich(self.cells, title=title)
        return cells.to_rich(self.cells, title=title)


def fill(study: Study) -> list[Filled]:
    """The paper's tables of which some cell was run, in the experiment's order."""
    filled = [
        Filled(table, settings=best.best_rows(study, table))
        if table.criteria
        else Filled(table, cells=cells.cell_rows(study, table))
        for table in study.experiment.published_tables
    ]
    return [each for each in filled if each]
