"""How figures stand inside a page: as SVG that follows the page's colours, as data, and as files to save."""

from __future__ import annotations

import base64
import html
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from aqmlab.figures.style import SEQUENCE
from aqmlab.tables import to_csv
from aqmlab.tables.charts import chart_table

if TYPE_CHECKING:
    from aqmlab.figures import Chart, Drawn
    from aqmlab.figures.chart import Axis, FloatArray, Series

_DIGITS = 5
"""Significant digits of the numbers behind an interactive chart; files to save have all."""
_DASHES: dict[object, list[int]] = {"-": [], "--": [9, 5], "-.": [9, 4, 2, 4], ":": [2, 4]}
_OWN_DASH = 3
_BROAD_INCHES = 8.5
_LONG_NUMBER = re.compile(r"(?<=[ \"(,-])(\d+\.\d\d)\d+")
"""A coordinate, of which a hundredth of a point is enough on a page."""


class Download(NamedTuple):
    """A form of a figure that can be saved from the page."""

    form: str
    file_name: str
    address: str


def inline_svg(drawn: Drawn) -> str:
    """The figure as a part of a page: names of its own, and the page's colours for ink, ground and hues."""
    text = drawn.svg
    text = re.sub(r'\bid="([^"]+)"', rf'id="{drawn.file_name}-\1"', text)
    text = re.sub(r"url\(#([^)]+)\)", rf"url(#{drawn.file_name}-\1)", text)
    text = re.sub(r'href="#([^"]+)"', rf'href="#{drawn.file_name}-\1"', text)
    text = re.sub(r'<svg (.*?)width="[^"]+" height="[^"]+"', r"<svg \1", text, count=1, flags=re.DOTALL)
    for place, colour in enumerate(SEQUENCE[:-1]):
        text = re.sub(colour, f"var(--hue-{place})", text, flags=re.IGNORECASE)
    text = text.replace("#000000", "var(--ink)").replace("#ffffff", "var(--ground)")
    text = text.replace("#dddddd", "var(--line)").replace("#7f7f7f", "var(--soft)")
    text = _LONG_NUMBER.sub(r"\1", text)
    words = html.escape(drawn.words or drawn.title)
    inches = drawn.figure.get_figwidth()
    # What is far wider than a page is shown at its own width, and moved sideways.
    wide = f'class="broad" style="--inches: {inches:.1f}" ' if inches > _BROAD_INCHES else ""
    return text.replace("<svg ", f'<svg {wide}role="img" aria-label="{words}" ', 1)


def downloads(drawn: Drawn) -> list[Download]:
    """The figure in every form that it has, each as an address that holds all of it."""
    forms = {
        "SVG": ("image/svg+xml", drawn.svg.encode()),
        "PDF": ("application/pdf", drawn.pdf),
        "PNG": ("image/png", drawn.png),
    }
    if drawn.chart is not None:
        forms["CSV"] = ("text/csv", to_csv(chart_table(drawn.chart)).encode())
    return [
        Download(
            form,
            f"{drawn.file_name}.{form.lower()}",
            f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}",
        )
        for form, (kind, content) in forms.items()
    ]


def chart_data(chart: Chart) -> dict[str, Any]:
    """A chart as plain data, for the page's script."""
    return {
        "title": chart.title,
        "words": chart.in_words,
        "x": {**_axis(chart.x_axis), "values": _numbers(chart.x)},
        "y": _axis(chart.y_axis),
        "series": [_series(each) for each in chart.series],
        "levels": list(chart.levels),
    }


def _axis(axis: Axis) -> dict[str, Any]:
    return {"label": axis.label, "log": axis.log, "limits": list(axis.limits or (None, None))}


def _series(series: Series) -> dict[str, Any]:
    look = series.look
    # The last of the sequence is black, which is the page's ink, as is every colour that it does not have.
    hue = SEQUENCE.index(look.colour) if look.colour in SEQUENCE[:-1] else None
    return {
        "name": series.name,
        "hue": hue,
        "colour": look.colour,
        "dash": _dash(look.pattern),
        "marker": look.marker,
        "points": series.points,
        "y": _numbers(series.y),
        "lower": None if series.lower is None else _numbers(series.lower),
        "upper": None if series.upper is None else _numbers(series.upper),
    }


def _dash(pattern: str | tuple[int, tuple[int, ...]]) -> list[int]:
    return _DASHES[pattern] if isinstance(pattern, str) else [_OWN_DASH * part for part in pattern[1]]


def _numbers(values: FloatArray) -> list[float | None]:
    return [float(f"{value:.{_DIGITS}g}") if np.isfinite(value) else None for value in values]
