"""Nominal and realised offered load of every replication."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aqmlab.load.matching import MatchedLoad


def loads_to_csv(loads: Iterable[MatchedLoad]) -> str:
    """Nominal and realised load of each replication as CSV, a column for each population and link."""
    matches = list(loads)
    parts = dict.fromkeys(part for match in matches for part in match.sizes)
    links = dict.fromkeys(link for match in matches for link in match.realised_mbps)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["nominal_percent", "seed", *parts, "nominal_mbps", "realised_mean_percent",
                     *(f"{link}.realised_mbps" for link in links), "runs", "warnings"])  # fmt: skip
    for match in matches:
        writer.writerow([
            match.nominal_percent,
            match.seed,
            *(match.sizes.get(part, "") for part in parts),
            match.nominal_mbps,
            match.realised_percent,
            *(match.realised_mbps.get(link, "") for link in links),
            match.attempts,
            "; ".join(match.warnings),
        ])  # fmt: skip
    return text.getvalue()
