"""What to type so that a router does what was simulated: tc(8) on plain Linux, OpenWrt's SQM, cake-autorate.

Sources: tc-cake(8), tc-htb(8), tc-stab(8), tc-mirred(8); sqm-scripts' /etc/config/sqm; config.primary.sh and
defaults.sh of cake-autorate. From the manuals:
CAKE counts what `overhead` says beside the IP packet; HTB counts frames with their 14 bytes of Ethernet, so
that its `overhead` is 14 less. Of line codes HTB knows ATM; PTM's 65 bytes for 64 are taken off its rate.
What was run is printed and nothing else: `besteffort` without `tins`, where Linux has diffserv3; `nat`, for
the model tells devices apart; a filter of acknowledgements and `ingress` where the router's queue has them.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aqmlab.errors import RefusalError
from aqmlab.load.queue_place import ROUTER_LINKS
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from aqmlab.scenario import Scenario

_ETHERNET_HEADER_BYTES = 14
_PTM = 64 / 65
_ISOLATION = {
    "none": "flowblind",
    "source": "srchost",
    "destination": "dsthost",
    "hosts": "hosts",
    "flows": "flows",
    "dual_source": "dual-srchost",
    "dual_destination": "dual-dsthost",
    "triple": "triple-isolate",
}
_ACK_FILTERS = {"conservative": "ack-filter", "aggressive": "ack-filter-aggressive"}
_SWITCHES = {"wash": "wash", "ingress": "ingress", "autorate_ingress": "autorate-ingress"}
_DISCIPLINES = {"fq-codel": "fq_codel", "codel": "codel", "pie": "pie", "drop-tail": "pfifo"}
_DEVICE = re.compile(r"[A-Za-z0-9_.:-]{1,15}")
_ACTIVE_KBPS = 2000
"""Below this a way is idle, by cake-autorate's default."""
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
        limit_packets: How many packets wait at most, where that is asked.
        isolation: Of CAKE: what gets an equal share.
        tins: Of CAKE: its classes of traffic.
        more: Of CAKE: further words.
    """

    way: str
    rate_mbps: float
    overhead_bytes: int
    minimum_frame_bytes: int
    coding: str
    limit_packets: int | None = None
    isolation: str = "triple"
    tins: str = "besteffort"
    more: tuple[str, ...] = ()

    @property
    def kbit(self) -> int:
        """The rate in whole kbit/s."""
        return math.floor(self.rate_mbps * 1e3 + 1e-6)


def router_shapers(scenario: Scenario) -> tuple[RouterShaper, ...]:
    """What the router of a scenario with a `[line]` holds, down and up."""
    found, line = scenario.core.shapers(), scenario.resolved["line"]
    shapers = []
    for link in ROUTER_LINKS:
        if link in found:
            way = link.removeprefix("router-")
            queue = line[f"router_queue_{way}"]
            own = (queue.get("limit_packets"), queue.get("isolation") or "triple")
            tins = queue.get("tins") or "besteffort"
            shapers.append(RouterShaper(way, *found[link], *own, tins, _more_words(queue)))
    return tuple(shapers)


def _more_words(queue: Mapping[str, Any]) -> tuple[str, ...]:
    """Those of CAKE that stand where the queue has more than its defaults."""
    words = [_ACK_FILTERS.get(queue.get("ack_filter", "none"), "")]
    words += [word for key, word in _SWITCHES.items() if queue.get(key)]
    return tuple(word for word in words if word)


def require_device(name: str) -> None:
    """Checks the name of a network device."""
    if not _DEVICE.fullmatch(name):
        legal = "1 to 15 letters, digits and . _ : -, such as eth1"
        said = f"device: {quoted(name)} is no name of a network device; legal: {legal}"
        raise RefusalError(said, place="device", value=name, legal=legal)


def can_be_typed(scheme: str) -> bool:
    """Whether Linux has this queue discipline with what was simulated."""
    return scheme == "cake" or scheme in _DISCIPLINES


def tc_lines(scheme: str, shapers: tuple[RouterShaper, ...], device: str) -> list[str]:
    """The commands for plain Linux, of a router whose port to the modem is `device`."""
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
    limit = f" limit {shaper.limit_packets}" if shaper.limit_packets else ""
    return [
        f"tc qdisc replace dev {device} root handle 1: {_stab(shaper)}htb default 1",
        f"tc class replace dev {device} parent 1: classid 1:1 htb rate {rate} ceil {rate}",
        f"tc qdisc replace dev {device} parent 1:1 handle 11: {_DISCIPLINES[scheme]}{limit}",
    ]


def cake_words(shaper: RouterShaper) -> str:
    """CAKE with its arguments."""
    return f"cake bandwidth {shaper.kbit}kbit {shaper.tins} {_counted_by_cake(shaper)}"


def _counted_by_cake(shaper: RouterShaper) -> str:
    coding = {"none": "noatm"}.get(shaper.coding, shaper.coding)
    mpu = f" mpu {shaper.minimum_frame_bytes}" if shaper.minimum_frame_bytes else ""
    counted = f"nat {coding} overhead {shaper.overhead_bytes}{mpu}"
    return " ".join([_ISOLATION[shaper.isolation], counted, *shaper.more])


def _stab(shaper: RouterShaper) -> str:
    overhead = shaper.overhead_bytes - _ETHERNET_HEADER_BYTES
    layer = "atm" if shaper.coding == "atm" else "ethernet"
    mpu = f" mpu {shaper.minimum_frame_bytes}" if shaper.minimum_frame_bytes else ""
    return f"stab overhead {overhead}{mpu} linklayer {layer} "


def _htb_kbit(shaper: RouterShaper) -> int:
    return math.floor(shaper.rate_mbps * 1e3 * (_PTM if shaper.coding == "ptm" else 1.0) + 1e-6)


def sqm_config(scheme: str, shapers: tuple[RouterShaper, ...], device: str) -> list[str]:
    """The section of OpenWrt's /etc/config/sqm, of CAKE; empty for others, whose limits its scripts choose.

    A way that is not shaped has rate 0, as SQM spells it. How the line counts stands with each way's options.
    """
    if scheme != "cake":
        return []
    by_way = {shaper.way: shaper for shaper in shapers}
    rates = {way: str(by_way[way].kbit if way in by_way else 0) for way in ("down", "up")}
    # piece_of_cake.qos says besteffort; what its options say comes behind that.
    tins = {way: "" if one.tins == "besteffort" else f"{one.tins} " for way, one in by_way.items()}
    counted = {way: tins[way] + _counted_by_cake(shaper) for way, shaper in by_way.items()}
    options = {
        "enabled": "1",
        "interface": device,
        "download": rates["down"],
        "upload": rates["up"],
        "qdisc": "cake",
        "script": "piece_of_cake.qos",
        "linklayer": "none",
        "qdisc_advanced": "1",
        "qdisc_really_really_advanced": "1",
        "iqdisc_opts": counted.get("down", ""),
        "eqdisc_opts": counted.get("up", ""),
    }
    return ["config queue", *(f"\toption {name} '{value}'" for name, value in options.items())]


def autorate_config(scenario: Scenario, shapers: tuple[RouterShaper, ...], device: str) -> list[str]:
    """The lines of cake-autorate's config.primary.sh, of a scenario whose shapers follow the line.

    Its own defaults are left out. `ifb4sqm` is the device of the printed tc lines; sqm-scripts call it `ifb4`
    and the name of the port.
    """
    line = scenario.resolved["line"]
    follows = line["cake_autorate"]
    named = {"down": "dl", "up": "ul"}
    lines = [f"dl_if={IFB}", f"ul_if={device}"]
    if follows["measures"] == "one-way":
        lines.append("pinger_method=fping-ts")
    least = _ACTIVE_KBPS
    for shaper in shapers:
        way, base = named[shaper.way], line[f"shaped_share_{shaper.way}"]
        for word, share in (
            ("min", follows["minimum_share"]),
            ("base", base),
            ("max", follows["maximum_share"]),
        ):
            kbps = math.floor(shaper.rate_mbps / base * share * 1e3 + 1e-6)
            lines.append(f"{word}_{way}_shaper_rate_kbps={kbps}")
            least = min(least, kbps)
    if least < _ACTIVE_KBPS:
        # It refuses a threshold above the lowest rate.
        lines.append(f"connection_active_thr_kbps={least}")
    return lines
