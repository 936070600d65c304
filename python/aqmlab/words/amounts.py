"""Numbers as people say them: two or three digits, the usual unit, correct plurals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from aqmlab.terminal.spelling import counted, unbroken

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["counted", "delay", "duration", "listed", "percent", "span", "unbroken"]

MOST_NAMED = 4
"""The most words of a list that are named; the others are counted."""
_MILLISECONDS = 1000.0


def duration(seconds: float) -> str:
    """A time: 6.6 ms, 18 ms, 0.92 s, 5.3 s, 42 s, 117 s, 1,200 s."""
    if not math.isfinite(seconds):
        return "longer than the run"
    if abs(seconds) < 0.0995:
        return f"{_digits(seconds * _MILLISECONDS)} ms"
    return f"{_digits(seconds)} s"


def delay(milliseconds: float) -> str:
    """A delay of packets: 6.6 ms, 18 ms, 194 ms, 1.2 s."""
    if abs(milliseconds) >= _MILLISECONDS - 0.5:
        return f"{_digits(milliseconds / _MILLISECONDS)} s"
    return f"{_digits(milliseconds)} ms"


def percent(value: float | None) -> str:
    """A share: 72 %, 4.6 %, 0.12 %, 0.0034 %; a dash where there is none."""
    if value is None:
        return "–"
    return f"{value:.2g} %" if 0.0 < abs(value) < 0.0995 else f"{_digits(value)} %"


def span(lower_s: float, upper_s: float) -> str:
    """From one time to another, with one unit where they share it: 2.5 to 6.3 s, 80 ms to 1.2 s."""
    lower, upper = duration(lower_s), duration(upper_s)
    number, _, unit = lower.partition(" ")
    return f"{number} to {upper}" if upper.endswith(f" {unit}") else f"{lower} to {upper}"


def listed(words: Sequence[str], *, most: int = MOST_NAMED + 1) -> str:
    """Words in a row: "a", "a and b", "a, b and c", "a, b, c, d and 3 others"."""
    if len(words) > most:
        return f"{', '.join(words[: most - 1])} and {len(words) - most + 1} others"
    return " and ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else "".join(words)


def _digits(value: float) -> str:
    """Two digits that count, or all before the point."""
    size = abs(value)
    if size < 9.95:
        places = 1 if size >= 0.995 or size == 0.0 else 2
        return f"{value:.{places}f}"
    return f"{value:,.0f}"
