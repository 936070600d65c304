"""A line to the Internet, as tests of delay under load take it: rates, buffers, round trip."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from aqmlab.errors import RefusalError
from aqmlab.load.parametrized_scheme import labels_of, warn_of_remarks
from aqmlab.load.queues import Queues
from aqmlab.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DOWN, UP = "left-to-right", "right-to-left"
"""The directions of a line, and the names of its two links."""
AS_IT_IS = "as it is"
"""What the line's own queues are called."""
DIRECTIONS = {"down": DOWN, "up": UP}
"""The ways of a line, as its users call them."""
PROBE_BYTES, PROBE_INTERVAL_S = 64, 0.02
"""The probes that a line has to carry without being filled by them."""
_FULL_PACKET_BYTES = 1_500
_LEAST_PACKETS = 20
_BUFFER_DOWN_MS, _BUFFER_UP_MS = 100.0, 250.0
"""How much waits in modems without queue management: as in the preset `home`."""
_BEHIND_THE_LINE_MS = 10.0
_LAYER2_BYTES = ("layer2_overhead_bytes", "layer2_minimum_frame_bytes", "layer2_gap_bytes")
"""Speeds of homes are measured above the line's own frames: none are added."""
_INTERFACE_MBPS = 10_000.0
_NETWORKS = ("dumbbell", "parking_lot", "star", "topology")
_MOST_OF_PROBES = 0.1
"""The share of a rate that probes may take: beyond it they wait for each other on an idle line."""
LEAST_MBPS = PROBE_BYTES * 8 / PROBE_INTERVAL_S / 1e6 / _MOST_OF_PROBES
"""The slowest line, either way."""
_ANY = {"count": 1, "direction": DOWN, "packet_bytes": PROBE_BYTES, "rate_mbps": 0.01}
"""Something to carry, where only the line itself is asked about."""


