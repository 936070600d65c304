"""How long runs take on this machine, and which of them a given time has room for.

The first moments of a few runs say it, once their start is over: so long a simulated second takes at their
pace. Of presets it was within a fifth of the processor time that they took; a machine that others use is
slower than its first moments say.
"""

from __future__ import annotations

import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import cycle, islice
from statistics import fmean
from typing import TYPE_CHECKING

from aqmlab import _core
from aqmlab.errors import RefusalError, RunError, ScenarioError
from aqmlab.runs.executors import Threads, available_cores
from aqmlab.seeds import Seeds
from aqmlab.terminal.console import say
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.runs.executors import Executor
    from aqmlab.runs.job import Job
    from aqmlab.scenario import Scenario

_PROBE_S = 0.1
"""Seconds of a core that a run is tried for."""
_MOST_PROBED = 3
_MOST_AT_A_TIME = 8
_WORTH_SAYING_S = 10.0
_WORTH_PROBING_S = 60.0
"""So many simulated seconds take less than any estimate is worth."""
_USED = 0.9
"""Of a given time so much is planned with: estimates err."""
_LEAST_WINDOW_S = 10.0
"""A run is never shortened to a measured window below this."""


def run_time_s(scenario: Scenario, seed: int = 1) -> float:
    """Seconds that a run takes on a core of this machine, from its first moments.

    Raises:
        RefusalError: The scenario cannot be taken step by step, so that nobody knows.
        RunError: It failed in these moments.
    """
    began = time.perf_counter()
    try:
        run = _core.Simulation(scenario.core, seed)
    except ScenarioError as error:
        raise RefusalError(f"how long a run takes is not known before: {error}", place="within_s") from None
    started = before = time.perf_counter()
    pace, step_s = 0.0, 1.0
    # One step at the least: the start of a large network alone takes longer than a run is tried for.
    while (now_s := run.time_s) < scenario.duration_s and (now_s == 0.0 or before - started < _PROBE_S):
        try:
            run.advance_until(min(now_s + step_s, scenario.duration_s))
        except RunError as error:
            raise RunError(f"{scenario.name}, seed {seed}: {error}") from error
        after = time.perf_counter()
        pace, before = (after - before) / (run.time_s - now_s), after
        step_s *= 2.0
    # What was simulated has taken its time; what is left goes on as the last step did.
    return before - began + (scenario.duration_s - run.time_s) * pace


