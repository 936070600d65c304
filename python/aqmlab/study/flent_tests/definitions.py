"""What each test runs: its streams and probes, named as Flent's data files name them.

Source: the tests of Flent 2.3 (`rrul`, `rrul_be`, `tcp_nup`, `tcp_ndown`, `rtt_fair`), their streams, marks
and series, and its defaults: streams begin 5 s after the probes, last 60 s and end 5 s before them, and every
probe and sample comes each 0.2 s. Where Flent departs into what a machine has (one stream for each processor,
hosts on four continents) a number stands here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DELAY_S, LENGTH_S, STEP_S = 5.0, 60.0, 0.2
"""What comes before and after the streams, how long they last, and from probe to probe."""
CODEPOINTS = {"BE": 0, "BK": 8, "CS5": 40, "EF": 46}
"""The marks of streams and probes: differentiated services codepoints (RFC 2474, RFC 3246)."""
DISTANCES = (1.0, 2.0, 4.0, 8.0)
"""Of the four hosts of `rtt_fair`, which are whatever hosts one has, in round trips of the line."""
_STREAMS = 4


@dataclass(frozen=True, slots=True)
class Stream:
    """A TCP connection that sends all the time.

    Attributes:
        series: Flent's name.
        way: `down` or `up`.
        dscp: Differentiated services codepoint, of the answers too.
        host: Which of the hosts it is to.
    """

    series: str
    way: str
    dscp: int = 0
    host: int = 0


@dataclass(frozen=True, slots=True)
class Probe:
    """Something small that goes up each 0.2 s and comes back at once.

    Attributes:
        series: Flent's name.
        dscp: Differentiated services codepoint, both ways.
        host: Which of the hosts it is to.
    """

    series: str
    dscp: int = 0
    host: int = 0


@dataclass(frozen=True, slots=True)
class FlentTest:
    """A test.

    Attributes:
        name: Flent's, as `flent NAME` runs it.
        title: What Flent calls it in words.
        streams: All streams.
        probes: All probes.
        distances: How far its hosts are, in round trips of the line.
    """

    name: str
    title: str
    streams: Sequence[Stream]
    probes: Sequence[Probe]
    distances: Sequence[float] = (1.0,)


def _both_ways(marks: Mapping[str, int], hosts: Sequence[int] = (0,) * _STREAMS) -> list[Stream]:
    """A stream for each label in either direction."""
    labels = list(zip(marks.items(), hosts, strict=True))
    return [
        Stream(f"TCP {way}load {label}", way, dscp, host)
        for way in ("up", "down")
        for (label, dscp), host in labels
    ]


def _one_way(way: str) -> list[Stream]:
    return [Stream(f"TCP {way}load::{number}", way) for number in range(1, _STREAMS + 1)]


_ICMP = Probe("Ping (ms) ICMP")
_BEST_EFFORT = {"BE": 0, "BE2": 0, "BE3": 0, "BE4": 0}
_TWO_CLASSES = {"BE1": 0, "BE2": 0, "BK1": CODEPOINTS["BK"], "BK2": CODEPOINTS["BK"]}

TESTS: Mapping[str, FlentTest] = {
    test.name: test
    for test in (
        FlentTest(
            "rrul",
            "Realtime Response Under Load",
            _both_ways(CODEPOINTS),
            [*(Probe(f"Ping (ms) UDP {mark}", CODEPOINTS[mark]) for mark in ("EF", "BK", "BE")), _ICMP],
        ),
        FlentTest(
            "rrul_be",
            "Realtime Response Under Load - exclusively Best Effort",
            _both_ways(_BEST_EFFORT),
            [*(Probe(f"Ping (ms) UDP BE{number}") for number in (1, 2, 3)), _ICMP],
        ),
        FlentTest("tcp_nup", "TCP upload - N streams w/ping", _one_way("up"), [_ICMP]),
        FlentTest("tcp_ndown", "TCP download - N streams w/ping", _one_way("down"), [_ICMP]),
        FlentTest(
            "rtt_fair",
            "RTT Fair Realtime Response Under Load",
            _both_ways(_TWO_CLASSES, hosts=(0, 1, 2, 3)),
            [Probe(f"Ping (ms) ICMP{host + 1}", host=host) for host in range(_STREAMS)],
            DISTANCES,
        ),
    )
}
"""Every test by its name."""
