"""Running: one scenario, or many on all cores, interruptible and resumable.

What a run computes depends on its scenario, its seed and the version alone, never on the number of workers.
Finished runs are kept as they finish; a sweep that was interrupted finds them again and makes the rest.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aqmlab import arguments
from aqmlab._core import version
from aqmlab.errors import FolderError, RefusalError, ScenarioError
from aqmlab.files.folders import require_writable
from aqmlab.result import capture_name
from aqmlab.runs.budget import announce
from aqmlab.runs.executors import chosen_executor
from aqmlab.runs.job import Job
from aqmlab.runs.store import Found, State, finished_result, give_to, inspect, remove_damaged, take_from
from aqmlab.scenario import Scenario, ScenarioLike
from aqmlab.terminal.progress import Bar, tracked
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping, Sequence

    from aqmlab.result import Result
    from aqmlab.runs.executors import Executor


_KINDS: dict[str, arguments.Kind] = {
    "jobs": arguments.listed("[Job(scenario, 1)]"),
    "store": arguments.optional(arguments.path),
    "label": arguments.label,
}


@dataclass(frozen=True)
class Execution:
    """How many runs are made for one purpose: by which executor, into which store, with which progress.

    Without a store their results stay in memory.
    """

    executor: Executor
    store: Path | None
    progress: bool = True

    def run(self, jobs: Sequence[Job], label: str) -> list[Result]:
        """Makes the runs, or finds them in the store."""
        return run_many(jobs, executor=self.executor, store=self.store, progress=self.progress, label=label)

    def run_pairs(self, pairs: Sequence[tuple[Scenario, int]], label: str) -> list[Result]:
        """The same of scenarios with seeds."""
        return self.run([Job(scenario, seed) for scenario, seed in pairs], label)


@arguments.checked(ScenarioError)
def run(
    scenario: ScenarioLike,
    *,
    seed: int = 1,
    overrides: Mapping[str, object] | None = None,
    measure_offered_load: bool = False,
    progress: bool = False,
) -> Result:
    """Runs one scenario; the result stays in memory until it is saved.

    Args:
        scenario: A `Scenario`, a path, TOML text or a dict.
        seed: Seed of all random streams; the same seed gives the same users under every queue.
        overrides: Dotted keys with the values that replace the scenario's.
        measure_offered_load: Whether to measure the offered load by also running the uncongested twin.
        progress: Whether to show a progress bar.

    Raises:
        ScenarioError: The scenario is invalid; the message names the place and the legal values.
        RunError: The simulator failed.
    """
    resolved = Scenario.of(scenario, overrides=overrides)
    job = Job(resolved, seed, measure_offered_load=measure_offered_load)
    return run_many([job], workers=1, progress=progress)[0]


@arguments.checked(RefusalError, **_KINDS)
def run_many(
    jobs: Sequence[Job],
    *,
    workers: int | None = None,
    store: str | Path | None = None,
    progress: bool = False,
    label: str = "",
    executor: Executor | str = "threads",
) -> list[Result]:
    """Runs many jobs and returns their results in the order of the jobs.

    Args:
        jobs: The runs; identical runs are computed once.
        workers: Number of parallel runs; by default one per core available to this process.
        store: A folder for finished runs, by content address, which are not repeated: an interrupted sweep
            resumes. Runs with folders of their own are taken from it, and put there too, as the same files.
            Without a store (and folders of the jobs) results stay in memory.
        progress: Whether to show a progress bar.
        label: Title of the progress bar.
        executor: Where runs are computed: `threads`, `local` (processes), `dask` or `dask://HOST:PORT`.

    Raises:
        RunError: A run failed; the others were stopped, and finished ones are kept.
        RunsFailed: A run failed in an executor that completes the others.
        FolderError: A folder cannot be written or contains something else; nothing was run.
        StorageError: A result could not be stored: the disk is full or failed.
        KeyboardInterrupt: Ctrl-C; the runs were stopped within a second, and finished ones are kept.
    """
    finished = dict(
        run_each(jobs, workers=workers, store=store, progress=progress, label=label, executor=executor)
    )
    return [finished[position] for position in range(len(jobs))]


@arguments.checked(RefusalError, **_KINDS)
def run_each(
    jobs: Sequence[Job],
    *,
    workers: int | None = None,
    store: str | Path | None = None,
    progress: bool = False,
    label: str = "",
    executor: Executor | str = "threads",
) -> Generator[tuple[int, Result]]:
    """Like `run_many`, but yields each result with the position of its job as soon as it is finished."""
    engine = chosen_executor(executor, workers)
    shared = None if store is None else Path(store)
    plan = _plan(jobs, shared)
    looking = tracked(plan, label=f"{label or 'store'}: looking for finished runs", hidden=not progress)
    kept = {job: result for job in looking if (result := _kept(job, shared)) is not None}
    for job, result in kept.items():
        yield from _deliver(plan[job], jobs, result)
    missing = [job for job in plan if job not in kept]
    for job in missing:
        _make_room(job)
    if progress:
        announce(missing, engine)
    total_s = sum(job.simulated_s for job in missing)
    with Bar(label=label, runs=len(missing), total_s=total_s, hidden=not progress or not missing) as bar:
        for job, result in engine.compute(missing, bar=bar):
            if shared is not None and not job.pcap:
                give_to(shared, result)
            yield from _deliver(plan[job], jobs, result)


def _plan(jobs: Sequence[Job], store: Path | None) -> dict[Job, list[int]]:
    """The runs to be made, each with the positions of the jobs that ask for it."""
    plan: dict[tuple[str, Path | None], tuple[Job, list[int]]] = {}
    for position, job in enumerate(jobs):
        if not isinstance(job, Job):
            raise RefusalError(f"jobs: a list of Job, not of {quoted(job)}", place="jobs", value=job)
        placed = job.kept_in(store) if store else job
        # Scenarios that differ in their labels alone are one run.
        _, positions = plan.setdefault((placed.address, placed.folder), (placed, []))
        positions.append(position)
    return dict(plan.values())


def _kept(job: Job, store: Path | None) -> Result | None:
    """The result in the job's place, if it is there and sound, or else that in the store."""
    if job.folder is None:
        return None
    found = inspect(job.folder, job.address)
    if found.state is State.FOREIGN:
        raise FolderError(f"{job.folder}: {_foreign(found, job)}")
    if found.state is State.DAMAGED:
        warnings.warn(f"{found.reason}; it is computed again", stacklevel=2)
    if found.state is not State.FINISHED:
        return None if store is None else _taken_from(store, job, job.folder)
    for port in job.pcap:
        if not (job.folder / capture_name(port)).is_file():
            raise FolderError(
                f"{job.folder}: holds this run without the packets of {port}; "
                "name another folder or remove this one"
            )
    return found.result


