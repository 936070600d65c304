"""Goodput and fairness by class of traffic: groups of long-lived flows, and of sources of datagrams.

Goodput is what reached the receiver's application, or of datagrams the receiver, in the measured window.
Fairness within a class is the index of Jain, Chiu and Hawe, *A Quantitative Measure of Fairness and
Discrimination for Resource Allocation in Shared Computer Systems* (DEC-TR-301, 1984, equation 1): 1 where all
members got the same, 1/n where one of n got everything. Flows are compared by what each got per second while
it was there: of a transfer from its beginning to its end, within the window. One that had ended before the
window, or began behind it, was denied nothing and does not count.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.files.columns import to_numpy
from aqmlab.statistics.recorded import has_name, measured_window, measured_window_s

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike

    from aqmlab.statistics.distribution import FloatArray
    from aqmlab.statistics.recorded import Recorded


@dataclass(frozen=True, slots=True)
class TrafficClass:
    """Goodput and fairness of a class of traffic in the measured window.

    Attributes:
        name: The name of the group.
        unit: Its kind of members: `flows`, or `sources` (of datagrams).
        members: Number of members.
        goodput_mbps: Bytes that reached all receivers, in Mbit/s; for datagrams including IP headers.
        fairness: Jain's index over the members, from 1/members to 1; none if all got nothing.
    """

    name: str
    unit: str
    members: int
    goodput_mbps: float
    fairness: float | None


def traffic_classes(result: Recorded) -> list[TrafficClass]:
    """The classes of a run with distinguishable members: flows, then datagrams.

    Users, who ask for different things, are no class.
    """
    return [*_of_flows(result), *_of_datagrams(result)]


def jain_index(allocations: ArrayLike) -> float | None:
    """(Σx)² / (n Σx²) of non-negative allocations; none if all are zero or there are none."""
    got = np.asarray(allocations, dtype=np.float64)
    squares = float(np.square(got).sum())
    return float(got.sum()) ** 2 / (got.size * squares) if squares > 0.0 else None


def rates_while_present(result: Recorded, group: str) -> FloatArray:
    """Of each flow of a group that was there in the measured window, what it got per second of its presence.

    Returns:
        Bytes per second, flow by flow.
    """
    entry = next(each for each in result.run["flows"] if each["name"] == group)
    delivered = np.array(entry["delivered_bytes"], dtype=np.float64)
    present_s = np.full(delivered.size, measured_window_s(result))
    if "transfers" in result.tables:
        rows = result.tables["transfers"]
        own = has_name(rows, "flow_group", group)
        if own.any():
            flow, began, ended = (to_numpy(rows[name])[own] for name in ("flow", "started_s", "completed_s"))
            start, end = measured_window(result)
            until = np.fmin(ended, end)  # not a number: it never ended
            present_s = np.zeros(delivered.size)  # a transfer without a row began behind the end of the run
            present_s[flow] = np.maximum(until - np.maximum(began, start), 0.0)
    there = present_s > 0.0
    return np.asarray(delivered[there] / present_s[there])


def _of_flows(result: Recorded) -> Iterator[TrafficClass]:
    for group in result.run["flows"]:
        fairness = jain_index(rates_while_present(result, group["name"]))
        yield replace(_class(group["name"], "flows", group["delivered_bytes"], result), fairness=fairness)


def _of_datagrams(result: Recorded) -> Iterator[TrafficClass]:
    if "datagrams" not in result.tables:
        return
    table = result.tables["datagrams"].select(["group", "received_bytes"]).to_pylist()
    for name in dict.fromkeys(row["group"] for row in table):
        received = [row["received_bytes"] for row in table if row["group"] == name]
        yield _class(name, "sources", received, result)


def _class(name: str, unit: str, bytes_of_members: ArrayLike, result: Recorded) -> TrafficClass:
    got = np.asarray(bytes_of_members, dtype=np.float64)
    goodput_mbps = float(got.sum()) * 8.0 / measured_window_s(result) / 1e6
    return TrafficClass(name, unit, got.size, goodput_mbps, jain_index(got))
