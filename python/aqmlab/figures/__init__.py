"""Figures for print and for pages: vector and raster, units on every axis, bands where runs allow them.

What is a set of lines is a `Chart` first, data from which print, interactive pages and tables are made. All
are functions of finished results; nothing is drawn that was not run.
"""

from aqmlab.figures.chart import Axis, Chart, Series
from aqmlab.figures.curves import ccdf_chart, cdf_chart
from aqmlab.figures.difference import draw_difference
from aqmlab.figures.drawing import draw_chart
from aqmlab.figures.drawn import Drawn
from aqmlab.figures.load import draw_load
from aqmlab.figures.page_loads import Waiting, draw_page_loads
from aqmlab.figures.per_second import draw_per_second
from aqmlab.figures.queue import draw_queue
from aqmlab.figures.scatter import draw_scatter
from aqmlab.figures.style import svg_text

__all__ = [
    "Axis",
    "Chart",
    "Drawn",
    "Series",
    "Waiting",
    "ccdf_chart",
    "cdf_chart",
    "draw_chart",
    "draw_difference",
    "draw_load",
    "draw_page_loads",
    "draw_per_second",
    "draw_queue",
    "draw_scatter",
    "svg_text",
]
