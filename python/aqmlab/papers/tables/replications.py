"""The published quantities of every single run: what runs of several days are put together from.

A cell without a quantity, such as the rate of datagrams where none are sent, has an empty field there.
A published table that has the cell needs the number, and fails without it (`tables.fill`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aqmlab.errors import MissingDataError
from aqmlab.statistics.recorded import seed
from aqmlab.tables.model import Column, Table, in_csv

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aqmlab.papers.study import Study
    from aqmlab.statistics.quantity import Measured, Quantity

FILE = "replications.csv"
"""What the table is called in the folder of a reproduction."""


@dataclass(frozen=True, slots=True)
class Replication:
    """One run: its cell, its seed, and the values of its quantities."""

    cell: str
    load_percent: float
    seed: int
    values: Mapping[str, float]


def table_of(study: Study) -> Table:
    """A row for each run, a column for each quantity that a published table has."""
    quantities = {
        column.quantity.name: column.quantity
        for published in study.experiment.published.tables
        for column in published.columns
    }
    columns: list[Column[Replication]] = [
        in_csv("cell", lambda row: row.cell),
        in_csv("load_percent", lambda row: row.load_percent),
        in_csv("seed", lambda row: row.seed),
        *(in_csv(name, lambda row, name=name: row.values.get(name)) for name in quantities),  # type: ignore[misc]
    ]
    return Table.of(list(_rows(study, quantities)), columns)


def _rows(study: Study, quantities: Mapping[str, Quantity]) -> Iterator[Replication]:
    for cell in study.cells:
        for run in sorted(study.measured(*cell), key=lambda run: seed(run.result)):
            yield Replication(*cell, seed(run.result), dict(_present(run, quantities)))


def _present(run: Measured, quantities: Mapping[str, Quantity]) -> Iterator[tuple[str, float]]:
    for name, quantity in quantities.items():
        try:
            yield name, quantity.of(run)
        except MissingDataError:
            continue
