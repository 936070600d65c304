"""A line to the Internet, as tests of delay under load take it: rates, buffers, round trip.

The rates of a `[line]` that nobody has given are assumed, with a warning.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from aqmlab.errors import RefusalError
from aqmlab.load.parametrized_scheme import labels_of, warn_of_remarks
from aqmlab.load.queue_place import ROUTER_LINKS, place_named
from aqmlab.load.queues import Queues, placed, warn_of_what_is_left_out
from aqmlab.presets.home_line import DEVICE, line_of_dumbbell
from aqmlab.scenario import Scenario, at_key

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DOWN, UP = "left-to-right", "right-to-left"
"""The directions of a dumbbell that is a line, and the names of its two links."""
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
_BEHIND_THE_LINE_MS, _ROUND_TRIP_MS = 10.0, 20.0
_LAYER2_BYTES = ("layer2_overhead_bytes", "layer2_minimum_frame_bytes", "layer2_gap_bytes")
"""Speeds of homes are measured above the line's own frames: none are added."""
_INTERFACE_MBPS = 10_000.0
LINES = ("line", "dumbbell")
"""The tables of a scenario that a line is read from."""
_NETWORKS = (*LINES, "parking_lot", "star", "topology")
_MOST_OF_PROBES, _PART_OF_PROBES = 0.1, 0.05
"""The share of a rate that probes may take: beyond it they wait for each other on an idle line."""
LEAST_MBPS = PROBE_BYTES * 8 / PROBE_INTERVAL_S / 1e6 / _MOST_OF_PROBES
"""The slowest line, either way."""
_ANY = {"count": 1, "direction": DOWN, "packet_bytes": PROBE_BYTES, "rate_mbps": 0.01}
"""Something to carry, where only the line itself is asked about."""


