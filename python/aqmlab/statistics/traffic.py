"""Numbers of a part of the traffic: of a population, whose servers send, of flows, of datagrams, of a device.

A part is called `populations.NAME`, `flows.NAME`, `datagrams.NAME` (`statistics/datagrams.py`) or
`devices.NAME` of a `[line]`: what goes down to the device and up from it, which is what its own parts of the
traffic get (of flows and datagrams what was delivered, of people what they load). The loss of
a population or of flows is that of the packets of those who send data, control packets among them, over all
monitored links on their way: what these discarded, per 100 that came to the first. A part that takes several
paths over monitored links has none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from aqmlab.errors import MissingDataError, TooLittleDataError
from aqmlab.files.columns import to_numpy
from aqmlab.statistics import loss
from aqmlab.statistics.classes import jain_index, rates_while_present
from aqmlab.statistics.datagrams import OF_DATAGRAMS, goodput_kbps_of_datagrams
from aqmlab.statistics.quantity import OfRun, of_part
from aqmlab.statistics.recorded import Recorded, has_name, measured_window_s, table, viewers
from aqmlab.statistics.transfers import OF_TRANSFERS
from aqmlab.statistics.video import OF_VIDEO, arrived_bytes
from aqmlab.statistics.video_call import OF_VIDEO_CALLS
from aqmlab.statistics.voice import OF_VOICE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from aqmlab.statistics.quantity import OfPart


WAYS = ("down", "up")
_ENDS = {"down": "receivers", "up": "senders"}


def devices(result: Recorded) -> list[str]:
    """The devices of a run on a line, in its order."""
    return [str(each["name"]) for each in result.run["scenario"].get("devices") or ()]


def of_devices(goodput_kbps: OfPart) -> Mapping[str, OfPart]:
    """The quantities of a device, from that of a population or a group of flows."""

    def rate_mbps(way: str) -> OfPart:
        def of_device(part: str) -> OfRun:
            device = part.partition(".")[2]
            title = f"goodput {way} of {device}, Mbit/s"
            return OfRun(
                f"goodput_{way}_mbps/{part}", "Mbit/s", title, f"{way} Mbit/s", 1,
                lambda result: _kbps_of_device(result, device, way, goodput_kbps) / 1000.0,
                definition=f"the goodput of all traffic {way} of the device: of flows and datagrams what was "
                "delivered, of people the responses and segments that arrived",
            )  # fmt: skip

        return of_device

    def jain_index(part: str) -> OfRun:
        way = part.partition(".")[2]
        return OfRun(
            f"jain_index/{part}", "", f"Jain's index of devices, {way}", "Jain's index", 3,
            lambda result: _jain_index_of_devices(result, way, goodput_kbps),
            definition="NAME is down or up: (Σx)² / (n Σx²) of the goodputs that way of the n devices with "
            "flows that never end: 1 if all got the same, 1/n if one got all",
        )  # fmt: skip

    rates = {f"goodput_{way}_mbps": rate_mbps(way) for way in WAYS}
    return {**rates, "jain_index": jain_index}


def sharing_ways(result: Recorded) -> list[str]:
    """The ways on which two devices or more have flows that never end."""
    return [way for way in WAYS if len(_greedy(result, way)) > 1]


def _kbps_of_device(result: Recorded, device: str, way: str, goodput_kbps: OfPart) -> float:
    if device not in devices(result):
        known = ", ".join(devices(result)) or "none"
        raise MissingDataError(f"the run has no devices.{device}; its devices: {known}")
    return sum(
        (goodput_kbps_of_datagrams if part.startswith("datagrams.") else goodput_kbps)(part)(result)
        for part in _parts_of_device(result, device, way)
    )


def _parts_of_device(result: Recorded, device: str, way: str) -> Iterator[str]:
    """The parts of the traffic that go down to a device, or up from it."""
    scenario: Mapping[str, Any] = result.run["scenario"]
    for kind in ("flows", "datagrams"):
        for group in scenario.get(kind) or ():
            if group.get(_ENDS[way]) == device:
                yield f"{kind}.{group['name']}"
    if way == "down":
        for group in scenario.get("populations") or ():
            if group.get("browsers") == device:
                yield f"populations.{group['name']}"


def _greedy(result: Recorded, way: str) -> list[str]:
    """The devices with flows that never end, which take what they are let have."""
    groups = result.run["scenario"].get("flows") or ()
    ends = {group.get(_ENDS[way]) for group in groups if group.get("bytes") is None}
    return [name for name in devices(result) if name in ends]


def _jain_index_of_devices(result: Recorded, way: str, goodput_kbps: OfPart) -> float:
    if way not in WAYS:
        raise MissingDataError(f"devices.{way}: devices share {' or '.join(WAYS)}")
    rates = [_kbps_of_device(result, device, way, goodput_kbps) for device in _greedy(result, way)]
    if len(rates) < 2 or not any(rates):
        raise TooLittleDataError(f"fewer than two devices have flows that never end {way}")
    return sum(rates) ** 2 / (len(rates) * sum(rate**2 for rate in rates))


@of_part(
    "loss_percent", "%", "loss of {}, %", "loss %", 2,
    definition="senders' packets that monitored links discarded, of those that came to the first one",
    denominator=loss.OFFERED,
)  # fmt: skip
def loss_percent_of(result: Recorded, part: str) -> float:
    """Loss of a part of the traffic, in per cent of its packets."""
    kind, name = part.split(".", 1)
    rows = table(result, "traffic", setting="record.traffic")
    column, sender = ("population", "server") if kind == "populations" else ("flow_group", "browser")
    wanted = has_name(rows, column, name) & has_name(rows, "sender", sender)
    if not wanted.any():
        raise MissingDataError(f"the run has no {part}")
    names = rows["link"].to_pylist()
    sent, discarded = (to_numpy(rows[count]) for count in ("sent_packets", "discarded_packets"))
    came = {names[row]: int(sent[row] + discarded[row]) for row in np.flatnonzero(wanted)}
    seen = [link for link in result.run["links"] if came.get(link["name"])]
    if not seen:
        raise TooLittleDataError(f"no packet of {part} came to a monitored link")
    offered = came[_first_of_path(seen, part)["name"]]
    return loss.percent(int(discarded[wanted].sum()), offered)


def _first_of_path(links: Sequence[Mapping[str, Any]], part: str) -> Mapping[str, Any]:
    entered, left = ([link[end] for link in links] for end in ("to", "from"))
    first = [link for link in links if link["from"] not in entered]
    if len(first) != 1 or len(set(entered)) < len(links) or len(set(left)) < len(links):
        names = ", ".join(link["name"] for link in links)
        raise MissingDataError(f"{part} takes more than one path over monitored links: {names}")
    return first[0]


def goodput_kbps_of(part: str) -> OfRun:
    """Bytes that reached the receivers of a part of the traffic in the window, in kbit/s.

    Of a group of flows what all of them delivered, of a population the responses complete in the window.
    """
    kind, name = part.split(".", 1)
    bytes_of, meant = (
        (_responses_bytes, "bytes of completed responses, or of video segments that arrived,")
        if kind == "populations"
        else (_delivered_bytes, "bytes that all flows delivered")
    )
    return OfRun(
        f"goodput_kbps/{part}", "kbit/s", f"goodput of {part}, kbit/s", "kbit/s", 0,
        lambda result: 8.0 * bytes_of(result, name) / 1000.0 / measured_window_s(result),
        definition=f"{meant} in the measured window, in bits per second of it",
    )  # fmt: skip


def _delivered_bytes(result: Recorded, group: str) -> int:
    return sum(_delivered_by_flow(result, group))


def _delivered_by_flow(result: Recorded, group: str) -> list[int]:
    groups = {entry["name"]: entry for entry in result.run.get("flows", ())}
    if group not in groups:
        raise MissingDataError(f"the run has no flows.{group}; its groups of flows: {_listed(groups)}")
    return [int(count) for count in groups[group]["delivered_bytes"]]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _responses_bytes(result: Recorded, population: str) -> int:
    if population in viewers(result):
        return arrived_bytes(result, population)
    rows = table(result, "responses", setting='record.responses = "rows"')
    known = [entry["name"] for entry in result.run["populations"]]
    if population not in known:
        raise MissingDataError(f"the run has no populations.{population}; its populations: {_listed(known)}")
    return int(to_numpy(rows["response_bytes"])[has_name(rows, "population", population)].sum())


@of_part(
    "jain_index", "", "Jain's index of {}", "Jain's index", 3,
    definition="(Σx)² / (n Σx²) of n flows' bytes per second while they were there: 1 if all got the "
    "same, 1/n if one got all",
)  # fmt: skip
def jain_index_of(result: Recorded, part: str) -> float:
    """Jain's index over what each flow of a group got per second while it was there."""
    group = part.partition(".")[2]
    _delivered_by_flow(result, group)  # refuses a group that the run does not have
    found = jain_index(rates_while_present(result, group))
    if found is None:
        raise TooLittleDataError(f"no byte of {part} was delivered in the measured window")
    return found


