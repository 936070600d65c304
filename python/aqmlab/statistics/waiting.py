"""How long a packet that arrives now would wait in a queue.

What waits is sent with the framing of its link: headers of layer 2, padding to the shortest frame, gaps. A
queue of forty-byte acknowledgements on Ethernet takes twice as long as its bytes alone.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from aqmlab import _core
from aqmlab.statistics.recorded import MissingDataError, Recorded, has_name, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Framing:
    """What a link adds to an IP packet.

    Attributes:
        overhead_bytes: Header and check sequence.
        minimum_frame_bytes: The shortest frame; shorter ones are padded.
        gap_bytes: Preamble and gap, which take time between frames.
    """

    overhead_bytes: int
    minimum_frame_bytes: int
    gap_bytes: int

    def wire_bytes(self, packets: FloatArray, ip_bytes: FloatArray) -> FloatArray:
        """Bytes with the same transmission time as a number of packets with a total of IP bytes.

        The packets of a queue are taken to have one size, their mean: exact where they do, or where none is
        shorter than the shortest frame. Otherwise short packets are padded by more than is counted here.
        """
        framed = ip_bytes + packets * self.overhead_bytes
        return np.maximum(framed, packets * self.minimum_frame_bytes) + packets * self.gap_bytes


def framing_of(result: Recorded, link: str) -> Framing:
    """The framing of a monitored link."""
    return Framing(*_core.framings(json.dumps(result.run["scenario"]))[link])


def waiting_ms(result: Recorded, link: Mapping[str, Any]) -> tuple[FloatArray, FloatArray]:
    """Sampling instants of a link's queue in seconds, and how long what waits then takes to be sent, in ms.

    This is the wait of a packet that is served behind all that wait; the rest of the packet on the link comes
    on top. A scheduler of several queues may serve it sooner.

    Args:
        result: A finished run.
        link: The summary of a monitored link in `run.json`.

    Raises:
        MissingDataError: The run has no table `queue`.
    """
    rows = table(result, "queue", setting="record.queue_interval_ms")
    rows = rows.filter(has_name(rows, "link", link["name"]))
    packets, ip_bytes = (rows[name].to_numpy().astype(np.float64) for name in ("packets", "bytes"))
    wire_bytes = framing_of(result, link["name"]).wire_bytes(packets, ip_bytes)
    return rows["time_s"].to_numpy(), wire_bytes * 8e-3 / float(link["rate_mbps"])


def waiting_s(link: Mapping[str, Any], packets: FloatArray) -> FloatArray:
    """Seconds that a link takes to send a number of packets, at the mean transmission time of those it sent.

    That time has every byte of framing in it: how long the link was transmitting, by the frames that it sent.

    Args:
        link: The summary of the link in a run's `run.json`.
        packets: Packets that wait.

    Raises:
        MissingDataError: Packets wait, and the run sent nothing over the link in the measured window.
    """
    if not np.any(packets):
        return np.zeros_like(packets)
    frame_bytes, sent_mbps = float(link["mean_frame_bytes"]), float(link["throughput_frame_mbps"])
    if not frame_bytes or not sent_mbps:
        raise MissingDataError(f"no packet left {link['name']} in the measured window")
    return packets * (float(link["busy_share"]) * frame_bytes * 8e-6 / sent_mbps)