@dataclass(frozen=True)
class Line:
    """A line to the Internet.

    Attributes:
        network: Its table of a scenario, `dumbbell` or `line`, resolved: rates, delay, framing and queues.
        round_trip_ms: Of the downloads and uploads on an idle line.
        files: The texts of files that the table names.
        queue_in: Where queue disciplines stand that it is tried with: a name of `queue_place.PLACES`.
        shaped_share: The share of its rate that a router leaves it there; None: its own, or 0.95.
    """

    network: Mapping[str, Mapping[str, Any]]
    round_trip_ms: float = _ROUND_TRIP_MS
    files: Mapping[str, str] = field(default_factory=dict)
    queue_in: str = "line"
    shaped_share: float | None = None

    @classmethod
    def of_rates(
        cls,
        down_mbps: float,
        up_mbps: float,
        *,
        technology: str | None = None,
        round_trip_ms: float | None = None,
    ) -> Self:
        """A line with these rates in Mbit/s, and buffers as deep as in modems without queue management."""
        usual_ms = _ROUND_TRIP_MS if round_trip_ms is None else round_trip_ms
        given = {"down_mbps": down_mbps, "up_mbps": up_mbps, "rtt_ms": usual_ms}
        for name, value in given.items():
            if not 0.0 < value < float("inf"):
                raise RefusalError(
                    f"{name}: a number above 0, not {value:g}", place=name, value=value, legal="above 0"
                )
        if technology is not None:
            line = {"technology": technology, "down_mbps": float(down_mbps), "up_mbps": float(up_mbps)}
            own = Scenario.of(_carrying_anything({"line": line}))
            return cls.of_scenario(own, round_trip_ms=round_trip_ms)
        dumbbell = {
            "rate_mbps": float(down_mbps),
            "rate_right_to_left_mbps": float(up_mbps),
            "delay_ms": usual_ms / 4,
            "interface_rate_mbps": _INTERFACE_MBPS,
            **dict.fromkeys(_LAYER2_BYTES, 0),
            "queue": _tail_drop(down_mbps, _BUFFER_DOWN_MS),
            "queue_right_to_left": _tail_drop(up_mbps, _BUFFER_UP_MS),
        }
        return cls({"dumbbell": dumbbell}, usual_ms)

    @classmethod
    def of_scenario(cls, scenario: Scenario, *, round_trip_ms: float | None = None) -> Self:
        """The line of a scenario; its users, devices and flows are left out."""
        document = scenario.resolved
        kind = next((table for table in LINES if document.get(table)), None)
        if kind is None:
            network = next((table for table in _NETWORKS if document.get(table)), "no network")
            raise RefusalError(
                f"{scenario.name}: a line is a [line] or a [dumbbell], and this is [{network}]",
                place=network,
                legal="line, dumbbell",
            )
        table = document[kind]
        if round_trip_ms is None:
            round_trip_ms = 2 * float(table["delay_ms"]) + _BEHIND_THE_LINE_MS
        return cls({kind: table}, round_trip_ms, document.get("files") or {})

    def with_queues_in(self, queue_in: str | None, shaped_share: float | None = None) -> Self:
        """The same line, tried with queue disciplines that stand at a place of their own."""
        if queue_in is None:
            if shaped_share is not None:
                raise RefusalError(
                    "shaped_share: only a router shapes; legal: together with queue_in = router",
                    place="shaped_share",
                    value=shaped_share,
                    legal="together with queue_in = router",
                )
            return self
        place = place_named(queue_in)
        place.require_share(shaped_share)
        return replace(self.as_line(), queue_in=place.name, shaped_share=shaped_share)

    def as_line(self) -> Self:
        """The same line with its provider, modem and router told apart."""
        if self.is_line:
            return self
        table = line_of_dumbbell(_resolved(self, "dumbbell"))
        return replace(self, network={"line": _resolved(replace(self, network={"line": table}), "line")})

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

    @property
    def is_line(self) -> bool:
        """Whether provider, modem and router are told apart."""
        return "line" in self.network

    def with_scheme(self, scheme: str) -> Scenario:
        """The line with a scheme where queue disciplines are tried, and next to nothing to carry."""
        own = self.as_line().carrying("line", datagrams=[_ANY])
        return placed(own, scheme, place_named(self.queue_in), self.shaped_share)

    def shares_in(self, scenario: Scenario) -> dict[str, float]:
        """The share of its rate that a router leaves the line each way, in a scenario of it."""
        if not self.is_line:
            return dict.fromkeys(DIRECTIONS, 1.0)
        shapers, line = scenario.core.shapers(), scenario.resolved["line"]
        shares = {}
        for (way, rate_mbps), link in zip(self.rates_mbps.items(), ROUTER_LINKS, strict=True):
            own_mbps = line[f"router_queue_{way}"].get("rate_mbps")
            held_mbps = shapers[link][0] if link in shapers else own_mbps or rate_mbps
            shares[way] = min(held_mbps / rate_mbps, 1.0)
        return shares

    @property
    def probe_interval_s(self) -> float:
        """From one probe to the next: longer where probes, as framed, would be felt on the line."""
        if not self.is_line:
            return PROBE_INTERVAL_S
        own = self.with_scheme("fq-codel")
        shares, table = self.shares_in(own), own.resolved["line"]
        slowest = min(rate * shares[way] for way, rate in self.rates_mbps.items())
        return max(PROBE_INTERVAL_S, 8e-6 * _on_line(PROBE_BYTES, table) / (_PART_OF_PROBES * slowest))

    @property
    def links(self) -> dict[str, str]:
        """The names of its two links, `down` and `up`, as results have them."""
        return {way: way if self.is_line else direction for way, direction in DIRECTIONS.items()}

    @cached_property
    def rates_mbps(self) -> dict[str, float]:
        """The rates `down` and `up` in Mbit/s; of a rate trace, the mean."""
        own = self.carrying("line", datagrams=[_ANY])
        links = {link.name: link.rate_mbps for link in own.core.monitored_links()}
        return {way: links[link] for way, link in self.links.items()}

    @cached_property
    def schemes(self) -> list[str]:
        """The queue disciplines that it has now, each once."""
        own = self.carrying("line", datagrams=[_ANY])
        queues = [at_key(own.resolved, link.queue_key) for link in own.core.monitored_links()]
        return list(dict.fromkeys(str(queue["scheme"]) for queue in queues))

    def in_words(self) -> str:
        """Such as `100 Mbit/s down and 10 up, round trip 20 ms`."""
        down, up = (f"{rate:.4g}" for rate in self.rates_mbps.values())
        return f"{down} Mbit/s down and {up} up, round trip {self.round_trip_ms:.4g} ms"

    @property
    def own_round_trip_ms(self) -> float:
        """What the line's own propagation takes there and back."""
        (table,) = self.network.values()
        return 2 * float(table["delay_ms"])

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
        """The scenario in which the line carries these flows and datagrams."""
        document: dict[str, Any] = {
            "name": name,
            "duration_s": duration_s,
            "warm_up_s": warm_up_s,
            **{kind: _given(table) for kind, table in self.network.items()},
            "flows": [self._group(each) for each in flows],
            "datagrams": [self._group(each) for each in datagrams],
        }
        if self.is_line:
            document["devices"] = [{"name": DEVICE}]
        optional = {"record": record, "files": self.files}
        return Scenario.of(document | {key: table for key, table in optional.items() if table})

    def _group(self, group: Mapping[str, Any]) -> dict[str, Any]:
        """Flows or datagrams in a direction of this line."""
        way = next(way for way, direction in DIRECTIONS.items() if direction == group["direction"])
        return {**group, "direction": way} if self.is_line else dict(group)


