"""Texts on a terminal, in which nothing that a user wrote is read as markup.

Rich reads `[bold]`, `[/x]` and `:smile:` in every text that it is given. Here every text is shown as it is;
what would steer the terminal is written out (`aqmlab.terminal.spelling`).
"""

from __future__ import annotations

import textwrap
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING

import click

from aqmlab.terminal.spelling import plain, unbroken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console
    from rich.text import Text

_SPACE = "\N{NO-BREAK SPACE}"


_LEAST_COLUMNS = 20
"""What `COLUMNS` may say is less than a sentence needs."""


_FOR_PEOPLE = ContextVar("for people", default=True)


@contextmanager
def for_programs() -> Iterator[None]:
    """Meanwhile nothing is printed on standard output for people, which a program is about to read."""
    before = _FOR_PEOPLE.set(False)
    try:
        yield
    finally:
        _FOR_PEOPLE.reset(before)


def console(*, stderr: bool = False) -> Console:
    """A console that shows every text as it is."""
    quiet = not (stderr or _FOR_PEOPLE.get())
    found = _kind()(markup=False, emoji=False, highlight=False, stderr=stderr, quiet=quiet)
    found.width = max(found.width, _LEAST_COLUMNS)
    return found


@cache
def _kind() -> type[Console]:
    from rich.console import Console  # noqa: PLC0415 (a line needs none of it)

    class Told(Console):
        def on_broken_pipe(self) -> None:
            """Leaves it to the command: Rich would end with a code of its own, and mute what is left."""
            raise  # noqa: PLE0704 (Rich calls it where the error is handled)

    return Told


def say(text: str, *, err: bool = False) -> None:
    """Prints a line on standard output, or on standard error."""
    if err or _FOR_PEOPLE.get():
        click.echo(plain(text), err=err)


def shown(text: str, style: str = "") -> Text:
    """A text as it is, for a cell, a title or a line."""
    from rich.text import Text  # noqa: PLC0415

    return Text(plain(text), style=style)


def wrapped(sentence: str, columns: int) -> Text:
    """A sentence in lines of at most so many columns, none of which ends between a number and its unit."""
    from rich.text import Text  # noqa: PLC0415

    lines = textwrap.wrap(unbroken(plain(sentence)), columns, break_long_words=False, break_on_hyphens=False)
    return Text("\n".join(lines).replace(_SPACE, " "))
