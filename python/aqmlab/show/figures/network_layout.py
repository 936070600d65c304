"""The layout of a network: identical machines as one box, routers in rows along the longest route."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from aqmlab.scenario import clouds_of, core_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aqmlab._core import Node, Wire

_MOST_LIKE_ONE = 8
"""So many kinds of machines of one group have a box each; of more, all are one box."""


def settings_of(wire: Wire) -> tuple[float | None, float, str | None]:
    """Rate, none where bytes take no time; propagation delay; queue discipline, none of an interface."""
    return wire.rate_mbps, wire.delay_ms, wire.scheme


@dataclass(frozen=True)
class Traffic:
    """Who sends data to whom: `size` users, clouds, flows or datagrams (`unit`), over which links."""

    name: str
    unit: str
    size: int
    ends: tuple[str, str]
    path: tuple[int, ...]


@dataclass
class Box:
    """A router, or machines that are alike."""

    label: str  # what is written on it
    nodes: tuple[int, ...]  # places of the nodes that it stands for
    is_router: bool  # whether it forwards
    row: int = 0  # of a router: how far it is from one end of the network, in routers
    routers: tuple[int, ...] = ()  # of machines: the places of their routers among the boxes


@dataclass
class Layout:
    """Boxes, the wires between each pair of them, and the traffic."""

    boxes: list[Box]  # what is drawn
    wires: dict[tuple[int, int], list[Wire]]  # links by the boxes that they join, in their direction
    traffic: list[Traffic]  # who sends data to whom
    links: list[Wire] = field(default_factory=list)  # all links by their places in the network
    box_of: dict[int, int] = field(default_factory=dict)  # the box of each node that has one

    @property
    def rows(self) -> list[list[int]]:
        """The routers by their distance from one end, from there on."""
        routers = [place for place, box in enumerate(self.boxes) if box.is_router]
        known = sorted({self.boxes[place].row for place in routers})
        return [[place for place in routers if self.boxes[place].row == row] for row in known]

    def machines_at(self, router: int) -> list[int]:
        return [place for place, box in enumerate(self.boxes) if box.routers[:1] == (router,)]

    def passed(self, traffic: Traffic) -> list[int]:
        """The places of the boxes on the way of data."""
        ends = [self.links[link].ends for link in traffic.path]
        return [self.box_of[node] for node in (ends[0][0], *(end for _, end in ends))]


def layout_of(scenario: Mapping[str, Any]) -> Layout:
    """Where everything stands that has to do with the traffic of a resolved scenario."""
    network = core_of(scenario).network()
    nodes = network.nodes
    links = network.wires
    clouds = clouds_of(scenario)
    talks = [
        Traffic(
            own.name,
            "clouds" if own.unit == "users" and own.name.partition(".")[2] in clouds else own.unit,
            own.size,
            own.ends,
            tuple(own.path),
        )
        for own in network.traffic
        if own.size
    ]
    boxes = _boxes(nodes, links, {group for each in talks for group in each.ends})
    box_of = {node: place for place, box in enumerate(boxes) for node in box.nodes}
    between: dict[tuple[int, int], list[Wire]] = defaultdict(list)
    for link in links:
        if link.ends[0] in box_of and link.ends[1] in box_of:
            between[box_of[link.ends[0]], box_of[link.ends[1]]].append(link)
    layout = Layout(boxes, dict(between), talks, links, box_of)
    _place(layout)
    return layout


def _boxes(nodes: Sequence[Node], links: Sequence[Wire], talking: set[str]) -> list[Box]:
    like: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    for link in links:
        for own, other, way in ((0, 1, "out"), (1, 0, "in")):
            like[link.ends[own]].append((way, nodes[link.ends[other]].group, settings_of(link)))
    boxes = [Box(node.name, (place,), True) for place, node in enumerate(nodes) if node.is_router]
    groups: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, node in enumerate(nodes):
        if not node.is_router and node.group in talking:
            groups[node.group][repr(sorted(like[place], key=repr))].append(place)
    for group, kinds in groups.items():
        together = list(kinds.values())
        if len(together) > _MOST_LIKE_ONE:
            together = [sorted(place for each in together for place in each)]
        for places in sorted(together, key=len, reverse=True):
            name = nodes[places[0]].name
            several = group if len(together) == 1 else f"{group}, others"
            label = name if len(places) == 1 else f"{several} ({len(places)})"
            boxes.append(Box(label, tuple(places), False))
    return boxes


def _place(layout: Layout) -> None:
    """Routers in rows along the longest way between them; machines beside their router."""
    routers = [place for place, box in enumerate(layout.boxes) if box.is_router]
    trunks = {place: _neighbours(layout, place, routers) for place in routers}
    if routers:
        first = _farthest(trunks, _farthest(trunks, routers[0]))
        first = min(first, _farthest(trunks, first))  # the one that is listed first stands at the top
        depths = _depths(trunks, first)
        for router in routers:
            layout.boxes[router].row = depths.get(router, 0)
    for place, box in enumerate(layout.boxes):
        if not box.is_router:
            box.routers = tuple(_neighbours(layout, place, routers))


def _neighbours(layout: Layout, place: int, among: Iterable[int]) -> list[int]:
    return [other for other in among if (place, other) in layout.wires or (other, place) in layout.wires]


def _depths(trunks: Mapping[int, Sequence[int]], start: int) -> dict[int, int]:
    depths, waiting = {start: 0}, [start]
    for place in waiting:
        for other in trunks[place]:
            if other not in depths:
                depths[other] = depths[place] + 1
                waiting.append(other)
    return depths


def _farthest(trunks: Mapping[int, Sequence[int]], start: int) -> int:
    depths = _depths(trunks, start)
    return max(depths, key=lambda place: (depths[place], -place))
