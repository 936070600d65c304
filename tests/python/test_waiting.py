"""The wait in a queue: by hand, and as packets met it."""

from __future__ import annotations

import numpy as np
import pytest

import aqmlab
from aqmlab.show.play.measured import measurement
from aqmlab.show.tables.flent import flent_document
from aqmlab.statistics.quantities import quantity
from aqmlab.statistics.waiting import waiting_ms
from naive_quantities import mean_wait_by_packets_s

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
    # 256 packets of 84 or 1,538 bytes on the wire at 2 Mbit/s.
    ("packet_bytes", "full_ms"), [(40, 256 * 84 * 8 / 2e3), (1500, 256 * 1538 * 8 / 2e3)],
)  # fmt: skip
def test_the_wait_is_that_of_the_packets_that_came_then(packet_bytes: int, full_ms: float) -> None:
    result = aqmlab.run(FULL.replace("PACKET", str(packet_bytes)))
    [link] = [link for link in result.run["links"] if link["carries_data"]]
    instants, waits = waiting_ms(result, link["name"])
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


SHAPED = """
name = "a shaper far below its link"
duration_s = 12.0
warm_up_s = 4.0
[dumbbell]
rate_mbps = 20.0
queue = { scheme = "cake", rate_mbps = 4.0, overhead_bytes = 18, flows = 8 }
[[flows]]
name = "bulk"
count = 3
direction = "left-to-right"
base_rtt_ms = 20
profile = "linux6-cubic"
host = { ecn = "on" }
[record]
packets = true
"""
HALF_BUSY = """
name = "bursts on a link that is half busy"
duration_s = 12.0
warm_up_s = 2.0
[dumbbell]
rate_mbps = 10.0
queue = { scheme = "drop-tail", limit_packets = 500 }
[[datagrams]]
count = 60
packet_bytes = 200
rate_mbps = 0.08
direction = "left-to-right"
start_spread_s = 0
[record]
packets = true
"""


FLOODED = """
name = "flooded"
duration_s = 30.0
warm_up_s = 10.0
[dumbbell]
rate_mbps = 2.0
layer2_overhead_bytes = 0
layer2_minimum_frame_bytes = 0
layer2_gap_bytes = 0
queue = { scheme = "SCHEME", limit_packets = 200 }
[[datagrams]]
name = "flood"
count = 1
packet_bytes = 1000
rate_mbps = 6.0
direction = "left-to-right"
[[datagrams]]
name = "call"
count = 1
packet_bytes = 200
rate_mbps = 0.08
direction = "left-to-right"
[record]
packets = true
"""


@pytest.mark.parametrize("scheme", ["fq-codel", "fq", "choke", "cake", "codel", "pie"])
def test_packets_that_were_dropped_while_they_waited_are_not_in_the_mean_wait(scheme: str) -> None:
    result = aqmlab.run(FLOODED.replace("SCHEME", scheme))
    waited_ms = 1e3 * mean_wait_by_packets_s(result, "left-to-right")
    assert quantity("queue_mean_ms")(result, ["left-to-right"]) == pytest.approx(waited_ms, rel=0.02, abs=0.1)


@pytest.mark.parametrize(
    ("scenario", "rel"), [(SHAPED, 0.03), (HALF_BUSY, 0.01)], ids=["shaped", "half busy"]
)
def test_the_mean_wait_is_that_of_the_packets_also_where_the_link_is_often_idle(
    scenario: str, rel: float
) -> None:
    result = aqmlab.run(scenario)
    waited_ms = 1e3 * mean_wait_by_packets_s(result, "left-to-right")
    assert waited_ms > 1.0
    assert quantity("queue_mean_ms")(result, ["left-to-right"]) == pytest.approx(waited_ms, rel=rel)
    told = measurement(result, "left-to-right")["numbers"]["wait_ms"]
    assert told == pytest.approx(waited_ms, rel=rel)


def test_what_waits_at_a_shaper_leaves_at_its_rate() -> None:
    result = aqmlab.run(SHAPED)
    _, waits = waiting_ms(result, "left-to-right")
    samples = result.tables["queue"].to_pylist()
    own = [row for row in samples if row["link"] == "left-to-right"]
    sent_as = [8e-3 * (row["bytes"] + 18 * row["packets"]) / 4.0 for row in own]
    assert max(sent_as) > 5.0
    assert waits.tolist() == pytest.approx(sent_as)


