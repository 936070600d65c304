"""The queues that a search or a comparison sets: those in front of the links judged, all alike."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from aqmlab import _core
from aqmlab.errors import DemandError, Mistake, ScenarioError
from aqmlab.load.demand import carrying_links, monitored_links, named_links
from aqmlab.load.parametrized_scheme import ParametrizedScheme
from aqmlab.load.queue_place import PLACES, own_links
from aqmlab.scenario import at_key
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.load.queue_place import QueuePlace
    from aqmlab.scenario import Scenario


LIMITS = ("limit_packets", "limit_bytes")
"""How a queue's buffer is limited."""
_OTHER_WAY = {
    "dumbbell.queue": "dumbbell.queue_right_to_left",
    "parking_lot.queue": "parking_lot.queue_right_to_left",
    "star.queue": "star.queue_up",
}
"""Where the queue of the other way has a table of its own; without it, it shares the first."""


@dataclass(frozen=True)
class Queues:
    """Queue disciplines of a scenario, by the dotted keys of their tables.

    Attributes:
        keys: In the scenario in which they were found.
        links: For each key a link with this queue in front of it. In the same network with other queues the
            key may be another: two queues that become alike become one table of the scenario.
    """

    keys: tuple[str, ...]
    links: tuple[str, ...]

    @classmethod
    def of(cls, scenario: Scenario, links: Sequence[str] = (), *, argument: str = "links") -> Queues:
        """The queues in front of these links; by default of the links that carry data.

        Of a `[line]` by default those that act: the router's where it shapes, else the modem's and the
        provider's.
        """
        if not links and scenario.resolved.get("line"):
            links = own_links(scenario)
        found = named_links(scenario, links, argument=argument) or carrying_links(scenario)
        if not found:
            raise DemandError(
                f"{scenario.name}: no monitored link carries data; legal: a link with queue = {{ ... }} on "
                "the way of the data, or links by their names (queues)"
            )
        first = {link.queue_key: link.name for link in reversed(found)}
        keys = tuple(dict.fromkeys(link.queue_key for link in found))
        return cls(keys, tuple(first[key] for key in keys))

    def keys_in(self, scenario: Scenario) -> list[str]:
        """The dotted key of each queue's table in the same network with other queues."""
        return [link.queue_key for link in named_links(scenario, self.links)]

    def tables(self, scenario: Scenario) -> list[Mapping[str, Any]]:
        """The tables of the queues, as resolved."""
        return [at_key(scenario.resolved, key) for key in self.keys_in(scenario)]

    def tables_in_force(self, scenario: Scenario) -> list[dict[str, Any]]:
        """The same, with the values in force of parameters that follow from the link or from one another."""
        derived = (scenario.core.parameters_in_force(link) for link in self.links)
        return [{**table, **own} for table, own in zip(self.tables(scenario), derived, strict=True)]

    def schemes(self, scenario: Scenario) -> list[str]:
        """The names of their schemes, each once."""
        return list(dict.fromkeys(table["scheme"] for table in self.tables(scenario)))

    def with_scheme(self, scenario: Scenario, scheme: str) -> Scenario:
        """The scenario with this scheme at every queue: as it is, if all have it, else all with its defaults.

        The limits of the queues stay, as far as the scheme has such limits: one of bytes means nothing to a
        scheme that counts packets, which then has its own. A limit that only guards memory, as FQ-CoDel's,
        is no buffer for a scheme under which people wait for all of it: such a scheme gets a usual buffer at
        the link's rate (`_core.Buffer`).

        Args:
            scenario: The scenario.
            scheme: A scheme, or one with parameters: `codel:target_ms=20`. Where all queues have the scheme,
                their other parameters stay. In Linux's spelling (`codel target 20ms`) all are Linux's.

        Raises:
            ScenarioError: There is no such scheme or parameter, or the scenario is refused with it.
        """
        asked = ParametrizedScheme.of(scheme)
        is_own = not asked.is_linux and self.schemes(scenario) == [asked.name]
        if is_own and not asked.parameters:
            return scenario
        _require_known(asked)
        tables = [
            _parameters_beside(table, asked.parameters) if is_own else _limits_for(table, asked)
            for table in self.tables(scenario)
        ]
        made = self._with_tables(scenario, asked, dict(zip(self.keys_in(scenario), tables, strict=True)))
        if is_own or asked.parameters.keys() & set(LIMITS):
            return made
        usual = self._usual_buffers(scenario, made)
        if not usual:
            return made
        given = dict(zip(self.keys_in(scenario), tables, strict=True))
        return self._with_tables(scenario, asked, {**given, **usual})

    def _with_tables(
        self, scenario: Scenario, asked: ParametrizedScheme, tables: Mapping[str, Mapping[str, Any]]
    ) -> Scenario:
        """The scenario with these tables of queues, by key, under a scheme with parameters."""
        overrides: dict[str, Any] = {}
        for key, table in tables.items():
            overrides[key] = {**table, "scheme": asked.name}
            # A table within is given whole: of PI's gains the designed ones replace the fixed ones.
            within: dict[str, Any] = {name.partition(".")[0]: {} for name in asked.parameters if "." in name}
            parameters = {**within, **asked.parameters}
            overrides |= {f"{key}.{name}": value for name, value in parameters.items()}
        try:
            return scenario.with_overrides(overrides)
        except ScenarioError as error:
            raise _as_asked(error, asked) from None

    def _usual_buffers(self, scenario: Scenario, made: Scenario) -> dict[str, dict[str, int]]:
        """Tables with a usual buffer, by key: of queues whose limit only guarded memory and now is felt."""
        before, after = (each.core.buffers() for each in (scenario, made))
        keys = {link.name: link.queue_key for link in monitored_links(scenario)}
        found: dict[str, dict[str, int]] = {}
        for own, key in zip(self.links, self.keys_in(scenario), strict=True):
            if before[own].wait_s is not None or after[own].wait_s is None:
                continue
            found[key] = {"limit_packets": after[own].usual_packets}
            # One table for both ways, whose rates differ: the other way gets a buffer for its own rate.
            slowest = min(after[link].usual_packets for link, other in keys.items() if other == key)
            if slowest < after[own].usual_packets and key in _OTHER_WAY:
                found[_OTHER_WAY[key]] = {"limit_packets": slowest}
        return found

    def with_settings(self, scenario: Scenario, settings: Mapping[str, Any]) -> Scenario:
        """The scenario with these parameters at every queue."""
        return scenario.with_overrides(
            {f"{key}.{name}": value for key in self.keys_in(scenario) for name, value in settings.items()}
        )

    def settings(self, scenario: Scenario, names: Sequence[str]) -> dict[str, Any]:
        """The values of these parameters; none where the queues differ."""
        return _shared(self.tables(scenario), names)

    def settings_in_force(self, scenario: Scenario, names: Sequence[str]) -> dict[str, Any]:
        """The same, with the values in force of those that are not given."""
        return _shared(self.tables_in_force(scenario), names)