def in_mbps(goodput_kbps: OfPart) -> OfPart:
    """The same goodput in Mbit/s."""

    def of(part: str) -> OfRun:
        kilobits = goodput_kbps(part)
        return OfRun(
            f"goodput_mbps/{part}", "Mbit/s", f"goodput of {part}, Mbit/s", "Mbit/s", 1,
            lambda result: kilobits(result) / 1000.0, definition=kilobits.definition,
        )  # fmt: skip

    return of


goodput_mbps_of = in_mbps(goodput_kbps_of)


@of_part(
    "goodput_per_flow_mbps", "Mbit/s", "goodput per flow of {}, Mbit/s", "Mbit/s per flow", 1,
    definition="the goodput of the group over its number of flows",
    denominator="flows",
)  # fmt: skip
def goodput_per_flow_mbps_of(result: Recorded, part: str) -> float:
    """The goodput of a group of flows over their number: what one of them gets in the mean, in Mbit/s."""
    flows = len(_delivered_by_flow(result, part.partition(".")[2]))
    return goodput_mbps_of(part)(result) / flows


OF_TRAFFIC: Mapping[str, Mapping[str, OfPart]] = {
    "populations": {
        "loss_percent": loss_percent_of,
        "goodput_kbps": goodput_kbps_of,
        "goodput_mbps": goodput_mbps_of,
        **OF_VIDEO,
    },
    "flows": {
        "loss_percent": loss_percent_of,
        "goodput_kbps": goodput_kbps_of,
        "goodput_mbps": goodput_mbps_of,
        "goodput_per_flow_mbps": goodput_per_flow_mbps_of,
        "jain_index": jain_index_of,
        **OF_TRANSFERS,
    },
    "devices": of_devices(goodput_kbps_of),
    "datagrams": {
        **OF_DATAGRAMS,
        "goodput_mbps": in_mbps(goodput_kbps_of_datagrams),
        **OF_VOICE,
        **OF_VIDEO_CALLS,
    },
}
"""The quantities of a part of the traffic, by its kind."""


def of_traffic(name: str) -> OfRun | None:
    """The quantity `WHAT/KIND.NAME` of a part of the traffic, if it has that form and is known."""
    what, _, part = name.partition("/")
    kind, _, own = part.partition(".")
    if not own or "@" in part or what not in OF_TRAFFIC.get(kind, {}):
        return None
    return OF_TRAFFIC[kind][what](part)
