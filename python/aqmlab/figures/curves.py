"""Distribution functions of response times: up to 2 s, and their tails."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab.figures.style import SEQUENCE, Line, line_of, new_axes, styled, widths
from aqmlab.statistics import MINIMUM_REPLICATIONS
from aqmlab.statistics.replication import student_quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from aqmlab.reproduce.study import Cell, Study

    FloatArray = NDArray[np.float64]

MILLISECONDS = 1000.0
UNTIL_S = 2.0
POINTS = 401
LEAST_IN_TAIL = 10
"""A tail is drawn as far as this many exchanges of all replications lie beyond."""


@styled
def draw_cdf(study: Study, cells: Sequence[Cell], *, title: str, axes: Axes | None = None) -> Axes:
    """Share of responses complete within a time, up to 2 s: mean over replications with its interval."""
    axes = axes or new_axes()
    time_s = np.linspace(0.0, UNTIL_S, POINTS)
    for cell, line, width in zip(cells, looks_of(cells), widths(len(cells)), strict=True):
        curves = 100.0 * np.array([times.cdf(time_s) for times in study.times(*cell)])
        _draw_mean(axes, time_s * MILLISECONDS, curves, line, width)
        axes.lines[-1].set_label(_label(study, cell, cells))
    axes.set(
        title=title, xlabel="response time, ms", ylabel="responses complete, %", xlim=(0, 2000), ylim=(0, 100)
    )
    axes.legend(loc="lower right")
    return axes


@styled
def draw_ccdf(study: Study, cells: Sequence[Cell], *, title: str, axes: Axes | None = None) -> Axes:
    """Share of responses that take longer, on logarithmic axes, pooled over replications."""
    axes = axes or new_axes()
    time_s = np.geomspace(0.01, 1000.0, POINTS)
    for cell, line, width in zip(cells, looks_of(cells), widths(len(cells)), strict=True):
        replications = study.times(*cell)
        ended = np.array([times.ended for times in replications], dtype=np.float64)
        beyond = np.array([times.ccdf(time_s) for times in replications]) * ended[:, None]
        pooled = beyond.sum(axis=0)
        shown = pooled >= LEAST_IN_TAIL
        share = pooled[shown] / ended.sum()
        label = _label(study, cell, cells)
        axes.plot(
            time_s[shown], share, color=line.colour, linestyle=line.pattern, linewidth=width, label=label
        )
    axes.set(title=title, xlabel="response time, s", ylabel="share of responses taking longer")
    axes.set(xscale="log", yscale="log", xlim=(0.01, 1000.0))
    axes.legend(loc="lower left")
    return axes


def _draw_mean(axes: Axes, time_ms: FloatArray, curves: FloatArray, line: Line, width: float) -> None:
    mean = curves.mean(axis=0)
    axes.plot(time_ms, mean, color=line.colour, linestyle=line.pattern, linewidth=width)
    replications = len(curves)
    if replications < MINIMUM_REPLICATIONS:
        return
    standard_error = curves.std(axis=0, ddof=1) / np.sqrt(replications)
    half = student_quantile(replications - 1) * standard_error
    lower, upper = np.maximum(mean - half, 0.0), np.minimum(mean + half, 100.0)
    axes.fill_between(time_ms, lower, upper, color=line.colour, alpha=0.18, linewidth=0)


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
