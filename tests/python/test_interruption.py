"""Ctrl-C, `kill -9` and full disks, on the real command in a process of its own."""

from __future__ import annotations

import os
import resource
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from aqmlab import Result
from aqmlab.files.folders import PARTIAL_PREFIX
from small import BULK, aqmlab_process, buffering, command
from watched_processes import LONG_S, interrupt, start, wait_until

ENDLESS = ("--set", "duration_s=1000000")


@pytest.fixture(name="scenario")
def scenario_file(tmp_path: Path) -> Path:
    file = tmp_path / "bulk.toml"
    file.write_text(BULK)
    return file


def is_computing(process: subprocess.Popen[str]) -> bool:
    """Whether a thread of its own has used a third of a second of processor time."""
    own = [
        thread for thread in Path(f"/proc/{process.pid}/task").iterdir() if thread.name != str(process.pid)
    ]
    return max(map(ticks_of, own), default=0) > os.sysconf("SC_CLK_TCK") / 3


def ticks_of(thread: Path) -> int:
    """Its processor time; none of one that has ended since it was listed, as those that estimate a run do."""
    try:
        stat = (thread / "stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(stat.rsplit(")", 1)[1].split()[11])


ENDINGS = [(signal.SIGINT, ""), (signal.SIGTERM, " by SIGTERM"), (signal.SIGHUP, " by SIGHUP")]


@pytest.mark.parametrize(("number", "by"), ENDINGS)
def test_ctrl_c_stops_within_a_second_and_leaves_nothing(
    number: signal.Signals, by: str, scenario: Path, tmp_path: Path
) -> None:
    process = start(
        "run", scenario, *ENDLESS, "--seeds", "1-3", "--workers", "2", "--output", tmp_path / "out"
    )
    wait_until(lambda: is_computing(process), process)
    errors, used_s = interrupt(process, number)
    assert used_s < 2.0, "a second of each of two threads"
    assert process.returncode == 128 + number
    assert errors.splitlines()[-1].startswith(
        f"aqmlab: interrupted{by}; finished runs are kept, and the same command resumes"
    )
    assert "Traceback" not in errors
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bulk.toml"]


# CPython's `Py_RunMain` remembers an interruption that ended the text, also where it is caught after that.
RUNS_A_TEXT = """
import ctypes
text = b"import os, signal, time; os.kill(os.getpid(), signal.SIGINT); time.sleep(60)\\n"
run = ctypes.pythonapi.PyRun_String
run.restype = ctypes.py_object
run.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.py_object, ctypes.py_object]
run(text, 257, {}, {})
"""


def test_ctrl_c_in_a_text_that_a_library_runs_is_told_by_the_same_code(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(RUNS_A_TEXT)
    process = start("explain", tmp_path / "own.py:Own")
    _, errors = process.communicate(timeout=LONG_S)
    assert process.returncode == 130, errors
    assert errors.splitlines()[-1].startswith("aqmlab: interrupted")


def test_a_command_that_stores_no_runs_does_not_promise_to_resume(tmp_path: Path) -> None:
    process = start("evaluate", "cubic", "--only", "7.5", "--seeds", "1-60", "--output", tmp_path / "m.csv")
    wait_until(lambda: is_computing(process), process)
    errors, _ = interrupt(process, signal.SIGINT)
    assert process.returncode == 130
    assert errors.splitlines()[-1] == "aqmlab: interrupted; no run is kept"
    assert list(tmp_path.iterdir()) == []


def test_a_terminal_that_is_gone_ends_the_command_as_it_ended(scenario: Path, tmp_path: Path) -> None:
    """Nobody reads what it says any more, and nothing is left for that."""
    ours, its = os.openpty()
    arguments = command("run", scenario, *ENDLESS, "--output", tmp_path / "out")
    process = subprocess.Popen(
        arguments, stdin=its, stdout=its, stderr=its, text=True, start_new_session=True, env=buffering()
    )
    os.close(its)
    wait_until(lambda: is_computing(process), process)
    os.close(ours)
    process.send_signal(signal.SIGHUP)
    assert process.wait(timeout=LONG_S) == 128 + signal.SIGHUP
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bulk.toml"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_the_command_was_started_without_is_not_heard(
    number: signal.Signals, scenario: Path, tmp_path: Path
) -> None:
    before = signal.signal(number, signal.SIG_IGN)  # as nohup(1) does; it is inherited
    try:
        process = start("run", scenario, *ENDLESS, "--output", tmp_path / "out")
    finally:
        signal.signal(number, before)
    wait_until(lambda: is_computing(process), process)
    process.send_signal(number)
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=LONG_S)
    assert process.returncode == 130


