"""Loss, in per cent: the one home of its counts, its denominators and its division.

A loss is a number of packets lost and of packets that could have been. Three denominators are told apart:

- at risk: the packets that a queue could discard in the window. They are its arrivals in the window and, for
  schemes that decide about waiting packets, what waited at its start.
- offered: what came to a link, which is what it sent and what it discarded; for a part of the traffic, at the
  first monitored link on its way.
- sent: of datagrams those that were sent in the window; what is under way at the end makes their loss lie
  between two ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


_REDUNDANT = "redundant"
"""Acknowledgements that a filter took out: nobody misses them."""
AT_RISK = "packets at risk at the queues"
OFFERED = "packets that came to the first link, sent or discarded there"
OFFERED_BYTES = "bytes that came to the link, sent or discarded there"
SENT = "datagrams that were sent in the measured window"
"""What losses are shares of."""


def percent(lost: float, of: float, *, where_none: Exception | None = None) -> float:
    """What is lost, per 100; 0 of nothing."""
    if of == 0:
        if where_none is not None:
            raise where_none
        return 0.0
    return 100.0 * lost / of


def discarded_packets(link: Mapping[str, Any], reason: str | None = None) -> int:
    """Packets discarded at a link's queue, for one reason, or for any but that a later one says the same."""
    discarded = link["counters"]["discarded"]
    if reason is not None:
        return int(discarded.get(reason, {}).get("packets", 0))
    return sum(int(count["packets"]) for name, count in discarded.items() if name != _REDUNDANT)


def marked_packets(link: Mapping[str, Any]) -> int:
    """Packets marked at a link's queue."""
    return int(link["counters"]["marked"]["packets"])


def at_risk_packets(link: Mapping[str, Any]) -> int:
    """Packets that a link's queue could discard or mark in the window."""
    return int(link["counters"]["at_risk"]["packets"])


def of_class(links: Iterable[Mapping[str, Any]], packet_class: str) -> tuple[int, int]:
    """Packets of a class that the queues of links discarded, and those at risk there."""
    counts = [link["counters"]["by_class"].get(packet_class) for link in links]
    present = [count for count in counts if count is not None]
    discarded, at_risk = (
        sum(int(count[name]) for count in present) for name in ("discarded_packets", "at_risk_packets")
    )
    return discarded, at_risk
