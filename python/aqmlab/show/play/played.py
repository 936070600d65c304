"""A scenario that is played with: what was turned becomes a scenario of its own, and a run of a second.

`Played` has what is common to all: how long runs are, and what they keep.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import asdict
from functools import cached_property
from shlex import quote
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from aqmlab.errors import ScenarioError
from aqmlab.files.toml_text import toml_value
from aqmlab.load.demand import Demand, carrying_links, named_links, parts_of
from aqmlab.load.queues import LIMITS, Queues, parameters_of_scheme
from aqmlab.runs import Job
from aqmlab.runs.executors.active_runs import ActiveRuns
from aqmlab.show.play.knobs import (
    Knob,
    PlayError,
    Turned,
    demand_knob,
    limit_knob,
    parameter_knobs,
    rate_knobs,
    schemes_to_choose,
)
from aqmlab.study.tuning.space import default_ranges

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.load.demand import Link
    from aqmlab.result import Result
    from aqmlab.scenario import Scenario
    from aqmlab.show.play.knobs import Setting


Own = TypeVar("Own", bound="Setting")
"""What can be set."""

_PROBED_S = 5.0
"""Simulated seconds of the run that measures the cost of a second."""
_BUDGET_S = 0.6
"""Time that a run may take."""
_SHORTEST_S, _LONGEST_S = 10.0, 300.0
_WARM_UP_SHARE = 0.2
_COOL_DOWN_SHARE = 0.1
"""For pages that began in the measured window to end."""
_QUEUE_SAMPLES, _LINK_SAMPLES = 1_200, 150
_MEASURED_AS = ("throughput_layer", "response_end")
"""What of the scenario's record a run here keeps: what its numbers are of."""


