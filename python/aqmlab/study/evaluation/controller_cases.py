"""The parts of a controller's cases: a path, flows of the evaluated controller and of standards on it."""

from __future__ import annotations

import math
from typing import Any

from aqmlab.study.evaluation.guideline import Case
from aqmlab.study.evaluation.network import (
    DATA,
    DURATION_S,
    PACKET_BYTES,
    PROBE,
    Table,
    dumbbell,
    probe,
    scenario,
)

SUBJECT = "subject"
"""The evaluated controller in a scenario, and the flows that have it."""
CUBIC, RENO = "cubic", "reno"
"""Standards whose flows are on the Internet, by which a new controller's harm is judged."""
RATE_MBPS, ROUND_TRIP_MS = 20.0, 40.0
"""Of the link and of paths, unless a case has others."""
COOL_DOWN_S = 2.0
"""Not measured at the end, so that no datagram of the measured window is under way when the run ends."""
_HOSTS = "linux6-cubic"
"""The hosts of all flows, whatever their controller."""
SHALLOW, EQUAL, DEEP = 0.25, 1.0, 4.0
"""Buffers as multiples of what the path holds."""
GOODPUT_OF_SUBJECT, GOODPUT_OF_CUBIC = (f"goodput_mbps/flows.{name}" for name in (SUBJECT, CUBIC))
_PROBE_DELAY = f"delay_p95_ms/datagrams.{PROBE}"
_OF_ONE = {"queue_mean_ms": "delay ms", "goodput_mbps": "Mbit/s"}


def packets_of(rate_mbps: float, round_trip_ms: float, share: float) -> int:
    """A buffer in packets: a multiple of what the path holds, of four packets at least."""
    return max(4, math.ceil(share * rate_mbps * 1e3 * round_trip_ms / 8 / PACKET_BYTES))


def path(
    *traffic: Table,
    rate_mbps: float = RATE_MBPS,
    round_trip_ms: float = ROUND_TRIP_MS,
    buffer: float = EQUAL,
    link: Table | None = None,
    **changed: Any,  # noqa: ANN401
) -> Table:
    """A scenario: a link whose own delay is that of the path, and drop-tail unless `link` says otherwise."""
    queue = {"scheme": "drop-tail", "limit_packets": packets_of(rate_mbps, round_trip_ms, buffer)}
    network = dumbbell(
        **{"rate_mbps": rate_mbps, "delay_ms": round_trip_ms / 2, "queue": queue, **(link or {})}
    )
    return on_network(*traffic, network={"dumbbell": network}, **{"measuring": (probe(),), **changed})


def on_network(*traffic: Table, network: Table, **changed: Any) -> Table:  # noqa: ANN401
    """A scenario with this traffic on any network, and who measures it."""
    given: dict[str, Any] = {
        "name": "rfc9743",
        "duration_s": DURATION_S + COOL_DOWN_S,
        "cool_down_s": COOL_DOWN_S,
        "record": {"packets": False},
    }
    return scenario(*traffic, network=network, **{**given, **changed})


def flows(name: str, controller: str, count: int = 1, **changed: Any) -> Table:  # noqa: ANN401
    """Bulk flows of a controller, with the round trip of the link."""
    way = {} if "senders" in changed else {"direction": DATA}
    return {
        "name": name,
        "count": count,
        "base_rtt_ms": 0.0,
        "profile": _HOSTS,
        **way,
        **changed,
        "host": {"congestion": controller, **changed.get("host", {})},
    }


def subject(count: int = 1, **changed: Any) -> Table:  # noqa: ANN401
    """Flows of the evaluated controller."""
    return flows(SUBJECT, SUBJECT, count, **changed)


def alone(name: str, **changed: Any) -> Case:  # noqa: ANN401
    """A flow of the evaluated controller and nobody else."""
    return Case(name, path(subject(), **changed), headlines=_OF_ONE, standard=CUBIC)


def beside(name: str, other: str, *, delay: bool = False, host: Table | None = None, **changed: Any) -> Case:  # noqa: ANN401
    """A flow beside one of a standard controller, and the harm to that one and to others in the queue."""
    own = host or {}
    document = path(subject(host=own), flows(other, other, host=own), **changed)
    harmed = {f"goodput_mbps/flows.{other}": "harm, Mbit/s"}
    if delay:
        harmed[_PROBE_DELAY] = "harm, delay"
    return Case(name, document, harmed=harmed, standard=other)
