"""How lines look: one colour, pattern and marker for each scheme, in reports, plots and `aqmlab play`.

Hues are Okabe and Ito's, which readers with any colour vision can tell apart; patterns and markers tell lines
apart in black and white. A scheme looks the same whatever stands beside it. Another name gets its look from
its letters.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Choice = TypeVar("Choice")
Pattern = str | tuple[int, tuple[int, ...]]
"""Of a line: solid, dashed, dash-dot, dotted, or the lengths of its dashes and gaps after an offset."""

BLACK, GREY = "#000000", "#7f7f7f"
BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"
SEQUENCE = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK)
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
SHORT_DASHES: Pattern = (0, (5, 1, 1, 1, 1, 1))
DASHES: tuple[Pattern, ...] = ("-", "--", "-.", ":", SHORT_DASHES)
MARK = "#b2182b"
"""The colour of what warns of a figure."""
_ECN_SHADE = 0.55


@dataclass(frozen=True, slots=True)
class Line:
    """The style of a configuration's line; without a marker only the pattern distinguishes it."""

    colour: str
    pattern: Pattern
    marker: str = ""


SCHEMES: Mapping[str, Line] = {
    "drop-tail": Line(ORANGE, "-", "o"),
    "red": Line(PURPLE, "--", "<"),
    "ared": Line(VERMILION, "--", "D"),
    "pi": Line(BLUE, "--", "s"),
    "rem": Line(GREEN, "--", "^"),
    "codel": Line(VERMILION, "-", "v"),
    "pie": Line(SKY, "-", "P"),
    "fq": Line(GREEN, ":", "D"),
    "fq-codel": Line(GREEN, "-", "X"),
    "linux-fq": Line(BLACK, ":", "X"),
    "cake": Line(BLUE, "-", "D"),
    "dualpi2": Line(BLACK, "-", "s"),
    "pi2": Line(BLACK, "--", "P"),
    "cobalt": Line(VERMILION, ":", "o"),
    "blue": Line(BLUE, ":", "^"),
    "choke": Line(PURPLE, "-.", ">"),
    "arc": Line(SKY, "-.", "^"),
    "sfg": Line(ORANGE, "-.", "v"),
    "sfb": Line(BLUE, "-.", "o"),
    "red-pd": Line(PURPLE, ":", "P"),
    "prio": Line(ORANGE, ":", "s"),
    "htb": Line(GREEN, "-.", "D"),
}
"""Of each scheme; those that are often compared differ in hue."""


def look_at(place: int) -> Line:
    """The look of a line that has no name of its own, by its place from 0 on."""
    return Line(SEQUENCE[place % len(SEQUENCE)], DASHES[place % len(DASHES)], MARKERS[place % len(MARKERS)])


def looks_of_names(names: Iterable[str]) -> dict[str, Line]:
    """The look of each configuration, by its name.

    A scheme has its own. Another name has the hue, pattern and marker that its checksum chooses. If another
    name of the same figure has that hue, the later in the alphabet gets the next free hue.
    """
    listed = list(names)
    looks = {name: SCHEMES[name] for name in listed if name in SCHEMES}
    for name in sorted(set(listed) - looks.keys()):
        looks[name] = _free_look(name, looks.values())
    return {name: looks[name] for name in listed}


def _free_look(name: str, taken: Iterable[Line]) -> Line:
    first = zlib.crc32(name.encode())
    hues = _rotated(SEQUENCE, first)
    patterns = _rotated(DASHES, first // len(SEQUENCE))
    marker = MARKERS[first // (len(SEQUENCE) * len(DASHES)) % len(MARKERS)]
    used = {(look.colour, look.pattern) for look in taken}
    free = [hue for hue in hues if hue not in {colour for colour, _ in used}]
    if free:
        return Line(free[0], patterns[0], marker)
    unused = ((hue, pattern) for pattern, hue in product(patterns, hues) if (hue, pattern) not in used)
    hue, pattern = next(unused, (hues[0], patterns[0]))
    return Line(hue, pattern, marker)


def _rotated(values: tuple[Choice, ...], by: int) -> tuple[Choice, ...]:
    at = by % len(values)
    return values[at:] + values[:at]


def hue_of(look: Line) -> int | None:
    """The number of a hue in `SEQUENCE`; none of black, the ink of a page, and of other colours."""
    return SEQUENCE.index(look.colour) if look.colour in SEQUENCE[:-1] else None


def darker(colour: str) -> str:
    parts = (round(_ECN_SHADE * int(colour[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{part:02x}" for part in parts)


_SIXTEENTHS = tuple(math.tau * part / 16.0 for part in range(16))
SHAPES: Mapping[str, tuple[tuple[float, float], ...]] = {
    "o": tuple((round(math.cos(at), 2), round(math.sin(at), 2)) for at in _SIXTEENTHS),
    "s": ((-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)),
    "^": ((0, -1.1), (1, 0.8), (-1, 0.8)),
    "v": ((0, 1.1), (1, -0.8), (-1, -0.8)),
    "<": ((-1.1, 0), (0.8, -1), (0.8, 1)),
    ">": ((1.1, 0), (-0.8, -1), (-0.8, 1)),
    "D": ((0, -1.15), (1.15, 0), (0, 1.15), (-1.15, 0)),
    "P": (
        (-0.35, -1), (0.35, -1), (0.35, -0.35), (1, -0.35), (1, 0.35), (0.35, 0.35), (0.35, 1), (-0.35, 1),
        (-0.35, 0.35), (-1, 0.35), (-1, -0.35), (-0.35, -0.35),
    ),
    "X": (
        (-1, -0.6), (-0.6, -1), (0, -0.4), (0.6, -1), (1, -0.6), (0.4, 0), (1, 0.6), (0.6, 1), (0, 0.4),
        (-0.6, 1), (-1, 0.6), (-0.4, 0),
    ),
}  # fmt: skip
"""Corners of the markers, of size 1."""

_DASH_LENGTHS: Mapping[str, tuple[float, ...]] = {"-": (), "--": (7, 4), "-.": (7, 3, 1.5, 3), ":": (1.5, 3)}


def dash_lengths(pattern: Pattern) -> tuple[float, ...]:
    """Lengths of dashes and gaps in pixels, of a line of common width; none of a solid line."""
    if isinstance(pattern, str):
        return _DASH_LENGTHS[pattern]
    return tuple(2.0 * part for part in pattern[1])
