"""A scene as a figure of matplotlib, for PDF and PNG."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from aqmlab.show.figures.scene import Area, Stroke
from aqmlab.show.figures.scene_svg import arrow_head
from aqmlab.show.figures.style import styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from aqmlab.show.figures.scene import Scene, Words

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
