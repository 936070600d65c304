"""The full comparison of two settings for the page: several seeds in the background, then its report."""

from __future__ import annotations

import math
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from aqmlab.comparison import Comparison
from aqmlab.errors import Cancelled, MissingDataError, RefusalError, RunError, ScenarioError
from aqmlab.runs import Job
from aqmlab.runs.executors.active_runs import ActiveRuns, available_cores
from aqmlab.runs.executors.threads import Threads
from aqmlab.show.report.comparison import page_of
from aqmlab.show.report.page import render
from aqmlab.show.words.play import of_comparison

if TYPE_CHECKING:
    from aqmlab.scenario import Scenario
    from aqmlab.show.play.knobs import Setting
    from aqmlab.show.play.played import Played

SEEDS = tuple(range(1, 9))
"""Two more than an interval needs, as `aqmlab compare` has by default."""
BUDGET_S = 60.0
"""Time limit for all runs together, estimated from both settings."""


class FullComparison:
    """One comparison at a time, in the background: how far it is, how it ended, and its report.

    A newer one stops the one before, whose report is gone.
    """

    def __init__(self, link: Played[Any], *, budget_s: float = BUDGET_S) -> None:
        self._link = link
        self._budget_s = budget_s
        self._lock = threading.Lock()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="compare")
        self._wanted: _Wanted | None = None

    def start(self, before: Setting, now: Setting) -> dict[str, Any]:
        """Starts to compare the present setting with the one before; returns like `status`."""
        wanted = _Wanted(self._link, before, now, self._budget_s)
        with self._lock:
            if self._wanted is not None:
                self._wanted.cancel()
            self._wanted = wanted
        self._thread.submit(wanted.run)
        return self.status()

    def status(self) -> dict[str, Any]:
        status = {"state": "none"} if self._wanted is None else self._wanted.status()
        return {**status, "words": of_comparison(status)}

    def cancel(self) -> dict[str, Any]:
        """Stops the comparison; returns like `status`."""
        if self._wanted is not None:
            self._wanted.cancel()
        return self.status()

    @property
    def report(self) -> str | None:
        """The report of the last comparison as a page, if it has ended well."""
        return None if self._wanted is None else self._wanted.report

    def close(self) -> None:
        self.cancel()
        self._thread.shutdown(wait=True, cancel_futures=True)


class _Wanted:
    """Two settings that are to be compared, and what became of it."""

    def __init__(self, link: Played[Any], before: Setting, now: Setting, budget_s: float) -> None:
        self._link = link
        self._scenarios = dict(zip(link.names(before, now), (link.at(before), link.at(now)), strict=True))
        self._budget_s = budget_s
        self._cancelled = threading.Event()
        self._looking = ActiveRuns()
        self._state = "running"
        self._refused: str | None = None
        self._done = (0.0, 0)
        self._simulated_s: float | None = None
        self.report: str | None = None

    def status(self) -> dict[str, Any]:
        done, runs = self._done
        return {
            "state": self._state,
            "names": list(self._scenarios),
            "seeds": len(SEEDS),
            "simulated_s": self._simulated_s,
            "shortened": self._simulated_s is not None and self._simulated_s < self._link.scenario.duration_s,
            "share": done,
            "finished": runs,
            "runs": len(SEEDS) * len(self._scenarios),
            "refused": self._refused,
        }

    def cancel(self) -> None:
        self._cancelled.set()
        self._looking.stop()

    def show(self, *, done_s: float, finished: int) -> None:
        """How far the runs are; they are stopped here, since whoever makes them looks here all the time."""
        runs = len(SEEDS) * len(self._scenarios)
        self._done = (min(1.0, done_s / (runs * (self._simulated_s or math.inf))), finished)
        self._go_on()

    def run(self) -> None:
        """Makes the runs and the report on the thread of comparisons, which has to report its own errors."""
        try:
            self.report = self._report()
            self._state = "done"
        except Cancelled:
            self._state = "cancelled"
        except (ScenarioError, RefusalError, RunError, MissingDataError) as error:
            self._refused, self._state = str(error), "failed"
        except BaseException as error:
            self._refused, self._state = f"{type(error).__name__}: {error}", "failed"
            raise

    def _report(self) -> str:
        # With several cores one stays free for changes of settings.
        makes = Threads(max(1, available_cores() - 1))
        self._simulated_s = self._affordable_s(makes.workers)
        scenarios = {
            name: self._link.shortened(scenario, self._simulated_s)
            for name, scenario in self._scenarios.items()
        }
        jobs = [Job(scenario, seed) for scenario in scenarios.values() for seed in SEEDS]
        results = dict(makes.compute(jobs, bar=self))
        in_order = [results[job] for job in jobs]
        found = Comparison.of(
            {
                name: in_order[place * len(SEEDS) : (place + 1) * len(SEEDS)]
                for place, name in enumerate(scenarios)
            }
        )
        self._go_on()
        return render(page_of(found))

    def _affordable_s(self, workers: int) -> float:
        """The scenario's own length, or as much of it as all runs can do within the budget."""
        cost = sum(self._seconds_per_simulated_second(each) for each in self._scenarios.values())
        affordable = self._budget_s * workers / (cost * len(SEEDS))
        return self._link.length_s(affordable)

    def _seconds_per_simulated_second(self, scenario: Scenario) -> float:
        probe = self._link.probe(scenario)
        begun = time.perf_counter()
        self._looking.perform(probe)
        return max(time.perf_counter() - begun, 1e-4) / probe.scenario.duration_s

    def _go_on(self) -> None:
        if self._cancelled.is_set():
            raise Cancelled("the comparison was cancelled")
