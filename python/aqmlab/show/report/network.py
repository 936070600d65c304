"""The network and its users in words and rates, as recorded in a run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from aqmlab import _core
from aqmlab.errors import ScenarioError
from aqmlab.scenario import clouds_of
from aqmlab.show.words.amounts import line_rate, line_rates
from aqmlab.show.words.configurations import briefly
from aqmlab.statistics.recorded import viewers
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aqmlab.statistics import Recorded

_UNNAMED = re.compile(r"(flows|datagrams)-\d+")
"""Groups that no scenario gave a name."""
_MOST_NAMED = 6
"""So many applications are named in one line."""


def in_one_line(result: Recorded, runs: int, length: str) -> str:
    """The link, the people, and the length of the measured windows of so many runs, which is in words."""
    parts = [_links_in_words(result)]
    scenario = result.run["scenario"]
    clouds = clouds_of(scenario)
    populations = result.run["populations"]
    no_readers = {*clouds, *viewers(result)}
    people = sum(int(each["users"]) for each in populations if each["name"] not in no_readers)
    if people:
        parts.append("one person browsing" if people == 1 else f"{people:,} people browsing")
    arriving = sum(int(each["users"]) for each in populations if each["name"] in clouds)
    if arriving:
        parts.append("a cloud of connections" if arriving == 1 else f"{arriving:,} clouds of connections")
    if others := _others_in_words(scenario):
        parts.append(others)
    each = "one run" if runs == 1 else f"{runs} runs"
    parts.append(f"{each} of {length}{'' if runs == 1 else ' each'}")
    return " · ".join(part for part in parts if part)


def _others_in_words(scenario: Mapping[str, Any]) -> str:
    """What else somebody uses: `call, game, meeting, backup`; nothing where these are too many to name."""
    groups = [*(scenario.get("datagrams") or ()), *(scenario.get("flows") or ())]
    names = [name for each in groups if (name := str(each.get("name", ""))) and not _UNNAMED.fullmatch(name)]
    several = dict.fromkeys(briefly(name).partition(",")[0] for name in names)
    return ", ".join(several) if len(several) <= _MOST_NAMED else ""


def _links_in_words(result: Recorded) -> str:
    if line := result.run["scenario"].get("line"):
        return f"{line['technology']}, {line_rates(line['down_mbps'], line['up_mbps'])}"
    links = result.run["links"]
    data = [line_rate(link["rate_mbps"]) for link in links if link["carries_data"]]
    back = [line_rate(link["rate_mbps"]) for link in links if not link["carries_data"]]
    if len(data) == len(back) == 1:
        return f"a link of {data[0]} towards them and {back[0]} back"
    if not data:
        return ""
    rates = dict.fromkeys(data)
    return f"{'a link' if len(data) == 1 else f'{len(data)} links'} of {' and '.join(rates)}"


def facts(results: Mapping[str, Recorded]) -> dict[str, str]:
    """Links, people and other traffic, of one run of each alternative; common values are listed once."""
    told = {name: dict(_facts_of(result)) for name, result in results.items()}
    keys = dict.fromkeys(key for each in told.values() for key in each)
    return {key: _shared({name: each.get(key, "–") for name, each in told.items()}) for key in keys}


def _shared(values: Mapping[str, str]) -> str:
    if len(set(values.values())) == 1:
        return next(iter(values.values()))
    return "; ".join(f"{name}: {value}" for name, value in values.items())


def _facts_of(result: Recorded) -> Iterator[tuple[str, str]]:
    scenario = result.run["scenario"]
    clouds = clouds_of(scenario)
    for link in result.run["links"]:
        carries = "data" if link["carries_data"] else "only requests and acknowledgements"
        where = f"from {link['from']} to {link['to']}"
        yield f"link {link['name']}", f"{line_rate(link['rate_mbps'])} {where}; carries {carries}"
    for population in result.run["populations"]:
        if population["users"] and population["name"] in clouds:
            yield f"clouds, {population['name']}", f"{population['users']:,} with arriving connections"
        elif population["users"]:
            yield f"people, {population['name']}", f"{population['users']:,} browsing the web"
    delays = {_delay(each) for each in _browsing(scenario)} - {""}
    if delays:
        yield "round-trip time", f"{' or '.join(sorted(delays))} without queueing"
    for kind in ("flows", "datagrams"):
        for group in scenario.get(kind) or ():
            what = f"{group.get('transport', 'tcp').upper()} flow" if kind == "flows" else "UDP source"
            yield f"{kind}, {group.get('name', '')}".rstrip(", "), counted(group.get("count", 1), what)


def _browsing(scenario: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    users = scenario.get("users")
    return [*([users] if users else []), *(scenario.get("populations") or ())]


def _delay(population: Mapping[str, Any]) -> str:
    if (population.get("model") or {}).get("round_trip_times"):
        return ""  # each connection has one of the model
    delay = population.get("minimum_delay_ms") or {}
    if "low" not in delay or "high" not in delay:
        return ""
    return f"{delay['low']} to {delay['high']} ms"


def queues_in_words(results: Mapping[str, Recorded]) -> list[str]:
    """What each queue discipline on a link does: the first sentence of its description."""
    schemes = dict.fromkeys(link["scheme"] for result in results.values() for link in result.run["links"])
    return [sentence for scheme in schemes if (sentence := _sentence(scheme))]


def _sentence(scheme: str) -> str:
    try:
        _, _, text = _core.explain(scheme).partition("\n\n")
    except ScenarioError:
        return ""
    sentence = text.partition(chr(10) * 2)[0].strip()
    named, colon, rule = sentence.partition(": ")
    return f"{scheme}: {rule}" if colon and named.lower() == scheme else f"{scheme}: {sentence}"


_NO_SETTINGS = {"name", "description"}


def differing_settings(scenarios: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Each setting that differs between scenarios, by its dotted key; names and texts of files aside."""
    flat = {name: dict(_settings("", scenario)) for name, scenario in scenarios.items()}
    keys = dict.fromkeys(key for each in flat.values() for key in each)
    told = {key: {name: each.get(key, "–") for name, each in flat.items()} for key in keys}
    return {
        key: _shared(values)
        for key, values in told.items()
        if len(set(values.values())) > 1 and key not in _NO_SETTINGS and not key.startswith("files.")
    }


def _settings(prefix: str, value: object) -> Iterator[tuple[str, str]]:
    """Settings by dotted key; a queue is one setting, because another scheme has other parameters."""
    if isinstance(value, dict) and "scheme" not in value:
        for key, inner in value.items():
            yield from _settings(f"{prefix}.{key}" if prefix else key, inner)
    elif isinstance(value, list) and any(isinstance(each, dict) for each in value):
        for place, inner in enumerate(value):
            yield from _settings(f"{prefix}.{place}", inner)
    else:
        yield prefix, _in_short(value)


def _in_short(value: object) -> str:
    if isinstance(value, dict):
        others = [
            f"{key} {_in_short(each)}" for key, each in value.items() if key != "scheme" and each is not None
        ]
        return (
            f"{value['scheme']} ({', '.join(others)})" if "scheme" in value else f"{{ {', '.join(others)} }}"
        )
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else f"{value}"
