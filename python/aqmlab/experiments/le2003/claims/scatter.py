"""Figures 25 and 26: bands of timeouts, and the triangle of responses that had none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab.papers.claims.checks import above_zero
from aqmlab.statistics import ResponseTimes, response_times
from aqmlab.statistics.recorded import table

if TYPE_CHECKING:
    from aqmlab.papers.claims import Answer
    from aqmlab.papers.study import Cell, Study
    from aqmlab.statistics import Recorded

SMALL = (0, 1)
"""Size classes up to 10,500 bytes: nine responses in ten."""
SLOW_MS_PER_BYTE, FAST_MS_PER_BYTE = 6000.0 / 100_000.0, 500.0 / 100_000.0
"""The triangle's edges run from the origin to (100,000 B, 6,000 ms) and (100,000 B, 500 ms)."""
TRIANGLE_BYTES = (10_000.0, 100_000.0)
COPY_BYTES = (2_000.0, 5_000.0)


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


def band_after(study: Study, a: Cell, *, second: float, band_s: float) -> Answer:
    """More small responses complete just after a whole second than just before it."""
    return _denser(
        study,
        a,
        after_s=second,
        than_after_s=second - band_s,
        band_s=band_s,
        unit="points more in the band than in the gap before it",
    )


def band_denser(study: Study, a: Cell, *, second: float, than_after: float, band_s: float) -> Answer:
    """More small responses complete just after one whole second than just after another."""
    return _denser(study, a, after_s=second, than_after_s=than_after, band_s=band_s, unit="points")


def _denser(
    study: Study, cell: Cell, *, after_s: float, than_after_s: float, band_s: float, unit: str
) -> Answer:
    excess = []
    for result in study.results(*cell):
        edges_s = [after_s, after_s + band_s, than_after_s, than_after_s + band_s]
        start, end, other_start, other_end = small_responses(result).cdf(edges_s)
        excess.append(100.0 * float((end - start) - (other_end - other_start)))
    return above_zero(excess, unit=unit)


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
