"""Ctrl-C, a closed terminal and `kill`: commands end cleanly, and what had finished is there."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import time
from pathlib import Path

import pytest

from aqmlab import Result
from aqmlab.files.folders import PARTIAL_PREFIX
from small import WEB, aqmlab_process, buffering, command
from watched_processes import LONG_S, ignores, wait_until

pytestmark = pytest.mark.exhaustive  # dozens of processes

SIGNALS = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)
# Enough runs that a signal finds some finished and others not; each takes a fraction of a second.
LONG = {
    "compare": ("compare", "web.toml", "--schemes", "drop-tail,red", "--seeds", "1-200", "--output", "out"),
    "sweep": ("sweep", "sweep.toml", "--store", "out"),
    "tune": (
        "tune", "web.toml", "--trials", "40", "--seeds", "1-20", "--store", "out", "--output", "found",
    ),
}  # fmt: skip


@pytest.fixture(name="folder")
def a_folder(tmp_path: Path) -> Path:
    (tmp_path / "web.toml").write_text(WEB)
    (tmp_path / "sweep.toml").write_text(
        'name = "s"\nscenario = "web.toml"\nreplications = 100\n[grid]\n"users.left" = [100, 150]\n'
    )
    return tmp_path


def results_in(folder: Path) -> list[Path]:
    # Partial folders come and go while this looks, which `rglob` does not bear.
    return [
        Path(place)
        for place, _, files in os.walk(folder)
        if "run.json" in files and PARTIAL_PREFIX not in place
    ]


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
@pytest.mark.parametrize("name", LONG)
def test_a_signal_ends_a_command_and_keeps_what_had_finished(
    name: str, number: signal.Signals, folder: Path
) -> None:
    process = subprocess.Popen(
        command(*LONG[name], "--workers", "2"),
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    wait_until(lambda: len(results_in(folder)) >= 2, process)
    process.send_signal(number)
    _, errors = process.communicate(timeout=LONG_S)
    assert process.returncode == 128 + number
    by = "" if number is signal.SIGINT else f" by {number.name}"
    assert errors.splitlines()[-1].startswith(
        f"aqmlab: interrupted{by}; finished runs are kept, and the same command resumes"
    )
    assert "Traceback" not in errors
    kept = results_in(folder)
    assert 2 <= len(kept) < 400
    for each in kept:
        Result.load(each)
    assert not list(folder.rglob(f"{PARTIAL_PREFIX}*"))


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_a_signal_ends_play_with_its_runs(number: signal.Signals, folder: Path) -> None:
    process = subprocess.Popen(
        command("play", "web.toml", "--no-browser", "--seconds", "5"),
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    next(line for line in process.stdout if line.startswith("http://"))
    process.send_signal(number)
    _, errors = process.communicate(timeout=LONG_S)
    assert (process.returncode, errors) == (0, "")


def test_a_terminal_that_is_closed_ends_a_sweep_and_its_workers(folder: Path) -> None:
    """Nothing can be written any more: the hangup comes from the kernel, and standard error fails."""
    child, terminal = pty.fork()
    if not child:
        os.chdir(folder)
        os.execvpe(command()[0], command(*LONG["sweep"], "--workers", "2"), buffering())  # noqa: S606
    end = time.monotonic() + LONG_S
    while len(results_in(folder)) < 2:
        assert time.monotonic() < end
        # A terminal shows what is written to it, so that there is always room.
        if select.select([terminal], [], [], 0.05)[0]:
            os.read(terminal, 65_536)
    os.close(terminal)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 128 + signal.SIGHUP
    for each in results_in(folder):
        Result.load(each)
    assert not list(folder.rglob(f"{PARTIAL_PREFIX}*"))


def test_under_nohup_a_closed_terminal_is_no_news(folder: Path) -> None:
    process = subprocess.Popen(
        ["nohup", *command("run", "web.toml", "--output", "out", "--quiet")],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    wait_until(lambda: ignores(process.pid, signal.SIGHUP), process)
    process.send_signal(signal.SIGHUP)
    _, errors = process.communicate(timeout=LONG_S)
    assert process.returncode == 0, errors
    assert aqmlab_process("run", "web.toml", "--output", "out", "--quiet", cwd=folder).returncode == 0
