"""Response times of a study that stops at a number of completed exchanges.

Who is still waiting when a study stops is not counted, and those who wait longest are most likely to. So two
populations are told apart: exchanges that completed until the stop, and those that started until it and were
followed, for as long as the run goes on behind it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.errors import TooLittleDataError
from aqmlab.files.columns import to_numpy
from aqmlab.statistics.distribution import ResponseTimes
from aqmlab.statistics.recorded import has_name, table
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from aqmlab.statistics.distribution import FloatArray
    from aqmlab.statistics.recorded import Recorded


@dataclass(frozen=True)
class Stopped:
    """A run as a study sees it that stops earlier.

    Attributes:
        at_s: When it stops, in seconds of the run.
        completed: Response times of the exchanges that were complete then, without the warm-up.
        followed: Those of the exchanges that began in the window before the stop, whenever complete.
        under_way: How long those took in the end that were under way at the stop, in seconds, sorted.
        unfinished: How many were under way when the run ended; some of them began behind the stop.
    """

    at_s: float
    completed: ResponseTimes
    followed: ResponseTimes
    under_way: FloatArray
    unfinished: int


def stopped_after(result: Recorded, population: str, completed: int) -> Stopped:
    """The measurements of a study that stops after some completed exchanges, without the warm-up.

    Raises:
        MissingDataError: The run recorded no rows of responses.
        TooLittleDataError: The run ended before.
    """
    rows = table(result, "responses", setting='record.responses = "rows"')
    own = has_name(rows, "population", population)
    ends, lasted = (to_numpy(rows[name])[own] for name in ("completed_at_s", "response_time_s"))
    if ends.size <= completed:
        found = counted(int(ends.size), "exchange")
        raise TooLittleDataError(f"{population}: {found} completed, {completed} are needed")
    at_s = float(np.partition(ends, completed - 1)[completed - 1])
    before, begins = ends <= at_s, ends - lasted
    began = (begins >= float(result.run["measured_from_s"])) & (begins <= at_s)
    (entry,) = [entry for entry in result.run["populations"] if entry["name"] == population]
    return Stopped(
        at_s=at_s,
        completed=_distribution(lasted[before]),
        followed=_distribution(lasted[began]),
        under_way=np.sort(lasted[began & ~before]),
        unfinished=int(entry["unfinished"]),
    )


def _distribution(lasted: FloatArray) -> ResponseTimes:
    times, counts = np.unique(lasted, return_counts=True)
    return ResponseTimes(times, times, counts.astype(np.float64))
