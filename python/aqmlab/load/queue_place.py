"""Where the queue that is asked about stands on a line: whose box it is in, and what holds it back there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aqmlab.errors import RefusalError
from aqmlab.scenario import Scenario
from aqmlab.terminal.spelling import closest, nearest, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

LINE_LINKS, ROUTER_LINKS = ("down", "up"), ("router-down", "router-up")
"""The links of a line with queues: its own two ways, and the ports of the router behind it."""
SHAPED_SHARE = 0.95
"""The share of a line's rate to which a router holds it without a word: tc-cake(8) leaves a few per cent."""
LEAST_SHARE = 0.01
_SHARES = ("shaped_share_down", "shaped_share_up")
_ROUTER_QUEUES = ("router_queue_down", "router_queue_up")
_FOLLOWS = "cake_autorate"


@dataclass(frozen=True)
class QueuePlace:
    """A place for queue disciplines.

    Attributes:
        name: What users call it.
        links: The links whose queues they are.
        in_words: Whose box it is.
        shaped: Whether the router holds the line to a share of its rate.
    """

    name: str
    links: tuple[str, ...]
    in_words: str
    shaped: bool = False

    def at(self, scenario: Scenario, share: float | None = None) -> Scenario:
        """A scenario with a `[line]`, ready for queue disciplines at this place.

        In front of a modem a router without a shaper holds nothing: all of it waits in the modem.
        """
        self.require_share(share)
        if self.shaped:
            return scenario.with_overrides(self.settings(scenario, share))
        if own_links(scenario) == LINE_LINKS:
            return scenario
        return without(scenario, *_SHARES, *_ROUTER_QUEUES, _FOLLOWS)

    def left_out(self, scenario: Scenario) -> str | None:
        """What a `[line]` loses with queues at this place, in a sentence: the shapers of its router."""
        if self.shaped or own_links(scenario) == LINE_LINKS:
            return None
        line: Mapping[str, Any] = scenario.resolved["line"]
        shares = [(key.rpartition("_")[2], line.get(key)) for key in _SHARES]
        held = " and ".join(f"{way} to {share:.0%}" for way, share in shares if share is not None)
        said = f"holds the line {held} of its rate" if held else "holds the line by CAKE's own rate"
        return (
            f"{scenario.name}: its router {said}; with queues at {self.name} it does not, "
            "and only the line as it is keeps that"
        )

    def settings(self, scenario: Scenario, share: float | None = None) -> dict[str, float]:
        """The dotted keys, with their values, that make a router shape where it does not; else none."""
        if not self.shaped:
            return {}
        line: Mapping[str, Any] = scenario.resolved["line"]
        usual = SHAPED_SHARE if share is None else share
        return {f"line.{key}": usual for key in _SHARES if share is not None or line.get(key) is None}

    def require_share(self, share: float | None) -> None:
        """Checks a share that was asked for."""
        if share is None or (self.shaped and LEAST_SHARE <= share <= 1.0):
            return
        legal = f"{LEAST_SHARE} to 1" if self.shaped else "together with queue_in = router"
        why = f"{share:g} is out of range" if self.shaped else "only a router shapes"
        raise RefusalError(
            f"shaped_share: {why}; legal: {legal}", place="shaped_share", value=share, legal=legal
        )


def without(scenario: Scenario, *keys: str) -> Scenario:
    """A scenario whose line lacks these keys."""
    line: Mapping[str, Any] = scenario.resolved["line"]
    if all(line.get(key) is None for key in keys):
        return scenario
    kept = {key: value for key, value in line.items() if key not in keys}
    return Scenario.of(scenario.resolved | {"line": kept})


def at_fixed_rates(scenario: Scenario) -> Scenario:
    """A scenario whose shapers do not follow its line."""
    return without(scenario, _FOLLOWS)


PLACES = {
    place.name: place
    for place in (
        QueuePlace(
            "router", ROUTER_LINKS, "in your router, which holds the line below its rate", shaped=True
        ),
        QueuePlace("router-unshaped", ROUTER_LINKS, "in your router, without a shaper"),
        QueuePlace("modem", ("up",), "in the modem (up only)"),
        QueuePlace("provider", ("down",), "at the provider (down only)"),
        QueuePlace("line", LINE_LINKS, "in the modem (up) and at the provider (down)"),
    )
}
"""By name."""


def place_named(name: str) -> QueuePlace:
    """The place of this name."""
    if name not in PLACES:
        legal = ", ".join(PLACES)
        raise RefusalError(
            f"queue_in: no queue stands in {quoted(name)}; legal: {legal}{nearest(name, PLACES)}",
            place="queue_in",
            value=name,
            legal=legal,
            nearest=closest(name, PLACES),
        )
    return PLACES[name]


def own_links(scenario: Scenario) -> tuple[str, ...]:
    """The links of a line at which its queues act: those that its router shapes, else the line's own."""
    line: Mapping[str, Any] = scenario.resolved["line"]
    shaped = [
        line.get(share) is not None or line[queue].get("rate_mbps") is not None
        for share, queue in zip(_SHARES, _ROUTER_QUEUES, strict=True)
    ]
    return tuple(
        in_router if is_shaped else at_line
        for is_shaped, in_router, at_line in zip(shaped, ROUTER_LINKS, LINE_LINKS, strict=True)
    )
