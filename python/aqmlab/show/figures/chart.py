"""A chart as data: lines over one axis, with bands, to be drawn for print, on a page, or written as numbers.

`chart_print` draws it with Matplotlib, the script of a page with uPlot, `aqmlab.show.tables.charts` makes a
table of it: all three show the same numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.load.parametrized_scheme import spelt

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from aqmlab.show.figures.looks import Line

    FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of a chart.

    Attributes:
        label: What it shows, with the unit.
        log: Whether it is logarithmic.
        limits: Where it begins and ends; none: where the data do.
    """

    label: str
    log: bool = False
    limits: tuple[float | None, float | None] | None = None


@dataclass(frozen=True)
class Series:
    """A line of a chart: a value at each place of its x, not a number where there is none.

    Attributes:
        name: What it is of; the same name is the same alternative in all charts of a page.
        look: Its colour, pattern and marker.
        y: The values.
        lower: The lower edge of its band, if it has one.
        upper: The upper edge.
        points: Whether only single points are known, with no line between them.
        lost: At each place how many did not arrive, which no value can show; drawn as marks above the lines.
    """

    name: str
    look: Line
    y: FloatArray
    lower: FloatArray | None = None
    upper: FloatArray | None = None
    points: bool = False
    lost: FloatArray | None = None


@dataclass(frozen=True)
class Chart:
    """Lines over one axis.

    Attributes:
        title: What it shows, in a few words.
        x_axis: The horizontal axis.
        y_axis: The vertical axis.
        x: Places on the horizontal axis, increasing; all lines share them.
        series: The lines, in the order of drawing.
        levels: Heights at which a thin horizontal line helps the eye.
        apart: Whether print shows the lines one above another, because they would hide one another.
    """

    title: str
    x_axis: Axis
    y_axis: Axis
    x: FloatArray
    series: tuple[Series, ...]
    levels: tuple[float, ...] = ()
    apart: bool = False
    band: str = field(default="")
    """What the shaded bands are, for captions; empty without bands."""

    def __post_init__(self) -> None:
        for each in self.series:
            for values in (each.y, each.lower, each.upper, each.lost):
                if values is not None and values.shape != self.x.shape:
                    raise ValueError(f"{self.title}, {each.name}: {values.size} values, {self.x.size} places")

    @property
    def in_words(self) -> str:
        """A text for those who do not see the chart: what is drawn against what, and where each line runs."""
        what = f"{self.title}: {self.y_axis.label}, against {self.x_axis.label}."
        return " ".join((what, *(_run_of(self.x, each) for each in self.series)))


def _run_of(x: FloatArray, series: Series) -> str:
    """Where a line begins, is halfway, and ends."""
    known = np.flatnonzero(np.isfinite(series.y))
    lost = "" if series.lost is None or not series.lost.any() else f"; {series.lost.sum():,.0f} lost"
    if known.size == 0:
        return f"{spelt(series.name)}: nothing{lost}."
    shown = dict.fromkeys((known[0], known[known.size // 2], known[-1]))
    return f"{spelt(series.name)}: {', '.join(f'{series.y[at]:.3g} at {x[at]:.3g}' for at in shown)}{lost}."
