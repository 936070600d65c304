"""Nominal and realised offered load of every replication."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from aqmlab.load_matching import DIRECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aqmlab.load_matching import MatchedLoad


def loads_to_csv(loads: Iterable[MatchedLoad]) -> str:
    """Nominal and realised load of each replication as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        [
            "nominal_percent",
            "seed",
            "users_left",
            "users_right",
            "nominal_mbps",
            "realised_mean_percent",
            "realised_left_to_right_mbps",
            "realised_right_to_left_mbps",
            "runs",
            "warnings",
        ]
    )
    for match in loads:
        writer.writerow(
            [
                match.nominal_percent,
                match.seed,
                match.users_left,
                match.users_right,
                match.nominal_mbps,
                match.realised_percent,
                *(match.realised_mbps.get(name, "") for name in DIRECTIONS),
                match.attempts,
                "; ".join(match.warnings),
            ]
        )
    return text.getvalue()
