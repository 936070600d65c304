"""What is printed below one another: sentences and tables, on a terminal, as text, or in a notebook."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from aqmlab.show.tables.render import as_plain_text, to_notebook, to_terminal
from aqmlab.tables.model import Table
from aqmlab.terminal.console import shown, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console


WIDTH = 100
"""Columns of what is printed without a terminal."""


@dataclass(frozen=True, slots=True)
class Unwrapped:
    """Lines to copy, which no terminal breaks."""

    text: str
    style: str = ""


@dataclass(frozen=True, slots=True)
class Warned:
    """A sentence that warns."""

    text: str


Part: TypeAlias = "str | Unwrapped | Warned | Table"
"""A sentence, one that warns, lines to copy, or a table."""


def on(screen: Console, parts: Iterable[Part]) -> None:
    """Prints them on a terminal."""
    for part in parts:
        if isinstance(part, Table):
            screen.print(to_terminal(part))
        elif isinstance(part, Unwrapped):
            screen.print(shown(part.text, part.style), soft_wrap=True)
        elif isinstance(part, Warned):
            screen.print(wrapped(f"warning: {part.text}", screen.width), style="yellow")
        else:
            screen.print(wrapped(part, screen.width))


def as_text(parts: Iterable[Part], *, width: int = WIDTH) -> str:
    """The same as text, whose tables are of this width."""

    def written(part: Part) -> str:
        if isinstance(part, Table):
            return as_plain_text(part, width=width)
        if isinstance(part, Warned):
            return f"warning: {part.text}"
        return part.text if isinstance(part, Unwrapped) else part

    return "\n".join(map(written, parts))


def as_html(parts: Iterable[Part]) -> str:
    """The same as HTML for notebooks."""

    def written(part: Part) -> str:
        if isinstance(part, Table):
            return to_notebook([part])
        if isinstance(part, Unwrapped):
            return f"<pre>{html.escape(part.text)}</pre>\n"
        said = f"warning: {part.text}" if isinstance(part, Warned) else part
        return f"<p>{html.escape(said)}</p>\n"

    return "".join(map(written, parts))
