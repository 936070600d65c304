"""Packets of TCP connections from pcap and pcapng files, and the round trips that they show.

Sources: draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng (section header, interface description, enhanced
packet blocks), RFC 9293, RFC 7323. A round trip of data lasts until the acknowledgement of its very end: an
echoed timestamp would be that of the first segment of a delayed acknowledgement. Of what is sent before or
while losses are repaired there is none (P. Karn, C. Partridge, 1987). A round trip of an acknowledgement
lasts until the first packet back that echoes its timestamp (K. Nichols, pping, 2017). The home is the end
whose answers come sooner: the capture has to be of a machine at home, or of its router.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from aqmlab.errors import RefusalError
from aqmlab.files.line_records.record import Carried, LineRecord, Probes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_PCAPNG = 0x0A0D0D0A
_PCAP = {0xA1B2C3D4: 1e-6, 0xA1B23C4D: 1e-9}
"""The magic numbers of pcap, each with the unit of its times."""
_BEFORE_IP = {0: 4, 1: 14, 12: 0, 14: 0, 101: 0, 113: 16, 228: 0, 229: 0, 276: 20}
"""Bytes in front of the IP header by link type: BSD loopback, Ethernet, raw IP, Linux cooked."""
_TCP, _VLAN = 6, b"\x81\x00"
_NEARER = 1.3
"""So many times sooner at least the home's answers come than those of the other end."""
_LARGEST_SEGMENT, _WRAPS_AT = 1460, 1 << 32
_LEAST_APART_S, _LEAST_BYTES, _LEAST_SHARE = 0.02, 100_000, 0.005
"""Round trips of transfers are taken so far apart; a connection that carries less is none, and a way none."""


class Packet(NamedTuple):
    """A TCP segment as it passed."""

    at_s: float
    ends: tuple[bytes, bytes, bytes, bytes]
    payload_bytes: int
    sequence: int
    acknowledged: int
    stamp: int
    echo: int


@dataclass
class _Side:
    """What passed from one end of a connection: payload, and how soon the other end answered."""

    payload: list[tuple[float, int]] = field(default_factory=list)
    acknowledged: list[tuple[float, int]] = field(default_factory=list)
    stamped: dict[int, float] = field(default_factory=dict)
    newest: int = -1
    ended: dict[int, float] = field(default_factory=dict)
    highest: int | None = None
    repaired_at: int | None = None
    trips: list[tuple[float, float]] = field(default_factory=list)


def read_captures(files: Sequence[tuple[str, bytes]]) -> LineRecord:
    """What connections carried in captures of one clock, such as one of each direction."""
    name = ", ".join(each for each, _ in files)
    packets = sorted(packet for each, content in files for packet in _packets(each, content))
    sides: dict[tuple[bytes, ...], _Side] = {}
    for packet in packets:
        source, target, source_port, target_port = packet.ends
        own = sides.setdefault(packet.ends, _Side())
        other = sides.setdefault((target, source, target_port, source_port), _Side())
        _take(packet, own, other)
    sides = _filling(sides)
    home = _home(name, sides)
    trips = [trip for ends, side in sides.items() if ends[0] in home for trip in side.trips]
    out, back = (
        [side for ends, side in sides.items() if (ends[0] in home) == of_home] for of_home in (True, False)
    )
    sums = {"down": [each for side in back for each in side.payload], "up": _acknowledged(back)}
    total = {way: sum(size for _, size in each) for way, each in sums.items()}
    largest = max((size for side in out + back for _, size in side.payload), default=0)
    segment = float(largest) if 1000 < largest <= _LARGEST_SEGMENT else None
    least = max(_LEAST_BYTES, _LEAST_SHARE * sum(total.values()))
    carried = {way: (_carried(each, segment, way),) for way, each in sums.items() if total[way] >= least}
    if not carried:
        raise RefusalError(
            f"{name}: no TCP connection carries more than {_LEAST_BYTES // 1000} kB; legal: a capture of a "
            "download or an upload",
            place=name,
        )
    flow_probes = dict.fromkeys(carried, _thinned(trips))
    return LineRecord(name, "a packet capture", carried=carried, flow_probes=flow_probes, dated=True)


