"""Running: one scenario, or many on all cores, interruptible and resumable.

What a run computes depends on its scenario, its seed and the version alone, never on the number of workers.
Finished runs are kept as they finish; a sweep that was interrupted finds them again and makes the rest.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aqmlab._core import version
from aqmlab.errors import FolderError
from aqmlab.folders import require_writable
from aqmlab.load.offered import offering_twin
from aqmlab.progress import Bar, looked_at
from aqmlab.scenario import Scenario, ScenarioLike
from aqmlab.store import Found, State, inspect, remove_damaged
from aqmlab.workers import Task, Threads, available_cores

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping, Sequence

    from aqmlab.executors import Executor
    from aqmlab.result import Result

SEED_MAX = 2**64 - 1
"""The largest seed."""


@dataclass(frozen=True)
class Job:
    """A run to be made.

    Attributes:
        scenario: What to run.
        seed: With which seed; from 0 to 2⁶⁴ − 1.
        folder: Where to keep the result; without it, under its content address in the store, if there is one.
        offered_load: What is known about the offered load; kept with the result.
        measure_offered_load: Whether to measure it where the scenario has users and an uncongested twin, by
            running that as well (which takes about as long as the run itself).
        label: What messages call it; the name of the scenario, if empty.
    """

    scenario: Scenario
    seed: int
    folder: Path | None = None
    offered_load: Mapping[str, Any] | None = None
    measure_offered_load: bool = False
    label: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.seed <= SEED_MAX:
            raise ValueError(f"seed: from 0 to 2^64 - 1, not {self.seed}")

    def __str__(self) -> str:
        return f"{self.label or self.scenario.name}, seed {self.seed}"


def run(
    scenario: ScenarioLike,
    *,
    seed: int = 1,
    overrides: Mapping[str, object] | None = None,
    measure_offered_load: bool = False,
    progress: bool = False,
) -> Result:
    """Runs one scenario; the result is in memory until it is saved.

    Args:
        scenario: A `Scenario`, the path of a TOML file, or TOML text.
        seed: Seed of every random stream; the same seed gives the same users, whatever the queue does.
        overrides: Dotted keys and the values that replace what the scenario says.
        measure_offered_load: Whether to run the uncongested twin as well, to know the offered load.
        progress: Whether to show a progress bar.

    Raises:
        ScenarioError: The scenario is refused; the message names the place and the legal values.
        RunError: The simulator failed.
    """
    resolved = Scenario.of(scenario, overrides=overrides)
    job = Job(resolved, seed, measure_offered_load=measure_offered_load)
    return run_many([job], workers=1, progress=progress)[0]


def run_many(
    jobs: Sequence[Job],
    *,
    workers: int | None = None,
    store: str | Path | None = None,
    progress: bool = True,
    label: str = "",
    executor: Executor | None = None,
) -> list[Result]:
    """Runs many jobs and returns their results in the order of the jobs.

    Args:
        jobs: What to run; a run that several jobs ask for is made once.
        workers: How many runs at a time; by default, one for each core this process may use.
        store: A folder that keeps finished runs under their content address. What it holds is not run again,
            so an interrupted sweep resumes; without a store (and folders of the jobs) results stay in memory.
        progress: Whether to show a progress bar.
        label: What the progress bar calls this.
        executor: What makes the runs; by default threads of this process, as many as `workers`.

    Raises:
        RunError: A run failed; the others were stopped, those that had finished are kept.
        RunsFailed: Likewise from an executor that makes the others nevertheless.
        FolderError: A folder cannot be written to or holds something else; nothing was run.
        StorageError: A result could not be kept: the disk is full, or failed.
        KeyboardInterrupt: Ctrl-C; the runs were stopped within a second, those that had finished are kept.
    """
    finished = dict(
        run_each(jobs, workers=workers, store=store, progress=progress, label=label, executor=executor)
    )
    return [finished[position] for position in range(len(jobs))]


def run_each(
    jobs: Sequence[Job],
    *,
    workers: int | None = None,
    store: str | Path | None = None,
    progress: bool = True,
    label: str = "",
    executor: Executor | None = None,
) -> Generator[tuple[int, Result]]:
    """Like `run_many`, but yields each result, with the position of its job, as soon as it is there."""
    if workers is not None and workers < 1:
        raise ValueError(f"workers: at least 1, not {workers}")
    plan = _plan(jobs, Path(store) if store is not None else None)
    looking = looked_at(plan, label=f"{label or 'store'}: looking for finished runs", hidden=not progress)
    kept = {task: result for task in looking if (result := _kept(task)) is not None}
    for task, result in kept.items():
        yield from _deliver(plan[task], jobs, result)
    missing = [task for task in plan if task not in kept]
    for task in missing:
        _make_room(task)
    total_s = sum(task.simulated_s for task in missing)
    with Bar(label=label, runs=len(missing), total_s=total_s, hidden=not progress or not missing) as bar:
        engine = executor or Threads(workers or available_cores())
        for task, result in engine.compute(missing, bar=bar):
            yield from _deliver(plan[task], jobs, result)


def _plan(jobs: Sequence[Job], store: Path | None) -> dict[Task, list[int]]:
    """The runs to be made, each with the positions of the jobs that ask for it."""
    plan: dict[Task, list[int]] = {}
    for position, job in enumerate(jobs):
        address = job.scenario.content_address(job.seed)
        place = job.folder or (store / address if store else None)
        wanted = job.measure_offered_load and job.offered_load is None
        measure = wanted and offering_twin(job.scenario) is not None
        task = Task(job.scenario, job.seed, address, place, job.offered_load, measure, job.label)
        plan.setdefault(task, []).append(position)
    return plan


def _kept(task: Task) -> Result | None:
    """The result in the task's place, if it is there and sound."""
    if task.place is None:
        return None
    found = inspect(task.place, task.address)
    if found.state is State.FOREIGN:
        raise FolderError(f"{task.place}: {_foreign(found, task)}")
    if found.state is State.DAMAGED:
        warnings.warn(f"{found.reason}; it is computed again", stacklevel=2)
    return found.result if found.state is State.FINISHED else None


def _foreign(found: Found, task: Task) -> str:
    if found.result is None:
        return f"{found.reason.removeprefix(f'{found.place}: ')}; name another folder or remove it"
    difference = _difference(found.result, task)
    return f"holds another run, {difference}; name another folder or remove this one"


def _difference(result: Result, task: Task) -> str:
    if result.seed != task.seed:
        return f"of seed {result.seed} (wanted: seed {task.seed})"
    if result.version != version():
        return f"made by version {result.version} (this is {version()})"
    return f"of another scenario ({result.scenario.get('name')})"


def _make_room(task: Task) -> None:
    """Removes what `_kept` found empty or damaged, once it is sure that the new result can be written."""
    if task.place is not None:
        require_writable(task.place)
        remove_damaged(task.place, task.address)


def _deliver(positions: Iterable[int], jobs: Sequence[Job], result: Result) -> Generator[tuple[int, Result]]:
    for position in positions:
        offered_load = jobs[position].offered_load
        known = offered_load is None or offered_load == result.offered_load
        yield position, result if known else result.with_offered_load(offered_load or {})
