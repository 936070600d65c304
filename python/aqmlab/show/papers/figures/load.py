"""Offered load against the size of a demand: measured points, our line, the published one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.show.figures.looks import GREY, SEQUENCE
from aqmlab.show.figures.style import new_axes, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from aqmlab.load import Line, LoadLine


@styled
def draw_load(
    measured: LoadLine,
    published: Line | None = None,
    *,
    title: str,
    labels: tuple[str, str],
    axes: Axes | None = None,
) -> Axes:
    """Throughput of every run, the least-squares line, and the published line if there is one.

    `labels` say what sizes and throughputs are.
    """
    axes = axes or new_axes()
    ends = (0.0, measured.sizes.max() * 1.05)
    if published is not None:
        theirs = [published.throughput_mbps(end) for end in ends]
        axes.plot(ends, theirs, color=GREY, linestyle="--", label="published line")
    slope = measured.line.bits_per_second_per_user
    label = f"our line: {slope:,.0f} bit/s per user, R² = {measured.r_squared:.4f}"
    ours = [measured.line.throughput_mbps(end) for end in ends]
    axes.plot(ends, ours, color=SEQUENCE[0], label=label)
    points = measured.sizes, measured.throughput_mbps
    axes.plot(*points, "o", color=SEQUENCE[0], markersize=3, alpha=0.6, label="measured")
    axes.set(title=title, xlabel=labels[0], ylabel=labels[1])
    axes.set(xlim=ends, ylim=(0, None))
    axes.legend(loc="upper left")
    return axes
