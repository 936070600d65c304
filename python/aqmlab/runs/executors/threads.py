"""Threads of this process.

A run is one call that releases the interpreter lock, so threads fill the cores and nothing is copied between
processes. The calling thread only waits, moves the progress bar and hears Ctrl-C.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from aqmlab._startup import end_if_interrupted
from aqmlab.runs.executors.active_runs import ActiveRuns, available_cores, worker_count
from aqmlab.runs.memory import workers_with_room

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from concurrent.futures import Future

    from aqmlab.result import Result
    from aqmlab.runs.job import Job
    from aqmlab.terminal.progress import Progressing

_POLL_S = 0.1


@dataclass(frozen=True)
class Threads:
    """Makes runs on threads of this process.

    Attributes:
        workers: How many runs at a time; by default one for each core this process may use.
    """

    workers: int = field(default_factory=available_cores)

    def __post_init__(self) -> None:
        object.__setattr__(self, "workers", worker_count(self.workers))

    def compute(self, jobs: Sequence[Job], *, bar: Progressing) -> Generator[tuple[Job, Result]]:
        """Makes the runs and yields each as it finishes; the first that fails ends it.

        Leaving early, by an error, Ctrl-C or because the caller stops listening, cancels what is running and
        waits for its threads, which takes a fraction of a second.
        """
        active = ActiveRuns()
        workers = workers_with_room(jobs, self.workers)
        # Not `concurrent.futures.wait`: it takes the locks of all futures one by one; an interruption in the
        # midst of that would leave some locked and their threads waiting for ever.
        finished: SimpleQueue[Future[Result]] = SimpleQueue()
        pending: dict[Future[Result], Job] = {}
        with ThreadPoolExecutor(max_workers=workers, thread_name_prefix="aqmlab") as threads:
            try:
                for job in jobs:
                    future = threads.submit(active.perform, job)
                    pending[future] = job
                    future.add_done_callback(finished.put)
                while pending:
                    end_if_interrupted()
                    with suppress(Empty):
                        future = finished.get(timeout=_POLL_S)
                        yield pending.pop(future), future.result()
                    bar.show(done_s=active.simulated_s(), finished=len(jobs) - len(pending))
            finally:
                active.stop()
                for future in pending:
                    future.cancel()
