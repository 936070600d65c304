"""What each scale of an experiment costs on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.tables.model import Column, Standing, Table, TableCell, number, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.reproduce.cost import Cost

_MINUTE_S, _HOUR_S = 60.0, 3600.0
_LONGEST_IN_MINUTES_S = 2.0 * _HOUR_S


def table_of(costs: Sequence[Cost], *, chosen: str, workers: int) -> Table:
    """A row for each scale; the chosen one stands out."""
    columns: list[Column[Cost]] = [
        Column("scale", lambda cost: _name(cost, chosen), "scale", heads_row=True),
        Column("runs", lambda cost: number(cost.runs, ",d"), "runs"),
        Column(
            "simulated_s", lambda cost: number(cost.simulated_s / _HOUR_S, ",.1f", unit=" h"), "simulated"
        ),
        Column("core_s", lambda cost: _lasting(cost.core_s), "on one core"),
        Column("expected_s", lambda cost: _lasting(cost.core_s / workers), f"on {workers}"),
    ]
    return Table.of(
        costs,
        columns,
        title="estimated run time of each scale on this machine",
        caption="estimated from short test runs; finished runs are not repeated",
    )


def _name(cost: Cost, chosen: str) -> TableCell:
    return text(cost.scale, Standing.WITHIN if cost.scale == chosen else Standing.PLAIN)


def _lasting(seconds: float) -> TableCell:
    if seconds < 2.0 * _MINUTE_S:
        words = f"{seconds:.0f} s"
    elif seconds < _LONGEST_IN_MINUTES_S:
        words = f"{seconds / _MINUTE_S:.0f} min"
    else:
        words = f"{seconds / _HOUR_S:.1f} h"
    return text(words, value=seconds)