def _filling(sides: dict[tuple[bytes, ...], _Side]) -> dict[tuple[bytes, ...], _Side]:
    """The connections that carry something: others may be to nearer machines."""
    carried: dict[frozenset[tuple[bytes, bytes]], int] = {}
    pairs = {ends: frozenset([(ends[0], ends[2]), (ends[1], ends[3])]) for ends in sides}
    for ends, side in sides.items():
        carried[pairs[ends]] = carried.get(pairs[ends], 0) + sum(size for _, size in side.payload)
    return {ends: side for ends, side in sides.items() if carried[pairs[ends]] >= _LEAST_BYTES}


def _take(packet: Packet, own: _Side, other: _Side) -> None:
    own.acknowledged.append((packet.at_s, packet.acknowledged))
    if packet.payload_bytes:
        own.payload.append((packet.at_s, packet.payload_bytes))
        end = (packet.sequence + packet.payload_bytes) % _WRAPS_AT
        if own.highest is not None and _beyond(end, own.highest) <= 0:
            own.ended.clear()
            own.repaired_at = own.highest
        else:
            own.highest = end
            if own.repaired_at is None:
                own.ended[end] = packet.at_s
    elif packet.stamp != own.newest and packet.stamp >= 0:
        own.newest = packet.stamp
        own.stamped[packet.stamp] = packet.at_s
    if other.repaired_at is not None and _beyond(packet.acknowledged, other.repaired_at) >= 0:
        other.repaired_at = None
    for waiting, answer in ((other.ended, packet.acknowledged), (other.stamped, packet.echo)):
        if (sent_s := waiting.pop(answer, None)) is not None:
            other.trips.append((sent_s, 1e3 * (packet.at_s - sent_s)))


