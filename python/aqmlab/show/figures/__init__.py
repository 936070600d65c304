"""Figures for print and for pages: units on every axis, bands where runs allow them.

What is a set of lines is a `Chart`, rows of bars are `Bars`: data from which print, pages and tables are
made. All are functions of finished results; nothing is drawn that was not run. What needs matplotlib is
loaded when it is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from aqmlab.show.figures.bars import Bar, BarGroup, BarRow, Bars, bars_scene
from aqmlab.show.figures.chart import Axis, Chart, Series
from aqmlab.show.figures.drawn import Drawn

if TYPE_CHECKING:
    from aqmlab.show.figures.printed import draw_difference
    from aqmlab.show.figures.style import svg_text

__all__ = [
    "Axis",
    "Bar",
    "BarGroup",
    "BarRow",
    "Bars",
    "Chart",
    "Drawn",
    "Series",
    "bars_scene",
    "draw_difference",
    "svg_text",
]

_WITH_MATPLOTLIB = {
    "draw_difference": "printed",
    "svg_text": "style",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 (functions of several types)
    if name not in _WITH_MATPLOTLIB:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WITH_MATPLOTLIB[name]}"), name)
