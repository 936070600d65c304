"""Numbers of a part of the traffic: of a population, whose servers send, or of a group of flows.

A part is called `populations.NAME` or `flows.NAME`. Its loss is that of the packets of those who send data,
control packets among them, over all monitored links on their way: what these discarded, per 100 that came to
the first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.statistics.quantity import OfRun
from aqmlab.statistics.recorded import (
    MissingDataError,
    Recorded,
    TooLittleDataError,
    has_name,
    measured_window_s,
    table,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def loss_percent_of(part: str) -> OfRun:
    """Loss of a part of the traffic, in per cent of its packets."""

    def percent(result: Recorded) -> float:
        kind, name = part.split(".", 1)
        rows = table(result, "traffic", setting="record.traffic")
        column, sender = ("population", "server") if kind == "populations" else ("flow_group", "browser")
        wanted = has_name(rows, column, name) & has_name(rows, "sender", sender)
        if not wanted.any():
            raise MissingDataError(f"the run has no {part}")
        sent, discarded = (rows[count].to_numpy()[wanted] for count in ("sent_packets", "discarded_packets"))
        offered = int((sent + discarded).max())
        if offered == 0:
            raise TooLittleDataError(f"no packet of {part} came to a monitored link")
        return 100.0 * int(discarded.sum()) / offered

    return OfRun(f"loss_percent/{part}", "%", f"loss of {part}, %", "loss %", 2, percent)


def goodput_kbps_of(part: str) -> OfRun:
    """Bytes that reached the receivers of a group of flows in the window, of all its flows, in kbit/s."""

    def kilobits_per_s(result: Recorded) -> float:
        name = part.partition(".")[2]
        groups = [group for group in result.run.get("flows", ()) if group["name"] == name]
        if not groups or part.startswith("populations."):
            raise MissingDataError(f"the run has no group of flows {part}")
        delivered = sum(int(count) for count in groups[0]["delivered_bytes"])
        return 8.0 * delivered / 1000.0 / measured_window_s(result)

    return OfRun(f"goodput_kbps/{part}", "kbit/s", f"goodput of {part}, kbit/s", "kbit/s", 0, kilobits_per_s)


OF_TRAFFIC: Mapping[str, Callable[[str], OfRun]] = {
    "loss_percent": loss_percent_of,
    "goodput_kbps": goodput_kbps_of,
}
