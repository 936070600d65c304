"""Pages that a browser recorded: HAR files become the lines of a file of pages.

The file is described in `docs/reference/models/pages.md`.

Source: the HTTP Archive format 1.2 (W3C draft, J. Odvarko, A. Jain, A. Davies, 2012), and what browsers write
beyond it or instead of it; `recorded_lengths` has what they write of lengths. `_initiator` is what asked for
an object: a table in Chrome, an address in WebPagetest and chrome-har, nothing in Firefox.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from aqmlab.errors import RefusalError
from aqmlab.files.reading import read_json
from aqmlab.files.recognised import what_it_is
from aqmlab.files.recorded_lengths import (
    LARGEST_RESPONSE,
    CacheSign,
    SizeSource,
    cache_sign,
    contradicts,
    is_not_modified,
    request_size,
    response_size,
)
from aqmlab.files.shape import ANY, NUMBER, TEXT, Kind, ListOf, Table, conform
from aqmlab.terminal.spelling import plain, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MOST_OBJECTS, LARGEST_REQUEST = 5000, 65_535
"""What a file of pages may hold; more is cut off, or taken as so much."""
_REQUEST_BYTES = 500
"""A request whose length was not recorded: the model's default."""
_MOST_WAVES = 255


def _or_null(kind: Kind) -> Kind:
    """This kind, or null: what a browser does not know."""
    return Kind(kind.legal, lambda value: value is None or kind.fits(value))


_ENTRY = Table(
    {"startedDateTime": _or_null(TEXT), "request": Table({"url": TEXT}, {}, open=True)},
    {"time": _or_null(NUMBER), "response": ANY, "pageref": _or_null(TEXT), "_initiator": ANY},
    open=True,
)
_HAR = Table({"log": Table({"entries": ListOf(_ENTRY, shortest=1)}, {}, open=True)}, {}, open=True)


class HarError(RefusalError):
    """A file is no HAR file, or holds no page."""


class Guess(Enum):
    """What a file does not tell of an object that was loaded, and what is taken for it."""

    LENGTH = "a bodySize that cannot be (0 beside a length, or a body with 304 or HEAD) is passed over"
    REQUEST = f"no length of the request: {_REQUEST_BYTES} bytes"
    BEGIN = "no startedDateTime: that of the entry before it"
    DURATION = "no time: taken as not ended before any other began"
    WAVE = "no initiator among the objects of the page: the wave goes by time"


@dataclass
class Recording:
    """What a HAR file holds, counted while its entries are read.

    Attributes:
        pages: Its pages, in the order in which they were loaded.
        sources: How many objects have their length from where.
        guesses: How many objects have what guessed.
        cached: Entries that took nothing from the network, left out, by how they were recognised.
        elsewhere: Entries with an address that is none of a server, left out.
        unknown: Entries whose length the file does not tell, left out.
        surplus: Objects of pages behind the first `MOST_OBJECTS` of each, left out.
        not_modified: Objects of the pages whose content was in the cache: only headers were sent (304).
    """

    pages: list[list[PageObject]] = field(default_factory=list)
    sources: Counter[SizeSource] = field(default_factory=Counter)
    guesses: Counter[Guess] = field(default_factory=Counter)
    cached: Counter[CacheSign] = field(default_factory=Counter)
    elsewhere: int = 0
    unknown: int = 0
    surplus: int = 0
    not_modified: int = 0

    def length_of(self, entry: dict[str, Any], place: str, *, firefox: bool) -> int | None:
        """The length of an entry's response; none of one that is left out."""
        if not _names_a_server(entry, place):
            self.elsewhere += 1
        elif sign := cache_sign(entry, firefox=firefox):
            self.cached[sign] += 1
        elif (found := response_size(entry)) is None:
            self.unknown += 1
        else:
            length, source = found
            self.sources[source] += 1
            self.not_modified += is_not_modified(entry)
            return length
        return None

    def count_guesses(self, entry: dict[str, Any]) -> None:
        """Counts what an entry does not tell."""
        self.guesses.update(
            guess
            for guess, needed in (
                (Guess.LENGTH, contradicts(entry)),
                (Guess.REQUEST, request_size(entry) is None),
                (Guess.BEGIN, entry["startedDateTime"] is None),
                (Guess.DURATION, _duration_s(entry) is None),
            )
            if needed
        )

    def take(self, pages: list[list[_Entry]]) -> None:
        """Takes these pages, each as far as a file may hold it."""
        self.surplus = sum(max(0, len(entries) - MOST_OBJECTS) for entries in pages)
        self.pages = [_objects(entries, self.guesses) for entries in pages]


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
    """The pages of a HAR file, where their sizes come from, and what was guessed.

    What took nothing from the network (a cache, `data:` addresses), and responses of unknown length, are left
    out and counted.
    """
    document = read_json(file, HarError)
    name = plain(str(file))
    if "log" not in document and (what := what_it_is(name, json.dumps(document).encode(), expected=["har"])):
        raise HarError(f"{name}: log is missing: this is {what}", place=name)
    conform(document, _HAR, name, HarError)
    found = Recording()
    pages: dict[str, list[_Entry]] = {}
    firefox = _is_firefox(document["log"])
    began_s = _first_begin(document["log"]["entries"], name)
    for number, entry in enumerate(document["log"]["entries"], start=1):
        place = f"{name}.log.entries[{number}]"
        if not isinstance(entry.get("response"), dict):
            entry["response"] = {}
        known_begin = _begin(entry, place)
        began_s = began_s if known_begin is None else known_begin
        if (length := found.length_of(entry, place, firefox=firefox)) is not None:
            found.count_guesses(entry)
            pages.setdefault(entry.get("pageref") or "", []).append(_read(entry, length, began_s))
    if not pages:
        left_out = f"; of {found.unknown} the length is not known" if found.unknown else ""
        raise HarError(f"{name}: no entry took anything from the network{left_out}")
    found.take(sorted(pages.values(), key=lambda entries: min(each.began_s for each in entries)))
    return found


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


