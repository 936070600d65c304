"""A paper's best settings, each beside the best of ours by the same criterion.

Differences to our best are paired by seed. Our best was chosen on the runs that it is shown with, so they
flatter it a little; `aqmlab tune` searches a range and takes the winner's figures from seeds of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aqmlab.comparison import leaves_out_zero
from aqmlab.tables.model import (
    Column,
    Standing,
    Table,
    TableCell,
    bounds_in_csv,
    in_csv,
    number,
    text,
    with_half_width,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.inference import Interval, NotEnoughReplications
    from aqmlab.papers.published import Criterion, PublishedTable
    from aqmlab.papers.study import Cell, Study
    from aqmlab.statistics.quantities import Quantity

BEST = "our best too"
ALONE = "no other setting was run"
TIED = "not distinguishable from our best"
WORSE = "worse than our best"
OPEN = "too few replications"
STANDINGS = {
    BEST: Standing.WITHIN,
    TIED: Standing.WITHIN,
    WORSE: Standing.OUTSIDE,
    OPEN: Standing.ABSENT,
    ALONE: Standing.ABSENT,
}


@dataclass(frozen=True)
class BestRow:
    """A setting that a paper calls best.

    Attributes:
        cell: The configuration's name and the offered load.
        label: What the configuration is called in print.
        criterion: What the paper calls it best by.
        figures: Our means of the quantities of all criteria.
        best: The configuration that is best by this criterion among ours that were run at this load.
        best_label: What that is called in print.
        place: Where the paper's setting comes among them, from 1.
        candidates: How many they are.
        difference: Its difference to our best in the criterion's first quantity, paired by seed.
    """

    cell: Cell
    label: str
    criterion: Criterion
    figures: Mapping[str, Interval | NotEnoughReplications]
    best: str
    best_label: str
    place: int
    candidates: int
    difference: Interval | NotEnoughReplications

    @property
    def verdict(self) -> str:
        """How it compares with our best."""
        if self.best == self.cell[0]:
            return BEST if self.candidates > 1 else ALONE
        return {None: OPEN, False: TIED, True: WORSE}[leaves_out_zero(self.difference)]


def best_rows(study: Study, table: PublishedTable) -> list[BestRow]:
    """One row per published setting that was run."""
    return [_row(study, table, cell) for cell in table.rows if study.has(*cell)]


def quantities(table: PublishedTable) -> list[Quantity]:
    """The quantities of all criteria, each once."""
    found = {each.name: each for criterion in table.criteria.values() for each in criterion.quantities}
    return list(found.values())


def _row(study: Study, table: PublishedTable, cell: Cell) -> BestRow:
    criterion = table.criteria[table.rows[cell].text[table.criterion_column]]
    ranked = _ranked(study, table, cell, criterion)
    best = ranked[0]
    return BestRow(
        cell=cell,
        label=study.configuration(cell[0]).label,
        criterion=criterion,
        figures={each.name: study.measure(*cell, each) for each in quantities(table)},
        best=best[0],
        best_label=study.configuration(best[0]).label,
        place=ranked.index(cell) + 1,
        candidates=len(ranked),
        difference=study.difference(cell, best, criterion.quantities[0]),
    )


def _ranked(study: Study, table: PublishedTable, cell: Cell, criterion: Criterion) -> list[Cell]:
    """Our cells at this load, the best by the criterion first."""
    names = [
        own.name
        for own in study.experiment.configurations.values()
        if own.group in table.candidates and study.has(own.name, cell[1])
    ]
    sign = -1.0 if criterion.highest else 1.0

    def cost(name: str) -> float:
        mean = study.measure(name, cell[1], criterion.quantities[0]).mean
        return float("inf") if mean is None else sign * mean

    return [(name, cell[1]) for name in sorted(dict.fromkeys([cell[0], *names]), key=cost)]


# ------------------------------------------------------------------------------------------------- in print


def caption(rows: Sequence[BestRow]) -> str:
    """How many of the paper's settings are the best of ours, or cannot be told apart from it."""
    counts = {verdict: sum(1 for row in rows if row.verdict == verdict) for verdict in STANDINGS}
    found = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    return (
        f"of {len(rows)} best settings of the paper: {found or 'none was run'}. "
        "Our best is the best cell that was run; `aqmlab tune` searches a whole range"
    )


def table_of(rows: Sequence[BestRow], table: PublishedTable) -> Table:
    """Every published setting with our figures of it, its place among ours, and what our best is."""
    columns: list[Column[BestRow]] = [
        Column(
            "cell",
            lambda row: text(row.label, value=row.cell[0]),
            "the paper's setting",
            heads_row=True,
            wraps=True,
        ),
        Column("load_percent", lambda row: number(row.cell[1], unit=" %"), "load"),
        Column("criterion", lambda row: text(row.criterion.name), "best by", words=True, wraps=True),
    ]
    for each in quantities(table):
        columns += _figure(each)
    columns += [
        in_csv("best_cell", lambda row: row.best),
        Column("place", _place, "place"),
        in_csv("candidates", lambda row: row.candidates),
        in_csv("decided_by", lambda row: row.criterion.quantities[0].name),
        in_csv("difference", lambda row: row.difference.mean),
        *bounds_in_csv("lower", "upper", lambda row: row.difference),
        Column("verdict", _against, "against our best", words=True, wraps=True),
    ]
    return Table.of(rows, columns, caption=caption(rows))


def _figure(quantity: Quantity) -> list[Column[BestRow]]:
    name = quantity.name

    def shown(row: BestRow) -> TableCell:
        found = row.figures[name]
        words = with_half_width(found, quantity.digits)
        return text(words, value=found.mean, short=words.partition(" ± ")[0])

    return [
        Column(name, shown, quantity.title, quantity.short),
        *bounds_in_csv(f"{name}_lower", f"{name}_upper", lambda row: row.figures[name]),
    ]


def _place(row: BestRow) -> TableCell:
    return text(f"{row.place} of {row.candidates}", value=row.place, short=f"{row.place}/{row.candidates}")


def _against(row: BestRow) -> TableCell:
    words = row.verdict
    if row.best != row.cell[0]:
        decisive = row.criterion.quantities[0]
        difference = with_half_width(row.difference, decisive.digits, sign="+")
        words += f", {row.best_label}: {difference} ({decisive.short})"
    return text(words, STANDINGS[row.verdict], value=row.verdict)
