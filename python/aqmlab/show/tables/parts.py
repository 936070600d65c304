"""A wide table as several narrow ones, below one another on a terminal."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rich.cells import cell_len

from aqmlab.tables.model import Medium, Table
from aqmlab.terminal.plain import plain_line

if TYPE_CHECKING:
    from collections.abc import Iterator

_BETWEEN = 2
"""Columns of a terminal between two columns of a table, and at its edges."""


def parts_within(table: Table, width: int) -> list[Table]:
    """The table in parts that fit a terminal's width.

    Args:
        table: A table whose first column names the rows; it stands in each part.
        width: Of the terminal, in characters. A single column that is wider is cut by the terminal.

    Returns:
        As few parts as there can be, of about the same width, from left to right. The first has the title; a
        caption would be wrapped to the width of its part, so that none has it.
    """
    part = table.shown_in(Medium.TERMINAL)
    groups = _even_groups(_widths(part), width)
    tables = [
        Table(
            tuple(part.columns[place] for place in (0, *places)),
            tuple(tuple(row[place] for place in (0, *places)) for row in part.rows),
        )
        for places in groups
    ]
    tables[0] = replace(tables[0], title=table.title)
    return tables


def _even_groups(widths: list[int], width: int) -> list[tuple[int, ...]]:
    """As many groups as the width needs, each as narrow as possible."""
    found = list(_groups(widths, width))
    for narrower in range(width - 1, 0, -1):
        groups = list(_groups(widths, narrower))
        if len(groups) > len(found):
            break
        found = groups
    return found


def _groups(widths: list[int], width: int) -> Iterator[tuple[int, ...]]:
    """The columns after the first one in each part."""
    places: list[int] = []
    for place in range(1, len(widths)):
        if places and widths[0] + sum(widths[each] for each in (*places, place)) + _BETWEEN > width:
            yield tuple(places)
            places = []
        places.append(place)
    yield tuple(places)


def _widths(table: Table) -> list[int]:
    """Of each column what its longest text takes, and the room beside it."""
    return [
        max(cell_len(text) for text in (*map(plain_line, column.terminal_head), *_texts(table, place)))
        + _BETWEEN
        for place, column in enumerate(table.columns)
    ]


def _texts(table: Table, place: int) -> Iterator[str]:
    for row in table.rows:
        cell = row[place]
        yield from (
            [plain_line(cell.short)]
            if cell.short is not None
            else (plain_line(line.text) for line in cell.lines)
        )
