"""What people see of a table: HTML and terminal. What programs read of it is `aqmlab.tables.stored`.

A table that is wider than the terminal has its heads and what names its rows broken between words. Where that
is not enough it goes into several parts. No number is ever cut.
"""

from __future__ import annotations

import html
import io
import re
import textwrap
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as TerminalTable
from rich.text import Text

from aqmlab.tables.model import Column, Medium, Standing, Table, TableCell
from aqmlab.terminal.console import wrapped
from aqmlab.terminal.spelling import plain_line, unbroken

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import ConsoleOptions, RenderableType

_NEGATIVE = re.compile(r"(?<![\w.)-])-(?=\d)")
_STYLES = {
    Standing.PLAIN: "",
    Standing.WITHIN: "green",
    Standing.PARTLY: "yellow",
    Standing.OUTSIDE: "red",
    Standing.ABSENT: "dim",
    Standing.REFERENCE: "dim",
}


def to_html(table: Table) -> str:
    part = table.shown_in(Medium.HTML)
    head = "".join(f"<tr>{row}</tr>\n" for row in _html_heads(part.columns))
    body = "\n".join(f"<tr>{''.join(map(_html_cell, part.columns, row))}</tr>" for row in part.rows)
    return f'<table class="cells">\n<thead>\n{head}</thead>\n<tbody>\n{body}\n</tbody>\n</table>\n'


def to_notebook(tables: Iterable[Table]) -> str:
    """Tables one below another with titles and captions, for notebooks, which show HTML as it is."""
    return "".join(
        f"<p><b>{html.escape(table.title)}</b></p>\n{to_html(table)}<p><small>{html.escape(table.caption)}</small></p>\n"
        for table in tables
    )


def _html_heads(columns: Sequence[Column[Any]]) -> list[str]:
    """The rows of the table's head: one, or two where columns share a heading."""
    if not any(column.group for column in columns):
        return ["".join(_html_head(column) for column in columns)]
    first = ""
    for group, found in groupby(columns, key=lambda column: column.group):
        members = list(found)
        if group:
            first += f'<th colspan="{len(members)}">{html.escape(group)}</th>'
        else:
            first += "".join(_html_head(column, ' rowspan="2"') for column in members)
    return [first, "".join(_html_head(column) for column in columns if column.group)]


def _html_head(column: Column[Any], attributes: str = "") -> str:
    words = ' class="text"' if column.words else ""
    return f"<th{words}{attributes}>{html.escape(column.title)}</th>"


def _html_cell(column: Column[Any], cell: TableCell) -> str:
    tag = "th" if column.heads_row else "td"
    only = cell.lines[0].standing if len(cell.lines) == 1 else Standing.PLAIN
    classes = " ".join(filter(None, ("text" if column.words and tag == "td" else "", only)))
    attributes = (f' class="{classes}"' if classes else "") + (
        f' title="{html.escape(cell.note)}"' if cell.note else ""
    )
    # Where a phone has no room for columns of text beside each other, each cell says what it is of.
    if column.words and tag == "td" and column.title:
        attributes += f' data-of="{html.escape(column.title)}"'
    written = unbroken if column.words else str
    lines = (_html_line(written(line.text)) for line in cell.lines)
    if len(cell.lines) > 1:
        lines = (
            f'<span class="{line.standing}">{_html_line(line.text)}</span>'
            if line.standing
            else _html_line(line.text)
            for line in cell.lines
        )
    return f"<{tag}{attributes}>{'<br>'.join(lines)}</{tag}>"


def _html_line(words: str) -> str:
    """Escaped, with a minus sign in front of negative numbers, as on the axes of figures."""
    return _NEGATIVE.sub("\N{MINUS SIGN}", html.escape(words))


@dataclass(frozen=True)
class InTerminal:
    """A table as a terminal prints it: in parts, where it is wider than that."""

    table: Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        width = options.max_width
        # Title and caption have the whole width: a narrow table would break them in pieces.
        yield from _lines(self.table.title, width, "table.title")
        yield from (_drawn(part, width) for part in parts_within(self.table, width))
        yield from _lines(self.table.caption, width, "table.caption")


def to_terminal(table: Table, *, title: str | None = None) -> InTerminal:
    return InTerminal(table if title is None else replace(table, title=title))


def _lines(text: str, width: int, style: str) -> Iterator[Text]:
    """What stands above or below a table, in lines none of which ends between a number and its unit."""
    for line in text.splitlines():
        lines = wrapped(line, width)
        lines.stylize(style)
        yield lines


def _drawn(part: Table, width: int) -> TerminalTable:
    drawn = TerminalTable(
        header_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    stacked = any(column.stacked for column in part.columns)
    for column, room in zip(part.columns, widths_within(part, width), strict=True):
        left = column.words or column.heads_row
        above = [plain_line(column.terminal_head[0])] if stacked else []
        # In a narrow terminal names go on in the next line: a cut name, or number, reads as another.
        drawn.add_column(
            Text("\n".join([*above, *head_lines(column, room)])),
            justify="left" if left else "right",
            max_width=room,
            overflow="fold",
        )
    last: tuple[TableCell, ...] = ()
    for row in part.rows:
        repeated = (bool(last) and one == other for one, other in zip(row, last or row, strict=True))
        cells = [
            Text() if column.heads_row and again else _terminal_cell(cell)
            for column, cell, again in zip(part.columns, row, repeated, strict=True)
        ]
        drawn.add_row(*cells, end_section=any(cell.short is None and len(cell.lines) > 1 for cell in row))
        last = row
    return drawn


def as_plain_text(table: Table, *, width: int = 100) -> str:
    """The table as text of a given width, without colours."""
    screen = Console(file=io.StringIO(), width=width, color_system=None, force_terminal=False)
    with screen.capture() as captured:
        screen.print(to_terminal(table))
    return captured.get().rstrip()


def _terminal_cell(cell: TableCell) -> Text:
    if cell.short is not None:
        standing = cell.lines[0].standing if cell.lines else Standing.PLAIN
        return Text(plain_line(cell.short), _STYLES[standing])
    return Text("\n").join(Text(plain_line(line.text), _STYLES[line.standing]) for line in cell.lines)


# ------------------------------------------------------------------------------------- in parts on a terminal


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
    """What a column takes of a terminal, in characters."""

    whole: int  # with every text in a line
    usual: int  # with long heads and names broken between words
    least: int  # with words alone in a line


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
