"""What people notice, in one figure: the median and the 95th percentile of page load times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from aqmlab.inference import Interval, NotEnoughReplications
from aqmlab.show.figures.looks import BLACK, looks_of_names
from aqmlab.show.figures.scene import (
    FAINT,
    SOFT,
    TEXT_PIXELS,
    Area,
    Scene,
    Stroke,
    Words,
    box,
    marker,
    path,
    width_of,
)
from aqmlab.show.figures.ticks import ticks, unit_of, written

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aqmlab.show.figures.looks import Line
    from aqmlab.show.figures.scene import Item

USUAL, SLOW = "half of the pages loaded", "19 of 20 pages loaded"
_WIDTH, _LEFT, _RIGHT = 440.0, 10.0, 424.0
_FIRST_ROW, _ROW, _BELOW_NAME = 44.0, 46.0, 15.0
_SHAPES = ("o", "D")
_NONE = "no page"
_COLUMN = 100.0


@dataclass(frozen=True)
class AtLeast:
    """A lower bound of a time: in some run too few pages had loaded when it ended.

    Attributes:
        mean: The bound in seconds, over replications.
    """

    mean: float


Level: TypeAlias = Interval | NotEnoughReplications | AtLeast


@dataclass(frozen=True)
class Waiting:
    """How long people wait under one alternative.

    Attributes:
        name: Its name.
        usual: The median page load time in seconds, over replications.
        slow: The time within which 95 % of pages are loaded.
    """

    name: str
    usual: Level
    slow: Level

    @property
    def both(self) -> tuple[Level, Level]:
        """The two numbers."""
        return self.usual, self.slow


def page_loads_scene(waiting: Sequence[Waiting], looks: Mapping[str, Line] | None = None) -> Scene:
    """Two marks for each alternative with their intervals; values are in columns and never touch."""
    most = _most(waiting)
    bottom = _FIRST_ROW + _ROW * len(waiting) - 8.0
    looks = looks or looks_of_names(each.name for each in waiting)
    items = [*_keys(), *_axis(most, bottom, len(waiting))]
    for row, each in enumerate(waiting):
        items += _row(each, looks[each.name].colour, _FIRST_ROW + _ROW * row, most)
    return Scene(_WIDTH, bottom + 42.0, tuple(items))


def _most(waiting: Sequence[Waiting]) -> float:
    """Where the axis ends, in seconds."""
    ends = [
        max(level.mean, level.upper if isinstance(level, Interval) else 0.0)
        for each in waiting
        for level in each.both
        if level.mean is not None
    ]
    return 1.04 * max(ends, default=1.0) or 1.0


def _keys() -> Iterator[Item]:
    left = _LEFT
    for shape, text in zip(_SHAPES, (USUAL, SLOW), strict=True):
        yield marker(shape, left + 6.0, 14.0, 5.0, BLACK)
        yield Words(left + 17.0, 18.0, text)
        left += 17.0 + width_of(text) + 20.0


def _axis(most: float, bottom: float, rows: int) -> Iterator[Item]:
    """Lines of a grid, which leave out the names and values of the rows, and their labels."""
    unit = unit_of("time after the click, s")
    for at in ticks(0.0, most, log=False, gap=0.13):
        x = _place(at, most)
        for row in range(rows):
            top = _FIRST_ROW + _ROW * row
            yield Stroke(path((x, top + 5.0), (x, min(bottom, top + _ROW - 14.0))), FAINT)
        # Room for half of the widest label on either side of the axis.
        yield Words(x, bottom + 15.0, written(at, unit), 11.0, "start" if at == 0.0 else "middle")
    yield Words((_LEFT + _RIGHT) / 2.0, bottom + 34.0, unit.words, anchor="middle", colour=SOFT)


def _place(seconds: float, most: float) -> float:
    return _LEFT + seconds / most * (_RIGHT - _LEFT)


def _row(each: Waiting, colour: str, top: float, most: float) -> Iterator[Item]:
    """The name and both values on one line, the marks on the next."""
    room = _RIGHT - 2.0 * _COLUMN - _LEFT
    yield Words(_LEFT, top, _shortened(each.name, room), bold=True)
    y = top + _BELOW_NAME
    seen = [_place(level.mean, most) for level in each.both if level.mean is not None]
    if len(seen) == 2:
        yield Stroke(path((seen[0], y), (seen[1], y)), SOFT)
    for column, (level, shape) in enumerate(zip(each.both, _SHAPES, strict=True)):
        left = _RIGHT - (2 - column) * _COLUMN
        said = level_in_seconds(level)
        yield marker(shape, left, top - 4.0, 4.0, colour)
        yield Words(left + 9.0, top, said)
        yield from _mark(level, shape, colour, y, most)


def _mark(level: Level, shape: str, colour: str, y: float, most: float) -> Iterator[Item]:
    if level.mean is None:
        return
    if isinstance(level, AtLeast):
        yield marker(">", _place(level.mean, most), y, 5.0, colour)
        return
    if isinstance(level, Interval):
        left, right = _place(max(0.0, level.lower), most), _place(level.upper, most)
        yield Area(box(left, y - 3.5, max(right - left, 1.0), 7.0), colour, 0.3)
    yield marker(shape, _place(level.mean, most), y, 5.0, colour)


def _shortened(name: str, room: float) -> str:
    """A name that fits into some pixels."""
    if width_of(name, TEXT_PIXELS, bold=True) <= room:
        return name
    while name and width_of(f"{name}…", TEXT_PIXELS, bold=True) > room:
        name = name[:-1]
    return f"{name}…"


def level_in_seconds(level: Level) -> str:
    """A level as people say it: 1.23 s, >87.0 s of a bound."""
    if level.mean is None:
        return _NONE
    return f"{'>' if isinstance(level, AtLeast) else ''}{in_seconds(level.mean)}"


def in_seconds(value: float) -> str:
    """A time as people say it, with two digits or three."""
    if not np.isfinite(value):
        return "longer than was watched"
    if value < 0.0995:
        return f"{1000.0 * value:.0f} ms"
    return f"{value:.2f} s" if value < 9.995 else f"{value:.1f} s" if value < 99.95 else f"{value:,.0f} s"
