"""Numbers of a device of a `[line]`: what goes down to it and up from it, and how fairly devices share.

A part is called `devices.NAME`. What a device gets is what its own parts of the traffic get
(`aqmlab.statistics.traffic`): of flows and datagrams what was delivered, of people what they load.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aqmlab.errors import MissingDataError, TooLittleDataError
from aqmlab.statistics.datagrams import goodput_kbps_of_datagrams
from aqmlab.statistics.quantity import OfRun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from aqmlab.statistics.recorded import Recorded

    Goodput = Callable[[str], OfRun]

WAYS = ("down", "up")
_ENDS = {"down": "receivers", "up": "senders"}


def devices(result: Recorded) -> list[str]:
    """The devices of a run on a line, in its order."""
    return [str(each["name"]) for each in result.run["scenario"].get("devices") or ()]


def of_devices(goodput_kbps: Goodput) -> Mapping[str, Callable[[str], OfRun]]:
    """The quantities of a device, from that of a population or a group of flows."""

    def rate_mbps(way: str) -> Callable[[str], OfRun]:
        def of_part(part: str) -> OfRun:
            device = part.partition(".")[2]
            title = f"goodput {way} of {device}, Mbit/s"
            return OfRun(
                f"goodput_{way}_mbps/{part}", "Mbit/s", title, f"{way} Mbit/s", 1,
                lambda result: _kbps(result, device, way, goodput_kbps) / 1000.0,
                definition=f"the goodput of all traffic {way} of the device: of flows and datagrams what was "
                "delivered, of people the responses and segments that arrived",
            )  # fmt: skip

        return of_part

    def jain_index(part: str) -> OfRun:
        way = part.partition(".")[2]
        return OfRun(
            f"jain_index/{part}", "", f"Jain's index of devices, {way}", "Jain's index", 3,
            lambda result: _jain_index(result, way, goodput_kbps),
            definition="NAME is down or up: (Σx)² / (n Σx²) of the goodputs that way of the n devices with "
            "flows that never end: 1 if all got the same, 1/n if one got all",
        )  # fmt: skip

    rates = {f"goodput_{way}_mbps": rate_mbps(way) for way in WAYS}
    return {**rates, "jain_index": jain_index}


def sharing_ways(result: Recorded) -> list[str]:
    """The ways on which two devices or more have flows that never end."""
    return [way for way in WAYS if len(_greedy(result, way)) > 1]


def _kbps(result: Recorded, device: str, way: str, goodput_kbps: Goodput) -> float:
    if device not in devices(result):
        known = ", ".join(devices(result)) or "none"
        raise MissingDataError(f"the run has no devices.{device}; its devices: {known}")
    return sum(
        (goodput_kbps_of_datagrams if part.startswith("datagrams.") else goodput_kbps)(part)(result)
        for part in _parts(result, device, way)
    )


def _parts(result: Recorded, device: str, way: str) -> Iterator[str]:
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


def _jain_index(result: Recorded, way: str, goodput_kbps: Goodput) -> float:
    if way not in WAYS:
        raise MissingDataError(f"devices.{way}: devices share {' or '.join(WAYS)}")
    rates = [_kbps(result, device, way, goodput_kbps) for device in _greedy(result, way)]
    if len(rates) < 2 or not any(rates):
        raise TooLittleDataError(f"fewer than two devices have flows that never end {way}")
    return sum(rates) ** 2 / (len(rates) * sum(rate**2 for rate in rates))
