"""The wait in a queue: by hand, and as packets met it."""

from __future__ import annotations

import numpy as np
import pytest

import aqmlab
from aqmlab.play.measured import measurement
from aqmlab.statistics.waiting import Framing, waiting_ms
from aqmlab.tables.flent import flent_document

ETHERNET = Framing(overhead_bytes=18, minimum_frame_bytes=64, gap_bytes=20)

FULL = """
name = "small packets on a full link"
duration_s = 4.0
warm_up_s = 2.0
[dumbbell]
rate_mbps = 2.0
queue = { scheme = "drop-tail", limit_packets = 256 }
[[datagrams]]
count = 1
packet_bytes = PACKET
rate_mbps = 1.99
direction = "left-to-right"
start_spread_s = 0
[record]
packets = true
"""


@pytest.mark.parametrize(
    ("packets", "ip_bytes", "wire_bytes"),
    [(0, 0, 0), (1, 40, 64 + 20), (256, 256 * 40, 256 * 84), (2, 3000, 2 * 1538), (1, 46, 84), (1, 47, 85)],
)
def test_what_waits_is_framed_as_ieee_802_3_does(packets: int, ip_bytes: int, wire_bytes: int) -> None:
    found = ETHERNET.wire_bytes(np.array([float(packets)]), np.array([float(ip_bytes)]))
    assert found.tolist() == [wire_bytes]


@pytest.mark.parametrize(
    # 256 packets of 84 or 1,538 bytes on the wire at 2 Mbit/s.
    ("packet_bytes", "full_ms"), [(40, 256 * 84 * 8 / 2e3), (1500, 256 * 1538 * 8 / 2e3)],
)  # fmt: skip
def test_the_wait_is_that_of_the_packets_that_came_then(packet_bytes: int, full_ms: float) -> None:
    result = aqmlab.run(FULL.replace("PACKET", str(packet_bytes)))
    [link] = [link for link in result.run["links"] if link["carries_data"]]
    instants, waits = waiting_ms(result, link)
    transmission_ms = full_ms / 256
    if packet_bytes == 40:
        assert waits.max() == pytest.approx(full_ms), "the queue fills"
        assert max(measurement(result, link["name"])["queue"]["delay_ms"]) == pytest.approx(full_ms, rel=1e-4)
        assert max(flent_document(result)["results"]["Ping (ms) ICMP"]) == pytest.approx(full_ms)
    events = result.tables["packets"].to_pandas()
    events = events[events["link"] == link["name"]]
    arrivals, departures = (events[events["event"] == what] for what in ("arrival", "departure"))
    both = arrivals.merge(departures, on="sequence", suffixes=("_in", "_out"))
    # The last packet that came before a sample and was not discarded is the tail of the queue: it has been
    # sent when all that waits has, behind the rest of the packet on the link. At the end some still wait.
    told = (instants > 0.1) & (instants < 4.0 - 1.1e-3 * full_ms)
    came, left = both["time_s_in"].to_numpy(), both["time_s_out"].to_numpy()
    tails = np.searchsorted(came, instants[told], side="left") - 1
    rest_ms = (left[tails] - instants[told]) * 1e3 - waits[told]
    waiting = waits[told] > 0
    assert waiting.sum() > 50
    assert rest_ms[waiting].min() >= -1e-6
    assert rest_ms[waiting].max() <= transmission_ms + 1e-6
