"""Hundreds of damaged files of every kind: success or one clear message, never a traceback or a hang.

`make fuzz-files` tries more. A finding is printed with the command that tries its case again.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


# The first thousand of seed 1, always the same.
@pytest.mark.parametrize(
    ("first", "cases"),
    [(0, 60), pytest.param(60, 940, marks=pytest.mark.exhaustive)],
    ids=["some", "the others"],
)
def test_damaged_files_are_refused_or_read_and_nothing_else(first: int, cases: int, tmp_path: Path) -> None:
    current = tmp_path / "current"
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parent),
        "FILE_FUZZER_CURRENT": str(current),
    }
    done = subprocess.run(
        [sys.executable, "-m", "file_fuzzer", "--seed=1", f"--first={first}", f"--cases={cases}"],
        capture_output=True, text=True, errors="replace", timeout=1200, check=False, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, f"{current.read_text()}{done.stdout[-8000:]}{done.stderr[-4000:]}"
    assert f"{cases} cases, 0 findings" in done.stdout
