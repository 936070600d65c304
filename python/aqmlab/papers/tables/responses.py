"""Whose response times: of the population that a study is about, of others beside it, and together."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from aqmlab.statistics import response_times
from aqmlab.statistics.distribution import together
from aqmlab.statistics.quantities import quantile_s, share_within
from aqmlab.tables.model import Column, Table, number, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aqmlab.papers.study import Cell, Study
    from aqmlab.statistics import Recorded, ResponseTimes
    from aqmlab.statistics.quantities import OfUsers

FILE = "responses.csv"
LEVELS = (*map(quantile_s, (0.5, 0.9, 0.99)), share_within(2.0))


@dataclass(frozen=True)
class ResponsesRow:
    """The response times of some populations in a cell; every number is a mean over replications.

    Attributes:
        label: What the cell is called in print.
        population: Whose they are.
        exchanges: How many.
        levels: Numbers of the response times, by quantity.
    """

    label: str
    population: str
    exchanges: float
    levels: Mapping[str, float]


def response_rows(study: Study) -> list[ResponsesRow]:
    """Every cell of a study that names the population of its response times."""
    return [row for cell in study.cells if study.has(*cell) for row in _rows(study, cell)]


def _rows(study: Study, cell: Cell) -> Iterator[ResponsesRow]:
    whose = study.experiment.response_times
    if whose is None:
        return
    results, label = study.results(*cell), study.label(cell)
    names = (whose.of, *whose.beside)
    for group in (*((name,) for name in names), *([names] if len(names) > 1 else [])):
        times = [_together(result, group) for result in results]
        yield _row(label, " and ".join(group), times)


def _together(result: Recorded, names: Sequence[str]) -> ResponseTimes:
    return together([response_times(result, population=name) for name in names])


def _row(label: str, population: str, times: Sequence[ResponseTimes]) -> ResponsesRow:
    levels = {each.name: fmean(map(each.compute, times)) for each in LEVELS}
    return ResponsesRow(label, population, fmean(each.ended for each in times), levels)


def table_of(rows: Sequence[ResponsesRow]) -> Table:
    """Whose response times, how many, and how long they are."""
    columns: list[Column[ResponsesRow]] = [
        Column("cell", lambda row: text(row.label), "configuration", heads_row=True),
        Column("population", lambda row: text(row.population), "whose", words=True),
        Column("exchanges", lambda row: number(row.exchanges, ".0f"), "exchanges"),
        *map(_level, LEVELS),
    ]
    return Table.of(rows, columns)


def _level(of: OfUsers) -> Column[ResponsesRow]:
    return Column(of.name, lambda row: number(row.levels[of.name], f".{of.digits}f"), of.short)
