"""The delays of single datagrams over time, and when those were sent that did not arrive.

A row of `datagram_arrivals` is a datagram that arrived. Of a source that sends at a rate all the time, one
packet each `8 packet_bytes / rate`, what is missing in the row of its instants did not arrive. Other sources
say only how many that were, and not when.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from aqmlab.errors import MissingDataError
from aqmlab.files.columns import to_numpy
from aqmlab.statistics.datagrams import datagram_groups, sources_of
from aqmlab.statistics.recorded import Recorded, has_name, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]

_MILLISECONDS = 1000.0


@dataclass(frozen=True)
class Delays:
    """What became of the datagrams that a group sent within a stretch of time.

    Attributes:
        sent_s: When those were sent that arrived, in seconds of the run.
        delay_ms: Their delays.
        lost_s: When the others were sent; none where that is not known.
    """

    sent_s: FloatArray
    delay_ms: FloatArray
    lost_s: FloatArray | None


def delays_of(result: Recorded, group: str, *, from_s: float, until_s: float) -> Delays:
    """The delays of a group's datagrams that were sent between two instants.

    Raises:
        MissingDataError: The run has no such group, or did not keep single datagrams.
    """
    if group not in datagram_groups(result):
        known = ", ".join(datagram_groups(result)) or "none"
        raise MissingDataError(f'the run has no group of datagrams "{group}"; legal: {known}')
    rows = table(result, "datagram_arrivals", setting="record.datagrams")
    own = has_name(rows, "group", group)
    sent_s, source = to_numpy(rows["sent_s"])[own], to_numpy(rows["source"])[own]
    within = (sent_s >= from_s) & (sent_s < until_s)
    delay_ms = _MILLISECONDS * to_numpy(rows["delay_s"])[own]
    spacing_s = _spacing_s(result, group)
    lost_s = None
    if spacing_s is not None:
        sources = range(int(sources_of(result, f"datagrams.{group}")("source").size))
        own_group = _group(result, group)
        first_s = max(from_s, float(own_group["start_s"]) + float(own_group["start_spread_s"]))
        last_s = min(until_s, float(own_group.get("stop_s") or until_s))
        missing = [_missing(sent_s[source == each], spacing_s, first_s, last_s) for each in sources]
        lost_s = np.sort(np.concatenate([np.zeros(0), *missing]))
    order = np.argsort(sent_s[within], kind="stable")
    return Delays(sent_s[within][order], delay_ms[within][order], lost_s)


def sent_packets(result: Recorded, group: str) -> float:
    """How many datagrams a group sent in the measured window."""
    return float(sources_of(result, f"datagrams.{group}")("sent_packets").sum())


def _group(result: Recorded, name: str) -> Mapping[str, Any]:
    groups = result.run["scenario"].get("datagrams", ())
    return next((each for each in groups if each["name"] == name), {})


def _spacing_s(result: Recorded, name: str) -> float | None:
    """The time from one packet of a source to the next, of those that send at a rate all the time."""
    group = _group(result, name)
    if group.get("rate_mbps") is None or group.get("on_s") is not None:
        return None
    return 8e-6 * float(group["packet_bytes"]) / float(group["rate_mbps"])


def _missing(arrived_s: FloatArray, spacing_s: float, from_s: float, until_s: float) -> FloatArray:
    """Of the instants at which a source sends, those of which nothing arrived."""
    phase_s = float(arrived_s[0]) if arrived_s.size else from_s
    first = np.ceil((from_s - phase_s) / spacing_s - 1e-6)
    last = np.ceil((until_s - phase_s) / spacing_s - 1e-6)
    places = np.arange(first, max(last, first))
    return np.asarray(phase_s + spacing_s * np.setdiff1d(places, np.rint((arrived_s - phase_s) / spacing_s)))
