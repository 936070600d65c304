"""Every example of every `--help`, with what `pip install .` gives, on small files of the names shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commands.examples_of_help import of_help, try_example
from commands.shown_commands import helps
from commands.trying import LIVE, of_studies

if TYPE_CHECKING:
    from pathlib import Path

    from commands.trying import Trial


@pytest.fixture(name="folders", scope="module")
def a_folder_for_each_help(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("help")


# Studies come after the pages, which make what these lines read; live runs have a file of their own.
@pytest.mark.parametrize(
    ("command", "line"), of_help(lambda line: not of_studies(line) and not line.startswith(LIVE))
)
def test_an_example_runs_to_its_end(command: str, line: str, folders: Path, trial: Trial) -> None:
    try_example(command, line, folders, trial)


def test_every_command_shows_an_example() -> None:
    assert [command for command, lines in helps().items() if not lines] == []
