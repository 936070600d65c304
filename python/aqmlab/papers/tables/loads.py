"""Nominal and realised offered load of every replication."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.tables.model import Column, Table, in_csv, number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aqmlab.load.matching import MatchedLoad


def table_of(loads: Iterable[MatchedLoad]) -> Table:
    """Nominal and realised load of each replication, a column for each population and link."""
    matches = list(loads)
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
