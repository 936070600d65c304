"""The words of tc-cake(8).

Words, their order and the bytes of each framing were read in iproute2 7 (`tc/q_cake.c`); from memory of
Linux's `sch_cake.c` are that the Ethernet header counts until an overhead is given, and how the buffer
follows from the rate. Where manual page and program differ, the program counts: `interplanetary` is 1000 s
there, not 3600.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from aqmlab.traffic_control.units import LEAST_FRAME, NUMBER, OVERHEAD, RATE, SIZE, TIME, Unit
from aqmlab.traffic_control.words import Discipline, Word, not_modelled, refusal, same_here

ETHERNET_HEADER_BYTES = 14
DEVICE_BYTES = 1_514
"""The largest packet of an Ethernet device with its header, as Linux's queues take it."""
LEAST_RATE_MBPS = 0.001
_DEFAULT_PACKETS = 10_240
_LEAST_BUFFER_BYTES = 4 << 20

_RATE_OR_NONE = Unit(
    RATE.name,
    f"{RATE.legal}, or unlimited",
    lambda said: 0.0 if said == "unlimited" else RATE.read(said),
    RATE.meant,
    RATE.beside,
)


def _round_trip(us: float) -> Word:
    """A name for a round-trip time: the interval, with a twentieth of it as the target."""
    return Word(sets=_control(us))


def _control(us: float) -> dict[str, Any]:
    return {"interval_ms": us / 1e3, "target_ms": max(1, int(us / 20)) / 1e3}


def _isolation(name: str) -> Word:
    return Word(sets={"isolation": name})


def _framing(overhead: int, framing: str | None = None, minimum: int | None = None) -> Word:
    """A keyword that adds the bytes of a framing."""
    optional = {"framing": framing, "minimum_frame_bytes": minimum}
    return Word(
        adds={"overhead_bytes": overhead},
        sets={key: value for key, value in optional.items() if value is not None},
    )


def _tins(name: str) -> Word:
    return Word(sets={"tins": name})


def _ack_filter(name: str) -> Word:
    return Word(sets={"ack_filter": name})


_WORDS = {
    "bandwidth": Word(
        argument=_RATE_OR_NONE,
        key="rate_mbps",
        value=lambda bits: bits / 1e6,
        sets={"autorate_ingress": False},
        note="rate_mbps",
    ),
    "unlimited": Word(sets={"rate_mbps": 0.0, "autorate_ingress": False}, note="no rate_mbps"),
    "autorate-ingress": Word(sets={"autorate_ingress": True}),
    "rtt": Word(argument=TIME, makes=_control, note="interval_ms; target_ms is a twentieth of it"),
    "datacentre": _round_trip(100),
    "lan": _round_trip(1_000),
    "metro": _round_trip(10_000),
    "regional": _round_trip(30_000),
    "internet": _round_trip(100_000),
    "oceanic": _round_trip(300_000),
    "satellite": _round_trip(1_000_000),
    "interplanetary": _round_trip(1_000_000_000),
    "besteffort": _tins("besteffort"),
    "diffserv3": _tins("diffserv3"),
    "diffserv4": _tins("diffserv4"),
    "diffserv8": _tins("diffserv8"),
    "diffserv": _tins("diffserv4"),
    "precedence": _tins("precedence"),
    "flowblind": _isolation("none"),
    "srchost": _isolation("source"),
    "dsthost": _isolation("destination"),
    "hosts": _isolation("hosts"),
    "flows": _isolation("flows"),
    "dual-srchost": _isolation("dual_source"),
    "dual-dsthost": _isolation("dual_destination"),
    "triple-isolate": _isolation("triple"),
    "nat": Word(sets={"nat": True}, note="as here: devices behind address translation are told apart"),
    "nonat": Word(sets={"nat": False}, note="not modelled: devices are told apart as with nat"),
    "wash": Word(sets={"wash": True}),
    "nowash": Word(sets={"wash": False}),
    "split-gso": same_here("as here: packets wait one by one"),
    "no-split-gso": not_modelled("packets wait one by one, as with split-gso"),
    "ack-filter": _ack_filter("conservative"),
    "ack-filter-aggressive": _ack_filter("aggressive"),
    "no-ack-filter": _ack_filter("none"),
    "memlimit": Word(argument=SIZE, key="memory_limit_bytes"),
    "fwmark": not_modelled("firewall marks choose no tin, DSCP does", NUMBER),
    "ptm": Word(sets={"framing": "ptm"}),
    "atm": Word(sets={"framing": "atm"}),
    "noatm": Word(sets={"framing": "none"}),
    "overhead": Word(argument=OVERHEAD, key="overhead_bytes"),
    "mpu": Word(argument=LEAST_FRAME, key="minimum_frame_bytes"),
    "raw": Word(
        sets={"framing": "none", "overhead_bytes": 0, "raw": True},
        note=f"overhead_bytes = {ETHERNET_HEADER_BYTES}: the Ethernet header, which Linux counts",
    ),
    "conservative": Word(sets={"framing": "atm", "overhead_bytes": 48}),
    "ipoa-vcmux": _framing(8, "atm"),
    "ipoa-llcsnap": _framing(16, "atm"),
    "bridged-vcmux": _framing(24, "atm"),
    "bridged-llcsnap": _framing(32, "atm"),
    "pppoa-vcmux": _framing(10, "atm"),
    "pppoa-llc": _framing(14, "atm"),
    "pppoe-vcmux": _framing(32, "atm"),
    "pppoe-llcsnap": _framing(40, "atm"),
    "pppoe-ptm": _framing(30, "ptm"),
    "bridged-ptm": _framing(22, "ptm"),
    "docsis": _framing(18, "none", 64),
    "ethernet": _framing(38, minimum=84),
    "ether-vlan": _framing(4),
    "via-ethernet": same_here("changes nothing, in tc neither"),
    "ingress": Word(sets={"ingress": True}),
    "egress": Word(sets={"ingress": False}),
    # What older programs print.
    "no-sce": same_here(),
    "total_overhead": same_here("passed over: tc repeats overhead there", OVERHEAD),
    "hard_header_len": same_here("passed over: the device's header, which tc prints", OVERHEAD),
}


