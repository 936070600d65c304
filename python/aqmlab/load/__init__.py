"""How much traffic a scenario has, as one number that can be turned, and the load that it puts on links.

A *demand* is part of a scenario's traffic whose size is known to it: users or flows (`demand`). What a size
causes where nothing holds it back is its offered load (`offered`), a straight line for web users (`line`,
`calibration`); the size that offers exactly a given load with one seed is counted out (`matching`). None of
it knows a topology: routes say which links carry a demand's data, and the Rust core knows the routes.
"""

from typing import TYPE_CHECKING

from aqmlab._lazily import lazily

if TYPE_CHECKING:
    from aqmlab.load.calibration import Calibration, calibrate, fit
    from aqmlab.load.demand import Bottleneck, Demand, Link, Part
    from aqmlab.load.line import Line, LoadLine, Point, load_line

# Imported when first asked for: what writes a household knows the places of queues, and no statistics.
__getattr__ = lazily(
    __name__,
    {
        "aqmlab.load.calibration": "Calibration calibrate fit",
        "aqmlab.load.demand": "Bottleneck Demand Link Part",
        "aqmlab.load.line": "Line LoadLine Point load_line",
    },
)

__all__ = [
    "Bottleneck",
    "Calibration",
    "Demand",
    "Line",
    "Link",
    "LoadLine",
    "Part",
    "Point",
    "calibrate",
    "fit",
    "load_line",
]
