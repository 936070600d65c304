"""Quantiles of slow pages, over the pages of all replications together.

A run of a household holds six pages, and "95 % of the pages" of six is the slowest of them. A quantile
needs pages that carry it: of n pages n (1 - q) lie beyond it, which should be one at least, so 20 pages for
the 95th percentile and 100 for the 99th. So the pages of all seeds are put together; with fewer the number is
called what it is, the slowest page.

Its interval is of replications, not of pages: pages of one run depend on one another. How the logarithm of
the quantile scatters from seed to seed is estimated twice: by the jackknife, which leaves out one seed after
the other (Tukey 1958), and by the quantiles that each seed has by itself. Of few seeds either may come out
too small by luck, seldom both at once, so the greater counts. Both are of smoothed quantiles
(`aqmlab.inference.smooth_quantile`). Of two configurations, paired by seed, it is the difference of the
logarithms that scatters, with Student's interval.

Of one configuration the seeds with slow pages decide both the quantile q and its scatter: over eight seeds
the scatter of log q grows as a power of q between 0.5 and 1.2, depending on the law. On the scale of
1/sqrt(q) it grows less, and the interval is Student's there. How often these intervals hold the truth:
docs/explanation/statistics.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.comparison.change import Change, Level, visible_difference
from aqmlab.inference import MINIMUM_REPLICATIONS, Interval, NotEnoughReplications, student
from aqmlab.inference.smooth_quantile import log_quantile
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
    """The followed pages of one configuration."""

    of_seeds: Sequence[FollowedPages]  # those of each seed, in order
    together: FollowedPages  # the same as those of one run
    times: ResponseTimes  # their distribution

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
        reach = _reach(self.scattering(share), how)
        upper = _moved(middle, reach)
        if math.isinf(upper):
            none = NotEnoughReplications(have=have, mean=middle, identical=how.identical)
            return Level(none, have, 0)
        lower = _moved(self.as_seen.times.quantile(share), -reach)
        return Level(Interval(middle, lower, upper, have, how.confidence), have, 0)

    def scattering(self, share: float) -> FloatArray:
        """Two rows whose scatter over the seeds that have pages is that of the quantile's logarithm.

        The jackknife's pseudo-values, and the logarithms of the quantiles of each seed alone.
        """
        having = [each for each in self.of_seeds if each.pages]
        alone = np.array([log_quantile(each.times(), share) for each in having])
        if len(having) == 1:
            return np.array([alone, alone])
        whole = log_quantile(self.times, share)
        others = (having[:place] + having[place + 1 :] for place in range(len(having)))
        without = np.array([log_quantile(FollowedPages.together(each).times(), share) for each in others])
        return np.array([whole + (len(having) - 1) * (whole - without), alone])


def change_of(quantity: OfPages, before: PooledPages, after: PooledPages, how: Inference) -> Change:
    """The change of a quantile of slow pages, over the seeds that have pages under both.

    Where too few pages ended under one configuration, its bound gives one end of the ratio.
    """
    share = quantity.share
    both = [
        bool(own.pages and other.pages) for own, other in zip(before.of_seeds, after.of_seeds, strict=True)
    ]
    before, after = (each.only(both) for each in (before, after))
    old, new = (each.level(share, how) for each in (before, after))
    pairs = min(old.have, new.have)
    known = not (old.beyond or new.beyond)
    middle = new.mean / old.mean if new.mean is not None and old.mean else None
    none = NotEnoughReplications(have=pairs, mean=middle if known else None, identical=how.identical)
    if middle is None:
        return Change.of_ratio(quantity, (old, new), none, pairs)
    reach = _reach(after.scattering(share) - before.scattering(share), how)
    upper = _quotient(after, before.as_seen, share) * math.exp(reach)
    lower = math.exp(-reach) / _quotient(before, after.as_seen, share)
    if lower == 0.0 and math.isinf(upper):
        return Change.of_ratio(quantity, (old, new), none, pairs)
    ratio = Interval(middle, lower, upper, pairs, how.confidence)
    visible = visible_difference(_logarithm(ratio)) if lower else None
    return Change.of_ratio(quantity, (old, new), ratio, pairs, visible)


def _reach(scattering: FloatArray, how: Inference) -> float:
    """How far the interval of a logarithm reaches either way; infinite for few seeds."""
    seeds = scattering.shape[1]
    of_these = scattering[:, : how.first_stage or seeds]
    if how.identical or of_these.shape[1] < MINIMUM_REPLICATIONS:
        return math.inf
    error = float(of_these.std(axis=1, ddof=1).max()) / math.sqrt(seeds)
    return student.two_sided_quantile(of_these.shape[1] - 1, how.confidence) * error


def _moved(quantile_s: float, by: float) -> float:
    """A quantile moved by an error of its logarithm, on the scale of 1/sqrt(q); infinite beyond its end."""
    left = 1.0 - by / 2.0
    return quantile_s / left**2 if left > 0.0 else math.inf


def _quotient(slower: PooledPages, quicker: PooledPages, share: float) -> float:
    """The quotient of two quantiles; infinite where the first is."""
    base = quicker.times.quantile(share)
    return slower.times.quantile(share) / base if base else math.inf


def _logarithm(ratio: Interval) -> Interval:
    mean, lower, upper = (math.log(each) for each in (ratio.mean, ratio.lower, ratio.upper))
    return Interval(mean, lower, upper, ratio.replications, ratio.confidence)