def _shared(tables: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, Any]:
    first, *others = tables
    return {
        name: first.get(name) if all(table.get(name) == first.get(name) for table in others) else None
        for name in names
    }


@cache
def parameters_of_scheme(scheme: str) -> dict[str, dict[str, Any]]:
    """The keys of a scheme's table as the JSON Schema of scenarios has them; none of an unknown scheme.

    What the schema has a name for stands at its place.
    """
    named = json.loads(_core.json_schema())["$defs"]
    for each in named["Scheme"]["oneOf"]:
        if each["properties"]["scheme"].get("const") == scheme:
            return {
                key: {**named.get(part.get("$ref", "").rpartition("/")[2], {}), **part}
                for key, part in each["properties"].items()
            }
    return {}


def _require_known(asked: ParametrizedScheme) -> None:
    """Refuses an unknown scheme, and unknown parameters of a scheme that is not in a file."""
    if ":" in asked.name:
        return
    legal = [name for name in parameters_of_scheme(asked.name) if name != "scheme"]
    if not legal:
        raise ScenarioError.unknown(f"scheme {asked.name!r}", asked.name, _core.scheme_names())
    for name in asked.parameters:
        if name.partition(".")[0] not in legal:
            raise ScenarioError.unknown(f"scheme {asked.name}: parameter {quoted(name)}", name, legal)


def _parameters_beside(table: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a queue that given ones leave in force; a given limit replaces both."""
    replaced = {name.partition(".")[0] for name in given}
    replaced |= set(LIMITS) if replaced & set(LIMITS) else set()
    return {name: value for name, value in table.items() if value is not None and name not in replaced}


def _limits_for(table: Mapping[str, Any], asked: ParametrizedScheme) -> dict[str, Any]:
    """The limits of a queue that another scheme takes over: none, if it is given one."""
    if asked.parameters.keys() & set(LIMITS):
        return {}
    legal = parameters_of_scheme(asked.name) or LIMITS
    return {name: table[name] for name in LIMITS if table.get(name) is not None and name in legal}


def _as_asked(error: ScenarioError, asked: ParametrizedScheme) -> ScenarioError:
    """A refusal that names the scheme as it was asked for, not the keys that were set for it."""
    return ScenarioError.of(error, f"scheme {asked.name}: {error.lines(Mistake.without_override)}")


def warn_of_what_is_left_out(scenario: Scenario, place: QueuePlace) -> None:
    """Warns that a router's shapers do not act where schemes stand elsewhere."""
    if said := place.left_out(scenario):
        warnings.warn(said, stacklevel=4)


def placed(scenario: Scenario, scheme: str, place: QueuePlace, share: float | None) -> Scenario:
    """A scenario with a `[line]` and a scheme at a place of it, both ways.

    A scheme with a rate of its own, such as `cake bandwidth 9Mbit`, shapes by itself: the router does not.
    """
    place.require_share(share)
    shapes_itself = place.shaped and "rate_mbps" in ParametrizedScheme.of(scheme).parameters
    at = PLACES["router-unshaped"].at(scenario) if shapes_itself else place.at(scenario, share)
    return Queues.of(at, place.links).with_scheme(at, scheme)
