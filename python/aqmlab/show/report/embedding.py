"""How figures stand inside a page: as SVG that follows the page's colours, and as data."""

from __future__ import annotations

import html
import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from aqmlab.load.parametrized_scheme import spelt
from aqmlab.show.figures.looks import BLACK, SEQUENCE, SHAPES, darker, dash_lengths
from aqmlab.show.figures.scene import FAINT, GROUND, SOFT
from aqmlab.show.figures.ticks import unit_of

if TYPE_CHECKING:
    from aqmlab.show.figures import Chart, Drawn
    from aqmlab.show.figures.chart import Axis, FloatArray, Series

_DIGITS = 4
"""Significant digits of the numbers behind an interactive chart; files to save have all."""
PRINT_COLOURS = {
    **{f"--hue-{place}": colour for place, colour in enumerate(SEQUENCE[:-1])},
    **{f"--shade-{place}": darker(colour) for place, colour in enumerate(SEQUENCE[:-1])},
    "--ink": BLACK,
    "--ground": GROUND,
    "--line": FAINT,
    "--soft": SOFT,
}
"""The colours of print, by the names under which the page's style has its own."""
_NAMES = {colour.lower(): name for name, colour in PRINT_COLOURS.items()}
_LONG_NUMBER = re.compile(r"(?<=[ \"(,-])(\d+\.\d\d)\d+")
"""A coordinate, of which a hundredth of a point is enough on a page."""


def inline_svg(drawn: Drawn) -> str:
    """The figure as a part of a page: names of its own, and the page's colours for ink, ground and hues."""
    text = drawn.svg
    if drawn.scene is None:
        text = _own_names(text, drawn.file_name)
    text = re.sub(r'<svg (.*?)width="[^"]+" height="[^"]+"', r"<svg \1", text, count=1, flags=re.DOTALL)
    for name, colour in PRINT_COLOURS.items():
        text = re.sub(colour, f"var({name})", text, flags=re.IGNORECASE)
    words = html.escape(drawn.words or drawn.title)
    return text.replace("<svg ", f'<svg role="img" aria-label="{words}" ', 1)


def _own_names(text: str, name: str) -> str:
    """What matplotlib wrote, with names that stand once on a page, and shorter numbers."""
    text = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', text)
    text = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", text)
    text = re.sub(r'href="#([^"]+)"', rf'href="#{name}-\1"', text)
    return _LONG_NUMBER.sub(r"\1", text)


def looks_data() -> dict[str, Any]:
    """What the page's scripts know of how figures look."""
    return {"shapes": SHAPES, "print": PRINT_COLOURS}


def chart_data(chart: Chart, grids: dict[bytes, int]) -> dict[str, Any]:
    """A chart as plain data, for the page's script.

    Args:
        chart: The chart.
        grids: Of the page's charts so far the places on their horizontal axes, with the number of each: what
            charts share stands in the first one, and the others have its number.
    """
    is_new = chart.x.tobytes() not in grids
    number = grids.setdefault(chart.x.tobytes(), len(grids))
    return {
        "title": chart.title,
        "words": chart.in_words,
        "x": {**_axis(chart.x_axis), "grid": number, **({"values": _numbers(chart.x)} if is_new else {})},
        "y": _axis(chart.y_axis),
        "series": [_series(each) for each in chart.series],
        "levels": list(chart.levels),
        "apart": chart.apart,
    }


def _axis(axis: Axis) -> dict[str, Any]:
    limits = list(axis.limits or (None, None))
    return {"label": axis.label, "log": axis.log, "limits": limits, "unit": asdict(unit_of(axis.label))}


def _series(series: Series) -> dict[str, Any]:
    look = series.look
    return {
        "name": spelt(series.name),
        "named": _NAMES.get(look.colour.lower()),
        "colour": look.colour,
        "dash": dash_lengths(look.pattern),
        "marker": look.marker,
        "points": series.points,
        "y": _numbers(series.y),
        "lower": None if series.lower is None else _numbers(series.lower),
        "upper": None if series.upper is None else _numbers(series.upper),
        "lost": None if series.lost is None else _numbers(series.lost),
    }


def _numbers(values: FloatArray) -> list[float | None]:
    return [_number(value) if np.isfinite(value) else None for value in values.tolist()]


def _number(value: float) -> float:
    """A rounded number; whole ones without decimals."""
    rounded = float(f"{value:.{_DIGITS}g}")
    return int(rounded) if rounded.is_integer() else rounded
