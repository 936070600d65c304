"""What people notice, in one figure: how soon the usual page is there, and the slow one in twenty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.figures.style import BLACK, GREY, SEQUENCE, figure_of, new_rows, styled
from aqmlab.statistics import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from aqmlab.statistics import NotEnoughReplications

USUAL, SLOW = "half of the pages are there", "19 of 20 pages are there"


@dataclass(frozen=True)
class Waiting:
    """How long people wait under one alternative.

    Attributes:
        name: What it is called.
        usual: The median page load time in seconds, over replications.
        slow: The time within which 95 % of pages are loaded.
    """

    name: str
    usual: Interval | NotEnoughReplications
    slow: Interval | NotEnoughReplications


@styled
def draw_page_loads(waiting: Sequence[Waiting], axes: Axes | None = None) -> Axes:
    """Two marks for each alternative with their intervals and their values in words; shorter is better."""
    axes = axes or new_rows(len(waiting))
    for row, each in enumerate(waiting):
        for value, marker, colour in ((each.usual, "o", SEQUENCE[0]), (each.slow, "D", SEQUENCE[1])):
            _draw_mark(axes, row, value, marker, colour)
        if each.usual.mean is not None and each.slow.mean is not None:
            ends = (each.usual.mean, each.slow.mean)
            axes.plot(ends, (row, row), color=GREY, linewidth=0.8, zorder=1, alpha=0.7)
    _draw_unseen(axes, waiting)
    for marker, colour, label in (("o", SEQUENCE[0], USUAL), ("D", SEQUENCE[1], SLOW)):
        axes.plot([], [], marker=marker, color=colour, linestyle="none", label=label)
    axes.set(ylim=(len(waiting) - 0.4, -0.6), xlabel="seconds after the click", yticks=range(len(waiting)))
    axes.set_yticklabels([each.name for each in waiting], fontweight="bold")
    axes.set_xlim(left=0.0)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)
    axes.margins(x=0.08)
    figure_of(axes).legend(loc="outside upper left", ncols=2, handletextpad=0.2, columnspacing=1.0)
    return axes


def _draw_unseen(axes: Axes, waiting: Sequence[Waiting]) -> None:
    """An arrow at the edge for what takes longer than some run was watched."""
    edge = axes.get_xlim()[1]
    for row, each in enumerate(waiting):
        for value, colour in ((each.usual, SEQUENCE[0]), (each.slow, SEQUENCE[1])):
            if value.mean is None:
                axes.plot(edge, row, marker=">", color=colour, markersize=7, linestyle="none", clip_on=False)
                above = (edge, row), (0.0, 8.0)
                axes.annotate("too long to tell", *above, textcoords="offset points", ha="right", color=BLACK)


def _draw_mark(
    axes: Axes, row: int, value: Interval | NotEnoughReplications, marker: str, colour: str
) -> None:
    if value.mean is None:
        return
    axes.plot(value.mean, row, marker=marker, color=colour, markersize=7, linestyle="none", zorder=3)
    if isinstance(value, Interval):
        bounds = (max(0.0, value.lower), value.upper)
        axes.plot(bounds, (row, row), color=colour, linewidth=4, alpha=0.35, solid_capstyle="round", zorder=2)
    offset = (0.0, 8.0)
    axes.annotate(
        in_seconds(value.mean),
        (value.mean, row),
        offset,
        textcoords="offset points",
        ha="center",
        color=BLACK,
    )


def in_seconds(value: float) -> str:
    """A time as people say it, with two digits or three."""
    if not np.isfinite(value):
        return "longer than was watched"
    if value < 0.0995:
        return f"{1000.0 * value:.0f} ms"
    return f"{value:.2f} s" if value < 9.995 else f"{value:.1f} s" if value < 99.95 else f"{value:,.0f} s"
