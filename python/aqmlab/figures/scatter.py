"""Response size against response time as a density: bands are retransmission timeouts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.colors import LogNorm

from aqmlab.figures.style import figure_of, new_axes, styled
from aqmlab.statistics.recorded import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from aqmlab.statistics import Recorded

    FloatArray = NDArray[np.float64]

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


def pooled_scatter(results: Sequence[Recorded]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Edges in bytes and seconds, and the counts of all replications in the grid they span."""
    names = ("bytes_lower", "bytes_upper", "time_lower_s", "time_upper_s", "count")
    columns: dict[str, list[FloatArray]] = {name: [] for name in names}
    for result in results:
        rows = table(result, "response_scatter", setting='record.responses other than "none"')
        for name in names:
            columns[name].append(rows[name].to_numpy().astype(np.float64))
    joined = {name: np.concatenate(parts) for name, parts in columns.items()}
    bytes_edges = np.unique(np.concatenate((joined["bytes_lower"], joined["bytes_upper"])))
    time_edges = np.unique(np.concatenate((joined["time_lower_s"], joined["time_upper_s"])))
    counts = np.zeros((bytes_edges.size - 1, time_edges.size - 1))
    place = (
        np.searchsorted(bytes_edges, joined["bytes_lower"]),
        np.searchsorted(time_edges, joined["time_lower_s"]),
    )
    np.add.at(counts, place, joined["count"])
    return bytes_edges, time_edges, counts
