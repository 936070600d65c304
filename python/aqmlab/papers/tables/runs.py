"""Single runs: the published quantities of each, and the load that its users offered.

A cell without a quantity, such as the rate of datagrams where none are sent, has an empty field there.
A published table that has the cell needs the number, and fails without it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from aqmlab.errors import MissingDataError
from aqmlab.statistics.recorded import seed
from aqmlab.tables.model import Table, named

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from aqmlab.load.matching import MatchedLoad
    from aqmlab.papers.study import Study
    from aqmlab.statistics.quantity import Measured, Quantity

REPLICATIONS = "replications.csv"
"""What the table is called in the folder of a reproduction."""


def replications(study: Study) -> Table:
    """A row for each run, a column for each quantity that a published table has."""
    quantities = {
        column.quantity.name: column.quantity
        for published in study.experiment.published.tables
        for column in published.columns
    }
    rows = [
        {"cell": cell[0], "load_percent": cell[1], "seed": seed(run.result), **_values(run, quantities)}
        for cell in study.cells
        for run in sorted(study.measured(*cell), key=lambda run: seed(run.result))
    ]
    return Table.of(rows, [*map(named, ("cell", "load_percent", "seed", *quantities))])


def _values(run: Measured, quantities: Mapping[str, Quantity]) -> dict[str, float | None]:
    found: dict[str, float | None] = dict.fromkeys(quantities)
    for name, quantity in quantities.items():
        with suppress(MissingDataError):
            found[name] = quantity.of(run)
    return found


def loads(matched: Iterable[MatchedLoad]) -> Table:
    """Nominal and realised load of each replication, a column for each population and link."""
    matches = list(matched)
    parts = dict.fromkeys(part for match in matches for part in match.sizes)
    links = dict.fromkeys(link for match in matches for link in match.realised_mbps)
    columns = [
        named("nominal_percent", "nominal", unit=" %"),
        named("seed", "seed", form="d"),
        *(named(part, part, form="d") for part in parts),
        named("nominal_mbps"),
        named("realised_mean_percent", "realised, mean", form=".2f", unit=" %"),
        *(named(f"{link}.realised_mbps", f"{link}, Mbit/s", form=".2f") for link in links),
        *map(named, ("runs", "warnings")),
    ]
    rows = [
        {
            "nominal_percent": match.nominal_percent,
            "seed": match.seed,
            **{part: match.sizes.get(part) for part in parts},
            "nominal_mbps": match.nominal_mbps,
            "realised_mean_percent": match.realised_percent,
            **{f"{link}.realised_mbps": match.realised_mbps.get(link) for link in links},
            "runs": match.attempts,
            "warnings": "; ".join(match.warnings),
        }
        for match in matches
    ]
    return Table.of(rows, columns)
