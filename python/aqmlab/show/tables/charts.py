"""The numbers of a chart."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.tables.model import Column, Table, in_csv

if TYPE_CHECKING:
    from collections.abc import Callable

    from aqmlab.show.figures.chart import Chart, FloatArray


def chart_table(chart: Chart) -> Table:
    """A row for each place on the horizontal axis; of each line value, edges of its band, what was lost."""
    columns: list[Column[int]] = [in_csv(chart.x_axis.label, _at(chart.x))]
    for series in chart.series:
        columns.append(in_csv(series.name, _at(series.y)))
        for edge, values in (("lower", series.lower), ("upper", series.upper), ("lost", series.lost)):
            if values is not None:
                columns.append(in_csv(f"{series.name}.{edge}", _at(values)))
    return Table.of(range(chart.x.size), columns, title=chart.title)


def _at(values: FloatArray) -> Callable[[int], float | None]:
    return partial(_known, values)


def _known(values: FloatArray, place: int) -> float | None:
    value = float(values[place])
    return value if np.isfinite(value) else None
