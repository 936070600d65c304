"""A chart as data: lines over one axis, with bands, to be drawn for print, on a page, or written as numbers.

`printed` draws it with Matplotlib, the script of a page with uPlot, `chart_table` makes a table of it: all
three show the same numbers. `written` is a number at a tick, with the unit that people use.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from aqmlab.load.parametrized_scheme import spelt
from aqmlab.tables.model import Column, Table, in_csv

if TYPE_CHECKING:
    from collections.abc import Callable

    from aqmlab.show.figures.looks import Line
    from aqmlab.statistics.distribution import FloatArray


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis of a chart."""

    label: str  # what it shows, with the unit
    log: bool = False  # whether it is logarithmic
    # where it begins and ends; none: where the data do
    limits: tuple[float | None, float | None] | None = None


@dataclass(frozen=True)
class Series:
    """A line of a chart: a value at each place of its x, not a number where there is none."""

    name: str  # what it is of; the same name is the same alternative in all charts of a page
    look: Line  # its colour, pattern and marker
    y: FloatArray  # the values
    lower: FloatArray | None = None  # the lower edge of its band, if it has one
    upper: FloatArray | None = None  # the upper edge
    points: bool = False  # whether only single points are known, with no line between them
    # at each place how many did not arrive, which no value can show; drawn as marks above the lines
    lost: FloatArray | None = None


@dataclass(frozen=True)
class Chart:
    """Lines over one axis."""

    title: str  # what it shows, in a few words
    x_axis: Axis  # the horizontal axis
    y_axis: Axis  # the vertical axis
    x: FloatArray  # places on the horizontal axis, increasing; all lines share them
    series: tuple[Series, ...]  # the lines, in the order of drawing
    levels: tuple[float, ...] = ()  # heights at which a thin horizontal line helps the eye
    # whether print shows the lines one above another, because they would hide one another
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
    known = np.flatnonzero(np.isfinite(series.y))
    lost = "" if series.lost is None or not series.lost.any() else f"; {series.lost.sum():,.0f} lost"
    if known.size == 0:
        return f"{spelt(series.name)}: nothing{lost}."
    shown = dict.fromkeys((known[0], known[known.size // 2], known[-1]))
    return f"{spelt(series.name)}: {', '.join(f'{series.y[at]:.3g} at {x[at]:.3g}' for at in shown)}{lost}."


_TOLERANCE = 1e-9

Kind = Literal["time", "percent", "bytes", "number"]


@dataclass(frozen=True, slots=True)
class Unit:
    """How the numbers of an axis are written."""

    words: str  # what stands at the axis
    kind: Kind = "number"  # which words follow a number
    factor: float = 1.0  # what a value is multiplied by to be in seconds, per cent or bytes


_UNITS: dict[str, tuple[Kind, float]] = {
    "s": ("time", 1.0),
    "ms": ("time", 1e-3),
    "%": ("percent", 1.0),
    "bytes": ("bytes", 1.0),
    "kB": ("bytes", 1e3),
}


def unit_of(label: str) -> Unit:
    """How the numbers of an axis are written whose label ends with their unit, as in `response time, s`."""
    words, comma, unit = label.rpartition(", ")
    if comma and unit in _UNITS:
        return Unit(words, *_UNITS[unit])
    return Unit(label, "percent", 100.0) if label.startswith("share") else Unit(label)


def written(value: float, unit: Unit, *, digits: int = 3) -> str:
    """A number with its unit and a given number of digits: 18 ms, 1.2 s, 340 kB, 12.5 %."""
    value *= unit.factor
    if value == 0.0:
        return "0 %" if unit.kind == "percent" else "0"
    sign, size = ("−" if value < 0.0 else ""), abs(value)
    match unit.kind:
        case "time":
            return sign + (
                f"{_plain(size, digits)} s"
                if size >= 1.0 - _TOLERANCE
                else f"{_plain(1e3 * size, digits)} ms"
            )
        case "percent":
            return f"{sign}{_plain(size, digits)} %"
        case "bytes":
            return sign + _bytes(size, digits)
        case _:
            return sign + _plain(size, digits)


def _bytes(size: float, digits: int) -> str:
    for factor, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= factor * (1.0 - _TOLERANCE):
            return f"{_plain(size / factor, digits)} {name}"
    return f"{_plain(size, digits)} B"


def _plain(value: float, digits: int) -> str:
    """In significant digits without zeros at the end, whole numbers in full; from ten million on in M."""
    for factor, name in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if value >= max(factor, 1e7):
            return f"{_plain(value / factor, digits)} {name}"
    decimals = max(0, digits - 1 - math.floor(math.log10(value)))
    text = f"{value:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def chart_table(chart: Chart) -> Table:
    """A row for each place on the horizontal axis; of each line value, edges of its band, what was lost."""
    columns: list[Column[int]] = [in_csv(chart.x_axis.label, _at(chart.x))]
    for series in chart.series:
        columns.append(in_csv(series.name, _at(series.y)))
        for edge, values in (("lower", series.lower), ("upper", series.upper), ("lost", series.lost)):
            if values is not None:
                columns.append(in_csv(f"{series.name}.{edge}", _at(values)))
    return Table.of(range(chart.x.size), columns, title=chart.title)


def _at(values: FloatArray) -> Callable[[int], float | None]:
    return partial(_known, values)


def _known(values: FloatArray, place: int) -> float | None:
    value = float(values[place])
    return value if np.isfinite(value) else None
