"""The style of figures drawn with matplotlib, and how they are written. The same results give the same bytes.

How lines look stands in `looks`; a figure that is a `Chart` is drawn by `printed`.
"""

from __future__ import annotations

import functools
import io
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import matplotlib as mpl
from matplotlib.backend_bases import get_registered_canvas_class
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from aqmlab.show.figures.drawn import PrintSize, require_latex
from aqmlab.show.figures.looks import MARK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from matplotlib.axes import Axes

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
    """Axes of a figure of the usual size."""
    figure = Figure(figsize=(WIDTH_INCHES, height_inches))
    FigureCanvasAgg(figure)
    return figure.add_subplot()


@styled
def new_stack(rows: int) -> list[Axes]:
    """Axes one above another, sharing their time."""
    figure = Figure(figsize=(WIDTH_INCHES, 0.6 + 1.05 * rows))
    FigureCanvasAgg(figure)
    return list(figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0])


@styled
def new_row(columns: int) -> list[Axes]:
    """Axes side by side, sharing their vertical axis."""
    figure = Figure(figsize=(WIDTH_INCHES, HEIGHT_INCHES))
    FigureCanvasAgg(figure)
    return list(figure.subplots(1, columns, sharey=True, squeeze=False)[0, :])


@styled
def new_grid(panels: int, columns: int) -> list[Axes]:
    """Axes in rows of so many columns, each with a scale of its own."""
    rows = -(-panels // columns)
    figure = Figure(figsize=(WIDTH_INCHES, 0.5 + 1.7 * rows))
    FigureCanvasAgg(figure)
    made = list(figure.subplots(rows, columns, squeeze=False).flat)
    for axes in made[panels:]:
        axes.remove()
    return made[:panels]


def figure_of(axes: Axes) -> Figure:
    """The figure that holds some axes."""
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


@styled
def svg_text(figure: Figure) -> str:
    """The figure as SVG, ready to stand inside HTML; without the date, so that equal figures are equal."""
    dateless = {"Date": None, "Creator": "aqmlab"}
    document = _printed(figure, "svg", dots_per_inch=RASTER_IN_VECTOR, metadata=dateless).decode()
    return document[document.index("<svg") :]


@styled
def as_png(figure: Figure) -> bytes:
    """The figure as PNG."""
    return _printed(figure, "png", dots_per_inch=RASTER_DOTS_PER_INCH, metadata={"Software": "aqmlab"})


@styled
def as_pdf(figure: Figure) -> bytes:
    """The figure as PDF, without the date."""
    dateless = {"Creator": "aqmlab", "Producer": "aqmlab", "CreationDate": None}
    return _printed(figure, "pdf", dots_per_inch=figure.dpi, metadata=dateless)


_FOR_LATEX = str.maketrans(
    {**{each: f"\\{each}" for each in "&_#${}"}, "\\": r"\textbackslash{}", "~": r"\textasciitilde{}"}
)
"""What LaTeX would take for its own, of what names may hold; per cent signs Matplotlib sees to."""


@styled
def as_pgf(figure: Figure) -> bytes:
    r"""The figure for `\input` in LaTeX, whose fonts its texts have; needs LaTeX here, too."""
    for words in figure.findobj(Text):
        if isinstance(words, Text):
            words.set_text(words.get_text().translate(_FOR_LATEX))
    with mpl.rc_context({"pgf.texsystem": require_latex(), "pgf.rcfonts": False}):
        return _printed(figure, "pgf", dots_per_inch=figure.dpi, metadata={})


def _printed(figure: Figure, form: str, *, dots_per_inch: float, metadata: dict[str, str | None]) -> bytes:
    """The figure in a form; `Figure.savefig` would draw it once more, unseen, to lay out what is laid out."""
    canvas, dots = figure.canvas, figure.dpi
    picture = io.BytesIO()
    figure.set_dpi(dots_per_inch)
    try:
        printing = get_registered_canvas_class(form)(figure)
        told = {"metadata": metadata} if metadata else {}
        getattr(printing, f"print_{form}")(picture, **told)
    finally:
        figure.set_dpi(dots)
        figure.set_canvas(canvas)
    return picture.getvalue()
