"""The same page under two configurations: how many times as long it takes.

With common random numbers page 5 of user 17 has the same objects under every configuration. Its two load
times differ by what the queue did to it, while medians also differ by which pages the window happened to
hold: the ratio of matched pages scatters less from seed to seed, half to two thirds
as much.

Matched are the pages that began in the measured window under both configurations. A page that the end of one
run cut off has a bound of its ratio: cut under the baseline it took at least as long there as it was watched,
and its ratio is at most so much. Cut under both it says nothing, and counts all the same: what is cut are the
slow pages, and without them the ratio would be that of the others.

The number is a trimmed mean of the logarithms of all pages' ratios: as large a share is left out at either
end as was cut off at the worse one, which the ends of runs decide and not the ratios. Without cut pages it is
the plain mean. A third may be cut on either side and it is still known; with more there is a bound of it.
Its exponential is a geometric mean, in which half as long and twice as long cancel. The pages of all seeds
are taken together, as one seed may hold two, and the interval is of seeds all the same: Student's, over the
jackknife's pseudo-values, each of which is what one seed adds (Tukey 1958, Annals of Mathematical Statistics
29, 614).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from aqmlab.comparison.change import between, visible_difference
from aqmlab.files.columns import to_numpy
from aqmlab.inference import Interval
from aqmlab.statistics.pages import loaded_rows, seen_for_s
from aqmlab.statistics.recorded import has_name, measured_window

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from aqmlab.comparison.change import Estimate, Inference
    from aqmlab.statistics import Recorded
    from aqmlab.statistics.distribution import FloatArray

_USER_BITS = 32
_LEAST_S = 1e-9
_ROUNDING = 1e-12
MOST_TRIMMED = 1.0 / 3.0
"""The largest share of pages that is left out at either end."""


@dataclass(frozen=True, eq=False)
class MatchedPages:
    """The matched pages of one seed.

    Attributes:
        lower: Of each page what the natural logarithm of its load time by that with the baseline at least is;
            minus infinity if the baseline's run cut it off.
        upper: What it at most is; infinite if the other run cut it off.
    """

    lower: FloatArray
    upper: FloatArray

    @classmethod
    def of(cls, own: Recorded, baseline: Recorded, *, population: str | None = None) -> MatchedPages:
        """The pages that both runs have; none where a run kept no rows of pages."""
        ours, theirs = (_Pages.of(each, population) for each in (own, baseline))
        _, here, there = np.intersect1d(ours.keys, theirs.keys, assume_unique=True, return_indices=True)
        after, before = ours.took_s[here], theirs.took_s[there]
        ratio = np.log(np.maximum(after, _LEAST_S) / np.maximum(before, _LEAST_S))
        lower = np.where(theirs.loaded[there], ratio, -np.inf)
        return cls(lower, np.where(ours.loaded[here], ratio, np.inf))

    @property
    def pages(self) -> int:
        """How many pages were matched."""
        return int(self.lower.size)

    @property
    def cut(self) -> int:
        """How many of them the end of a run cut off, under one configuration or both."""
        return int((self.lower != self.upper).sum())


def trimmed_mean(values: FloatArray, share: float) -> float:
    """The mean without a share at either end, in which values may be infinite; those at its edges in part."""
    edges = np.linspace(0.0, 1.0, values.size + 1)
    weights = np.diff(np.clip(edges, share, 1.0 - share)) / (1.0 - 2.0 * share)
    counting = weights > _ROUNDING
    return float(np.sort(values)[counting] @ weights[counting])


def share_cut(of_seeds: Sequence[MatchedPages]) -> float:
    """The share of pages without a lower or an upper end, of all seeds or without the best of them."""
    counts = np.array(
        [(each.pages, np.isneginf(each.lower).sum(), np.isposinf(each.upper).sum()) for each in of_seeds],
        dtype=np.float64,
    ).reshape(-1, 3)
    parts = [counts.sum(axis=0), *(counts.sum(axis=0) - counts if len(counts) > 1 else ())]
    return max((float(max(below, above) / pages) for pages, below, above in parts if pages), default=0.0)


def _pseudo_values(of_seeds: list[FloatArray], share: float) -> FloatArray:
    """What each seed adds to the number of all; their mean is that number. Not finite without bound."""
    having = [place for place, each in enumerate(of_seeds) if each.size]
    values = np.full(len(of_seeds), np.nan)
    if not having:
        return values
    whole = trimmed_mean(np.concatenate(of_seeds), share)
    if len(having) == 1 or not math.isfinite(whole):
        values[having] = whole
        return values
    others = [np.concatenate(of_seeds[:place] + of_seeds[place + 1 :]) for place in having]
    without = np.array([trimmed_mean(each, share) for each in others])
    if not np.isfinite(without).all():
        values[having] = math.nan
        return values
    values[having] = whole + (len(having) - 1) * (without.mean() - without)
    return values


@dataclass(frozen=True)
class PageRatio:
    """How many times as long the same page takes as with the baseline.

    Attributes:
        estimate: The ratio with its interval, of which neither end is below 0; only the ratio where there are
            too few seeds, and nothing where no page was matched or runs cut off too many on both sides. Where
            pages were cut under one configuration alone the interval has one end, the other is 0 or infinite.
        seeds: In how many seeds pages were matched.
        pages: How many pages were matched in all.
        cut: How many of them the end of a run cut off.
        visible: The ratio above 1 that so many seeds would have shown with probability 0.8.
    """

    estimate: Estimate
    seeds: int
    pages: int
    cut: int
    visible: float | None

    @classmethod
    def of(cls, matched: Iterable[MatchedPages], how: Inference) -> PageRatio:
        """The ratio over seeds."""
        of_seeds = list(matched)
        share = min(MOST_TRIMMED, share_cut(of_seeds))
        lower, upper = (
            _pseudo_values([getattr(each, end) for each in of_seeds], share) for end in ("lower", "upper")
        )
        having = np.array([each.pages > 0 for each in of_seeds], dtype=np.bool_)
        estimate = between(lower, upper, having, how)
        visible = visible_difference(estimate)
        pages, cut = (sum(getattr(each, count) for each in of_seeds) for count in ("pages", "cut"))
        return cls(estimate.exponential(), int(having.sum()), pages, cut, visible and math.exp(visible))

    @property
    def is_one_sided(self) -> bool:
        """Whether only one end of the interval is known."""
        estimate = self.estimate
        return isinstance(estimate, Interval) and (estimate.lower == 0.0 or math.isinf(estimate.upper))

    def to_dict(self) -> dict[str, Any]:
        """Plain data; an end that is not known is infinite."""
        numbers = self.estimate.to_dict()
        if self.is_one_sided and numbers.get("lower") == 0.0:
            numbers["lower"] = -math.inf
        return {**numbers, "pages": self.pages, "cut": self.cut}

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
    loaded: NDArray[np.bool_]

    @classmethod
    def of(cls, result: Recorded, population: str | None) -> _Pages:
        nothing = np.zeros(0)
        if "pages" not in result.tables:
            return cls(nothing.astype(np.uint64), nothing, nothing.astype(np.bool_))
        rows = result.tables["pages"]
        began = to_numpy(rows["began_s"]).astype(np.float64)
        user, page = (to_numpy(rows[name]).astype(np.uint64) for name in ("user", "page"))
        begin_s, end_s = measured_window(result)
        keep = (began >= begin_s) & (began < end_s)
        populations = [str(each["name"]) for each in result.run["populations"]]
        place = np.full(began.size, len(populations), dtype=np.uint64)
        for number, name in enumerate(populations):
            if population in {None, name}:
                place[has_name(rows, "population", name)] = number
        keep &= place < len(populations)
        key = (user << np.uint64(_USER_BITS) | page) * np.uint64(max(1, len(populations))) + place
        return cls(key[keep], seen_for_s(result)[keep], loaded_rows(rows)[keep])
