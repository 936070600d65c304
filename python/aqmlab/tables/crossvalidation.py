"""Simulation and live run side by side, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.statistics.replication import NotEnoughReplications
from aqmlab.tables.model import Column, Table, TableCell, number, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.live_runs.crossvalidation import Compared
    from aqmlab.statistics.replication import Interval


_WORDS = {True: "differs", False: "no difference shown", None: "too few seeds"}


def crossvalidation_table(rows: Sequence[Compared], *, title: str) -> Table:
    """A row for each quantity: the means with their ranges, the paired differences with their intervals."""
    columns: list[Column[Compared]] = [
        Column("quantity", lambda row: text(row.quantity.name), "quantity", words=True),
        Column("simulated", lambda row: _range(row, row.simulated), "simulated"),
        Column("live", lambda row: _range(row, row.live), "live"),
        Column("difference", lambda row: _difference(row, row.difference), "live less simulated"),
        Column("difference_percent", _share, "%"),
        Column("verdict", lambda row: text(_WORDS[row.differs]), "verdict", words=True),
    ]
    if any(row.kernel for row in rows):
        columns += [
            Column("kernel", lambda row: _range(row, row.kernel), "kernel's queues"),
            Column("kernel_difference", _kernel_difference, "kernel less live"),
            Column("kernel_verdict", lambda row: text(_WORDS[row.kernel_differs]), "verdict", words=True),
        ]
    caption = (
        "mean, with the smallest and largest seed in brackets; differences with 95 % intervals, also in "
        "% of the simulated value"
    )
    return Table.of(rows, columns, title=title, caption=caption)


def _range(row: Compared, values: Sequence[float]) -> TableCell:
    mean = sum(values) / len(values)
    least, greatest = (_said(row, value) for value in (min(values), max(values)))
    return text(f"{_said(row, mean)} [{least}, {greatest}]", value=mean)


def _kernel_difference(row: Compared) -> TableCell:
    found = row.kernel_difference
    return text("–", value=None) if found is None else _difference(row, found)


def _difference(row: Compared, found: Interval | NotEnoughReplications) -> TableCell:
    if isinstance(found, NotEnoughReplications):
        return text("–" if found.mean is None else _said(row, found.mean), value=found.mean)
    mean, lower, upper = (_said(row, value) for value in (found.mean, found.lower, found.upper))
    return text(f"{mean} [{lower}, {upper}]", value=found.mean)


def _share(row: Compared) -> TableCell:
    """The difference as a share of what was simulated."""
    simulated = sum(row.simulated) / len(row.simulated)
    live = sum(row.live) / len(row.live)
    return number(100.0 * (live - simulated) / simulated if simulated else None, "+.1f")


def _said(row: Compared, value: float) -> str:
    return f"{value:.{max(row.quantity.digits, 2)}f}"
