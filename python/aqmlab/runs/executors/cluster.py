"""A Dask cluster: one that is there already, or one on this machine.

Workers compute and hand over the files of the result, or the result itself where their build of pyarrow is
not the client's; the client alone puts them in the store, so the bytes are those of a run here. Dask gives
the runs of a dead worker to another one, up to its own limit (`distributed.scheduler.allowed-failures`). It
counts a death against every run that was at that worker, also those that had not begun: where several have
reached the limit, each is tried again with no other run beside it.
"""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, cast

from aqmlab import _core
from aqmlab._startup import end_if_interrupted
from aqmlab.errors import ExecutorError, RunsFailed
from aqmlab.runs.executors.active_runs import available_cores, worker_count
from aqmlab.runs.executors.dask_tasks import Tasks, distributed, is_made
from aqmlab.runs.store import keep, keep_files
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from pathlib import Path

    from aqmlab.result import Result
    from aqmlab.runs.executors.dask_tasks import Outcome
    from aqmlab.runs.job import Job
    from aqmlab.terminal.progress import Bar

_CONNECT_S = 5.0
_READY_S = 0.05
_LOOK_S = 1.0
_ANSWER_S = 10.0
_KEEPERS = 4
_TALKATIVE = ("distributed.client", "distributed.comm", "distributed.core", "tornado.application")
PATIENCE_S = 30.0
"""How long a cluster may be without any worker; Dask starts those on this machine anew in a few seconds."""


class Cluster:
    """Makes runs on the workers of a Dask scheduler."""

    def __init__(
        self, address: str | None, *, workers: int | None = None, patience_s: float = PATIENCE_S
    ) -> None:
        self._patience_s = patience_s
        self._address = address
        self._workers = available_cores() if workers is None else worker_count(workers)

    def compute(self, jobs: Sequence[Job], *, bar: Bar) -> Generator[tuple[Job, Result]]:
        """Makes the runs and yields each, kept in its place, as it finishes."""
        if any(job.pcap for job in jobs):
            raise ExecutorError("a cluster cannot return captured packets; use threads or local")
        if not jobs:
            return
        with self._client() as client:
            check_versions(client)
            yield from _gather(client, jobs, bar, _WorkerWatch(client, self._patience_s))

    @contextlib.contextmanager
    def _client(self) -> Iterator[distributed.Client]:
        if self._address is not None:
            with _quiet(), _connected(self._address) as client:
                yield client
            return
        with _ctrl_c_held_back():
            cluster = distributed.LocalCluster(
                n_workers=self._workers,
                threads_per_worker=1,
                processes=True,
                dashboard_address="127.0.0.1:0",  # any port: there may be another cluster
                silence_logs=logging.ERROR,
            )
        with cluster, distributed.Client(cluster) as client:
            yield client


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keeps what Dask logs of a lost connection from the screen: the error says it."""
    loggers = [logging.getLogger(name) for name in _TALKATIVE]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@contextlib.contextmanager
def _ctrl_c_held_back() -> Iterator[None]:
    """Holds Ctrl-C back until the block ends; processes that start meanwhile never hear it.

    They inherit the mask, and the client, which does hear it, stops them in good order.
    """
    can_be_masked = hasattr(signal, "pthread_sigmask")  # not on Windows
    if not can_be_masked or threading.current_thread() is not threading.main_thread():
        yield
        return
    heard: list[int] = []
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    # Threads that were there before are not masked, and hear it for the whole process.
    before = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, before)
    if heard:
        raise KeyboardInterrupt


def version_there() -> str:
    """The version that a worker has."""
    return _core.version()


@contextlib.contextmanager
def _connected(address: str) -> Iterator[distributed.Client]:
    """A client of a scheduler, closed at the end.

    Closing fails at times where the scheduler is gone and the client still tries to reach it (asyncio cannot
    reschedule a timeout that expires). What matters has been told by then, and is not to be replaced by that.
    """
    client = _connect(address)
    try:
        yield client
    finally:
        with contextlib.suppress(RuntimeError):
            client.close()


def _connect(address: str) -> distributed.Client:
    try:
        return distributed.Client(address, timeout=_CONNECT_S)
    except (OSError, ValueError) as error:
        raise ExecutorError(f"{address}: no Dask scheduler answers there ({error})") from None


def check_versions(client: distributed.Client) -> None:
    """Refuses a cluster without workers, or with workers of another version."""
    try:
        client.wait_for_workers(1, timeout=_CONNECT_S)
    except TimeoutError:
        raise ExecutorError("the Dask scheduler has no worker; start some with `dask worker ...`") from None
    try:
        versions: dict[str, object] = client.run(version_there, on_error="return")
    except Exception as error:  # noqa: BLE001  (whatever unpickling on a worker raises)
        versions = dict.fromkeys(client.scheduler_info()["workers"], error)
    wrong = {worker: found for worker, found in versions.items() if found != _core.version()}
    if wrong:
        worker, found = next(iter(wrong.items()))
        has = f"version {found}" if isinstance(found, str) else f"none that works ({found})"
        raise ExecutorError(
            f"{len(wrong)} of {len(versions)} Dask workers do not have this version of aqmlab,"
            f" {_core.version()}: {worker} has {has}; install this version there"
        )


class _WorkerWatch:
    """Whether the cluster still has workers, looked at once a second."""

    def __init__(self, client: distributed.Client, patience_s: float) -> None:
        self._client = client
        self._patience_s = patience_s
        self._seen = self._looked = time.monotonic()

    def expect(self, left: int) -> None:
        """Waits a moment for `left` runs."""
        time.sleep(_READY_S)
        now = time.monotonic()
        if now - self._looked < _LOOK_S:
            return
        self._looked = now
        if self.is_closed():
            raise self.gone(left)
        if self._workers():
            self._seen = now
        elif now - self._seen > self._patience_s:
            raise ExecutorError(
                f"the Dask scheduler has had no worker for {self._patience_s:g} s, and {_left(left)};"
                " what had finished is kept: start workers with `dask worker ...` and give the command again"
            )

    def is_closed(self) -> bool:
        """Whether the client has given the scheduler up, which it does some seconds after it has lost it."""
        return self._client.status in ("closing", "closed")

    def answers(self) -> bool:
        """Whether there is a scheduler still."""
        return self._workers() is not None

    def gone(self, left: int) -> ExecutorError:
        """What to raise where there is none, and so many runs are left."""
        return ExecutorError(
            f"the Dask scheduler is gone, and {_left(left)}; what had finished is kept:"
            " start a scheduler and workers and give the command again"
        )

    def _workers(self) -> int | None:
        """How many workers there are; None where no scheduler answers."""
        scheduler = self._client.scheduler
        if scheduler is None:
            return None
        try:
            return len(self._client.sync(scheduler.ncores, callback_timeout=_ANSWER_S))
        except (TimeoutError, OSError):
            return None


def _left(runs: int) -> str:
    return f"{counted(runs, 'run')} {'is' if runs == 1 else 'are'} left"


def _gather(
    client: distributed.Client, jobs: Sequence[Job], bar: Bar, watch: _WorkerWatch
) -> Generator[tuple[Job, Result]]:
    tasks, keepers, suspects = Tasks(client, jobs), _Keepers(), _Suspects()
    failures: dict[str, str] = {}
    done_s, finished = 0.0, 0
    try:
        while tasks.left() or keepers.busy() or suspects.left():
            end_if_interrupted()
            for job, result in keepers.kept():
                if isinstance(result, str):
                    failures[job.address] = result
                else:
                    yield job, result
                finished += 1
                done_s += job.simulated_s
                bar.show(done_s=done_s, finished=finished)
            if tasks.has_ready():
                _take(tasks, keepers, suspects, watch)
            elif tasks.left():
                tasks.submit_late()
                watch.expect(tasks.left() + suspects.left())
            elif suspects.left():
                suspects.judge_next(tasks, keepers)
    finally:
        try:
            if not watch.is_closed():
                tasks.cancel()
        finally:
            keepers.close()
    if failures:
        raise RunsFailed(failures, runs=len(jobs))


def _take(tasks: Tasks, keepers: _Keepers, suspects: _Suspects, watch: _WorkerWatch) -> None:
    jobs, outcome = tasks.next()
    if not is_made(outcome) and not watch.answers():
        raise watch.gone(tasks.left() + len(jobs) + suspects.left())
    tasks.submit_rest(jobs, outcome)
    if is_made(outcome):
        for job, made in zip(jobs, outcome[0], strict=False):
            keepers.keep(job, made)
        tasks.submit_singly(jobs[len(outcome[0]) :])
    elif len(jobs) > 1:  # one of them may have broken it
        tasks.submit_singly(jobs)
    elif suspects.may_be_innocent(jobs[0], outcome):
        suspects.add(jobs[0], outcome)
    else:
        keepers.keep(jobs[0], _broken(jobs[0], outcome))


class _Suspects:
    """Runs whose workers died too often: the one that kills them, and those that waited behind it."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Job, object]] = []
        self._tried: set[int] = set()

    def left(self) -> int:
        """How many runs are not judged yet."""
        return len(self._waiting)

    def may_be_innocent(self, job: Job, outcome: object) -> bool:
        """Whether another run may have killed the workers of this one."""
        error = outcome[1] if isinstance(outcome, tuple) else outcome
        return isinstance(error, distributed.KilledWorker) and id(job) not in self._tried

    def add(self, job: Job, outcome: object) -> None:
        """Keeps a run until no other one is left."""
        self._waiting.append((job, outcome))

    def judge_next(self, tasks: Tasks, keepers: _Keepers) -> None:
        """Tries the next run alone; it has failed without that where there never was another to suspect."""
        job, outcome = self._waiting.pop(0)
        if self._waiting or self._tried:
            self._tried.add(id(job))
            tasks.submit_singly([job])
        else:
            keepers.keep(job, _broken(job, outcome))


