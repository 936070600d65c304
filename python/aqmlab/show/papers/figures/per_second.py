"""What happened in each second of one run: requests, bytes requested, mean response time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab.show.figures.looks import GREY, SEQUENCE
from aqmlab.show.figures.style import new_axes, styled
from aqmlab.statistics.per_second import (
    bytes_requested_per_second,
    mean_response_time_s,
    requests_per_second,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from aqmlab.statistics import Recorded

    FloatArray = NDArray[np.float64]

SECONDS_PER_MINUTE = 60.0
KILOBYTE = 1000.0
MILLISECONDS = 1000.0


def _kilobytes_requested(result: Recorded, *, from_s: float, until_s: float) -> FloatArray:
    """Of response, asked for in each second, which the link need not carry in it."""
    return bytes_requested_per_second(result, from_s=from_s, until_s=until_s) / KILOBYTE


def _mean_response_ms(result: Recorded, *, from_s: float, until_s: float) -> FloatArray:
    """Of what completed in each second."""
    return MILLISECONDS * mean_response_time_s(result, from_s=from_s, until_s=until_s)


PER_SECOND = {
    "requests-per-second": ("requests per second", requests_per_second),
    "bytes-requested-per-second": ("kB requested per second", _kilobytes_requested),
    "response-time-per-second": ("mean response time, ms", _mean_response_ms),
}
"""What can be drawn, by the kind of figure: the words at the axis, and the number in each second."""


@styled
def draw_per_second(
    result: Recorded, kind: str, *, title: str, discarded_s: float | None = None, axes: Axes | None = None
) -> Axes:
    """One of `PER_SECOND` over the measured window; a line where the discarded minutes end."""
    axes = axes or new_axes()
    from_s, until_s = float(result.run["measured_from_s"]), float(result.run["measured_until_s"])
    label, per_second = PER_SECOND[kind]
    values = per_second(result, from_s=from_s, until_s=until_s)
    minutes = (from_s + np.arange(values.size)) / SECONDS_PER_MINUTE
    # Thousands of points: as a raster inside the vector file.
    axes.plot(minutes, values, color=SEQUENCE[0], linewidth=0.4, rasterized=True)
    axes.set(title=title, xlabel="time, minutes", ylabel=label)
    axes.set(xlim=(from_s / SECONDS_PER_MINUTE, until_s / SECONDS_PER_MINUTE), ylim=(0, None))
    if discarded_s is not None:
        axes.axvline(discarded_s / SECONDS_PER_MINUTE, color=GREY, linestyle="--")
    return axes
