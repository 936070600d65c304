"""A scene as SVG, in few bytes.

Neighbouring items of one style are one path. Long lines and bands lose the points that nobody sees:
what is left lies nowhere farther from the full course than `TOLERANCE_PIXELS`.
"""

from __future__ import annotations

import html
import math
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.show.figures.scene import Area, Stroke, Words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from aqmlab.show.figures.scene import FloatArray, Item, Scene

_ARROW_PIXELS = 6.0
TOLERANCE_PIXELS = 0.25
"""So far a course may be from its points: 0.06 mm where a figure of 560 pixels is printed 13 cm wide, and
less than a fifth of the thinnest line's width of 1.4 pixels in charts of few points."""
_SHAPE = 24
"""A course of fewer points is a shape, and keeps all of them."""
_FEW = 32
"""Up to so many points a plain loop is faster than arrays."""


def to_svg(scene: Scene) -> str:
    """The scene as an SVG element that can stand in a page or in a file of its own."""
    size = f'width="{scene.width:g}" height="{scene.height:g}" viewBox="0 0 {scene.width:g} {scene.height:g}"'
    font = 'font-family="system-ui, Helvetica, Arial, sans-serif"'
    joins = 'stroke-linejoin="round"'
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
    """The triangle at the end of a line."""
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
    place = f'x="{_number(item.x)}" y="{_number(item.y)}" font-size="{item.size:g}"'
    return f'<text {place}{anchor}{bold} fill="{item.colour}">{html.escape(item.text, quote=False)}</text>'


def _course(points: FloatArray) -> str:
    known = np.isfinite(points).all(axis=1)
    places = np.flatnonzero(known)
    runs = np.split(points[places], np.flatnonzero(np.diff(places) > 1) + 1) if places.size else []
    return "".join(piece for run in runs for piece in _pieces(np.round(fewer(run), 1)))


def fewer(points: FloatArray) -> FloatArray:
    """The points of a course that matter: all others lie within `TOLERANCE_PIXELS` (Douglas and Peucker)."""
    if len(points) < _SHAPE:
        return points
    kept = np.zeros(len(points), dtype=bool)
    kept[[0, -1]] = True
    open_ = [(0, len(points) - 1)]
    while open_:
        first, last = open_.pop()
        if last - first < 2:
            continue
        between = _farthest_of_few if last - first < _FEW else _farthest
        farthest, apart = between(points, first, last)
        if apart > TOLERANCE_PIXELS:
            kept[farthest] = True
            open_ += [(first, farthest), (farthest, last)]
    return points[kept]


def _farthest(points: FloatArray, first: int, last: int) -> tuple[int, float]:
    """Which point between two lies farthest from the straight piece between them, and how far."""
    start = points[first]
    along, to = points[last] - start, points[first + 1 : last] - start
    length = float(along @ along)
    shares = np.clip(to @ along / length, 0.0, 1.0) if length > 0.0 else np.zeros(len(to))
    beside = to - shares[:, None] * along
    apart = np.hypot(beside[:, 0], beside[:, 1])
    place = int(apart.argmax())
    return first + 1 + place, float(apart[place])


def _farthest_of_few(points: FloatArray, first: int, last: int) -> tuple[int, float]:
    """The same without arrays, whose calls cost more than a few points do."""
    (x, y), *middle, (end_x, end_y) = points[first : last + 1].tolist()
    along_x, along_y = end_x - x, end_y - y
    length = along_x * along_x + along_y * along_y
    found, most = first + 1, -1.0
    for place, (at_x, at_y) in enumerate(middle, first + 1):
        to_x, to_y = at_x - x, at_y - y
        share = min(1.0, max(0.0, (to_x * along_x + to_y * along_y) / length)) if length > 0.0 else 0.0
        apart = math.hypot(to_x - share * along_x, to_y - share * along_y)
        if apart > most:
            found, most = place, apart
    return found, most


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
