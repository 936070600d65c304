"""Figures for print and for pages: units on every axis, bands where runs allow them.

What is a set of lines is a `Chart`, rows of bars are `Bars`: data from which print, pages and tables are
made. All are functions of finished results; nothing is drawn that was not run. What needs matplotlib is
loaded when it is asked for.
"""

from typing import TYPE_CHECKING

from aqmlab._lazily import lazily
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

__getattr__ = lazily(
    __name__,
    {
        "aqmlab.show.figures.printed": "draw_difference",
        "aqmlab.show.figures.style": "svg_text",
    },
)
