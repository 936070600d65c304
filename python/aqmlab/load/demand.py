"""Demand: the part of a scenario's traffic that is turned, and the links that it is judged on.

A scenario's populations and groups of flows and of datagrams each have a size, and a key that sets it. A
demand is one of them or several; turned, they keep the ratio of their sizes, and its own size is that of the
largest: users on each side of a dumbbell with as many on both. Its data take routes, and the monitored links
on these are the links judged. Those of one rate between the same two nodes are the two directions of one
bottleneck, whose load is that of the fuller direction: a mean of both would hide how far one is overloaded.
The study of 2003 counts the mean of both, which those ask for by name who repeat it. A load is a share of
what a link can carry, which is its rate unless its medium takes time for more than bytes, or a shaper lets
less go: of a queue with classes (`htb`), what the classes let go that have data of the demand.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import TYPE_CHECKING

from aqmlab.errors import DemandError, UnknownLinkError
from aqmlab.statistics.recorded import judged_links

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Self

    from aqmlab import _core
    from aqmlab.scenario import Scenario
    from aqmlab.statistics import Recorded

USERS, FLOWS, DATAGRAMS = "users", "flows", "datagrams"
"""What sizes count, and the names of all demands that count it."""


@dataclass(frozen=True, slots=True)
class Part:
    """A population, a group of flows or a group of datagrams.

    Attributes:
        name: What `--demand` calls it: `users.left`, `populations.readers`, `flows.backup`,
            `datagrams.voice`.
        key: The dotted key of the scenario that sets its size.
        unit: What its size counts: `users`, `flows` or `datagrams`, which are sources of these.
        size: How many the scenario has.
        endless: Whether it takes whatever it is let through, as flows without end do.
    """

    name: str
    key: str
    unit: str
    size: int
    endless: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """A monitored link.

    Attributes:
        name: Its name in results.
        ends: The nodes that it joins.
        rate_mbps: Its rate in Mbit/s.
        capacity_mbps: What it carries of full packets if something always waits, in Mbit/s: of the traffic
            that was asked for, as the classes of its queue let it go.
        queue_key: The dotted key of its queue discipline, where a scenario is at hand.
        rate_key: The dotted key of its rate, likewise.
    """

    name: str
    ends: tuple[str, str]
    rate_mbps: float
    capacity_mbps: float
    queue_key: str = ""
    rate_key: str = ""


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """The judged links between two nodes: one direction, or both where their rates are the same."""

    links: tuple[Link, ...]

    @property
    def name(self) -> str:
        """The names of its links."""
        return ", ".join(link.name for link in self.links)

    @property
    def capacity_mbps(self) -> float:
        """What one direction carries, in Mbit/s; mean of those judged."""
        return fmean(link.capacity_mbps for link in self.links)

    @property
    def directions(self) -> tuple[Bottleneck, ...]:
        """Each of its links as a bottleneck of its own."""
        return tuple(Bottleneck((link,)) for link in self.links)

    def loads(self, by_link: Mapping[str, float]) -> dict[str, float]:
        """The throughput of each of its links in Mbit/s as a share of what the link carries."""
        return {link.name: by_link[link.name] / link.capacity_mbps for link in self.links}

    def load(self, by_link: Mapping[str, float]) -> float:
        """The load of its fuller direction."""
        return max(self.loads(by_link).values())

    def mean_load(self, by_link: Mapping[str, float]) -> float:
        """The mean load of its directions, as the studies of web traffic count it."""
        return fmean(self.loads(by_link).values())


@dataclass(frozen=True)
class Demand:
    """What is turned.

    Attributes:
        scenario: Whose traffic it is.
        parts: The populations, or groups of flows or of datagrams, all of one unit.
        links: The links that are judged, by name, instead of those on the routes of its data.
    """

    scenario: Scenario
    parts: tuple[Part, ...]
    links: tuple[str, ...] = ()

    @classmethod
    def of(cls, scenario: Scenario, names: Sequence[str] = (), *, links: Sequence[str] = ()) -> Self:
        """The demand with these names."""
        every = parts_of(scenario)
        if not names:
            present = {part.unit for part in every if part.size}
            names = (next(unit for unit in (USERS, FLOWS, DATAGRAMS) if unit in present),)
        families = dict.fromkeys(part.unit for part in every)
        for name in names:
            if name not in families and name not in {part.name for part in every}:
                raise DemandError.unknown(f"demand {name}", name, [*families, *(part.name for part in every)])
        parts = tuple(part for part in every if part.name in names or part.unit in names)
        if len({part.unit for part in parts}) > 1:
            wrong = "users, flows or datagrams, only one of these: one number changes the demand"
            raise DemandError(f"demand {', '.join(names)}: {wrong}")
        named_links(scenario, links)
        return cls(scenario, parts, tuple(links))

    @cached_property
    def size(self) -> int:
        """How many the largest part has."""
        return max(part.size for part in self.parts)

    @property
    def unit(self) -> str:
        """What its size counts."""
        return self.parts[0].unit

    def sizes(self, size: int) -> dict[str, int]:
        """The size of every part, by its name, where the largest has this one.

        A part of size zero stays at zero, unless all are; the others keep one at least.
        """
        largest = self.size
        return {
            part.name: size
            if part.size == largest
            else min(size, max(1, round(size * part.size / largest)))
            if part.size
            else 0
            for part in self.parts
        }

    def at(self, size: int) -> Scenario:
        """The scenario with this size of the largest part, and the others in their ratio to it."""
        return self.with_sizes(self.sizes(size))

    def with_sizes(self, sizes: Mapping[str, int]) -> Scenario:
        """The scenario with these sizes of parts, by name."""
        return self.scenario.with_overrides(
            {part.key: sizes[part.name] for part in self.parts if part.name in sizes}
        )

    def twin_of(self, scenario: Scenario) -> Scenario:
        """The uncongested network with the scenario's traffic; of flows without end, this demand's alone."""
        kept = [part.name.removeprefix(f"{FLOWS}.") for part in self.parts if part.endless]
        return scenario.offering_twin(kept)

    def require_offered_load(self) -> None:
        """Checks that the demand offers a load of its own."""
        endless = [part.name for part in self.parts if part.endless]
        if endless:
            others = [part.name for part in parts_of(self.scenario) if part.size and not part.endless]
            raise DemandError(
                f"{self.scenario.name}: demand {', '.join(endless)}: flows that never end send as fast "
                "as they can and offer no load of their own; legal: flows with bytes = N"
                f"{''.join(f', {name}' for name in others)}"
            )

    def bottlenecks(self, size: int | None = None) -> tuple[Bottleneck, ...]:
        """The links judged where the demand has this size, or its own, by the nodes that they join."""
        scenario = self.scenario if size is None else self.at(size)
        names = [part.name for part in self.parts]
        links = named_links(scenario, self.links, parts=names) or carrying_links(scenario, names)
        if found := bottlenecks_of(links):
            return found
        raise DemandError(
            f"{scenario.name}: no monitored link carries data of {', '.join(names)}; legal: a "
            "link with queue = { ... } on their way, or the names of links"
        )

    def __str__(self) -> str:
        return ", ".join(part.name for part in self.parts)


def parts_of(scenario: Scenario) -> tuple[Part, ...]:
    """Every population and group of flows or datagrams of a scenario."""
    return tuple(Part(own.name, own.key, own.unit, own.size, own.endless) for own in scenario.core.demands())


def carrying_links(scenario: Scenario, names: Sequence[str] = ()) -> list[Link]:
    """The monitored links on the routes of the data of these parts; without names, of all traffic."""
    return [_link(own) for own in scenario.core.demand_links(list(names))]


def named_links(
    scenario: Scenario, names: Sequence[str], *, parts: Sequence[str] = (), argument: str = "links"
) -> list[Link]:
    """The monitored links with these names, and what they carry of these parts; without parts, of all.

    `argument` is what the caller's argument is called.
    """
    UnknownLinkError.require_list(argument, names, "['left-to-right']")
    if not names:
        return []
    by_name = {link.name: link for link in monitored_links(scenario, parts)}
    for name in names:
        if name not in by_name:
            raise UnknownLinkError.unknown(f"{argument}: {name}", name, by_name)
    return [by_name[name] for name in dict.fromkeys(names)]


def monitored_links(scenario: Scenario, names: Sequence[str] = ()) -> list[Link]:
    """The monitored links of a scenario, and what they carry of these parts; without names, of all."""
    return [_link(own) for own in scenario.core.monitored_links(list(names) or None)]


def _link(own: _core.MonitoredLink) -> Link:
    return Link(own.name, own.ends, own.rate_mbps, own.capacity_mbps, own.queue_key, own.rate_key)


def links_of_run(result: Recorded) -> list[Link]:
    """The links of a run that carry data."""
    return [
        Link(link["name"], (link["from"], link["to"]), link["rate_mbps"], link["capacity_mbps"])
        for link in judged_links(result)
    ]


def bottlenecks_of(links: Iterable[Link]) -> tuple[Bottleneck, ...]:
    """Links by the nodes that they join and by their rates, in the order of the links."""
    joined: dict[tuple[frozenset[str], float], list[Link]] = {}
    for link in links:
        joined.setdefault((frozenset(link.ends), link.rate_mbps), []).append(link)
    return tuple(Bottleneck(tuple(each)) for each in joined.values())