class Played(ABC, Generic[Own]):
    """A scenario that is played with.

    Every setting is a checked scenario of its own, run from its beginning with the same users: nothing is
    carried over from the setting before but the seed.
    """

    def __init__(self, scenario: Scenario, simulated_s: float | None) -> None:
        self.scenario = scenario
        self.simulated_s = simulated_s or self._affordable_s()
        self.timed(scenario)

    @property
    @abstractmethod
    def start(self) -> Own:
        """The scenario as it is."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """What the page is told once: what can be turned, and where it stands."""

    @abstractmethod
    def read(self, sent: Any, place: str) -> Own:  # noqa: ANN401
        """A setting from what the page sent."""

    @abstractmethod
    def at(self, setting: Own) -> Scenario:
        """The scenario in a setting, of its own length."""

    @abstractmethod
    def drawn_link(self, setting: Own) -> str:
        """The link whose queue is drawn."""

    def waiting_links(self, scenario: Scenario) -> tuple[str, ...]:
        """The links whose waits are drawn where no call or game is; none where they are drawn anyway."""
        del scenario
        return ()

    @abstractmethod
    def about(self, setting: Own, scenario: Scenario, file: str) -> dict[str, Any]:
        """What stands on the page beside the numbers of a setting's run: parameters, commands, names."""

    @abstractmethod
    def names(self, before: Own, now: Own) -> tuple[str, str]:
        """What a comparison of two settings calls them."""

    def length_of(self, scenario: Scenario, *, quick: bool) -> float:
        """Simulated seconds of a setting's run; of a quick one, which a longer one follows, perhaps fewer."""
        del scenario, quick
        return self.simulated_s

    def run(
        self, scenario: Scenario, seed: int, active: ActiveRuns, simulated_s: float | None = None
    ) -> Result:
        """Runs what was turned, for a second."""
        return active.perform(Job(self.timed(scenario, simulated_s), seed))

    def length_s(self, affordable_s: float) -> float:
        """The scenario's own length, or as much of it as is affordable, but no less than a run here has."""
        own_s = float(self.scenario.duration_s)
        return min(own_s, float(f"{max(affordable_s, _SHORTEST_S):.2g}"))

    def shortened(self, scenario: Scenario, simulated_s: float) -> Scenario:
        """A setting at this length, in the scenario's proportions, without rows of packets.

        Responses are kept as the scenario keeps them: pages are matched one by one by their rows.
        """
        share = simulated_s / float(scenario.duration_s)
        parts = ("warm_up_s", "cool_down_s") if share < 1.0 else ()
        overrides: dict[str, Any] = {part: round(share * scenario.resolved[part], 3) for part in parts}
        overrides |= {f"record.{table}": False for table in ("arrivals", "packets")}
        return scenario.with_overrides({"duration_s": simulated_s, **overrides})

    def probe(self, scenario: Scenario) -> Job:
        """A short run of a setting, from which it is seen what a simulated second costs."""
        return Job(self.timed(scenario, _PROBED_S), 1)

    def edges_s(self, duration_s: float) -> tuple[float, float]:
        return duration_s * _WARM_UP_SHARE, duration_s * _COOL_DOWN_SHARE

    def timed(self, scenario: Scenario, simulated_s: float | None = None) -> Scenario:
        """A setting at the length of a run here, recording what the page draws."""
        duration_s = simulated_s or self.simulated_s
        warm_up_s, cool_down_s = self.edges_s(duration_s)
        document = scenario.resolved
        has_users = any(part.unit == "users" for part in parts_of(scenario))
        return scenario.with_overrides(
            {
                "duration_s": duration_s,
                "warm_up_s": round(warm_up_s, 3),
                "cool_down_s": round(cool_down_s, 3),
                "record": {
                    **{name: document["record"][name] for name in _MEASURED_AS},
                    **({"responses": "histogram"} if has_users else {}),
                    **({"datagrams": True} if document.get("datagrams") else {}),
                    "queue_interval_ms": max(1.0, duration_s * 1e3 / _QUEUE_SAMPLES),
                    "link_interval_ms": max(10.0, duration_s * 1e3 / _LINK_SAMPLES),
                    "cool_down": True,  # the picture goes on to its end
                },
            }
        )

    def _affordable_s(self) -> float:
        """As many simulated seconds as a run of the scenario does within its time."""
        probe = self.probe(self.scenario)
        ActiveRuns().perform(
            probe
        )  # once for nothing: the first touches code and memory that are not there yet
        begun = time.perf_counter()
        ActiveRuns().perform(probe)
        cost = max(time.perf_counter() - begun, 1e-4) / _PROBED_S
        affordable = min(_BUDGET_S / cost, float(self.scenario.duration_s), _LONGEST_S)
        return float(f"{max(affordable, _SHORTEST_S):.2g}")


Table = TypeVar("Table", bound="Mapping[str, Any]")

_COMPARED = ("drop-tail", "red", "pie", "fq-codel")
"""What a setting is compared with at full length, beside its own scheme."""

_DERIVED = ("min_th_packets", "max_th_packets")
"""RED's thresholds, which follow from each other or from a target: turned, both are given."""
_DERIVED_FROM = ("target_delay_ms",)
"""What thresholds may follow from, and what is refused beside them."""
_OF_A_LINE = "line."
"""A line's queues may stand there by default: then its document has no table in which a value changes."""


