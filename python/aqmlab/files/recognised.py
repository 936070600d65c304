"""What a file is that was given for another one, and what can be done with it.

The core knows the signs; here are only those that it cannot see: the content of what gzip compressed, and
what only measurements of a line are recognised by. Sources of these: `crusader export` (its `RawResult`,
version 2) and its file of results; the CSV of Waveform's test; ping of Linux (iputils), BSD, macOS, BusyBox
and Windows.
"""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING

from aqmlab import _core

if TYPE_CHECKING:
    from collections.abc import Collection

IN_JSON = ("har", "flent", "iperf3", "json")
"""The kinds of file that are JSON."""
HEAD_BYTES = 1 << 16
"""How much of a file tells what it is."""
_GZIP = b"\x1f\x8b"
_OF_GZIP = 16 + zlib.MAX_WBITS
_BINARY = ("capture", "zip", "compressed")
_CRUSADER_RAW = 0x5372AB82AE7C59CB.to_bytes(8, "little")
_CRUSADER_KEYS = ("generated_by", "stream_groups")
_WAVEFORM = re.compile(r"^=+ .*LATENCY MEASUREMENTS \(ms\) =+|^Mean Unloaded Latency \(ms\)", re.MULTILINE)
_PING_REPLY = re.compile(r"\S.*:.*[^\s:][=<] ?(\d+(?:[.,]\d+)?) ?ms\b(?!.*\dms)")
_LONGEST_REPLY = 300
"""Characters; a line of a megabyte is none of ping's, and would take long to look through."""


def what_it_is(name: str, content: bytes, *, expected: Collection[str] = ()) -> str | None:
    """What a file is, and the next step; none if it is of an expected kind, or nobody knows."""
    head = content[:HEAD_BYTES]
    inside = _core.recognised_file("", _unpacked(head)) if head.startswith(_GZIP) else None
    if inside is not None:
        kind, said = inside
        return said if kind == "flent" else f"compressed; gunzip it first, and it is {said}"
    found = _core.recognised_file(name, head)
    return None if found is None or found[0] in expected else found[1]


def _unpacked(head: bytes) -> bytes:
    """The beginning of what gzip compressed; nothing where that is damaged."""
    try:
        return zlib.decompressobj(_OF_GZIP).decompress(head, HEAD_BYTES)
    except zlib.error:
        return b""


def measurement_kind(name: str, content: bytes) -> str | None:
    """Which measurement of a line a file is: a kind of the core's, or one of those below; none if unknown."""
    if content.startswith(_CRUSADER_RAW):
        return "crusader-raw"
    found = _core.recognised_file(name, content[:HEAD_BYTES])
    text = as_text(content[:HEAD_BYTES])
    if text.lstrip().startswith("{"):
        if all(f'"{key}"' in text for key in _CRUSADER_KEYS):
            return "crusader"
    elif found is None or found[0] not in _BINARY:
        if _WAVEFORM.search(text):
            return "waveform"
        if any(map(ping_reply, text.splitlines())):
            return "ping"
    return None if found is None else found[0]


def as_text(content: bytes) -> str:
    """Text of another program: UTF-8, or what PowerShell's `>` writes; what is neither is replaced."""
    encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    return content.decode(encoding, errors="replace")


def ping_reply(line: str) -> re.Match[str] | None:
    """A line with an answer that ping printed, in any language of its system: an address, then `=12.3 ms`."""
    return _PING_REPLY.match(line) if len(line) <= _LONGEST_REPLY else None
