"""The logarithm of a quantile, smoothed: of few times, to see how it scatters.

A sample's quantile is one of its times, and stays the same when most others change; so neither the
jackknife nor the quantiles of small parts of a sample tell its error. The estimate of Harrell and Davis
(1982, Biometrika 69, 635-640) is a mean over all times in order, most of all those near the quantile: of n
times the weight of the i-th is the probability that a beta variable with (n + 1) q and (n + 1) (1 - q) lies
between (i - 1)/n and i/n. Here it is the mean of their logarithms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from aqmlab.statistics.distribution import ResponseTimes

_LEAST_S = 1e-9
"""What a time of zero counts as."""


def prepare() -> None:
    """Loads SciPy's part, which takes a fifth of a second, while there is time."""
    from scipy import special  # noqa: F401, PLC0415 (that is the purpose)


def log_quantile(times: ResponseTimes, share: float) -> float:
    """The smoothed logarithm of the time in seconds within which a share (between 0 and 1) is done.

    What had not ended counts as if it had ended when the longest of all was last seen (Efron 1967): never too
    long, and as good for a scatter over samples that have such times alike.
    """
    from scipy import special  # noqa: PLC0415 (slow to import)

    seen = times if times.seen is None else times.seen
    longest = max((float(each.upper_s[-1]) for each in (times, seen) if each.upper_s.size), default=_LEAST_S)
    taken_s = np.append(times.upper_s, longest)
    done = np.concatenate(([0.0], np.minimum(1.0, np.cumsum(times.counts) / times.ended), [1.0]))
    order = times.ended + 1.0
    below = special.betainc(order * share, order * (1.0 - share), done)
    weights = below[1:] - below[:-1]
    return float((weights * np.log(np.maximum(taken_s, _LEAST_S))).sum())
