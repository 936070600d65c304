"""Rows and the measured window of a result, for second computations (`naive_quantities.py`)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.statistics import Recorded

    Row = Mapping[str, Any]


class NoNumberError(Exception):
    """The run has no such number."""


def rows(result: Recorded, table: str) -> list[Row]:
    """The rows of a table."""
    if table not in result.tables:
        raise NoNumberError(table)
    return list(result.tables[table].to_pylist())


def window(result: Recorded) -> tuple[float, float]:
    """Beginning and end of the measured window."""
    return result.run["measured_from_s"], result.run["measured_until_s"]


def seconds(result: Recorded) -> float:
    """Length of the measured window."""
    begin, end = window(result)
    return end - begin


def mean(values: Sequence[float]) -> float:
    """Their sum over their number."""
    return math.fsum(values) / len(values)
