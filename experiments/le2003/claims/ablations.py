"""Section 6: the authors' three suspicions about ARED, each switched by itself and all together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.experiments.le2003.claims.cells import le2003
from aqmlab.reproduce.claims import curves
from aqmlab.reproduce.claims.curves import better

if TYPE_CHECKING:
    from aqmlab.reproduce.claims.outcome import Part
    from aqmlab.reproduce.study import Study

SWITCHES = (
    ("ared-24-bytes", "ared-24", "byte mode improves ARED without ECN"),
    ("ared-24-ecn-bytes", "ared-24-ecn", "byte mode improves ARED with ECN"),
    ("ared-24-ecn-gentle-marks", "ared-24-ecn", "marking in the gentle region improves ARED with ECN"),
    ("ared-24-instantaneous", "ared-24", "the instantaneous queue improves ARED without ECN"),
    ("ared-24-ecn-instantaneous", "ared-24-ecn", "the instantaneous queue improves ARED with ECN"),
)
TOGETHER = (
    ("ared-24-all", "pi-24", "with byte mode and instantaneous queue ARED is no worse than PI without ECN"),
    ("ared-24-ecn-all", "pi-24-ecn", "with all three ARED is no worse than PI with ECN"),
)
PACKET_MODE = (
    ("pi-24", "pi-24-packets", "packet mode harms PI without ECN"),
    ("pi-24-ecn", "pi-24-ecn-packets", "packet mode harms PI with ECN"),
)


@le2003("L22")
def why_ared_is_worse(study: Study, *, no_worse: float) -> list[Part]:
    """Each suspected rule matters, and together they explain the gap to PI."""
    parts = []
    for load in (90.0, 98.0):
        where = f" at {load:g} %"
        parts += [
            better(study, text + where, (changed, load), (plain, load)) for changed, plain, text in SWITCHES
        ]
        parts += [
            curves.no_worse(study, text + where, (changed, load), (goal, load), margin=no_worse)
            for changed, goal, text in TOGETHER
        ]
        parts += [
            better(study, text + where, (byte, load), (packet, load)) for byte, packet, text in PACKET_MODE
        ]
    return parts
