# ruff: noqa: PT008
"""A simulator that answers at once: files are what is tried here, not runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from unittest import mock

import aqmlab
import aqmlab.papers.reproduction
import aqmlab.runs.executors
import aqmlab.show.figures.trade_offs
import aqmlab.show.papers.reproduce
from aqmlab import RunError
from small import BULK, WEB

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from aqmlab import Result
    from aqmlab.runs.job import Job
    from aqmlab.terminal.progress import Bar

MOST_RUNS = 1000
ENOUGH = "the stand-in has made enough runs"


@dataclass(frozen=True)
class StandIn:
    """Answers every job with the result of a small run, which bears the job's scenario and address."""

    web: Result
    bulk: Result

    def compute(self, jobs: Sequence[Job], *, bar: Bar) -> Generator[tuple[Job, Result]]:
        """An executor's answer."""
        for number, job in enumerate(jobs):
            if number >= MOST_RUNS:
                raise RunError(ENOUGH)
            has_users = bool(job.scenario.resolved.get("users") or job.scenario.resolved.get("populations"))
            specimen = self.web if has_users else self.bulk
            facts = {
                "scenario": job.scenario.resolved,
                "seed": job.seed,
                "content_address": job.address,
            }
            yield job, replace(specimen, run={**specimen.run, **facts})
            bar.show(done_s=job.simulated_s, finished=number)


def specimens() -> StandIn:
    """The stand-in, with results that the simulator really made."""
    web = WEB.replace("20.0", "7.0").replace("per_side = 150", "per_side = 60")
    return StandIn(web=aqmlab.run(web), bulk=aqmlab.run(BULK))


def _no_study(*_: object) -> None:
    raise RunError(ENOUGH)


def instead_of_the_simulator(stand_in: StandIn) -> list[mock._patch[object]]:
    """What has to be replaced so that no command simulates or draws; names of executors are still checked."""
    chosen = aqmlab.runs.executors.executor_of

    def executor_of(name: str, *, workers: int | None = None) -> StandIn:
        chosen(name, workers=workers)
        return stand_in

    return [
        mock.patch("aqmlab.runs.executors.Threads", lambda _: stand_in),
        mock.patch("aqmlab.runs.executors.executor_of", executor_of),
        mock.patch("aqmlab.show.figures.trade_offs.draw_trade_off", lambda *_, **__: None),
        mock.patch("aqmlab.papers.reproduction.run_study", _no_study),
        mock.patch("aqmlab.show.papers.reproduce.run_study", _no_study),
        # The limits themselves have tests of their own; a sweep of a million runs is slow by right.
        mock.patch("aqmlab.study.sweeps.file.MOST_POINTS", MOST_RUNS),
        mock.patch("aqmlab.study.sweeps.file._MOST_RUNS", 3 * MOST_RUNS),
    ]
