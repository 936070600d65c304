"""Nominal and realised offered load of every replication."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.tables.model import Column, Table, TableCell, in_csv, number

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
        in_csv("nominal_mbps", lambda match: match.nominal_mbps),
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
        in_csv("runs", lambda match: match.attempts),
        in_csv("warnings", lambda match: "; ".join(match.warnings)),
    ]
    return Table.of(matches, columns)
