"""Delay under load, a row for each queue management, as a table."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from aqmlab.tables.model import Column, Table, TableCell, in_csv, number, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aqmlab.study.bloat import Phase, QueueUnderLoad


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
        Column(
            "grade",
            lambda row: text(row.grade.name if row.grade else "–", value=row.grade and row.grade.name),
            "grade",
            words=True,
        ),
        *_of_phases(rows),
    ]
    return Table.of(rows, columns, title=title, caption=caption)


def _added(row: QueueUnderLoad, *, phase: Phase) -> TableCell:
    return _round_trip(row.added_ms(phase))


def _round_trip(milliseconds: float) -> TableCell:
    """A median round trip; the word for one of which half do not return."""
    if math.isinf(milliseconds):
        return number(None, absent="lost")
    return number(milliseconds, ".1f")


def _of_phases(rows: Sequence[QueueUnderLoad]) -> Iterator[Column[QueueUnderLoad]]:
    """One-way delays, losses and rates, which only programs read."""
    for phase, loaded in rows[0].phases.items():
        for way, delays in loaded.delay_ms.items():
            for share in delays:
                yield in_csv(
                    f"{phase}_delay_{way}_p{share}_ms", partial(_delay, phase=phase, way=way, share=share)
                )
            yield in_csv(f"{phase}_loss_{way}_percent", partial(_lost, phase=phase, way=way))
        for way in loaded.goodput_mbps:
            yield in_csv(f"{phase}_goodput_{way}_mbps", partial(_goodput, phase=phase, way=way))


def _delay(row: QueueUnderLoad, *, phase: Phase, way: str, share: int) -> float | None:
    """A percentile; none that falls to probes that were lost, which the share of losses tells."""
    milliseconds = row.phases[phase].delay_ms[way][share]
    return milliseconds if math.isfinite(milliseconds) else None


def _lost(row: QueueUnderLoad, *, phase: Phase, way: str) -> float:
    return row.phases[phase].lost_percent[way]


def _goodput(row: QueueUnderLoad, *, phase: Phase, way: str) -> float:
    return row.phases[phase].goodput_mbps[way]
