"""What pages of one's own consist of, and what of a browser's recordings was left out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from aqmlab.files.har import MOST_OBJECTS
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aqmlab.files.har import PageObject, Recording


def pages_in_words(pages: Sequence[Sequence[PageObject]]) -> Iterator[str]:
    """The objects, bytes and hosts of each page."""
    for number, objects in enumerate(pages):
        size = sum(each.response_bytes for each in objects)
        hosts = len({each.host for each in objects})
        whole = f"{counted(len(objects), 'object')} of {size:,} bytes"
        yield f"page {number}: {whole} from {counted(hosts, 'host')}"


def origins_in_words(recordings: Sequence[Recording]) -> Iterator[str]:
    """Where the sizes come from, what was left out, and what was guessed."""
    sources = sum((recording.sources for recording in recordings), Counter())
    for source, objects in sources.items():
        yield f"sizes of {counted(objects, 'object')}: {source.value}"
    cached = sum((recording.cached for recording in recordings), Counter())
    for sign, number in cached.items():
        yield f"left out: {counted(number, 'entry', 'entries')} from a cache ({sign.value})"
    if not_modified := sum(recording.not_modified for recording in recordings):
        them = counted(not_modified, "object")
        yield f"headers alone: {them} not modified (304); with an empty cache they would have a body"
    if elsewhere := sum(recording.elsewhere for recording in recordings):
        yield f"left out: {counted(elsewhere, 'entry', 'entries')} not from a server"
    if unknown := sum(recording.unknown for recording in recordings):
        entries = counted(unknown, "entry", "entries")
        yield f"left out: {entries} of unknown size: no _transferSize, bodySize or content.size in the file"
    if surplus := sum(recording.surplus for recording in recordings):
        yield f"left out: {counted(surplus, 'object')} after the first {MOST_OBJECTS:,} of a page"
    guesses = sum((recording.guesses for recording in recordings), Counter())
    for guess, objects in guesses.items():
        yield f"guessed for {counted(objects, 'object')}: {guess.value}"
