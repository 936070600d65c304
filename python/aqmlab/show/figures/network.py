"""A network as a picture: rates, delays and queues, who sends data to whom; of runs, how busy each link was.

Routers stand one below another, each with the machines behind it: one picture is readable on a phone and in
print. Arrows at the side show which way data go.
"""

from __future__ import annotations

import html
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from aqmlab import shown
from aqmlab.scenario import Scenario
from aqmlab.show.figures.chart import Unit, written
from aqmlab.show.figures.drawn import Drawn
from aqmlab.show.figures.looks import BLACK, SEQUENCE
from aqmlab.show.figures.network_layout import layout_of, settings_of
from aqmlab.show.figures.scene import GROUND, SOFT, Area, Scene, Stroke, Words, box, marker, path, width_of
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aqmlab._core import Wire
    from aqmlab.show.figures.network_layout import Layout, Traffic
    from aqmlab.show.figures.scene import Item
    from aqmlab.statistics import Recorded

_WIDTH, _MARGIN, _LINE, _SMALL = 480.0, 10.0, 16.0, 11.0
_LANE = 13.0
_IDLE = "#9aa4ad"
_BUSY = ((0.5, "#56B4E9"), (0.8, "#0072B2"), (0.95, "#E69F00"), (1.01, "#D55E00"))
"""Colour of a link by the share of time in which it was busy, below the number; the share is written, too."""

_UNITS = {
    "users": ("person", "people"),
    "clouds": ("cloud of connections", "clouds of connections"),
    "flows": ("flow", "flows"),
    "datagrams": ("UDP source", "UDP sources"),
}


def draw_network(
    scenario: Mapping[str, Any],
    runs: Sequence[Recorded] = (),
    *,
    title: str = "",
    identifier: str = "network",
) -> Drawn:
    """The network of a scenario, and of its runs what each link did."""
    layout = layout_of(scenario)
    picture = _Picture(layout, scenario, _measured(runs))
    caption = (
        "Boxes: routers, with the machines behind them and the rate of their links. Between them: rate, "
        "delay and queue of each direction. Arrows on the left: who sends data to whom."
    )
    if runs:
        count = "one run" if len(runs) == 1 else f"the mean of {len(runs)} runs"
        caption += f" Busy and lost: {count}; orange links were busy more than 80 % of the time."
    scene = picture.scene(title or str(scenario["name"]))
    return Drawn(identifier, title or "The network", caption, scene, _in_words(layout))


@shown.html.register(Scenario)
def _of_scenario(scenario: Scenario) -> str:
    """What a notebook shows of a scenario: the picture that `aqmlab draw` makes."""
    drawn = draw_network(scenario.resolved)
    caption = html.escape(f"{drawn.caption} Simulated time: {scenario.duration_s:g} s.")
    return f"{drawn.svg}\n<p><small>{caption}</small></p>\n"


def _measured(runs: Sequence[Recorded]) -> dict[str, tuple[float, float]]:
    """Share of time busy and share of packets lost by link, as means over runs."""
    told: dict[str, list[tuple[float, float]]] = {}
    for run in runs:
        for link in run.run["links"]:
            told.setdefault(link["name"], []).append((link["busy_share"], link["loss_ratio"]))
    means = {name: np.mean(each, axis=0) for name, each in told.items()}
    return {name: (float(busy), float(lost)) for name, (busy, lost) in means.items()}


@dataclass
class _Card:
    """A router's box: its place and what is written in it."""

    left: float
    top: float
    width: float
    lines: list[tuple[str, str]]

    @property
    def height(self) -> float:
        return 24.0 + _LINE * len(self.lines) + (4.0 if self.lines else 0.0)

    def items(self, title: str) -> Iterator[Item]:
        yield Area(box(self.left, self.top, self.width, self.height), GROUND, edge=BLACK, edge_width=1.2)
        yield Words(self.left + 8.0, self.top + 17.0, title, bold=True)
        for row, (name, link) in enumerate(self.lines):
            y = self.top + 24.0 + _LINE * (row + 0.75)
            yield Words(self.left + 8.0, y, name, _SMALL)
            if link:
                yield Words(self.left + self.width - 8.0, y, link, _SMALL, "end", SOFT)


