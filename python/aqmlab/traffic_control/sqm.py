"""OpenWrt's `/etc/config/sqm`, and what `uci show sqm` prints: the queues that sqm-scripts make of it.

Options, their defaults and what each script types were read in sqm-scripts of June 2024 (`src/defaults.sh`,
`functions.sh`, `run-openwrt.sh`, `piece_of_cake.qos`, `layer_cake.qos`, `simple.qos`, `simplest.qos`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aqmlab.traffic_control.words import refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_OPTION = re.compile(
    r"""^\s*(?:option\s+(\w+)\s+|sqm\.[^.\s=]+\.(\w+)=)(?:'([^'\n]*)'|"([^"\n]*)"|(\S+))\s*$""", re.MULTILINE
)
_SECTION = re.compile(r"^\s*(?:config\s+queue\b.*|sqm\.[^.\s=]+=queue)\s*$", re.MULTILINE)
_CAKE_SCRIPTS = {"piece_of_cake.qos", "layer_cake.qos"}
_LIMIT_PACKETS = 1_001
_ETHERNET_HEADER_BYTES = 14
_SLOWEST_US_KBIT = 33 * 53 * 8 * 1_000
"""The time of the longest packet in ATM cells, times the rate."""
_LEAST_TARGET_US = 5_000
_REST_OF_INTERVAL_US = 95_000


@dataclass(frozen=True)
class SqmQueue:
    """The queue of one direction.

    Attributes:
        way: `up` or `down`.
        line: Its words, as `tc` takes them; empty if the direction has none.
        shaper: The keys of the shaper in front of it; none of CAKE, which shapes by itself.
        remark: What else the script does; empty if nothing.
    """

    way: str
    line: str
    shaper: Mapping[str, float | str] | None = None
    remark: str = ""


def is_sqm(text: str) -> bool:
    """Whether it is a configuration of SQM."""
    return "\n" in text.strip() and bool({"upload", "download", "qdisc"} & _options(text).keys())


def queues_of_sqm(text: str) -> list[SqmQueue]:
    """The queues up and down."""
    if len(_SECTION.findall(text)) > 1:
        raise refusal("sqm", "several sections", "one: config queue and its options")
    options = _options(text)
    return [_queue(way, options) for way in ("up", "down")]


def _options(text: str) -> dict[str, str]:
    return {
        found[1] or found[2]: next((each for each in found.groups()[2:] if each is not None), "").strip()
        for found in _OPTION.finditer(text)
    }


def _queue(way: str, options: Mapping[str, str]) -> SqmQueue:
    said = options.get(f"{way}load", "")
    if not re.fullmatch(r"[0-9]{1,9}", said, re.ASCII):
        raise refusal("sqm", f"{way}load: {said or 'missing'}", "a rate in kbit/s such as 18000", value=said)
    script = options.get("script", "simple.qos")
    qdisc = "cake" if script in _CAKE_SCRIPTS else options.get("qdisc", "fq_codel")
    if not int(said):
        return SqmQueue(way, "")
    if qdisc == "cake":
        return SqmQueue(way, " ".join(_cake(way, said, script, options)))
    remark = (
        "simple.qos sorts packets into three classes; here there is one" if script == "simple.qos" else ""
    )
    return SqmQueue(way, " ".join(_leaf(way, qdisc, int(said), options)), _shaper(int(said), options), remark)


def _shaper(kbit: int, options: Mapping[str, str]) -> dict[str, float | str]:
    """HTB behind stab: frames with their header of Ethernet, and what the options add to that."""
    found: dict[str, float | str] = {"rate_mbps": kbit / 1e3, "overhead_bytes": _ETHERNET_HEADER_BYTES}
    method, layer = options.get("linklayer_adaptation_mechanism", "default"), options.get("linklayer", "none")
    if method in {"default", "tc_stab"} and layer != "none":
        found["overhead_bytes"] = _ETHERNET_HEADER_BYTES + int(options.get("overhead") or 0)
        if int(options.get("tcMPU") or 0):
            found["minimum_frame_bytes"] = int(options["tcMPU"])
        if layer == "atm":
            found["framing"] = "atm"
    return found


def _of_way(way: str, option: str, options: Mapping[str, str]) -> str:
    """An option that begins with e up and with i down."""
    return options.get(f"{'e' if way == 'up' else 'i'}{option}", "")


def _cake(way: str, kbit: str, script: str, options: Mapping[str, str]) -> Iterator[str]:
    yield f"cake bandwidth {kbit}kbit"
    method, layer = options.get("linklayer_adaptation_mechanism", "default"), options.get("linklayer", "none")
    if method in {"default", "cake"} and layer != "none":
        if layer == "atm":
            yield "atm"
        yield f"overhead {options.get('overhead') or 0} mpu {options.get('tcMPU') or 0}"
    if script.startswith("simplest"):
        yield "besteffort"
    elif script in _CAKE_SCRIPTS:
        ignored = way == "down" and options.get("squash_ingress", "1") == "1"
        yield "diffserv3 nat besteffort" if script == "piece_of_cake.qos" or ignored else "diffserv3 nat"
        if way == "down" and options.get("squash_dscp", "1") == "1":
            yield "wash"
    if own := _of_way(way, "qdisc_opts", options):
        yield own


def _leaf(way: str, qdisc: str, kbit: int, options: Mapping[str, str]) -> Iterator[str]:
    """The queue behind a shaper."""
    yield qdisc
    controls_delay = qdisc.endswith(("codel", "pie"))
    if controls_delay or qdisc in {"sfq", "pfifo"}:
        yield f"limit {_of_way(way, 'limit', options) or _LIMIT_PACKETS}"
    target = _of_way(way, "target", options)
    if controls_delay and re.fullmatch(r"[0-9]+[a-z]+", target, re.ASCII):
        yield f"target {target}"
    elif controls_delay and target.lower() != "default":
        target_us = max(_LEAST_TARGET_US, _SLOWEST_US_KBIT // kbit)
        yield f"target {target_us}us"
        if qdisc.endswith("codel"):
            yield f"interval {_REST_OF_INTERVAL_US + target_us}us"
    if controls_delay:
        ecn = options.get("egress_ecn" if way == "up" else "ingress_ecn") or "ECN"
        yield "noecn" if ecn == "NOECN" else "ecn"
    if qdisc in {"fq_codel", "sfq"}:
        yield "flows 1024"
    if own := _of_way(way, "qdisc_opts", options):
        yield own
