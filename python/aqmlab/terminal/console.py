"""Tables and lines on a terminal, in which nothing that a user wrote is read as markup.

Rich reads `[bold]`, `[/x]` and `:smile:` in every text that it is given. Here every text is shown as it is;
what would steer the terminal is written out (`aqmlab.terminal.plain`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from rich import table as rich_table
from rich.console import Console
from rich.text import Text

from aqmlab.terminal.plain import plain, plain_line

if TYPE_CHECKING:
    from rich.console import RenderableType


def console(*, minimum_columns: int = 0, stderr: bool = False) -> Console:
    """A console that shows every text as it is; narrower terminals wrap the lines of wide tables."""
    found = Console(markup=False, emoji=False, highlight=False, stderr=stderr)
    found.width = max(found.width, minimum_columns)
    return found


def say(text: str, *, err: bool = False) -> None:
    """Prints a line on standard output, or on standard error."""
    click.echo(plain(text), err=err)


def shown(text: str, style: str = "") -> Text:
    """A text as it is, for a cell, a title or a line."""
    return Text(plain(text), style=style)


class Table(rich_table.Table):
    """A table whose cells, headings, title and caption are shown as they are, on any console."""

    def __init__(self, *, title: str = "", caption: str = "", **more: Any) -> None:  # noqa: ANN401  (as in Rich)
        super().__init__(title=shown(title, "table.title"), caption=shown(caption, "table.caption"), **more)

    def add_column(self, header: RenderableType = "", *more: Any, **options: Any) -> None:  # noqa: ANN401
        """Adds a column; its heading is no markup."""
        super().add_column(_cell(header), *more, **options)

    def add_row(self, *cells: RenderableType | None, **options: Any) -> None:  # noqa: ANN401
        """Adds a row; its cells are no markup."""
        super().add_row(*map(_cell, cells), **options)


def _cell(content: RenderableType | None) -> RenderableType:
    return Text(plain_line(content)) if isinstance(content, str) else content or ""
