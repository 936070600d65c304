"""Pages that a browser recorded: HAR files become the lines of a file of pages.

The file is described in `docs/reference/models/pages.md`.

Source: the HTTP Archive format 1.2 (W3C draft, J. Odvarko, A. Jain, A. Davies, 2012), and two keys beyond
it that browsers write: `_transferSize` (bytes of a response on the wire) and `_initiator` (what asked for an
object).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from aqmlab.errors import RefusalError
from aqmlab.files.reading import read_json
from aqmlab.files.shape import ANY, NUMBER, TEXT, ListOf, Table, conform
from aqmlab.terminal.plain import plain
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MOST_OBJECTS, LARGEST_REQUEST, LARGEST_RESPONSE = 5000, 65_535, 1_000_000_000
"""What a file of pages may hold; more is cut off, or taken as so much."""
_REQUEST_BYTES = 500
"""A request whose length was not recorded: the model's default."""
_MOST_WAVES = 255
_DIGITS = 20
"""A Content-Length with so many digits is none."""

_MESSAGE = Table({}, {"headersSize": NUMBER, "bodySize": NUMBER}, open=True)
_ENTRY = Table(
    {
        "startedDateTime": TEXT,
        "time": NUMBER,
        "request": Table({"url": TEXT}, _MESSAGE.optional, open=True),
        "response": Table(
            {},
            {**_MESSAGE.optional, "_transferSize": ANY, "content": ANY, "headers": ANY, "status": ANY},
            open=True,
        ),
    },
    {"pageref": TEXT, "_initiator": ANY},
    open=True,
)
_HAR = Table({"log": Table({"entries": ListOf(_ENTRY, shortest=1)}, {}, open=True)}, {}, open=True)


class HarError(RefusalError):
    """A file is no HAR file, or holds no page."""


class SizeSource(Enum):
    """Where the length of a response was taken from: the first of these that the file has."""

    TRANSFER_SIZE = "_transferSize (bytes on the wire)"
    BODY_SIZE = "headersSize and bodySize (bytes as sent)"
    CONTENT_LENGTH = "headersSize and the header Content-Length (bytes as sent)"
    CONTENT_SIZE = "content.size (unpacked: too much where the response was compressed)"


@dataclass(frozen=True)
class Recording:
    """What a HAR file holds.

    Attributes:
        pages: Its pages, in the order in which they were loaded.
        sources: How many objects have their length from where.
        cached: Entries that took nothing from the network, left out.
        unknown: Entries whose length the file does not tell, left out.
        surplus: Objects of pages behind the first `MOST_OBJECTS` of each, left out.
    """

    pages: list[list[PageObject]]
    sources: Counter[SizeSource]
    cached: int
    unknown: int
    surplus: int


@dataclass(frozen=True)
class PageObject:
    """An object of a page.

    Attributes:
        wave: 0 for the root, 1 for what it names, and so on.
        host: Which host of the page, counted from 0, the root's.
        request_bytes: Length of the request.
        response_bytes: Length of the response on the wire.
    """

    wave: int
    host: int
    request_bytes: int
    response_bytes: int


@dataclass(frozen=True)
class _Entry:
    url: str
    host: str
    began_s: float
    ended_s: float
    request_bytes: int
    response_bytes: int
    initiator: str


def read_recording(file: Path) -> Recording:
    """The pages of a HAR file, and where their sizes come from.

    What took nothing from the network (a cache, `data:` addresses), and responses of unknown length, are left
    out and counted.

    Raises:
        HarError: The file is no HAR file, or holds no page; the message names it and the place.
    """
    document = read_json(file, HarError)
    name = plain(str(file))
    conform(document, _HAR, name, HarError)
    pages: dict[str, list[_Entry]] = {}
    sources: Counter[SizeSource] = Counter()
    cached = unknown = 0
    for number, entry in enumerate(document["log"]["entries"], start=1):
        place = f"{name}.log.entries[{number}]"
        size = _response_size(entry) if _names_a_server(entry, place) else _NOTHING
        if size is None:
            unknown += 1
        elif size == _NOTHING:
            cached += 1
        else:
            length, source = size
            sources[source] += 1
            pages.setdefault(entry.get("pageref", ""), []).append(_read(entry, length, place))
    if not pages:
        left_out = f"; of {unknown} the length is not known" if unknown else ""
        raise HarError(f"{name}: no entry took anything from the network{left_out}")
    by_begin = sorted(pages.values(), key=lambda entries: min(entry.began_s for entry in entries))
    surplus = sum(max(0, len(entries) - MOST_OBJECTS) for entries in by_begin)
    return Recording([_objects(entries) for entries in by_begin], sources, cached, unknown, surplus)


def as_lines(pages: Iterable[list[PageObject]]) -> str:
    """The text of a file of pages."""
    lines = ["# page, wave, host, request bytes, response bytes"]
    for number, objects in enumerate(pages):
        lines += [
            f"{number},{each.wave},{each.host},{each.request_bytes},{each.response_bytes}" for each in objects
        ]
    return "\n".join(lines) + "\n"


def _names_a_server(entry: dict[str, Any], place: str) -> bool:
    """Whether an entry's address is one of the network."""
    address = entry["request"]["url"]
    try:
        url = urlsplit(address)
        return url.scheme in {"http", "https"} and bool(url.hostname)
    except ValueError:
        raise HarError(f"{place}.request.url: no address: {quoted(address)}") from None


