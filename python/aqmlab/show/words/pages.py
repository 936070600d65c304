"""What pages of one's own consist of, recorded by a browser or drawn by a model, and what is left out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from aqmlab.files.har import MOST_OBJECTS
from aqmlab.show.words.amounts import duration
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from aqmlab import _core
    from aqmlab.files.har import PageObject, Recording


def pages_in_words(pages: Sequence[Sequence[PageObject]]) -> Iterator[str]:
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


def sample_in_words(sample: _core.SampledPages) -> Iterator[str]:
    """The objects of the pages, their sizes, the think times, and what a page costs."""
    yield f"{counted(len(sample.objects), 'page')}, each drawn twice"
    yield f"objects per page: {_distribution(sample.objects, _number)}"
    yield f"bytes per object: {_distribution(sample.response_bytes, _number)}"
    yield f"think time: {_distribution(sample.think_s, duration)}"
    yield f"time to draw a page: {duration(sample.page_cost_s)}"


def numbers_of(sample: _core.SampledPages) -> dict[str, float | None]:
    found: dict[str, float | None] = {"pages": float(len(sample.objects)), "page_cost_s": sample.page_cost_s}
    for name, values in (
        ("objects_{}", sample.objects),
        ("object_{}_bytes", sample.response_bytes),
        ("think_{}_s", sample.think_s),
    ):
        found |= {
            name.format(of): value for of, value in zip(("p50", "p90", "mean"), _summary(values), strict=True)
        }
    return found


def _summary(values: Sequence[float]) -> tuple[float, float, float]:
    """Median, 90th percentile and mean."""
    import numpy as np  # noqa: PLC0415 (recordings need no NumPy)

    median, high = np.quantile(values, (0.5, 0.9), method="inverted_cdf")
    return float(median), float(high), float(np.mean(values))


def _distribution(values: Sequence[float], shown: Callable[[float], str]) -> str:
    median, high, mean = map(shown, _summary(values))
    return f"median {median}, 90th percentile {high}, mean {mean}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100.0 or value == round(value) else f"{value:.1f}"
