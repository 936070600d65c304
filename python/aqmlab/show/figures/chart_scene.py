"""A chart as a scene: title, keys, axes with their ticks, bands and lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.show.figures.looks import dash_lengths
from aqmlab.show.figures.scene import FAINT, SOFT, Area, Scene, Stroke, Words, marker, path, width_of
from aqmlab.show.figures.ticks import ticks, unit_of, written

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aqmlab.show.figures.chart import Axis, Chart, FloatArray, Series
    from aqmlab.show.figures.looks import Line
    from aqmlab.show.figures.scene import Item
    from aqmlab.show.figures.ticks import Unit

WIDTH, HEIGHT, PANEL_HEIGHT = 560.0, 240.0, 84.0
"""Of a picture, of the area of its axes, and of each such area where lines stand one above another."""
_MARGIN = 12.0
_LINE = 17.0
_MARKERS = 8
"""So many markers stand on a line, beside its pattern, for those who do not see its colour."""
_MANY = 600
"""A line of more points shows what went up and down, not a curve."""
_ROOM = 10.0
"""Between two labels of ticks, in pixels."""


@dataclass(frozen=True, slots=True)
class Span:
    """Where an axis begins and ends, and how its numbers are written."""

    least: float
    most: float
    log: bool
    unit: Unit

    def shares(self, values: FloatArray) -> FloatArray:
        """How far along the axis values lie, from 0 to 1."""
        if not self.log:
            return (values - self.least) / (self.most - self.least)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.log(values / self.least) / np.log(self.most / self.least))

    def ticks(self, *, length: float, across: float) -> list[tuple[float, str]]:
        """Share along the axis and label of each tick; the axis and the room of a label are in pixels."""
        found = ticks(self.least, self.most, log=self.log, gap=across / length)
        shares = self.shares(np.array(found))
        return [
            (float(share), written(value, self.unit, digits=4))
            for share, value in zip(shares, found, strict=True)
        ]


def span_of(axis: Axis, values: Sequence[FloatArray], *, margin: float = 0.0) -> Span:
    """From where to where an axis goes: its own limits, or where the values are."""
    known = np.concatenate([np.ravel(each) for each in values]) if values else np.array([])
    known = known[np.isfinite(known) & ((known > 0.0) if axis.log else True)]
    from_, until = axis.limits or (None, None)
    least, most = (float(known.min()), float(known.max())) if known.size else (0.1, 1.0)
    least, most = _wider(least, most, margin, log=axis.log)
    least, most = least if from_ is None else from_, most if until is None else until
    if not least < most:
        most = 2.0 * least if least > 0.0 else least + 1.0
    return Span(least, most, axis.log, unit_of(axis.label))


def _wider(least: float, most: float, margin: float, *, log: bool) -> tuple[float, float]:
    if log:
        factor = (most / least) ** margin
        return least / factor, most * factor
    room = margin * (most - least)
    return least - room, most + room


def chart_scene(chart: Chart) -> Scene:
    """The picture of a chart, for print and for readers without JavaScript."""
    apart = chart.apart and len(chart.series) > 1
    items: list[Item] = [Words(_MARGIN, 17.0, chart.title, 13.0, bold=True)]
    top = 25.0
    if len(chart.series) > 1 and not apart:
        keys, top = _keys(chart.series, top)
        items += keys
    items.append(Words(_MARGIN, top + 13.0, unit_of(chart.y_axis.label).words, colour=SOFT))
    top += 24.0
    x, y = _spans(chart)
    height = PANEL_HEIGHT if apart else HEIGHT
    labels = [label for _, label in y.ticks(length=height, across=_LINE)]
    left = _MARGIN + max(width_of(each, 11.0) for each in labels) + 5.0
    # Half of the first and the last label of the horizontal axis may stand beyond its ends.
    below = _Panel(left, 0.0, WIDTH - 2.0 * _MARGIN, height, x, y).x_ticks()
    left = max(left, width_of(below[0][1], 11.0) / 2.0 + 4.0)
    right = WIDTH - max(_MARGIN, max(width_of(each, 11.0) for _, each in below) / 2.0 + 4.0)
    for rows in [[each] for each in chart.series] if apart else [chart.series]:
        panel = _Panel(left, top + (16.0 if apart else 0.0), right, height, x, y)
        if apart:
            items.append(Words(left, top + 10.0, rows[0].name, bold=True))
        items += panel.drawn(chart, rows)
        top = panel.top + height + 8.0
    items += panel.below(top + 10.0)
    return Scene(WIDTH, top + 36.0, tuple(items))


def _spans(chart: Chart) -> tuple[Span, Span]:
    edges = [
        values for each in chart.series for values in (each.y, each.lower, each.upper) if values is not None
    ]
    y = span_of(chart.y_axis, [*edges, np.array(chart.levels)], margin=0.04)
    return span_of(chart.x_axis, [chart.x]), y


def _keys(series: Sequence[Series], top: float) -> tuple[list[Item], float]:
    """A sample of each line with its name, in as many rows as it takes, and where these end."""
    items: list[Item] = []
    left, y = _MARGIN, top + 8.0
    for each in series:
        wide = 34.0 + width_of(each.name) + 14.0
        if left > _MARGIN and left + wide > WIDTH:
            left, y = _MARGIN, y + _LINE
        items += [*_sample(each.look, left, y, points=each.points), Words(left + 34.0, y + 4.0, each.name)]
        left += wide
    return items, y + 9.0


def _sample(look: Line, left: float, y: float, *, points: bool) -> Iterator[Item]:
    if not points:
        yield Stroke(path((left, y), (left + 28.0, y)), look.colour, 2.0, dash_lengths(look.pattern))
    if look.marker or points:
        yield marker(look.marker or "o", left + 14.0, y, 4.0, look.colour)


@dataclass(frozen=True, slots=True)
class _Panel:
    """The area between two axes, in pixels."""

    left: float
    top: float
    right: float
    height: float
    x: Span
    y: Span

    def drawn(self, chart: Chart, series: Sequence[Series]) -> Iterator[Item]:
        yield from self._grid()
        for level in chart.levels:
            yield Stroke(
                self._places(np.array([self.x.least, self.x.most]), np.full(2, level)), SOFT, 1.0, (4.0, 3.0)
            )
        for each in series:
            yield from self._band(chart.x, each)
        for place, each in enumerate(series):
            yield from self._line(chart.x, each, place / len(series), thinner=place)

    def _grid(self) -> Iterator[Item]:
        """All lines, which share their look, then the labels beside them."""
        at_y = [(self.top + (1.0 - share) * self.height, label) for share, label in self._y_ticks()]
        yield from (Stroke(path((self.left, y), (self.right, y)), FAINT) for y, _ in at_y)
        for share, _ in self.x_ticks():
            x = self.left + share * (self.right - self.left)
            yield Stroke(path((x, self.top), (x, self.top + self.height)), FAINT)
        yield from (Words(self.left - 5.0, y + 4.0, label, 11.0, "end") for y, label in at_y)

    def _y_ticks(self) -> list[tuple[float, str]]:
        return self.y.ticks(length=self.height, across=_LINE)

    def x_ticks(self) -> list[tuple[float, str]]:
        length, across = self.right - self.left, 3.0 * _ROOM
        for _ in range(4):  # wider labels leave room for fewer
            found = self.x.ticks(length=length, across=across)
            widest = max(width_of(label, 11.0) for _, label in found) + _ROOM
            if widest <= across:
                break
            across = widest
        return found

    def below(self, top: float) -> Iterator[Item]:
        """The labels of the horizontal axis and what it shows."""
        for share, label in self.x_ticks():
            yield Words(self.left + share * (self.right - self.left), top, label, 11.0, "middle")
        yield Words(
            (self.left + self.right) / 2.0, top + 18.0, self.x.unit.words, anchor="middle", colour=SOFT
        )

    def _places(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Points in pixels, not a number outside of the area."""
        across, along = self.x.shares(x), self.y.shares(y)
        with np.errstate(invalid="ignore"):
            inside = (across >= -1e-9) & (across <= 1.0 + 1e-9) & np.isfinite(along)
        along = np.clip(along, -0.02, 1.02)
        points = np.column_stack(
            (self.left + across * (self.right - self.left), self.top + (1.0 - along) * self.height)
        )
        return np.where(inside[:, None], points, np.nan)

    def _band(self, x: FloatArray, series: Series) -> Iterator[Item]:
        if series.lower is None or series.upper is None:
            return
        lower, upper = self._places(x, series.lower), self._places(x, series.upper)
        known = np.flatnonzero(np.isfinite(lower[:, 0]) & np.isfinite(upper[:, 0]))
        for run in np.split(known, np.flatnonzero(np.diff(known) > 1) + 1):
            if run.size > 1:
                yield Area(np.concatenate((lower[run], upper[run][::-1])), series.look.colour, 0.18)

    def _line(self, x: FloatArray, series: Series, first: float, *, thinner: int) -> Iterator[Item]:
        look, points = series.look, self._places(x, series.y)
        known = points[np.isfinite(points[:, 0])]
        if known.size == 0:
            return
        dense = len(known) > _MANY
        if not series.points:
            # Thinner in drawing order, so that a line below another of its course still shows.
            width = 0.8 if dense else max(1.4, 2.4 - 0.25 * thinner)
            yield Stroke(points, look.colour, width, () if dense else dash_lengths(look.pattern))
        if (look.marker and not dense) or series.points:
            every = 1 if series.points else max(1, len(known) // _MARKERS)
            for point in known[int(first * every) :: every]:
                yield marker(look.marker or "o", float(point[0]), float(point[1]), 3.6, look.colour)
