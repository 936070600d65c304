"""Numbers of stretches of a run, one after the other: throughput, queue or response times over its time."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.errors import MissingDataError, TooLittleDataError
from aqmlab.show.figures.chart import Axis, Chart, Series
from aqmlab.show.papers.figures.looks import looks_of
from aqmlab.statistics.quantities import quantity
from aqmlab.statistics.recorded import measured_window_s

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from aqmlab.papers.study import Cell, Study
    from aqmlab.statistics import Recorded

    FloatArray = NDArray[np.float64]


def stretches_chart(study: Study, cells: Sequence[Cell], *, title: str, of: str, every_s: float) -> Chart:
    """A number such as `throughput_mbps/links.NAME` of each `every_s` seconds: mean over replications.

    Not a number where nothing happened, as where no response was complete.

    Raises:
        MissingDataError: The measured window is shorter than one stretch.
    """
    edges = stretch_edges(study.results(*cells[0])[0], every_s)
    if edges.size < 2:
        window_s = measured_window_s(study.results(*cells[0])[0])
        raise MissingDataError(
            f"{title}: every_s = {every_s:g} is longer than the measured {window_s:g} s; "
            f"legal: at most {window_s:g}, or a longer run"
        )
    named = quantity(f"{of}@{edges[0]:g}-{edges[1]:g}")
    series = [
        Series(study.configuration(cell[0]).label, look, _mean(study, cell, of, edges))
        for cell, look in zip(cells, looks_of(cells), strict=True)
    ]
    words = named.title.split(" of ", 1)[0]
    axis = Axis(f"{words}, {named.unit}", limits=(0.0, None))
    return Chart(title, Axis("time, s"), axis, (edges[:-1] + edges[1:]) / 2.0, (*series,))


def stretch_edges(result: Recorded, every_s: float) -> FloatArray:
    """Where the whole stretches of the measured window begin and end, in seconds."""
    start, window_s = float(result.run["measured_from_s"]), measured_window_s(result)
    return np.asarray(start + every_s * np.arange(int(window_s / every_s + 1e-9) + 1), dtype=np.float64)


def _mean(study: Study, cell: Cell, of: str, edges: FloatArray) -> FloatArray:
    """The mean over the replications of a cell in each stretch, of those in which something happened."""
    values = np.array([_each(result, of, edges) for result in study.results(*cell)])
    known = np.isfinite(values)
    sums = np.where(known, values, 0.0).sum(axis=0)
    counts = known.sum(axis=0)
    return np.asarray(np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0))


def _each(result: Recorded, of: str, edges: FloatArray) -> list[float]:
    return [_number(result, f"{of}@{begin:g}-{end:g}") for begin, end in pairwise(edges)]


def _number(result: Recorded, name: str) -> float:
    try:
        return quantity(name)(result)
    except TooLittleDataError:
        return float("nan")
