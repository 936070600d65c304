"""The ticks of an axis and the numbers at them: at least three, in steps of 1, 2 and 5."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LEAST_TICKS, MOST_TICKS = 3, 9
_LINEAR = (1.0, 2.0, 2.5, 5.0)
_LOGARITHMIC: tuple[tuple[float, ...], ...] = ((1, 2, 5), (1, 3), (1,))
_DENSE = (1, 1.5, 2, 3, 5, 7)
_MOST_DECADES = 4
_TOLERANCE = 1e-9

Kind = Literal["time", "percent", "bytes", "number"]


def ticks(least: float, most: float, *, log: bool, gap: float) -> list[float]:
    """Where the ticks of an axis are.

    Args:
        least: Where the axis begins.
        most: Where it ends, beyond `least`.
        log: Whether it is logarithmic; then `least` is above zero.
        gap: Minimum gap between neighbours as a share of the axis, which keeps labels apart.
    """
    return _logarithmic(least, most, gap) if log else _linear(least, most, gap)


def _linear(least: float, most: float, gap: float) -> list[float]:
    enough = []
    for step in _steps(most - least):
        first, last = _range_of(least, most, step)
        if (count := last - first + 1) < LEAST_TICKS:
            continue
        enough.append(step)
        if count <= MOST_TICKS and step >= gap * (most - least):
            return _multiples(least, most, step)
    return _multiples(least, most, enough[-1])


def _steps(span: float) -> Iterator[float]:
    """Steps people count in, from small to large, over a span."""
    power = math.floor(math.log10(span))
    for exponent in (power - 2, power - 1, power):
        yield from (each * 10.0**exponent for each in _LINEAR)


def _multiples(least: float, most: float, step: float) -> list[float]:
    first, last = _range_of(least, most, step)
    return [_rounded(at * step) for at in range(first, last + 1)]


def _range_of(least: float, most: float, step: float) -> tuple[int, int]:
    """The first and the last multiple of a step between two numbers, in steps."""
    return math.ceil(least / step - _TOLERANCE), math.floor(most / step + _TOLERANCE)


def _rounded(value: float) -> float:
    """Without the last digits, which multiplication leaves."""
    return float(f"{value:.12g}")


def _logarithmic(least: float, most: float, gap: float) -> list[float]:
    decades = math.log10(most / least)
    candidates = [
        *(_in_decades(least, most, mantissas, 1) for mantissas in _LOGARITHMIC),
        *(_in_decades(least, most, (1,), every) for every in range(2, _MOST_DECADES + 1)),
        _in_decades(least, most, _DENSE, 1),
    ]
    for found in candidates:
        narrowest = min((math.log10(b / a) / decades for a, b in pairwise(found)), default=0.0)
        if len(found) >= LEAST_TICKS and narrowest >= gap:
            return found
    return _few_of_many(least, most, gap)


def _in_decades(least: float, most: float, mantissas: Sequence[float], every: int) -> list[float]:
    first, last = math.floor(math.log10(least)), math.ceil(math.log10(most))
    places = (
        _rounded(mantissa * 10.0**power)
        for power in range(first, last + 1)
        if power % every == 0
        for mantissa in mantissas
    )
    return [at for at in places if least * (1 - _TOLERANCE) <= at <= most * (1 + _TOLERANCE)]


def _few_of_many(least: float, most: float, gap: float) -> list[float]:
    """Within less than a decade: multiples of a step, of which those stay whose labels have room."""
    length = math.log(most / least)
    for share in (1.0, 0.8, 0.6, 0.4, 0.0):
        for step in _steps(most - least):
            kept: list[float] = []
            for at in _multiples(least, most, step):
                if at > 0.0 and (not kept or math.log(at / kept[-1]) >= share * gap * length):
                    kept.append(at)
            if LEAST_TICKS <= len(kept) <= MOST_TICKS:
                return kept
    raise AssertionError("a step of a hundredth of the span has three multiples in it")


@dataclass(frozen=True, slots=True)
class Unit:
    """How the numbers of an axis are written.

    Attributes:
        words: What stands at the axis.
        kind: Which words follow a number.
        factor: What a value is multiplied by to be in seconds, per cent or bytes.
    """

    words: str
    kind: Kind = "number"
    factor: float = 1.0


_UNITS: dict[str, tuple[Kind, float]] = {
    "s": ("time", 1.0),
    "ms": ("time", 1e-3),
    "%": ("percent", 1.0),
    "bytes": ("bytes", 1.0),
    "kB": ("bytes", 1e3),
}


def unit_of(label: str) -> Unit:
    """How the numbers of an axis are written whose label ends with their unit, as in `response time, s`."""
    words, comma, unit = label.rpartition(", ")
    if comma and unit in _UNITS:
        return Unit(words, *_UNITS[unit])
    return Unit(label, "percent", 100.0) if label.startswith("share") else Unit(label)


def written(value: float, unit: Unit, *, digits: int = 3) -> str:
    """A number with its unit and a given number of digits: 18 ms, 1.2 s, 340 kB, 12.5 %."""
    value *= unit.factor
    if value == 0.0:
        return "0 %" if unit.kind == "percent" else "0"
    sign, size = ("−" if value < 0.0 else ""), abs(value)
    match unit.kind:
        case "time":
            return sign + (
                f"{_plain(size, digits)} s"
                if size >= 1.0 - _TOLERANCE
                else f"{_plain(1e3 * size, digits)} ms"
            )
        case "percent":
            return f"{sign}{_plain(size, digits)} %"
        case "bytes":
            return sign + _bytes(size, digits)
        case _:
            return sign + _plain(size, digits)


def _bytes(size: float, digits: int) -> str:
    for factor, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= factor * (1.0 - _TOLERANCE):
            return f"{_plain(size / factor, digits)} {name}"
    return f"{_plain(size, digits)} B"


def _plain(value: float, digits: int) -> str:
    """In significant digits without zeros at the end, whole numbers in full; from ten million on in M."""
    for factor, name in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if value >= max(factor, 1e7):
            return f"{_plain(value / factor, digits)} {name}"
    decimals = max(0, digits - 1 - math.floor(math.log10(value)))
    text = f"{value:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
