"""What Windows does not have is absent here: everything but live runs works without."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from aqmlab.files import locks
from aqmlab.files.folders import PARTIAL_PREFIX, complete_or_absent

if TYPE_CHECKING:
    from pathlib import Path

_WITHOUT_POSIX = """
import os, signal, sys
for module in ("fcntl", "resource", "pwd", "grp", "termios", "pty", "tty", "curses"):
    sys.modules[module] = None
for name in ("geteuid", "getuid", "getgid", "getegid", "killpg", "sched_getaffinity", "setsid", "getpgid"):
    delattr(os, name)
for name in ("SIGHUP", "SIGUSR1", "pthread_sigmask", "setitimer"):
    delattr(signal, name)
sys.argv = ["aqmlab", *sys.argv[1:]]
from aqmlab.cli import main
main()
"""


def without_posix(folder: Path, *arguments: str) -> str:
    """What a command prints where the modules and functions of POSIX are absent."""
    made = subprocess.run(
        [sys.executable, "-c", _WITHOUT_POSIX, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    return made.stdout


@pytest.mark.exhaustive
def test_a_household_is_written_run_compared_and_reported_without_the_modules_of_posix(
    tmp_path: Path,
) -> None:
    assert "aqmlab new home" in without_posix(tmp_path, "--help")
    (tmp_path / "home.toml").write_text(without_posix(tmp_path, "new", "home"))
    short = ("--set", "duration_s=60")
    assert "kept in" in without_posix(tmp_path, "run", "home.toml", *short)
    compared = ("compare", "home.toml", "--schemes", "pie,cake", "--seeds", "1", *short, "--output", "both")
    assert "Report:" in without_posix(tmp_path, *compared)
    assert sorted(each.name for each in (tmp_path / "both").iterdir()) == [
        "cake",
        "comparison.csv",
        "comparison.json",
        "pie",
        "report.html",
    ]


@pytest.mark.parametrize(("age_s", "is_left"), [(0.0, True), (locks.ABANDONED_AFTER_S + 60.0, False)])
def test_where_there_are_no_locks_a_temporary_folder_is_abandoned_after_a_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, age_s: float, is_left: bool
) -> None:
    monkeypatch.setattr(locks, "HAS_LOCKS", False)
    other = tmp_path / f"{PARTIAL_PREFIX}other"
    other.mkdir()
    (other / "run.json").write_text("{}")
    written_s = other.stat().st_mtime - age_s
    os.utime(other, (written_s, written_s))
    with complete_or_absent(tmp_path / "kept") as folder:
        (folder / "run.json").write_text("{}")
    assert (tmp_path / "kept" / "run.json").is_file()
    assert other.exists() == is_left


def test_doctor_says_on_other_systems_that_live_runs_need_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    from aqmlab.runs.live.requirements import needs

    monkeypatch.setattr(sys, "platform", "win32")
    assert [str(need) for need in needs()] == ["MISSING  Linux: run it on Linux, or in a virtual machine"]
