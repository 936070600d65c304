"""The runs that this process has in flight, whatever hands them out."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from aqmlab import _core
from aqmlab.errors import Cancelled, ExecutorError, RunError
from aqmlab.load.offered import measured
from aqmlab.result import Result
from aqmlab.runs.store import finished_result, keep

if TYPE_CHECKING:
    from aqmlab.runs.job import Job
    from aqmlab.scenario import Scenario


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def worker_count(given: object) -> int:
    """A number of workers."""
    return ExecutorError.whole("workers", given, 1)


class ActiveRuns:
    """The runs in flight: how far they are, and how to stop them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stopping = False
        self._running: dict[_core.Run, float] = {}
        self._finished_s = 0.0

    def perform(self, job: Job) -> Result:
        """Makes the run and keeps its result; called on a thread of its own."""
        if job.folder is not None and (made := finished_result(job.folder, job.address)) is not None:
            return made  # by another process that works on the same store
        try:
            offered_load = job.offered_load
            if job.twin is not None:
                offered_load = measured(self._run(job.twin, job), scenario=job.scenario)
            result = self._run(job.scenario, job)
        except RunError as error:
            raise RunError(f"{job}: {error}") from error
        if offered_load is not None:
            result = result.with_offered_load(offered_load)
        return result if job.folder is None else keep(result, job.folder)

    def simulated_s(self) -> float:
        """Simulated seconds done by now, in finished runs and in those under way."""
        with self._lock:
            under_way = sum(run.progress() * duration_s for run, duration_s in self._running.items())
            return self._finished_s + under_way

    def stop(self) -> None:
        """Cancels what is running and refuses what comes."""
        with self._lock:
            self._stopping = True
            for run in self._running:
                run.cancel()

    def _run(self, scenario: Scenario, job: Job) -> Result:
        # The twin that measures the offered load is another network.
        captured = [list(job.pcap)] if job.pcap and scenario is job.scenario else []
        run = _core.Run(scenario.core, job.seed, *captured)
        with self._lock:
            if self._stopping:
                raise Cancelled(f"{job}: cancelled before it began")
            self._running[run] = scenario.duration_s
        try:
            run.execute()
        finally:
            with self._lock:
                self._finished_s += self._running.pop(run)
        return Result.from_core(run, content_address=scenario.content_address(job.seed))
