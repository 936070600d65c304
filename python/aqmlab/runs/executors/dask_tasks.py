"""What a Dask cluster is given: tasks of one or several runs, and what a worker does with them."""

from __future__ import annotations

import secrets
import time
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

import pyarrow as pa

from aqmlab.errors import ExecutorError, RunError, ScenarioError
from aqmlab.result import Result
from aqmlab.runs.executors.active_runs import ActiveRuns
from aqmlab.runs.job import Job

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

try:
    import distributed
except ImportError as missing:
    raise ExecutorError(
        f"the executor dask needs the package distributed, from PyPI ({missing}): pip install distributed, "
        "or pip install 'aqmlab[dask]'"
    ) from None

__all__ = ["Outcome", "Tasks", "distributed", "is_made"]


Outcome: TypeAlias = Result | dict[str, bytes] | str
"""What came of a run: its result, in memory or as the files that keep it, or what went wrong."""

Made: TypeAlias = tuple[list[Outcome], float]
"""What came of the runs of a task, and how many seconds all of them took."""

_POLL_S = 0.2
_TASK_S = 0.5
_LONGEST_TASK_S = 2.0
_TASKS_PER_SLOT = 4
_FIRST_S = 3.0


def compute_there(orders: Sequence[dict[str, Any]], task: str, arrow: str) -> Made:
    """Makes runs on a worker, one after another; those that would begin after `_LONGEST_TASK_S` are left."""
    begin = time.perf_counter()
    active = ActiveRuns()
    outcomes: list[Outcome] = []

    def make() -> None:
        for order in orders:
            if outcomes and time.perf_counter() - begin > _LONGEST_TASK_S:
                return
            outcomes.append(_outcome(active, order, arrow))

    with ThreadPoolExecutor(max_workers=1) as thread:
        made = thread.submit(make)
        while not wait([made], timeout=_POLL_S).done:
            if _given_up(task):
                active.stop()
        made.result()
    return outcomes, time.perf_counter() - begin


def _outcome(active: ActiveRuns, order: dict[str, Any], arrow: str) -> Outcome:
    wanted = dict(order)
    kept = wanted.pop("kept")
    try:
        result = active.perform(Job.from_order(wanted))
    except (RunError, ScenarioError) as error:
        return str(error)
    return result.files() if kept and arrow == arrow_build() else result


def arrow_build() -> str:
    """Which pyarrow writes here; another one may compress tables into other bytes."""
    return f"{pa.__version__} {pa.cpp_build_info}"


def _given_up(task: str) -> bool:
    """Whether the client has cancelled the task, or gone; Dask itself lets one that has begun run on."""
    known = distributed.get_worker().state.tasks.get(task)
    return known is None or known.state in {"cancelled", "released", "forgotten"}


def is_made(outcome: object) -> TypeGuard[Made]:
    """Whether a task came to its end; otherwise it is what broke it: an error with its type and traceback."""
    return isinstance(outcome, tuple) and len(outcome) == 2


class Tasks:
    """The runs on a cluster: the first ones singly, which tell how long a run takes, then several in a task.

    A task costs the client, the scheduler and the worker some 10 ms; so it lasts `_TASK_S`, where that is
    more than a run does.
    """

    def __init__(self, client: distributed.Client, jobs: Sequence[Job]) -> None:
        self._client = client
        self._slots = max(sum(client.ncores().values()), 1)
        self._begin = time.monotonic()
        self._pending: dict[distributed.Future, tuple[Job, ...]] = {}
        self._stream = distributed.as_completed([], with_results=True, raise_errors=False)
        first = 2 * self._slots
        self._waiting = list(jobs[first:])
        self.submit_singly(jobs[:first])

    def left(self) -> int:
        """How many runs are not made yet."""
        return len(self._waiting) + sum(map(len, self._pending.values()))

    def has_ready(self) -> bool:
        """Whether a task has ended."""
        return bool(self._stream.has_ready())

    def next(self) -> tuple[tuple[Job, ...], object]:
        """The runs of a task that has ended, and what came of it."""
        future, outcome = next(self._stream)
        jobs = self._pending.pop(future)
        future.release()
        return jobs, outcome

    def cancel(self) -> None:
        """Stops what has not ended."""
        self._client.cancel(list(self._pending))

    def submit_rest(self, jobs: Sequence[Job], outcome: object) -> None:
        """Submits the runs that wait for the first one that ends well, by how long that took."""
        if not is_made(outcome) or any(isinstance(each, str) for each in outcome[0]):
            self.submit_late()
            return
        waiting, self._waiting = self._waiting, []
        share = outcome[1] / sum(job.simulated_s for job in jobs)
        largest = max(len(waiting) // (_TASKS_PER_SLOT * self._slots), 1)
        for batch in batches(waiting, [share * job.simulated_s for job in waiting], largest=largest):
            self._submit(batch)

    def submit_late(self) -> None:
        """Submits the runs that wait singly where the first ones take long, or none is left to wait for."""
        if not self._pending or time.monotonic() - self._begin > _FIRST_S:
            waiting, self._waiting = self._waiting, []
            self.submit_singly(waiting)

    def submit_singly(self, jobs: Sequence[Job]) -> None:
        """Submits runs, each in a task of its own."""
        for job in jobs:
            self._submit((job,))

    def _submit(self, jobs: tuple[Job, ...]) -> None:
        # Never the name of another task: to Dask tasks of one name are the same, whosever they are.
        task = f"aqmlab-{secrets.token_hex(16)}"
        orders = [{**job.order(), "folder": None, "kept": job.folder is not None} for job in jobs]
        future = self._client.submit(compute_there, orders, task, arrow_build(), key=task, pure=False)
        self._pending[future] = jobs
        self._stream.add(future)


def batches(jobs: Sequence[Job], estimates_s: Sequence[float], *, largest: int) -> Iterator[tuple[Job, ...]]:
    """Runs in a row of together at most `_TASK_S`, and at most `largest` of them; at least one."""
    batch: list[Job] = []
    batch_s = 0.0
    for job, estimate_s in zip(jobs, estimates_s, strict=True):
        if batch and (batch_s + estimate_s > _TASK_S or len(batch) == largest):
            yield tuple(batch)
            batch, batch_s = [], 0.0
        batch.append(job)
        batch_s += estimate_s
    if batch:
        yield tuple(batch)
