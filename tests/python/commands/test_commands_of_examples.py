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
    "my_red.c": "test_schemes.py",
    "my_red.py": "test_schemes.py",
    "my_red_compiled.py": "test_schemes.py",
}
"""Files that no command at their head runs, and the tests that do."""


def _lines() -> list[str]:
    return [
        line
        for file, lines in examples_of_files().items()
        for line in ([f"aqmlab run examples/{file.name}"] if file.name.startswith(ALONE) else lines)
    ]


def test_every_file_is_run_somewhere() -> None:
    run = {file.name for file in examples_of_files()}
    for file in (ROOT / "examples").iterdir():
        if file.name not in run:
            test = (ROOT / "tests/python" / ELSEWHERE[file.name]).read_text(encoding="utf-8")
            assert file.name in test, file.name


@pytest.mark.parametrize("line", _lines())
def test_a_command_at_the_head_of_an_example_runs_to_its_end(line: str, tmp_path: Path, trial: Trial) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    trial.try_line(line, tmp_path)
