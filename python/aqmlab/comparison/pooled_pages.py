"""Quantiles of slow pages, over the pages of all replications together.

A run of a household holds six pages, and "95 % of the pages" of six is the slowest of them. A quantile
needs pages that carry it: of n pages n (1 - q) lie beyond it, which should be one at least, so 20 pages for
the 95th percentile and 100 for the 99th. So the pages of all seeds are put together; with fewer the number is
called what it is, the slowest page.

Its interval is of replications, not of pages: pages of one run depend on one another. The share of pages
within the quantile scatters from seed to seed, which gives the interval of the share (Student's, from one
number per seed); the quantiles of its ends are those of the time (Woodruff 1952, Journal of the American
Statistical Association 47, 635-646). Where its upper end lies beyond all pages there is no interval: so few
pages do not say how long the slow ones take. Jackknife intervals, which always exist, cover in 76 to 90 %
there. Of two configurations, paired by seed, it is the difference of both shares that scatters; the end of
the ratio is the wider of moving either share.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.comparison.change import Change, Level
from aqmlab.statistics import MINIMUM_REPLICATIONS, Interval, NotEnoughReplications, student
from aqmlab.statistics.observation import Bound
from aqmlab.statistics.pages import FollowedPages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.comparison.change import Inference
    from aqmlab.statistics.distribution import FloatArray, ResponseTimes
    from aqmlab.statistics.quantity import OfPages

_ROUNDING = 1e-9


def carry(pages: float, share: float) -> bool:
    """Whether so many pages carry the quantile of a share: one at least lies beyond it."""
    return pages * (1.0 - share) >= 1.0 - _ROUNDING


@dataclass(frozen=True, eq=False)
class PooledPages:
    """The followed pages of one configuration.

    Attributes:
        of_seeds: Those of each seed, in order.
        together: The same as those of one run.
        times: Their distribution.
    """

    of_seeds: Sequence[FollowedPages]
    together: FollowedPages
    times: ResponseTimes

    @classmethod
    def of(cls, of_seeds: Sequence[FollowedPages]) -> PooledPages:
        """Puts the pages of the seeds together, without seeds that have none."""
        having = [each for each in of_seeds if each.pages] or list(of_seeds[:1])
        together = FollowedPages.together(having)
        return cls(of_seeds, together, together.times())

    def only(self, kept: Sequence[bool]) -> PooledPages:
        """Without the pages of other seeds."""
        if all(kept):
            return self
        return PooledPages.of([each for each, keep in zip(self.of_seeds, kept, strict=True) if keep])

    @property
    def as_seen(self) -> PooledPages:
        """As if each page had ended when it was last seen, so that no quantile is too great."""
        if self.times.seen is None:
            return self
        seen = [each.as_seen() for each in self.of_seeds]
        return PooledPages(seen, FollowedPages.together(seen), self.times.seen)

    def level(self, share: float, how: Inference) -> Level:
        """The quantile with its interval over seeds; a bound where too few pages ended."""
        have = sum(each.pages > 0 for each in self.of_seeds)
        if not have:
            return Level(NotEnoughReplications(have=0), 0, 0)
        middle = self.times.quantile(share)
        if math.isinf(middle):
            least = NotEnoughReplications(have=have, mean=self.times.least_quantile(share))
            return Level(least, have, have, Bound.AT_LEAST)
        reach = self.reach(self.deviations(share), how)
        lower, upper = self.as_seen.moved(share, -reach), self.moved(share, reach)
        if math.isinf(upper):
            none = NotEnoughReplications(have=have, mean=middle, identical=how.identical)
            return Level(none, have, 0)
        return Level(Interval(middle, lower, upper, have, how.confidence), have, 0)

    def moved(self, share: float, by: float) -> float:
        """The quantile of a greater or lesser share; infinite where no page lies beyond it."""
        beyond = 1.0 - 0.5 / max(1.0, self.together.pages)
        if not share + by <= beyond:
            return math.inf
        return self.times.quantile(max(0.0, share + by))

    def reach(self, deviations: FloatArray, how: Inference) -> float:
        """How far the interval of a share reaches, by one page at least; infinite for few seeds."""
        seeds = deviations.size
        if seeds < MINIMUM_REPLICATIONS or how.identical:
            return math.inf
        scatter = deviations[: how.first_stage or seeds]
        if scatter.size < MINIMUM_REPLICATIONS:
            return math.inf
        error = float(scatter.std(ddof=1)) * math.sqrt(seeds)
        half = student.two_sided_quantile(scatter.size - 1, how.confidence) * error
        return max(half, 1.0 / self.together.pages)

    def deviations(self, share: float) -> FloatArray:
        """Of each seed how many pages more than expected lie within the quantile, as a share of all pages."""
        at_s = self.times.quantile(share)
        having = [each for each in self.of_seeds if each.pages]
        return np.array([self._beyond_expected(each, at_s) for each in having]) / self.together.pages

    def _beyond_expected(self, pages: FollowedPages, at_s: float) -> float:
        """Pages within a time, less those expected.

        What is not known of a censored page is filled in from the distribution of all; a page that was
        observed from an age on is expected as those that came to this age.
        """
        longer = float(self.times.ccdf(at_s))
        since, seen = (
            np.maximum(self.times.ccdf(each), _ROUNDING) for each in (pages.entered_s, pages.upper_s)
        )
        within = np.where(pages.loaded, 1.0, 1.0 - longer / seen)
        within = np.where(pages.upper_s <= at_s, within, 0.0) - (1.0 - longer / since)
        return float((within * pages.count)[pages.entered_s < at_s].sum())


def change_of(quantity: OfPages, before: PooledPages, after: PooledPages, how: Inference) -> Change:
    """The change of a quantile of slow pages, over the seeds that have pages under both."""
    share = quantity.share
    both = [
        bool(own.pages and other.pages) for own, other in zip(before.of_seeds, after.of_seeds, strict=True)
    ]
    before, after = (each.only(both) for each in (before, after))
    old, new = (each.level(share, how) for each in (before, after))
    pairs = min(old.have, new.have)
    upper = _most(after, before.as_seen, share, how)
    lower = 1.0 / _most(before, after.as_seen, share, how)
    known = not (old.beyond or new.beyond)
    middle = new.mean / old.mean if new.mean is not None and old.mean else None
    none = NotEnoughReplications(have=pairs, mean=middle if known else None, identical=how.identical)
    if middle is None or (lower == 0.0 and math.isinf(upper)):
        return Change.of_ratio(quantity, (old, new), none, pairs)
    ratio = Interval(middle, lower, upper, pairs, how.confidence)
    return Change.of_ratio(quantity, (old, new), ratio, pairs)


def _most(slower: PooledPages, quicker: PooledPages, share: float, how: Inference) -> float:
    """The upper end of the ratio of two quantiles; infinite where the pages do not say it."""
    if not (slower.together.pages and quicker.together.pages):
        return math.inf
    middle, base = (each.times.quantile(share) for each in (slower, quicker))
    if math.isinf(middle):
        return math.inf
    reach = slower.reach(slower.deviations(share) - quicker.deviations(share), how)
    greatest = slower.moved(share, reach)
    if math.isinf(greatest):
        return math.inf
    return max(greatest / base, middle / quicker.times.quantile(max(0.0, share - reach)))