# Beside each medium how long one transmission takes at most, in ms: what is on the link comes on top.
_PACKET_MS = 1538 * 8 / 10e3
MEDIA = {
    # A transmission is as long as others let it be; what is known of it is its mean.
    "wifi": ({"wifi": {"others_airtime_share": 0.5}}, 30.0),
    "aggregation": ({"aggregation": {"overhead_us": 5000.0, "most_packets": 1}}, 5.0 + _PACKET_MS),
    "slots": ({"slots": {"cycle_ms": 50.0, "slot_ms": 5.0}}, 45.0 + _PACKET_MS),
    "varying": (
        {"varying_rate": {"coefficient_of_variation": 1.0, "correlation_time_s": 2.0, "minimum_share": 0.05}},
        _PACKET_MS / 0.05,
    ),
}


@pytest.mark.parametrize(("medium", "on_the_link_ms"), MEDIA.values(), ids=MEDIA)
def test_what_waits_for_a_medium_leaves_as_the_medium_is_granted(
    medium: dict[str, object], on_the_link_ms: float
) -> None:
    """The tail of the queue at each sample has been sent when all that waits then has, as the run tells."""
    result = aqmlab.run(
        {
            "name": "medium",
            "duration_s": 8.0,
            "dumbbell": {
                "rate_mbps": 10.0,
                "queue": {"scheme": "drop-tail", "limit_packets": 100},
                "medium": medium,
            },
            "flows": [{"name": "bulk", "count": 2, "direction": "left-to-right", "profile": "linux6-cubic"}],
            "record": {"packets": True},
        }
    )
    instants, waits = waiting_ms(result, "left-to-right")
    came, left = came_and_left_s(result, "left-to-right")
    # Behind the last packet that was sent within the run others wait, whose departure nobody saw.
    seen = (waits > 1.0) & (instants <= came[-1]) & (instants > came[0])
    tails = np.searchsorted(came, instants[seen], side="left") - 1
    on_the_link = 1e3 * (left[tails] - instants[seen]) - waits[seen]
    assert len(on_the_link) > 500
    assert on_the_link.min() >= -1e-6
    assert on_the_link.max() <= on_the_link_ms + 1e-6
    assert np.mean(waits[instants > 4.0]) > 20.0


def came_and_left_s(result: aqmlab.Result, link: str) -> tuple[np.ndarray, np.ndarray]:
    """When each packet that a queue of first come, first served has sent came to it, and when it left."""
    names = ("connection", "sender", "sequence", "acknowledgement", "payload_bytes", "flags")
    came, left = [], []
    for row in result.tables["packets"].to_pylist():
        packet = row["time_s"], tuple(row[name] for name in names)
        if row["link"] != link:
            continue
        if row["event"] == "arrival":
            came.append(packet)
        elif row["event"] == "departure":
            left.append(packet)
        elif row["event"] == "discard":
            assert came.pop()[1] == packet[1], "a full queue discards what comes"
    sent = came[: len(left)]
    assert [packet for _, packet in sent] == [packet for _, packet in left]
    return np.array([at for at, _ in sent]), np.array([at for at, _ in left])


def test_a_wait_on_a_link_that_varies_is_that_of_the_packets_that_came_then() -> None:
    """Ten packets a second for a second, then a thousand: at the mean rate each wait would be another."""
    trace = "".join(f"{each}\n" for each in [*range(100, 1001, 100), *range(1001, 2001)])
    result = aqmlab.run(
        f"""
name = "varying"
duration_s = 8.0
[dumbbell]
rate_mbps = {8e-6 * 1504 * 1010 / 2.0:.5f}
rate_trace_file = "slow.trace"
layer2_overhead_bytes = 4
layer2_minimum_frame_bytes = 0
layer2_gap_bytes = 0
queue = {{ scheme = "drop-tail", limit_packets = 50 }}
[[datagrams]]
count = 1
packet_bytes = 1500
rate_mbps = 0.5
direction = "left-to-right"
[record]
packets = true
[files]
"slow.trace" = \"\"\"
{trace}\"\"\"
"""
    )
    instants, waits = waiting_ms(result, "left-to-right")
    events = [row for row in result.tables["packets"].to_pylist() if row["link"] == "left-to-right"]
    came = [row["time_s"] for row in events if row["event"] == "arrival"]
    left = [row["time_s"] for row in events if row["event"] == "departure"]
    assert len(came) - len(left) < 60
    assert max(waits) > 500.0
    # The tail of the queue leaves when all that waits has: behind the packet in transmission, which may take
    # one opportunity more than the samples know of.
    checked = 0
    for instant, wait in zip(instants.tolist(), waits.tolist(), strict=True):
        behind = sum(1 for each in came if each < instant) - 1
        if wait and behind < len(left):
            assert -1e-6 <= 1e3 * (left[behind] - instant) - wait <= 100.0 + 1e-6, instant
            checked += 1
    assert checked > 100
