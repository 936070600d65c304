"""What a file is that was given for another one, and what can be done with it.

The core knows the signs; here is only what it cannot see: the content of what gzip compressed.
"""

from __future__ import annotations

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