def _beyond(number: int, other: int) -> int:
    """How far a sequence number is beyond another, below 0 before it."""
    return (number - other + _WRAPS_AT // 2) % _WRAPS_AT - _WRAPS_AT // 2


def _home(name: str, sides: dict[tuple[bytes, ...], _Side]) -> set[bytes]:
    """The addresses at home: whose packets take long to be answered, for the answer comes from far away."""
    soonest: dict[bytes, list[float]] = {}
    for ends, side in sides.items():
        if side.trips:
            soonest.setdefault(ends[0], []).append(min(trip for _, trip in side.trips))
    far = {address: min(trips) for address, trips in soonest.items()}
    home = set()
    for ends in sides:
        here, there = (far.get(end, float("nan")) for end in ends[:2])
        if here > _NEARER * there:
            home.add(ends[0])
    if not home:
        raise RefusalError(
            f"{name}: which end is at home is not to be seen: TCP of both directions is needed, with "
            "timestamps, captured at home (one file, or a file of each direction)",
            place=name,
        )
    return home


def _acknowledged(back: list[_Side]) -> list[tuple[float, int]]:
    """What the far end acknowledged of each connection, as it grew: not what was dropped on the way."""
    found = []
    for side in back:
        highest = None
        for at_s, number in side.acknowledged:
            grown = 0 if highest is None else _beyond(number, highest)
            if highest is None or grown > 0:
                highest = number
                found.append((at_s, grown))
    return found


def _carried(sums: list[tuple[float, int]], segment_bytes: float | None, way: str) -> Carried:
    at_s, size = (np.asarray(each, dtype=np.float64) for each in zip(*sorted(sums), strict=True))
    return Carried(at_s, np.cumsum(size) * 8e-6, segment_bytes, in_jumps=way == "up")


def _thinned(trips: list[tuple[float, float]]) -> Probes:
    kept: list[tuple[float, float]] = []
    for trip in sorted(trips):
        if not kept or trip[0] >= kept[-1][0] + _LEAST_APART_S:
            kept.append(trip)
    return Probes.of(*zip(*kept, strict=True))


def _packets(name: str, content: bytes) -> Iterator[Packet]:
    if len(content) < 4:
        raise RefusalError(f"{name}: ends in its header", place=name)
    magic = struct.unpack_from("<I", content)[0]
    frames = _of_pcapng(content) if magic == _PCAPNG else _of_pcap(content)
    try:
        for at_s, link_type, frame in frames:
            if link_type not in _BEFORE_IP:
                raise RefusalError(
                    f"{name}: link type {link_type}; legal: Ethernet, raw IP, Linux cooked", place=name
                )
            packet = _packet(at_s, frame, _BEFORE_IP[link_type])
            if packet is not None:
                yield packet
    except struct.error:  # a capture that was cut off: what came before is whole
        return


def _of_pcap(content: bytes) -> Iterator[tuple[float, int, memoryview]]:
    order = "<" if struct.unpack_from("<I", content)[0] in _PCAP else ">"
    magic, *_, link_type = struct.unpack_from(f"{order}IHHiIII", content)
    at, view = 24, memoryview(content)
    while at + 16 <= len(content):
        seconds, fraction, kept, _ = struct.unpack_from(f"{order}IIII", content, at)
        yield seconds + fraction * _PCAP[magic], link_type & 0xFFFF, view[at + 16 : at + 16 + kept]
        at += 16 + kept


def _of_pcapng(content: bytes) -> Iterator[tuple[float, int, memoryview]]:
    at, order, view = 0, "<", memoryview(content)
    interfaces: list[tuple[int, float]] = []
    while at + 12 <= len(content):
        if content[at : at + 4] == b"\x0a\x0d\x0d\x0a":
            order = "<" if content[at + 8 : at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
            interfaces = []
        kind, length = struct.unpack_from(f"{order}II", content, at)
        if kind == 1:
            (link_type,) = struct.unpack_from(f"{order}H", content, at + 8)
            interfaces.append((link_type, _unit_s(content, at + 16, at + length - 4, order)))
        elif kind == 6:
            number, high, low, kept, _ = struct.unpack_from(f"{order}IIIII", content, at + 8)
            if number < len(interfaces):
                link_type, unit_s = interfaces[number]
                yield ((high << 32) | low) * unit_s, link_type, view[at + 28 : at + 28 + kept]
        at += max(length, 12)


def _unit_s(content: bytes, at: int, end: int, order: str) -> float:
    """The unit of an interface's times: option 9, microseconds without it."""
    while at + 4 <= end:
        code, length = struct.unpack_from(f"{order}HH", content, at)
        if code == 9 and length == 1:
            power = content[at + 4]
            return float(2.0 ** -(power & 0x7F) if power & 0x80 else 10.0**-power)
        at += 4 + (length + 3) // 4 * 4
    return 1e-6


def _packet(at_s: float, frame: memoryview, before_ip: int) -> Packet | None:
    """The TCP segment in a frame; none if it is something else."""
    if before_ip == 14 and frame[12:14] == _VLAN:
        before_ip = 18
    ip = frame[before_ip:]
    if len(ip) < 40:
        return None
    if ip[0] >> 4 == 4:
        header, length, protocol = 4 * (ip[0] & 15), int.from_bytes(ip[2:4], "big"), ip[9]
        source, target = bytes(ip[12:16]), bytes(ip[16:20])
    elif ip[0] >> 4 == 6:
        header, length, protocol = 40, 40 + int.from_bytes(ip[4:6], "big"), ip[6]
        source, target = bytes(ip[8:24]), bytes(ip[24:40])
    else:
        return None
    tcp = ip[header:]
    if protocol != _TCP or len(tcp) < 20:
        return None
    size = 4 * (tcp[12] >> 4)
    stamp, echo = _timestamps(tcp[20:size])
    ends = (source, target, bytes(tcp[0:2]), bytes(tcp[2:4]))
    sequence, acknowledged = (int.from_bytes(tcp[at : at + 4], "big") for at in (4, 8))
    return Packet(at_s, ends, length - header - size, sequence, acknowledged, stamp, echo)


def _timestamps(options: memoryview) -> tuple[int, int]:
    """The timestamp and its echo; -1 where there is none."""
    at = 0
    while at < len(options):
        kind = options[at]
        if kind == 8 and at + 10 <= len(options):
            return int.from_bytes(options[at + 2 : at + 6], "big"), int.from_bytes(
                options[at + 6 : at + 10], "big"
            )
        if kind == 0 or (kind != 1 and at + 1 >= len(options)):
            break
        at += 1 if kind == 1 else max(options[at + 1], 2)
    return -1, -1
