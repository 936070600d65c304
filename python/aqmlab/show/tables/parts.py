"""A wide table as several narrow ones, below one another on a terminal.

A table that is wider than the terminal has its heads and what names its rows broken between words. Where that
is not enough it goes into several parts. No number is ever cut.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rich.cells import cell_len

from aqmlab.tables.model import Medium, Table
from aqmlab.terminal.spelling import plain_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aqmlab.tables.model import Column, TableCell

_BETWEEN = 2
"""Columns of a terminal between two columns of a table, and at its two edges together."""
_NAME = 26
"""So much room a name of a row, or words that may be broken, have before a table goes into parts."""
_HEAD = 14
"""The same of a head above short numbers."""


_PARAMETER, _BREAK = re.compile(r":(?=\S)"), ": "
"""Where a scheme with parameters may be broken: `codel:target_ms=20`."""


@dataclass(frozen=True, slots=True)
class Room:
    """What a column takes of a terminal, in characters.

    Attributes:
        whole: With every text in a line.
        usual: With long heads and names broken between words.
        least: With words alone in a line.
    """

    whole: int
    usual: int
    least: int


def parts_within(table: Table, width: int) -> list[Table]:
    """The table in parts that fit a terminal's width.

    Args:
        table: A table whose first columns name the rows; they stand in each part.
        width: Of the terminal, in characters. A single word that is wider is broken by the terminal.

    Returns:
        As few parts as there can be, of about the same width, from left to right. The first has the title; a
        caption would be wrapped to the width of its part, so that none has it.
    """
    part = table.shown_in(Medium.TERMINAL)
    rooms, heads = rooms_of(part), heading_columns(part)
    if fits([room.usual for room in rooms], width):
        return [Table(part.columns, part.rows, table.title)]
    groups = _even_groups([room.usual for room in rooms], heads, width)
    tables = [
        Table(
            tuple(part.columns[place] for place in (*range(heads), *places)),
            tuple(tuple(row[place] for place in (*range(heads), *places)) for row in part.rows),
        )
        for places in groups
    ]
    tables[0] = replace(tables[0], title=table.title)
    return tables


def heading_columns(table: Table) -> int:
    """How many columns say what a row is of: one, or as many as are declared to."""
    naming = (place for place, column in enumerate(table.columns, 1) if column.heads_row or column.names_row)
    return max(naming, default=1)


def fits(widths: Sequence[int], width: int) -> bool:
    """Whether columns of these widths have room beside each other."""
    return sum(each + _BETWEEN for each in widths) <= width


def widths_within(table: Table, width: int) -> list[int]:
    """How wide each column of a part is: as wide as its texts, the widest ones broken where it has to be."""
    rooms = rooms_of(table)
    widths = [room.whole for room in rooms]
    while not fits(widths, width):
        room, place = max((widths[place] - each.least, place) for place, each in enumerate(rooms))
        if room <= 0:
            break
        widths[place] -= 1
    return widths


def rooms_of(table: Table) -> list[Room]:
    """What each column of a terminal's table takes."""
    heads = heading_columns(table)
    return [_room(table, place, names=place < heads) for place in range(len(table.columns))]


def head_lines(column: Column[object], width: int) -> list[str]:
    """What stands above a column of so many characters, without its group.

    A scheme with parameters is broken between these as well.
    """
    head = plain_line(column.terminal_head[1])
    if cell_len(head) <= width:
        return [head]
    lines = textwrap.wrap(_PARAMETER.sub(_BREAK, head), width, break_on_hyphens=False)
    return [line.replace(_BREAK, ":") for line in lines]


def _room(table: Table, place: int, *, names: bool) -> Room:
    column = table.columns[place]
    group, head = map(plain_line, column.terminal_head)
    group = group if any(each.stacked for each in table.columns) else ""
    cells = [text for row in table.rows for text in _texts(row[place])]
    longest, least = max(map(cell_len, cells), default=0), _longest_word([_PARAMETER.sub(_BREAK, head)])
    broken = max(least, min(cell_len(head), max(longest, _HEAD)))
    own, usual = longest, longest
    if names or column.wraps:
        own, usual = _longest_word(cells), min(longest, max(_longest_word(cells), _NAME))
    return Room(
        whole=max(longest, cell_len(head), cell_len(group)),
        usual=max(usual, broken, cell_len(group)),
        least=max(own, least, cell_len(group)),
    )


def _longest_word(texts: Sequence[str]) -> int:
    return max((cell_len(word) for text in texts for word in text.split()), default=0)


def _even_groups(widths: list[int], heads: int, width: int) -> list[tuple[int, ...]]:
    """As many groups as the width needs, each as narrow as possible."""
    found = list(_groups(widths, heads, width))
    for narrower in range(width - 1, 0, -1):
        groups = list(_groups(widths, heads, narrower))
        if len(groups) > len(found):
            break
        found = groups
    return found


def _groups(widths: list[int], heads: int, width: int) -> Iterator[tuple[int, ...]]:
    """The columns behind those that name the rows, in each part."""
    places: list[int] = []
    for place in range(heads, len(widths)):
        beside = [*widths[:heads], *(widths[each] for each in (*places, place))]
        if places and not fits(beside, width):
            yield tuple(places)
            places = []
        places.append(place)
    yield tuple(places)


def _texts(cell: TableCell) -> Iterator[str]:
    if cell.short is not None:
        yield plain_line(cell.short)
    else:
        yield from (plain_line(line.text) for line in cell.lines)