def _taken_from(store: Path, job: Job, folder: Path) -> Result | None:
    """The result from the store in the job's own place, unless the job asks for more than it says."""
    if job.pcap or folder == store / job.address:
        return None
    there = finished_result(store / job.address, job.address)
    if there is None or (job.twin is not None and there.offered_load is None):
        return None
    _make_room(job)
    return take_from(store, folder, job.address)


def _foreign(found: Found, job: Job) -> str:
    if found.result is None:
        return f"{found.reason.removeprefix(f'{found.place}: ')}; name another folder or remove it"
    difference = _difference(found.result, job)
    return f"holds another run, {difference}; name another folder or remove this one"


def _difference(result: Result, job: Job) -> str:
    if result.seed != job.seed:
        return f"of seed {result.seed} (wanted: seed {job.seed})"
    if result.version != version():
        return f"made by version {result.version} (this is {version()})"
    return f"of another scenario ({result.scenario.get('name')})"


def _make_room(job: Job) -> None:
    """Removes what `_kept` found empty or damaged, once it is sure that the new result can be written."""
    if job.folder is not None:
        require_writable(job.folder)
        remove_damaged(job.folder, job.address)


def _deliver(positions: Iterable[int], jobs: Sequence[Job], result: Result) -> Generator[tuple[int, Result]]:
    for position in positions:
        offered_load = jobs[position].offered_load
        known = offered_load is None or offered_load == result.offered_load
        yield position, result if known else result.with_offered_load(offered_load or {})
