"""A stretch of the sampled queue of each configuration, one above another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab.files.columns import to_numpy
from aqmlab.show.figures.style import figure_of, new_stack, styled
from aqmlab.show.papers.figures.looks import line_of
from aqmlab.statistics.recorded import data_links, has_name, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from aqmlab.papers.study import Cell, Study
    from aqmlab.statistics import Recorded

    FloatArray = NDArray[np.float64]

STRETCH_S = 20.0


@styled
def draw_queue(study: Study, cells: Sequence[Cell], *, title: str) -> Axes:
    """Packets waiting at the first link that carries data in the middle of the first replication."""
    stack = new_stack(len(cells))
    for axes, cell in zip(stack, cells, strict=True):
        time_s, packets = queue_trace(study.results(*cell)[0])
        line = line_of(cell[0])
        axes.plot(time_s, packets, color=line.colour, linewidth=0.7)
        axes.set_ylim(0, None)
        axes.set_title(study.configuration(cell[0]).label, loc="left", pad=2)
    stack[-1].set_xlabel("time, s")
    figure = figure_of(stack[0])
    figure.supylabel("queue, packets")
    figure.suptitle(title)
    return stack[0]


def queue_trace(result: Recorded) -> tuple[FloatArray, FloatArray]:
    """Times and packets of a stretch in the middle of the measured window."""
    samples = table(result, "queue", setting="a monitored queue")
    time_s = to_numpy(samples["time_s"])
    middle = (float(result.run["measured_from_s"]) + float(result.run["measured_until_s"])) / 2.0
    keep = np.abs(time_s - middle) <= STRETCH_S / 2.0
    keep &= has_name(samples, "link", data_links(result)[0]["name"])
    return time_s[keep], to_numpy(samples["packets"])[keep].astype(np.float64)
