"""Bars over one axis, as data and as a scene: a few numbers of each alternative, one group below another.

Bars of a row lie in one another, as percentiles of one thing do, or one below another. What a row says stands
beside it: nobody has to read lengths off.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from aqmlab.load.parametrized_scheme import spelt
from aqmlab.show.figures.chart import unit_of, written
from aqmlab.show.figures.looks import BLACK
from aqmlab.show.figures.scene import FAINT, SOFT, Area, Scene, Stroke, Words, box, marker, path, width_of
from aqmlab.tables.model import Column, Table, finite, in_csv, text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from aqmlab.show.figures.chart import Axis
    from aqmlab.show.figures.looks import Line
    from aqmlab.show.figures.scene import Item

WIDTH = 440.0
_MARGIN, _TITLE, _SMALL = 8.0, 13.0, 11.0
_ROW, _BAR, _GAP, _HEADING = 17.0, 11.0, 6.0, 19.0
_SHADES = (1.0, 0.55, 0.28)
_NAMES_SHARE = 0.3
_LEAST_LENGTH = 80.0
"""So much room the longest bar has, unless that is too much of a narrow figure."""
_TICK_ROOM = 58.0
_STEPS = (1.0, 2.0, 2.5, 5.0)


@dataclass(frozen=True, slots=True)
class Bar:
    """A number."""

    value: float  # the number; not a number where there is none
    ends: tuple[float, float] | None = None  # its interval, if it has one
    is_bound: bool = False  # whether it is greater than this, and nobody knows by how much


@dataclass(frozen=True, slots=True)
class BarRow:
    """The numbers of an alternative."""

    name: str  # the alternative
    look: Line  # whose colour its bars have
    bars: tuple[Bar, ...]  # its numbers, in the order of the keys
    note: str = ""  # what else is to be said of it: what was lost, or that nothing arrives


@dataclass(frozen=True, slots=True)
class BarGroup:
    """What alternatives do to something: to the call, to a device."""

    name: str  # to what; empty where there is but one group
    rows: tuple[BarRow, ...]  # a row for each alternative


@dataclass(frozen=True)
class Bars:
    """Rows of bars over one axis."""

    title: str  # what they show, in a few words
    axis: Axis  # the axis, from 0 on unless its limits say otherwise
    keys: tuple[str, ...]  # what the first, the second bar of a row is
    groups: tuple[BarGroup, ...]  # the rows, in groups
    say: Callable[[float], str]  # a number as people say it, with its unit
    nested: bool = False  # whether the bars of a row lie in one another
    # where a dashed line stands; those beyond the bars are left out, but for the next one
    levels: tuple[float, ...] = ()

    @property
    def in_words(self) -> str:
        groups = (f"{each.name}: {self._rows_in_words(each)}".removeprefix(": ") for each in self.groups)
        return f"{self.title}: {'; '.join(groups)}."

    def _rows_in_words(self, group: BarGroup) -> str:
        return "; ".join(f"{spelt(row.name)}: {', '.join(self.said(row))}" for row in group.rows)

    def said(self, row: BarRow) -> list[str]:
        """What a row says: each of its numbers with what it is, and the note."""
        numbers = zip(self.keys, row.bars, strict=True)
        known = [(key, bar) for key, bar in numbers if not math.isnan(bar.value)]
        told = [f"{key} {self.number(bar)}" if key else self.number(bar) for key, bar in known]
        return [*told, *([row.note] if row.note else [])]

    def number(self, bar: Bar) -> str:
        if math.isnan(bar.value):
            return ""
        return f"{'> ' if bar.is_bound else ''}{self.say(bar.value)}"

    @property
    def ends(self) -> tuple[float, float]:
        """Where the axis begins and ends: with the longest bar, or the level behind it."""
        least, most = self.axis.limits or (0.0, None)
        bars = [bar for group in self.groups for row in group.rows for bar in row.bars]
        exact = [bar for bar in bars if not bar.is_bound] or bars
        reach = [
            max(bar.value, bar.ends[1] if bar.ends else 0.0) for bar in exact if math.isfinite(bar.value)
        ]
        longest = max(reach, default=0.0)
        behind = [level for level in self.levels if level >= longest][:1]
        end = most if most is not None else 1.03 * max([longest, *behind])
        return least or 0.0, end if end > (least or 0.0) else (least or 0.0) + 1.0


def bars_scene(bars: Bars, width: float = WIDTH) -> Scene:
    """The bars with what they say, as wide as is wanted; letters have the size of a page's pictures."""
    return _Layout.of(bars, width).scene()


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where the columns are: names, bars, what they say."""

    bars: Bars
    width: float
    left: float
    right: float
    fits: bool  # on one line: else the note of a row stands below its numbers

    @classmethod
    def of(cls, bars: Bars, width: float) -> _Layout:
        rows = [row for group in bars.groups for row in group.rows]
        names = max((width_of(spelt(row.name), _SMALL) for row in rows), default=0.0)
        said = max((width_of(text, _SMALL) for row in rows for text in _texts(bars, row)), default=0.0)
        left = _MARGIN + min(names, _NAMES_SHARE * width) + 8.0
        room = width - _MARGIN - 8.0 - left
        if fits := room - said >= _LEAST_LENGTH:
            return cls(bars, width, left, left + room - said, fits)
        parts = (part for row in rows for text in _texts(bars, row) for part in _apart(text))
        said = max((width_of(part, _SMALL) for part in parts), default=0.0)
        return cls(bars, width, left, left + max(room - said, 20.0), fits)

    def scene(self) -> Scene:
        bars = self.bars
        items: list[Item] = [Words(_MARGIN, 17.0, bars.title, _TITLE, bold=True)]
        top = 26.0
        if any(bars.keys):
            drawn, top = self._keys(top)
            items += drawn
        if bars.levels:
            top += 14.0
        rows: list[Item] = []
        y = top
        for group in bars.groups:
            if group.name:
                rows.append(Words(_MARGIN, y + 14.0, group.name, bold=True))
                y += _HEADING
            for row in group.rows:
                rows += self._row(row, y)
                y += self._height
            y += _GAP
        items += self._axis(top, y)
        return Scene(self.width, y + 32.0, (*items, *rows))

    @property
    def _height(self) -> float:
        lines = (1 if self.bars.nested else len(self.bars.keys)) + (not self.fits)
        return _ROW if lines == 1 else lines * (_BAR + 2.0) + 5.0

    def _place(self, value: float) -> float:
        least, most = self.bars.ends
        share = min(1.0, max(0.0, (value - least) / (most - least)))
        return self.left + share * (self.right - self.left)

    def _keys(self, top: float) -> tuple[list[Item], float]:
        items: list[Item] = []
        left = _MARGIN
        for place, key in enumerate(self.bars.keys):
            if left > _MARGIN and left + 20.0 + width_of(key, _SMALL) > self.width:
                left, top = _MARGIN, top + _ROW
            items.append(Area(box(left, top + 4.0, 14.0, 9.0), BLACK, _shade(place)))
            items.append(Words(left + 19.0, top + 12.5, key, _SMALL))
            left += 19.0 + width_of(key, _SMALL) + 16.0
        return items, top + _ROW + 2.0

    def _row(self, row: BarRow, y: float) -> Iterator[Item]:
        name = _shortened(spelt(row.name), self.left - _MARGIN - 6.0)
        yield Words(_MARGIN, y + self._height / 2.0 + 1.5, name, _SMALL)
        texts, told = _texts(self.bars, row), iter(range(len(row.bars)))
        if self.bars.nested:
            begin = self.bars.ends[0]
            for place, bar in enumerate(row.bars):
                if bar.value > begin:
                    yield from self._bar(bar, begin, y + 2.0, row.look, _shade(place))
                    begin = bar.value
            yield from self._said(texts[0], y + 11.5)
            return
        for place, words in zip(told, texts, strict=False):
            at = y + place * (_BAR + 2.0)
            if not math.isnan(row.bars[place].value):
                yield from self._bar(row.bars[place], self.bars.ends[0], at, row.look, _shade(place))
            yield from self._said(words, at + 9.5)

    def _said(self, text: str, y: float) -> Iterator[Item]:
        for line, part in enumerate([text] if self.fits else _apart(text)):
            yield Words(self.right + 8.0, y + line * (_BAR + 2.0), part, _SMALL)

    def _bar(self, bar: Bar, begin: float, y: float, look: Line, shade: float) -> Iterator[Item]:
        left, right = self._place(begin), self._place(bar.value)
        yield Area(box(left, y, max(right - left, 1.0 if bar.value else 0.0), _BAR), look.colour, shade)
        if bar.is_bound:
            yield marker(">", right, y + _BAR / 2.0, 4.5, look.colour)
        if bar.ends is not None:
            ends = [self._place(each) for each in bar.ends]
            yield Stroke(path(*((x, y + _BAR / 2.0) for x in ends)), BLACK, 1.2)

    def _axis(self, top: float, bottom: float) -> Iterator[Item]:
        unit, (least, most) = unit_of(self.bars.axis.label), self.bars.ends
        for at in _ticks(least, most, (self.right - self.left) / _TICK_ROOM):
            x = self._place(at)
            yield Stroke(path((x, top), (x, bottom)), FAINT)
            yield Words(x, bottom + 12.0, written(at, unit), 10.0, "middle", SOFT)
        yield Words((self.left + self.right) / 2.0, bottom + 27.0, unit.words, _SMALL, "middle", SOFT)
        end = -math.inf
        for level in self.bars.levels:
            if least < level <= most:
                x, words = self._place(level), written(level, unit)
                half = width_of(words, 10.0) / 2.0
                yield Stroke(path((x, top - 2.0), (x, bottom)), SOFT, 1.2, (4.0, 3.0))
                if x - half > end:
                    yield Words(x, top - 5.0, words, 10.0, "middle", SOFT)
                    end = x + half + 4.0


def _shade(place: int) -> float:
    return _SHADES[min(place, len(_SHADES) - 1)]


def _texts(bars: Bars, row: BarRow) -> list[str]:
    numbers = [bars.number(bar) for bar in row.bars]
    if bars.nested or len(numbers) == 1:
        return [", ".join(filter(None, [_joined([each for each in numbers if each]), row.note]))]
    if row.note and not any(numbers):
        return [row.note]
    numbers[-1] = ", ".join(filter(None, [numbers[-1], row.note]))
    return numbers


def _apart(text: str) -> list[str]:
    return text.split(", ")


def _joined(numbers: Sequence[str]) -> str:
    """Numbers with their unit once where they share it: 5.9 · 7.5 · 9 ms."""
    units = [each.rpartition(" ")[2] for each in numbers]
    if len(set(units)) == 1 and " " in (numbers or [""])[0]:
        return f"{' · '.join(each.rpartition(' ')[0] for each in numbers)} {units[0]}"
    return " · ".join(numbers)


def _ticks(least: float, most: float, room: float) -> list[float]:
    """As many multiples of 1, 2, 2.5 and 5 as have room."""
    power = math.floor(math.log10(most - least)) - 1
    steps = (each * 10.0**exponent for exponent in (power, power + 1, power + 2) for each in _STEPS)
    step = next(each for each in steps if (most - least) / each <= max(room, 2.0))
    return [
        float(f"{at * step:.12g}")
        for at in range(math.ceil(least / step - 1e-9), math.floor(most / step + 1e-9) + 1)
    ]


def _shortened(name: str, room: float) -> str:
    if width_of(name, _SMALL) <= room:
        return name
    while name and width_of(f"{name}…", _SMALL) > room:
        name = name[:-1]
    return f"{name}…"


def bars_table(bars: Bars) -> Table:
    """A row for each row of bars; of each number its value and its interval, and whether it is a bound."""
    rows = [(group.name, row) for group in bars.groups for row in group.rows]
    columns: list[Column[tuple[str, BarRow]]] = [
        Column("of", lambda each: text(each[0])),
        Column("configuration", lambda each: text(each[1].name)),
    ]
    unit = bars.axis.label.rpartition(", ")[2]
    for place, key in enumerate(bars.keys):
        name = f"{key or bars.axis.label.rpartition(', ')[0] or bars.axis.label}, {unit}"
        columns += [
            in_csv(name, partial(_value, place)),
            in_csv(f"{name}.lower", partial(_edge, place, 0)),
            in_csv(f"{name}.upper", partial(_edge, place, 1)),
        ]
    columns.append(Column("note", lambda each: text(each[1].note)))
    return Table.of(rows, columns, title=bars.title)


def _value(at: int, row: tuple[str, BarRow]) -> float | None:
    return finite(row[1].bars[at].value)


def _edge(at: int, end: int, row: tuple[str, BarRow]) -> float | None:
    """An end of the interval; of a bound the lower end is the number, and the upper one is not known."""
    bar = row[1].bars[at]
    if bar.is_bound:
        return bar.value if end == 0 else None
    return bar.ends[end] if bar.ends else None
