"""The numbers of bars."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from aqmlab.tables.model import Column, Table, in_csv, text

if TYPE_CHECKING:
    from aqmlab.show.figures.bars import BarRow, Bars


def bars_table(bars: Bars) -> Table:
    """A row for each row of bars; of each number its value and its interval, and whether it is a bound."""
    rows = [(group.name, row) for group in bars.groups for row in group.rows]
    columns: list[Column[tuple[str, BarRow]]] = [
        Column("of", lambda each: text(each[0])),
        Column("configuration", lambda each: text(each[1].name)),
    ]
    unit = bars.axis.label.rpartition(", ")[2]
    for place, key in enumerate(bars.keys):
        name = f"{key or bars.axis.label.rpartition(', ')[0] or bars.axis.label}, {unit}"
        columns += [
            in_csv(name, partial(_value, place)),
            in_csv(f"{name}.lower", partial(_edge, place, 0)),
            in_csv(f"{name}.upper", partial(_edge, place, 1)),
        ]
    columns.append(Column("note", lambda each: text(each[1].note)))
    return Table.of(rows, columns, title=bars.title)


def _value(at: int, row: tuple[str, BarRow]) -> float | None:
    value = row[1].bars[at].value
    return value if math.isfinite(value) else None


def _edge(at: int, end: int, row: tuple[str, BarRow]) -> float | None:
    """An end of the interval; of a bound the lower end is the number, and the upper one is not known."""
    bar = row[1].bars[at]
    if bar.is_bound:
        return bar.value if end == 0 else None
    return bar.ends[end] if bar.ends else None
