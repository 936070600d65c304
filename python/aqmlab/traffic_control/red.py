"""The words of tc-red(8) and tc-choke(8), and the weight that `tc` makes of `burst`.

Read in iproute2 7 (`tc/q_red.c`, `q_choke.c`, `tc_red.c`). That Linux measures RED in bytes and CHOKe in
packets, is not gentle, and marks beyond `max` unless told `harddrop`, is as
`crates/live/src/kernel_queue/words.rs` has it.
"""

from __future__ import annotations

from typing import Any

from aqmlab.traffic_control.units import PACKETS, PERCENT, PROBABILITY, RATE, SIZE, TEXT, Unit
from aqmlab.traffic_control.words import Discipline, Word, not_modelled, refusal, same_here

_RATE_OR_SHARE = Unit(
    RATE.name,
    RATE.legal,
    lambda said: PERCENT.read(said) if said.endswith("%") else RATE.read(said),
    RATE.meant,
)
_MEAN_PACKET_BYTES = 1_000
_KERNEL = {
    "gentle": False,
    "spacing": "classic",
    "idle": "paper",
    "scale_probability": "none",
    "ecn": False,
    "ecn_rule": "mark_always",
    "max_p": 0.02,
}
_ADAPTIVE = "max_p stays at probability; ared adapts it, by its authors' rule"


def weight(least_packets: float, burst: int) -> float | None:
    """The weight of `tc`: the first power of two w with burst + 1 - least <= (1 - (1 - w)^burst) / w.

    None: the burst is too short for the lower threshold.
    """
    wanted = burst + 1 - least_packets
    powers = (2.0**-power for power in range(1, 32))
    return None if wanted < 1.0 else next((w for w in powers if wanted <= (1 - (1 - w) ** burst) / w), None)


def _complete_red(found: dict[str, Any]) -> list[str]:
    """Thresholds in packets of mean size, and the weight."""
    mean, least, most = found["mean_packet_bytes"], found.pop("min", 0), found.pop("max", 0)
    most = most or (3 * least if least else found["limit_bytes"] // 4)
    least = least or most // 3
    if not mean:
        raise refusal("red", "avpkt: 0", "a size such as 1000")
    burst = found.pop("burst", 0) or (2 * least + most) // (3 * mean)
    return _thresholds("red", found, least / mean, most / mean, burst)


def _complete_choke(found: dict[str, Any]) -> list[str]:
    """Thresholds, which `tc` has in packets, and the weight."""
    least, most = found.pop("min", 0), found.pop("max", 0)
    most = most or found["limit_packets"] // 4
    least = least or most // 3
    return _thresholds("choke", found, least, most, found.pop("burst", 0) or (2 * least + most) // 3)


def _thresholds(discipline: str, found: dict[str, Any], least: float, most: float, burst: int) -> list[str]:
    if not 0 < least < most:
        raise refusal(discipline, f"min and max: {least:g} and {most:g} packets", "min above 0 and below max")
    if (chosen := weight(least, burst)) is None:
        raise refusal(discipline, f"burst: {burst} does not fit min", f"{int(least) + 1} or more")
    found |= {"min_th_packets": float(least), "max_th_packets": float(most), "w_q": chosen}
    return []


_ALIKE = {
    "avpkt": Word(argument=SIZE, key="mean_packet_bytes"),
    "burst": Word(argument=PACKETS, key="burst", note="w_q, a power of two"),
    "bandwidth": same_here("the link's rate, for idle times", _RATE_OR_SHARE),
    "probability": Word(argument=PROBABILITY, key="max_p"),
    "ecn": Word(sets={"ecn": True}),
}
RED = Discipline(
    scheme="red",
    words={
        "limit": Word(argument=SIZE, key="limit_bytes"),
        "min": Word(argument=SIZE, key="min", note="min_th_packets, times avpkt"),
        "max": Word(argument=SIZE, key="max", note="max_th_packets, times avpkt"),
        **_ALIKE,
        "harddrop": Word(sets={"ecn_rule": "mark_below_max_th"}),
        "nodrop": not_modelled("packets without ECN are dropped"),
        "adaptive": not_modelled(_ADAPTIVE),
        "adaptative": not_modelled(_ADAPTIVE),
        "qevent": Word(argument=TEXT, arguments=3, remark="nothing else happens to dropped packets"),
    },
    always={**_KERNEL, "measure": "bytes"},
    needs=("limit", "avpkt"),
    complete=_complete_red,
)
CHOKE = Discipline(
    scheme="choke",
    words={
        "limit": Word(argument=PACKETS, key="limit_packets"),
        "min": Word(argument=PACKETS, key="min", note="min_th_packets"),
        "max": Word(argument=PACKETS, key="max", note="max_th_packets"),
        **_ALIKE,
    },
    always={**_KERNEL, "measure": "packets", "mean_packet_bytes": _MEAN_PACKET_BYTES},
    needs=("limit", "bandwidth"),
    complete=_complete_choke,
)
