"""The page load times of one run as a distribution: what people wait for.

Two populations of pages (docs/reference/results.md, `page_histogram`): those that ended in the measured
window, which are plainly counted, and the *followed* ones, which somebody waited for in the window and which
are followed to the end of the run. What is known of a followed page are three things:

- It may have been *unfinished* at the end: it took at least as long as it was seen (right-censored). A page
  of which nothing came was never loaded; it counts as one that was waited for to the end of the run.
- It may have begun *before the window*. It is there only because it lasted so long: of pages that began with
  it and were done sooner the window shows nothing (left-truncated). It enters the set of pages at risk at the
  age that it had when the window began, as Tsai, Jewell and Wang have it (1987, Biometrika 74, 883-886).
- A page that lasted the *whole window* counts from its beginning: in all of the window its user could begin
  no other, and the delayed entry alone would let those users speak for her whose pages came at once.

The estimate is the product-limit one of Kaplan and Meier over those at risk. Its quantile is infinite where
too few pages ended; `ResponseTimes.seen` then has a bound that holds: the same estimate, as if each page had
ended when it was last seen. (Each page leaves the set of those at risk no later than it truly does, so that
no share of pages is taken to last longer than it does.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.files.columns import to_numpy
from aqmlab.statistics.distribution import ResponseTimes
from aqmlab.statistics.recorded import ended_s, has_name, measured_window, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from aqmlab.statistics.distribution import FloatArray
    from aqmlab.statistics.recorded import Recorded

    BoolArray = NDArray[np.bool_]

_UNFINISHED, _FAILED = "unfinished", "failed"


class Pages(StrEnum):
    """The set of pages that a number describes."""

    COMPLETED = "completed"
    """That ended in the measured window."""
    FOLLOWED = "followed"
    """That were waited for in it, followed to the end of the run."""


@dataclass(frozen=True, eq=False)
class FollowedPages:
    """Pages that somebody waited for in the measured window: rows, or bins of a histogram.

    Attributes:
        entered_s: The age from which a page was observed, in seconds.
        lower_s: How long it was seen, in seconds; of a bin the lower edge.
        upper_s: The upper edge; of a row the same.
        loaded: Whether it was loaded then; otherwise it takes longer.
        count: How many such pages there are.
    """

    entered_s: FloatArray
    lower_s: FloatArray
    upper_s: FloatArray
    loaded: BoolArray
    count: FloatArray

    @classmethod
    def of(cls, result: Recorded, *, population: str | None = None) -> FollowedPages:
        """Those of a run, over all populations or one of them.

        Where a run kept no rows of pages, those that began in the window alone: its histogram has no ages.

        Raises:
            MissingDataError: The run recorded no pages.
        """
        if "pages" in result.tables:
            return cls._of_rows(result, population)
        bins = [_bins(result, counted, population) for counted in ("followed", _UNFINISHED, _FAILED)]
        lower, upper, count = (np.concatenate(each) for each in zip(*bins, strict=True))
        loaded = np.arange(lower.size) < bins[0][0].size
        return cls(np.zeros(lower.size), lower, upper, loaded, count)

    @classmethod
    def _of_rows(cls, result: Recorded, population: str | None) -> FollowedPages:
        rows = result.tables["pages"]
        window_from, until = measured_window(result)
        began, took = (to_numpy(rows[name]).astype(np.float64) for name in ("began_s", "page_load_time_s"))
        loaded, seen = loaded_rows(rows), seen_for_s(result)
        age = np.maximum(0.0, window_from - began)
        entered = np.where(began + took >= until, 0.0, age)
        keep = (began < until) & (began + took > window_from)
        if population is not None:
            keep &= has_name(rows, "population", population)
        return cls(entered[keep], seen[keep], seen[keep], loaded[keep], np.ones(int(keep.sum())))

    @classmethod
    def together(cls, parts: Sequence[FollowedPages]) -> FollowedPages:
        """Those of several runs as those of one."""
        fields = ("entered_s", "lower_s", "upper_s", "loaded", "count")
        return cls(*(np.concatenate([getattr(each, name) for each in parts]) for name in fields))

    @property
    def pages(self) -> float:
        """How many there are."""
        return float(self.count.sum())

    @property
    def unfinished(self) -> float:
        """How many of them were not loaded at the end of the run."""
        return float(self.count[~self.loaded].sum())

    def times(self) -> ResponseTimes:
        """The distribution of their load times; its weights add up to the number of pages."""
        estimate = self._product_limit()
        if self.loaded.all():
            return estimate
        return replace(estimate, seen=self.as_seen().times())

    def as_seen(self) -> FollowedPages:
        """As if each had ended when it was last seen."""
        return replace(self, loaded=np.ones(self.loaded.size, dtype=np.bool_))

    def _product_limit(self) -> ResponseTimes:
        """The estimate of this file: the share of pages at each time at which some were loaded."""
        ended = self.loaded & (self.count > 0)
        lower, first, place = np.unique(self.lower_s[ended], return_index=True, return_inverse=True)
        upper = self.upper_s[ended][first]
        done = np.bincount(place, weights=self.count[ended], minlength=lower.size).astype(np.float64)
        # A page that was seen for as long as another took was still at risk when that one ended; one that
        # entered at that age was not yet.
        at_risk = _below(lower, self.entered_s, self.count) - _below(lower, self.lower_s, self.count)
        longer = np.concatenate(([1.0], np.cumprod(1.0 - done / at_risk)))
        return ResponseTimes(
            lower, upper, self.pages * (longer[:-1] - longer[1:]), failed=self.pages * float(longer[-1])
        )


def seen_for_s(result: Recorded) -> FloatArray:
    """How long the page of each row of `pages` was waited for, in seconds.

    Of a page of which nothing came to the end of the run, as of one that was unfinished then.
    """
    rows = result.tables["pages"]
    began, took = (to_numpy(rows[name]).astype(np.float64) for name in ("began_s", "page_load_time_s"))
    over = (to_numpy(rows["ended"]) > 0) & ~loaded_rows(rows)
    return np.where(over, ended_s(result) - began, took)


def loaded_rows(rows: pa.Table) -> BoolArray:
    """Of each row of the table `pages` whether the page was loaded: over, with something of it."""
    return np.asarray((to_numpy(rows["ended"]) > 0) & (to_numpy(rows["objects"]) > 0))


def page_load_times(
    result: Recorded, pages: Pages = Pages.COMPLETED, *, population: str | None = None
) -> ResponseTimes:
    """Page load times of one run, over all populations or one of them.

    For followed pages, `counts` are shares of the estimate times the number of pages, `failed` is the
    remaining share beyond the longest observed time, and `seen` bounds the quantiles that are not reached.

    Raises:
        MissingDataError: The run recorded no pages.
    """
    if pages is Pages.COMPLETED:
        return ResponseTimes(*_bins(result, pages, population))
    return FollowedPages.of(result, population=population).times()


def unfinished_pages(result: Recorded, population: str | None = None) -> int:
    """Pages that began in the measured window and were unfinished at the end of the run."""
    return int(_bins(result, _UNFINISHED, population)[2].sum())


def failed_pages(result: Recorded, population: str | None = None) -> int:
    """Pages that began in the measured window and of which nothing came: all their connections gave up."""
    return int(_bins(result, _FAILED, population)[2].sum())


def _below(limits: FloatArray, values: FloatArray, counts: FloatArray) -> FloatArray:
    order = np.argsort(values)
    totals = np.concatenate(([0.0], np.cumsum(counts[order])))
    return np.asarray(totals[np.searchsorted(values[order], limits, side="left")])


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