@dataclass(frozen=True)
class Line:
    """A line to the Internet.

    Attributes:
        dumbbell: Its table of a scenario: rates, delay, framing and queues.
        round_trip_ms: Of the downloads and uploads on an idle line.
        files: The texts of files that the table names.
    """

    dumbbell: Mapping[str, Any]
    round_trip_ms: float = 20.0
    files: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of_rates(cls, down_mbps: float, up_mbps: float, *, round_trip_ms: float = 20.0) -> Self:
        """A line with these rates in Mbit/s, and buffers as deep as in modems without queue management.

        Raises:
            RefusalError: A rate or the round trip is no positive number, or a rate less than probes need.
        """
        given = {"down_mbps": down_mbps, "up_mbps": up_mbps, "rtt_ms": round_trip_ms}
        for name, value in given.items():
            if not 0.0 < value < float("inf"):
                raise RefusalError(
                    f"{name}: a number above 0, not {value:g}", place=name, value=value, legal="above 0"
                )
        dumbbell = {
            "rate_mbps": float(down_mbps),
            "rate_right_to_left_mbps": float(up_mbps),
            "delay_ms": round_trip_ms / 4,
            "interface_rate_mbps": _INTERFACE_MBPS,
            **dict.fromkeys(_LAYER2_BYTES, 0),
            "queue": _tail_drop(down_mbps, _BUFFER_DOWN_MS),
            "queue_right_to_left": _tail_drop(up_mbps, _BUFFER_UP_MS),
        }
        return cls(dumbbell, round_trip_ms)

    @classmethod
    def of_scenario(cls, scenario: Scenario, *, round_trip_ms: float | None = None) -> Self:
        """The line of a scenario; its users and flows are left out.

        Args:
            scenario: One with a `[dumbbell]`.
            round_trip_ms: Of the downloads and uploads; by default 10 ms more than the line's own delays.

        Raises:
            RefusalError: It is no `[dumbbell]`, slower than probes need, or longer than the round trip.
        """
        document = scenario.resolved
        if not document.get("dumbbell"):
            network = next((table for table in _NETWORKS if document.get(table)), "no network")
            raise RefusalError(
                f"{scenario.name}: a line is a [dumbbell], and this is [{network}]",
                place=network,
                legal="dumbbell",
            )
        dumbbell = document["dumbbell"]
        if round_trip_ms is None:
            round_trip_ms = 2 * float(dumbbell["delay_ms"]) + _BEHIND_THE_LINE_MS
        return cls(dumbbell, round_trip_ms, document.get("files") or {})

    def __post_init__(self) -> None:
        if self.behind_ms < 0.0:
            legal = f"{self.own_round_trip_ms:g} ms or more"
            raise RefusalError(
                f"rtt_ms: {self.round_trip_ms:g} ms is less than the line's own delay takes there and "
                f"back; legal: {legal}",
                place="rtt_ms",
                value=self.round_trip_ms,
                legal=legal,
            )
        for way, rate_mbps in self.rates_mbps.items():
            if rate_mbps < LEAST_MBPS:
                legal = f"{LEAST_MBPS:g} Mbit/s or more"
                raise RefusalError(
                    f"the line has {rate_mbps:g} Mbit/s {way}, which probes would fill; legal: {legal}",
                    place=way,
                    value=rate_mbps,
                    legal=legal,
                )

    @cached_property
    def rates_mbps(self) -> dict[str, float]:
        """The rates `down` and `up` in Mbit/s; of a rate trace, the mean.

        Raises:
            ScenarioError: The line cannot be simulated.
        """
        own = self.carrying("line", datagrams=[_ANY])
        links = {link.name: link.rate_mbps for link in own.core.monitored_links()}
        return {way: links[direction] for way, direction in DIRECTIONS.items()}

    def in_words(self) -> str:
        """Such as `100 Mbit/s down and 10 up, 20 ms to the servers and back`."""
        down, up = self.rates_mbps.values()
        return f"{down:g} Mbit/s down and {up:g} up, {self.round_trip_ms:g} ms to the servers and back"

    @property
    def own_round_trip_ms(self) -> float:
        """What the line's own propagation takes there and back."""
        return 2 * float(self.dumbbell["delay_ms"])

    @property
    def behind_ms(self) -> float:
        """The rest of the round trip, behind the line: what flows are delayed beside it."""
        return self.round_trip_ms - self.own_round_trip_ms

    def carrying(
        self,
        name: str,
        *,
        duration_s: float = 1.0,
        warm_up_s: float = 0.0,
        flows: Sequence[Mapping[str, Any]] = (),
        datagrams: Sequence[Mapping[str, Any]] = (),
        record: Mapping[str, Any] | None = None,
    ) -> Scenario:
        """The scenario in which the line carries these flows and datagrams.

        Raises:
            ScenarioError: It cannot be simulated; the message names the key.
        """
        document: dict[str, Any] = {
            "name": name,
            "duration_s": duration_s,
            "warm_up_s": warm_up_s,
            "dumbbell": self.dumbbell,
            "flows": list(flows),
            "datagrams": list(datagrams),
        }
        optional = {"record": record, "files": self.files}
        return Scenario.of(document | {key: table for key, table in optional.items() if table})


def under_schemes(own: Scenario, schemes: Sequence[str]) -> dict[str, Scenario]:
    """The line as it is, and with each scheme in the place of both its queues.

    Raises:
        ScenarioError: A scheme is refused.
    """
    warn_of_remarks(schemes)
    both = Queues.of(own, (DOWN, UP))
    named = {label: both.with_scheme(own, scheme) for scheme, label in labels_of(schemes).items()}
    return {AS_IT_IS: own, **named}


def _tail_drop(rate_mbps: float, buffer_ms: float) -> dict[str, object]:
    """In bytes: a limit of packets would hold far less than this time where acknowledgements wait too."""
    held = int(rate_mbps * 1e6 * buffer_ms / 1e3 / 8)
    return {"scheme": "drop-tail", "limit_bytes": max(_LEAST_PACKETS * _FULL_PACKET_BYTES, held)}
