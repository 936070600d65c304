"""Numbers as people say them: two or three digits, the usual unit, correct plurals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "bit_rate", "counted", "delay", "duration", "is_nothing", "length_of_each", "line_rate", "line_rates",
    "listed", "percent", "share_of_time", "span", "span_of_ratios", "times_as_long",
]  # fmt: skip

MOST_NAMED = 4
"""The most words of a list that are named; the others are counted."""
_MILLISECONDS = 1000.0
_MANY = 10.0
MANY_TIMES = 2.0
"""From this ratio on a time is told as so many times another, below it in per cent more or less."""
_LESS = "% less time"


def duration(seconds: float) -> str:
    """A time: 6.6 ms, 18 ms, 0.92 s, 5.3 s, 42 s, 117 s, 1,200 s."""
    if not math.isfinite(seconds):
        return "longer than the run"
    if abs(seconds) < 0.0995:
        return f"{_digits(seconds * _MILLISECONDS)} ms"
    return f"{_digits(seconds)} s"


def delay(milliseconds: float) -> str:
    """A delay of packets: 6.6 ms, 18 ms, 194 ms, 1.2 s."""
    if not math.isfinite(milliseconds):
        return "longer than the run"
    if abs(milliseconds) >= _MILLISECONDS - 0.5:
        return f"{_digits(milliseconds / _MILLISECONDS)} s"
    return f"{_digits(milliseconds)} ms"


def percent(value: float | None) -> str:
    """A share: 72 %, 4.6 %, 0.12 %, 0.0034 %; a dash where there is none."""
    if value is None:
        return "–"
    return f"{value:.2g} %" if 0.0 < abs(value) < 0.0995 else f"{_digits(value)} %"


def share_of_time(value: float) -> str:
    """A share of time in a sentence: 0 %, 0.12 %, 4.6 %, 72 %."""
    return percent(value) if value else "0 %"


def bit_rate(mbps: float) -> str:
    """A bit rate: 0 Mbit/s, 0.35 Mbit/s, 1.6 Mbit/s, 12 Mbit/s."""
    return f"{_digits(mbps) if mbps else 0} Mbit/s"


def is_nothing(lower_s: float, upper_s: float) -> bool:
    """Whether both ends of a difference are zero in print."""
    ends = [_MILLISECONDS * each for each in (lower_s, upper_s)]
    return all(math.isfinite(each) and round(each, 2) == 0.0 for each in ends)


def span(lower_s: float, upper_s: float) -> str:
    """From one time to another, with one unit where they share it: 2.5 to 6.3 s, 80 ms to 1.2 s."""
    lower, upper = duration(lower_s), duration(upper_s)
    number, _, unit = lower.partition(" ")
    return f"{number} to {upper}" if upper.endswith(f" {unit}") else f"{lower} to {upper}"


def length_of_each(shortest_s: float, longest_s: float) -> str:
    """The length of some windows in seconds: 30 s, 102.5 s, 50.7 to 55 s."""
    lengths = [_three_digits(each) for each in (shortest_s, longest_s)]
    return f"{' to '.join(dict.fromkeys(lengths))} s"


def line_rate(mbps: float) -> str:
    """The rate of a line, of which people know three digits: 100 Mbit/s, 49.2 Mbit/s, 9.85 Mbit/s."""
    return f"{_three_digits(mbps)} Mbit/s"


def line_rates(down_mbps: float, up_mbps: float) -> str:
    """Both rates of a line: 100 Mbit/s down and 10 up."""
    return f"{line_rate(down_mbps)} down and {_three_digits(up_mbps)} up"


def _three_digits(value: float) -> str:
    """Three digits that count, or all before the point and one behind it."""
    return f"{round(value, 1) if value >= _MANY else float(f'{value:.3g}'):g}"


def span_of_ratios(lower: float, upper: float) -> str:
    """From one ratio of times to another: 59 to 72 %, 10 % less to 20 % longer, 2.5 to 3.8 times."""
    (first, words), (last, others) = _ratio(lower), _ratio(upper)
    if words != others:
        # What is less time is the only thing that is not longer than before.
        return f"{first} {words.removesuffix(' time')} to {last} {others}"
    unit = words.partition(" ")[0]
    return f"{last} to {first} {unit}" if words == _LESS else f"{first} to {last} {unit}"


def listed(words: Sequence[str], *, most: int = MOST_NAMED + 1) -> str:
    """Words in a row: "a", "a and b", "a, b and c", "a, b, c, d and 3 others"."""
    if len(words) > most:
        return f"{', '.join(words[: most - 1])} and {len(words) - most + 1} others"
    return " and ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else "".join(words)


def times_as_long(ratio: float) -> str:
    """A ratio of two times: 66 % less time, 99.6 % less time, 20 % longer, 3.1 times as long."""
    number, words = _ratio(ratio)
    return f"{number} {words}"


def _ratio(ratio: float) -> tuple[str, str]:
    if ratio >= MANY_TIMES:
        return _digits(ratio), "times as long"
    return _percent_of_change(100.0 * abs(ratio - 1.0)), _LESS if ratio < 1.0 else "% longer"


def _percent_of_change(share: float) -> str:
    """Whole per cent; with decimals below one, and as many as keep what is less than all from being all."""
    if share < 0.95:
        return f"{share:.1f}"
    places = next((places for places in range(4) if float(f"{share:.{places}f}") != 100.0), 0)
    return f"{share:.{places}f}"


def _digits(value: float) -> str:
    size = abs(value)
    if size < 9.95:
        places = 1 if size >= 0.995 or size == 0.0 else 2
        return f"{value:z.{places}f}"
    return f"{value:,.0f}"
