"""Every command that README, the tutorial and the help texts show, as they stand there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from aqmlab.cli import commands
from documented import ROOT, blocks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from documented import Block

FOLLOWED = ("README.md", "docs/tutorial/first-comparison.md")
"""The pages that a newcomer follows from the first line to the last."""

_PROGRAMS = ("aqmlab ", "cc ", "flent ")


@dataclass(frozen=True)
class Step:
    """What a reader of a page does next.

    Attributes:
        place: Where it stands.
        kind: `file`, `sh` or `python`.
        text: A line of shell, a program, or what is in the file.
        name: The file's name.
    """

    place: str
    kind: str
    text: str
    name: str = ""

    def __str__(self) -> str:
        """What a test of it is called."""
        return f"{self.place} {self.name or self.text.splitlines()[0]}"


def steps(page: str) -> list[Step]:
    """The steps of a page, in order."""
    return [step for block in blocks(ROOT / page) for step in _steps(block)]


def _steps(block: Block) -> Iterator[Step]:
    if block.kind in {"scenario", "sweep", "file"} and block.name:
        yield Step(block.place, "file", block.text, name=block.name)
    elif block.language == "python" and block.kind == "run":
        yield Step(block.place, "python", block.text)
    elif block.language == "sh":
        for line in lines_of(block):
            yield Step(block.place, "sh", line)


def lines_of(block: Block) -> list[str]:
    """The commands of a block, without what is said about them."""
    lines = [re.sub(r"(^|\s+)#\s.*", "", line).strip() for line in block.text.splitlines()]
    return [line for line in lines if line]


def helps() -> dict[str, list[str]]:
    """The commands that each help text shows, by the command whose help it is."""
    return {name: examples(text) for name, text in help_texts().items()}


def help_texts() -> dict[str, str]:
    """The help text of each command."""
    return dict(_help_texts(commands, "aqmlab"))


def _help_texts(command: click.Command, name: str) -> Iterator[tuple[str, str]]:
    yield name, command.help or ""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for each in command.list_commands(context):
            below = command.get_command(context, each)
            assert below is not None
            yield from _help_texts(below, f"{name} {each}")


def examples(text: str) -> list[str]:
    """The lines of a help text that are commands, without what is said about them."""
    joined = re.sub(r"\s*\\\n\s*", " ", text)
    lines = [line.strip() for line in joined.splitlines() if line.startswith("      ")]
    return [re.split(r" {3,}", line, maxsplit=1)[0] for line in lines if line.startswith(_PROGRAMS)]


def examples_of_files() -> dict[Path, list[str]]:
    """The commands that the heads of the files of `examples/` show; `aqmlab run FILE` where there is none."""
    found = {}
    for file in sorted((ROOT / "examples").glob("*.toml")):
        shown = [line.removeprefix("#").strip() for line in file.read_text(encoding="utf-8").splitlines()]
        lines = [line for line in shown if line.startswith(_PROGRAMS)]
        found[file] = lines or [f"aqmlab run examples/{file.name}"]
    return found
