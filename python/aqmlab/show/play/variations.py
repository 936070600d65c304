"""What of a household varies on the page beside its line and queue: how many, how servers send, faults."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aqmlab.presets.household import BBR, CUBIC, DOWNLOADS
from aqmlab.show.play.knobs import Knob, PlayError
from aqmlab.show.words.play import of_count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.scenario import Scenario

    Group = Mapping[str, Any]
    Groups = Mapping[str, Sequence[tuple[str, int]]]

_MOST = {"readers": 30, "backup": 6, "download": 12}
_MOST_OF_OTHERS = 12
"""So many of an application can be chosen, or as many as the file has, if these are more."""
_FAR_WIFI_MBPS, _LOST_DOWN = 6.0, 0.01
RENO = "reno"


@dataclass(frozen=True)
class Fault:
    """Something that is wrong with a household.

    Attributes:
        label: What people read.
        words: The same in few words, for what a setting is called.
        of_phones: What it sets of every phone.
        of_line: What it sets of the line.
    """

    label: str
    words: str
    of_phones: Mapping[str, Any]
    of_line: Mapping[str, Any]

    def overrides(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """What it sets in a scenario, by dotted keys; nothing where there is no phone for it."""
        phones = [
            number for number, each in enumerate(document.get("devices") or ()) if each["kind"] == "phone"
        ]
        found = {f"devices.{phone}.{key}": value for phone in phones for key, value in self.of_phones.items()}
        return found | {f"line.{key}": value for key, value in self.of_line.items()}


FAULTS = {
    "wifi": Fault(
        f"The phone is far from the router ({_FAR_WIFI_MBPS:g} Mbit/s)",
        "a phone far away",
        {"wifi_mbps": _FAR_WIFI_MBPS},
        {},
    ),
    "loss": Fault(
        f"The line loses {_LOST_DOWN:.0%} of the packets down".replace("%", " %"),
        "packets lost on the line",
        {},
        {"loss_probability_down": _LOST_DOWN},
    ),
    "varies": Fault("The line's rate varies", "a rate that varies", {}, {"rates_vary": True}),
}
"""What can be wrong, by name."""


def _congestion_control(sender: str) -> str:
    return str(tomllib.loads(DOWNLOADS[sender]).get("host", {}).get("congestion", CUBIC))


SENDERS = {name: _congestion_control(name) for name in (CUBIC, RENO, BBR)}
"""How servers of downloads can send: the congestion control of each choice."""


def is_download(table: str, group: Group) -> bool:
    """Whether a group is of downloads, which servers of the Internet send."""
    return table == "flows" and group.get("senders") == "internet"


def count_knobs(document: Mapping[str, Any], applications: Groups) -> list[Knob]:
    """How many readers, uploads and downloads there are: of each application that is one group of them."""
    found = []
    for name, groups in applications.items():
        [(table, number), *others] = groups
        group = document[table][number]
        count = group.get("count")
        if others or table == "datagrams" or "video" in str(group.get("model")) or not count:
            continue
        most = max(_MOST.get(name, _MOST_OF_OTHERS), count)
        found.append(Knob(name, of_count(name), "range", count, 0, most, log=False, integer=True))
    return found


def faults_of(document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The faults that a scenario can have, each with what it sets."""
    found = {name: fault.overrides(document) for name, fault in FAULTS.items()}
    return {name: overrides for name, overrides in found.items() if overrides}


def varied(
    scenario: Scenario, applications: Groups, counts: Mapping[str, int], sender: str | None
) -> dict[str, list[dict[str, Any]]]:
    """The tables of a scenario's groups with other numbers of them and other senders of downloads."""
    document = scenario.resolved
    knobs = {knob.name: knob for knob in count_knobs(document, applications)}
    for name, count in counts.items():
        if name not in knobs:
            raise PlayError.unknown(f"counts: {name}", name, knobs)
        if count > knobs[name].high:
            raise PlayError(f"counts: {name}: {count:,} is out of range; legal: 0 to {knobs[name].high:g}")
    if sender is not None and sender not in SENDERS:
        raise PlayError.unknown("sender", sender, SENDERS)
    of_group = {each: counts[name] for name in counts for each in applications[name]}
    return {
        table: [
            _varied(table, group, of_group.get((table, number)), sender)
            for number, group in enumerate(document.get(table) or ())
        ]
        for table in {table for groups in applications.values() for table, _ in groups}
    }


def _varied(table: str, group: Group, count: int | None, sender: str | None) -> dict[str, Any]:
    found = dict(group) if count is None else {**group, "count": count}
    if sender is not None and is_download(table, group):
        found["host"] = {**(group.get("host") or {}), "congestion": SENDERS[sender]}
    return found
