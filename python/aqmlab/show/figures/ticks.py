"""The numbers at the ticks of an axis, with the units that people use."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

_TOLERANCE = 1e-9

Kind = Literal["time", "percent", "bytes", "number"]


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
