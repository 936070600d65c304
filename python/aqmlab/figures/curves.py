"""Distribution functions of the cells of a study, as its paper draws them: up to 2 s, and their tails."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.figures.chart import Axis
from aqmlab.figures.distributions import shares_beyond, shares_within
from aqmlab.figures.style import SEQUENCE, Line, line_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.figures.chart import Chart
    from aqmlab.reproduce.study import Cell, Study
    from aqmlab.statistics import ResponseTimes

MILLISECONDS = 1000.0
UNTIL_S = 2.0
POINTS = 401


def cdf_chart(study: Study, cells: Sequence[Cell], *, title: str) -> Chart:
    """Share of responses complete within a time, up to 2 s: mean over replications with its interval."""
    chart = shares_within(
        _times(study, cells), looks_of(cells), time_s=np.linspace(0.0, UNTIL_S, POINTS), title=title
    )
    axis = Axis("response time, ms", limits=(0.0, MILLISECONDS * UNTIL_S))
    shares = Axis("responses complete, %", limits=(0.0, 100.0))
    return replace(chart, x=MILLISECONDS * chart.x, x_axis=axis, y_axis=shares)


def ccdf_chart(study: Study, cells: Sequence[Cell], *, title: str) -> Chart:
    """Share of responses that take longer, on logarithmic axes, pooled over replications."""
    chart = shares_beyond(
        _times(study, cells), looks_of(cells), time_s=np.geomspace(0.01, 1000.0, POINTS), title=title
    )
    axis = Axis("response time, s", log=True, limits=(0.01, 1000.0))
    return replace(chart, x_axis=axis, y_axis=Axis("share of responses taking longer", log=True))


def _times(study: Study, cells: Sequence[Cell]) -> dict[str, Sequence[ResponseTimes]]:
    return {_label(study, cell, cells): study.times(*cell) for cell in cells}


def looks_of(cells: Sequence[Cell]) -> list[Line]:
    """One look per line; where several loads meet in a figure, colour tells the loads apart."""
    loads = sorted({load for _, load in cells})
    if len(loads) == 1:
        looks = [line_of(configuration) for configuration, _ in cells]
    else:
        looks = [
            Line(SEQUENCE[loads.index(load) % len(SEQUENCE)], line_of(configuration).pattern)
            for configuration, load in cells
        ]
    return looks if len(set(looks)) == len(looks) else _told_apart(cells)


def _told_apart(cells: Sequence[Cell]) -> list[Line]:
    """Looks by place in the figure, for settings of one scheme, which its colour does not tell apart."""
    others = [cell for cell in cells if cell[0] != "uncongested"]
    patterns = ("-", "--", "-.", ":")
    by_place = {
        cell: Line(SEQUENCE[place % len(SEQUENCE)], patterns[place // len(SEQUENCE) % len(patterns)])
        for place, cell in enumerate(others)
    }
    return [by_place.get(cell, line_of(cell[0])) for cell in cells]


def _label(study: Study, cell: Cell, cells: Sequence[Cell]) -> str:
    one_load = len({load for _, load in cells}) == 1
    return study.configuration(cell[0]).label if one_load else study.label(cell)
