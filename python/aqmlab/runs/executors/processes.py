"""Worker processes on this machine.

Each worker is a process of its own that makes one run at a time and writes it into the store. When a worker
dies (`kill -9`, out of memory) its run is lost and nothing else: a new worker takes the run again, and a run
that has cost two workers is given up and told at the end. When the parent dies, its workers see their input
close and stop.

They talk over pipes (`aqmlab.runs.protocol`). `concurrent.futures` cannot say which run killed a worker,
because the death of one breaks the whole pool; and a spawned `multiprocessing` process imports the caller's
script anew.
"""

from __future__ import annotations

import contextlib
import selectors
import signal
import subprocess
import sys
import time
import warnings
from collections import Counter, deque
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Any, Self

from aqmlab._startup import end_if_interrupted
from aqmlab.errors import RunError, RunsFailed, StorageError
from aqmlab.files.folders import remove_abandoned
from aqmlab.result import Result
from aqmlab.runs.executors.active_runs import available_cores, worker_count
from aqmlab.runs.memory import workers_with_room
from aqmlab.runs.protocol import Channel, require_version

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from aqmlab.runs.job import Job
    from aqmlab.terminal.progress import Bar

WORKER = (sys.executable, "-P", "-m", "aqmlab.runs.executors.worker")
"""The command of a worker."""

_POLL_S = 0.1
_PATIENCE_S = 0.7
_DEATHS_OF_A_RUN = 2
_FALSE_STARTS = 5
_PROCESS_BYTES = 100 * 2**20
"""What a worker takes before it makes a run: the interpreter and its packages."""


class Processes:
    """Makes runs in processes on this machine.

    Each call of `compute` starts its workers and stops them. In a `with` block they stay for the next call:
    starting one takes longer than many a run.
    """

    def __init__(self, workers: int | None = None, *, command: Sequence[str] = WORKER) -> None:
        self._workers = available_cores() if workers is None else worker_count(workers)
        self._command = tuple(command)
        self._staying: _Pool | None = None

    def __enter__(self) -> Self:
        self._staying = _Pool(self._command)
        return self

    def __exit__(self, *_: object) -> None:
        if self._staying is not None:
            self._staying.stop()
        self._staying = None

    def compute(self, jobs: Sequence[Job], *, bar: Bar) -> Generator[tuple[Job, Result]]:
        """Makes the runs and yields each as it finishes.

        What a process leaves behind is in a folder; that of a job without one is there until it is read.
        """
        with TemporaryDirectory(prefix="aqmlab-", ignore_cleanup_errors=True) as passing:
            asked = {job.kept_in(Path(passing)): job for job in jobs}
            for job, result in self._compute(list(asked), bar):
                if asked[job].folder is not None:
                    yield asked[job], result
                    continue
                yield asked[job], result.in_memory()
                rmtree(_folder(job))

    def _compute(self, jobs: Sequence[Job], bar: Bar) -> Generator[tuple[Job, Result]]:
        workers = workers_with_room(jobs, self._workers, each_bytes=_PROCESS_BYTES)
        pool = self._staying or _Pool(self._command)
        pool.begin(jobs)
        ended_well = False
        try:
            while pool.outstanding:
                end_if_interrupted()
                pool.assign(workers)
                for job in pool.finished():
                    yield job, Result.load(_folder(job))
                bar.show(done_s=pool.simulated_s(), finished=len(jobs) - pool.outstanding)
            ended_well = True
        finally:
            if pool is not self._staying:
                pool.stop()
            elif not ended_well:
                pool.stop()
                self._staying = _Pool(self._command)
        if pool.failures:
            raise RunsFailed(pool.failures, runs=len(jobs))


@dataclass(eq=False)
class _Worker:
    """A process, the run it is making, and what it has written of an unfinished line."""

    process: subprocess.Popen[bytes]
    job: Job | None = None
    simulated_s: float = 0.0
    ready: bool = False
    channel: Channel = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.channel = Channel(self.output.fileno(), self.input.fileno())

    @property
    def input(self) -> IO[bytes]:
        assert self.process.stdin is not None  # noqa: S101  (opened as a pipe)
        return self.process.stdin

    @property
    def output(self) -> IO[bytes]:
        assert self.process.stdout is not None  # noqa: S101  (opened as a pipe)
        return self.process.stdout

    def make(self, job: Job) -> None:
        """Sends it a run to make; if it has died, its closed output will tell."""
        self.job, self.simulated_s = job, 0.0
        with contextlib.suppress(ConnectionError):
            self.channel.send(job.order())

    def close(self) -> None:
        """Closes both pipes."""
        with contextlib.suppress(BrokenPipeError):
            self.input.close()
        self.output.close()


