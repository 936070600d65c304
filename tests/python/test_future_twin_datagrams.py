"""A short run of calls and the same run watched longer: what the short one says holds in the long one.

What a run measures of datagrams ends with it. A longer cool-down changes nothing of what was sent in the
window, and shows what became of it. Every number of the short run is therefore a number of the long one if it
is exact, and holds it if it is a bound.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

import aqmlab
from aqmlab.statistics.datagrams import RESOLUTION, datagram_groups
from aqmlab.statistics.quantities import Measured, quantity

if TYPE_CHECKING:
    from aqmlab.statistics.observation import Observation

LONGER_S = 40.0
TEXT = """
name = "twin"
duration_s = 20.0
warm_up_s = 4.0
[dumbbell]
rate_mbps = RATE
delay_ms = 15.0
loss_probability = LOSS
queue = QUEUE
[[flows]]
name = "bulk"
count = 3
direction = "left-to-right"
profile = "linux6-cubic"
[[datagrams]]
name = "call"
count = 2
direction = "left-to-right"
packet_bytes = 200
rate_mbps = 0.08
echo = true
[[datagrams]]
name = "game"
count = 1
direction = "left-to-right"
packet_bytes = 100
rate_mbps = 0.03
on_s = 1.0
off_s = 2.0
[[datagrams]]
name = "meeting"
count = 1
direction = "left-to-right"
packet_bytes = 1200
adaptive_video = { maximum_mbps = 1.0 }
"""
CASES = {
    "idle": ("20.0", "0.0", '{ scheme = "fq-codel" }'),
    "a buffer of seconds": ("1.0", "0.0", '{ scheme = "drop-tail", limit_bytes = 1250000 }'),
    "dropped late": (
        "1.0",
        "0.0",
        '{ scheme = "codel", limit_packets = 600, target_ms = 400, interval_ms = 1000 }',
    ),
    "dropped early": ("2.0", "0.0", '{ scheme = "pie", limit_packets = 1000 }'),
    "lost": ("4.0", "0.3", '{ scheme = "drop-tail", limit_packets = 300 }'),
    "all lost": ("4.0", "1.0", '{ scheme = "drop-tail", limit_packets = 300 }'),
}
GROUPS = ("call", "call-echo", "game")
OF_GROUPS = (
    "delay_p50_ms", "delay_p95_ms", "delay_p99_ms", "loss_percent", "goodput_kbps", "voice_mos", "voice_r",
)  # fmt: skip
OF_PICTURES = ("call_frame_delay_p50_ms", "call_frame_delay_p95_ms")


def ran(case: str, longer_s: float = 0.0) -> aqmlab.Result:
    text = TEXT
    for key, value in zip(("RATE", "LOSS", "QUEUE"), CASES[case], strict=True):
        text = text.replace(key, value)
    text = text.replace("duration_s = 20.0", f"duration_s = {20.0 + longer_s}\ncool_down_s = {longer_s}")
    return aqmlab.run(text, seed=3)


def observed(result: aqmlab.Result, name: str) -> Observation:
    return quantity(name).observed(Measured(result))


def assert_holds(short: Observation, long: Observation, what: str) -> None:
    """The number of the long run lies between the ends of the short one, to the width of a bin."""
    assert short.is_known == long.is_known, what
    if short.is_known:
        slack = 2.0 * RESOLUTION
        assert long.lower >= short.lower - slack * abs(short.lower), f"{what}: {long} in {short}"
        assert (
            long.upper <= short.upper + slack * abs(short.upper) or long.upper == short.upper == math.inf
        ), what
        if short.is_exact:
            assert long.value == pytest.approx(short.value, rel=slack), what


@pytest.mark.parametrize("case", CASES)
def test_what_a_short_run_says_of_datagrams_holds_in_the_same_run_watched_longer(case: str) -> None:
    short, long = ran(case), ran(case, LONGER_S)
    assert set(datagram_groups(short)) == {*GROUPS, "meeting", "meeting-feedback"}
    for group in GROUPS:
        for name in OF_GROUPS:
            if name.startswith("voice") and group == "call-echo":
                continue
            what = f"{name}/datagrams.{group}"
            assert_holds(observed(short, what), observed(long, what), f"{case}: {what}")
    for name in OF_PICTURES:
        what = f"{name}/datagrams.meeting"
        assert_holds(observed(short, what), observed(long, what), f"{case}: {what}")
    rows = {(row["group"], row["source"]): row for row in short.tables["datagrams"].to_pylist()}
    later = {(row["group"], row["source"]): row for row in long.tables["datagrams"].to_pylist()}
    for source, row in rows.items():
        assert row["sent_packets"] == row["received_packets"] + row["lost_packets"] + row["under_way_packets"]
        assert row["arrived_bytes"] == later[source]["arrived_bytes"], "what arrived in the window is known"
        if "echo" not in source[0] and "feedback" not in source[0]:
            assert row["sent_packets"] == later[source]["sent_packets"]


def test_survivors_alone_would_tell_less_than_the_truth() -> None:
    """Packets wait 8 s at the end of the run: half of those that arrived took less than half of all."""
    short, long = ran("a buffer of seconds"), ran("a buffer of seconds", LONGER_S)
    [row, *_] = short.tables["datagrams"].to_pylist()
    truth_ms = observed(long, "delay_p50_ms/datagrams.call")
    assert truth_ms.is_exact
    assert 1000.0 * row["delay_p50_s"] < 0.9 * truth_ms.value
    found = observed(short, "delay_p50_ms/datagrams.call")
    assert not found.is_exact
    assert found.lower <= truth_ms.value <= found.upper
    assert observed(short, "under_way_percent/datagrams.call").value > 10.0


def test_a_probe_that_is_lost_on_either_way_is_lost_for_its_round_trip() -> None:
    result = ran("lost", LONGER_S)
    of = {(row["group"], row["source"]): row for row in result.tables["datagrams"].to_pylist()}
    for source in (0, 1):
        there, back = of["call", source], of["call-echo", source]
        assert back["sent_packets"] == there["sent_packets"]
        assert back["lost_packets"] >= there["lost_packets"]
        assert back["received_packets"] <= there["received_packets"]
    assert observed(result, "loss_percent/datagrams.call-echo").value > 25.0


def test_goodput_is_what_arrives_in_the_window() -> None:
    """1.9 Mbit/s offered to a link of 1.0, whose buffer holds all: its receiver gets what it carries."""
    text = (
        TEXT.partition("[[flows]]")[0]
        + """
[[datagrams]]
name = "udp"
count = 1
direction = "left-to-right"
packet_bytes = 1000
rate_mbps = 1.9
start_spread_s = 0.0
"""
    )
    queue = '{ scheme = "drop-tail", limit_packets = 100000 }\nlayer2_overhead_bytes = 0\n'
    queue += "layer2_minimum_frame_bytes = 0\nlayer2_gap_bytes = 0"
    text = text.replace("RATE", "1.0").replace("LOSS", "0.0").replace("QUEUE", queue)
    result = aqmlab.run(text, seed=1)
    assert result.value("goodput_mbps/datagrams.udp") == pytest.approx(1.0, rel=0.002)
    assert result.value("throughput_ip_mbps") == pytest.approx(1.0, rel=0.002)
