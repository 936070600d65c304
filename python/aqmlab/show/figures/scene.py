"""A picture as data: lines, areas and words at their places in pixels, from which SVG, PDF and PNG are made.

What a figure looks like is decided once, where its scene is made; `scene_svg` and `scene_print` write it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from aqmlab.show.figures.looks import BLACK, MARK, SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]

GROUND, FAINT, SOFT = "#ffffff", "#dddddd", "#7f7f7f"
"""Colours that a page replaces by its own, as it does those of `looks.SEQUENCE`."""

Anchor = Literal["start", "middle", "end"]
TEXT_PIXELS = 12.0


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line through some points; those that are not numbers interrupt it."""

    points: FloatArray
    colour: str
    width: float = 1.0
    dash: tuple[float, ...] = ()
    arrow: bool = False


@dataclass(frozen=True, slots=True)
class Area:
    """A filled area."""

    points: FloatArray
    colour: str
    opacity: float = 1.0
    edge: str = ""
    edge_width: float = 1.0


@dataclass(frozen=True, slots=True)
class Words:
    """A text on one line; `y` is its base line."""

    x: float
    y: float
    text: str
    size: float = TEXT_PIXELS
    anchor: Anchor = "start"
    colour: str = BLACK
    bold: bool = False

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom, in the widest of common fonts."""
        width = width_of(self.text, self.size, bold=self.bold)
        left = self.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[self.anchor] * width
        return left, self.y - 0.78 * self.size, left + width, self.y + 0.24 * self.size


Item: TypeAlias = Stroke | Area | Words


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture of some width and height in pixels; later items cover earlier ones."""

    width: float
    height: float
    items: tuple[Item, ...]

    def marked(self, mark: str) -> Scene:
        """With a warning in a line of its own at the foot."""
        foot = Words(self.width - 4.0, self.height + 11.0, mark, 10.0, "end", MARK)
        return replace(self, height=self.height + 16.0, items=(*self.items, foot))

    @property
    def words(self) -> Iterator[Words]:
        """The texts in it."""
        return (each for each in self.items if isinstance(each, Words))


def marker(shape: str, x: float, y: float, size: float, colour: str) -> Area:
    """A marker at a place."""
    return Area(np.array([(x + size * dx, y + size * dy) for dx, dy in SHAPES[shape]]), colour)


def box(left: float, top: float, width: float, height: float) -> FloatArray:
    """The corners of a box."""
    right, bottom = left + width, top + height
    return np.array([(left, top), (right, top), (right, bottom), (left, bottom)])


def path(*points: Sequence[float]) -> FloatArray:
    """Points of a line."""
    return np.array(points, dtype=np.float64)


_WIDTHS = (
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79,
    69, 63, 61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28,
    58, 28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84,
)  # fmt: skip
"""Of the ASCII characters from the space on, in hundredths of the size, of DejaVu Sans, a wide font."""
_OTHER_WIDTH, _BOLD = 84, 1.12


def width_of(text: str, size: float = TEXT_PIXELS, *, bold: bool = False) -> float:
    """How wide a text is at most, in pixels."""
    hundredths = sum(_WIDTHS[ord(each) - 32] if " " <= each <= "~" else _OTHER_WIDTH for each in text)
    return size * hundredths / 100.0 * (_BOLD if bold else 1.0)
