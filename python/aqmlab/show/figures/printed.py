"""What Matplotlib draws for print: a chart, a scene, the difference of two distribution functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from aqmlab.inference import Band
from aqmlab.load.parametrized_scheme import spelt
from aqmlab.show.figures.chart import unit_of, written
from aqmlab.show.figures.looks import GREY, SEQUENCE
from aqmlab.show.figures.scene import Area, Stroke, arrow_head
from aqmlab.show.figures.style import in_size, new_axes, settle, styled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis as PrintedAxis
    from numpy.typing import NDArray

    from aqmlab.inference import Judgement, NotEnoughReplications
    from aqmlab.show.figures.chart import Axis, Chart, Series
    from aqmlab.show.figures.drawn import PrintSize
    from aqmlab.show.figures.scene import Scene, Words

    FloatArray = NDArray[np.float64]

_PIXELS_PER_INCH = 96.0
_POINTS_PER_PIXEL = 72.0 / _PIXELS_PER_INCH
_ANCHORS = {"start": "left", "middle": "center", "end": "right"}


@styled
def to_figure(scene: Scene, scale: float = 1.0) -> Figure:
    """The scene, in its own size or that many times as large."""
    inches = scale / _PIXELS_PER_INCH
    figure = Figure(figsize=(scene.width * inches, scene.height * inches))
    figure.set_layout_engine("none")
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(0.0, scene.width), ylim=(scene.height, 0.0))
    axes.axis("off")
    for order, item in enumerate(scene.items):
        if isinstance(item, Stroke):
            _draw_stroke(axes, item, order, scale)
        elif isinstance(item, Area):
            _draw_area(axes, item, order, scale)
        else:
            _draw_words(axes, item, order, scale)
    return figure


def _draw_stroke(axes: Axes, item: Stroke, order: int, scale: float) -> None:
    width = scale * item.width * _POINTS_PER_PIXEL
    dashes = tuple(part / item.width for part in item.dash)  # matplotlib counts in widths of the line
    line = Line2D(
        item.points[:, 0],
        item.points[:, 1],
        color=item.colour,
        linewidth=width,
        zorder=order,
        solid_joinstyle="round",
    )
    if dashes:
        line.set_linestyle((0, dashes))
    axes.add_line(line)
    if item.arrow:
        _draw_area(axes, Area(arrow_head(item), item.colour), order, scale)


def _draw_area(axes: Axes, item: Area, order: int, scale: float) -> None:
    axes.add_patch(
        Polygon(
            item.points,
            facecolor=item.colour,
            alpha=item.opacity if item.opacity < 1.0 else None,
            edgecolor=item.edge or "none",
            linewidth=scale * item.edge_width * _POINTS_PER_PIXEL if item.edge else 0.0,
            zorder=order,
        )
    )


def _draw_words(axes: Axes, item: Words, order: int, scale: float) -> None:
    axes.text(
        item.x,
        item.y,
        item.text,
        fontsize=scale * item.size * _POINTS_PER_PIXEL,
        ha=_ANCHORS[item.anchor],
        va="baseline",
        color=item.colour,
        fontweight="bold" if item.bold else "normal",
        zorder=order,
        parse_math=False,
    )


_HEIGHT, _PANEL_HEIGHT = 0.62, 0.19
"""Of a figure, and of each of panels one above another, as shares of its width."""
_LEAST_LINES = 23.0
"""So many lines of text a figure is high at least."""
_MARKERS = 8
"""So many markers stand on a line, beside its pattern, for those who do not see its colour."""
_MANY = 150
"""A line of more points shows what went up and down, not a curve."""
_MOST_NAMED, _MOVED_LINES = 6, 2.5
"""So many lines have their names at their ends, unless one had to stand farther off than so many lines of
text: then a legend names them."""
_LINE_HEIGHT = 1.25
_TICKS = 6
_FEW_DECADES = 1.3
_MARGIN = 0.04


def chart_figure(chart: Chart, size: PrintSize) -> Figure:
    """The chart as large as is wanted, laid out."""
    apart = chart.apart and len(chart.series) > 1
    rows = len(chart.series) if apart else 1
    with in_size(size):
        figure = Figure(figsize=(size.width_inches, _height_inches(size, rows)))
        FigureCanvasAgg(figure)
        panels = list(figure.subplots(rows, 1, sharex=True, sharey=True, squeeze=False)[:, 0])
        for place, axes in enumerate(panels):
            _draw(axes, chart, [chart.series[place]] if apart else chart.series)
            if apart:
                axes.set_title(
                    spelt(chart.series[place].name), loc="left", fontsize=size.font_points, pad=2.0
                )
        panels[-1].set_xlabel(unit_of(chart.x_axis.label).words)
        figure.suptitle(chart.title, fontweight="bold")
        words = unit_of(chart.y_axis.label).words
        if apart:
            figure.supylabel(words)
        else:
            panels[0].set_ylabel(words)
            _name(panels[0], chart, size)
        return settle(figure)


def _height_inches(size: PrintSize, rows: int) -> float:
    least = _LEAST_LINES * size.font_points / 72.0
    if rows == 1:
        return max(_HEIGHT * size.width_inches, least)
    return (0.2 + _PANEL_HEIGHT * rows) * max(size.width_inches, least / _HEIGHT)


def _draw(axes: Axes, chart: Chart, series: Sequence[Series]) -> None:
    for level in chart.levels:
        axes.axhline(level, color=GREY, linewidth=0.8, linestyle="--")
    for each in series:
        if each.lower is not None and each.upper is not None:
            axes.fill_between(chart.x, each.lower, each.upper, color=each.look.colour, alpha=0.2, linewidth=0)
    for place, each in enumerate(series):
        _line(axes, chart.x, each, place, len(series))
        if each.lost is not None and each.lost.any():
            _lost(axes, chart.x[each.lost > 0.0], each.look.colour, place)
    _scale(axes, "x", chart.x_axis, [chart.x], 0.0)
    edges = [
        values for each in chart.series for values in (each.y, each.lower, each.upper) if values is not None
    ]
    _scale(axes, "y", chart.y_axis, [*edges, np.array(chart.levels)], _MARGIN)


def _line(axes: Axes, x: FloatArray, series: Series, place: int, lines: int) -> None:
    known = int(np.isfinite(series.y).sum())
    dense = known > _MANY and not series.points
    # What goes up and down has no dashes to be seen, and its name at its end.
    marker = "" if dense and lines <= _MOST_NAMED else series.look.marker
    every = 1 if series.points else max(1, known // _MARKERS)
    axes.plot(
        x if not series.points else x[np.isfinite(series.y)],
        series.y if not series.points else series.y[np.isfinite(series.y)],
        linestyle="none" if series.points else "-" if dense else series.look.pattern,
        color=series.look.colour,
        # Thinner in drawing order, so that a line below another of its course still shows.
        linewidth=1.0 if dense else max(1.0, 1.8 - 0.2 * place),
        marker=marker or ("o" if series.points else None),
        markersize=4.0,
        markevery=(int(place * every / lines), every),
        label=spelt(series.name),
    )


def _lost(axes: Axes, at: FloatArray, colour: str, place: int) -> None:
    """Marks above the area of the axes, a row for each line."""
    height = np.full(at.shape, 1.02 + 0.03 * place)
    axes.plot(
        at, height, "|", color=colour, markersize=4.0, clip_on=False, transform=axes.get_xaxis_transform()
    )  # fmt: skip


def _scale(axes: Axes, which: str, axis: Axis, values: Sequence[FloatArray], margin: float) -> None:
    """From where to where an axis goes, by its limits or where the data end, and the numbers at it."""
    least, most = ends(axis, values, margin)
    unit = unit_of(axis.label)
    printed: PrintedAxis = axes.xaxis if which == "x" else axes.yaxis
    if axis.log:
        decades = np.log10(most / least)
        (axes.set_xscale if which == "x" else axes.set_yscale)("log")
        if decades < _FEW_DECADES:
            printed.set_major_locator(MaxNLocator(_TICKS))
        else:
            printed.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if decades < 3.0 else (1.0,)))
        printed.set_minor_formatter(NullFormatter())
    else:
        printed.set_major_locator(MaxNLocator(_TICKS, steps=[1, 2, 2.5, 5, 10]))
    printed.set_major_formatter(FuncFormatter(lambda value, _: written(value, unit, digits=4)))
    (axes.set_xlim if which == "x" else axes.set_ylim)(least, most)


def ends(axis: Axis, values: Sequence[FloatArray], margin: float) -> tuple[float, float]:
    """Where an axis begins and ends: its own limits, or where the data do."""
    known = np.concatenate([np.ravel(each) for each in values]) if values else np.array([])
    known = known[np.isfinite(known) & ((known > 0.0) if axis.log else True)]
    from_, until = axis.limits or (None, None)
    least, most = (float(known.min()), float(known.max())) if known.size else (0.1, 1.0)
    if axis.log:
        factor = (most / least) ** margin
        least, most = least / factor, most * factor
    else:
        room = margin * (most - least)
        least, most = least - room, most + room
    least, most = least if from_ is None else from_, most if until is None else until
    if not least < most:
        most = 2.0 * least if least > 0.0 else least + 1.0
    return least, most


def _name(axes: Axes, chart: Chart, size: PrintSize) -> None:
    """Names at the ends of lines where they have room, else a legend."""
    if len(chart.series) < 2:
        return
    places = _places_of_names(axes, chart, size)
    if places is None:
        columns = 2 if size.width_inches < 4.5 else 4
        axes.figure.legend(loc="outside lower center", ncols=columns)
        return
    for each, place in zip(chart.series, places, strict=True):
        axes.annotate(
            spelt(each.name), (1.0, place), (4.0, 0.0), xycoords="axes fraction", textcoords="offset points",
            color=each.look.colour, va="center", annotation_clip=False,
        )  # fmt: skip


def _places_of_names(axes: Axes, chart: Chart, size: PrintSize) -> list[float] | None:
    """How high the name of each line stands, as a share of the axes; none where they have no room."""
    if len(chart.series) > _MOST_NAMED or any(each.points for each in chart.series):
        return None
    wanted = []
    for each in chart.series:
        known = np.flatnonzero(np.isfinite(each.y))
        # A line that ends early would have its name where it no longer is.
        if known.size == 0 or known[-1] < 0.97 * (each.y.size - 1):
            return None
        end = float(np.mean(each.y[known[-5:]]))
        wanted.append(
            float(axes.transAxes.inverted().transform(axes.transData.transform((chart.x[-1], end)))[1])
        )
    apart = _LINE_HEIGHT * size.font_points / (72.0 * 0.75 * _height_inches(size, 1))
    order = np.argsort(wanted, kind="stable")
    placed = np.array(wanted)[order]
    for at in range(1, len(placed)):
        placed[at] = max(placed[at], placed[at - 1] + apart)
    # What was pushed up from below may come back down by half.
    placed -= max(0.0, placed[-1] - 1.0)
    if np.abs(placed - np.array(wanted)[order]).max() > _MOVED_LINES * apart:
        return None
    found = np.empty(len(placed))
    found[order] = placed
    return [float(each) for each in found]


MILLISECONDS = 1000.0


class Difference(Protocol):
    """A difference in a comparison; see `aqmlab.comparison.CurveDifference`."""

    @property
    def names(self) -> tuple[str, str]:
        """What the two are called."""

    @property
    def time_s(self) -> FloatArray:
        """The grid of times."""

    @property
    def difference(self) -> FloatArray:
        """The mean difference at these times, as a share."""

    @property
    def band(self) -> Band | NotEnoughReplications:
        """Its simultaneous band."""

    @property
    def judgement(self) -> Judgement:
        """The verdict."""


@styled
def draw_difference(comparison: Difference, axes: Axes | None = None) -> Axes:
    """Difference of two distribution functions with its simultaneous band and the verdict's margins."""
    axes = axes or new_axes()
    time_ms = comparison.time_s * MILLISECONDS
    if isinstance(comparison.band, Band):
        band = comparison.band
        lower, upper = 100.0 * band.lower, 100.0 * band.upper
        axes.fill_between(time_ms, lower, upper, color=SEQUENCE[0], alpha=0.2, linewidth=0)
    axes.plot(time_ms, 100.0 * comparison.difference, color=SEQUENCE[0])
    for margin in (-2.0, -1.0, 1.0, 2.0):
        axes.axhline(margin, color=GREY, linewidth=0.6, linestyle=":" if abs(margin) > 1 else "--")
    a, b = comparison.names
    axes.set(xlabel="response time, ms", ylabel="difference, percentage points", xlim=(0, 2000))
    axes.set_title(f"{a} minus {b}: {comparison.judgement.verdict}")
    return axes
