"""The response times of one run as a distribution.

A run leaves a histogram with bins at most 0.1 % wide. Between the edges of a bin the exchanges are taken
as evenly spread, so a value of the distribution function is wrong by at most the share of one bin and a
quantile by at most 0.1 %.

An exchange whose connection gave up never completed. It counts in the denominator: the distribution
function at t is the share of *all ended exchanges* that were complete within t, and tends to
1 - failed / (completed + failed). Leaving failures out would reward a queue for losing its slowest users.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aqmlab.errors import MissingDataError
from aqmlab.files.columns import to_numpy
from aqmlab.statistics.recorded import Recorded, has_name, table, viewers

if TYPE_CHECKING:
    from collections.abc import Sequence

FloatArray = NDArray[np.float64]

ROUNDING = 1e-12
"""Relative error of a sum of shares that is taken for none."""


@dataclass(frozen=True)
class ResponseTimes:
    """Counts of completed exchanges over increasing bins, and the number that failed.

    `lower_s`, `upper_s` are the bins' edges in seconds (increasing, not overlapping, gaps are empty),
    `counts` the completed exchanges in each, `failed` the exchanges that ended without a response. Page load
    times have the same form (`aqmlab.statistics.pages`). If some are censored, counts and `failed` are
    weights of an estimate, and `seen` has the distribution of how long each took at least.
    """

    lower_s: FloatArray
    upper_s: FloatArray
    counts: FloatArray
    failed: float = 0
    seen: ResponseTimes | None = None

    def __post_init__(self) -> None:
        if np.any(self.upper_s < self.lower_s) or np.any(self.lower_s[1:] < self.upper_s[:-1]):
            raise ValueError("bins of a response-time histogram must increase and must not overlap")

    @property
    def completed(self) -> float:
        """Exchanges that completed, or their weight."""
        return float(self._cumulative[-1]) if self.counts.size else 0.0

    @property
    def ended(self) -> float:
        """Exchanges that completed or failed: the denominator of every share."""
        return self.completed + self.failed

    def cdf(self, time_s: ArrayLike) -> FloatArray:
        """Share of the ended exchanges that completed within each time (seconds)."""
        edges, completed = self._steps()
        counted = np.interp(np.asarray(time_s, dtype=np.float64), edges, completed, left=0.0)
        return np.asarray(counted / self.ended)

    def ccdf(self, time_s: ArrayLike) -> FloatArray:
        """Share of the ended exchanges that took longer than each time (seconds), or failed."""
        return np.asarray(1.0 - self.cdf(time_s))

    def quantile(self, share: float) -> float:
        """Time in seconds within which `share` (0..1) of the exchanges completed; inf if fewer did."""
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"a share lies between 0 and 1, not {share}")
        edges, completed = self._steps()
        wanted = share * self.ended
        # 0.55 * 100 is 55.00000000000001: rounding takes no quantile over a gap, or to infinity.
        least = wanted * (1.0 - ROUNDING)
        if least > completed[-1]:
            return float("inf")
        right = int(np.searchsorted(completed, least, side="left"))
        if right == 0:
            return float(edges[0])
        low, high = completed[right - 1], completed[right]
        inside = min(1.0, (wanted - low) / (high - low))
        return float(edges[right - 1] + inside * (edges[right] - edges[right - 1]))

    def least_quantile(self, share: float) -> float:
        """A lower bound in seconds of a quantile that was not reached.

        Of censored times it is the quantile of what each was seen to take; otherwise the longest time that
        was seen, as whatever failed takes longer than all that completed.
        """
        if self.seen is not None:
            return self.seen.quantile(share)
        completed = self.upper_s[self.counts > 0]
        return float(completed[-1]) if completed.size else 0.0

    def restricted_mean_s(self, limit_s: float = 2.0) -> float:
        """Mean of min(response time, limit) in seconds; a failed exchange counts as the limit.

        It equals the area above the distribution function up to the limit, so differences of restricted
        means are areas between two curves. A plain mean would rest on a handful of huge responses.
        """
        edges, completed = self._steps()
        inside = np.concatenate(([0.0], edges[(edges > 0.0) & (edges < limit_s)], [limit_s]))
        above = 1.0 - np.interp(inside, edges, completed, left=0.0) / self.ended
        return float(np.trapezoid(above, inside))

    @cached_property
    def _cumulative(self) -> FloatArray:
        """Completed exchanges up to the end of each bin; the last is their number: no share exceeds 1."""
        return np.cumsum(self.counts, dtype=np.float64)

    def _steps(self) -> tuple[FloatArray, FloatArray]:
        """Edges in seconds and the completed exchanges up to each: a piecewise linear function."""
        if self.ended == 0:
            raise ValueError("no exchange ended in the measured window: there is no distribution")
        if self.counts.size == 0:
            return np.zeros(1), np.zeros(1)
        cumulative = self._cumulative
        edges = np.column_stack((self.lower_s, self.upper_s)).ravel()
        counted = np.column_stack((cumulative - self.counts, cumulative)).ravel()
        return edges, counted


def response_times(
    result: Recorded, *, population: str | None = None, size_class: int | None = None
) -> ResponseTimes:
    """Response times of one run, over all populations and sizes or one of them.

    Args:
        result: A finished run.
        population: The name of one population.
        size_class: The number of one size class, as in the column `size_class`.

    With `size_class`, failed exchanges are left out.

    Raises:
        MissingDataError: No response times were recorded, or no population has this name.
    """
    known = [str(entry["name"]) for entry in result.run["populations"]]
    if population is not None and population not in known:
        raise MissingDataError(f'no population "{population}"; there are: {", ".join(known)}')
    rows = table(result, "response_histogram", setting='record.responses other than "none"')
    columns = {name: to_numpy(rows[name]) for name in ("lower_s", "upper_s", "count")}
    keep = np.ones(rows.num_rows, dtype=bool)
    if population is not None:
        keep &= has_name(rows, "population", population)
    if size_class is not None:
        keep &= to_numpy(rows["size_class"]) == size_class
    lower, first, group = np.unique(columns["lower_s"][keep], return_index=True, return_inverse=True)
    counts = np.bincount(group, weights=columns["count"][keep].astype(np.float64), minlength=lower.size)
    failed = 0 if size_class is not None else _failed(result, population)
    return ResponseTimes(
        lower_s=lower.astype(np.float64),
        upper_s=columns["upper_s"][keep][first].astype(np.float64),
        counts=counts.astype(np.float64),
        failed=failed,
    )


def together(parts: Sequence[ResponseTimes]) -> ResponseTimes:
    """The response times of several populations of one run, whose histograms share their bins."""
    lower, upper, counts = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("lower_s", "upper_s", "counts")
    )
    edges, first, group = np.unique(lower, return_index=True, return_inverse=True)
    summed = np.bincount(group, weights=counts, minlength=edges.size).astype(np.float64)
    return ResponseTimes(edges, upper[first], summed, sum(part.failed for part in parts))


def _failed(result: Recorded, population: str | None) -> int:
    """Responses that failed: segments of videos are none, as those that arrive are none (`video.py`)."""
    counted = (
        entry
        for entry in result.run["populations"]
        if population in {None, entry["name"]} and entry["name"] not in viewers(result)
    )
    return sum(int(entry["failed"]) for entry in counted)
