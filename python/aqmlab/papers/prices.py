"""What a per cent of missing requests costs in points of loss: a price that every row of a table has.

A paper's row contradicts every other if its price lies outside what its neighbours have in the paper, and
outside what they and the cell itself have in our runs under every setting, by more than the last printed
digits. Then no setting of ours gives the row, and what was different about it is not printed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from aqmlab.errors import ExperimentError
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.papers.documents import Numbers, Price
    from aqmlab.papers.proofs import Proven
    from aqmlab.papers.published import PublishedRow, PublishedTable


def require_outside(
    proven: Proven, price: Price, tables: Sequence[PublishedTable], numbers: Sequence[Numbers]
) -> None:
    """Whether the published price of every cell lies outside all others, at its load.

    Raises:
        ExperimentError: It does not; the message names the first cell, its price and the others.
    """
    place = f"{proven.name}.csv"
    by_name = {table.identifier: table for table in tables}
    for entry in numbers:
        table = by_name[entry.table]
        for cell, load in table.rows:
            if not any(entry.include(entry.table, cell, load, each.quantity.name) for each in table.columns):
                continue
            own = _published_prices(table, price, cell, load)
            others = [
                *(each for near in price.neighbours for each in _published_prices(table, price, near, load)),
                *(
                    each
                    for near in (cell, *price.neighbours)
                    for each in _our_prices(proven, price, near, load)
                ),
            ]
            if max(own) < min(others) or min(own) > max(others):
                continue
            raise ExperimentError(
                f"{place}: {cell} at {load:g} %: its price, {min(own):.2f} to {max(own):.2f}, is one that "
                f"the others have: {min(others):.2f} to {max(others):.2f}"
            )


def _published_prices(table: PublishedTable, price: Price, cell: str, load: float) -> list[float]:
    """The lowest and the highest price that rounds to what the paper prints."""
    row, plain = table.row(cell, load), table.row(price.against, load)
    if row is None or plain is None:
        raise ExperimentError(f"table {table.identifier} has no {quoted(cell)} at {load:g} %")
    points, left, full = (
        _as_printed(table, each, name)
        for each, name in ((row, price.points), (row, price.of), (plain, price.of))
    )
    return [
        price_of(points[0], left[0], full[1]),
        price_of(points[1], left[1], full[0]),
    ]


def _as_printed(table: PublishedTable, row: PublishedRow, name: str) -> tuple[float, float]:
    """The least and the most that rounds to a printed number."""
    (column,) = (each.name for each in table.columns if each.quantity.name == name)
    value, digits = row.values[name], row.text[column].partition(".")[2]
    half = 0.5 * 10.0 ** -len(digits)
    return value - half, value + half


def _our_prices(proven: Proven, price: Price, cell: str, load: float) -> list[float]:
    """The price of a cell in our runs under each setting."""

    def mean(setting: str, of: str, name: str) -> float:
        found = proven.means.get((setting, of, load, name))
        if found is None:
            raise ExperimentError(f"{proven.name}.csv: {of} at {load:g} %, {name}: not in the file of runs")
        return found

    return [
        price_of(
            mean(each.name, cell, price.points),
            mean(each.name, cell, price.of),
            mean(each.name, price.against, price.of),
        )
        for each in proven.declared.settings
    ]


def price_of(points: float, left: float, full: float) -> float:
    """Points for each per cent that is missing where `left` of `full` is there; infinite where nothing is."""
    missing_percent = 100.0 * (1.0 - left / full)
    return points / missing_percent if missing_percent > 0.0 else math.inf
