"""How long responses take by their size: the counts of all replications together, and a chart of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab.errors import MissingDataError
from aqmlab.files.columns import to_numpy
from aqmlab.show.figures.chart import Axis, Chart, Series
from aqmlab.statistics.recorded import table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from aqmlab.show.figures.looks import Line
    from aqmlab.statistics import Recorded

    FloatArray = NDArray[np.float64]


def pooled_scatter(results: Sequence[Recorded]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Edges in bytes and seconds, and the counts of all replications in the grid they span."""
    names = ("bytes_lower", "bytes_upper", "time_lower_s", "time_upper_s", "count")
    columns: dict[str, list[FloatArray]] = {name: [] for name in names}
    for result in results:
        rows = table(result, "response_scatter", setting='record.responses other than "none"')
        for name in names:
            columns[name].append(to_numpy(rows[name]).astype(np.float64))
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


PER_OCTAVE = 2
"""Sizes are grouped; this is the number of groups per doubling."""
LEAST_RESPONSES = 20
"""The smallest group, over all replications, with a median."""


def medians_by_size(results: Mapping[str, Sequence[Recorded]], looks: Sequence[Line], *, title: str) -> Chart:
    """The median response time of each group of sizes, pooled over replications, between its quartiles.

    Raises:
        MissingDataError: A run kept no `response_scatter`, or no size has enough responses.
    """
    found = {name: _quartiles_by_size(each) for name, each in results.items()}
    groups = sorted(set[int]().union(*found.values()))
    if not groups:
        raise MissingDataError(f"no size has {LEAST_RESPONSES} responses")
    nothing = (np.nan, np.nan, np.nan)
    series = []
    for (name, quartiles), look in zip(found.items(), looks, strict=True):
        lower, median, upper = np.array([quartiles.get(group, nothing) for group in groups]).reshape(-1, 3).T
        series.append(Series(name, look, median, lower, upper))
    sizes = 2.0 ** ((np.array(groups, dtype=np.float64) + 0.5) / PER_OCTAVE)
    x_axis, y_axis = Axis("size of the response, bytes", log=True), Axis("response time, s", log=True)
    return Chart(title, x_axis, y_axis, sizes, (*series,), band="the middle half of the responses")


def _quartiles_by_size(results: Sequence[Recorded]) -> dict[int, tuple[float, float, float]]:
    """The quartiles of the times in seconds by group of sizes, numbered in steps of an octave's part."""
    bytes_edges, time_edges, counts = pooled_scatter(results)
    middles = np.sqrt(np.maximum(bytes_edges[:-1], 1.0) * bytes_edges[1:])
    group = np.floor(PER_OCTAVE * np.log2(middles)).astype(np.int64)
    quartiles = {}
    for number in np.unique(group):
        cumulative = counts[group == number].sum(axis=0).cumsum()
        if cumulative[-1] < LEAST_RESPONSES:
            continue
        at = np.interp((0.25, 0.5, 0.75), np.insert(cumulative, 0, 0.0) / cumulative[-1], time_edges)
        quartiles[int(number)] = (float(at[0]), float(at[1]), float(at[2]))
    return quartiles
