"""How many responses took how long, by their size, of all replications of a configuration together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab.files.columns import to_numpy
from aqmlab.statistics.recorded import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

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
