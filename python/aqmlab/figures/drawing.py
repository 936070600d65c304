"""A chart as a picture for print."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import LogLocator, NullFormatter

from aqmlab.figures.style import GREY, figure_of, new_axes, new_stack, styled, widths

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from aqmlab.figures.chart import Axis, Chart, Series

_MARKERS = 8
"""So many markers stand on a line, beside its pattern, for those who do not see its colour."""

_MANY = 600
"""A line of more points shows what went up and down, not a curve."""


@styled
def draw_chart(chart: Chart, axes: Axes | None = None) -> Axes:
    """Draws a chart into `axes`, or new ones; of lines that stand apart the uppermost axes are returned."""
    if chart.apart and axes is None and len(chart.series) > 1:
        return _draw_apart(chart)
    axes = axes or new_axes()
    for place, (series, width) in enumerate(zip(chart.series, widths(len(chart.series)), strict=True)):
        _draw_series(axes, chart, series, width, first_marker=place / max(1, len(chart.series)))
    for level in chart.levels:
        axes.axhline(level, color=GREY, linewidth=0.6, linestyle="--")
    _set_axis(axes, "x", chart.x_axis)
    _set_axis(axes, "y", chart.y_axis)
    axes.set_title(chart.title)
    if len(chart.series) > 1:
        axes.legend(loc="best")
    return axes


def _draw_series(axes: Axes, chart: Chart, series: Series, width: float, *, first_marker: float) -> None:
    look = series.look
    known = np.isfinite(series.y)
    x, y = chart.x[known], series.y[known]
    if series.points:
        axes.plot(x, y, color=look.colour, linestyle="none", marker=look.marker or "o", label=series.name)
        return
    dense = x.size > _MANY  # as a raster inside the vector file
    every = max(1, x.size // _MARKERS)
    axes.plot(
        x,
        y,
        color=look.colour,
        linestyle=look.pattern,
        linewidth=0.6 if dense else width,
        marker=None if dense else look.marker or None,
        markevery=(int(first_marker * every), every),
        markersize=4.0,
        label=series.name,
        rasterized=dense,
    )
    if series.lower is not None and series.upper is not None:
        axes.fill_between(
            chart.x, series.lower, series.upper, color=look.colour, alpha=0.18, linewidth=0, rasterized=dense
        )


@styled
def _draw_apart(chart: Chart) -> Axes:
    stack = new_stack(len(chart.series))
    for axes, series in zip(stack, chart.series, strict=True):
        _draw_series(axes, chart, series, 0.8, first_marker=0.0)
        axes.set_title(series.name, loc="left", pad=2)
        _set_axis(axes, "x", chart.x_axis, label="")
        _set_axis(axes, "y", chart.y_axis, label="")
    highest = max(axes.get_ylim()[1] for axes in stack)
    for axes in stack:
        axes.set_ylim(top=highest)
    stack[-1].set_xlabel(chart.x_axis.label)
    figure = figure_of(stack[0])
    figure.supylabel(chart.y_axis.label)
    figure.suptitle(chart.title)
    return stack[0]


def _set_axis(axes: Axes, which: str, axis: Axis, *, label: str | None = None) -> None:
    axes.set(**{f"{which}label": axis.label if label is None else label})
    if axis.log:
        axes.set(**{f"{which}scale": "log"})
        drawn = axes.xaxis if which == "x" else axes.yaxis
        drawn.set_major_formatter("{x:g}")
        drawn.set_minor_locator(LogLocator(subs=(2.0, 5.0)))
        drawn.set_minor_formatter(NullFormatter())
    if axis.limits is not None:
        axes.set(**{f"{which}lim": axis.limits})
