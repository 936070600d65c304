"""A sweep on a Dask scheduler with workers of its own, one of which dies."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

import aqmlab
from aqmlab import _core
from aqmlab.errors import ExecutorError, RunsFailed
from aqmlab.study import sweeps
from small import WEB, aqmlab_process, bulk, command, contents
from sweeping import finished, reference, write
from watched_processes import LONG_S, processor_s, wait_for, wait_until

pytest.importorskip("distributed")

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

pytestmark = pytest.mark.exhaustive  # clusters


@contextmanager
def dask(
    *arguments: str | Path, folder: Path | None = None, log: Path = Path(os.devnull)
) -> Iterator[subprocess.Popen[str]]:
    """A process of Dask, killed at the end."""
    with log.open("w") as says:
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *map(str, arguments)],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=says,
            text=True,
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def scheduler_process(folder: Path) -> Iterator[tuple[str, Path, subprocess.Popen[str]]]:
    """A scheduler on a free port: its address, the file by which workers find it, and its process."""
    file = folder / "scheduler.json"
    host = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    with dask("scheduler", *host, "--scheduler-file", file) as process:
        wait_until(lambda: file.exists() and file.stat().st_size > 0, process)
        yield json.loads(file.read_text())["address"].removeprefix("tcp://"), file, process


@contextmanager
def scheduler(folder: Path) -> Iterator[tuple[str, Path]]:
    """The same without its process."""
    with scheduler_process(folder) as (address, file, _):
        yield address, file


@contextmanager
def worker(file: Path, *, folder: Path | None = None) -> Iterator[subprocess.Popen[str]]:
    """A worker that its scheduler knows: sweeps wait for one no longer than seconds."""
    kind = ("--nthreads", "1", "--no-nanny", "--no-dashboard")
    with (
        tempfile.NamedTemporaryFile("r", suffix=".log") as says,
        dask("worker", "--scheduler-file", file, *kind, folder=folder, log=Path(says.name)) as process,
    ):
        wait_until(lambda: "Registered to" in Path(says.name).read_text(), process)
        yield process


def sweep_under_way(file: Path, store: Path, address: str) -> subprocess.Popen[str]:
    """A sweep on a cluster, two runs of which have finished."""
    process = subprocess.Popen(
        command("sweep", file, "--store", store, "--executor", f"dask://{address}"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_until(lambda: finished(store) >= 2, process)
    return process


def test_a_cluster_that_loses_a_worker_leaves_the_bytes_of_a_sweep_at_home(tmp_path: Path) -> None:
    file = write(tmp_path, duration_s=25.0)
    expected = contents(reference(file, tmp_path / "here"))
    there = tmp_path / "there"
    with ExitStack() as stack:
        address, contact = stack.enter_context(scheduler(tmp_path))
        victim, _ = (stack.enter_context(worker(contact)) for _ in range(2))
        process = sweep_under_way(file, there, address)
        victim.send_signal(signal.SIGKILL)
        assert victim.wait() == -signal.SIGKILL
        _, errors = process.communicate(timeout=LONG_S)
    assert process.returncode == 0, errors
    assert "12/12 runs" in errors
    assert contents(there) == expected


def test_a_killed_scheduler_loses_nothing_that_had_finished(tmp_path: Path) -> None:
    # The ten that are left take seconds: runs of 150 s had ended before a busy machine saw that two had.
    file = write(tmp_path, duration_s=2_000.0)
    expected = contents(reference(file, tmp_path / "here"))
    there = tmp_path / "there"
    with scheduler_process(tmp_path) as (address, contact, victim), worker(contact):
        process = sweep_under_way(file, there, address)
        victim.kill()
        _, errors = process.communicate(timeout=LONG_S)
    assert process.returncode != 0
    assert "the Dask scheduler is gone" in errors
    assert "what had finished is kept" in errors
    assert "Traceback" not in errors
    kept = finished(there)
    assert 2 <= kept < 12
    resumed = aqmlab_process("sweep", file, "--store", there)
    assert resumed.returncode == 0, resumed.stderr
    assert contents(there) == expected


def test_an_error_is_told_although_the_client_cannot_be_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    from aqmlab.runs.executors import cluster

    class Unreachable:
        def close(self) -> None:
            raise RuntimeError("Cannot change state of expiring Timeout")

    monkeypatch.setattr(cluster, "_connect", lambda _: Unreachable())
    with pytest.raises(ExecutorError, match="gone"), cluster._connected("tcp://127.0.0.1:1"):
        raise ExecutorError("the Dask scheduler is gone")


def test_a_cluster_runs_a_traffic_model_whose_file_its_workers_do_not_have(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "from aqmlab.models import Object, Page, TrafficModel\n"
        "class Own(TrafficModel):\n"
        "    def page(self, number, draws):\n"
        "        return Page([Object(2_000), Object(1 + draws.below(50_000))], think_s=0.5)\n"
    )
    text = 'name = "own"\nscenario = "own.toml"\nreplications = 2\n[grid]\n"users.per_side" = [2, 5]\n'
    file = write(tmp_path, text)
    model = 'per_side = 2\nmodel = { model = "own.py:Own" }'
    (tmp_path / "own.toml").write_text(WEB.replace("20.0", "8.0").replace("per_side = 150", model))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    jobs = sweeps.read(file).jobs()
    (tmp_path / "own.py").unlink()
    aqmlab.run_many(jobs, store=tmp_path / "here", progress=False)
    from aqmlab.runs.executors.cluster import Cluster

    with ExitStack() as stack:
        address, contact = stack.enter_context(scheduler(tmp_path))
        for _ in range(2):
            stack.enter_context(worker(contact, folder=elsewhere))
        executor = Cluster(f"tcp://{address}", patience_s=30.0)
        aqmlab.run_many(jobs, store=tmp_path / "there", progress=False, executor=executor)
    assert finished(tmp_path / "there") == 4
    assert contents(tmp_path / "there") == contents(tmp_path / "here")


def test_a_cluster_without_workers_is_told_after_a_while_and_what_had_finished_is_kept(
    tmp_path: Path,
) -> None:
    from aqmlab.errors import ExecutorError
    from aqmlab.runs.executors.cluster import Cluster

    file = write(tmp_path, duration_s=25.0)
    store = tmp_path / "store"
    with scheduler(tmp_path) as (address, contact), worker(contact) as only:
        executor = Cluster(f"tcp://{address}", patience_s=2.0)
        runs = aqmlab.run_each(sweeps.read(file).jobs(), store=store, progress=False, executor=executor)
        next(runs)
        only.kill()
        only.wait()
        with pytest.raises(
            ExecutorError, match=r"no worker for 2 s, and \d+ runs are left; what had finished is kept"
        ):
            list(runs)
    assert finished(store) >= 1


def test_workers_with_another_pyarrow_hand_over_the_results_and_leave_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from aqmlab.runs.executors import dask_tasks
    from aqmlab.runs.executors.cluster import Cluster

    jobs = [aqmlab.Job(bulk(duration_s=2.0), seed) for seed in range(3)]
    aqmlab.run_many(jobs, store=tmp_path / "here", progress=False)
    with scheduler(tmp_path) as (address, contact), worker(contact):
        executor = Cluster(f"tcp://{address}", patience_s=30.0)
        monkeypatch.setattr(dask_tasks, "arrow_build", lambda: "another")
        aqmlab.run_many(jobs, store=tmp_path / "there", progress=False, executor=executor)
    assert contents(tmp_path / "there") == contents(tmp_path / "here")


def test_a_run_that_kills_its_worker_takes_no_other_run_of_its_task_with_it(tmp_path: Path) -> None:
    from aqmlab.runs.executors.cluster import Cluster

    (tmp_path / "deadly.py").write_text(
        "import os\n"
        "from aqmlab.models import Object, Page, TrafficModel\n"
        "class Deadly(TrafficModel):\n"
        "    def page(self, number, draws):\n"
        f"        if os.getpid() != {os.getpid()}:\n"  # here pages are drawn when the scenario is checked
        "            os._exit(3)\n"
        "        return Page([Object(2_000)], think_s=0.5)\n"
    )
    model = f'per_side = 1\nmodel = {{ model = "{tmp_path / "deadly.py"}:Deadly" }}'
    deadly = aqmlab.Scenario.of(WEB.replace("20.0", "8.0").replace("per_side = 150", model))
    harmless = [aqmlab.Job(bulk(duration_s=2.0), seed) for seed in range(30)]
    jobs = [*harmless[:20], aqmlab.Job(deadly, 1), *harmless[20:]]
    with pytest.raises(RunsFailed) as caught:
        aqmlab.run_many(jobs, store=tmp_path / "store", progress=False, executor=Cluster(None, workers=1))
    assert list(caught.value.failures) == [jobs[20].address]
    assert "KilledWorker" in str(caught.value)
    assert finished(tmp_path / "store") == len(harmless)


def test_runs_that_waited_behind_one_that_kills_its_worker_are_tried_again_alone_and_it_alone_is_blamed() -> (
    None
):
    """Dask counts a death against all that is at a worker: here two, of which one has not begun."""
    from distributed import KilledWorker

    from aqmlab.runs.executors import cluster

    jobs = [aqmlab.Job(bulk(duration_s=2.0), seed) for seed in range(4)]
    deadly, behind = jobs[1], jobs[2]
    died = (KilledWorker, KilledWorker("task", SimpleNamespace(address="tcp://127.0.0.1:1"), 3), None)
    ended: list[tuple[tuple[aqmlab.Job, ...], object]] = [
        ((job,), died if job in (deadly, behind) else (["made"], 0.1)) for job in jobs
    ]
    kept: list[tuple[aqmlab.Job, object]] = []

    class Tasks:
        def next(self) -> tuple[tuple[aqmlab.Job, ...], object]:
            return ended.pop(0)

        def submit_rest(self, jobs: object, outcome: object) -> None: ...

        def submit_singly(self, jobs: Sequence[aqmlab.Job]) -> None:
            assert not (ended and jobs), "not alone"
            ended.extend(((job,), died if job is deadly else (["made"], 0.1)) for job in jobs)

    class Keepers:
        def keep(self, job: aqmlab.Job, made: object) -> None:
            kept.append((job, made))

    class Watch:
        def answers(self) -> bool:
            return True

    suspects = cluster._Suspects()
    tasks, keepers, watch = cast("Any", Tasks()), cast("Any", Keepers()), cast("Any", Watch())
    while ended or suspects.left():
        if ended:
            cluster._take(tasks, keepers, suspects, watch)
        else:
            suspects.judge_next(tasks, keepers)
    assert [job.seed for job, _ in kept] == [0, 3, 1, 2]
    assert ["KilledWorker" in str(made) for _, made in kept] == [False, False, True, False]


@pytest.mark.parametrize(
    ("estimates_s", "largest", "sizes"),
    [
        ([0.125] * 9, 100, [4, 4, 1]),  # a task lasts half a second
        ([0.125] * 9, 3, [3, 3, 3]),
        ([5.0, 0.1, 0.1, 5.0], 100, [1, 2, 1]),
        ([9.0] * 3, 100, [1, 1, 1]),
        ([], 100, []),
    ],
)
def test_a_task_has_runs_of_half_a_second_and_at_least_one(
    estimates_s: list[float], largest: int, sizes: list[int]
) -> None:
    from aqmlab.runs.executors.dask_tasks import batches

    jobs = [aqmlab.Job(bulk(), seed) for seed in range(len(estimates_s))]
    made = list(batches(jobs, estimates_s, largest=largest))
    assert [len(batch) for batch in made] == sizes
    assert [job for batch in made for job in batch] == jobs


def test_the_same_run_with_and_without_a_folder_is_made_for_both(tmp_path: Path) -> None:
    from aqmlab.runs.executors.cluster import Cluster

    jobs = [aqmlab.Job(bulk(), 1, folder=tmp_path / "kept"), aqmlab.Job(bulk(), 1)]
    kept, in_memory = aqmlab.run_many(jobs, progress=False, executor=Cluster(None, workers=1))
    assert (kept.folder, in_memory.folder) == (tmp_path / "kept", None)
    assert kept.files() == in_memory.files()


class Recorded:
    """A client of Dask that only counts what it is given; no task of it ends."""

    def __init__(self) -> None:
        self.tasks: list[tuple[str, int]] = []

    def ncores(self) -> dict[str, int]:
        return {"tcp://a": 1, "tcp://b": 1}

    def submit(self, _: object, orders: list[object], *__: object, key: str, pure: bool) -> object:
        assert not pure
        self.tasks.append((key, len(orders)))
        return object()


class NothingReady:
    """A stream of tasks of which none ends."""

    def __init__(self, *_: object, **__: object) -> None: ...
    def add(self, _: object) -> None: ...


def test_runs_that_wait_for_the_first_go_several_in_a_task_or_singly(monkeypatch: pytest.MonkeyPatch) -> None:
    from aqmlab.runs.executors import dask_tasks

    monkeypatch.setattr("distributed.as_completed", NothingReady)
    jobs = [aqmlab.Job(bulk(), seed) for seed in range(84)]
    result = aqmlab.run(bulk(), seed=0)

    def sizes_after(outcome: object) -> list[int]:
        client = Recorded()
        tasks = dask_tasks.Tasks(client, jobs)
        assert [size for _, size in client.tasks] == [1] * 4  # two for each slot
        tasks.submit_rest(jobs[:1], outcome)
        assert len({key for key, _ in client.tasks}) == len(client.tasks)
        return [size for _, size in client.tasks[4:]]

    assert sizes_after(([result], 0.125)) == [4] * 20  # half a second
    assert sizes_after(([result], 0.001)) == [10] * 8  # four tasks for each slot
    assert sizes_after(([result], 100.0)) == [1] * 80
    assert sizes_after((["it failed at once"], 0.001)) == []  # this says nothing of the others
    assert sizes_after(RuntimeError("its worker died")) == []
    monkeypatch.setattr(dask_tasks, "_FIRST_S", 0.0)  # the first ones take long: workers may come meanwhile
    assert sizes_after(RuntimeError("its worker died")) == [1] * 80


def test_a_task_that_takes_longer_than_expected_leaves_other_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from aqmlab.runs.executors import dask_tasks

    monkeypatch.setattr(dask_tasks, "_given_up", lambda _: False)
    orders = [{**aqmlab.Job(bulk(), seed).order(), "kept": False} for seed in range(3)]
    outcomes, took_s = dask_tasks.compute_there(orders, "a task", dask_tasks.arrow_build())
    assert (len(outcomes), took_s > 0.0) == (3, True)
    monkeypatch.setattr(dask_tasks, "_LONGEST_TASK_S", 0.0)
    outcomes, _ = dask_tasks.compute_there(orders, "a task", dask_tasks.arrow_build())
    assert len(outcomes) == 1


def test_results_wait_for_a_slow_disk_before_they_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    from aqmlab.runs.executors import cluster

    def slowly(_: object, made: str) -> str:
        time.sleep(0.02)
        return made

    waiting: list[int] = []
    monkeypatch.setattr(cluster, "_kept", slowly)
    keepers = cluster._Keepers()
    for seed in range(40):
        keepers.keep(aqmlab.Job(bulk(), seed), f"run {seed}")
        waiting.append(sum(not each.done() for each in keepers._pending))
    keepers.close()
    assert max(waiting) <= 2 * cluster._KEEPERS
    assert {made for _, made in keepers.kept()} == {f"run {seed}" for seed in range(40)}
    assert not keepers.busy()


def test_ctrl_c_while_a_cluster_starts_is_heard_when_it_has_started() -> None:
    from aqmlab.runs.executors.cluster import _ctrl_c_held_back

    children: list[subprocess.Popen[bytes]] = []
    steps: list[str] = []

    def begin() -> None:
        with _ctrl_c_held_back():
            children.append(subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE))
            time.sleep(0.5)
            os.kill(os.getpid(), signal.SIGINT)
            steps.append("went on")
        steps.append("not interrupted")

    with pytest.raises(KeyboardInterrupt):
        begin()
    assert steps == ["went on"]
    (child,) = children
    child.send_signal(signal.SIGINT)
    time.sleep(0.2)
    assert child.poll() is None, "a process of the cluster heard Ctrl-C"
    child.kill()
    child.communicate()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def computes(pid: int) -> bool:
    """Whether a process computes for half of a second; on a busy machine it may not come to it."""
    before = processor_s(pid)
    time.sleep(1.0)
    return processor_s(pid) - before > 0.5


def test_ctrl_c_stops_the_runs_on_the_cluster(tmp_path: Path) -> None:
    file = write(tmp_path, duration_s=1_000_000.0)
    with ExitStack() as stack:
        address, contact = stack.enter_context(scheduler(tmp_path))
        busy = stack.enter_context(worker(contact))
        process = subprocess.Popen(
            command("sweep", file, "--store", tmp_path / "store", "--executor", f"dask://{address}"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        wait_until(lambda: processor_s(busy.pid) > 4.0, process)  # it has started, and computes
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=LONG_S)
        wait_for(lambda: not computes(busy.pid), "the worker computes on")
    assert process.returncode == 130, errors
    assert errors.splitlines()[-1].startswith("aqmlab: interrupted")


def test_a_cluster_on_this_machine_leaves_the_same_bytes(tmp_path: Path) -> None:
    file = write(tmp_path)
    expected = contents(reference(file, tmp_path / "here"))
    with ExitStack() as stack:
        with suppress(OSError):  # Dask's usual port, if no other cluster has it
            stack.enter_context(socket.create_server(("", 8787)))
        done = aqmlab_process(
            "sweep", file, "--store", tmp_path / "there", "--executor", "dask", "--workers", "1"
        )
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr.lower()
    assert contents(tmp_path / "there") == expected


def test_no_scheduler_is_told(tmp_path: Path) -> None:
    refused = aqmlab_process("sweep", write(tmp_path), "--executor", "dask://127.0.0.1:1", cwd=tmp_path)
    assert refused.returncode == 2
    assert "tcp://127.0.0.1:1: no Dask scheduler answers there" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_workers_of_another_version_are_refused_by_name() -> None:
    from aqmlab.errors import ExecutorError
    from aqmlab.runs.executors.cluster import check_versions

    class Client:
        def wait_for_workers(self, *_: object, **__: object) -> None:
            """Two are there."""

        def run(self, *_: object, **__: object) -> dict[str, object]:
            return {"tcp://a": _core.version(), "tcp://b": "0.0.9+old", "tcp://c": ImportError("aqmlab")}

    with pytest.raises(ExecutorError, match=r"2 of 3 Dask workers .* tcp://b has version 0.0.9\+old"):
        check_versions(Client())
