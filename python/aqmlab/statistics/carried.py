"""What flows carried over a link, step by step, and single round trips: single series of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from aqmlab.files.columns import to_numpy
from aqmlab.statistics.recorded import has_name, table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from aqmlab.statistics.recorded import Recorded

    Floats = NDArray[np.float64]

_HEADER_BYTES = 52
"""Of a TCP segment with timestamps: 20 of IP, 20 of TCP, 12 of options."""


@dataclass(frozen=True, slots=True)
class Series:
    """Numbers over time.

    Attributes:
        at_s: Instants in seconds from the beginning of the run.
        values: What was measured then, or over the step that ends then.
    """

    at_s: Floats
    values: Floats

    def between(self, begin_s: float, end_s: float) -> Floats:
        """The values after one instant, up to another."""
        return self.values[(self.at_s > begin_s) & (self.at_s <= end_s)]


def data_mbps(result: Recorded, group: str, link: str, *, step_s: float, until_s: float) -> Series:
    """What the data of a group's flows came to on a link in each step, in Mbit/s, without headers.

    Args:
        result: A run with `record.traffic_interval_ms` of one step, and a window from its beginning.
        group: The group of flows.
        link: The link that their data crosses.
        step_s: The length of a step in seconds.
        until_s: The end of the last step.
    """
    rows = table(result, "traffic_series", setting="record.traffic_interval_ms")
    own = has_name(rows, "flow_group", group) & has_name(rows, "link", link)
    steps = np.rint(_column(rows, "from_s", own) / step_s).astype(int)
    data = _column(rows, "sent_bytes", own) - _HEADER_BYTES * _column(rows, "sent_packets", own)
    sent = np.zeros(round(until_s / step_s))
    np.add.at(sent, steps, data)
    ends = step_s * np.arange(1, len(sent) + 1, dtype=np.float64)
    return Series(ends, 8e-6 * np.maximum(sent, 0.0) / step_s)


def round_trips_ms(result: Recorded, group: str, *, behind_ms: float) -> Series:
    """The round trips of a group of datagrams with `echo`, at the instants at which each was sent, in ms.

    Args:
        result: A run with `record.datagrams`.
        group: The group that was sent back.
        behind_ms: What a round trip takes beyond the network, where nothing waits.
    """
    rows = table(result, "datagram_arrivals", setting="record.datagrams")
    own = has_name(rows, "group", f"{group}-echo")
    return Series(_column(rows, "sent_s", own), 1e3 * _column(rows, "delay_s", own) + behind_ms)


def _column(rows: Any, name: str, own: NDArray[np.bool_]) -> Floats:  # noqa: ANN401  (pyarrow has no types)
    return to_numpy(rows[name])[own].astype(np.float64)
