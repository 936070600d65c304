"""Section 7.6: senders, routers and receivers that break the rules, and an attacker.

Senders: UDP that answers nothing. Routers: one that marks every packet, and one that takes marks away, as a
receiver would that does not echo them. Receivers: one that acknowledges every 16th segment. The attacker is
after A. Kuzmanovic and E. W. Knightly, *Low-Rate TCP-Targeted Denial of Service Attacks* (SIGCOMM 2003):
bursts that keep the buffer full for longer than a round trip, a fifth of the link in the mean. Receivers that
acknowledge what has not arrived are not simulated.
"""

from __future__ import annotations

from typing import Any

from aqmlab.study.evaluation.controller_cases import (
    COOL_DOWN_S,
    CUBIC,
    GOODPUT_OF_CUBIC,
    GOODPUT_OF_SUBJECT,
    RATE_MBPS,
    ROUND_TRIP_MS,
    SHALLOW,
    flows,
    on_network,
    path,
    subject,
)
from aqmlab.study.evaluation.guideline import Case, Guideline
from aqmlab.study.evaluation.network import BACK, DATA, INTERFACE_MBPS, LAYER2_BYTES, WAY_BACK, Table, udp

_ECN = {"ecn": "on"}
_DURATION_S = 30.0 + COOL_DOWN_S
_FLOOD_MBPS = 0.75 * RATE_MBPS
_BURST_S, _PAUSE_S, _BURST_MBPS = 0.1, 0.9, 2 * RATE_MBPS
_EVERY = 16
_MARKING = {"scheme": "pie", "limit_packets": 1_000, "ecn": True}


def _own(name: str, *traffic: Table, **changed: Any) -> Case:  # noqa: ANN401
    """What is left to the controller itself."""
    document = path(*traffic, duration_s=_DURATION_S, **changed)
    return Case(name, document, headlines={GOODPUT_OF_SUBJECT: "Mbit/s"}, standard=CUBIC)


def _flood() -> Case:
    return _own("UDP", subject(), udp("flood", _FLOOD_MBPS))


def _bursts() -> Case:
    bursts = udp("bursts", _BURST_MBPS, on_s=_BURST_S, off_s=_PAUSE_S, periods="fixed")
    return _own("bursts", subject(), bursts)


def _rare_answers() -> Case:
    host = {"acknowledge_every_segments": _EVERY}
    return _own("rare answers", subject(host=host), buffer=SHALLOW)


def _all_marked() -> Case:
    return _own("all marked", subject(host=_ECN), link={"ecn_field": "ce-on-ect"})


def _marks_lost() -> Case:
    """A box behind the bottleneck takes the marks away; CUBIC has no ECN, so the queue drops its packets."""
    where: Table = {"senders": "senders", "receivers": "receivers"}
    document = on_network(
        subject(host=_ECN, **where), flows(CUBIC, CUBIC, **where),
        network={"topology": _box()}, measuring=(), duration_s=_DURATION_S,
    )  # fmt: skip
    return Case("marks lost", document, harmed={GOODPUT_OF_CUBIC: "harm, Mbit/s"}, standard=CUBIC)


def _box() -> Table:
    """The usual link with PIE, and behind it an interface that clears the ECN field."""
    near, far = "router-left", "router-right"
    one_way: Table = {"both_ways": False}
    between: Table = {
        **one_way, "rate_mbps": RATE_MBPS, "delay_ms": ROUND_TRIP_MS / 2, **dict.fromkeys(LAYER2_BYTES, 0)
    }  # fmt: skip
    return {
        "nodes": [
            {"name": "senders", "kind": "host", "count": 2},
            {"name": near, "kind": "router"},
            {"name": far, "kind": "router"},
            {"name": "receivers", "kind": "host", "count": 2},
        ],
        "links": [
            {"from": "senders", "to": near, "rate_mbps": INTERFACE_MBPS},
            {**between, "from": near, "to": far, "name": DATA, "queue": dict(_MARKING)},
            {**between, "from": far, "to": near, "name": BACK, "queue": dict(WAY_BACK)},
            {**one_way, "from": far, "to": "receivers", "ecn_field": "cleared"},
            {**one_way, "from": "receivers", "to": far, "rate_mbps": INTERFACE_MBPS},
        ],
    }


GUIDELINE = Guideline(
    "7.6", "misbehaving nodes",
    "One flow: beside UDP at three quarters of the link's rate; beside bursts of UDP at twice the rate for a "
    "tenth of every second; with a receiver that acknowledges every 16th segment; and with a router that "
    "marks every packet. A flow beside one of CUBIC in PIE where a router takes its marks away.",
    (_flood(), _bursts(), _rare_answers(), _all_marked(), _marks_lost()),
)  # fmt: skip
