"""A home's line that is played with: who uses it, its rates, its queue management and where that stands."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping  # noqa: TC003 (records are read by their types)
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from importlib import resources
from shlex import quote
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

from aqmlab.comparison.making import DEFAULT_SCHEMES
from aqmlab.comparison.verdict import application_name
from aqmlab.errors import ScenarioError
from aqmlab.files.reading import parse_toml
from aqmlab.files.records import Plain, read_as
from aqmlab.files.shape import FLAG, SEED, TEXT
from aqmlab.files.toml_text import to_toml
from aqmlab.load.demand import named_links, parts_of
from aqmlab.load.parametrized_scheme import ParametrizedScheme, spelt
from aqmlab.load.queue_place import LINE_LINKS, PLACES, own_links, place_named
from aqmlab.load.queues import Queues, placed
from aqmlab.presets.household import BBR, CUBIC, DOWNLOADS
from aqmlab.presets.line import AS_IT_IS
from aqmlab.scenario import Scenario
from aqmlab.show.play.knobs import PAGE, Knob, PlayError, Setting, or_null, rate_knobs, schemes_to_choose
from aqmlab.show.play.played import Played, PlayedLink, as_turned
from aqmlab.show.words.play import of_application, of_count, of_place, of_sender, of_setting

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from aqmlab.load.queue_place import QueuePlace

    Group = Mapping[str, Any]
    Groups = Mapping[str, Sequence[tuple[str, int]]]


_QUICK_S, _WHOLE_S = 20.0, 70.0
"""Simulated seconds of the first look, and of the run that follows it: a minute of it is measured."""
_LEAST_S = 8.0
_WARM_UP_S, _COOL_DOWN_S = 4.0, 4.0
_USUAL_MBPS = 110.0
"""Rates, both ways together, at which runs have these lengths; the more packets, the shorter they are."""
_GROUPS = ("populations", "flows", "datagrams")


@dataclass(frozen=True, kw_only=True)
class AtHome(Setting):
    """Where the controls of a household stand."""

    rates_mbps: Mapping[str, float]  # the line's rates by their dotted keys, in Mbit/s
    off: tuple[str, ...]  # the applications that nobody uses, by name
    scheme: str  # the queue management; `as it is` for the queues that the line has
    place: str  # where it stands: a name of `queue_place.PLACES`
    parameters: Mapping[str, Plain]  # its main parameters that were turned
    seed: Annotated[int, SEED]  # of the run
    # whether queues mark and hosts take part; none: as the scheme has it by itself
    ecn: Annotated[bool | None, or_null(FLAG)] = None
    # the kind of line, where it can be chosen; none: the scenario's
    technology: Annotated[str | None, or_null(TEXT)] = None
    # how many there are of applications, where another number than the scenario's
    counts: Mapping[str, int] = field(default_factory=dict)
    # how servers of downloads send: a name of `variations.SENDERS`; none: as the scenario says
    sender: Annotated[str | None, or_null(TEXT)] = None
    faults: tuple[str, ...] = ()  # what is wrong, by the names of `variations.FAULTS`

    @classmethod
    def of(cls, sent: Any, place: str = PAGE) -> Self:  # noqa: ANN401
        """What the page sent."""
        found = read_as(cls, sent, place, PlayError)
        if found.place not in PLACES:
            raise PlayError.unknown(f"{place}.place", found.place, PLACES)
        off, faults = (tuple(sorted(set(names))) for names in (found.off, found.faults))
        return replace(found, off=off, faults=faults)


class PlayedHome(Played[AtHome]):
    """A scenario with a `[line]`."""

    def __init__(
        self,
        scenario: Scenario,
        *,
        scheme: str = AS_IT_IS,
        queue_in: str | None = None,
        shaped_share: float | None = None,
        simulated_s: float | None = None,
        technologies: Mapping[str, Scenario] = MappingProxyType({}),
    ) -> None:
        self._first_scheme = ParametrizedScheme.of(scheme)
        self._first_place = place_named(queue_in or "router")
        self._first_place.require_share(shaped_share)
        self._share = shaped_share
        self._given_s = simulated_s
        super().__init__(scenario, simulated_s or _WHOLE_S)
        self._technology = str(scenario.resolved["line"]["technology"]) if technologies else None
        self._elsewhere = {
            name: PlayedHome(
                other, scheme=scheme, queue_in=queue_in, shaped_share=shaped_share, simulated_s=simulated_s
            )
            for name, other in technologies.items()
            if name != self._technology
        }
        try:
            self.at(self.start)  # refused here rather than on the page
        except ScenarioError as error:
            raise _as_typed(error, self._first_scheme) from None

    @cached_property
    def applications(self) -> dict[str, list[tuple[str, int]]]:
        """What can be switched off, by name: the tables of its groups, each with its place in the list."""
        found: dict[str, list[tuple[str, int]]] = {}
        for table in _GROUPS:
            for number, group in enumerate(self.scenario.resolved.get(table) or ()):
                found.setdefault(application_name(str(group["name"])), []).append((table, number))
        return found

    @cached_property
    def rates_mbps(self) -> dict[str, float]:
        """The rates of the line, by their dotted keys: down and up."""
        return {link.rate_key: link.rate_mbps for link in named_links(self.scenario, LINE_LINKS)}

    @cached_property
    def start(self) -> AtHome:
        asked = self._first_scheme
        parameters = parse_toml(to_toml(asked.parameters), "scheme", PlayError)
        ecn = parameters.pop("ecn", None)
        return AtHome(
            seed=1,
            rates_mbps=self.rates_mbps,
            off=(),
            scheme=asked.name,
            place=self._first_place.name,
            parameters=parameters,
            ecn=ecn,
            technology=self._technology,
        )

    def facts(self) -> dict[str, Any]:
        """The switches and choices, and where they stand; of every technology that can be chosen."""
        homes = {**({self._technology: self} if self._technology else {}), **self._elsewhere}
        others = {name: home.own_facts() for name, home in homes.items()}
        for name, facts in others.items():
            facts["start"]["technology"] = name
        return {**self.own_facts(), "technologies": others, "scenes": scenes() if others else []}

    def own_facts(self) -> dict[str, Any]:
        document = self.scenario.resolved
        usual = [AS_IT_IS, *DEFAULT_SCHEMES]
        others = [each for each in schemes_to_choose([]) if each not in usual]
        own = Queues.of(self.scenario)
        return {
            "link": self.drawn_link(self.start),
            "home": {
                "applications": [
                    {"name": name, "label": of_application(name, self._groups(name))}
                    for name in self.applications
                ],
                "schemes": [{"name": each, "label": spelt(each)} for each in usual],
                "others": [{"name": each, "label": spelt(each)} for each in others],
                "places": [{"name": name, "label": of_place(place)} for name, place in PLACES.items()],
                "own_scheme": own.schemes(self.scenario)[0],
                "counts": [knob.as_json() for knob in count_knobs(document, self.applications)],
                "senders": self._senders(),
                "faults": [{"name": name, "label": FAULTS[name].label} for name in faults_of(document)],
            },
            "knobs": [knob.as_json() for knob in self._rate_knobs()],
            "parameters": {each: [] for each in (*usual, *others)},
            "start": asdict(self.start),
        }

    def read(self, sent: Any, place: str) -> AtHome:  # noqa: ANN401
        return AtHome.of(sent, place)

    def at(self, setting: AtHome) -> Scenario:
        """The household in a setting, of its own length."""
        if (elsewhere := self._on(setting)) is not self:
            return elsewhere.at(replace(setting, technology=None))
        own = self._carrying(setting)
        if setting.scheme == AS_IT_IS:
            _require_no_parameters(setting)
            return own
        link = self._placed(own, setting)
        start = link.start
        ecn = start.ecn if setting.ecn is None else setting.ecn
        return link.at(replace(start, parameters=setting.parameters, ecn=ecn))

    def drawn_link(self, setting: AtHome) -> str:
        if (elsewhere := self._on(setting)) is not self:
            return elsewhere.drawn_link(replace(setting, technology=None))
        links = own_links(self.scenario) if setting.scheme == AS_IT_IS else self._place(setting).links
        rates = dict(zip(LINE_LINKS, {**self.rates_mbps, **setting.rates_mbps}.values(), strict=True))
        return min(links, key=lambda link: rates[link.removeprefix("router-")])

    def waiting_links(self, scenario: Scenario) -> tuple[str, ...]:
        return own_links(scenario)

    def about(self, setting: AtHome, scenario: Scenario, file: str) -> dict[str, Any]:
        """The scheme's own controls, what the setting is called, and what the command line takes."""
        del file  # what is switched off is no --set: the setting itself is saved
        saved = quote(f"{self.scenario.name}-played.toml")
        others = ",".join(each for each in DEFAULT_SCHEMES if each != setting.scheme)
        return {
            "parameters": {},
            "scheme": setting.scheme,
            "further": [knob.as_json() for knob in self._further(setting, scenario)],
            "label": self._label(setting),
            "command": f"aqmlab run {saved}",
            "compare": f"aqmlab compare {saved} --schemes {others} --queue-in {setting.place}",
        }

    def names(self, before: AtHome, now: AtHome) -> tuple[str, str]:
        """The queue managements if they differ, else each setting whole."""
        if (before.off, before.counts) != (now.off, now.counts):
            raise PlayError(
                "not the same applications in both settings; legal: the same switches and numbers, with "
                "another setting changed"
            )
        now.require_other_than(before)
        names = (spelt(before.scheme), spelt(now.scheme))
        if names[0] == names[1]:
            names = (self._label(before), self._label(now))
        return names if names[0] != names[1] else ("before", "now")

    def length_of(self, scenario: Scenario, *, quick: bool) -> float:
        """The longer run, or the first look of it: fewer seconds on a faster line."""
        line = scenario.resolved["line"]
        rates = (line.get(key.rpartition(".")[2]) or rate for key, rate in self.rates_mbps.items())
        share = min(1.0, _USUAL_MBPS / sum(rates))
        whole_s = self._given_s or _at_least(_WHOLE_S * share)
        return min(whole_s, _at_least(_QUICK_S * share)) if quick else whole_s

    def edges_s(self, duration_s: float) -> tuple[float, float]:
        """The same of every length, where there is room: the first look is the beginning of the whole run."""
        warm_up_s, cool_down_s = super().edges_s(duration_s)
        return min(_WARM_UP_S, warm_up_s), min(_COOL_DOWN_S, cool_down_s)

    def _groups(self, application: str) -> list[tuple[str, Mapping[str, Any]]]:
        return [
            (table, self.scenario.resolved[table][number]) for table, number in self.applications[application]
        ]

    def _rate_knobs(self) -> list[Knob]:
        knobs = rate_knobs(self.rates_mbps)
        labels = ("down, Mbit/s", "up, Mbit/s")
        return [replace(knob, label=label) for knob, label in zip(knobs, labels, strict=True)]

    def _senders(self) -> list[dict[str, str]]:
        if not any(is_download(*each) for name in self.applications for each in self._groups(name)):
            return []
        return [{"name": name, "label": of_sender(name)} for name in ("", *SENDERS)]

    def _on(self, setting: AtHome) -> PlayedHome:
        if setting.technology in (None, self._technology):
            return self
        name = str(setting.technology)
        if name not in self._elsewhere:
            known = [*([self._technology] if self._technology else []), *self._elsewhere]
            raise PlayError.unknown("technology", name, known)
        return self._elsewhere[name]

    def _carrying(self, setting: AtHome) -> Scenario:
        """The household at its rates, with the applications that are on."""
        faults = faults_of(self.scenario.resolved)
        for what, names, known in (
            ("off", setting.off, self.applications),
            ("rates_mbps", setting.rates_mbps, self.rates_mbps),
            ("faults", setting.faults, faults),
        ):
            if wrong := [name for name in names if name not in known]:
                raise PlayError.unknown(f"{what}: {wrong[0]}", wrong[0], known)
        rates = {key: rate for key, rate in setting.rates_mbps.items() if rate != self.rates_mbps[key]}
        wrong_with_it = {key: value for name in setting.faults for key, value in faults[name].items()}
        return as_turned(self._with_people(setting), {**rates, **wrong_with_it})

    def _with_people(self, setting: AtHome) -> Scenario:
        """The household with who is on; groups are drawn by their names, and others stay as they are."""
        groups = varied(self.scenario, self.applications, setting.counts, setting.sender)
        nobody = {name for name, count in setting.counts.items() if not count}
        gone = {each for name in {*setting.off, *nobody} for each in self.applications[name]}
        if all(set(own) <= gone for own in self.applications.values()):
            raise PlayError("nobody uses the line: switch something on")
        if not (gone or setting.counts or setting.sender):
            return self.scenario
        kept = {
            table: [group for number, group in enumerate(own) if (table, number) not in gone]
            for table, own in groups.items()
        }
        return Scenario.of({**self.scenario.resolved, **kept})

    def _place(self, setting: AtHome) -> QueuePlace:
        return place_named(setting.place)

    def _placed(self, own: Scenario, setting: AtHome) -> PlayedLink:
        """The queue management at its place, whose parameters can be turned."""
        known = schemes_to_choose([])
        if setting.scheme not in known:
            raise PlayError.unknown(f"scheme: {setting.scheme}", setting.scheme, [AS_IT_IS, *known])
        place = self._place(setting)
        share = self._share if place.shaped else None
        return PlayedLink(
            placed(own, setting.scheme, place, share), queues=place.links, simulated_s=self.simulated_s
        )

    def _further(self, setting: AtHome, scenario: Scenario) -> list[Knob]:
        if setting.scheme == AS_IT_IS:
            return []
        link = PlayedLink(scenario, queues=self._place(setting).links, simulated_s=self.simulated_s)
        return link.knobs_of_scheme()

    def _label(self, setting: AtHome) -> str:
        usual = self._on(setting).rates_mbps
        rates = list(setting.rates_mbps.values()) if setting.rates_mbps != usual else []
        place = None if setting.scheme == AS_IT_IS else self._place(setting)
        further = [str(setting.technology)] if self._on(setting) is not self else []
        further += [f"{count} × {name}" for name, count in setting.counts.items() if count]
        further += [of_sender(setting.sender)] if setting.sender else []
        further += [FAULTS[name].words for name in setting.faults]
        off = sorted({*setting.off, *(name for name, count in setting.counts.items() if not count)})
        return of_setting(setting.scheme, place, off=off, rates_mbps=rates, further=further)


