"""A test that takes long and is not marked fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

TESTS = """
import subprocess, sys, time
import pytest

def work():
    end = time.process_time() + 0.4
    while time.process_time() < end:
        pass

def test_computes(): work()

def test_has_another_compute():
    subprocess.run([sys.executable, __file__], check=True)

@pytest.mark.exhaustive
def test_is_marked(): work()

def test_waits(): time.sleep(0.4)

if __name__ == "__main__":
    work()
"""


def test_what_computes_for_long_fails_unless_it_is_marked(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = exhaustive\n")
    shutil.copy(Path(__file__).with_name("conftest.py"), tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"],
        cwd=tmp_path, env={**os.environ, "AQMLAB_TEST_LIMIT_S": "0.3"},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    said = [line.split("::")[1].split()[0] for line in done.stdout.splitlines() if line.startswith("FAILED")]
    assert said == ["test_computes", "test_has_another_compute"], done.stdout
    assert "2 failed, 2 passed" in done.stdout
