"""The page load times of one run as a distribution: what people wait for.

Two populations of pages (docs/results.md, `page_histogram`): those that ended in the measured window, which
are plainly counted, and those that began in it and were followed to the end of the run. Of the latter some
are unfinished: they took at least as long as they were seen to. The Kaplan-Meier estimate uses just that,
where leaving them out would reward a queue for the pages it never delivered.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.statistics.distribution import ResponseTimes
from aqmlab.statistics.recorded import has_name, table

if TYPE_CHECKING:
    from aqmlab.statistics.distribution import FloatArray
    from aqmlab.statistics.recorded import Recorded

_UNFINISHED = "unfinished"


class Pages(StrEnum):
    """Which pages a number is of."""

    COMPLETED = "completed"
    """That ended in the measured window."""
    FOLLOWED = "followed"
    """That began in it, followed to the end of the run, unfinished ones as right-censored."""


def page_load_times(
    result: Recorded, pages: Pages = Pages.COMPLETED, *, population: str | None = None
) -> ResponseTimes:
    """Page load times of one run, over all populations of users or one of them.

    Of followed pages `counts` are shares of the Kaplan-Meier estimate times the number of pages, and `failed`
    is what it leaves beyond the longest time that was seen.
    """
    lower, upper, ended = _bins(result, pages, population)
    if pages is Pages.COMPLETED:
        return ResponseTimes(lower, upper, ended)
    waited_lower, waited_upper, waiting = _bins(result, _UNFINISHED, population)
    if waiting.sum() == 0:
        return ResponseTimes(lower, upper, ended)
    shares = _kaplan_meier((lower + upper) / 2.0, ended, (waited_lower + waited_upper) / 2.0, waiting)
    everybody = float(ended.sum() + waiting.sum())
    return ResponseTimes(lower, upper, everybody * shares, failed=everybody * (1.0 - float(shares.sum())))


def unfinished_pages(result: Recorded, population: str | None = None) -> int:
    """Pages that began in the measured window and were under way when the run ended."""
    return int(_bins(result, _UNFINISHED, population)[2].sum())


def _kaplan_meier(
    ended_s: FloatArray, ended: FloatArray, waited_s: FloatArray, waiting: FloatArray
) -> FloatArray:
    """The share of all pages that the estimate gives to each time at which pages ended."""
    from scipy import stats  # noqa: PLC0415 (it takes a second to import)

    seen = stats.CensoredData(
        uncensored=np.repeat(ended_s, ended.astype(np.int64)),
        right=np.repeat(waited_s, waiting.astype(np.int64)),
    )
    estimate = stats.ecdf(seen).cdf
    at = np.searchsorted(estimate.quantiles, ended_s)
    shares = np.diff(np.asarray(estimate.probabilities), prepend=0.0)
    return np.asarray(shares[at], dtype=np.float64)


def _bins(
    result: Recorded, counted: str, population: str | None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Edges in seconds and counts of the bins of one kind of pages, over all populations or one."""
    rows = table(result, "page_histogram", setting='record.responses other than "none"')
    keep = has_name(rows, "counted", counted)
    if population is not None:
        keep &= has_name(rows, "population", population)
    lowers, uppers, counts = (
        rows[name].to_numpy()[keep].astype(np.float64) for name in ("lower_s", "upper_s", "count")
    )
    lower, first, group = np.unique(lowers, return_index=True, return_inverse=True)
    count = np.bincount(group, weights=counts, minlength=lower.size)
    return lower, np.asarray(uppers[first]), np.asarray(count, dtype=np.float64)
