"""Figures 25 and 26: bands of timeouts, and the triangle of responses that had none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab.experiments.le2003.claims.cells import le2003
from aqmlab.reproduce.claims.answers import answered, attempt
from aqmlab.reproduce.claims.numbers import above, higher, within
from aqmlab.statistics import ResponseTimes, mean_interval, response_times
from aqmlab.statistics.recorded import table

if TYPE_CHECKING:
    from aqmlab.reproduce.claims.outcome import Part
    from aqmlab.reproduce.study import Cell, Study
    from aqmlab.statistics import Recorded

WITHOUT, WITH = ("pi-24", 98.0), ("pi-24-ecn", 98.0)
SMALL = (0, 1)
"""Size classes up to 10,500 bytes: nine responses in ten."""
SLOW_MS_PER_BYTE, FAST_MS_PER_BYTE = 6000.0 / 100_000.0, 500.0 / 100_000.0
"""The triangle's edges run from the origin to (100,000 B, 6,000 ms) and (100,000 B, 500 ms)."""
TRIANGLE_BYTES = (10_000.0, 100_000.0)
COPY_BYTES = (2_000.0, 5_000.0)


@le2003("L21")
def bands_of_timeouts(study: Study, *, band_s: float) -> list[Part]:
    """Small responses gather just after 1, 2, 3 and above all 6 s, and ECN thins these bands."""
    parts = [
        band_after(study, f"small responses of PI gather just after {second} s", WITHOUT, second, band_s)
        for second in (1, 2, 3, 6)
    ]
    parts.append(band_denser(study, "the band after 6 s is denser than the one after 5 s", WITHOUT, band_s))
    thinner = "with ECN fewer small responses take longer than 1 s"
    return [*parts, higher(study, thinner, WITHOUT, WITH, slow_small_percent, unit="points")]


def small_responses(result: Recorded) -> ResponseTimes:
    """Response times of the responses up to 10,500 bytes."""
    first, second = (response_times(result, size_class=size_class) for size_class in SMALL)
    lower = np.concatenate((first.lower_s, second.lower_s))
    upper = np.concatenate((first.upper_s, second.upper_s))
    counts = np.concatenate((first.counts, second.counts))
    edges, place, group = np.unique(lower, return_index=True, return_inverse=True)
    return ResponseTimes(edges, upper[place], np.bincount(group, weights=counts).astype(np.float64))


def slow_small_percent(result: Recorded) -> float:
    """Per cent of the small responses that take longer than a second."""
    return 100.0 * float(small_responses(result).ccdf(1.0))


@answered
def band_after(study: Study, statement: str, cell: Cell, second: int, band_s: float) -> Part:
    """More small responses complete just after a whole second than just before it."""
    excess = []
    for result in study.results(*cell):
        before, at, after = small_responses(result).cdf([second - band_s, second, second + band_s])
        excess.append(100.0 * float((after - at) - (at - before)))
    return above(statement, mean_interval(excess), unit="points more in the band than in the gap before it")


@answered
def band_denser(study: Study, statement: str, cell: Cell, band_s: float) -> Part:
    """More small responses complete just after 6 s than just after 5 s."""
    excess = []
    for result in study.results(*cell):
        five, five_end, six, six_end = small_responses(result).cdf([5.0, 5.0 + band_s, 6.0, 6.0 + band_s])
        excess.append(100.0 * float((six_end - six) - (five_end - five)))
    return above(statement, mean_interval(excess), unit="points")


@le2003("L31")
def triangle_of_responses(study: Study, *, dense: float) -> list[Part]:
    """With ECN most responses lie in the triangle, with weaker copies a second later."""
    whole = f"with ECN at least {dense:.0%} of responses of 10 to 100 kB lie in the triangle"
    more = "the triangle holds more with ECN than without"
    weaker = "a second later stands a copy of the triangle, weaker than itself"
    return [
        attempt(whole, lambda: within(whole, study.measure(*WITH, triangle_share), dense, 1.0)),
        higher(study, more, WITH, WITHOUT, triangle_share),
        attempt(
            weaker, lambda: above(weaker, study.measure(*WITH, copy_margin), unit="density, least margin")
        ),
    ]


def triangle_share(result: Recorded) -> float:
    """Share of the responses of 10 to 100 kB whose time lies between the triangle's edges."""
    return _share_between(result, TRIANGLE_BYTES, shift_ms=0.0)


def copy_margin(result: Recorded) -> float:
    """How clearly a weaker copy stands one second above the triangle, for responses of 2 to 5 kB.

    The smaller of two differences: copy minus the gap below it, and triangle minus copy.
    """
    own = _share_between(result, COPY_BYTES, shift_ms=0.0)
    gap = _share_between(result, COPY_BYTES, shift_ms=500.0)
    copy = _share_between(result, COPY_BYTES, shift_ms=1000.0)
    return min(copy - gap, own - copy)


def _share_between(result: Recorded, sizes: tuple[float, float], *, shift_ms: float) -> float:
    rows = table(result, "response_scatter", setting='record.responses other than "none"')
    size = np.sqrt(rows["bytes_lower"].to_numpy() * rows["bytes_upper"].to_numpy())
    time_ms = 1000.0 * np.sqrt(rows["time_lower_s"].to_numpy() * rows["time_upper_s"].to_numpy())
    count = rows["count"].to_numpy().astype(np.float64)
    chosen = (size >= sizes[0]) & (size <= sizes[1])
    lower, upper = FAST_MS_PER_BYTE * size + shift_ms, SLOW_MS_PER_BYTE * size + shift_ms
    inside = chosen & (time_ms >= lower) & (time_ms <= upper)
    return float(count[inside].sum() / max(1.0, count[chosen].sum()))
