"""Pages that a browser recorded: HAR files become the lines of a file of pages (`docs/models/pages.md`).

Source: the HTTP Archive format 1.2 (W3C draft, J. Odvarko, A. Jain, A. Davies, 2012), and two keys beyond
it that browsers write: `_transferSize` (bytes of a response on the wire) and `_initiator` (what asked for an
object).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
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

_MESSAGE = Table({}, {"headersSize": NUMBER, "bodySize": NUMBER}, open=True)
_ENTRY = Table(
    {
        "startedDateTime": TEXT,
        "time": NUMBER,
        "request": Table({"url": TEXT}, _MESSAGE.optional, open=True),
        "response": Table({}, {**_MESSAGE.optional, "_transferSize": ANY, "content": ANY}, open=True),
    },
    {"pageref": TEXT, "_initiator": ANY},
    open=True,
)
_HAR = Table({"log": Table({"entries": ListOf(_ENTRY, shortest=1)}, {}, open=True)}, {}, open=True)


class HarError(RefusalError):
    """A file is no HAR file, or holds no page."""


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


def read_pages(file: Path) -> list[list[PageObject]]:
    """The pages of a HAR file, in the order in which they were loaded.

    What took nothing from the network (a cache, `data:` addresses) is left out.

    Raises:
        HarError: The file is no HAR file, or holds no page; the message names it and the place.
    """
    document = read_json(file, HarError)
    name = plain(str(file))
    conform(document, _HAR, name, HarError)
    pages: dict[str, list[_Entry]] = {}
    for number, entry in enumerate(document["log"]["entries"], start=1):
        read = _read(entry, f"{name}.log.entries[{number}]")
        if read is not None:
            pages.setdefault(entry.get("pageref", ""), []).append(read)
    if not pages:
        raise HarError(f"{name}: no entry took anything from the network")
    by_begin = sorted(pages.values(), key=lambda entries: min(entry.began_s for entry in entries))
    return [_objects(entries) for entries in by_begin]


def as_lines(pages: Iterable[list[PageObject]]) -> str:
    """The text of a file of pages."""
    lines = ["# page, wave, host, request bytes, response bytes"]
    for number, objects in enumerate(pages):
        lines += [
            f"{number},{each.wave},{each.host},{each.request_bytes},{each.response_bytes}" for each in objects
        ]
    return "\n".join(lines) + "\n"


def _read(entry: dict[str, Any], place: str) -> _Entry | None:
    """What is kept of an entry; nothing of one that took nothing from the network."""
    request, response = entry["request"], entry["response"]
    try:
        url = urlsplit(request["url"])
        host = url.hostname or ""
    except ValueError:
        raise HarError(f"{place}.request.url: no address: {quoted(request['url'])}") from None
    response_bytes = _response_bytes(response)
    if url.scheme not in {"http", "https"} or not host or response_bytes <= 0:
        return None
    try:
        began_s = datetime.fromisoformat(entry["startedDateTime"]).timestamp()
    except (ValueError, OverflowError, OSError):
        raise HarError(
            f"{place}.startedDateTime: an instant such as 2026-01-31T12:00:00.000Z, "
            f"not {quoted(entry['startedDateTime'])}"
        ) from None
    sizes = [response_bytes, _positive(request, "headersSize") + _positive(request, "bodySize")]
    return _Entry(
        url=request["url"],
        host=f"{host}:{url.netloc.rpartition(':')[2] if ':' in url.netloc else url.scheme}",
        began_s=began_s,
        ended_s=began_s + max(0.0, float(entry["time"])) / 1000.0,
        request_bytes=min(sizes[1] or _REQUEST_BYTES, LARGEST_REQUEST),
        response_bytes=min(sizes[0], LARGEST_RESPONSE),
        initiator=_initiator(entry.get("_initiator")),
    )


def _response_bytes(response: dict[str, Any]) -> int:
    transferred = response.get("_transferSize")
    if isinstance(transferred, int | float) and not isinstance(transferred, bool) and transferred >= 0:
        return int(min(transferred, LARGEST_RESPONSE))
    return _positive(response, "headersSize") + _positive(response, "bodySize")


def _positive(message: dict[str, Any], key: str) -> int:
    """A length; none where it is -1, which says that it is not known."""
    value = message.get(key, 0)
    return int(min(value, LARGEST_RESPONSE)) if value > 0 and math.isfinite(value) else 0


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
