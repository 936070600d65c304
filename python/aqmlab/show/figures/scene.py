"""A picture as data: lines, areas and words at their places in pixels, from which SVG, PDF and PNG are made.

What a figure looks like is decided once, where its scene is made; `to_svg` writes it in few bytes
(neighbouring items of one style are one path), `printed` draws it with Matplotlib.
"""

from __future__ import annotations

import html
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from aqmlab.show.figures.looks import BLACK, MARK, SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aqmlab.statistics.distribution import FloatArray


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
        foot = Words(self.width - 4.0, self.height + 11.0, mark, 10.0, "end", MARK)
        return replace(self, height=self.height + 16.0, items=(*self.items, foot))

    @property
    def words(self) -> Iterator[Words]:
        return (each for each in self.items if isinstance(each, Words))


def marker(shape: str, x: float, y: float, size: float, colour: str) -> Area:
    return Area(np.array([(x + size * dx, y + size * dy) for dx, dy in SHAPES[shape]]), colour)


def box(left: float, top: float, width: float, height: float) -> FloatArray:
    right, bottom = left + width, top + height
    return np.array([(left, top), (right, top), (right, bottom), (left, bottom)])


def path(*points: Sequence[float]) -> FloatArray:
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
    hundredths = sum(_WIDTHS[ord(each) - 32] if " " <= each <= "~" else _OTHER_WIDTH for each in text)
    return size * hundredths / 100.0 * (_BOLD if bold else 1.0)


_ARROW_PIXELS = 6.0
_USUAL_SIZE = 11.0
"""Of texts; others say theirs."""


def to_svg(scene: Scene) -> str:
    """The scene as an SVG element that can stand in a page or in a file of its own."""
    size = f'width="{scene.width:g}" height="{scene.height:g}" viewBox="0 0 {scene.width:g} {scene.height:g}"'
    font = 'font-family="system-ui, Helvetica, Arial, sans-serif"'
    joins = f'stroke-linejoin="round" font-size="{_USUAL_SIZE:g}" fill="{BLACK}"'
    paths = (line for style, items in groupby(scene.items, _style) for line in _written(style, [*items]))
    lines = "\n".join(paths)
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font} {joins}>\n{lines}\n</svg>\n'


def _style(item: Item) -> tuple[object, ...]:
    """The common attributes of items that form one path; None for items written separately.

    Dashes begin anew with each path; where transparent areas overlap, both show; areas that turn in opposite
    directions would cut holes into each other.
    """
    match item:
        case Stroke() if not item.dash and not item.arrow:
            return Stroke, item.colour, item.width
        case Area() if item.opacity == 1.0 and not item.edge:
            return Area, item.colour, _turns_left(item.points)
        case _:
            return ()


def _turns_left(points: FloatArray) -> bool:
    (x, y), (next_x, next_y) = points.T, np.roll(points, -1, axis=0).T
    return bool(np.sum(x * next_y - next_x * y) < 0.0)


def _written(style: tuple[object, ...], items: list[Item]) -> Iterator[str]:
    if not style:
        yield from map(_item, items)
    elif isinstance(items[0], Stroke):
        yield _stroke(items[0], "".join(_course(each.points) for each in items if isinstance(each, Stroke)))
    elif isinstance(items[0], Area):
        yield _area(items[0], "".join(_outline(each) for each in items if isinstance(each, Area)))


def _item(item: Item) -> str:
    match item:
        case Stroke():
            head = Area(arrow_head(item), item.colour) if item.arrow else None
            return _stroke(item, _course(item.points)) + (_area(head, _outline(head)) if head else "")
        case Area():
            return _area(item, _outline(item))
        case Words():
            return _words(item)


def _stroke(item: Stroke, course: str) -> str:
    dash = f' stroke-dasharray="{" ".join(f"{part:g}" for part in item.dash)}"' if item.dash else ""
    return f'<path d="{course}" fill="none" stroke="{item.colour}" stroke-width="{item.width:g}"{dash}/>'


def arrow_head(item: Stroke) -> FloatArray:
    end = item.points[-1]
    along = end - item.points[-2]
    along = along / max(float(np.hypot(*along)), 1e-9)
    across = np.array((-along[1], along[0]))
    foot = end - _ARROW_PIXELS * along
    return np.array((end, foot + 0.5 * _ARROW_PIXELS * across, foot - 0.5 * _ARROW_PIXELS * across))


def _outline(item: Area) -> str:
    return f"{_course(item.points)}Z"


def _area(item: Area, course: str) -> str:
    faint = f' fill-opacity="{item.opacity:g}"' if item.opacity < 1.0 else ""
    edge = f' stroke="{item.edge}" stroke-width="{item.edge_width:g}"' if item.edge else ""
    return f'<path d="{course}" fill="{item.colour}"{faint}{edge}/>'


def _words(item: Words) -> str:
    anchor = f' text-anchor="{item.anchor}"' if item.anchor != "start" else ""
    bold = ' font-weight="bold"' if item.bold else ""
    size = f' font-size="{item.size:g}"' if item.size != _USUAL_SIZE else ""
    colour = f' fill="{item.colour}"' if item.colour != BLACK else ""
    place = f'x="{_number(item.x)}" y="{_number(item.y)}"{size}'
    return f"<text {place}{anchor}{bold}{colour}>{html.escape(item.text, quote=False)}</text>"


def _course(points: FloatArray) -> str:
    known = np.isfinite(points).all(axis=1)
    places = np.flatnonzero(known)
    runs = np.split(points[places], np.flatnonzero(np.diff(places) > 1) + 1) if places.size else []
    return "".join(piece for run in runs for piece in _pieces(np.round(run, 1)))


def _pieces(points: FloatArray) -> Iterator[str]:
    """The first point, then steps from point to point, which take few characters."""
    yield f"M{_pair(points[0])}"
    for place, step in enumerate(np.diff(points, axis=0).tolist()):
        pair = _pair(step)
        between = "" if pair.startswith("-") else " "
        yield between + pair if place else f"l{pair}"


def _pair(values: Iterable[float]) -> str:
    x, y = (_number(each) for each in values)
    return x + (y if y.startswith("-") else f" {y}")


def _number(value: float) -> str:
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text in ("-0", "") else text.replace("-0.", "-.").removeprefix("0") if "." in text else text
