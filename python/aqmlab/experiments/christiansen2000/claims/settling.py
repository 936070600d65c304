"""Section 3.4, figure 5: whether 20 minutes are enough to settle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab.errors import TooLittleDataError
from aqmlab.inference import mean_interval
from aqmlab.papers.claims.checks import between_bounds
from aqmlab.statistics.series import mean_response_time_s

if TYPE_CHECKING:
    from aqmlab.papers.claims import Answer
    from aqmlab.papers.study import Cell, Study
    from aqmlab.statistics import Recorded

MEASURED_S = (1200.0, 5400.0)
MINUTE_S = 60.0


def settled(study: Study, a: Cell, *, most: float) -> Answer:
    """No trend in the mean response time over the 70 measured minutes, replications taken together."""
    runs = study.results(*a)
    drift = mean_interval([100.0 * drift_over_the_window(result) for result in runs])
    early = float(np.mean([_first_minutes(result) for result in runs]))
    answer = between_bounds(drift, -100.0 * most, 100.0 * most, unit="%")
    return answer._replace(evidence=f"{answer.evidence}; minutes 0 to 5 lie {early:+.0%} off")


def drift_over_the_window(result: Recorded) -> float:
    """What the least-squares trend through the means of 70 minutes gains over them, as a share of their mean.

    One number per replication: minutes of a run depend on one another, replications do not.
    """
    minutes = _minutes(result, *MEASURED_S)
    at = np.arange(minutes.size, dtype=np.float64)
    slope = float(np.polyfit(at, minutes, 1)[0])
    return slope * minutes.size / float(minutes.mean())


def _first_minutes(result: Recorded) -> float:
    return float(_minutes(result, 0.0, 5 * MINUTE_S).mean() / _minutes(result, *MEASURED_S).mean() - 1.0)


def _minutes(result: Recorded, from_s: float, until_s: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The mean over the minute of the mean response time of each second, as figure 5 has them."""
    start, end = float(result.run["measured_from_s"]), float(result.run["measured_until_s"])
    if start > 0.0 or end < MEASURED_S[1]:
        raise TooLittleDataError(f"the run measures {start:g} s to {end:g} s, not 90 minutes from its start")
    seconds = mean_response_time_s(result, from_s=from_s, until_s=until_s)
    return np.asarray(np.nanmean(seconds.reshape(-1, int(MINUTE_S)), axis=1))
