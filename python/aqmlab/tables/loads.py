"""Nominal and realised offered load of every replication."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.tables.model import Column, Medium, Table, TableCell, number, value_only

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from aqmlab.load.matching import MatchedLoad

    Columns = list[tuple[Column, Callable[[MatchedLoad], TableCell]]]


def table_of(loads: Iterable[MatchedLoad]) -> Table:
    """Nominal and realised load of each replication, a column for each population and link."""
    matches = list(loads)
    parts = dict.fromkeys(part for match in matches for part in match.sizes)
    links = dict.fromkeys(link for match in matches for link in match.realised_mbps)
    columns: Columns = [
        (Column("nominal_percent", "nominal"), lambda match: number(match.nominal_percent, unit=" %")),
        (Column("seed", "seed"), lambda match: number(match.seed, "d")),
        *(
            (Column(part, part), lambda match, part=part: number(match.sizes.get(part), "d"))
            for part in parts
        ),
        (Column("nominal_mbps", media=Medium.CSV), lambda match: value_only(match.nominal_mbps)),
        (
            Column("realised_mean_percent", "realised, mean"),
            lambda match: number(match.realised_percent, ".2f", unit=" %"),
        ),
        *(
            (
                Column(f"{link}.realised_mbps", f"{link}, Mbit/s"),
                lambda match, link=link: number(match.realised_mbps.get(link), ".2f"),
            )
            for link in links
        ),
        (Column("runs", media=Medium.CSV), lambda match: value_only(match.attempts)),
        (Column("warnings", media=Medium.CSV), lambda match: value_only("; ".join(match.warnings))),
    ]
    return Table.of(matches, columns)
