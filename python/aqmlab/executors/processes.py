"""Worker processes on this machine.

Each worker is a process of its own that makes one run at a time and writes it into the store. When a worker
dies (`kill -9`, out of memory) its run is lost and nothing else: a new worker takes the run again, and a run
that has cost two workers is given up and told at the end. When the parent dies, its workers see their input
close and stop.

They talk in lines of JSON over pipes. `concurrent.futures` cannot say which run killed a worker, because the
death of one breaks the whole pool; and a spawned `multiprocessing` process imports the caller's script anew.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
import warnings
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any

from aqmlab import _core
from aqmlab.errors import RunError, RunsFailed, StorageError
from aqmlab.folders import remove_abandoned
from aqmlab.memory import workers_with_room
from aqmlab.result import Result
from aqmlab.workers import Task, available_cores

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from pathlib import Path

    from aqmlab.progress import Bar

WORKER = (sys.executable, "-P", "-m", "aqmlab.executors.worker")
"""The command of a worker."""

_POLL_S = 0.1
_PATIENCE_S = 0.7
_DEATHS_OF_A_RUN = 2
_FALSE_STARTS = 5
_PROCESS_BYTES = 100 * 2**20
"""What a worker takes before it makes a run: the interpreter and its packages."""


class Processes:
    """Makes runs in processes on this machine."""

    def __init__(self, workers: int | None = None, *, command: Sequence[str] = WORKER) -> None:
        """Starts nothing yet.

        Args:
            workers: How many runs at a time; by default one for each core this process may use.
            command: How to start a worker.

        Raises:
            ValueError: Fewer than one worker.
        """
        if workers is not None and workers < 1:
            raise ValueError(f"workers: at least 1, not {workers}")
        self._workers = workers or available_cores()
        self._command = tuple(command)

    def compute(self, tasks: Sequence[Task], *, bar: Bar) -> Generator[tuple[Task, Result]]:
        """Makes the runs and yields each as it finishes.

        Raises:
            RunsFailed: Some runs failed, or killed two workers; all others were yielded before.
            StorageError: A result could not be kept.
            ValueError: A task says no place: what a process leaves behind is in a folder.
        """
        if any(task.place is None for task in tasks):
            raise ValueError("worker processes keep their results in a store; name one")
        workers = workers_with_room(tasks, self._workers, each_bytes=_PROCESS_BYTES)
        crew = _Crew(self._command, deque(tasks))
        try:
            while crew.outstanding:
                crew.assign(workers)
                for task in crew.listen():
                    yield task, Result.load(_place(task))
                bar.show(done_s=crew.simulated_s(), finished=len(tasks) - crew.outstanding)
        finally:
            crew.dismiss()
        if crew.failures:
            raise RunsFailed(crew.failures, runs=len(tasks))


@dataclass(eq=False)
class _Worker:
    """A process, the run it is making, and what it has written of an unfinished line."""

    process: subprocess.Popen[bytes]
    task: Task | None = None
    simulated_s: float = 0.0
    ready: bool = False
    remainder: bytes = field(default=b"", repr=False)

    @property
    def input(self) -> IO[bytes]:
        assert self.process.stdin is not None  # noqa: S101  (opened as a pipe)
        return self.process.stdin

    @property
    def output(self) -> IO[bytes]:
        assert self.process.stdout is not None  # noqa: S101  (opened as a pipe)
        return self.process.stdout

    def make(self, task: Task) -> None:
        """Sends it a run to make; if it has died, its closed output will tell."""
        self.task, self.simulated_s = task, 0.0
        with contextlib.suppress(BrokenPipeError):
            self.input.write(_order(task))
            self.input.flush()

    def read(self) -> list[dict[str, Any]] | None:
        """What it has to say, none if it has died."""
        data = os.read(self.output.fileno(), 1 << 16)
        if not data:
            return None
        *lines, self.remainder = (self.remainder + data).split(b"\n")
        return [json.loads(line) for line in lines]

    def close(self) -> None:
        """Closes both pipes."""
        with contextlib.suppress(BrokenPipeError):
            self.input.close()
        self.output.close()


class _Crew:
    """The workers, and what is left to do."""

    def __init__(self, command: Sequence[str], waiting: deque[Task]) -> None:
        self.failures: dict[str, str] = {}
        self._command = command
        self._waiting = waiting
        self._workers: list[_Worker] = []
        self._deaths: Counter[Task] = Counter()
        self._false_starts = 0
        self._finished_s = 0.0
        self._selector = selectors.DefaultSelector()

    @property
    def outstanding(self) -> int:
        """Runs that wait or are under way."""
        return len(self._waiting) + sum(worker.task is not None for worker in self._workers)

    def simulated_s(self) -> float:
        """Simulated seconds done by now, in finished runs and in those under way."""
        return self._finished_s + sum(worker.simulated_s for worker in self._workers)

    def assign(self, limit: int) -> None:
        """Starts workers, at most so many and no more than there is to do, and gives work to the idle."""
        while len(self._workers) < min(limit, self.outstanding):
            self._start()
        for worker in self._workers:
            if worker.ready and worker.task is None and self._waiting:
                worker.make(self._waiting.popleft())

    def listen(self) -> Iterator[Task]:
        """Hears what the workers say within a tenth of a second; yields the tasks that are done."""
        for key, _ in self._selector.select(_POLL_S):
            worker: _Worker = key.data
            messages = worker.read()
            if messages is None:
                self._bury(worker)
                continue
            for message in messages:
                if (task := self._heed(worker, message)) is not None:
                    yield task

    def dismiss(self) -> None:
        """Stops what is under way; a worker that does not leave within a fraction of a second is killed."""
        places = {_place(worker.task).parent for worker in self._workers if worker.task is not None}
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

    def _heed(self, worker: _Worker, message: dict[str, Any]) -> Task | None:
        match message:
            case {"version": version}:
                if version != _core.version():
                    raise RunError(
                        f"a worker is of version {version}, this is {_core.version()}: install anew"
                    )
                worker.ready, self._false_starts = True, 0
            case {"simulated_s": seconds}:
                worker.simulated_s = seconds
            case {"kept": _}:
                return self._settle(worker)
            case {"failed": reason}:
                task = self._settle(worker)
                self.failures[task.address] = reason
            case {"not_kept": reason}:
                raise StorageError(reason)
            case _:
                raise RunError(f"a worker said what nobody understands: {message}")
        return None

    def _mourn_false_start(self, process: subprocess.Popen[bytes], death: str) -> None:
        """Has a worker that somebody killed replaced; one that left by itself would do so again."""
        self._false_starts += 1
        if process.returncode >= 0:
            raise RunError(f"a worker process {death} before it was ready; what it wrote stands above")
        if self._false_starts >= _FALSE_STARTS:
            raise RunError(
                f"{_FALSE_STARTS} worker processes in a row died before they were ready, the last {death}"
            )
        warnings.warn(
            f"worker process {process.pid} {death} before it was ready; another one takes its place",
            stacklevel=2,
        )

    def _settle(self, worker: _Worker) -> Task:
        task = worker.task
        if task is None:
            raise RunError("a worker has ended a run that it was not given")
        worker.task, worker.simulated_s = None, 0.0
        self._finished_s += task.simulated_s
        return task

    def _bury(self, worker: _Worker) -> None:
        self._selector.unregister(worker.output)
        self._workers.remove(worker)
        worker.close()
        death = _death(worker.process.wait())
        if not worker.ready:
            self._mourn_false_start(worker.process, death)
        if worker.task is None:
            return
        task = worker.task
        self._deaths[task] += 1
        if self._deaths[task] >= _DEATHS_OF_A_RUN:
            self.failures[task.address] = (
                f"{task}: {self._deaths[task]} workers died making it, the last {death}"
            )
            self._finished_s += task.simulated_s
            return
        self._waiting.append(task)
        warnings.warn(
            f"worker process {worker.process.pid} {death} while it made {task}; the run is made again",
            stacklevel=2,
        )


def _order(task: Task) -> bytes:
    order = {
        "scenario_json": task.scenario.resolved_json,
        "seed": task.seed,
        "address": task.address,
        "place": str(_place(task).absolute()),
        "offered_load": task.offered_load,
        "measure_offered_load": task.measure_offered_load,
        "label": task.label,
    }
    return json.dumps(order).encode() + b"\n"


def _place(task: Task) -> Path:
    assert task.place is not None  # noqa: S101  (checked before the first run)
    return task.place


def _death(code: int) -> str:
    if code >= 0:
        return f"ended with code {code}"
    name = signal.Signals(-code).name
    return f"was killed by {name}" + (" (out of memory?)" if name == "SIGKILL" else "")
