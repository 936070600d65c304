"""Delay under load: what is printed of it, and its table, a row for each queue management."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from aqmlab.load.queue_place import PLACES
from aqmlab.show.tables.printed import Unwrapped
from aqmlab.show.words.bloat import added_in_words, not_filled_in_words
from aqmlab.study.bloat import Phase
from aqmlab.study.bloat.grade import thresholds, thresholds_of_losses
from aqmlab.study.sqm.typed import can_be_typed, router_shapers, tc_lines
from aqmlab.tables.model import Column, Table, TableCell, in_csv, number, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aqmlab.show.tables.printed import Part
    from aqmlab.study.bloat import Bufferbloat, QueueUnderLoad


def printed(found: Bufferbloat) -> Iterator[Part]:
    """What a full line adds, in a sentence and as a table; why a grade is missing; how to set the queues."""
    simulated = [row for row in found.queues if not row.live]
    if not simulated[0].not_filled:
        yield added_in_words(simulated)
    yield table_of(found)
    yield from not_filled_in_words(found.queues)
    yield from _whose_box(found)


def _whose_box(found: Bufferbloat) -> Iterator[Part]:
    """Where the queues stand that were tried; what to type where that is one's own router."""
    place = PLACES[found.line.queue_in]
    yield f"The queues that were tried stand {place.in_words}."
    if not place.shaped:
        if not place.links[0].startswith("router"):
            yield "What your own router can do in front of that: --queue-in router, and aqmlab sqm."
        return
    for row in found.queues:
        if can_be_typed(row.name):
            shapers = router_shapers(found.line.with_scheme(row.name))
            head = f"{row.name} on Linux, where WAN is the router's port to the modem:"
            yield Unwrapped("\n".join([head, *(f"  {line}" for line in tc_lines(row.name, shapers, "WAN"))]))


def table_of(found: Bufferbloat) -> Table:
    """The table of a measured line."""
    caption = (
        "ms: the median round trip of a probe, and what downloads, uploads or both add; down, beside up: "
        "Mbit/s of downloads alone and beside uploads; lost: of the probes, "
        "idle or under either load, in the worse way; grade by the mean of download and upload: "
        f"{thresholds()} (DSLReports); {thresholds_of_losses()} (ITU-T G.1010)"
    )
    return bloat_table(found.queues, title=f"the line: {found.line.in_words()}", caption=caption)


def bloat_table(rows: Sequence[QueueUnderLoad], *, title: str, caption: str) -> Table:
    """What downloads, uploads and both add to a round trip; for programs every delay and rate."""
    idle, *full = rows[0].phases
    columns: list[Column[QueueUnderLoad]] = [
        Column("queue", lambda row: text(row.name), "queue", words=True),
        Column(
            "idle_round_trip_ms",
            lambda row: _round_trip(row.phases[idle].round_trip_ms()),
            "idle",
        ),
        *(Column(f"{phase}_added_ms", partial(_added, phase=phase), f"+ {phase}") for phase in full),
        Column("lost_percent", lambda row: number(row.lost_percent, ".1f"), "lost %"),
        *(
            Column(f"{phase}_goodput_down_mbps", partial(_downloads, phase=phase), title)
            for phase, title in ((Phase.DOWNLOAD, "down"), (Phase.BOTH, "beside up"))
        ),
        Column(
            "grade",
            lambda row: text(row.grade.name if row.grade else "–", value=row.grade and row.grade.name),
            "grade",
            words=True,
        ),
    ]
    there = {column.name for column in columns}
    others = [name for name in rows[0].numbers() if name not in there]
    columns += [in_csv(name, lambda row, name=name: row.numbers()[name]) for name in others]  # type: ignore[misc]
    return Table.of(rows, columns, title=title, caption=caption)


def _added(row: QueueUnderLoad, *, phase: Phase) -> TableCell:
    return _round_trip(row.added_ms(phase))


def _downloads(row: QueueUnderLoad, *, phase: Phase) -> TableCell:
    """What downloads carry: alone, or beside uploads, whose line their acknowledgements share."""
    return number(row.phases[phase].goodput_mbps["down"], ".3g")


def _round_trip(milliseconds: float) -> TableCell:
    """A median round trip; the word for one of which half do not return."""
    if math.isinf(milliseconds):
        return number(None, absent="lost")
    return number(milliseconds, ".1f")
