"""What each scale of an experiment costs on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.statistics.tidy import tidy_numbers
from aqmlab.tables.model import Column, Standing, Table, TableCell, number, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

    from aqmlab.papers.cost import Cost

_MINUTE_S, _HOUR_S = 60.0, 3600.0
_LONGEST_IN_MINUTES_S = 2.0 * _HOUR_S


def table_of(
    costs: Sequence[Cost], *, study: str, chosen: str, workers: int, hosts: str | None = None
) -> Table:
    """A row for each scale of a study; the chosen one stands out.

    Args:
        costs: Of each scale.
        study: The study.
        chosen: The name of the scale that runs.
        workers: How many runs are made at a time.
        hosts: The profile that it runs with as well as with its own hosts, if any.
    """
    both = "" if hosts is None else f" with {hosts} hosts and with its own"
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
        title=f"{study}{both}: estimated run time of each scale on this machine",
        caption="estimated from short test runs; finished runs are not repeated",
    )


def tidy(costs: Iterable[tuple[str, Cost]], *, workers: int) -> pa.Table:
    """The same of several studies in the columns of `aqmlab.frame`."""
    return tidy_numbers(
        (
            f"{study}, {cost.scale}",
            None,
            {
                "runs": float(cost.runs),
                "simulated_s": cost.simulated_s,
                "core_s": cost.core_s,
                "expected_s": cost.core_s / workers,
            },
        )
        for study, cost in costs
    )


def total_of(costs: Sequence[Cost], *, workers: int) -> str:
    """In words what several scales take together, one after the other."""
    core_s = sum(cost.core_s for cost in costs)
    return f"{told(core_s)} on one core, {told(core_s / workers)} on {workers}"


def _name(cost: Cost, chosen: str) -> TableCell:
    return text(cost.scale, Standing.WITHIN if cost.scale == chosen else Standing.PLAIN)


def _lasting(seconds: float) -> TableCell:
    return text(told(seconds), value=seconds)


def told(seconds: float) -> str:
    """A time in words, such as `12 min`."""
    if seconds < 2.0 * _MINUTE_S:
        return f"{seconds:.0f} s"
    if seconds < _LONGEST_IN_MINUTES_S:
        return f"{seconds / _MINUTE_S:.0f} min"
    return f"{seconds / _HOUR_S:.1f} h"
