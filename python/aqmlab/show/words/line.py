"""A line in sentences: what its users offer, and whose boxes its queues are in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.show.words.amounts import listed
from aqmlab.show.words.configurations import the, under
from aqmlab.statistics.catalogue import greedy_groups

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from aqmlab.comparison import Comparison
    from aqmlab.result import Result


def offered_load(result: Result) -> str | None:
    """The offered load of a run: its share of the bottleneck, each link's Mbit/s; none if it is not known.

    Flows without a size would fill any link, so the uncongested twin has none, and the sentence says so: a
    link full of backups may have an offered load of 4 %.
    """
    if (load := result.offered_load) is None:
        return None
    by_link = ", ".join(f"{name} {mbps:.2f}" for name, mbps in load["realised_mbps"].items())
    of_some = len(load["realised_mbps"]) > len(load["bottleneck"])
    where = ", ".join(load["bottleneck"]) if of_some else "the bottleneck"
    least = "at least " if load.get("held_back") else ""
    said = f"offered load: {least}{load['realised_percent']:.1f} % of {where} ({by_link} Mbit/s)"
    greedy = greedy_groups(result)
    return (
        f"{said} without {listed([the(each) for each in greedy])}, which send as fast as they can"
        if greedy
        else said
    )


_SHARES = {"down": "shaped_share_down", "up": "shaped_share_up"}
_AT_THE_LINE = {"down": "at the provider", "up": "in the modem"}


def boxes_in_words(found: Comparison) -> list[str]:
    """Where what waits on a line waits, by configuration; nothing of other networks."""
    by_place: dict[str, list[str]] = {}
    for name in found.names:
        line = found.runs[name][0].result.run["scenario"].get("line")
        if line:
            by_place.setdefault(_place(line), []).append(under(name))
    if not by_place:
        return []
    if len(by_place) == 1:
        return [f"Queues fill {next(iter(by_place))}."]
    told = "; ".join(f"{listed(names)} {place}" for place, names in by_place.items())
    return [f"Where queues fill: {told}."]


def what_to_type(found: Comparison) -> list[str]:
    """Where a home's router gets what helps from; nothing of other networks."""
    is_line = all(runs[0].result.run["scenario"].get("line") for runs in found.runs.values())
    return ["What to type in your router: aqmlab sqm FILE, with this scenario's file."] if is_line else []


def _place(line: Mapping[str, Any]) -> str:
    held = {way: _of_way(line, way) for way in _SHARES}
    if held["down"] == held["up"]:
        return held["down"]
    return " and ".join(f"{box} ({way})" for way, box in held.items())


def _of_way(line: Mapping[str, Any], way: str) -> str:
    share, own_mbps = line.get(_SHARES[way]), line[f"router_queue_{way}"].get("rate_mbps")
    if share is not None:
        return f"in the router, which holds the line to {100 * share:.3g} %"
    return f"in the router, whose queue holds {own_mbps:g} Mbit/s" if own_mbps else _AT_THE_LINE[way]
