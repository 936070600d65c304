"""The gate that sees time, on programs that take as long as they say."""

import subprocess
import sys
from pathlib import Path

import pytest

PAIRS = Path(__file__).parents[2] / "tools" / "bench" / "pairs.py"


def program(folder: Path, name: str, rounds: int) -> Path:
    """A program that counts to a number, and says that it has sent a thousand packets."""
    file = folder / name
    counting = f"i=0; while [ $i -lt {rounds} ]; do i=$((i + 1)); done; echo '{{\"packets\": 1000}}'"
    file.write_text(f"#!/bin/sh\n{counting}\n")
    file.chmod(0o755)
    return file


def compared(own: Path, release: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PAIRS), "--own", str(own), "--release", str(release), "--pairs", "8"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.skipif(sys.platform == "win32", reason="programs are scripts of the shell")
def test_it_refuses_what_takes_longer_and_passes_what_does_not(tmp_path: Path) -> None:
    release = program(tmp_path, "release", 8_000)
    made = compared(program(tmp_path, "slow", 12_000), release)
    assert made.returncode == 1, made.stdout + made.stderr
    assert "once more, 16 pairs" in made.stdout
    for own in (release, program(tmp_path, "fast", 5_500)):
        made = compared(own, release)
        assert made.returncode == 0, made.stdout + made.stderr
