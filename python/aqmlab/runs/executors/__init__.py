"""What makes runs: threads of this process, processes on this machine, or a cluster through Dask.

An executor is anything with `compute`. The results do not depend on it: a run is a function of scenario, seed
and version. Threads start at once and share one process; a worker process that dies takes its own run with
it and no other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from aqmlab.errors import ExecutorError
from aqmlab.runs.executors.active_runs import available_cores, worker_count
from aqmlab.runs.executors.processes import Processes
from aqmlab.runs.executors.threads import Threads
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from aqmlab.result import Result
    from aqmlab.runs.job import Job
    from aqmlab.terminal.progress import Bar

__all__ = ["Executor", "Processes", "Threads", "available_cores", "chosen_executor", "executor_of"]

_NAMES = "threads, local, dask and dask://HOST:PORT"


class Executor(Protocol):
    """Makes runs and keeps their results where their jobs say."""

    def compute(self, jobs: Sequence[Job], *, bar: Bar) -> Generator[tuple[Job, Result]]:
        """Makes the runs and yields each, kept in its place, as it finishes.

        Closing the generator early stops what is under way.
        """


def executor_of(name: str, *, workers: int | None = None) -> Executor:
    """The executor of a name."""
    workers = None if workers is None else worker_count(workers)
    if name == "threads":
        return Threads(available_cores() if workers is None else workers)
    if name == "local":
        return Processes(workers)
    kind, separator, address = name.partition("://")
    if kind != "dask" or (separator and not address):
        raise ExecutorError(
            f"executor {name!r}: there are {_NAMES}", place="executor", value=name, legal=_NAMES
        )
    if separator and workers is not None:
        raise ExecutorError(
            f"executor {name!r}: its workers are those of the cluster; leave out the number of workers"
        )
    from aqmlab.runs.executors.cluster import Cluster  # noqa: PLC0415 (an optional dependency)

    return Cluster(f"tcp://{address}" if separator else None, workers=workers)


def chosen_executor(executor: Executor | str, workers: int | None = None) -> Executor:
    """An executor that was given itself, or by its name with a number of workers."""
    if isinstance(executor, str):
        return executor_of(executor, workers=workers)
    if not callable(getattr(executor, "compute", None)):
        legal = f"{_NAMES}, or an object with `compute`"
        raise ExecutorError(
            f"executor: {legal}, not {quoted(executor)}", place="executor", value=executor, legal=legal
        )
    return executor
