"""Threads that run the core.

A run is one call that releases the interpreter lock, so threads fill the cores and nothing is copied between
processes. The calling thread only waits, moves the progress bar and hears Ctrl-C.
"""

from __future__ import annotations

import os
import threading
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aqmlab import _core
from aqmlab.errors import Cancelled, RunError
from aqmlab.load.offered import measured, offering_twin
from aqmlab.memory import workers_with_room
from aqmlab.result import Result
from aqmlab.store import keep, sound

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence
    from pathlib import Path

    from aqmlab.progress import Bar
    from aqmlab.scenario import Scenario

_POLL_S = 0.1


@dataclass(frozen=True)
class Task:
    """A run to be made once.

    Attributes:
        scenario: What to run.
        seed: With which seed.
        address: The content address of the run.
        place: The folder that is to hold the result; none keeps it in memory.
        offered_load: What is known about the offered load; kept with the result.
        measure_offered_load: Whether to run the uncongested twin first, to know it.
        label: What messages call it; the name of the scenario, if empty.
    """

    scenario: Scenario = field(compare=False)
    seed: int = field(compare=False)
    address: str
    place: Path | None
    offered_load: Mapping[str, Any] | None = field(default=None, compare=False)
    measure_offered_load: bool = field(default=False, compare=False)
    label: str = field(default="", compare=False)

    @property
    def simulated_s(self) -> float:
        """Simulated time of all that is to be run, in seconds."""
        return self.scenario.duration_s * (2 if self.measure_offered_load else 1)

    def __str__(self) -> str:
        return f"{self.label or self.scenario.name}, seed {self.seed}"


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def compute(tasks: Sequence[Task], *, workers: int, bar: Bar) -> Generator[tuple[Task, Result]]:
    """Makes the runs and yields each as it finishes.

    Leaving early, by an error, Ctrl-C or because the caller stops listening, cancels what is running and
    waits for its threads, which takes a fraction of a second.

    Raises:
        RunError: A run failed; the message names it.
        StorageError: A result could not be kept.
    """
    crew = Crew()
    with ThreadPoolExecutor(max_workers=workers, thread_name_prefix="aqmlab") as threads:
        pending = {threads.submit(crew.perform, task): task for task in tasks}
        try:
            while pending:
                done, _ = wait(pending, timeout=_POLL_S, return_when=FIRST_COMPLETED)
                for future in done:
                    yield pending.pop(future), future.result()
                bar.show(done_s=crew.simulated_s(), finished=len(tasks) - len(pending))
        finally:
            crew.stop()
            for future in pending:
                future.cancel()


@dataclass(frozen=True)
class Threads:
    """Makes runs on threads of this process.

    Attributes:
        workers: How many runs at a time.
    """

    workers: int

    def compute(self, tasks: Sequence[Task], *, bar: Bar) -> Generator[tuple[Task, Result]]:
        """Makes the runs and yields each as it finishes; the first that fails ends it."""
        return compute(tasks, workers=workers_with_room(tasks, self.workers), bar=bar)


class Crew:
    """The runs in flight: how far they are, and how to stop them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stopping = False
        self._running: dict[_core.Run, float] = {}
        self._finished_s = 0.0

    def perform(self, task: Task) -> Result:
        """Makes the task's run and keeps its result; called on a thread of its own."""
        if task.place is not None and (made := sound(task.place, task.address)) is not None:
            return made  # by another process that works on the same store
        try:
            offered_load = task.offered_load
            if task.measure_offered_load and (twin := offering_twin(task.scenario)) is not None:
                offered_load = measured(self._run(twin, task), scenario=task.scenario)
            result = self._run(task.scenario, task)
        except RunError as error:
            raise RunError(f"{task}: {error}") from error
        if offered_load is not None:
            result = result.with_offered_load(offered_load)
        return result if task.place is None else keep(result, task.place)

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

    def _run(self, scenario: Scenario, task: Task) -> Result:
        run = _core.Run(scenario.resolved_json, task.seed)
        with self._lock:
            if self._stopping:
                raise Cancelled(f"{task}: cancelled before it began")
            self._running[run] = scenario.duration_s
        try:
            run.execute()
        finally:
            with self._lock:
                self._finished_s += self._running.pop(run)
        return Result.from_core(run, content_address=scenario.content_address(task.seed))