def under_schemes(line: Line, own: Scenario, schemes: Sequence[str]) -> dict[str, Scenario]:
    """The line as it is, and with each scheme at the place that is asked about, both ways."""
    warn_of_remarks(schemes)
    labels = labels_of(schemes)
    if not line.is_line:
        both = Queues.of(own, (DOWN, UP))
        return {AS_IT_IS: own, **{label: both.with_scheme(own, each) for each, label in labels.items()}}
    place, share = place_named(line.queue_in), line.shaped_share
    warn_of_what_is_left_out(own, place)
    return {AS_IT_IS: own, **{label: placed(own, each, place, share) for each, label in labels.items()}}


def _resolved(line: Line, kind: str) -> Mapping[str, Any]:
    """The table of a line with every default."""
    table: Mapping[str, Any] = line.carrying("line", datagrams=[_ANY]).resolved[kind]
    return table


def _on_line(ip_bytes: int, line: Mapping[str, Any]) -> int:
    """The bytes of a packet on a line: frames, and cells of 53 for 48."""
    framed = max(ip_bytes + int(line["overhead_bytes"]), int(line["minimum_frame_bytes"]))
    return -(-framed // 48) * 53 if line["framing"] == "atm" else framed


def _given(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if value is not None}


def _carrying_anything(network: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": "line", "duration_s": 1.0, **network, "datagrams": [{**_ANY, "direction": "down"}]}


def _tail_drop(rate_mbps: float, buffer_ms: float) -> dict[str, object]:
    """In bytes: a limit of packets would hold far less than this time where acknowledgements wait too."""
    held = int(rate_mbps * 1e6 * buffer_ms / 1e3 / 8)
    return {"scheme": "drop-tail", "limit_bytes": max(_LEAST_PACKETS * _FULL_PACKET_BYTES, held)}


_WAYS = ("down", "up")


def assumed_rates(scenario: Scenario) -> str | None:
    """What is assumed of the rates of a line that its file leaves out, in a sentence; None if it has them."""
    line: Mapping[str, Any] | None = scenario.resolved.get("line")
    if not line or scenario.written is None:
        return None
    try:
        given = scenario.written.document().get("line", {})
    except ValueError:  # TOML that Python does not read
        return None
    if "conditions_file" in given:
        return None
    missing = [way for way in _WAYS if not {f"{way}_mbps", f"rate_{way}_trace_file"} & given.keys()]
    if not missing:
        return None
    rates = " and ".join(f"{line[f'{way}_mbps']:g} Mbit/s {way}" for way in missing)
    keys = " and ".join(f"line.{way}_mbps" for way in missing)
    verb = "is" if len(missing) == 1 else "are"
    return (
        f"{scenario.name}: {rates} {verb} assumed, as usual for {line['technology']}; "
        f"set {keys} to the rates of your line"
    )


def warn_of_assumed_rates(scenario: Scenario) -> None:
    """Warns of rates that are assumed."""
    if said := assumed_rates(scenario):
        warnings.warn(said, stacklevel=3)