def scenes() -> list[dict[str, Any]]:
    """Settings of the household of `aqmlab new home` that show something, each with a sentence on it."""
    text = (resources.files("aqmlab.show.play") / "scenes.json").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = json.loads(text)
    return found


def _require_no_parameters(setting: AtHome) -> None:
    """Refuses parameters of the queues that the line has: these are in its file."""
    given = [*setting.parameters, *(["ecn"] if setting.ecn is not None else [])]
    if given:
        raise PlayError(f"{given[0]}: of a queue discipline that is chosen; legal: nothing with {AS_IT_IS!r}")


def _as_typed(error: ScenarioError, asked: ParametrizedScheme) -> ScenarioError:
    """A refusal of a parameter of the first scheme names the scheme as well: there is no page yet."""
    key = str(error).partition(":")[0]  # the last part of it, as of `as_turned`
    if key not in {name.rpartition(".")[2] for name in asked.parameters}:
        return error
    return ScenarioError.of(error, f"scheme {asked.name}: {error}")


def _at_least(seconds: float) -> float:
    return float(f"{max(seconds, _LEAST_S):.2g}")


def is_home(scenario: Scenario) -> bool:
    """Whether a scenario is a home's line, with people or devices that send something over it."""
    return bool(scenario.resolved.get("line")) and any(part.size for part in parts_of(scenario))


_MOST = {"readers": 30, "backup": 6, "download": 12}
_MOST_OF_OTHERS = 12
"""So many of an application can be chosen, or as many as the file has, if these are more."""
_FAR_WIFI_MBPS, _LOST_DOWN = 6.0, 0.01
RENO = "reno"


@dataclass(frozen=True)
class Fault:
    """Something that is wrong with a household."""

    label: str  # what people read
    words: str  # the same in few words, for what a setting is called
    of_phones: Mapping[str, Any]  # what it sets of every phone
    of_line: Mapping[str, Any]  # what it sets of the line

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