def mean_run_time_s(scenarios: Sequence[Scenario], workers: int = 1) -> float:
    """The mean over scenarios, of which the first, the middle and the last one are tried.

    As many are tried at a time as are going to be run, a few at the most: what they take from one another,
    and what others on this machine take from all of them, is in the mean.
    """
    last = len(scenarios) - 1
    probed = {0, last // 2, last} if last >= _MOST_PROBED - 1 else {0, last}
    at_a_time = min(workers, _MOST_AT_A_TIME)
    tried = list(islice(cycle(sorted(probed)), max(at_a_time, len(probed))))
    with ThreadPoolExecutor(at_a_time) as threads:
        return fmean(threads.map(lambda place: run_time_s(scenarios[place]), tried))


def workers_of(executor: Executor) -> int:
    """How many runs an executor makes at a time on this machine."""
    return executor.workers if isinstance(executor, Threads) else available_cores()


def announce(jobs: Sequence[Job], executor: Executor) -> None:
    """Says how long runs will take, before the first of them, where it is long."""
    if not jobs or sum(job.simulated_s for job in jobs) < _WORTH_PROBING_S:
        return
    simulated_s = sum(job.simulated_s for job in jobs) / sum(job.scenario.duration_s for job in jobs)
    scenarios = list({id(job.scenario): job.scenario for job in jobs}.values())
    workers = min(workers_of(executor), len(jobs))
    with suppress(RefusalError, RunError):  # then nobody knows, and the runs say why
        announce_time(
            len(jobs), mean_run_time_s(scenarios, workers) * simulated_s * len(jobs) / workers, workers
        )


def announce_runs(scenario: Scenario, runs: int, executor: Executor) -> None:
    """Says how long at most so many runs of one scenario will take, where it is long."""
    workers = workers_of(executor)
    with suppress(RefusalError, RunError):
        announce_time(runs, mean_run_time_s([scenario], workers) * runs / workers, workers, at_most=True)


def announce_time(runs: int, seconds: float, workers: int, *, at_most: bool = False) -> None:
    """Says on standard error how long so many runs will take, where it is long."""
    if seconds >= _WORTH_SAYING_S:
        about = "at most about" if at_most else "about"
        cores = counted(workers, "core")
        say(f"{counted(runs, 'run')}: {about} {in_words(seconds)} on {cores}", err=True)


def in_words(seconds: float) -> str:
    """A time as people plan with it: 12 s, 3 min, 1.5 h."""
    if seconds < 100.0:
        return f"{seconds:.0f} s" if seconds >= 1.0 else f"{seconds:.2g} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 6000.0 else f"{seconds / 3600.0:.1f} h"


@dataclass(frozen=True)
class Affordable:
    """What a time has room for.

    Attributes:
        seeds: The seeds, from the first on.
        duration_s: How long each run is; none if as long as its scenario says.
    """

    seeds: tuple[int, ...]
    duration_s: float | None = None

    def of(self, scenarios: Mapping[str, Scenario]) -> dict[str, Scenario]:
        """The scenarios, as long as there is room for."""
        if self.duration_s is None:
            return dict(scenarios)
        return {
            name: each.with_overrides({"duration_s": self.duration_s}) for name, each in scenarios.items()
        }


def affordable(
    scenarios: Sequence[Scenario],
    seeds: Sequence[int],
    within_s: float | None,
    executor: Executor,
    *,
    may_shorten: bool = False,
) -> Affordable:
    """How many of the seeds there is time for, each with all scenarios; at need one seed of shorter runs.

    A warning tells what is left out.
    """
    if within_s is None:
        return Affordable(tuple(seeds))
    workers = min(workers_of(executor), len(scenarios) * len(seeds))
    each_s = mean_run_time_s(scenarios, workers) * len(scenarios) / workers
    given = f"within {in_words(within_s)}"
    if _USED * within_s >= each_s * len(seeds):
        return Affordable(tuple(seeds))
    room = int(_USED * within_s / each_s)
    if room:
        kept = Seeds(tuple(seeds)[:room])
        left = f"{given}: {room} of {counted(len(seeds), 'seed')} ({kept}){_lost(room, len(seeds))}"
        warnings.warn(left, stacklevel=3)
        return Affordable(tuple(kept))
    first = scenarios[0]
    needed_s = each_s / _USED
    if may_shorten:
        around_s = float(first.resolved["warm_up_s"]) + float(first.resolved["cool_down_s"])
        duration_s = float(int(first.duration_s * within_s / needed_s))
        if duration_s >= around_s + _LEAST_WINDOW_S:
            warnings.warn(
                f"{given}: one seed, of runs of {duration_s:g} s instead of {first.duration_s:g} s, which "
                f"measure {duration_s - around_s:g} s",
                stacklevel=3,
            )
            return Affordable(tuple(seeds)[:1], duration_s)
        needed_s *= (around_s + _LEAST_WINDOW_S) / first.duration_s
    legal = f"{in_words(max(needed_s, 1.0))} or more"
    raise RefusalError(
        f"{given} there is no time for one seed of {counted(len(scenarios), 'scenario')}; legal: {legal}",
        place="within_s",
        value=within_s,
        legal=legal,
    )


def _lost(kept: int, asked: int) -> str:
    """What fewer seeds cost beside certainty: there may be no intervals and no verdicts."""
    from aqmlab.inference import MINIMUM_REPLICATIONS  # noqa: PLC0415 (NumPy is slow to import)

    if kept < MINIMUM_REPLICATIONS <= asked:
        return f", too few for intervals and verdicts, which need {MINIMUM_REPLICATIONS}"
    return ""
