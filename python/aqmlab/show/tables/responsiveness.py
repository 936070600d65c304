"""Responsiveness: what is printed of it, and its table, a row for each queue management."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.show.words.configurations import of_row
from aqmlab.study.responsiveness import EDITION, Confidence, class_of
from aqmlab.tables.model import Column, Table, TableCell, in_csv, text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from aqmlab.show.tables.printed import Part
    from aqmlab.study.responsiveness import Outcome, Responsiveness, RoundTripsPerMinute, Way


def printed(found: RoundTripsPerMinute) -> Iterator[Part]:
    """Round trips per minute, as a table."""
    yield table_of(found)


def table_of(found: RoundTripsPerMinute) -> Table:
    """The table of a tested line."""
    caption = (
        f"RPM: round trips per minute while connections load the line ({EDITION}), poor below 300, fair "
        "below 1,000, good below 6,000; confidence: high if goodput and RPM were stable at the end, medium "
        "if one still changed"
    )
    return responsiveness_table(
        found.tests,
        class_of=class_of,
        confidences=list(Confidence),
        title=f"the line: {found.line.in_words()}",
        caption=caption,
        schemes=found.line.schemes,
    )


@dataclass(frozen=True)
class _Queue:
    """A queue management, with the outcomes of each way, seed by seed."""

    name: str
    outcomes: dict[Way, list[Outcome]]


def responsiveness_table(
    found: Sequence[Responsiveness],
    *,
    class_of: Callable[[float], str],
    confidences: Sequence[str],
    title: str,
    caption: str,
    schemes: Sequence[str] = ("drop-tail",),
) -> Table:
    """Round trips per minute each way, what they are called, and whether they stood still."""
    rows: dict[str, _Queue] = {}
    for each in found:
        own = rows.setdefault(each.queue, _Queue(each.queue, {}))
        own.outcomes.setdefault(each.way, []).append(each.outcome)
    ways = list(next(iter(rows.values())).outcomes)
    columns: list[Column[_Queue]] = [
        Column("queue", lambda row: text(of_row(row.name, schemes), value=row.name), "queue", words=True),
        *(Column(f"{way}_rpm", partial(_rpm, way=way, class_of=class_of), f"{way}, RPM") for way in ways),
        Column("confidence", partial(_confidence, ways=ways, order=confidences), "confidence", words=True),
        *_of_ways(ways, confidences),
    ]
    return Table.of(list(rows.values()), columns, title=title, caption=caption)


def _rpm(row: _Queue, *, way: Way, class_of: Callable[[float], str]) -> TableCell:
    rpm = _mean(row, way=way, name="rpm")
    return text(f"{rpm:,.0f} {class_of(rpm)}", value=rpm)


def _confidence(row: _Queue, *, ways: Sequence[Way], order: Sequence[str]) -> TableCell:
    """The least of all ways."""
    each = [_worst(row, way=way, name="confidence", order=order) for way in ways]
    return text(min(each, key=order.index))


def _of_ways(ways: Sequence[Way], order: Sequence[str]) -> Iterator[Column[_Queue]]:
    """What only programs read."""
    for way in ways:
        yield in_csv(f"{way}_confidence", partial(_worst, way=way, name="confidence", order=order))
        yield in_csv(
            f"{way}_goodput_confidence", partial(_worst, way=way, name="goodput_confidence", order=order)
        )
        yield in_csv(f"{way}_goodput_mbps", partial(_mean, way=way, name="goodput_mbps"))
        yield in_csv(f"{way}_ended_s", partial(_mean, way=way, name="ended_s"))


def _worst(row: _Queue, *, way: Way, name: str, order: Sequence[str]) -> str:
    return min((str(getattr(outcome, name)) for outcome in row.outcomes[way]), key=order.index)


def _mean(row: _Queue, *, way: Way, name: str) -> float:
    return float(np.mean([getattr(outcome, name) for outcome in row.outcomes[way]]))
