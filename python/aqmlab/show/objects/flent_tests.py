"""A test of Flent's on a line: what is printed of it, and its table, a row for each queue management."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from aqmlab import shown
from aqmlab.show.tables.headings import other_numbers, queue_column
from aqmlab.show.tables.printed import shows
from aqmlab.study.flent_tests import FlentResults
from aqmlab.tables.model import Column, Table, TableCell, number

if TYPE_CHECKING:
    from aqmlab.study.flent_tests import QueueInTest


def printed(found: FlentResults) -> list[Table]:
    return [table_of(found)]


def table_of(found: FlentResults) -> Table:
    """What streams carried and how long probes took; for programs every stream and probe."""
    queues = list(found.queues.values())
    columns: list[Column[QueueInTest]] = [
        queue_column(found.line.schemes),
        *(Column(f"{way}_mbps", partial(_sum, way=way), f"{way}, Mbit/s") for way in queues[0].ways),
        Column("idle_ms", lambda row: _round_trip(row.idle_ms()), "idle, ms"),
        Column("loaded_p50_ms", lambda row: _round_trip(row.loaded_ms(percent=50)), "loaded"),
        Column("loaded_p99_ms", lambda row: _round_trip(row.loaded_ms(percent=99)), "99 %"),
        Column("lost_percent", lambda row: number(row.lost_percent, ".1f"), "lost, %"),
    ]
    columns += other_numbers(queues[0].numbers(), columns)
    caption = (
        "Mbit/s: all streams of a direction, without headers; ms: round trips of all probes, before the "
        "streams (median) and during them (median, 99 %), without lost probes"
    )
    title = f"{found.runs[0].test.name}: {found.line.in_words()}"
    return Table.of(queues, columns, title=title, caption=caption)


def _round_trip(took_ms: float) -> TableCell:
    return number(took_ms, ".1f") if math.isfinite(took_ms) else number(None, absent="lost")


def _sum(row: QueueInTest, *, way: str) -> TableCell:
    return number(row.sum_mbps(way), ".1f")


shows(FlentResults, printed, table_of)


@shown.facts.register(FlentResults)
def _of_flent(found: FlentResults) -> dict[str, Any]:
    return {"line": found.line.in_words(), "test": found.runs[0].test.name}
