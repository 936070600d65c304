"""What is printed below one another: sentences and tables, on a terminal, as text, or in a notebook."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from aqmlab import shown as objects
from aqmlab.show.tables.render import as_plain_text, to_notebook, to_terminal
from aqmlab.tables.model import Table
from aqmlab.tables.stored import save
from aqmlab.terminal.console import shown, wrapped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rich.console import Console

Kind = TypeVar("Kind")


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
    def written(part: Part) -> str:
        if isinstance(part, Table):
            return to_notebook([part])
        if isinstance(part, Unwrapped):
            return f"<pre>{html.escape(part.text)}</pre>\n"
        said = f"warning: {part.text}" if isinstance(part, Warned) else part
        return f"<p>{html.escape(said)}</p>\n"

    return "".join(map(written, parts))


def shows(
    kind: type[Kind],
    printed: Callable[[Kind], Iterable[Part]],
    table_of: Callable[[Kind], Table] | None = None,
) -> None:
    """Registers what objects of a class look like, as text and in notebooks, and their table in a file."""

    def parts(found: Any) -> list[Part]:  # noqa: ANN401 (of the class)
        timing = getattr(found, "live_timing", "")
        return [*([timing] if timing else []), *printed(found)]

    objects.text.register(kind)(lambda found: as_text(parts(found)))
    objects.html.register(kind)(lambda found: as_html(parts(found)))
    if table_of is not None:
        objects.save.register(kind)(lambda found, file: {"table": save(table_of(found), file)})
