"""A second computation of completion times, by plain loops: of `naive_quantities`."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from naive_rows import NoNumberError, rows, window

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aqmlab.statistics import Recorded

    Row = Mapping[str, Any]


def transfers_that_count(result: Recorded, part: str) -> list[Row]:
    """The rows of transfers that began in the window, or else before its end."""
    begin, end = window(result)
    group = part.partition(".")[2]
    before = [
        row for row in rows(result, "transfers") if row["flow_group"] == group and row["started_s"] < end
    ]
    counted = [row for row in before if row["started_s"] >= begin] or before
    if not counted:
        raise NoNumberError(part)
    return counted


def transfers_within(share: Fraction, *, alone: bool = False) -> Callable[[Recorded, str], float]:
    """The least time, or times the time alone, after which at most 1 - share are estimated to last longer."""

    def of_group(result: Recorded, part: str) -> float:
        counted = transfers_that_count(result, part)
        [entry] = [each for each in result.run["flows"] if each["name"] == part.partition(".")[2]]
        if alone and not entry.get("alone_s"):
            raise NoNumberError("alone_s")
        seen = []
        for row in counted:
            done = not math.isnan(row["transfer_time_s"])
            took = row["transfer_time_s"] if done else result.run["scenario"]["duration_s"] - row["started_s"]
            seen.append((took / entry["alone_s"][row["flow"]] if alone else took, done))
        longer = Fraction(1)
        for time in sorted({time for time, done in seen if done}):
            at_risk = sum(other >= time for other, _ in seen)
            longer *= 1 - Fraction(sum(other == time and done for other, done in seen), at_risk)
            if longer <= 1 - share:
                return float(time)
        return math.inf

    return of_group
