"""TCP segments over IPv4 as bytes: what the peers of the kernel send, and what a capture holds."""

import socket
import struct
from dataclasses import dataclass, field

SYN, RST, ACK = 0x02, 0x04, 0x10
_MODULUS = 1 << 32
_MAXIMUM_SEGMENT, _WINDOW_SCALE, _SACK_PERMITTED, _SACK, _TIMESTAMPS = 2, 3, 4, 5, 8
_SCALE = 7
_NO_OPERATION = b"\x01"

Block = tuple[int, int]


@dataclass(frozen=True)
class Segment:
    """A segment and its addresses; numbers as they are on the wire, modulo 2^32."""

    source: str
    destination: str
    source_port: int
    destination_port: int
    sequence: int
    acknowledgement: int
    flags: int
    payload_bytes: int = 0
    blocks: tuple[Block, ...] = field(default=())
    stamp: tuple[int, int] | None = None
    """TSval and TSecr."""


def relative(number: int, first: int) -> int:
    """How far `number` is beyond `first`, negative if before it."""
    return (number - first + _MODULUS // 2) % _MODULUS - _MODULUS // 2


def encoded(segment: Segment, *, maximum_segment: int | None = None) -> bytes:
    """The packet; with `maximum_segment`, in bytes, the options of a SYN."""
    options = _options(segment, maximum_segment)
    header = struct.pack(
        "!HHIIBBHHH",
        segment.source_port,
        segment.destination_port,
        segment.sequence % _MODULUS,
        segment.acknowledgement % _MODULUS,
        (20 + len(options)) // 4 << 4,
        segment.flags,
        65535 if segment.flags & SYN else 2000,
        0,
        0,
    )
    body = header + options + bytes(segment.payload_bytes)
    ends = socket.inet_aton(segment.source) + socket.inet_aton(segment.destination)
    body = _with_sum(body, 16, _checksum(ends + struct.pack("!BBH", 0, 6, len(body)) + body))
    packet = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(body), 0, 0x4000, 64, 6, 0) + ends
    return _with_sum(packet, 10, _checksum(packet)) + body


def decoded(packet: bytes) -> Segment | None:
    """The segment in a packet of which the headers are there, or none."""
    if len(packet) < 40 or packet[0] >> 4 != 4 or packet[9] != 6:
        return None
    start = 4 * (packet[0] & 15)
    source_port, destination_port, sequence, acknowledgement, offset, flags = struct.unpack_from(
        "!HHIIBB", packet, start
    )
    header = 4 * (offset >> 4)
    blocks, stamp = _read_options(packet[start + 20 : start + header])
    return Segment(
        socket.inet_ntoa(packet[12:16]),
        socket.inet_ntoa(packet[16:20]),
        source_port,
        destination_port,
        sequence,
        acknowledgement,
        flags,
        int.from_bytes(packet[2:4], "big") - start - header,
        blocks,
        stamp,
    )


def _options(segment: Segment, maximum_segment: int | None) -> bytes:
    parts = b""
    if maximum_segment is not None:
        parts += struct.pack(
            "!BBHBBBBB", _MAXIMUM_SEGMENT, 4, maximum_segment, _SACK_PERMITTED, 2, _WINDOW_SCALE, 3, _SCALE
        )
    if segment.stamp is not None:
        parts += struct.pack("!BBII", _TIMESTAMPS, 10, *segment.stamp)
    if segment.blocks:
        parts += struct.pack("!BB", _SACK, 2 + 8 * len(segment.blocks))
        parts += b"".join(struct.pack("!II", a % _MODULUS, b % _MODULUS) for a, b in segment.blocks)
    return parts + _NO_OPERATION * (-len(parts) % 4)


def _read_options(options: bytes) -> tuple[tuple[Block, ...], tuple[int, int] | None]:
    blocks: tuple[Block, ...] = ()
    stamp = None
    place = 0
    while place + 1 < len(options) and options[place]:
        if options[place] == _NO_OPERATION[0]:
            place += 1
            continue
        kind, length = options[place], options[place + 1]
        if kind == _SACK:
            blocks = tuple(struct.iter_unpack("!II", options[place + 2 : place + length]))
        elif kind == _TIMESTAMPS:
            stamp = struct.unpack_from("!II", options, place + 2)
        place += max(length, 2)
    return blocks, stamp


def _with_sum(data: bytes, place: int, checksum: int) -> bytes:
    return data[:place] + checksum.to_bytes(2, "big") + data[place + 2 :]


def _checksum(data: bytes) -> int:
    """Of the Internet (RFC 1071)."""
    data += bytes(len(data) % 2)
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
