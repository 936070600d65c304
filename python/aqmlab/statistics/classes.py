"""Goodput and fairness by class of traffic: groups of long-lived flows, and of sources of datagrams.

Goodput is what reached the receiver's application, or of datagrams the receiver, in the measured window.
Fairness within a class is the index of Jain, Chiu and Hawe, *A Quantitative Measure of Fairness and
Discrimination for Resource Allocation in Shared Computer Systems* (DEC-TR-301, 1984, equation 1): 1 where all
members got the same, 1/n where one of n got everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.statistics.recorded import measured_window_s

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike

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

    Users are not a class: they ask for different things, so equal shares would not be fair.
    """
    return [*_of_flows(result), *_of_datagrams(result)]


def jain_index(allocations: ArrayLike) -> float | None:
    """(Σx)² / (n Σx²) of non-negative allocations; none if all are zero or there are none."""
    got = np.asarray(allocations, dtype=np.float64)
    squares = float(np.square(got).sum())
    return float(got.sum()) ** 2 / (got.size * squares) if squares > 0.0 else None


def _of_flows(result: Recorded) -> Iterator[TrafficClass]:
    for group in result.run["flows"]:
        yield _class(group["name"], "flows", group["delivered_bytes"], result)


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
