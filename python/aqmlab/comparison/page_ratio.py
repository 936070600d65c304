"""The same page under two configurations: how many times as long it takes.

With common random numbers page 5 of user 17 has the same objects under every configuration. Its two load
times differ by what the queue did to it, while medians also differ by which pages the window happened to
hold: the ratio of matched pages scatters less from seed to seed, half to two thirds
as much.

Matched are the pages that began in the measured window under both configurations. Each counts up to the time
for which both runs could watch it, so that a page cut off by the end of a run has a ratio as well; this
restriction moves ratios of pages that took longer towards 1. A run has the mean of the logarithms; its
exponential is a geometric mean, in which half as long and twice as long cancel.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.comparison.change import Values, estimated, visible_difference
from aqmlab.files.columns import to_numpy
from aqmlab.statistics import Interval
from aqmlab.statistics.recorded import has_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from aqmlab.comparison.change import Estimate
    from aqmlab.statistics import Recorded
    from aqmlab.statistics.distribution import FloatArray

_USER_BITS = 32
_LEAST_S = 1e-9


@dataclass(frozen=True)
class MatchedPages:
    """The matched pages of one seed.

    Attributes:
        log_ratio: Mean natural logarithm of load time by load time with the baseline; not a number without
            pages.
        pages: How many pages were matched.
        cut: How many of them count only up to the time for which both were watched.
    """

    log_ratio: float
    pages: int
    cut: int

    @classmethod
    def of(cls, own: Recorded, baseline: Recorded, *, population: str | None = None) -> MatchedPages:
        """The pages that both runs have; none where a run kept no rows of pages."""
        ours, theirs = (_Pages.of(each, population) for each in (own, baseline))
        _, here, there = np.intersect1d(ours.keys, theirs.keys, assume_unique=True, return_indices=True)
        if here.size == 0:
            return cls(math.nan, 0, 0)
        watched = np.minimum(ours.watched_s[here], theirs.watched_s[there])
        took = [(times.took_s[rows], times.ended[rows]) for times, rows in ((ours, here), (theirs, there))]
        after, before = (np.clip(times, _LEAST_S, watched) for times, _ in took)
        cut = np.logical_or.reduce([~ended | (times > watched) for times, ended in took])
        return cls(float(np.log(after / before).mean()), int(here.size), int(cut.sum()))


@dataclass(frozen=True)
class PageRatio:
    """How many times as long the same page takes as with the baseline.

    Attributes:
        estimate: The ratio with its interval, of which neither end is below 0; only the ratio where there are
            too few seeds, and nothing where no page was matched.
        seeds: In how many seeds pages were matched.
        pages: How many pages were matched in all.
        cut: How many of them count only up to the time for which both were watched.
        visible: The ratio above 1 that so many seeds would have shown with probability 0.8.
    """

    estimate: Estimate
    seeds: int
    pages: int
    cut: int
    visible: float | None

    @classmethod
    def of(cls, matched: Iterable[MatchedPages], *, confidence: float, first_stage: int = 0) -> PageRatio:
        """The ratio over seeds; `first_stage` as in `Comparison`."""
        of_seeds = list(matched)
        logarithms = Values.of([each.log_ratio for each in of_seeds])
        before = Values.of([0.0] * len(of_seeds))
        estimate = estimated(before, logarithms, confidence=confidence, first_stage=first_stage)
        visible = visible_difference(estimate)
        pages, cut = (sum(getattr(each, count) for each in of_seeds) for count in ("pages", "cut"))
        return cls(
            _exponential(estimate), int(logarithms.known.sum()), pages, cut, visible and math.exp(visible)
        )

    @property
    def direction(self) -> int:
        """1 where pages take longer than with the baseline, -1 where less long, 0 where that is open."""
        if not isinstance(self.estimate, Interval):
            return 0
        return int(self.estimate.lies_above(1.0)) - int(self.estimate.lies_below(1.0))


@dataclass(frozen=True)
class _Pages:
    """The pages of a run that began in the measured window."""

    keys: NDArray[np.uint64]
    took_s: FloatArray
    ended: NDArray[np.bool_]
    watched_s: FloatArray

    @classmethod
    def of(cls, result: Recorded, population: str | None) -> _Pages:
        nothing = np.zeros(0)
        if "pages" not in result.tables:
            return cls(nothing.astype(np.uint64), nothing, nothing.astype(np.bool_), nothing)
        rows = result.tables["pages"]
        began, took = (to_numpy(rows[name]).astype(np.float64) for name in ("began_s", "page_load_time_s"))
        user, page = (to_numpy(rows[name]).astype(np.uint64) for name in ("user", "page"))
        keep = (began >= float(result.run["measured_from_s"])) & (
            began < float(result.run["measured_until_s"])
        )
        populations = [str(each["name"]) for each in result.run["populations"]]
        place = np.full(began.size, len(populations), dtype=np.uint64)
        for number, name in enumerate(populations):
            if population in {None, name}:
                place[has_name(rows, "population", name)] = number
        keep &= place < len(populations)
        key = (user << np.uint64(_USER_BITS) | page) * np.uint64(max(1, len(populations))) + place
        watched = float(result.run["scenario"]["duration_s"]) - began
        return cls(key[keep], took[keep], to_numpy(rows["ended"])[keep].astype(np.bool_), watched[keep])


def _exponential(estimate: Estimate) -> Estimate:
    """From logarithms of ratios to ratios."""
    if isinstance(estimate, Interval):
        mean, lower, upper = map(math.exp, (estimate.mean, estimate.lower, estimate.upper))
        return Interval(mean, lower, upper, estimate.replications, estimate.confidence)
    if estimate.mean is None:
        return estimate
    return type(estimate)(have=estimate.have, mean=math.exp(estimate.mean))
