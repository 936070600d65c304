"""`kill -9`, Ctrl-C and company on a sweep: what had finished stays, and the rest is made."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import aqmlab
from aqmlab import Job, RunError
from aqmlab.errors import RunsFailed
from aqmlab.files.folders import PARTIAL_PREFIX
from aqmlab.runs.executors import Processes
from aqmlab.study import sweeps
from small import bulk, contents
from sweeping import finished, reference, write
from watched_processes import LONG_S, children_of, interrupt, start, wait_for, wait_until

if TYPE_CHECKING:
    import subprocess

pytestmark = pytest.mark.exhaustive  # dozens of processes

RUN_S = 25.0


def alive(pid: int) -> bool:
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


@pytest.fixture(name="long", scope="module")
def sweep_and_reference(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bytes]]:
    """A sweep of twelve runs that take a moment each, and what its store holds when nothing interrupts it."""
    folder = tmp_path_factory.mktemp("long")
    file = write(folder, duration_s=RUN_S)
    return file, contents(reference(file, folder / "store"))


def test_a_killed_worker_costs_its_run_and_nothing_else(
    long: tuple[Path, dict[str, bytes]], tmp_path: Path
) -> None:
    file, expected = long
    process = start("sweep", file, "--store", tmp_path, "--workers", "1")  # of two, one may still be starting
    wait_until(lambda: finished(tmp_path) >= 2, process)
    [victim] = children_of(process.pid)
    os.kill(victim, signal.SIGKILL)
    _, errors = process.communicate(timeout=LONG_S)
    assert process.returncode == 0, errors
    assert re.search(
        rf"process {victim} was killed by SIGKILL \(out of memory\?\) (while it made|between two runs)",
        errors,
    )
    assert contents(tmp_path) == expected


def test_a_killed_sweep_takes_its_workers_with_it_and_goes_on_later(
    long: tuple[Path, dict[str, bytes]], tmp_path: Path
) -> None:
    file, expected = long
    process = start("sweep", file, "--store", tmp_path, "--workers", "2")
    wait_until(lambda: finished(tmp_path) >= 2, process)
    orphans = children_of(process.pid)
    process.kill()
    process.communicate(timeout=LONG_S)
    wait_for(lambda: not any(map(alive, orphans)), "a worker outlived its sweep")
    found = sweeps.status(sweeps.read(file), tmp_path)
    assert 2 <= found.finished < 12
    assert found.complaints() == []
    again = start("sweep", file, "--store", tmp_path, "--resume")
    _, errors = again.communicate(timeout=LONG_S)
    assert again.returncode == 0, errors
    assert "of them finished" in errors
    assert contents(tmp_path) == expected


def test_ctrl_c_ends_a_sweep_within_a_second(tmp_path: Path) -> None:
    file = write(tmp_path, duration_s=1_000_000.0)
    process = start("sweep", file, "--store", tmp_path / "store", "--workers", "2")
    wait_until(lambda: len(children_of(process.pid)) == 2, process)
    time.sleep(1.0)
    pids = children_of(process.pid)
    errors, used_s = interrupt(process, signal.SIGINT)
    assert used_s < 3.0, "a second of each of two workers and of what waits for them"
    assert process.returncode == 130
    assert errors.splitlines()[-1].startswith(
        "aqmlab: interrupted; finished runs are kept, and the same command resumes"
    )
    assert "0 of 12 runs finished" in errors
    assert "Traceback" not in errors
    assert not any(map(alive, pids))
    assert contents(tmp_path / "store") == {}


def test_two_sweeps_at_once_share_a_store(long: tuple[Path, dict[str, bytes]], tmp_path: Path) -> None:
    file, expected = long
    both = [start("sweep", file, "--store", tmp_path, "--workers", "1", "--quiet") for _ in range(2)]
    for process in both:
        _, errors = process.communicate(timeout=LONG_S)
        assert process.returncode == 0, errors
    assert contents(tmp_path) == expected
    assert not list(tmp_path.glob(PARTIAL_PREFIX + "*"))


def worker_that(does: str) -> list[str]:
    """The command of a worker that does something else when it comes to seed 2."""
    program = f"""
import os, signal, sys
from aqmlab.runs.executors import worker
perform = worker.perform
def instead(job, active_runs):
    if job.seed == 2:
        {does}
    return perform(job, active_runs)
worker.perform = instead
worker.main()
"""
    return [sys.executable, "-c", program]


def test_a_run_that_kills_two_workers_is_given_up_and_the_others_go_on(tmp_path: Path) -> None:
    jobs = [Job(bulk(), seed) for seed in (1, 2, 3, 4)]
    executor = Processes(2, command=worker_that("os.kill(os.getpid(), signal.SIGKILL)"))
    with (
        pytest.warns(UserWarning, match="while it made two flows, seed 2; the run is made again") as told,
        pytest.raises(RunsFailed, match=r"1 of 4 runs failed, .*:\n.*seed 2: 2 workers died"),
    ):
        aqmlab.run_many(jobs, store=tmp_path, progress=False, executor=executor)
    assert len(told) == 1
    assert sorted(aqmlab.Result.load(place).seed for place in tmp_path.iterdir()) == [1, 3, 4]


def test_a_run_that_fails_is_named_and_the_others_go_on(tmp_path: Path) -> None:
    jobs = [Job(bulk(), seed, label=f"point {seed}") for seed in (1, 2, 3)]
    executor = Processes(1, command=worker_that("return {'failed': f'{job}: the simulator broke'}"))
    with pytest.raises(RunsFailed, match="point 2, seed 2: the simulator broke"):
        aqmlab.run_many(jobs, store=tmp_path, progress=False, executor=executor)
    assert finished(tmp_path) == 2


def worker_killed_at_its_start(folder: Path, times: int) -> list[str]:
    """The command of a worker that is killed before it is ready, so many times, and then works."""
    program = f"""
