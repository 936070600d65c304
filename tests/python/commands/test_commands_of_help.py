"""Every example of every `--help`, with what `pip install .` gives, on small files of the names shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commands.given import give
from commands.shown_commands import helps
from commands.trying import LIVE, of_studies

if TYPE_CHECKING:
    from pathlib import Path

    from commands.trying import Trial


@pytest.fixture(name="folders", scope="module")
def a_folder_for_each_help(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("help")


@pytest.mark.parametrize(
    ("command", "line"),
    [
        (command, line)
        for command, lines in helps().items()
        for line in lines
        if not of_studies(line)  # test_commands_of_pages.py, after the pages: they make what these lines read
    ],
)
def test_an_example_runs_to_its_end(command: str, line: str, folders: Path, trial: Trial) -> None:
    program = line.split(maxsplit=1)[0]
    if program == "flent" and not trial.bare.has(program):
        pytest.skip("flent is not installed")
    # Live runs are found again by nobody: their examples are each a first run.
    alone = line if line.startswith(LIVE) else ""
    folder = folders / f"{command} {alone}".strip().replace(" ", "-").replace("/", "-")
    folder.mkdir(exist_ok=True)
    give(line, folder, trial.bare)
    trial.try_line(line, folder)


def test_every_command_shows_an_example() -> None:
    assert [command for command, lines in helps().items() if not lines] == []
