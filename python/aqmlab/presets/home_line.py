"""The same scenario with its bottleneck as a line: provider, modem, router and devices, not two routers.

A `[dumbbell]` says how fast a line is and what waits in front of it, not whose box that is. As a `[line]` its
queues are the provider's and the modem's, and a router stands behind them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aqmlab.errors import RefusalError
from aqmlab.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

DEVICE, INTERNET = "computer", "internet"
"""The one device behind such a line, and the machines at its other end."""
_WAY = {"left-to-right": "down", "right-to-left": "up"}
_GROUPS = {
    "browsers-right": DEVICE,
    "servers-right": DEVICE,
    "browsers-left": INTERNET,
    "servers-left": INTERNET,
}
_ALIKE = ("uncongested_rate_mbps", "uncongested_queue", "interface_rate_mbps")
_UNKNOWN_TO_A_LINE = ("layer2_queued_bytes", "transmit_ring_packets", "drop", "drop_right_to_left")


def as_line(scenario: Scenario) -> Scenario:
    """A scenario of a `[dumbbell]` with a `[line]` in its place; one that has a line already is itself.

    The home is on the right, and all of it is one computer. Users of `[users]` become a population of the
    same name, so that they are the same people.
    """
    document = scenario.resolved
    if document.get("line"):
        return scenario
    dumbbell = document.get("dumbbell")
    if not dumbbell:
        raise RefusalError(
            f"{scenario.name}: where a queue stands is asked of a [line], or of a [dumbbell], whose right "
            "side is the home",
            place="line",
            legal="line, dumbbell",
        )
    for key in _UNKNOWN_TO_A_LINE:
        if dumbbell.get(key):
            raise RefusalError(
                f"{scenario.name}: a line has no {key}; legal: a dumbbell without it",
                place=f"dumbbell.{key}",
                value=dumbbell[key],
            )
    kept = {key: value for key, value in document.items() if key not in ("dumbbell", "users") and value}
    return Scenario.of(
        kept
        | {
            "line": line_of_dumbbell(dumbbell),
            "devices": [{"name": DEVICE}],
            "flows": [_of_line(each) for each in document.get("flows") or ()],
            "datagrams": [_of_line(each) for each in document.get("datagrams") or ()],
            "populations": [
                *_users(scenario, document.get("users")),
                *_moved(document.get("populations") or ()),
            ],
        }
    )


def line_of_dumbbell(dumbbell: Mapping[str, Any]) -> dict[str, Any]:
    """The table of a line with the rates, frames, delay and queues of a resolved dumbbell."""
    own = {
        "technology": "other",
        "down_mbps": dumbbell["rate_mbps"],
        "up_mbps": dumbbell.get("rate_right_to_left_mbps") or dumbbell["rate_mbps"],
        "delay_ms": dumbbell["delay_ms"],
        "overhead_bytes": dumbbell["layer2_overhead_bytes"] + dumbbell["layer2_gap_bytes"],
        "minimum_frame_bytes": dumbbell["layer2_minimum_frame_bytes"] + dumbbell["layer2_gap_bytes"],
        "framing": _framing(dumbbell),
        "provider_queue": dumbbell["queue"],
        "modem_queue": dumbbell.get("queue_right_to_left") or dumbbell["queue"],
        "medium_down": dumbbell.get("medium"),
        "medium_up": dumbbell.get("medium_right_to_left"),
        "rate_down_trace_file": dumbbell.get("rate_trace_file"),
        "rate_up_trace_file": dumbbell.get("rate_right_to_left_trace_file"),
        "conditions_file": dumbbell.get("conditions_file"),
        "conditions_end": dumbbell.get("conditions_end"),
        "netem_down": dumbbell.get("netem"),
        "netem_up": dumbbell.get("netem_right_to_left"),
        "loss_probability_down": dumbbell.get("loss_probability") or None,
        "loss_probability_up": dumbbell.get("loss_probability_right_to_left") or None,
        "server_machines": dumbbell["server_machines_per_side"],
        **{key: dumbbell[key] for key in _ALIKE},
    }
    return {key: value for key, value in own.items() if value is not None}


def _framing(dumbbell: Mapping[str, Any]) -> str:
    return {"atm": "atm", "ptm": "ptm"}.get(dumbbell.get("layer2_coding") or "", "none")


def _of_line(group: Mapping[str, Any]) -> dict[str, Any]:
    """Flows or datagrams that go up or down the line."""
    kept = {key: value for key, value in group.items() if value is not None}
    if (direction := kept.pop("direction", None)) is not None:
        return kept | {"direction": _WAY[direction]}
    return kept | {end: _GROUPS.get(kept[end], kept[end]) for end in ("senders", "receivers")}


def _users(scenario: Scenario, users: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    if not users:
        return []
    if users.get("left"):
        raise RefusalError(
            f"{scenario.name}: {users['left']} users browse on the left, where the Internet is; legal: "
            "users.left = 0",
            place="users.left",
            value=users["left"],
            legal="0",
        )
    kept = {key: value for key, value in users.items() if key not in ("left", "right") and value is not None}
    return [kept | {"name": "right", "browsers": DEVICE, "servers": INTERNET, "count": users["right"]}]


def _moved(populations: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {key: value for key, value in each.items() if value is not None}
        | {end: _GROUPS.get(each[end], each[end]) for end in ("browsers", "servers")}
        for each in populations
    ]