def _read(entry: dict[str, Any], response_bytes: int, place: str) -> _Entry:
    """What is kept of an entry that took something from a server."""
    request = entry["request"]
    url = urlsplit(request["url"])
    try:
        began_s = datetime.fromisoformat(entry["startedDateTime"]).timestamp()
    except (ValueError, OverflowError, OSError):
        raise HarError(
            f"{place}.startedDateTime: an instant such as 2026-01-31T12:00:00.000Z, "
            f"not {quoted(entry['startedDateTime'])}"
        ) from None
    request_bytes = _length_or_zero(request, "headersSize") + _length_or_zero(request, "bodySize")
    return _Entry(
        url=request["url"],
        host=f"{url.hostname}:{url.netloc.rpartition(':')[2] if ':' in url.netloc else url.scheme}",
        began_s=began_s,
        ended_s=began_s + max(0.0, float(entry["time"])) / 1000.0,
        request_bytes=min(request_bytes or _REQUEST_BYTES, LARGEST_REQUEST),
        response_bytes=min(response_bytes, LARGEST_RESPONSE),
        initiator=_initiator(entry.get("_initiator")),
    )


_NOTHING = (0, SizeSource.TRANSFER_SIZE)
"""The size of what took nothing from the network."""
_WITHOUT_BODY = (204, 304)
"""Statuses of responses without a body, whatever their headers and the content in the cache say (RFC 9110,
section 6.4.1)."""


def _response_size(entry: dict[str, Any]) -> tuple[int, SizeSource] | None:
    """The length of a response and where it was found; none where the file tells no length.

    A length of -1 is one that the browser does not know; without a `bodySize` a response that says nothing of
    its content either may have had any length, whatever its headers had.
    """
    response = entry["response"]
    if (transferred := _length(response, "_transferSize")) is not None:
        return (transferred, SizeSource.TRANSFER_SIZE) if transferred else _NOTHING
    headers = _length_or_zero(response, "headersSize")
    if (body := _length(response, "bodySize")) is not None:
        return (headers + body, SizeSource.BODY_SIZE) if headers + body else _NOTHING
    if response.get("status") in _WITHOUT_BODY or entry["request"].get("method") == "HEAD":
        return (headers, SizeSource.BODY_SIZE) if headers else None
    if (announced := _content_length(response)) is not None:
        return (headers + announced, SizeSource.CONTENT_LENGTH) if headers + announced else None
    content = response.get("content")
    if not isinstance(content, dict) or not (unpacked := _length(content, "size")):
        return None
    saved = min(_length_or_zero(content, "compression"), unpacked)
    return headers + unpacked - saved, SizeSource.CONTENT_SIZE


def _content_length(response: dict[str, Any]) -> int | None:
    """The length of the body as its headers announce it."""
    headers = response.get("headers")
    for header in headers if isinstance(headers, list) else ():
        if isinstance(header, dict) and str(header.get("name")).lower() == "content-length":
            value = str(header.get("value"))
            return min(int(value), LARGEST_RESPONSE) if value.isdecimal() and len(value) < _DIGITS else None
    return None


def _length(message: dict[str, Any], key: str) -> int | None:
    """A length in bytes; none where it is missing, -1 or no number."""
    value = message.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        return None
    return int(min(value, LARGEST_RESPONSE))


def _length_or_zero(message: dict[str, Any], key: str) -> int:
    return _length(message, key) or 0


def _initiator(initiator: object) -> str:
    """The address of what asked for an object; empty if it is not known."""
    if not isinstance(initiator, dict):
        return ""
    url = initiator.get("url")
    stack = initiator.get("stack")
    while not isinstance(url, str) and isinstance(stack, dict):
        frames = stack.get("callFrames")
        first = frames[0] if isinstance(frames, list) and frames else None
        url = first.get("url") if isinstance(first, dict) else None
        stack = stack.get("parent")
    return url if isinstance(url, str) else ""


def _objects(entries: list[_Entry]) -> list[PageObject]:
    """The objects of a page, wave by wave."""
    entries = sorted(entries, key=lambda entry: entry.began_s)[:MOST_OBJECTS]
    waves = _waves(entries)
    ordered = sorted(zip(waves, entries, strict=True), key=lambda pair: pair[0])
    hosts = {host: number for number, host in enumerate(dict.fromkeys(entry.host for _, entry in ordered))}
    return [
        PageObject(wave, hosts[entry.host], entry.request_bytes, entry.response_bytes)
        for wave, entry in ordered
    ]


def _waves(entries: list[_Entry]) -> list[int]:
    """The wave of each entry, in the order in which they began; the first one is the root.

    An object is one wave behind what asked for it, where that is known. Where it is not, it belongs to the
    first wave if it began before any object behind the root had ended, and else to the second.
    """
    first_end = min((entry.ended_s for entry in entries[1:]), default=math.inf)
    waves = [0]
    known = {entries[0].url: 0}
    for entry in entries[1:]:
        by_time = 1 if entry.began_s < first_end else 2
        wave = known.get(entry.initiator, by_time - 1) + 1
        waves.append(min(wave, _MOST_WAVES))
        known.setdefault(entry.url, waves[-1])
    return waves
