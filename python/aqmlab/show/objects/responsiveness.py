"""Responsiveness: what is printed of it, and its table, a row for each queue management."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from aqmlab import shown
from aqmlab.show.tables.headings import queue_column
from aqmlab.show.tables.printed import shows
from aqmlab.study.responsiveness import EDITION, Confidence, RoundTripsPerMinute, class_of
from aqmlab.tables.model import Column, Table, TableCell, in_csv, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aqmlab.study.responsiveness import Outcome, Way


_ORDER = [str(each) for each in Confidence]
"""From the least confidence on."""


def printed(found: RoundTripsPerMinute) -> list[Table]:
    return [table_of(found)]


@dataclass(frozen=True)
class _Queue:
    """A queue management, with the outcomes of each way, seed by seed."""

    name: str
    outcomes: dict[Way, list[Outcome]]


def table_of(found: RoundTripsPerMinute) -> Table:
    """Round trips per minute each way, what they are called, and whether they stood still."""
    rows: dict[str, _Queue] = {}
    for each in found.tests:
        own = rows.setdefault(each.queue, _Queue(each.queue, {}))
        own.outcomes.setdefault(each.way, []).append(each.outcome)
    ways = list(next(iter(rows.values())).outcomes)
    columns: list[Column[_Queue]] = [
        queue_column(found.line.schemes),
        *(Column(f"{way}_rpm", partial(_rpm, way=way), f"{way}, RPM") for way in ways),
        Column("confidence", partial(_confidence, ways=ways), "confidence", words=True),
        *_of_ways(ways),
    ]
    caption = (
        f"RPM: round trips per minute while connections load the line ({EDITION}), poor below 300, fair "
        "below 1,000, good below 6,000; confidence: high if goodput and RPM were stable at the end, medium "
        "if one still changed"
    )
    if any(len(_classes(row, way)) > 1 for row in rows.values() for way in ways):
        caption += "; *: single seeds have other words"
    return Table.of(list(rows.values()), columns, title=f"the line: {found.line.in_words()}", caption=caption)


def _rpm(row: _Queue, *, way: Way) -> TableCell:
    rpm, mark = _mean(row, way=way, name="rpm"), "*" if len(_classes(row, way)) > 1 else ""
    return text(f"{rpm:,.0f} {class_of(rpm)}{mark}", value=rpm)


def _classes(row: _Queue, way: Way) -> dict[str, None]:
    """What the round trips per minute of single seeds are called, each word once."""
    return dict.fromkeys(class_of(outcome.rpm) for outcome in row.outcomes[way])


def _confidence(row: _Queue, *, ways: Sequence[Way]) -> TableCell:
    return text(min((_worst(row, way=way, name="confidence") for way in ways), key=_ORDER.index))


def _of_ways(ways: Sequence[Way]) -> Iterator[Column[_Queue]]:
    for way in ways:
        for name in ("confidence", "goodput_confidence"):
            yield in_csv(f"{way}_{name}", partial(_worst, way=way, name=name))
        for name in ("goodput_mbps", "ended_s"):
            yield in_csv(f"{way}_{name}", partial(_mean, way=way, name=name))
        yield in_csv(f"{way}_words_of_seeds", partial(_words_of_seeds, way=way))


def _words_of_seeds(row: _Queue, *, way: Way) -> str:
    return " ".join(_classes(row, way))


def _worst(row: _Queue, *, way: Way, name: str) -> str:
    return min((str(getattr(outcome, name)) for outcome in row.outcomes[way]), key=_ORDER.index)


def _mean(row: _Queue, *, way: Way, name: str) -> float:
    return float(np.mean([getattr(outcome, name) for outcome in row.outcomes[way]]))


shows(RoundTripsPerMinute, printed, table_of)


@shown.facts.register(RoundTripsPerMinute)
def _of_responsiveness(found: RoundTripsPerMinute) -> dict[str, Any]:
    """What the round trips per minute of each queue management are called, under each load."""
    called: dict[str, dict[str, str]] = {}
    of_seeds: dict[str, dict[str, dict[str, str]]] = {}
    for test in found.tests:
        way = str(test.way)
        called.setdefault(test.queue, {})[way] = class_of(found.rpm(test.queue, way))
        seeds = of_seeds.setdefault(test.queue, {}).setdefault(way, {})
        seeds[str(test.seed)] = class_of(test.outcome.rpm)
    return {"line": found.line.in_words(), "classes": called, "classes_of_seeds": of_seeds}
