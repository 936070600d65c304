"""How much traffic a scenario has, as one number that can be turned, and the load that it puts on links.

A *demand* is part of a scenario's traffic whose size is known to it: users or flows (`demand`). What a size
causes where nothing holds it back is its offered load (`offered`), a straight line for web users (`line`,
`calibration`); the size that offers exactly a given load with one seed is counted out (`matching`). None of
it knows a topology: routes say which links carry a demand's data, and the Rust core knows the routes.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aqmlab.load.calibration import Calibration, calibrate, fit
    from aqmlab.load.demand import Bottleneck, Demand, Link, Part
    from aqmlab.load.line import Line, LoadLine, Point, load_line

# Imported when first asked for: what writes a household knows the places of queues, and no statistics.
_HOMES = {
    **dict.fromkeys(("Calibration", "calibrate", "fit"), "aqmlab.load.calibration"),
    **dict.fromkeys(("Bottleneck", "Demand", "Link", "Part"), "aqmlab.load.demand"),
    **dict.fromkeys(("Line", "LoadLine", "Point", "load_line"), "aqmlab.load.line"),
}

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


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(import_module(_HOMES[name]), name)
    return found
