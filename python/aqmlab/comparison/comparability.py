"""What two configurations may differ in to be compared: a decision on every key of a scenario.

A difference of two means is put down to the queue. So who browses, what else sends, and what is measured have
to be the same on both sides; a network or hosts that differ are told beside the figures; what a run keeps and
what it is called do not matter. Files are judged by what is in them, wherever a key names one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any

from aqmlab import _core

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


class Decides(StrEnum):
    """What a key decides, and how a comparison treats a difference in it."""

    USERS = "who browses and what else sends"
    """Refused, unless other users are compared on purpose."""
    MEASURE = "what is measured"
    """Refused."""
    QUEUE = "the queue"
    """What is compared."""
    NETWORK = "the network"
    """Told."""
    HOSTS = "the hosts"
    """Reported: hosts negotiate features of a queue, such as ECN."""
    NOTHING = "nothing of what is compared"
    """Names, what a run keeps, and the uncongested twin, which is another run."""
    UNKNOWN = "unknown"
    """Refused: this version has no such key."""


ALL_BELOW = "**"
_SUBTREES: Mapping[Decides, str] = {
    Decides.USERS: f"""
        {" ".join(f"datagrams.*.{each.key}" for each in _core.applications())}
        users.model users.minimum_delay_ms users.delay_box
        populations.*.model populations.*.minimum_delay_ms populations.*.delay_box
        flows.*.base_rtt_ms flows.*.delay_box flows.*.phases flows.*.starts_s
    """,
    Decides.HOSTS: "users.host populations.*.host flows.*.host",
    Decides.QUEUE: """
        dumbbell.queue dumbbell.queue_right_to_left
        parking_lot.queue parking_lot.queue_right_to_left
        parking_lot.links.*.queue parking_lot.links.*.queue_right_to_left
        star.queue star.queue_up star.links.*.queue star.links.*.queue_up
        topology.links.*.queue
    """,
    Decides.NETWORK: """
        dumbbell.drop dumbbell.drop_right_to_left topology.links.*.drop
        dumbbell.medium dumbbell.medium_right_to_left topology.links.*.medium
    """,
    Decides.NOTHING: """
        dumbbell.uncongested_queue parking_lot.uncongested_queue star.uncongested_queue
        topology.links.*.uncongested_queue files
    """,
}
"""Tables and lists whose keys all decide the same; for `files`, the keys that name them decide."""
_KEYS: Mapping[Decides, str] = {
    Decides.USERS: """
        users.left users.right users.per_side users.start users.start_spread_s
        populations.*.name populations.*.browsers populations.*.servers populations.*.count
        populations.*.start populations.*.start_spread_s
        flows.*.name flows.*.count flows.*.senders flows.*.receivers flows.*.direction flows.*.bytes
        flows.*.arrivals_hz flows.*.start_s flows.*.start_spread_s flows.*.stop_s flows.*.delay_on
        datagrams.*.name datagrams.*.count datagrams.*.senders datagrams.*.receivers datagrams.*.direction
        datagrams.*.packet_bytes datagrams.*.echo
        datagrams.*.on_s datagrams.*.off_s datagrams.*.periods
        datagrams.*.start_s datagrams.*.start_spread_s datagrams.*.stop_s
        dumbbell.server_machines_per_side parking_lot.server_machines
        parking_lot.machines.*.name parking_lot.machines.*.count parking_lot.machines.*.router
        star.homes star.server_machines
        topology.nodes.*.name topology.nodes.*.kind topology.nodes.*.count
    """,
    Decides.MEASURE: """
        duration_s warm_up_s cool_down_s
        end_after.population end_after.exchanges
        record.response_end record.throughput_layer record.queue_interval_ms
        record.queue_summary_interval_ms record.queue_summary_sample_ms
        topology.links.*.monitored
    """,
    Decides.NETWORK: """
        delay_phase_ns rate_tolerance_ppm
        dumbbell.rate_mbps dumbbell.rate_right_to_left_mbps
        dumbbell.rate_trace_file dumbbell.rate_right_to_left_trace_file
        dumbbell.delay_ms dumbbell.interface_rate_mbps dumbbell.browser_machines_per_side
        dumbbell.layer2_gap_bytes dumbbell.layer2_minimum_frame_bytes dumbbell.layer2_overhead_bytes
        dumbbell.layer2_queued_bytes
        dumbbell.loss_probability dumbbell.loss_probability_right_to_left dumbbell.transmit_ring_packets
        parking_lot.hops parking_lot.rate_mbps parking_lot.rate_right_to_left_mbps parking_lot.delay_ms
        parking_lot.interface_delay_ms parking_lot.interface_rate_mbps parking_lot.browser_machines
        parking_lot.layer2_gap_bytes parking_lot.layer2_minimum_frame_bytes parking_lot.layer2_overhead_bytes
        parking_lot.layer2_queued_bytes
        parking_lot.links.*.hop parking_lot.links.*.delay_ms
        parking_lot.links.*.rate_mbps parking_lot.links.*.rate_right_to_left_mbps
        parking_lot.machines.*.delay_ms parking_lot.machines.*.rate_mbps
        star.rate_mbps star.rate_up_mbps star.delay_ms star.interface_delay_ms star.interface_rate_mbps
        star.layer2_gap_bytes star.layer2_minimum_frame_bytes star.layer2_overhead_bytes
        star.layer2_queued_bytes
        star.links.*.home star.links.*.delay_ms star.links.*.rate_mbps star.links.*.rate_up_mbps
        topology.links.*.from topology.links.*.to topology.links.*.both_ways
        topology.links.*.delay_ms topology.links.*.rate_mbps topology.links.*.rate_trace_file
        topology.links.*.layer2_gap_bytes topology.links.*.layer2_minimum_frame_bytes
        topology.links.*.layer2_overhead_bytes topology.links.*.layer2_queued_bytes
        topology.links.*.loss_probability topology.links.*.transmit_ring_packets
    """,
    Decides.HOSTS: """
        users.profile users.dscp populations.*.profile populations.*.dscp flows.*.profile flows.*.dscp
        datagrams.*.dscp datagrams.*.ecn
    """,
    Decides.NOTHING: """
        name description
        dumbbell.uncongested_rate_mbps parking_lot.uncongested_rate_mbps star.uncongested_rate_mbps
        topology.links.*.uncongested_rate_mbps
        record.arrivals record.congestion_window_interval_ms record.datagrams record.flows
        record.link_interval_ms
        record.packets record.responses record.scheme_state_interval_ms record.traffic
        record.traffic_interval_ms record.users
    """,
}
DECISIONS: Mapping[str, Decides] = {
    **{key: decides for decides, keys in _KEYS.items() for key in keys.split()},
    **{f"{key}.{ALL_BELOW}": decides for decides, keys in _SUBTREES.items() for key in keys.split()},
}
"""Of each key of a scenario what it decides; `*` is any place of a list, `**` whatever stands below."""


@cache
def decided_by(key: str) -> Decides:
    """What a dotted key of a resolved scenario decides."""
    general = re.sub(r"\.\d+(?=\.|$)", ".*", key)
    if general in DECISIONS:
        return DECISIONS[general]
    parts = general.split(".")
    for length in range(len(parts), 0, -1):
        decides = DECISIONS.get(".".join([*parts[:length], ALL_BELOW]))
        if decides is not None:
            return decides
    return Decides.UNKNOWN


MOST_TOLD = 6
"""Of more differences than these the others are counted."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A key that two scenarios do not share.

    Attributes:
        key: Its dotted name.
        before: What the first has there, in words.
        after: What the other has there.
    """

    key: str
    before: str
    after: str

    @property
    def decides(self) -> Decides:
        """What the key decides."""
        return decided_by(self.key)

    def __str__(self) -> str:
        return f"{self.key} {self.after} instead of {self.before}"


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """The keys in which two resolved scenarios differ, in the order of the first.

    Of two schemes the names alone are told, as their parameters mean nothing to each other. Names,
    descriptions and what a run keeps are left out.
    """
    if before == after:
        return []
    left, right = (dict(_leaves("", each, _texts(each))) for each in (before, after))
    keys = [key for key in {**left, **right} if left.get(key) != right.get(key)]
    other_schemes = {key.removesuffix(".scheme") for key in keys if key.endswith(".scheme")}
    return [
        Difference(key, *_in_words(left.get(key), right.get(key)))
        for key in keys
        if decided_by(key) is not Decides.NOTHING and not _is_of_another_scheme(key, other_schemes)
    ]


def _is_of_another_scheme(key: str, other_schemes: set[str]) -> bool:
    """Whether the key is a parameter of a queue that has another scheme, in a table within its table too."""
    table = key.removesuffix(".scheme")
    while "." in table:
        table = table.rpartition(".")[0]
        if table in other_schemes:
            return True
    return False


@dataclass(frozen=True, slots=True)
class _Text:
    """What a file holds that a key names; the same text under another name is the same."""

    name: str = field(compare=False)
    text: object


def _texts(scenario: Mapping[str, Any]) -> Mapping[str, object]:
    texts = scenario.get("files")
    return texts if isinstance(texts, dict) else {}


def _leaves(prefix: str, value: object, files: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Values by dotted key; nothing of what is absent, and of files their texts."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if prefix or key != "files":
                yield from _leaves(f"{prefix}.{key}" if prefix else key, inner, files)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _leaves(f"{prefix}.{place}", inner, files)
    elif isinstance(value, str) and value in files:
        yield prefix, _Text(value, files[value])
    elif isinstance(value, str) and value.rpartition(":")[0] in files:  # a scheme: my_red.py:MyRed
        yield prefix, (value, files[value.rpartition(":")[0]])
    elif value is not None:
        yield prefix, value


def listed(found: Sequence[Difference]) -> str:
    """Differences in one line."""
    more = f"; and {len(found) - MOST_TOLD} more" if len(found) > MOST_TOLD else ""
    return "; ".join(map(str, found[:MOST_TOLD])) + more


def _in_words(before: object, after: object) -> tuple[str, str]:
    left, right = _word(before), _word(after)
    return (left, right) if left != right else (left, f"another {right}")


def _word(value: object) -> str:
    if isinstance(value, _Text):
        return value.name
    if isinstance(value, tuple):
        return str(value[0])
    if isinstance(value, bool):
        return str(value).lower()
    return "absent" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