def test_what_finished_before_ctrl_c_is_kept_and_not_made_again(scenario: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = aqmlab_process("run", scenario, "--seeds", "1-2", "--output", out, "--quiet")
    assert first.returncode == 0, first.stderr
    before = (out / "seed-1" / "run.json").stat().st_mtime_ns
    second = aqmlab_process("run", scenario, "--seeds", "1-3", "--output", out, "--quiet")
    assert second.stdout.splitlines() == [str(out / f"seed-{seed}") for seed in (1, 2, 3)]
    assert (out / "seed-1" / "run.json").stat().st_mtime_ns == before


@pytest.mark.exhaustive
def test_kill_leaves_no_result_that_looks_complete_and_the_same_command_goes_on(
    scenario: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    arguments = ("run", scenario, "--seeds", "1-200", "--output", out, "--workers", "2", "--quiet")
    process = start(*arguments)
    wait_until((out / "seed-5").exists, process)
    process.kill()
    process.communicate(timeout=LONG_S)
    survivors = list(out.glob("seed-*"))
    assert 0 < len(survivors) < 200
    for folder in survivors:
        Result.load(folder)
    finished = aqmlab_process(*arguments)
    assert finished.returncode == 0, finished.stderr
    assert len(list(out.glob("seed-*"))) == 200
    assert not list(out.glob(PARTIAL_PREFIX + "*"))


def test_a_disk_that_fills_up_is_told_and_leaves_nothing(scenario: Path, tmp_path: Path) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    arguments = command("run", scenario, "--output", tmp_path / "out" / "result")
    done = subprocess.run(
        arguments, capture_output=True, text=True, timeout=120, check=False, preexec_fn=limit
    )
    assert done.returncode == 1
    assert f"aqmlab: {tmp_path}/out/result: the result was not kept: no space left" in done.stderr
    assert "Traceback" not in done.stderr
    assert list((tmp_path / "out").iterdir()) == []


def test_a_full_file_system_is_told_and_leaves_nothing(scenario: Path, tmp_path: Path) -> None:
    """On a small file system where this machine lets one be mounted, else on one that says it is full."""
    small = tmp_path / "small"
    small.mkdir()
    run = f"{shlex.join(command('run', str(scenario), '--output', str(small / 'result')))}; echo code $?"
    mounted = f"mount -t tmpfs -o size=16k none {small} || exit 77; {run}; ls -A {small}"
    for namespace in (["unshare", "--user", "--map-root-user", "--mount"], ["unshare", "--mount"]):
        if shutil.which("unshare") is not None:
            done = subprocess.run(
                [*namespace, "sh", "-c", mounted], capture_output=True, text=True, timeout=120, check=False
            )
            if done.returncode != 77 and "unshare:" not in done.stderr:
                break
    else:
        done = subprocess.run(
            ["sh", "-c", run.replace(" -m aqmlab ", f" -c {shlex.quote(FULL)} ")],
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
    assert done.stdout.splitlines() == ["code 1"]
    assert "No space left on device" in done.stderr
    assert "the result was not kept: no space left" in done.stderr


# `aqmlab` on a disk whose last block is taken when the tables are written.
FULL = """
import errno, aqmlab.result
from aqmlab.cli import main
def full(*_, **__):
    raise OSError(errno.ENOSPC, "No space left on device")
aqmlab.result.table_bytes = full
main()
"""


@pytest.mark.parametrize("kind", ["a folder", "dangling", "a folder with a result"])
def test_an_output_that_is_a_link_is_where_it_leads(kind: str, scenario: Path, tmp_path: Path) -> None:
    link, target = tmp_path / "link", tmp_path / "target"
    link.symlink_to(target)
    if kind != "dangling":
        target.mkdir()
    if kind == "a folder with a result":
        assert aqmlab_process("run", scenario, "--output", link, "--quiet").returncode == 0
        (target / "tables.arrow").write_bytes(b"damaged")
    done = aqmlab_process("run", scenario, "--output", link, "--quiet")
    assert done.returncode == 0, done.stderr
    assert link.is_symlink()
    assert Result.load(link).seed == Result.load(target).seed == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bulk.toml", "link", "target"]


def test_an_output_that_is_a_link_to_a_file_is_refused(scenario: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(scenario)
    done = aqmlab_process("run", scenario, "--output", tmp_path / "link")
    assert done.returncode == 2
    assert "link' is a file" in done.stderr
    assert scenario.read_text() == BULK
