"""The examples of the help texts, tried each in a folder of its command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commands.given import give
from commands.shown_commands import helps
from commands.trying import LIVE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from commands.trying import Trial


def of_help(is_meant: Callable[[str], bool]) -> list[tuple[str, str]]:
    """The commands with those lines of their help that are meant."""
    return [(command, line) for command, lines in helps().items() for line in lines if is_meant(line)]


def try_example(command: str, line: str, folders: Path, trial: Trial) -> None:
    """Runs a line to its end, on small files of the names shown."""
    # Live runs are found again by nobody: their examples are each a first run.
    alone = line if line.startswith(LIVE) else ""
    folder = folders / f"{command} {alone}".strip().replace(" ", "-").replace("/", "-")
    folder.mkdir(exist_ok=True)
    give(line, folder, trial.bare)
    trial.try_line(line, folder)
