"""Offered load against users where all browse on one side: measured points, our line, the published one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab.figures.style import GREY, SEQUENCE, new_axes, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from aqmlab.calibration import Line
    from aqmlab.load_line import LoadLine


@styled
def draw_users(
    measured: LoadLine, *, published: Line | None = None, title: str, axes: Axes | None = None
) -> Axes:
    """Throughput of every replication, the least-squares line through their means, and the paper's line."""
    axes = axes or new_axes()
    ends = np.array([0.0, measured.users.max() * 1.05])
    if published is not None:
        theirs = [published.throughput_mbps(end) for end in ends]
        axes.plot(ends, theirs, color=GREY, linestyle="--", label="published line")
    slope = measured.line.bits_per_second_per_user
    label = f"our line: {slope:,.0f} bit/s per user, R² = {measured.r_squared:.4f}"
    ours = [measured.line.throughput_mbps(end) for end in ends]
    axes.plot(ends, ours, color=SEQUENCE[0], label=label)
    points = measured.users, measured.throughput_mbps
    axes.plot(*points, "o", color=SEQUENCE[0], markersize=3, alpha=0.6, label="measured")
    axes.set(title=title, xlabel="users", ylabel="throughput of the responses, Mbit/s")
    axes.set(xlim=(0, ends[1]), ylim=(0, None))
    axes.legend(loc="upper left")
    return axes
