"""Response size against response time as a density: bands are retransmission timeouts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.colors import LogNorm

from aqmlab.show.figures.scatter_counts import pooled_scatter
from aqmlab.show.figures.style import figure_of, new_axes, styled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from aqmlab.statistics import Recorded

LARGEST_BYTES = 100_000.0
LONGEST_MS = 10_000.0


@styled
def draw_scatter(results: Sequence[Recorded], *, title: str, axes: Axes | None = None) -> Axes:
    """Exchanges per kilobyte and millisecond, all replications together."""
    axes = axes or new_axes(height_inches=4.2)
    bytes_edges, time_edges, counts = pooled_scatter(results)
    area = np.diff(bytes_edges)[:, None] / 1000.0 * np.diff(time_edges)[None, :] * 1000.0
    density = np.ma.masked_equal(counts / area, 0.0)
    mesh = axes.pcolormesh(
        bytes_edges,
        time_edges * 1000.0,
        density.T,
        norm=LogNorm(),
        cmap="viridis",
        rasterized=True,
    )
    axes.set(title=title, xlabel="response size, bytes", ylabel="response time, ms")
    axes.set(xlim=(0.0, LARGEST_BYTES), ylim=(0.0, LONGEST_MS))
    axes.grid(visible=False)
    figure_of(axes).colorbar(mesh, ax=axes, label="exchanges per kB and ms")
    return axes
