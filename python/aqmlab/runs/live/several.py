"""Several live runs, one after another, of which only the numbers are wanted."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from aqmlab.runs.live.running import run_live
from aqmlab.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.result import Result
    from aqmlab.runs import Job


def run_live_in_turn(jobs: Sequence[Job], *, progress: bool = False) -> list[Result]:
    """Runs scenarios in real time, in their order, and keeps the results in memory."""
    results = []
    with tempfile.TemporaryDirectory(prefix="aqmlab-live-") as parent:
        for place, job in enumerate(jobs):
            scenario, folder = Scenario.of(job.scenario), Path(parent) / str(place)
            results.append(run_live(scenario, folder, seed=job.seed, progress=progress).in_memory())
    return results


def suspect_reasons(results: Sequence[Result]) -> list[str]:
    """Why the timing of a run is suspect, of each run that is."""
    audits = [result.live for result in results]
    return ["; ".join(audit["reasons"]) for audit in audits if audit and audit["verdict"] != "valid"]