def _is_firefox(log: dict[str, Any]) -> bool:
    programs = (log.get("creator"), log.get("browser"))
    return any(isinstance(each, dict) and "Firefox" in str(each.get("name")) for each in programs)


def _first_begin(entries: list[dict[str, Any]], name: str) -> float:
    """The first begin that the file tells: an entry before it, without one, begins then."""
    for number, entry in enumerate(entries, start=1):
        if (began_s := _begin(entry, f"{name}.log.entries[{number}]")) is not None:
            return began_s
    return 0.0


def _begin(entry: dict[str, Any], place: str) -> float | None:
    """When an entry began, in seconds since 1970; none where that is not known."""
    written = entry["startedDateTime"]
    try:
        return None if written is None else datetime.fromisoformat(written).timestamp()
    except (ValueError, OverflowError, OSError):
        legal = "an instant such as 2026-01-31T12:00:00.000Z"
        raise HarError(f"{place}.startedDateTime: {legal}, not {quoted(written)}") from None


def _duration_s(entry: dict[str, Any]) -> float | None:
    """How long an entry took; none where that is not known."""
    time_ms = entry.get("time")
    return None if time_ms is None or time_ms < 0 else float(time_ms) / 1000.0


def _read(entry: dict[str, Any], response_bytes: int, began_s: float) -> _Entry:
    """What is kept of an entry that took something from a server."""
    url = urlsplit(entry["request"]["url"])
    duration_s = _duration_s(entry)
    return _Entry(
        url=_page_of(entry["request"]["url"]),
        host=f"{url.hostname}:{url.netloc.rpartition(':')[2] if ':' in url.netloc else url.scheme}",
        began_s=began_s,
        ended_s=math.inf if duration_s is None else began_s + duration_s,
        request_bytes=min(request_size(entry) or _REQUEST_BYTES, LARGEST_REQUEST),
        response_bytes=min(response_bytes, LARGEST_RESPONSE),
        initiator=_page_of(_initiator(entry)),
    )


def _page_of(address: str) -> str:
    """An address without the part that is never sent to a server."""
    return address.partition("#")[0]


def _initiator(entry: dict[str, Any]) -> str:
    """The address of what asked for an object; empty if it is not known."""
    initiator = entry.get("_initiator")
    if isinstance(initiator, str) and initiator:
        return initiator
    if not isinstance(initiator, dict):
        initiator = _detail(entry.get("_initiator_detail"))
    url = initiator.get("url")
    stack = initiator.get("stack")
    while not (isinstance(url, str) and url) and isinstance(stack, dict):
        frames = stack.get("callFrames")
        urls = (
            (each.get("url") for each in frames if isinstance(each, dict)) if isinstance(frames, list) else ()
        )
        url = next((each for each in urls if isinstance(each, str) and each), None)
        stack = stack.get("parent")
    return url if isinstance(url, str) else ""


def _detail(written: object) -> dict[str, Any]:
    """Chrome's table of an initiator as chrome-har keeps it: as a text."""
    try:
        found = json.loads(written) if isinstance(written, str) else None
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else {}


def _objects(entries: list[_Entry], guesses: Counter[Guess]) -> list[PageObject]:
    """The objects of a page, wave by wave."""
    entries = sorted(entries, key=lambda entry: entry.began_s)[:MOST_OBJECTS]
    waves = _waves(entries, guesses)
    ordered = sorted(zip(waves, entries, strict=True), key=lambda pair: pair[0])
    hosts = {host: number for number, host in enumerate(dict.fromkeys(entry.host for _, entry in ordered))}
    return [
        PageObject(wave, hosts[entry.host], entry.request_bytes, entry.response_bytes)
        for wave, entry in ordered
    ]


def _waves(entries: list[_Entry], guesses: Counter[Guess]) -> list[int]:
    """The wave of each entry, in the order in which they began; the first one is the root.

    An object is one wave behind what asked for it, where that is known. Where it is not, it belongs to the
    first wave if it began before any object behind the root had ended, and else to the second.
    """
    first_end = min((entry.ended_s for entry in entries[1:]), default=math.inf)
    waves = [0]
    known = {entries[0].url: 0}
    for entry in entries[1:]:
        by_time = 1 if entry.began_s < first_end else 2
        if entry.initiator not in known:
            guesses[Guess.WAVE] += 1
        wave = known.get(entry.initiator, by_time - 1) + 1
        waves.append(min(wave, _MOST_WAVES))
        known.setdefault(entry.url, waves[-1])
    return waves