class _Pool:
    """The workers, and what is left to do."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._workers: list[_Worker] = []
        self._selector = selectors.DefaultSelector()
        self.begin(())

    def begin(self, jobs: Sequence[Job]) -> None:
        """Takes on new work, once nothing is outstanding."""
        self.failures: dict[str, str] = {}
        self._waiting = deque(jobs)
        self._deaths: Counter[Job] = Counter()
        self._false_starts = 0
        self._finished_s = 0.0

    @property
    def outstanding(self) -> int:
        """Runs that wait or are under way."""
        return len(self._waiting) + sum(worker.job is not None for worker in self._workers)

    def simulated_s(self) -> float:
        """Simulated seconds done by now, in finished runs and in those under way."""
        return self._finished_s + sum(worker.simulated_s for worker in self._workers)

    def assign(self, limit: int) -> None:
        """Starts workers as needed, up to the limit, and gives work to idle ones."""
        while len(self._workers) < min(limit, self.outstanding):
            self._start()
        for worker in self._workers[:limit]:
            if worker.ready and worker.job is None and self._waiting:
                worker.make(self._waiting.popleft())

    def finished(self) -> Iterator[Job]:
        """Reads what the workers send within a tenth of a second; yields the jobs that are done."""
        for key, _ in self._selector.select(_POLL_S):
            worker: _Worker = key.data
            messages = worker.channel.receive()
            if messages is None:
                self._remove_dead(worker)
                continue
            for message in messages:
                if (job := self._on_message(worker, message)) is not None:
                    yield job

    def stop(self) -> None:
        """Stops what is under way; a worker that does not leave within a fraction of a second is killed."""
        places = {_folder(worker.job).parent for worker in self._workers if worker.job is not None}
        end = time.monotonic() + _PATIENCE_S
        for worker in self._workers:
            worker.close()
        for worker in self._workers:
            try:
                worker.process.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                worker.process.kill()
                worker.process.wait()
        self._selector.close()
        for parent in places:
            remove_abandoned(parent)

    def _start(self) -> None:
        # A process group of its own: Ctrl-C reaches the parent alone, which then closes the workers' input.
        process = subprocess.Popen(  # noqa: S603  (our own command)
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0
        )
        worker = _Worker(process)
        self._workers.append(worker)
        self._selector.register(worker.output, selectors.EVENT_READ, worker)

    def _on_message(self, worker: _Worker, message: dict[str, Any]) -> Job | None:
        match message:
            case {"version": version}:
                require_version(version)
                worker.ready, self._false_starts = True, 0
            case {"simulated_s": seconds}:
                worker.simulated_s = seconds
            case {"kept": _}:
                return self._end_of_run(worker)
            case {"failed": reason} | {"refused": reason}:
                self.failures[self._end_of_run(worker).address] = reason
            case {"not_kept": reason}:
                raise StorageError(reason)
            case _:
                raise RunError(f"a worker process sent an unknown message: {message}")
        return None

    def _count_false_start(self, process: subprocess.Popen[bytes], death: str) -> None:
        """Has a worker that was killed replaced; one that ended by itself would do so again."""
        self._false_starts += 1
        if process.returncode >= 0:
            raise RunError(f"a worker process {death} before it was ready; its output is above")
        if self._false_starts >= _FALSE_STARTS:
            raise RunError(
                f"{_FALSE_STARTS} worker processes in a row died before they were ready, the last {death}"
            )
        warnings.warn(
            f"worker process {process.pid} {death} before it was ready; another one takes its place",
            stacklevel=2,
        )

    def _end_of_run(self, worker: _Worker) -> Job:
        job = worker.job
        if job is None:
            raise RunError("a worker process reported the end of a run that it was not given")
        worker.job, worker.simulated_s = None, 0.0
        self._finished_s += job.simulated_s
        return job

    def _remove_dead(self, worker: _Worker) -> None:
        self._selector.unregister(worker.output)
        self._workers.remove(worker)
        worker.close()
        death = _death(worker.process.wait())
        if not worker.ready:
            self._count_false_start(worker.process, death)
        if worker.job is None:
            if worker.ready:
                warnings.warn(f"worker process {worker.process.pid} {death} between two runs", stacklevel=2)
            return
        job = worker.job
        self._deaths[job] += 1
        if self._deaths[job] >= _DEATHS_OF_A_RUN:
            self.failures[job.address] = (
                f"{job}: {self._deaths[job]} workers died making it, the last {death}"
            )
            self._finished_s += job.simulated_s
            return
        self._waiting.append(job)
        warnings.warn(
            f"worker process {worker.process.pid} {death} while it made {job}; the run is made again",
            stacklevel=2,
        )


def _folder(job: Job) -> Path:
    assert job.folder is not None  # noqa: S101  (checked before the first run)
    return job.folder


def _death(code: int) -> str:
    if code >= 0:
        return f"ended with code {code}"
    name = signal.Signals(-code).name
    return f"was killed by {name}" + (" (out of memory?)" if name == "SIGKILL" else "")
