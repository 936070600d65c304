"""A Dask cluster: one that is there already, or one on this machine.

Workers compute and hand the result over; the client alone writes the store, with the code that writes it
everywhere, so the bytes are those of a run on this machine. Dask gives the run of a dead worker to another
one, up to its own limit (`distributed.scheduler.allowed-failures`).
"""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

from aqmlab import _core
from aqmlab._startup import end_if_interrupted
from aqmlab.errors import ExecutorError, RunError, RunsFailed, ScenarioError
from aqmlab.result import Result
from aqmlab.runs.executors.active_runs import ActiveRuns, available_cores
from aqmlab.runs.job import Job
from aqmlab.runs.store import keep
from aqmlab.terminal.spelling import counted

try:
    import distributed
except ImportError as missing:
    raise ExecutorError(
        f"the executor dask needs the package distributed, from PyPI ({missing}): pip install distributed, "
        "or pip install 'aqmlab[dask]'"
    ) from None

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from aqmlab.terminal.progress import Bar

_CONNECT_S = 5.0
_POLL_S = 0.2
_READY_S = 0.05
_LOOK_S = 1.0
_ANSWER_S = 10.0
_TALKATIVE = ("distributed.client", "distributed.comm", "distributed.core", "tornado.application")
PATIENCE_S = 30.0
"""How long a cluster may be without any worker; Dask starts those on this machine anew in a few seconds."""


class Cluster:
    """Makes runs on the workers of a Dask scheduler."""

    def __init__(
        self, address: str | None, *, workers: int | None = None, patience_s: float = PATIENCE_S
    ) -> None:
        """Connects to nothing yet.

        Args:
            address: Of the scheduler, such as tcp://10.0.0.1:8786; without it, a cluster on this machine.
            workers: How many on this machine; by default one for each core. Only without an address.
            patience_s: How long to wait, in seconds, where the cluster has no worker left.
        """
        self._patience_s = patience_s
        self._address = address
        self._workers = workers or available_cores()

    def compute(self, jobs: Sequence[Job], *, bar: Bar) -> Generator[tuple[Job, Result]]:
        """Makes the runs and yields each, kept in its place, as it finishes.

        Raises:
            RunsFailed: Some runs failed, or killed too many workers; all others were yielded before.
            ExecutorError: No scheduler, no worker, workers of another version, none left for too long, or the
                scheduler gone.
            StorageError: A result could not be kept.
        """
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
            with _quiet(), _connect(self._address) as client:
                yield client
            return
        with _ctrl_c_held_back():
            cluster = distributed.LocalCluster(
                n_workers=self._workers,
                threads_per_worker=1,
                processes=True,
                dashboard_address=None,
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
    if threading.current_thread() is not threading.main_thread():
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


def compute_there(order: dict[str, Any]) -> Result | str:
    """Makes a run on a worker; the result, or what went wrong."""
    try:
        return _perform(Job.from_order(order))
    except (RunError, ScenarioError) as error:
        return str(error)


def _perform(job: Job) -> Result:
    """Makes the run on a thread beside this one, which watches whether anybody still wants it."""
    active = ActiveRuns()
    with ThreadPoolExecutor(max_workers=1) as thread:
        run = thread.submit(active.perform, job)
        while not wait([run], timeout=_POLL_S).done:
            if _given_up(job):
                active.stop()
        return run.result()


def _given_up(job: Job) -> bool:
    """Whether the client has cancelled the run, or gone; Dask itself lets a task that has begun run on."""
    known = distributed.get_worker().state.tasks.get(_key(job))
    return known is None or known.state in {"cancelled", "released", "forgotten"}


def _key(job: Job) -> str:
    return f"aqmlab-{job.address}"


def version_there() -> str:
    """The version that a worker has."""
    return _core.version()


def _connect(address: str) -> distributed.Client:
    try:
        return distributed.Client(address, timeout=_CONNECT_S)
    except (OSError, ValueError) as error:
        raise ExecutorError(f"{address}: no Dask scheduler answers there ({error})") from None


def check_versions(client: distributed.Client) -> None:
    """Refuses a cluster without workers, or with workers of another version.

    Raises:
        ExecutorError: It names the first such worker.
    """
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
        """Waits a moment for `left` runs.

        Raises:
            ExecutorError: For too long there was nobody to make them, or the scheduler is gone.
        """
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
    pending = {client.submit(compute_there, _order(job), key=_key(job), pure=False): job for job in jobs}
    failures: dict[str, str] = {}
    done_s, finished = 0.0, 0
    try:
        stream = distributed.as_completed(list(pending), with_results=True, raise_errors=False)
        while pending:
            end_if_interrupted()
            if not stream.has_ready():
                watch.expect(len(pending))
                continue
            future, outcome = next(stream)
            if not isinstance(outcome, Result | str) and not watch.answers():
                raise watch.gone(len(pending))
            job = pending.pop(future)
            if isinstance(outcome, Result):
                yield job, outcome if job.folder is None else keep(outcome, job.folder)
            else:
                failures[job.address] = outcome if isinstance(outcome, str) else _broken(job, outcome)
            future.release()
            finished += 1
            done_s += job.simulated_s
            bar.show(done_s=done_s, finished=finished)
    finally:
        if not watch.is_closed():
            client.cancel(list(pending))
    if failures:
        raise RunsFailed(failures, runs=len(jobs))


def _order(job: Job) -> dict[str, Any]:
    """What a worker needs; the result comes back, and the client keeps it."""
    return {**job.order(), "folder": None}


def _broken(job: Job, outcome: object) -> str:
    error = outcome[1] if isinstance(outcome, tuple) else outcome
    return f"{job}: {type(error).__name__}: {error}"
