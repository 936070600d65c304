"""The page load times of one run as a distribution: what people wait for.

Two populations of pages (docs/reference/results.md, `page_histogram`): those that ended in the measured
window, which are plainly counted, and those that began in it and were followed to the end of the run. Of the
latter some are unfinished: they took at least as long as they were seen to. The Kaplan-Meier estimate uses
just that, where leaving them out would reward a queue for the pages it never delivered.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.files.columns import to_numpy
from aqmlab.statistics.distribution import ResponseTimes
from aqmlab.statistics.recorded import has_name, table

if TYPE_CHECKING:
    from aqmlab.statistics.distribution import FloatArray
    from aqmlab.statistics.recorded import Recorded

_UNFINISHED = "unfinished"


class Pages(StrEnum):
    """The set of pages that a number describes."""

    COMPLETED = "completed"
    """That ended in the measured window."""
    FOLLOWED = "followed"
    """That began in it, followed to the end of the run, unfinished ones as right-censored."""


def page_load_times(
    result: Recorded, pages: Pages = Pages.COMPLETED, *, population: str | None = None
) -> ResponseTimes:
    """Page load times of one run, over all populations or one of them.

    For followed pages, `counts` are shares of the Kaplan-Meier estimate times the number of pages, and
    `failed` is the remaining share beyond the longest observed time.
    """
    lower, upper, ended = _bins(result, pages, population)
    if pages is Pages.COMPLETED:
        return ResponseTimes(lower, upper, ended)
    waited_lower, waited_upper, waiting = _bins(result, _UNFINISHED, population)
    if waiting.sum() == 0:
        return ResponseTimes(lower, upper, ended)
    shares, longer = _kaplan_meier((lower + upper) / 2.0, ended, (waited_lower + waited_upper) / 2.0, waiting)
    everybody = float(ended.sum() + waiting.sum())
    watched_s = float(waited_lower[waiting > 0][-1])
    return ResponseTimes(lower, upper, everybody * shares, failed=everybody * longer, watched_s=watched_s)


def unfinished_pages(result: Recorded, population: str | None = None) -> int:
    """Pages that began in the measured window and were unfinished at the end of the run."""
    return int(_bins(result, _UNFINISHED, population)[2].sum())


def _kaplan_meier(
    ended_s: FloatArray, ended: FloatArray, waited_s: FloatArray, waiting: FloatArray
) -> tuple[FloatArray, float]:
    """The share of all pages that the estimate gives to each time at which pages ended, and what is left.

    A page that was seen for exactly as long as another took was still at risk when that one ended, as Kaplan
    and Meier have it (1958, Journal of the American Statistical Association 53, 457-481).

    Args:
        ended_s: Times at which pages ended, in seconds, increasing.
        ended: How many did; one at least.
        waited_s: For how long unfinished pages were seen, in seconds, increasing.
        waiting: How many were.
    """
    still_ended = ended[::-1].cumsum()[::-1]
    still_waiting = np.concatenate((waiting[::-1].cumsum()[::-1], [0.0]))
    at_risk = still_ended + still_waiting[np.searchsorted(waited_s, ended_s, side="left")]
    longer = np.concatenate(([1.0], np.cumprod(1.0 - ended / at_risk)))
    return longer[:-1] - longer[1:], float(longer[-1])


def _bins(
    result: Recorded, counted: str, population: str | None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Edges in seconds and counts of the bins of one kind of pages, over all populations or one."""
    rows = table(result, "page_histogram", setting='record.responses other than "none"')
    keep = has_name(rows, "counted", counted)
    if population is not None:
        keep &= has_name(rows, "population", population)
    lowers, uppers, counts = (
        to_numpy(rows[name])[keep].astype(np.float64) for name in ("lower_s", "upper_s", "count")
    )
    lower, first, group = np.unique(lowers, return_index=True, return_inverse=True)
    count = np.bincount(group, weights=counts, minlength=lower.size)
    return lower, np.asarray(uppers[first]), np.asarray(count, dtype=np.float64)
