"""The queues that a search or a comparison sets: those in front of the links judged, all alike."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache, reduce
from typing import TYPE_CHECKING, Any

from aqmlab import _core
from aqmlab.errors import DemandError, ScenarioError
from aqmlab.load.demand import carrying_links, named_links
from aqmlab.terminal.spelling import unknown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.scenario import Scenario

LIMITS = ("limit_packets", "limit_bytes")
"""How a queue's buffer is limited."""


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
    def of(cls, scenario: Scenario, links: Sequence[str] = ()) -> Queues:
        """The queues in front of these links; by default of the links that carry data.

        Raises:
            DemandError: A link is not monitored, or none carries data.
        """
        found = named_links(scenario, links) or carrying_links(scenario)
        if not found:
            raise DemandError(f"{scenario.name}: no monitored link carries data; choose queues with --queues")
        first = {link.queue_key: link.name for link in reversed(found)}
        keys = tuple(dict.fromkeys(link.queue_key for link in found))
        return cls(keys, tuple(first[key] for key in keys))

    def keys_in(self, scenario: Scenario) -> list[str]:
        """The dotted key of each queue's table in the same network with other queues."""
        return [link.queue_key for link in named_links(scenario, self.links)]

    def tables(self, scenario: Scenario) -> list[Mapping[str, Any]]:
        """The tables of the queues, as resolved."""
        return [reduce(_inner, key.split("."), scenario.resolved) for key in self.keys_in(scenario)]

    def tables_in_force(self, scenario: Scenario) -> list[dict[str, Any]]:
        """The same, with the values in force of parameters that follow from the link or from one another."""
        derived = (_core.parameters_in_force(scenario.resolved_json, link) for link in self.links)
        return [{**table, **own} for table, own in zip(self.tables(scenario), derived, strict=True)]

    def schemes(self, scenario: Scenario) -> list[str]:
        """The names of their schemes, each once."""
        return list(dict.fromkeys(table["scheme"] for table in self.tables(scenario)))

    def with_scheme(self, scenario: Scenario, scheme: str) -> Scenario:
        """The scenario with this scheme at every queue: as it is, if all have it, else all with its defaults.

        The limits of the queues stay, as far as the scheme has such limits: one of bytes means nothing to a
        scheme that counts packets, which then has its own.

        Raises:
            ScenarioError: There is no such scheme, or the scenario is refused with it.
        """
        if self.schemes(scenario) == [scheme]:
            return scenario
        if ":" not in scheme and not parameters_of_scheme(scheme):
            raise ScenarioError(f"scheme {scheme!r}: {unknown(scheme, _core.scheme_names())}")
        lacking = {name for name in LIMITS if name not in (parameters_of_scheme(scheme) or LIMITS)}
        limits = [
            {name: table[name] for name in LIMITS if table.get(name) is not None and name not in lacking}
            for table in self.tables(scenario)
        ]
        return scenario.with_overrides(
            {key: {"scheme": scheme, **own} for key, own in zip(self.keys_in(scenario), limits, strict=True)}
        )

    def with_settings(self, scenario: Scenario, settings: Mapping[str, Any]) -> Scenario:
        """The scenario with these parameters at every queue.

        Raises:
            ScenarioError: A value is refused.
        """
        return scenario.with_overrides(
            {f"{key}.{name}": value for key in self.keys_in(scenario) for name, value in settings.items()}
        )

    def settings(self, scenario: Scenario, names: Sequence[str]) -> dict[str, Any]:
        """The values of these parameters; none where the queues differ."""
        tables = self.tables(scenario)
        return {
            name: tables[0].get(name)
            if all(table.get(name) == tables[0].get(name) for table in tables)
            else None
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


def _inner(outer: Any, name: str) -> Any:  # noqa: ANN401
    return outer[int(name)] if isinstance(outer, list) else outer[name]
