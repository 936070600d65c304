"""Whose response times: of the population that a study is about, of others beside it, and together.

Where the paper's runs stop at a number of completed exchanges, the same runs stand there twice more: as a
study sees them that stops there, and with all that had begun until then.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean, median
from typing import TYPE_CHECKING

from aqmlab.errors import MissingDataError
from aqmlab.statistics import response_times
from aqmlab.statistics.distribution import together
from aqmlab.statistics.quantities import quantile_s, share_within
from aqmlab.statistics.stopped import stopped_after
from aqmlab.tables.model import Column, Table, number, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aqmlab.papers.study import Cell, Study
    from aqmlab.statistics import Recorded, ResponseTimes
    from aqmlab.statistics.quantities import OfUsers
    from aqmlab.statistics.stopped import Stopped

FILE = "responses.csv"
LEVELS = (*map(quantile_s, (0.5, 0.9, 0.99)), share_within(2.0))


@dataclass(frozen=True)
class ResponsesRow:
    """The response times of some populations in a cell; every number is a mean over replications.

    Attributes:
        label: What the cell is called in print.
        population: Whose they are.
        which: Which of their exchanges.
        exchanges: How many.
        levels: Numbers of the response times, by quantity.
        left_out: How many had begun before the stop and were complete later.
        left_out_median_s: How long half of those took at most, in seconds.
        unfinished: How many were under way when the runs ended.
    """

    label: str
    population: str
    which: str
    exchanges: float
    levels: Mapping[str, float]
    left_out: float | None = None
    left_out_median_s: float | None = None
    unfinished: float | None = None


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
        yield _row(label, " and ".join(group), "completed in the window", times)
    if whose.stop_after_completed is None:
        return
    try:
        stopped = [stopped_after(result, whose.of, whose.stop_after_completed) for result in results]
    except MissingDataError:
        return  # a shorter run has no such stop
    until = f"until {whose.stop_after_completed} were complete"
    yield _row(label, whose.of, f"completed {until}", [each.completed for each in stopped])
    yield _followed(_row(label, whose.of, f"begun {until}", [each.followed for each in stopped]), stopped)


def _together(result: Recorded, names: Sequence[str]) -> ResponseTimes:
    return together([response_times(result, population=name) for name in names])


def _row(label: str, population: str, which: str, times: Sequence[ResponseTimes]) -> ResponsesRow:
    levels = {each.name: fmean(map(each.compute, times)) for each in LEVELS}
    return ResponsesRow(label, population, which, fmean(each.ended for each in times), levels)


def _followed(row: ResponsesRow, stopped: Sequence[Stopped]) -> ResponsesRow:
    return ResponsesRow(
        row.label,
        row.population,
        row.which,
        row.exchanges,
        row.levels,
        left_out=fmean(each.under_way.size for each in stopped),
        left_out_median_s=median([float(time) for each in stopped for time in each.under_way] or [0.0]),
        unfinished=fmean(each.unfinished for each in stopped),
    )


def table_of(rows: Sequence[ResponsesRow]) -> Table:
    """Whose response times, which of them, and how long they are."""
    columns: list[Column[ResponsesRow]] = [
        Column("cell", lambda row: text(row.label), "configuration", heads_row=True),
        Column("population", lambda row: text(row.population), "whose", words=True),
        Column("which", lambda row: text(row.which), "which", words=True),
        Column("exchanges", lambda row: number(row.exchanges, ".0f"), "exchanges"),
        *map(_level, LEVELS),
        Column("left_out", lambda row: number(row.left_out, ".0f"), "under way at the stop"),
        Column(
            "left_out_median_s", lambda row: number(row.left_out_median_s, ".1f", unit=" s"), "half of these"
        ),
        Column("unfinished", lambda row: number(row.unfinished, ".0f"), "under way at the end"),
    ]
    return Table.of(rows, columns)


def _level(of: OfUsers) -> Column[ResponsesRow]:
    return Column(of.name, lambda row: number(row.levels[of.name], f".{of.digits}f"), of.short)
