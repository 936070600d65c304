"""What people see of a table: HTML and terminal. What programs read of it is `aqmlab.tables.stored`."""

from __future__ import annotations

import html
import io
import re
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table as TerminalTable
from rich.text import Text

from aqmlab.show.tables.parts import head_lines, parts_within, widths_within
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
    """The table as an HTML fragment."""
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
    """The table for a terminal."""
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
