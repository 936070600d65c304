"""What a terminal shows while something takes time: a bar over what can be counted, otherwise a line.

Bars are drawn by the thread that counts, not by one of their own: an interruption that arrives while that
thread holds the bar's lock would leave the other one waiting for ever.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from aqmlab.terminal.console import console
from aqmlab.terminal.spelling import counted, plain_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from types import TracebackType

Item = TypeVar("Item")


_WORTH_A_BAR = 200
"""Checking a stored result takes milliseconds; this many take a second."""


_DRAWN_EVERY_S = 0.1


def tracked(items: Collection[Item], *, label: str, hidden: bool) -> Iterator[Item]:
    """The items, with a bar on standard error while there are many of them to look at."""
    if hidden or len(items) < _WORTH_A_BAR:
        yield from items
    else:
        text = TextColumn("{task.description}", markup=False)
        screen = console(stderr=True)
        with Progress(text, BarColumn(), console=screen, transient=True, auto_refresh=False) as bar:
            yield from bar.track(items, description=plain_line(label))


@contextmanager
def waiting(label: str, *, hidden: bool = False) -> Iterator[None]:
    """A line on standard error, where that is a terminal, until what it names is done."""
    screen = console(stderr=True)
    if hidden or not screen.is_terminal:
        yield
        return
    with screen.status(plain_line(label)):
        yield


class Progressing(Protocol):
    """A callback for progress; an exception stops the runs."""

    def show(self, *, done_s: float, finished: int) -> None:
        """Called with the simulated seconds and runs done so far."""


class Bar:
    """Runs finished, the share of the simulated seconds that are done, time spent and time left.

    Written to standard error.
    """

    def __init__(self, *, label: str, runs: int, total_s: float, hidden: bool) -> None:
        self._progress = Progress(
            TextColumn("{task.description}{task.fields[finished]}/{task.fields[runs]}", markup=False),
            BarColumn(bar_width=None),
            TextColumn("{task.completed:,.0f}/{task.total:,.0f} simulated s"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console(stderr=True),
            disable=hidden,
            speed_estimate_period=60.0,
            auto_refresh=False,
        )
        self._drawn_s = 0.0
        description = f"{plain_line(label)}: " if label else ""
        self._task = self._progress.add_task(
            description, total=total_s, finished=0, runs=counted(runs, "run")
        )

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def show(self, *, done_s: float, finished: int) -> None:
        """Updates the bar with simulated seconds and finished runs."""
        now_s = time.monotonic()
        due = now_s - self._drawn_s >= _DRAWN_EVERY_S
        self._drawn_s = now_s if due else self._drawn_s
        self._progress.update(self._task, completed=done_s, finished=finished, refresh=due)
