"""The network of the guidelines, and the parts of its traffic, as tables of a scenario.

RFC 7928, section 3: senders, a router with the queue under evaluation, a bottleneck link, a router and
receivers. The buffer is the product of bandwidth and delay, the same for every scheme (section 3.2).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Table: TypeAlias = dict[str, Any]

DATA, BACK = "left-to-right", "right-to-left"
"""The direction of the data, with the queue under evaluation, and the way back."""
RATE_MBPS = 10.0
ROUND_TRIP_MS = 100.0
PACKET_BYTES = 1_500
DURATION_S, WARM_UP_S = 45.0, 10.0
_LINK_DELAY_MS = 2.5
"""So short that the round trips of section 6 begin at 5 ms."""
_BDP_PACKETS = RATE_MBPS * 1e6 * ROUND_TRIP_MS / 1e3 / 8 / PACKET_BYTES
BUFFER_PACKETS = math.ceil(_BDP_PACKETS)
INTERFACE_MBPS = 1_000.0
WAY_BACK = {"scheme": "drop-tail", "limit_packets": 100}
LAYER2_BYTES = ("layer2_overhead_bytes", "layer2_minimum_frame_bytes", "layer2_gap_bytes")
"""Nothing is added to a packet, so that rates and buffers are those of its own bytes."""
_NEWRENO, _INITIAL_WINDOW = "linux6-reno", 3

PROBE, OPENER = "probe", "opener"
"""Who measures: datagrams that feel delay and jitter, and somebody who opens a connection every second."""
VOICE = "voice"
"""What groups of calls are called, or begin with."""
_PROBE_BYTES, _PROBE_INTERVAL_S = 64, 0.02
_OPENED_BYTES = 1_000

CONGESTION = {"mild": 0.036, "medium": 0.081, "heavy": 0.114}
"""Flows for each packet that link and buffer hold (section 8.2): about 0.1, 0.5 and 1 % of loss."""
_OPPORTUNITY_BITS = 1_504 * 8


def flows_of_congestion(level: str) -> int:
    """The number of flows of a level of congestion (section 8.2)."""
    return round(CONGESTION[level] * (_BDP_PACKETS + BUFFER_PACKETS))


def dumbbell(**changed: object) -> Table:
    """The table of the network."""
    return {
        "rate_mbps": RATE_MBPS,
        "delay_ms": _LINK_DELAY_MS,
        "interface_rate_mbps": INTERFACE_MBPS,
        **dict.fromkeys(LAYER2_BYTES, 0),
        "queue": {"scheme": "drop-tail", "limit_packets": BUFFER_PACKETS},
        "queue_right_to_left": dict(WAY_BACK),
        **changed,
    }


def parking_lot(*rates_mbps: float) -> Table:
    """A path over links with these rates and buffers in proportion, each with a queue table of its own."""
    queues = [
        {"scheme": "drop-tail", "limit_packets": round(BUFFER_PACKETS * rate_mbps / RATE_MBPS)}
        for rate_mbps in rates_mbps
    ]
    return {
        "hops": len(rates_mbps),
        "rate_mbps": RATE_MBPS,
        "delay_ms": _LINK_DELAY_MS / len(rates_mbps),
        "interface_rate_mbps": INTERFACE_MBPS,
        **dict.fromkeys(LAYER2_BYTES, 0),
        "queue": dict(WAY_BACK),
        "links": [
            {"hop": hop, "rate_mbps": rate_mbps, "queue": queue, "queue_right_to_left": dict(WAY_BACK)}
            for hop, (rate_mbps, queue) in enumerate(zip(rates_mbps, queues, strict=True))
        ],
    }


def tcp(name: str, count: int = 1, *, round_trip_ms: float = ROUND_TRIP_MS, **changed: Any) -> Table:  # noqa: ANN401
    """Bulk flows: NewReno with SACK and an initial window of three segments, unless changed."""
    host = {"initial_window_segments": _INITIAL_WINDOW, **changed.pop("host", {})}
    way = {} if "senders" in changed else {"direction": DATA}
    return {
        "name": name,
        "count": count,
        "base_rtt_ms": round_trip_ms - 2 * _LINK_DELAY_MS,
        "profile": _NEWRENO,
        "host": host,
        **way,
        **changed,
    }


def udp(name: str, rate_mbps: float, *, packet_bytes: int = 1_000, **changed: object) -> Table:
    """A stream at a constant rate."""
    way = {} if "senders" in changed else {"direction": DATA}
    return {
        "name": name,
        "count": 1,
        "rate_mbps": rate_mbps,
        "packet_bytes": packet_bytes,
        **way,
        **changed,
    }


def readers(name: str, count: int, *, delay_ms: float = ROUND_TRIP_MS - 2 * _LINK_DELAY_MS) -> Table:
    """People who load pages of 50 objects over six connections (section 7.2)."""
    model = {"model": "fixed-page", "objects_per_page": 50, "think_time_mean_seconds": 5.0}
    return _users(name, count, model, delay_ms)


def _opener() -> Table:
    every_second = {
        "model": "fixed-page",
        "objects_per_page": 1,
        "root_bytes": _OPENED_BYTES,
        "think_time_mean_seconds": 1.0,
        "think_time_law": "constant",
    }
    return _users(OPENER, 1, every_second, ROUND_TRIP_MS - 2 * _LINK_DELAY_MS)


def probe() -> Table:
    """Datagrams that feel the delay and jitter of whoever shares the link."""
    return udp(PROBE, _PROBE_BYTES * 8 / _PROBE_INTERVAL_S / 1e6, packet_bytes=_PROBE_BYTES)


def scenario(
    *traffic: Table,
    network: Table | None = None,
    measuring: Sequence[Table] | None = None,
    **changed: Any,  # noqa: ANN401
) -> Table:
    """A scenario with this traffic, and with who measures beside it."""
    made = network if network is not None else {"dumbbell": dumbbell()}
    everything = [*traffic, *((probe(), _opener()) if measuring is None else measuring)]
    flows = [each for each in everything if "base_rtt_ms" in each]
    people = [each for each in everything if "browsers" in each]
    record = {
        "traffic": True,
        "flows": True,
        **({"responses": "rows"} if people else {}),
        "packets": any(each["count"] > 1 and "bytes" not in each for each in flows),
        **changed.pop("record", {}),
    }
    return {
        "name": "rfc7928",
        "duration_s": DURATION_S,
        "warm_up_s": WARM_UP_S,
        **made,
        "flows": flows,
        "datagrams": [each for each in everything if "packet_bytes" in each],
        "populations": people,
        "record": record,
        **changed,
    }


def trace(rates_mbps: tuple[float, ...], each_ms: int) -> tuple[str, float]:
    """The instants at which a link sends whose rate changes every so often, and its mean rate in Mbit/s."""
    instants: list[int] = []
    sent = 0.0
    for millisecond, rate in enumerate(rate for rate in rates_mbps for _ in range(each_ms)):
        sent += rate * 1e3 / _OPPORTUNITY_BITS
        instants += [millisecond + 1] * (int(sent) - len(instants))
    whole_ms = len(rates_mbps) * each_ms
    if instants[-1] < whole_ms:  # the last instant ends the round
        instants.append(whole_ms)
    mean_mbps = len(instants) * _OPPORTUNITY_BITS / (whole_ms * 1e3)
    return "".join(f"{each}\n" for each in instants), mean_mbps


def _users(name: str, count: int, model: Table, delay_ms: float) -> Table:
    """People whose hosts have Linux's initial window of ten segments, as section 7.2 asks."""
    return {
        "name": name,
        "browsers": "browsers-right",
        "servers": "servers-left",
        "count": count,
        "model": model,
        "minimum_delay_ms": {"low": round(delay_ms), "high": round(delay_ms)},
        "profile": "linux6-cubic",
        "start": "fresh",
    }
