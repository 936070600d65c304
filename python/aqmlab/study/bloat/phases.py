"""What is done to a line: nothing, downloads, uploads, or both."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from aqmlab.presets.line import DIRECTIONS, DOWN, PROBE_BYTES, UP

if TYPE_CHECKING:
    from aqmlab.presets.line import Line
    from aqmlab.scenario import Scenario

WARM_UP_S, MEASURED_S = 4.0, 6.0
"""So long at the least flows have to fill the line, and are measured then."""
_ROUND_TRIPS = 20
"""So many round trips either lasts at the least: slow start takes about ten."""
_FLOWS = 4
_SAMPLED_MS = 100.0
"""From one sample of the flows' own round trips to the next."""
_HOSTS = "linux6-cubic"


class Phase(StrEnum):
    """What goes on beside the probes."""

    IDLE = "idle"
    DOWNLOAD = "download"
    UPLOAD = "upload"
    BOTH = "both"


FULL: dict[Phase, tuple[str, ...]] = {
    Phase.IDLE: (),
    Phase.DOWNLOAD: (DOWN,),
    Phase.UPLOAD: (UP,),
    Phase.BOTH: (DOWN, UP),
}
"""The directions that flows fill."""
LOADED = tuple(phase for phase, ways in FULL.items() if ways)
"""What is graded."""
FLOWS = {DOWN: "download", UP: "upload"}
"""What the flows of a direction are called."""


def line_under(line: Line, phase: Phase) -> Scenario:
    """The scenario of a phase: probes each way, beside four flows in each direction that is full."""
    flows = [
        {
            "name": FLOWS[direction],
            "count": _FLOWS,
            "direction": direction,
            "base_rtt_ms": line.behind_ms,
            "profile": _HOSTS,
        }
        for direction in FULL[phase]
    ]
    probes = [
        {
            "name": way,
            "count": 1,
            "direction": direction,
            "packet_bytes": PROBE_BYTES,
            "rate_mbps": PROBE_BYTES * 8 / line.probe_interval_s / 1e6,
        }
        for way, direction in DIRECTIONS.items()
    ]
    least_s = _ROUND_TRIPS * line.round_trip_ms / 1e3
    warm_up_s = max(WARM_UP_S, least_s)
    duration_s = warm_up_s + max(MEASURED_S, least_s)
    return line.carrying(
        f"line-{phase}",
        duration_s=duration_s,
        warm_up_s=warm_up_s,
        flows=flows,
        datagrams=probes,
        record={"congestion_window_interval_ms": _SAMPLED_MS} if flows else None,
    )
