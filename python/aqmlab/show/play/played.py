"""A scenario that is played with: what was turned becomes a scenario of its own, and a run of a second."""

from __future__ import annotations

import time
from functools import cached_property
from shlex import quote
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from aqmlab.files.toml_text import toml_value
from aqmlab.load.demand import Demand, carrying_links, named_links
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

Table = TypeVar("Table", bound="Mapping[str, Any]")

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


_COMPARED = ("drop-tail", "red", "pie", "fq-codel")
"""What a setting is compared with at full length, beside its own scheme."""

_DERIVED = ("min_th_packets", "max_th_packets")
"""RED's thresholds, which follow from each other or from a target: turned, both are given."""
_DERIVED_FROM = ("target_delay_ms",)
"""What thresholds may follow from, and what is refused beside them."""


class PlayedLink:
    """A scenario that is played with.

    Every setting is a checked scenario of its own, run from its beginning with the same users: nothing is
    carried over from the setting before but the seed.
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        queues: Sequence[str] = (),
        settings: Mapping[str, Any] = MappingProxyType({}),
        simulated_s: float | None = None,
    ) -> None:
        """Finds what can be turned.

        Args:
            scenario: What is played with.
            queues: Links whose queues are turned; by default those that carry data, or of a `[line]` those
                whose queues act.
            settings: What the scenario has in place of its file's values, by dotted keys: commands say it.
            simulated_s: Simulated seconds of a run; by default what a core does in 0.6 s, from 10 to 300.

        Raises:
            PlayError: Its queues have different schemes, so one choice cannot set all.
            DemandError: No monitored link carries data.
            ScenarioError: So many simulated seconds are refused.
        """
        self.scenario = scenario
        self.demand = Demand.of(scenario)
        self.demand.bottlenecks()  # refused here rather than on the page
        self.queues = Queues.of(scenario, queues, argument="queues")
        self.settings = settings
        if len(schemes := self.queues.schemes(scenario)) > 1:
            raise PlayError(
                f"{scenario.name}: {', '.join(schemes)} at its queues; legal: one scheme at all of them"
            )
        self.simulated_s = simulated_s or self._affordable_s()
        self._timed(scenario)

    @cached_property
    def link(self) -> str:
        """The link that is drawn: of those whose queues are turned the slowest, as the scenario has it."""
        return self._drawn_link.name

    @cached_property
    def start(self) -> Turned:
        """Where the knobs stand in the scenario: those of queues where they do at the link that is drawn."""
        table = self._drawn(self.queues.tables(self.scenario))
        return Turned(
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
        knobs.append(Knob("ecn", "ECN at queues and hosts", "switch", self.start.ecn))
        return knobs

    def parameters(self, scenario: Scenario) -> dict[str, Any]:
        """The main parameters of the queue management as they are in force in a setting, by name."""
        table = self._drawn(self.queues.tables_in_force(scenario))
        return {knob.name: knob.value for knob in parameter_knobs(str(table["scheme"]), table)}

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
        """What of the scenario was turned away from where it stood, by dotted keys.

        Raises:
            PlayError: A rate, a scheme or a parameter is none of those that can be turned, or the demand is
                more than its knob has.
        """
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
        """The scenario as it was turned, of its own length.

        Raises:
            PlayError: Something is none of what can be turned.
            ScenarioError: A value is refused; the message names the key and what is legal.
        """
        return self.scenario.with_overrides(self.overrides(turned))

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

    def run(self, scenario: Scenario, seed: int, active: ActiveRuns) -> Result:
        """Runs what was turned, for a second.

        Raises:
            ScenarioError: It is refused.
            Cancelled: Something else was turned meanwhile, and `active` was stopped.
        """
        return active.perform(Job(self._timed(scenario), seed))

    def length_s(self, affordable_s: float) -> float:
        """The scenario's own length, or as much of it as is affordable, but no less than a run here has."""
        own_s = float(self.scenario.duration_s)
        return min(own_s, float(f"{max(affordable_s, _SHORTEST_S):.2g}"))

    def shortened(self, scenario: Scenario, simulated_s: float) -> Scenario:
        """A setting at this length, in the scenario's proportions, without rows of packets.

        Responses are kept as the scenario keeps them: pages are matched one by one by their rows.

        Args:
            scenario: The setting, as `at` gives it.
            simulated_s: Its length, at most that of the scenario.
        """
        share = simulated_s / float(scenario.duration_s)
        parts = ("warm_up_s", "cool_down_s") if share < 1.0 else ()
        overrides: dict[str, Any] = {part: round(share * scenario.resolved[part], 3) for part in parts}
        overrides |= {f"record.{table}": False for table in ("arrivals", "packets")}
        return scenario.with_overrides({"duration_s": simulated_s, **overrides})

    def probe(self, scenario: Scenario) -> Job:
        """A short run of a setting, from which it is seen what a simulated second costs."""
        return Job(self._timed(scenario, _PROBED_S), 1)

    def _drawn(self, tables: Sequence[Table]) -> Table:
        """Of the tables of the queues that of the link that is drawn."""
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
        return {
            f"{key}.{name}": value
            for key in self.queues.keys
            for name, value in self._of_queue(key, settings).items()
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

    def _timed(self, scenario: Scenario, simulated_s: float | None = None) -> Scenario:
        duration_s = simulated_s or self.simulated_s
        return scenario.with_overrides(
            {
                "duration_s": duration_s,
                "warm_up_s": round(duration_s * _WARM_UP_SHARE, 3),
                "cool_down_s": round(duration_s * _COOL_DOWN_SHARE, 3),
                "record": {
                    **{name: scenario.resolved["record"][name] for name in _MEASURED_AS},
                    **({"responses": "histogram"} if self._has_users else {}),
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

    @cached_property
    def _drawn_link(self) -> Link:
        own = [link for link in carrying_links(self.scenario) if link.queue_key in self.queues.keys]
        return min(own or named_links(self.scenario, self.queues.links), key=lambda link: link.rate_mbps)

    @cached_property
    def _has_users(self) -> bool:
        return any(part.unit == "users" for part in self.demand.parts)

    @cached_property
    def _rates_mbps(self) -> dict[str, float]:
        rates: dict[str, float] = {}
        for link in carrying_links(self.scenario):
            # A line itself comes before its router, which has a share of the same rate.
            rates.setdefault(link.rate_key, link.rate_mbps)
        return rates

    @cached_property
    def _limit(self) -> str | None:
        """How the scenario's own queues are limited."""
        table = self._drawn(self.queues.tables(self.scenario))
        return next((name for name in LIMITS if table.get(name)), None)

    @cached_property
    def _traffic_tables(self) -> list[str]:
        """The tables of those who have hosts: `users`, `populations.0`, `flows.1`."""
        keys = (part.key for part in self.demand.parts if part.unit != "datagrams")
        return list(dict.fromkeys(key.rpartition(".")[0] for key in keys))


def _given(table: Mapping[str, Any], *, without: Sequence[str]) -> dict[str, Any]:
    """What of a resolved table has a value, without these keys: TOML has no word for none."""
    return {name: value for name, value in table.items() if value is not None and name not in without}