@dataclass(frozen=True)
class _Direction:
    """Links one way that are alike: their settings, and what became of their packets."""

    wires: tuple[Wire, ...]
    parts: tuple[str, ...]
    outcome: str

    def lines(self, room: float) -> list[str]:
        return [*_wrapped(self.parts, room), *([self.outcome] if self.outcome else [])]


@dataclass
class _Picture:
    """What is drawn, from top to bottom."""

    layout: Layout
    scenario: Mapping[str, Any]
    measured: Mapping[str, tuple[float, float]]

    def scene(self, title: str) -> Scene:
        lanes = _LANE * len(self.layout.traffic)
        left = _MARGIN + lanes + (8.0 if lanes else 0.0)
        items: list[Item] = [Words(_MARGIN, 17.0, title, 13.0, bold=True)]
        cards: dict[int, _Card] = {}
        numbered: list[tuple[str, list[str]]] = []
        alone = all(len(row) == 1 for row in self.layout.rows)
        top = 30.0
        for place, row in enumerate(self.layout.rows):
            if place and alone:
                above = self.layout.rows[place - 1][0]
                drawn, top = self._trunk(above, row[0], left, top)
                items += drawn
            elif place:
                top += 34.0
            top = self._row(row, left, top, cards)
        if not alone:
            items += self._numbered(cards, numbered)
        for router, card in cards.items():
            items += card.items(self._title(router))
        for column, each in enumerate(self.layout.traffic):
            items += self._lane(
                each, _MARGIN + _LANE * (column + 0.5), cards, SEQUENCE[column % len(SEQUENCE)]
            )
        drawn, top = self._below(numbered, top + 14.0)
        return Scene(_WIDTH, top, (*items, *drawn))

    def _row(self, routers: Sequence[int], left: float, top: float, cards: dict[int, _Card]) -> float:
        width = (_WIDTH - _MARGIN - left - 10.0 * (len(routers) - 1)) / len(routers)
        for place, router in enumerate(routers):
            lines = [
                line for at in self.layout.machines_at(router) for line in self._machines(at, router, width)
            ]
            cards[router] = _Card(left + place * (width + 10.0), top, width, lines)
        return top + max(cards[router].height for router in routers)

    def _title(self, router: int) -> str:
        name = self.layout.boxes[router].label
        side = self._sides().get(name)
        return f"{name} · {side}" if side else name

    def _sides(self) -> dict[str, str]:
        """Of a link with people at one end alone: which end is theirs."""
        users = self.scenario.get("users") or {}
        left, right = users.get("left") or users.get("per_side"), users.get("right") or users.get("per_side")
        if not self.scenario.get("dumbbell") or bool(left) == bool(right):
            return {}
        ends = ("people behind the link", "Internet")
        return dict(zip(("router-left", "router-right"), ends if left else ends[::-1], strict=True))

    def _machines(self, place: int, router: int, width: float) -> Iterator[tuple[str, str]]:
        """Machines alike and their link on one line, or where this has no room the link below."""
        name = self.layout.boxes[place].label
        directions = self._directions(place, router)
        if len(directions) == 1 and len(directions[0].parts) == 1:
            yield name, directions[0].parts[0]
            return
        yield name, ""
        for each in directions:
            for line in each.lines(width - 28.0):
                yield f"   {line}", ""

    def _directions(self, one: int, other: int) -> list[_Direction]:
        """The links between two boxes: both directions where they differ, else one for both."""
        there, back = (
            self._direction(self.layout.wires.get(pair, [])) for pair in ((one, other), (other, one))
        )
        told = [each for each in (there, back) if each.parts or each.outcome]
        if len(told) < 2 or (there.parts, there.outcome) == (back.parts, back.outcome):
            return told[:1]
        arrows = "↓↑" if self.layout.boxes[one].is_router else "→←"
        return [
            replace(each, parts=(f"{arrow} {(each.parts or ('',))[0]}", *each.parts[1:]))
            for arrow, each in zip(arrows, (there, back), strict=True)
        ]

    def _direction(self, wires: Sequence[Wire]) -> _Direction:
        """What is written at links alike: rate, delay, queue, and how busy they were."""
        if not wires:
            return _Direction((), (), "")
        parts = [f"{len(wires)} links, not alike"]
        if len(set(map(settings_of, wires))) == 1:
            rate_mbps, delay_ms, scheme = settings_of(wires[0])
            parts = [
                f"{rate_mbps:,g} Mbit/s" if rate_mbps is not None else "",
                f"{delay_ms:g} ms" if delay_ms else "",
                " ".join(filter(None, (scheme, _buffer(self.scenario, wires[0])))) if scheme else "",
                _held(self.scenario, wires[0].name),
            ]
        known = [self.measured[wire.name] for wire in wires if wire.name in self.measured]
        busy, lost = ([each[place] * 100 for each in known] for place in (0, 1))
        outcome = f"busy {_span(busy, 0)} %, lost {_span(lost, 2)} %" if known else ""
        return _Direction(tuple(wires), tuple(filter(None, parts)), outcome)

    def _trunk(self, above: int, below: int, left: float, top: float) -> tuple[list[Item], float]:
        """The links between two routers, one below the other, with what is so of them beside the lines."""
        directions = self._directions(above, below)
        room = _WIDTH - _MARGIN - left - 42.0
        texts = [each.lines(room) for each in directions]
        height = 14.0 + _LINE * sum(map(len, texts)) + 6.0 * (len(texts) - 1)
        items: list[Item] = []
        for place, each in enumerate(directions):
            x = left + 16.0 + 9.0 * place
            colour, width = self._look(each.wires)
            items.append(Stroke(path((x, top), (x, top + height)), colour, width))
        y = top + 7.0
        for lines in texts:
            for row, line in enumerate(lines):
                items.append(Words(left + 36.0, y + 12.0, line, 12.0 if row == 0 else _SMALL))
                y += _LINE
            y += 6.0
        return items, top + height

    def _numbered(self, cards: Mapping[int, _Card], listed: list[tuple[str, list[str]]]) -> Iterator[Item]:
        """Links of a network that is no chain: lines with numbers, which are explained below."""
        routers = [router for row in self.layout.rows for router in row]
        for at, one in enumerate(routers):
            for other in routers[at + 1 :]:
                if not (directions := self._directions(one, other)):
                    continue
                ends = [cards[one], cards[other]]
                points = [(card.left + card.width / 2.0, card.top + card.height / 2.0) for card in ends]
                colour, width = self._look([wire for each in directions for wire in each.wires])
                yield Stroke(path(*points), colour, width)
                number = str(len(listed) + 1)
                x = (points[0][0] + points[1][0]) / 2.0
                y = (ends[0].top + ends[0].height + ends[1].top) / 2.0
                yield marker("o", x, y, 9.0, GROUND)
                yield Words(x, y + 4.0, number, _SMALL, "middle", bold=True)
                names = " – ".join(self.layout.boxes[place].label for place in (one, other))
                lines = [line for each in directions for line in each.lines(_WIDTH - 3.0 * _MARGIN)]
                listed.append((f"{number}: {names}", lines))

    def _look(self, wires: Sequence[Wire]) -> tuple[str, float]:
        """Colour and width of a link: by the busiest of those alike."""
        told = [self.measured[wire.name][0] for wire in wires if wire.name in self.measured]
        if told:
            return next(colour for below, colour in _BUSY if max(told) < below), 4.0
        return (BLACK, 2.0) if any(wire.scheme for wire in wires) else (_IDLE, 1.5)

    def _lane(self, traffic: Traffic, x: float, cards: Mapping[int, _Card], colour: str) -> Iterator[Item]:
        """An arrow from where data are sent to where they arrive, past the routers between."""
        ys = [cards[place].top + 12.0 for place in self.layout.passed(traffic) if place in cards]
        if not ys:
            return
        if len(ys) == 1:
            yield marker("o", x, ys[0], 4.0, colour)
            return
        yield Stroke(path((x, ys[0]), (x, ys[-1])), colour, 2.0, arrow=True)
        for y in ys[:-1]:
            yield marker("o", x, y, 3.0, colour)

    def _below(self, numbered: Sequence[tuple[str, list[str]]], top: float) -> tuple[list[Item], float]:
        items: list[Item] = []
        for title, texts in numbered:
            items.append(Words(_MARGIN, top + 12.0, title, _SMALL, bold=True))
            top += _LINE
            for line in texts:
                items.append(Words(2.0 * _MARGIN, top + 12.0, line, _SMALL))
                top += _LINE
        for place, each in enumerate(self.layout.traffic):
            colour = SEQUENCE[place % len(SEQUENCE)]
            for row, line in enumerate(_wrapped(_in_short(each).split(", "), _WIDTH - 3.0 * _MARGIN)):
                if row == 0:
                    items.append(marker("s", _MARGIN + 5.0, top + 8.0, 5.0, colour))
                items.append(Words(_MARGIN + 16.0, top + 12.0, line, _SMALL))
                top += _LINE
        return items, top + 6.0


