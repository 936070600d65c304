"""Single runs: the published quantities of each, and the load that its users offered.

A cell without a quantity, such as the rate of datagrams where none are sent, has an empty field there.
A published table that has the cell needs the number, and fails without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.errors import MissingDataError
from aqmlab.statistics.recorded import seed
from aqmlab.tables.model import Column, Table, in_csv, number

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
    names = ("cell", "load_percent", "seed", *quantities)
    columns = [in_csv(name, lambda row, name=name: row.get(name)) for name in names]  # type: ignore[misc]
    return Table.of(rows, columns)


def _values(run: Measured, quantities: Mapping[str, Quantity]) -> dict[str, float]:
    found = {}
    for name, quantity in quantities.items():
        try:
            found[name] = quantity.of(run)
        except MissingDataError:
            continue
    return found


def loads(matched: Iterable[MatchedLoad]) -> Table:
    """Nominal and realised load of each replication, a column for each population and link."""
    matches = list(matched)
    parts = dict.fromkeys(part for match in matches for part in match.sizes)
    links = dict.fromkeys(link for match in matches for link in match.realised_mbps)
    columns: list[Column[MatchedLoad]] = [
        Column("nominal_percent", lambda match: number(match.nominal_percent, unit=" %"), "nominal"),
        Column("seed", lambda match: number(match.seed, "d"), "seed"),
        *(Column(part, lambda match, part=part: number(match.sizes.get(part), "d"), part) for part in parts),  # type: ignore[misc]
        in_csv("nominal_mbps", lambda match: match.nominal_mbps),
        Column(
            "realised_mean_percent",
            lambda match: number(match.realised_percent, ".2f", unit=" %"),
            "realised, mean",
        ),
        *(
            Column(
                f"{link}.realised_mbps",
                lambda match, link=link: number(match.realised_mbps.get(link), ".2f"),  # type: ignore[misc]
                f"{link}, Mbit/s",
            )
            for link in links
        ),
        in_csv("runs", lambda match: match.attempts),
        in_csv("warnings", lambda match: "; ".join(match.warnings)),
    ]
    return Table.of(matches, columns)
