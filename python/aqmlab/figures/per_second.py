"""What happened in each second of one run: requests, bytes requested, mean response time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab.figures.style import GREY, SEQUENCE, new_axes, styled
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


@styled
def draw_requests_per_second(result: Recorded, *, title: str, axes: Axes | None = None) -> Axes:
    """Requests initiated in each second."""
    return _draw(
        _window(result), requests_per_second(result, **_span(result)), title, "requests per second", axes
    )


@styled
def draw_bytes_requested_per_second(result: Recorded, *, title: str, axes: Axes | None = None) -> Axes:
    """Bytes of response asked for in each second, which the link need not carry in it."""
    kilobytes = bytes_requested_per_second(result, **_span(result)) / KILOBYTE
    return _draw(_window(result), kilobytes, title, "kB requested per second", axes)


@styled
def draw_response_time_per_second(
    result: Recorded, *, title: str, discarded_s: float | None = None, axes: Axes | None = None
) -> Axes:
    """Mean response time of what completed in each second; a line where the discarded minutes end."""
    mean_ms = MILLISECONDS * mean_response_time_s(result, **_span(result))
    axes = _draw(_window(result), mean_ms, title, "mean response time, ms", axes)
    if discarded_s is not None:
        axes.axvline(discarded_s / SECONDS_PER_MINUTE, color=GREY, linestyle="--")
    return axes


def _window(result: Recorded) -> tuple[float, float]:
    return float(result.run["measured_from_s"]), float(result.run["measured_until_s"])


def _span(result: Recorded) -> dict[str, float]:
    from_s, until_s = _window(result)
    return {"from_s": from_s, "until_s": until_s}


def _draw(
    window_s: tuple[float, float], values: FloatArray, title: str, ylabel: str, axes: Axes | None
) -> Axes:
    axes = axes or new_axes()
    minutes = (window_s[0] + np.arange(values.size)) / SECONDS_PER_MINUTE
    # Thousands of points: as a raster inside the vector file.
    axes.plot(minutes, values, color=SEQUENCE[0], linewidth=0.4, rasterized=True)
    axes.set(title=title, xlabel="time, minutes", ylabel=ylabel)
    axes.set(xlim=tuple(end / SECONDS_PER_MINUTE for end in window_s), ylim=(0, None))
    return axes
