"""A scene as SVG."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.figures.scene import Area, Stroke, Words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from aqmlab.figures.scene import FloatArray, Item, Scene

_ARROW_PIXELS = 6.0


def to_svg(scene: Scene) -> str:
    """The scene as an SVG element that can stand in a page or in a file of its own."""
    size = f'width="{scene.width:g}" height="{scene.height:g}" viewBox="0 0 {scene.width:g} {scene.height:g}"'
    font = 'font-family="system-ui, Helvetica, Arial, sans-serif"'
    lines = "\n".join(_item(each) for each in scene.items)
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font}>\n{lines}\n</svg>\n'


def _item(item: Item) -> str:
    match item:
        case Stroke():
            return _stroke(item)
        case Area():
            return _area(item)
        case Words():
            return _words(item)


def _stroke(item: Stroke) -> str:
    dash = f' stroke-dasharray="{" ".join(f"{part:g}" for part in item.dash)}"' if item.dash else ""
    line = (
        f'<path d="{_course(item.points)}" fill="none" stroke="{item.colour}" stroke-width="{item.width:g}"'
        f'{dash} stroke-linejoin="round"/>'
    )
    return line + (_area(Area(arrow_head(item), item.colour)) if item.arrow else "")


def arrow_head(item: Stroke) -> FloatArray:
    """The triangle at the end of a line."""
    end = item.points[-1]
    along = end - item.points[-2]
    along = along / max(float(np.hypot(*along)), 1e-9)
    across = np.array((-along[1], along[0]))
    foot = end - _ARROW_PIXELS * along
    return np.array((end, foot + 0.5 * _ARROW_PIXELS * across, foot - 0.5 * _ARROW_PIXELS * across))


def _area(item: Area) -> str:
    faint = f' fill-opacity="{item.opacity:g}"' if item.opacity < 1.0 else ""
    edge = f' stroke="{item.edge}" stroke-width="{item.edge_width:g}"' if item.edge else ""
    return f'<path d="{_course(item.points)}Z" fill="{item.colour}"{faint}{edge}/>'


def _words(item: Words) -> str:
    anchor = f' text-anchor="{item.anchor}"' if item.anchor != "start" else ""
    bold = ' font-weight="bold"' if item.bold else ""
    place = f'x="{_number(item.x)}" y="{_number(item.y)}" font-size="{item.size:g}"'
    return f'<text {place}{anchor}{bold} fill="{item.colour}">{html.escape(item.text, quote=False)}</text>'


def _course(points: FloatArray) -> str:
    return "".join(_pieces(np.round(points, 1)))


def _pieces(points: FloatArray) -> Iterator[str]:
    """A first point as it is, then steps from point to point, which take few characters."""
    before, command = None, ""
    for point in points:
        if not np.isfinite(point).all():
            before = None
            continue
        if before is None:
            yield f"M{_pair(point)}"
            command = "l"
        else:
            yield command + _pair(point - before)
            command = ""
        before = point


def _pair(values: Iterable[float]) -> str:
    x, y = (_number(each) for each in values)
    return f" {x}" + (y if y.startswith("-") else f" {y}")


def _number(value: float) -> str:
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text in ("-0", "") else text.replace("-0.", "-.").removeprefix("0") if "." in text else text