def _wrapped(parts: Sequence[str], room: float) -> list[str]:
    """Parts with commas between them, on lines that are no wider where they can be broken."""
    lines: list[str] = []
    for part in parts:
        if lines and width_of(f"{lines[-1]}, {part}") <= room:
            lines[-1] += f", {part}"
        else:
            lines.append(part)
    return lines


def _buffer(scenario: Mapping[str, Any], wire: Wire) -> str:
    """The size of the queue at a link, if the scenario contains it."""
    queue = _queue(scenario, wire.name)
    if queue.get("limit_bytes"):
        size = float(queue["limit_bytes"])
        # Of a line the rate counts frames and cells, and the buffer does not.
        known = wire.rate_mbps and not scenario.get("line")
        held = f" ({written(8e-6 * size / (wire.rate_mbps or 1), Unit('', 'time'))})" if known else ""
        return f"{written(size, Unit('', 'bytes'))}{held}"
    return counted(queue["limit_packets"], "packet") if queue.get("limit_packets") else ""


def _held(scenario: Mapping[str, Any], link: str) -> str:
    share = (scenario.get("line") or {}).get(f"shaped_share_{link.removeprefix('router-')}")
    return f"held to {100 * share:.3g} % of the line" if share and link.startswith("router-") else ""


_QUEUES_OF_A_LINE = {
    "down": "provider_queue",
    "up": "modem_queue",
    "router-down": "router_queue_down",
    "router-up": "router_queue_up",
}


