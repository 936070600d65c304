"""How many bytes a recorded exchange took on the wire, as a HAR file tells it.

The standard has one field for each length, and every browser leaves another one out: a length that is not
there, is null, no number or negative is not known, and neither is a 0 beside a length that says otherwise.
What each browser writes is listed in `docs/reference/models/pages.md`.

Source: the HTTP Archive format 1.2; what browsers write beyond it; RFC 9110, sections 6.4.1 and 8.6.
"""

from __future__ import annotations

import math
from enum import Enum
from typing import Any

LARGEST_RESPONSE = 1_000_000_000
"""What a file of pages may hold of a response; more is taken as so much."""
_DIGITS = 20
"""A length with so many digits is none."""
_NOT_MODIFIED = 304
_WITHOUT_BODY = (204, _NOT_MODIFIED)
"""Statuses of responses without a body, whatever their headers and the content in the cache say (RFC 9110,
section 6.4.1)."""


class SizeSource(Enum):
    """Where the length of a response was taken from: the first of these that the file has."""

    TRANSFER_SIZE = "_transferSize (bytes on the wire)"
    BYTES_IN = "_bytesIn (bytes on the wire, WebPagetest)"
    BODY_SIZE = "headersSize and bodySize (bytes as sent)"
    OBJECT_SIZE = "headersSize and _objectSize (bytes as sent, WebPagetest)"
    CONTENT_LENGTH = "headersSize and the header Content-Length (bytes as sent)"
    CONTENT_SIZE = "content.size (unpacked: too much where the response was compressed)"


class CacheSign(Enum):
    """By what an entry was recognised as one that took nothing from the network."""

    MARKED = "marked as from a cache"
    NOTHING_SENT = "no byte was sent"
    NO_TIME = "no time passed and no server answered"


def cache_sign(entry: dict[str, Any], *, firefox: bool) -> CacheSign | None:
    """By what an entry is known to have taken nothing from the network; none where it is not.

    Args:
        entry: An entry of a HAR file.
        firefox: Whether Firefox recorded it, which writes `cache.afterRequest` only of what its cache
            answered; others, as the standard has it, of whatever they put there.
    """
    response = entry["response"]
    cache = entry.get("cache")
    of_firefox = firefox and isinstance(cache, dict) and "afterRequest" in cache
    if _is_marked(entry, response) or (of_firefox and not is_not_modified(entry)):
        return CacheSign.MARKED
    if length(response, "_transferSize") == 0:
        return CacheSign.NOTHING_SENT
    if not is_not_modified(entry) and _took_no_time(entry):
        return CacheSign.NO_TIME
    known = [length(response, key) for key in ("headersSize", "bodySize")]
    if known == [0, 0] and not _other_body(entry):
        return CacheSign.NOTHING_SENT
    return None


def is_not_modified(entry: dict[str, Any]) -> bool:
    """Whether a server said that what the cache has may be used: its headers were sent, and no body."""
    return bool(entry["response"].get("status") == _NOT_MODIFIED)


def response_size(entry: dict[str, Any]) -> tuple[int, SizeSource] | None:
    """The length of a response and where it was found; none where the file tells no length."""
    response = entry["response"]
    for table, key, source in (
        (response, "_transferSize", SizeSource.TRANSFER_SIZE),
        (entry, "_bytesIn", SizeSource.BYTES_IN),
    ):
        if on_the_wire := length(table, key):
            return on_the_wire, source
    headers = length(response, "headersSize") or 0
    if _has_no_body(entry):
        return (headers, SizeSource.BODY_SIZE) if headers else None
    body = length(response, "bodySize")
    found = (body, SizeSource.BODY_SIZE) if body else _other_body(entry)
    if found is None and body is not None:
        found = (body, SizeSource.BODY_SIZE)
    if found is None and _content_length(response) == 0:
        found = (0, SizeSource.CONTENT_LENGTH)
    return (headers + found[0], found[1]) if found and headers + found[0] else None


def contradicts(entry: dict[str, Any]) -> bool:
    """Whether a `bodySize` is passed over: a 0 beside a length, or a body where none may be."""
    response = entry["response"]
    if length(response, "_transferSize") or length(entry, "_bytesIn"):
        return False
    body = length(response, "bodySize")
    if _has_no_body(entry):
        return bool(body)
    return body == 0 and _other_body(entry) is not None


def request_size(entry: dict[str, Any]) -> int | None:
    """The length of a request, its body included; none where nothing of it is known."""
    headers, body = (length(entry["request"], key) or 0 for key in ("headersSize", "bodySize"))
    return length(entry, "_bytesOut") or headers + body or None


def length(table: dict[str, Any], key: str) -> int | None:
    """A length in bytes; none where it is missing, null, -1 or no number."""
    value = table.get(key)
    if isinstance(value, str) and key in _WRITTEN_AS_TEXT:
        value = _whole(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        return None
    return int(min(value, LARGEST_RESPONSE))


_WRITTEN_AS_TEXT = ("_bytesIn", "_bytesOut", "_objectSize")
"""Numbers that WebPagetest writes in quotes."""


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < _DIGITS else None


def _has_no_body(entry: dict[str, Any]) -> bool:
    return entry["response"].get("status") in _WITHOUT_BODY or entry["request"].get("method") == "HEAD"


def _other_body(entry: dict[str, Any]) -> tuple[int, SizeSource] | None:
    """A body's length as anything but `bodySize` tells it; none where nothing tells one above 0."""
    response = entry["response"]
    if packed := length(entry, "_objectSize"):
        return packed, SizeSource.OBJECT_SIZE
    announced = _content_length(response)
    if announced is not None:
        return (announced, SizeSource.CONTENT_LENGTH) if announced else None
    content = response.get("content")
    if not isinstance(content, dict) or not (unpacked := length(content, "size")):
        return None
    return unpacked - min(length(content, "compression") or 0, unpacked), SizeSource.CONTENT_SIZE


def _content_length(response: dict[str, Any]) -> int | None:
    """The length of the body as its headers announce it."""
    announced = _header(response, "content-length")
    number = None if announced is None else _whole(announced)
    return None if number is None else min(number, LARGEST_RESPONSE)


def _header(response: dict[str, Any], name: str) -> str | None:
    """The value of the first header of this name, which is in small letters."""
    headers = response.get("headers")
    for header in headers if isinstance(headers, list) else ():
        if isinstance(header, dict) and str(header.get("name")).lower() == name:
            return str(header.get("value"))
    return None


_IN_SAFARI = ("Memory Cache", "Disk Cache")
_YES = ("1", "true", "hit", "yes")


def _is_marked(entry: dict[str, Any], response: dict[str, Any]) -> bool:
    """Whether the entry says so: Chrome's `_fromCache`, Safari's `_fetchType`, a cache's own header."""
    said = entry.get("_fromCache") or response.get("_fromCache")
    if (said and said != "false") or entry.get("_fetchType") in _IN_SAFARI:
        return True
    return (_header(response, "x-from-cache") or "").lower() in _YES


def _took_no_time(entry: dict[str, Any]) -> bool:
    """Firefox's sign: each of the timings is 0 or not known, and no server has an address.

    A response of a server has headers, for which somebody waited.
    """
    timings = entry.get("timings")
    if entry.get("time") != 0 or entry.get("serverIPAddress") or not isinstance(timings, dict) or not timings:
        return False
    return all(not isinstance(value, int | float) or value <= 0 for value in timings.values())