class PlayedLink(Played[Turned]):
    """Any scenario: its rates, buffer, queue management and users are turned."""

    def __init__(
        self,
        scenario: Scenario,
        *,
        queues: Sequence[str] = (),
        settings: Mapping[str, Any] = MappingProxyType({}),
        simulated_s: float | None = None,
    ) -> None:
        self.demand = Demand.of(scenario)
        self.demand.bottlenecks()  # refused here rather than on the page
        self.queues = Queues.of(scenario, queues, argument="queues")
        self.settings = settings
        if len(schemes := self.queues.schemes(scenario)) > 1:
            raise PlayError(
                f"{scenario.name}: {', '.join(schemes)} at its queues; legal: one scheme at all of them"
            )
        super().__init__(scenario, simulated_s)

    @cached_property
    def link(self) -> str:
        """The link that is drawn: of those whose queues are turned the slowest, as the scenario has it."""
        return self._drawn_link.name

    @cached_property
    def start(self) -> Turned:
        """Where the knobs stand in the scenario: those of queues where they do at the link that is drawn."""
        table = self._drawn(self.queues.tables(self.scenario))
        return Turned(
            seed=1,
            rates_mbps=self._rates_mbps,
            demand=self.demand.size,
            scheme=str(table["scheme"]),
            parameters=self.parameters(self.scenario),
            ecn=bool(table.get("ecn")),
            limit=table.get(self._limit) if self._limit else None,
        )

    def knobs(self) -> list[Knob]:
        """What can be turned beside a scheme's own parameters."""
        knobs = [*rate_knobs(self._rates_mbps), demand_knob(self.demand.unit, self.demand.size)]
        if self._limit is not None and self.start.limit:
            of = self.link if len(self.queues.keys) > 1 else ""
            knobs.append(limit_knob(self._limit, self.start.limit, of=of))
        schemes = schemes_to_choose([self.start.scheme])
        knobs.append(Knob("scheme", "queue management", "choice", self.start.scheme, choices=schemes))
        knobs.append(self._ecn_knob)
        return knobs

    def parameters(self, scenario: Scenario) -> dict[str, Any]:
        """The main parameters of the queue management as they are in force in a setting, by name."""
        table = self._drawn(self.queues.tables_in_force(scenario))
        return {knob.name: knob.value for knob in parameter_knobs(str(table["scheme"]), table)}

    def knobs_of_scheme(self) -> list[Knob]:
        """Of its own scheme alone, beside what every link has: the main parameters and ECN."""
        knobs = parameter_knobs(self.start.scheme, self._drawn(self.queues.tables_in_force(self.scenario)))
        if "ecn" in parameters_of_scheme(self.start.scheme):
            knobs.append(self._ecn_knob)
        return knobs

    @property
    def _ecn_knob(self) -> Knob:
        return Knob("ecn", "ECN at queues and hosts", "switch", self.start.ecn)

    def knobs_of_schemes(self) -> dict[str, list[Knob]]:
        """The main parameters of every scheme that can be chosen, where its own defaults put them."""
        return {
            scheme: parameter_knobs(
                scheme,
                self._drawn(self.queues.tables_in_force(self.queues.with_scheme(self.scenario, scheme))),
            )
            for scheme in schemes_to_choose([self.start.scheme])
        }

    def overrides(self, turned: Turned) -> dict[str, Any]:
        """What of the scenario was turned away from where it stood, by dotted keys."""
        self._refuse_unknown(turned)
        if turned.demand > (most := demand_knob(self.demand.unit, self.demand.size).high):
            raise PlayError(f"demand: 1 to {most:,} {self.demand.unit}, not {turned.demand:,}")
        overrides = self._of_queues(turned)
        overrides |= {key: rate for key, rate in turned.rates_mbps.items() if rate != self._rates_mbps[key]}
        if turned.demand != self.demand.size:
            sizes = self.demand.sizes(turned.demand)
            overrides |= {part.key: sizes[part.name] for part in self.demand.parts if part.size}
        if turned.ecn != self.start.ecn:
            overrides |= {
                f"{table}.host.ecn": "on" if turned.ecn else "off" for table in self._traffic_tables
            }
        return overrides

    def at(self, turned: Turned) -> Scenario:
        """The scenario as it was turned, of its own length."""
        return as_turned(self.scenario, self.overrides(turned))

    def facts(self) -> dict[str, Any]:
        """The knobs, those of every scheme, and where they stand."""
        return {
            "link": self.link,
            "knobs": [knob.as_json() for knob in self.knobs()],
            "parameters": {
                scheme: [knob.as_json() for knob in own] for scheme, own in self.knobs_of_schemes().items()
            },
            "start": asdict(self.start),
        }

    def read(self, sent: Any, place: str) -> Turned:  # noqa: ANN401
        return Turned.of(sent, place)

    def drawn_link(self, setting: Turned) -> str:
        del setting
        return self.link

    def about(self, setting: Turned, scenario: Scenario, file: str) -> dict[str, Any]:
        """Parameters in force, and what the command line takes."""
        return {
            "parameters": self.parameters(scenario),
            "scheme": setting.scheme,
            "command": self.command(setting, file),
            "compare": self.comparison(setting, file),
        }

    def names(self, before: Turned, now: Turned) -> tuple[str, str]:
        """The schemes if they differ, else the first thing that was turned."""
        unit = self.demand.unit
        if before.demand != now.demand:
            raise PlayError(
                f"{before.demand:,} {unit} before and {now.demand:,} now: not the same {unit}; "
                "legal: as many in both settings, with another setting changed"
            )
        now.require_other_than(before)
        if before.scheme != now.scheme:
            return before.scheme, now.scheme
        one, other = _settings(before), _settings(now)
        differing = [key for key in {**one, **other} if one.get(key) != other.get(key)]
        more = " …" if len(differing) > 1 else ""
        names = tuple(
            f"{differing[0].rpartition('.')[2]} {_said(each.get(differing[0]))}{more}"
            for each in (one, other)
        )
        return (names[0], names[1]) if names[0] != names[1] else ("before", "now")

    def command(self, turned: Turned, file: str) -> str:
        """The run of what was turned at its own length, as the command line takes it."""
        return " ".join([f"aqmlab run {quote(file)}", *self._settings_of_command(turned)])

    def comparison(self, turned: Turned, file: str) -> str:
        """The comparison of the network that was turned under other schemes, as the command line takes it."""
        others = (scheme for scheme in _COMPARED if scheme != turned.scheme)
        schemes = ",".join(dict.fromkeys([turned.scheme, *others]))
        command = f"aqmlab compare {quote(file)} --schemes {schemes} --seeds 1-8"
        return " ".join([command, *self._settings_of_command(turned)])

    def _settings_of_command(self, turned: Turned) -> list[str]:
        settings = {**self.settings, **self.overrides(turned)}
        return [f"--set {quote(f'{key}={toml_value(value)}')}" for key, value in settings.items()]

    def _drawn(self, tables: Sequence[Table]) -> Table:
        return tables[self.queues.keys.index(self._drawn_link.queue_key)]

    def _refuse_unknown(self, turned: Turned) -> None:
        legal = {
            "rates_mbps": (turned.rates_mbps, self._rates_mbps),
            "scheme": ([turned.scheme], schemes_to_choose([self.start.scheme])),
            "parameters": (turned.parameters, default_ranges().get(turned.scheme, {})),
        }
        for what, (names, known) in legal.items():
            if wrong := [name for name in names if name not in known]:
                raise PlayError.unknown(f"{what}: {wrong[0]}", wrong[0], known)

    def _of_queues(self, turned: Turned) -> dict[str, Any]:
        """The queues' tables, if the scheme is another; else what is turned in them."""
        if turned.scheme != self.start.scheme:
            return self._replaced(turned)
        table = self._drawn(self.queues.tables_in_force(self.scenario))
        settings = self._settings(turned, table)
        instead = [name for name in _DERIVED_FROM if table.get(name) is not None]
        if instead and settings.keys() & set(_DERIVED):
            return {
                key: {**_given(own, without=instead), **self._of_queue(key, settings)}
                for key, own in zip(self.queues.keys, self.queues.tables(self.scenario), strict=True)
            }
        turned_in = {key: self._of_queue(key, settings) for key in self.queues.keys}
        if any(key.startswith(_OF_A_LINE) for key in turned_in):
            tables = zip(turned_in.items(), self.queues.tables(self.scenario), strict=True)
            return {key: {**_given(own, without=[]), **changed} for (key, changed), own in tables if changed}
        return {
            f"{key}.{name}": value for key, changed in turned_in.items() for name, value in changed.items()
        }

    def _replaced(self, turned: Turned) -> dict[str, Any]:
        """The tables of queues under another scheme than the scenario's: its limits, and what is turned."""
        replaced = self.queues.with_scheme(self.scenario, turned.scheme)
        kept = [
            {name: table[name] for name in LIMITS if table.get(name)}
            for table in self.queues.tables(replaced)
        ]
        settings = self._settings(turned, self._drawn(self.queues.tables_in_force(replaced)))
        return {
            key: {"scheme": turned.scheme, **limits, **self._of_queue(key, settings)}
            for key, limits in zip(self.queues.keys, kept, strict=True)
        }

    def _of_queue(self, key: str, settings: Mapping[str, Any]) -> dict[str, Any]:
        """What is turned of one queue: the buffer only of the link that is drawn, whose knob it is."""
        drawn = key == self._drawn_link.queue_key
        return {name: value for name, value in settings.items() if drawn or name not in LIMITS}

    def _settings(self, turned: Turned, table: Mapping[str, Any]) -> dict[str, Any]:
        """The keys of a queue's table that were turned away from what is in force in it."""
        stood = {knob.name: knob.value for knob in parameter_knobs(turned.scheme, table)}
        settings = {name: value for name, value in turned.parameters.items() if value != stood.get(name)}
        if settings.keys() & set(_DERIVED):  # one follows from the other where it is left out
            settings |= {name: table[name] for name in _DERIVED if name not in settings}
        legal = parameters_of_scheme(turned.scheme)
        if "ecn" in legal and turned.ecn != bool(table.get("ecn")):
            settings["ecn"] = turned.ecn
        if turned.limit is not None and self._limit in legal and turned.limit != table.get(str(self._limit)):
            settings[str(self._limit)] = turned.limit
        return settings

    @cached_property
    def _drawn_link(self) -> Link:
        own = [link for link in carrying_links(self.scenario) if link.queue_key in self.queues.keys]
        return min(own or named_links(self.scenario, self.queues.links), key=lambda link: link.rate_mbps)

    @cached_property
    def _rates_mbps(self) -> dict[str, float]:
        rates: dict[str, float] = {}
        for link in carrying_links(self.scenario):
            # A line itself comes before its router, which has a share of the same rate.
            rates.setdefault(link.rate_key, link.rate_mbps)
        return rates

    @cached_property
    def _limit(self) -> str | None:
        table = self._drawn(self.queues.tables(self.scenario))
        return next((name for name in LIMITS if table.get(name)), None)

    @cached_property
    def _traffic_tables(self) -> list[str]:
        """The tables of those who have hosts: `users`, `populations.0`, `flows.1`."""
        keys = (part.key for part in self.demand.parts if part.unit != "datagrams")
        return list(dict.fromkeys(key.rpartition(".")[0] for key in keys))


def as_turned(scenario: Scenario, overrides: Mapping[str, Any]) -> Scenario:
    try:
        return scenario.with_overrides(overrides)
    except ScenarioError as error:
        told = [
            each.sentence.replace(each.key, each.key.rpartition(".")[2]) if each.key else each.sentence
            for each in error.mistakes
        ]
        if not told:
            raise
        raise ScenarioError.of(error, "\n".join(dict.fromkeys(told))) from None


def _given(table: Mapping[str, Any], *, without: Sequence[str]) -> dict[str, Any]:
    """What of a resolved table has a value, without these keys: TOML has no word for none."""
    return {name: value for name, value in table.items() if value is not None and name not in without}


def _settings(turned: Turned) -> dict[str, Any]:
    limit = {} if turned.limit is None else {"limit": turned.limit}
    return {**turned.rates_mbps, **turned.parameters, **limit, "ecn": turned.ecn}


def _said(value: Any) -> str:  # noqa: ANN401
    if value is None:
        return "default"
    return f"{value:g}" if isinstance(value, float) else str(toml_value(value)).strip('"')
