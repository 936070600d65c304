"""What happened in each second of a run, from its exchanges one by one (`record.responses = "rows"`).

A row is an exchange that completed in the measured window. One that was under way when the run ended left
none, so counts of what was *requested* are short by those in the last seconds of a run.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aqmlab.files.columns import to_numpy
from aqmlab.statistics.recorded import Recorded, table

FloatArray = NDArray[np.float64]


def requests_per_second(result: Recorded, *, from_s: float, until_s: float) -> FloatArray:
    """Requests initiated in each second between two times (seconds of the run)."""
    started = _started_s(result)
    return _sums(started, np.ones(started.size), from_s, until_s)


def bytes_requested_per_second(result: Recorded, *, from_s: float, until_s: float) -> FloatArray:
    """Bytes of response asked for in each second between two times (seconds of the run)."""
    asked = _column(result, "response_bytes")
    return _sums(_started_s(result), asked, from_s, until_s)


def mean_response_size(result: Recorded) -> float:
    """Mean bytes of a response."""
    return float(_column(result, "response_bytes").mean())


def mean_response_time_s(
    result: Recorded, *, from_s: float, until_s: float, per_s: float = 1.0
) -> FloatArray:
    """Mean response time of what completed in each stretch of `per_s` seconds; NaN where nothing did."""
    ended = _column(result, "completed_at_s")
    total = _sums(ended, _column(result, "response_time_s"), from_s, until_s, per_s)
    count = _sums(ended, np.ones(ended.size), from_s, until_s, per_s)
    return np.asarray(np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0))


def index_of_dispersion(counts: FloatArray) -> float:
    """Variance over mean: 1 for a Poisson process, more for a burstier one."""
    return float(counts.var(ddof=1) / counts.mean())


def _started_s(result: Recorded) -> FloatArray:
    return np.asarray(_column(result, "completed_at_s") - _column(result, "response_time_s"))


def _column(result: Recorded, name: str) -> FloatArray:
    rows = table(result, "responses", setting='record.responses = "rows"')
    return np.asarray(to_numpy(rows[name]), dtype=np.float64)


def _sums(
    at_s: FloatArray, values: FloatArray, from_s: float, until_s: float, per_s: float = 1.0
) -> FloatArray:
    stretches = int((until_s - from_s) // per_s)
    place = np.floor((at_s - from_s) / per_s)
    inside = (place >= 0) & (place < stretches)
    sums = np.bincount(place[inside].astype(np.int64), weights=values[inside], minlength=stretches)
    return np.asarray(sums, dtype=np.float64)
