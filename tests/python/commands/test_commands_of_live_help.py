"""Every example of `--help` that makes live runs: these wait, and leave the processors to others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from commands.examples_of_help import of_help, try_example
from commands.trying import LIVE

if TYPE_CHECKING:
    from pathlib import Path

    from commands.trying import Trial


@pytest.mark.parametrize(("command", "line"), of_help(lambda line: line.startswith(LIVE)))
def test_an_example_runs_to_its_end(command: str, line: str, tmp_path: Path, trial: Trial) -> None:
    try_example(command, line, tmp_path, trial)