def _complete(found: dict[str, Any]) -> list[str]:
    """Rate, buffer, framing and isolation, which follow from several words each."""
    rate_mbps = found.pop("rate_mbps", 0.0)
    if 0.0 < rate_mbps < LEAST_RATE_MBPS:
        raise refusal(
            "cake",
            f"bandwidth: {rate_mbps * 1e6:g} bit/s (a bare number counts bits per second)",
            "1kbit or more, such as 18Mbit",
        )
    follows = found.pop("autorate_ingress", False)
    if follows and not rate_mbps:
        raise refusal("cake", "autorate-ingress: no rate to begin with", "bandwidth RATE")
    if follows:
        found["autorate_ingress"] = True
    if not found.get("memory_limit_bytes"):
        found["memory_limit_bytes"] = _buffer_bytes(rate_mbps, found["interval_ms"])
    counts_header = found.pop("raw", False) or "overhead_bytes" not in found
    if rate_mbps:
        found["rate_mbps"] = rate_mbps
        found["overhead_bytes"] = found.get("overhead_bytes", 0) + ETHERNET_HEADER_BYTES * counts_header
    return _of_hosts(found["isolation"], found.pop("nat", None))


def _buffer_bytes(rate_mbps: float, interval_ms: float) -> int:
    """Four intervals at the rate, from 4 MiB up to as many bytes as the device's largest packets have."""
    most = _DEFAULT_PACKETS * DEVICE_BYTES
    wanted = int(4 * rate_mbps * 1e3 / 8 * interval_ms)
    return min(most, max(_LEAST_BUFFER_BYTES, wanted)) if rate_mbps else most


def _of_hosts(isolation: str, nat: bool | None) -> list[str]:
    """That devices are told apart, where Linux would see one of them."""
    if nat or isolation in {"flows", "none"}:
        return []
    said = "nonat" if nat is False else "nonat, which is the default,"
    told = "devices are told apart as with nat; behind address translation Linux takes them for one"
    return [f"{said} is not modelled: {told}"]


CAKE = Discipline(
    scheme="cake",
    words=_WORDS,
    always={
        "isolation": "triple",
        "tins": "diffserv3",
        "interval_ms": 100.0,
        "target_ms": 5.0,
        "mtu_bytes": DEVICE_BYTES,
        "limit_packets": _DEFAULT_PACKETS,
    },
    complete=_complete,
)

_HARDWARE_QUEUES = 4
CAKE_MQ = replace(
    CAKE,
    words={name: word for name, word in _WORDS.items() if name != "autorate-ingress"},
    always={**CAKE.always, "hardware_queues": _HARDWARE_QUEUES},
    remark=f"as many CAKEs as the device has hardware queues share the rate; here {_HARDWARE_QUEUES} "
    "(hardware_queues)",
)
"""Words and sharing as Linux 7.0 has them, which refuses autorate-ingress there."""
