"""Distribution functions of the cells of a study, as its paper draws them: up to 2 s, and their tails."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.show.figures.chart import Axis, Series
from aqmlab.show.figures.distributions import shares_beyond, shares_within
from aqmlab.show.papers.figures.looks import looks_of
from aqmlab.statistics.quantities import RESPONSE_CLASSES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aqmlab.papers.study import Cell, Study
    from aqmlab.show.figures.chart import Chart, FloatArray
    from aqmlab.show.figures.looks import Line
    from aqmlab.statistics import ResponseTimes

MILLISECONDS = 1000.0
UNTIL_S = 2.0
POINTS = 401


def cdf_chart(study: Study, cells: Sequence[Cell], *, title: str, population: str | None = None) -> Chart:
    """Share of responses complete within a time, up to 2 s: mean over replications with its interval.

    Of a population, or by default of those that the study judges.
    """
    looks = looks_of(cells)
    published = {cell: _published_points(study, cell) for cell in cells}
    grid = np.linspace(0.0, UNTIL_S, POINTS)
    places = np.union1d(grid, [time for points in published.values() for time in points])
    chart = shares_within(_times(study, cells, population), looks, time_s=places, title=title)
    chart = replace(chart, series=(*chart.series, *_printed(study, published, looks, places, cells)))
    axis = Axis("response time, ms", limits=(0.0, MILLISECONDS * UNTIL_S))
    shares = Axis("responses complete, %", limits=(0.0, 100.0))
    return replace(chart, x=MILLISECONDS * chart.x, x_axis=axis, y_axis=shares)


def ccdf_chart(study: Study, cells: Sequence[Cell], *, title: str, population: str | None = None) -> Chart:
    """Share of responses that take longer, on logarithmic axes, pooled over replications."""
    chart = shares_beyond(
        _times(study, cells, population),
        looks_of(cells),
        time_s=np.geomspace(0.01, 1000.0, POINTS),
        title=title,
    )
    axis = Axis("response time, s", log=True, limits=(0.01, 1000.0))
    return replace(chart, x_axis=axis, y_axis=Axis("share of responses taking longer", log=True))


def _published_points(study: Study, cell: Cell) -> dict[float, float]:
    """Points of the paper's own distribution that its tables print: per cent complete by time in seconds."""
    row = study.published(*cell)
    if row is None or study.experiment.hosts:
        return {}
    points = {}
    if (median_ms := row.values.get("median_response_ms")) is not None:
        points[median_ms / MILLISECONDS] = 50.0
    complete = 0.0
    for until_s, name in zip((1.0, 2.0), RESPONSE_CLASSES, strict=False):
        if name.name not in row.values:
            break
        complete += row.values[name.name]
        points[until_s] = complete
    return {time: share for time, share in points.items() if time <= UNTIL_S}


def _printed(
    study: Study,
    published: Mapping[Cell, Mapping[float, float]],
    looks: Sequence[Line],
    places: FloatArray,
    cells: Sequence[Cell],
) -> Iterator[Series]:
    """The published points of each cell that has any, in the colour of our line."""
    for cell, look in zip(cells, looks, strict=True):
        if points := published[cell]:
            shares = np.array([points.get(float(place), np.nan) for place in places])
            name = f"{_label(study, cell, cells)}, the paper's"
            yield Series(name, replace(look, marker=look.marker or "o"), shares, points=True)


def _times(study: Study, cells: Sequence[Cell], population: str | None) -> dict[str, Sequence[ResponseTimes]]:
    return {_label(study, cell, cells): study.times(*cell, population) for cell in cells}


def _label(study: Study, cell: Cell, cells: Sequence[Cell]) -> str:
    one_load = len({load for _, load in cells}) == 1
    return study.configuration(cell[0]).label if one_load else study.label(cell)
