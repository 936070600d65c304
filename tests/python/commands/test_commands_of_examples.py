"""Every file of `examples/`, by the commands at its head."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from commands.shown_commands import examples_of_files
from documented import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from commands.trying import Trial

ALONE = "live_"
"""Files for live runs of six minutes that need the machine for themselves: here they are simulated."""

ELSEWHERE = {
    "a_queue_in_class.ipynb": "test_notebook.py",
    "my_agent.py": "test_environments.py",
    "my_aimd.c": "test_own_controllers_in_c.py",
    "my_aimd.py": "test_own_controllers.py",
    "my_pages.py": "test_own_models.py",
    "my_policer.c": "test_own_schedulers.py",
    "my_policer.py": "test_own_schedulers.py",
    "my_red.c": "test_schemes.py",
    "my_red.py": "test_schemes.py",
    "my_red_compiled.py": "test_schemes.py",
    "my_slots.c": "test_own_schedulers.py",
    "my_slots.py": "test_own_schedulers.py",
    "my_trained_limit.py": "test_environments.py",
}
"""Files that no command at their head runs, and the tests that do."""


def _lines() -> list[tuple[str, str]]:
    return [
        (file.stem, line)
        for file, lines in examples_of_files().items()
        for line in ([f"aqmlab run examples/{file.name}"] if file.name.startswith(ALONE) else lines)
    ]


@pytest.fixture(name="folders", scope="module")
def a_folder_for_each_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("examples")


def test_every_file_is_run_somewhere() -> None:
    run = {file.name for file in examples_of_files()}
    for file in (ROOT / "examples").iterdir():
        if file.name not in run:
            test = (ROOT / "tests/python" / ELSEWHERE[file.name]).read_text(encoding="utf-8")
            assert file.name in test, file.name


@pytest.mark.parametrize(("file", "line"), _lines())
def test_a_command_at_the_head_of_an_example_runs_to_its_end(
    file: str, line: str, folders: Path, trial: Trial
) -> None:
    """One after another in one folder, as a reader of the file gives them."""
    folder = folders / file
    if not folder.exists():
        shutil.copytree(ROOT / "examples", folder / "examples")
    trial.try_line(line, folder)