import os, pathlib, signal
from aqmlab.runs.executors import worker
starts = pathlib.Path({str(folder / "starts")!r})
with starts.open("a") as file:
    file.write("x")
if starts.stat().st_size <= {times}:
    os.kill(os.getpid(), signal.SIGKILL)
worker.main()
"""
    return [sys.executable, "-c", program]


def test_a_worker_killed_before_it_is_ready_is_replaced(tmp_path: Path) -> None:
    jobs = [Job(bulk(), seed) for seed in (1, 2, 3)]
    executor = Processes(1, command=worker_killed_at_its_start(tmp_path, 3))
    with pytest.warns(
        UserWarning, match="SIGKILL .* before it was ready; another one takes its place"
    ) as told:
        results = aqmlab.run_many(jobs, store=tmp_path / "store", progress=False, executor=executor)
    assert [result.seed for result in results] == [1, 2, 3]
    assert len(told) == 3


def starts(folder: Path) -> int:
    """How many workers of `worker_killed_at_its_start` were started."""
    return (folder / "starts").stat().st_size


def test_workers_stay_from_one_call_to_the_next_where_they_are_asked_to(tmp_path: Path) -> None:
    def make(seed: int) -> None:
        store = tmp_path / "store"
        (result,) = aqmlab.run_many([Job(bulk(), seed)], store=store, progress=False, executor=executor)
        assert result.seed == seed

    executor = Processes(2, command=worker_killed_at_its_start(tmp_path, 0))
    make(1)
    make(2)
    assert starts(tmp_path) == 2, "one for each call"
    with executor:
        make(3)
        make(4)
        assert starts(tmp_path) == 3, "one for both"
    make(5)
    assert starts(tmp_path) == 4


def test_of_workers_that_stay_none_is_left_after_a_call_that_did_not_end(tmp_path: Path) -> None:
    jobs = [Job(bulk(), seed) for seed in (1, 2, 3)]
    with Processes(1, command=worker_killed_at_its_start(tmp_path, 0)) as executor:
        some = aqmlab.runs.run_each(jobs, store=tmp_path / "store", progress=False, executor=executor)
        next(some)
        some.close()
        assert finished(tmp_path / "store") < len(jobs)
        aqmlab.run_many(jobs, store=tmp_path / "store", progress=False, executor=executor)
        assert finished(tmp_path / "store") == len(jobs)
    assert starts(tmp_path) == 2


def test_workers_that_are_killed_one_after_another_end_the_sweep(tmp_path: Path) -> None:
    executor = Processes(2, command=worker_killed_at_its_start(tmp_path, 1000))
    with (
        pytest.warns(UserWarning, match="another one takes its place"),
        pytest.raises(RunError, match=r"5 worker processes in a row died before they were ready, .*SIGKILL"),
    ):
        aqmlab.run_many([Job(bulk(), 1), Job(bulk(), 2)], store=tmp_path, progress=False, executor=executor)


def has_loaded(process: subprocess.Popen[str], name: str) -> bool:
    """Whether a process has mapped a library whose file has this in its name."""
    try:
        return name in Path(f"/proc/{process.pid}/maps").read_text()
    except OSError:
        return False


@pytest.mark.parametrize("moment", ["aqmlab", "numpy", "arrow", "scipy", "the pool"])
def test_ctrl_c_at_the_start_ends_cleanly(moment: str, tmp_path: Path) -> None:
    file = write(tmp_path, duration_s=1_000_000.0)
    process = start("sweep", file, "--store", tmp_path / "store", "--workers", "2")
    if moment == "the pool":
        wait_until(lambda: bool(children_of(process.pid)), process)
    elif moment == "aqmlab":
        wait_until(lambda: has_loaded(process, "_core.abi3"), process)
    else:
        wait_until(lambda: has_loaded(process, moment), process)
    errors, used_s = interrupt(process, signal.SIGINT)
    assert used_s < 9.0, "three seconds of it and of each worker, which may load their libraries first"
    assert process.returncode == 130, errors
    assert errors.splitlines()[-1].startswith("aqmlab: interrupted")
    assert "Traceback" not in errors
    assert contents(tmp_path / "store") == {}


def test_a_worker_that_cannot_start_is_told_at_once(tmp_path: Path) -> None:
    executor = Processes(1, command=[sys.executable, "-c", "raise SystemExit(3)"])
    with pytest.raises(RunError, match="a worker process ended with code 3 before it was ready"):
        aqmlab.run_many([Job(bulk(), 1)], store=tmp_path, progress=False, executor=executor)


def test_results_of_processes_without_a_store_are_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    jobs = [Job(bulk(), 1), Job(bulk(), 2, folder=tmp_path / "kept")]
    passing, kept = aqmlab.run_many(jobs, progress=False, executor=Processes(1))
    assert [each.name for each in tmp_path.iterdir()] == ["kept"]
    alone = aqmlab.run(bulk(), seed=1)
    assert passing.folder is None
    assert passing.run == alone.run
    assert {name: str(table.to_pydict()) for name, table in passing.tables.items()} == {
        name: str(table.to_pydict()) for name, table in alone.tables.items()
    }
    assert kept.folder == tmp_path / "kept"
    assert kept.seed == 2


def test_what_a_worker_prints_does_not_spoil_what_it_says(tmp_path: Path) -> None:
    executor = Processes(1, command=worker_that("print('chatter'); os.write(1, b'more chatter')"))
    results = aqmlab.run_many([Job(bulk(), 2)], store=tmp_path, progress=False, executor=executor)
    assert [result.seed for result in results] == [2]
