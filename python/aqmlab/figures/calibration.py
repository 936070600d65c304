"""Throughput of one direction against users on one side, with the published line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab.figures.style import GREY, SEQUENCE, new_axes, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from aqmlab.calibration import Calibration, Line


@styled
def draw_calibration(
    calibration: Calibration, *, published: Line | None = None, title: str, axes: Axes | None = None
) -> Axes:
    """Measured points, our least-squares line, and the published line if there is one."""
    axes = axes or new_axes()
    users = np.array([point.users_per_side for point in calibration.points], dtype=np.float64)
    throughput = np.array([point.throughput_mbps for point in calibration.points])
    ends = np.array([0.0, users.max() * 1.05])
    if published is not None:
        theirs = [published.throughput_mbps(end) for end in ends]
        axes.plot(ends, theirs, color=GREY, linestyle="--", label="published line")
    ours = [calibration.line.throughput_mbps(end) for end in ends]
    slope = calibration.line.bits_per_second_per_user
    label = f"our line: {slope:,.0f} bit/s per user, R² = {calibration.r_squared:.4f}"
    axes.plot(ends, ours, color=SEQUENCE[0], label=label)
    axes.plot(users, throughput, "o", color=SEQUENCE[0], markersize=4, label="measured")
    axes.set(title=title, xlabel="users on one side", ylabel="throughput of one direction, Mbit/s")
    axes.set(xlim=(0, ends[1]), ylim=(0, None))
    axes.legend(loc="upper left")
    return axes