def _queue(scenario: Mapping[str, Any], link: str) -> Mapping[str, Any]:
    if (line := scenario.get("line")) and link in _QUEUES_OF_A_LINE:
        return line.get(_QUEUES_OF_A_LINE[link]) or {}
    if dumbbell := scenario.get("dumbbell"):
        back = dumbbell.get("queue_right_to_left") if link == "right-to-left" else None
        return back or dumbbell.get("queue") or {}
    for each in (scenario.get("topology") or {}).get("links") or ():
        ends = (each["from"], each["to"])
        if link in ("-to-".join(ends), "-to-".join(ends[::-1])):
            return each.get("queue") or {}
    return {}


def _span(values: Sequence[float], digits: int) -> str:
    low, high = f"{min(values):.{digits}f}", f"{max(values):.{digits}f}"
    return low if low == high else f"{low} to {high}"


def _in_short(traffic: Traffic) -> str:
    name = traffic.name.partition(".")[2] or traffic.name
    one, several = _UNITS[traffic.unit]
    unit = one if traffic.size == 1 else several
    return f"{name}: {traffic.size:,} {unit}, from {traffic.ends[0]} to {traffic.ends[1]}"


def _in_words(layout: Layout) -> str:
    routers = sum(box.is_router for box in layout.boxes)
    return f"{routers} routers; data go: " + "; ".join(_in_short(each) for each in layout.traffic)
