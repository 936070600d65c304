"""What the tests on a line share: which line it is, and the same test over Linux TCP below the simulated."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from aqmlab import shown
from aqmlab.errors import RefusalError
from aqmlab.presets.line import Line, warn_of_assumed_rates
from aqmlab.scenario import Scenario
from aqmlab.tables.stored import require_form

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from aqmlab.result import Result
    from aqmlab.runs import Job
    from aqmlab.scenario import ScenarioLike

    Run = Callable[[Sequence[Job]], Iterable[Result]]

Row = TypeVar("Row")

_LEGAL = "down_mbps and up_mbps, or a scenario with a [line] or [dumbbell]"


class SavedTable:
    """What a test found, whose table can be kept."""

    def save(self, file: str | Path) -> Path:
        """Writes the table, a row for each way to set up the line, as .csv or .parquet.

        Raises:
            RefusalError: The name has another ending.
            FolderError: Nothing can be written there.
        """
        require_form(Path(file))
        return shown.save(self, Path(file))["table"]


def line_of(
    scenario: ScenarioLike | None,
    *,
    down_mbps: float | None,
    up_mbps: float | None,
    rtt_ms: float | None,
    overrides: Mapping[str, object] | None,
    technology: str | None = None,
    queue_in: str | None = None,
    shaped_share: float | None = None,
) -> Line:
    """The line of a scenario, or that with these rates, and where on it queue disciplines are to stand."""
    if scenario is not None:
        if technology is not None:
            raise _refused("technology", f"technology is of a line without a scenario; legal: {_LEGAL}")
        if down_mbps is not None or up_mbps is not None:
            raise _refused("line", f"down_mbps and up_mbps are of a line without a scenario; legal: {_LEGAL}")
        read = Scenario.of(scenario, overrides=overrides)
        warn_of_assumed_rates(read)
        own = Line.of_scenario(read, round_trip_ms=rtt_ms)
    elif down_mbps is None or up_mbps is None:
        raise _refused("line", f"which line? legal: {_LEGAL}")
    elif overrides:
        raise _refused("overrides", "overrides replace values of a scenario, and there is none")
    else:
        own = Line.of_rates(down_mbps, up_mbps, technology=technology, round_trip_ms=rtt_ms)
    return own.with_queues_in(queue_in, shaped_share)


def _refused(place: str, why: str) -> RefusalError:
    return RefusalError(why, place=place, legal=_LEGAL)


def over_linux(measure: Callable[[Run], list[Row]], *, progress: bool) -> tuple[list[Row], str]:
    """What a test finds over the kernel's TCP, and where the timing of a run is suspect why."""
    from aqmlab.runs.live.running import run_live_in_turn, suspect_reasons  # noqa: PLC0415 (needs Linux)

    results: list[Result] = []

    def run(jobs: Sequence[Job]) -> list[Result]:
        results.extend(run_live_in_turn(jobs, progress=progress))
        return results

    found = measure(run)
    reasons = suspect_reasons(results)
    if not reasons:
        return found, ""
    return found, f"timing suspect in {len(reasons)} of {len(results)} live runs; the last: {reasons[-1]}"


def live_name(queue: str) -> str:
    """What a queue is called in a row that was measured over Linux TCP."""
    return f"{queue} (live)"
