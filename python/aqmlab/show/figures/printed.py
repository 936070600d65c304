"""What Matplotlib draws and writes for print: charts, scenes, the difference of two distribution functions.

How lines look stands in `looks`. The same results give the same bytes.
"""

from __future__ import annotations

import functools
import io
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import matplotlib as mpl
import numpy as np
from matplotlib.backend_bases import get_registered_canvas_class
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from aqmlab.inference import Band
from aqmlab.load.parametrized_scheme import spelt
from aqmlab.show.figures.chart import unit_of, written
from aqmlab.show.figures.drawn import PrintSize, require_latex
from aqmlab.show.figures.looks import GREY, MARK, SEQUENCE
from aqmlab.show.figures.scene import Area, Stroke, arrow_head

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis as PrintedAxis

    from aqmlab.comparison.curve import CurveDifference
    from aqmlab.show.figures.chart import Axis, Chart, Series
    from aqmlab.show.figures.scene import Scene, Words
    from aqmlab.statistics.distribution import FloatArray


P = ParamSpec("P")
T = TypeVar("T")

WIDTH_INCHES, FONT_POINTS = PrintSize().width_inches, PrintSize().font_points
HEIGHT_INCHES = 3.6
RASTER_DOTS_PER_INCH = 200
RASTER_IN_VECTOR = 150
"""Of what thousands of points become inside a vector file, in dots per inch."""

PARAMETERS: dict[Any, Any] = {
    "font.size": FONT_POINTS,
    "axes.titlesize": 9.5,
    "figure.titlesize": 9.5,
    "figure.labelsize": FONT_POINTS,
    "axes.labelsize": FONT_POINTS,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
    "legend.fontsize": 8.0,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "svg.fonttype": "none",
    "svg.hashsalt": "aqmlab",
    "pdf.fonttype": 42,
    "figure.constrained_layout.use": True,
}


@contextmanager
def in_size(size: PrintSize) -> Iterator[None]:
    """Draws in this look with letters of one size, whatever the caller's settings of matplotlib are."""
    letters: tuple[Any, ...] = (
        *("font.size", "axes.titlesize", "figure.titlesize", "figure.labelsize"),
        *("axes.labelsize", "xtick.labelsize", "ytick.labelsize", "legend.fontsize"),
    )
    with mpl.rc_context({**PARAMETERS, **dict.fromkeys(letters, size.font_points)}):
        yield


def styled(draw: Callable[P, T]) -> Callable[P, T]:
    """Lets a drawing function draw in this look, whatever the caller's settings of matplotlib are."""

    @functools.wraps(draw)
    def in_style(*args: P.args, **kwargs: P.kwargs) -> T:
        with mpl.rc_context(PARAMETERS):
            return draw(*args, **kwargs)

    return in_style


@styled
def new_axes(*, height_inches: float = HEIGHT_INCHES) -> Axes:
    return _panels(1, 1, height_inches)[0]


@styled
def new_stack(rows: int) -> list[Axes]:
    return _panels(rows, 1, 0.6 + 1.05 * rows, sharex=True)


@styled
def new_row(columns: int) -> list[Axes]:
    return _panels(1, columns, HEIGHT_INCHES, sharey=True)


@styled
def new_grid(panels: int, columns: int) -> list[Axes]:
    """Axes in rows of so many columns, each with a scale of its own."""
    rows = -(-panels // columns)
    made = _panels(rows, columns, 0.5 + 1.7 * rows)
    for axes in made[panels:]:
        axes.remove()
    return made[:panels]


def _panels(
    rows: int, columns: int, height_inches: float, *, sharex: bool = False, sharey: bool = False
) -> list[Axes]:
    figure = Figure(figsize=(WIDTH_INCHES, height_inches))
    FigureCanvasAgg(figure)
    return list(figure.subplots(rows, columns, sharex=sharex, sharey=sharey, squeeze=False).flat)


def figure_of(axes: Axes) -> Figure:
    figure = axes.get_figure()
    if not isinstance(figure, Figure):
        raise TypeError("the axes belong to no figure of their own")
    return figure


@styled
def settle(figure: Figure) -> Figure:
    """Lays the figure out, once for all the forms it is written in; a `$` in a name is a `$`, no formula."""
    for text in _words(figure):
        text.set_parse_math(False)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure


@styled
def with_mark(figure: Figure, mark: str) -> Figure:
    """Writes a mark, if there is one, into the lower right corner of a figure that is laid out."""
    if mark:
        figure.text(0.995, 0.005, mark, ha="right", va="bottom", fontsize=7.0, color=MARK, parse_math=False)
    return figure


def _words(figure: Figure) -> Iterator[Text]:
    """What is written in the figure, but for the numbers at the axes."""
    yield from figure.texts
    for axes in figure.axes:
        yield from (axes.title, axes.xaxis.label, axes.yaxis.label, *axes.texts)
    for legend in (*figure.legends, *(axes.get_legend() for axes in figure.axes)):
        yield from legend.get_texts() if legend is not None else ()


_FOR_LATEX = str.maketrans(
    {**{each: f"\\{each}" for each in "&_#${}"}, "\\": r"\textbackslash{}", "~": r"\textasciitilde{}"}
)
"""What LaTeX would take for its own, of what names may hold; per cent signs Matplotlib sees to."""
_FORMS: dict[str, tuple[float | None, dict[str, str | None]]] = {
    ".svg": (RASTER_IN_VECTOR, {"Date": None, "Creator": "aqmlab"}),
    ".png": (RASTER_DOTS_PER_INCH, {"Software": "aqmlab"}),
    ".pdf": (None, {"Creator": "aqmlab", "Producer": "aqmlab", "CreationDate": None}),
    ".pgf": (None, {}),
}
"""Dots per inch and metadata of each; none has a date, so that equal figures are equal."""


@styled
def as_file(figure: Figure, form: str) -> bytes:
    r"""The figure in a form; SVG can stand inside HTML, .pgf is for `\input` and needs LaTeX here, too."""
    if form != ".pgf":
        return _printed(figure, form)
    for words in figure.findobj(Text):
        if isinstance(words, Text):
            words.set_text(words.get_text().translate(_FOR_LATEX))
    with mpl.rc_context({"pgf.texsystem": require_latex(), "pgf.rcfonts": False}):
        return _printed(figure, form)


def _printed(figure: Figure, form: str) -> bytes:
    """`Figure.savefig` would draw it once more, unseen, to lay out what is laid out."""
    canvas, usual = figure.canvas, figure.dpi
    dots, metadata = _FORMS[form]
    kind, picture = form.removeprefix("."), io.BytesIO()
    figure.set_dpi(dots or usual)
    try:
        printing = get_registered_canvas_class(kind)(figure)
        told = {"metadata": metadata} if metadata else {}
        getattr(printing, f"print_{kind}")(picture, **told)
    finally:
        figure.set_dpi(usual)
        figure.set_canvas(canvas)
    content = picture.getvalue()
    return content[content.index(b"<svg") :] if form == ".svg" else content


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


@styled
def draw_difference(comparison: CurveDifference, axes: Axes | None = None) -> Axes:
    """Difference of two distribution functions with its simultaneous band and the verdict's margins."""
    axes = axes or new_axes()
    time_ms = 1000.0 * comparison.time_s
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
