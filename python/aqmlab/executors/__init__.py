"""What makes the runs of a sweep: processes on this machine, or a cluster through Dask.

An executor is anything with `compute`. The results do not depend on it: a run is a function of scenario, seed
and version. Threads, in `aqmlab.workers`, serve `aqmlab run`; they share one process and one fate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from aqmlab.errors import ExecutorError
from aqmlab.executors.processes import Processes

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from aqmlab.progress import Bar
    from aqmlab.result import Result
    from aqmlab.workers import Task

__all__ = ["Executor", "Processes", "executor_of"]


class Executor(Protocol):
    """Makes runs and keeps their results where their tasks say."""

    def compute(self, tasks: Sequence[Task], *, bar: Bar) -> Generator[tuple[Task, Result]]:
        """Makes the runs and yields each, kept in its place, as it finishes.

        Closing the generator early stops what is under way.

        Raises:
            RunsFailed: Some failed; all others were yielded before.
        """


def executor_of(name: str, *, workers: int | None = None) -> Executor:
    """The executor of a name.

    Args:
        name: `local` (processes on this machine), `dask` (a Dask cluster on this machine) or
            `dask://HOST:PORT` (a Dask scheduler that is there already).
        workers: Runs at a time, on this machine; by default one for each core. A scheduler that is there
            already has workers of its own.

    Raises:
        ExecutorError: There is none of this name, or what it needs is not installed.
    """
    if name == "local":
        return Processes(workers)
    kind, separator, address = name.partition("://")
    if kind != "dask" or (separator and not address):
        raise ExecutorError(f"executor {name!r}: there are local, dask and dask://HOST:PORT")
    if separator and workers is not None:
        raise ExecutorError(f"executor {name!r}: its workers are those of the cluster; leave out --workers")
    from aqmlab.executors.cluster import Cluster  # noqa: PLC0415 (an optional dependency)

    return Cluster(f"tcp://{address}" if separator else None, workers=workers)