class _Keepers:
    """Puts what workers made in its place, several at a time: a disk takes them faster so."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(max_workers=_KEEPERS)
        self._pending: dict[Future[Result | str], Job] = {}

    def keep(self, job: Job, made: Outcome) -> None:
        """Takes what a worker made; waits where the disk is behind."""
        under_way = [each for each in self._pending if not each.done()]
        if len(under_way) >= 2 * _KEEPERS:
            wait(under_way, return_when=FIRST_COMPLETED)
        self._pending[self._threads.submit(_kept, job, made)] = job

    def busy(self) -> bool:
        """Whether something is not in its place yet, or was not handed out."""
        return bool(self._pending)

    def kept(self) -> Iterator[tuple[Job, Result | str]]:
        """What is in its place by now, and what failed; waits a moment."""
        done, _ = wait(self._pending, timeout=_READY_S, return_when=FIRST_COMPLETED)
        for future in done:
            yield self._pending.pop(future), future.result()

    def close(self) -> None:
        """Ends when all that was taken is in its place."""
        self._threads.shutdown()


def _kept(job: Job, made: Outcome) -> Result | str:
    """What a worker made, in its place; runs without one come as results."""
    if isinstance(made, dict):
        return keep_files(made, cast("Path", job.folder), job.address)
    return made if isinstance(made, str) or job.folder is None else keep(made, job.folder)


def _broken(job: Job, outcome: object) -> str:
    error = outcome[1] if isinstance(outcome, tuple) else outcome
    return f"{job}: {type(error).__name__}: {error}"
