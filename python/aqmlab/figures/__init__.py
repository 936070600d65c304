"""Figures for print: vector and raster, units on every axis, bands where there are replications for them.

`draw` makes the figures that an experiment lists; `draw_difference` the picture of one comparison. All are
functions of finished results; nothing is drawn that was not run.
"""

from aqmlab.figures.curves import draw_ccdf, draw_cdf
from aqmlab.figures.difference import draw_difference
from aqmlab.figures.listed import Drawn, draw
from aqmlab.figures.load import draw_load
from aqmlab.figures.per_second import draw_per_second
from aqmlab.figures.queue import draw_queue
from aqmlab.figures.scatter import draw_scatter
from aqmlab.figures.style import save_png, svg_text

__all__ = [
    "Drawn",
    "draw",
    "draw_ccdf",
    "draw_cdf",
    "draw_difference",
    "draw_load",
    "draw_per_second",
    "draw_queue",
    "draw_scatter",
    "save_png",
    "svg_text",
]
