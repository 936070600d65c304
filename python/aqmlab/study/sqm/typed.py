"""What to type so that a router does what was simulated: tc(8) on plain Linux, and OpenWrt's SQM.

Sources: tc-cake(8), tc-htb(8), tc-stab(8), tc-mirred(8); sqm-scripts' /etc/config/sqm. From the manuals:
CAKE counts what `overhead` says beside the IP packet; HTB counts frames with their 14 bytes of Ethernet, so
that its `overhead` is 14 less. Of line codes HTB knows ATM; PTM's 65 bytes for 64 are taken off its rate.
What is modelled is printed and nothing else: `besteffort`, for the model has one tin; `nat`, for it tells
devices apart; no filter of acknowledgements.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

_ETHERNET_HEADER_BYTES = 14
_PTM = 64 / 65
_ISOLATION = {"up": "dual-srchost", "down": "dual-dsthost"}
_DISCIPLINES = {"fq-codel": "fq_codel", "codel": "codel", "pie": "pie", "drop-tail": "pfifo limit 1000"}
IFB = "ifb4sqm"
"""The device through which what comes in is led, so that it can be held back."""


@dataclass(frozen=True, slots=True)
class RouterShaper:
    """What the router holds one way to, and how it counts.

    Attributes:
        way: `up` or `down`.
        rate_mbps: Its rate.
        overhead_bytes: Bytes of each packet beside its IP length.
        minimum_frame_bytes: The shortest frame.
        coding: What the line makes of frames: `none`, `atm` or `ptm`.
    """

    way: str
    rate_mbps: float
    overhead_bytes: int
    minimum_frame_bytes: int
    coding: str

    @property
    def kbit(self) -> int:
        """The rate in whole kbit/s."""
        return math.floor(self.rate_mbps * 1e3 + 1e-6)


def can_be_typed(scheme: str) -> bool:
    """Whether Linux has this queue discipline with what was simulated."""
    return scheme == "cake" or scheme in _DISCIPLINES


def tc_lines(scheme: str, shapers: tuple[RouterShaper, ...], device: str) -> list[str]:
    """The commands for plain Linux, of a router whose port to the modem is `device`.

    Args:
        scheme: The queue discipline in both directions.
        shapers: What holds each way, or one of them.
        device: The name of the port.
    """
    lines = []
    for shaper in shapers:
        if shaper.way == "down":
            lines += _led_through_ifb(device)
        lines += _of_way(scheme, shaper, device if shaper.way == "up" else IFB)
    return lines


def _led_through_ifb(device: str) -> list[str]:
    """What comes in has no queue of its own: it goes through a device that has."""
    led = f"action mirred egress redirect dev {IFB}"
    return [
        f"ip link add name {IFB} type ifb",
        f"ip link set {IFB} up",
        f"tc qdisc replace dev {device} handle ffff: ingress",
        f"tc filter replace dev {device} parent ffff: protocol all prio 10 matchall {led}",
    ]


def _of_way(scheme: str, shaper: RouterShaper, device: str) -> list[str]:
    if scheme == "cake":
        return [f"tc qdisc replace dev {device} root {cake_words(shaper)}"]
    rate = f"{_htb_kbit(shaper)}kbit"
    return [
        f"tc qdisc replace dev {device} root handle 1: {_stab(shaper)}htb default 1",
        f"tc class replace dev {device} parent 1: classid 1:1 htb rate {rate} ceil {rate}",
        f"tc qdisc replace dev {device} parent 1:1 handle 11: {_DISCIPLINES[scheme]}",
    ]


def cake_words(shaper: RouterShaper) -> str:
    """CAKE with its arguments."""
    coding = {"none": "noatm"}.get(shaper.coding, shaper.coding)
    mpu = f" mpu {shaper.minimum_frame_bytes}" if shaper.minimum_frame_bytes else ""
    return (
        f"cake bandwidth {shaper.kbit}kbit besteffort {_ISOLATION[shaper.way]} nat {coding} "
        f"overhead {shaper.overhead_bytes}{mpu}"
    )


def _stab(shaper: RouterShaper) -> str:
    overhead = shaper.overhead_bytes - _ETHERNET_HEADER_BYTES
    layer = "atm" if shaper.coding == "atm" else "ethernet"
    mpu = f" mpu {shaper.minimum_frame_bytes}" if shaper.minimum_frame_bytes else ""
    return f"stab overhead {overhead}{mpu} linklayer {layer} "


def _htb_kbit(shaper: RouterShaper) -> int:
    return math.floor(shaper.rate_mbps * 1e3 * (_PTM if shaper.coding == "ptm" else 1.0) + 1e-6)


def sqm_config(scheme: str, shapers: tuple[RouterShaper, ...], device: str) -> list[str]:
    """The section of OpenWrt's /etc/config/sqm; a way that is not shaped has rate 0, as SQM spells it."""
    rates = {shaper.way: shaper.kbit for shaper in shapers}
    first = shapers[0]
    options = {
        "enabled": "1",
        "interface": device,
        "download": str(rates.get("down", 0)),
        "upload": str(rates.get("up", 0)),
        "qdisc": "cake" if scheme == "cake" else _DISCIPLINES[scheme].partition(" ")[0],
        "script": "piece_of_cake.qos" if scheme == "cake" else "simplest.qos",
        "linklayer": "atm" if first.coding == "atm" else "ethernet",
        "overhead": str(first.overhead_bytes),
        "linklayer_advanced": "1",
        "tcMPU": str(first.minimum_frame_bytes),
        "linklayer_adaptation_mechanism": "default",
    }
    if scheme == "cake":
        ptm = "ptm " if first.coding == "ptm" else ""
        options |= {
            "qdisc_advanced": "1",
            "qdisc_really_really_advanced": "1",
            "iqdisc_opts": f"{ptm}nat {_ISOLATION['down']}",
            "eqdisc_opts": f"{ptm}nat {_ISOLATION['up']}",
        }
    return ["config queue", *(f"\toption {name} '{value}'" for name, value in options.items())]
