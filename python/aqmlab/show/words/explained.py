"""Schemes, controllers, profiles, transports, models, applications; quantities and verdicts: what each is."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aqmlab import _core
from aqmlab.classes.loaded import names_one
from aqmlab.load.controllers import controller_sources, parameters_of_file
from aqmlab.models.loading import is_model

if TYPE_CHECKING:
    from collections.abc import Mapping

_KINDS = (
    "Queue discipline.",
    "Congestion controller.",
    "Host profile.",
    "Transport.",
    "Traffic model.",
    "Application over datagrams.",
)
_FIRST_SENTENCE = re.compile(r"(?<=[a-z0-9)])\. ")


def traffic_models() -> list[str]:
    return [model["properties"]["model"]["const"] for model in _models()]


def applications() -> list[str]:
    """The names of the applications over datagrams that have a table of parameters."""
    groups = json.loads(_core.json_schema())["$defs"]["DatagramsTable"]["properties"]
    return [each.key for each in _core.applications() if "anyOf" in groups[each.key]]


def explained(name: str) -> str | None:
    """What is called so, in words; none where nothing is."""
    if name in _core.scheme_names():
        return _core.explain(name)
    if name in _core.profile_names():
        return _profile(name)
    if name in _core.transport_names():
        return _transport(name)
    if name in controller_sources():
        return controller_in_words(name)
    if name in applications():
        return _application(name)
    tables = {model["properties"]["model"]["const"]: model for model in _models()}
    return model_in_words(name, tables[name]) if name in tables else _quantity(name) or _word(name)


def in_a_line(name: str) -> str:
    paragraphs = (explained(name) or "").split("\n\n")
    said = " ".join(paragraphs[1].split()) if len(paragraphs) > 1 else ""
    for kind in _KINDS:
        said = said.removeprefix(kind).strip()
    return _FIRST_SENTENCE.split(said)[0].rstrip(".")


def _profile(name: str) -> str:
    """Which stack a host profile is, and its values of the keys of `host`."""
    meaning, settings = _core.profile_settings(name) or ("", [])
    keys = json.loads(_core.json_schema())["$defs"]["HostOverrides"]["properties"]
    lines = [name, "", f"Host profile. {meaning}", "", "Settings (keys of host, such as host = { ... }):"]
    for key, value in settings:
        lines += ["", f"  {key}: {value}", f"      {_one_line(keys[key])}"]
    return "\n".join([*lines, ""])


def _transport(name: str) -> str:
    """What a transport is, and the keys of `host` that it has beside TCP's."""
    meaning, keys = _core.transport_settings(name) or ("", [])
    lines = [name, "", f"Transport. {meaning}", ""]
    if keys:
        lines.append("Settings (keys of host, such as host = { ... }):")
        lines += [f"  {key}: {' or '.join(json.dumps(each) for each in legal)}" for key, legal in keys]
        lines.append("")
    lines += ["Uses:", f'  transport = "{name}"', "      in [users], [[populations]] and [[flows]]", ""]
    return "\n".join([*lines, f"More: docs/reference/{name}.md.", ""])


def _application(name: str) -> str:
    """What an application over datagrams is, and its parameters with their ranges and defaults."""
    definitions = json.loads(_core.json_schema())["$defs"]
    key = definitions["DatagramsTable"]["properties"][name]
    [reference] = [each["$ref"] for each in key["anyOf"] if "$ref" in each]
    table = definitions[reference.rpartition("/")[2]]
    described = _core.describe_parameters(json.dumps(_resolved(table["properties"], definitions)))
    heading = f"Parameters (keys of {name} = {{ ... }} in [[datagrams]]):"
    return f"{name}\n\nApplication over datagrams. {_one_line(table)}\n\n{heading}\n{described}"


def _quantity(name: str) -> str | None:
    """The definition of a quantity: of a run, of each part of the traffic that has it, of stretches."""
    # Statistics load NumPy and Arrow: whoever asks for something else answers without.
    from aqmlab.statistics.quantities import QUANTITIES  # noqa: PLC0415
    from aqmlab.statistics.stretches import OF_STRETCHES  # noqa: PLC0415
    from aqmlab.statistics.traffic import OF_TRAFFIC  # noqa: PLC0415

    base = name.partition("/")[0]
    found = {base: QUANTITIES[base]} if base in QUANTITIES else {}
    found |= {
        f"{base}/{kind}.NAME": makes[base](f"{kind}.NAME")
        for kind, makes in OF_TRAFFIC.items()
        if base in makes
    }
    told = {called: (each.unit, each.definition) for called, each in found.items()}
    if base in OF_STRETCHES:
        told[f"{base}/PART@FROM-UNTIL"] = (OF_STRETCHES[base].unit, OF_STRETCHES[base].definition)
    lines = [base, "", "Quantity: a number of a run, or of a part of it."]
    for called, (unit, definition) in told.items():
        lines += ["", f"  {called}{f', in {unit}' if unit else ''}", f"      {definition}"]
    return "\n".join([*lines, "", "More: docs/reference/quantities.md.", ""]) if told else None


def _word(name: str) -> str | None:
    """What a word means that results print as a verdict."""
    from aqmlab.show.words.words_of_results import word_explained  # noqa: PLC0415 (as of quantities)

    return word_explained(name)


def model_in_words(name: str, table: Mapping[str, Any]) -> str:
    """What a traffic model is, and its parameters with their ranges and defaults."""
    parameters = {key: each for key, each in table["properties"].items() if key != "model"}
    described = _core.describe_parameters(json.dumps(parameters))
    heading = 'Parameters (keys of model = { model = "..." }):'
    return f"{name}\n\nTraffic model. {_one_line(table)}\n\n{heading}\n{described}"


def _models() -> list[dict[str, Any]]:
    """The schemas of the models' tables, with what they refer to put in its place."""
    definitions = json.loads(_core.json_schema())["$defs"]
    models: list[dict[str, Any]] = definitions["UserModel"]["oneOf"]
    for model in models:
        _resolved(model["properties"], definitions)
    return models


def _resolved(parameters: dict[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """Schemas of parameters, with what they refer to put in its place."""
    for parameter in parameters.values():
        if reference := parameter.pop("$ref", ""):
            parameter.update(definitions[reference.rpartition("/")[2]] | parameter)
    return parameters


def _one_line(described: Mapping[str, Any]) -> str:
    return " ".join(described.get("description", "").split())


_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def is_model_in_file(name: str, folder: str | Path = ".") -> bool:
    """Whether `FILE.py:CLASS` names a traffic model, or no class of a file that has traffic models."""
    return names_one(name, is_model, folder)


def schema_of_controller(name: str) -> dict[str, Any]:
    """The JSON Schema of the table of a congestion controller in a file."""
    return {"$schema": _DIALECT, "title": name, **parameters_of_file(name)}


def explained_controller(name: str) -> str:
    """What a congestion controller in a file is, its parameters, and what it is used with."""
    table = parameters_of_file(name)
    parameters = {key: each for key, each in table["properties"].items() if key != "controller"}
    described = _core.describe_parameters(json.dumps(parameters)) if parameters else "\n  none\n"
    return _own_controller_in_words(name, _one_line(table), described)


def schema_of_model(name: str, folder: str | Path = ".") -> dict[str, Any]:
    """The JSON Schema of the table of a traffic model in a file."""
    table: dict[str, Any] = json.loads(_core.model_schema(Path(folder).absolute(), name))
    return {"$schema": _DIALECT, "title": name, **table}


def explained_model(name: str, folder: str | Path = ".") -> str:
    """What a traffic model in a file is, and its parameters with their ranges and defaults."""
    return model_in_words(name, schema_of_model(name, folder))


_WHAT_IT_DOES = {
    "reno": "Adds a segment to its window for each round trip and halves it at a loss or mark.",
    "reno-abc": "Reno that counts what an acknowledgement covers, two segments at most, so that no burst "
    "follows few acknowledgements.",
    "cubic": "Grows its window by a cubic function of the time since the last loss, around the window at "
    "which that happened, and takes 0.7 of it at a loss or mark. The usual sender of servers and devices.",
    "dctcp": "Reno whose window shrinks by half of the share of its packets that were marked: for networks "
    "that mark early. Brings accurate ECN and sends ECT(1).",
    "prague": "Shrinks its window by half of the share of its packets that were marked, grows alike whatever "
    "the round trip, and paces. The sender for the low-latency queue of DualPI2; brings accurate ECN and "
    "sends ECT(1).",
    "ledbat": "Leaves the link to others: grows while the queue takes less than 100 ms and shrinks beyond. "
    "For updates and backups.",
    "agent": "Keeps the window that an agent sets during the run, whatever is lost or marked; in slow start "
    "until the first time.",
    "bbr-linux-v1": "Sends at the rate at which data arrive, keeps about as much in the network as the path "
    "holds, and searches for a higher rate every eight round trips. A loss does not slow it down.",
    "bbr-linux-v2": "As bbr-linux-v3, with a steeper startup; a search ends with a queue of a quarter of "
    "what the path holds. Marks slow it down if `answers_marks` says so.",
    "bbr-l4s-v2": "As bbr-linux-v2, for queues that mark early: it slows down by the share of marks. Brings "
    "accurate ECN and sends ECT(1).",
    "bbr-linux-v3": "Sends at the rate at which data arrive, keeps about as much in the network as the path "
    "holds, searches for a higher rate every 2 to 3 s, and sends less where more than 2 % is lost.",
    "bbr-draft-2026-08": "As bbr-linux-v3; a drain ends after three rounds, and marks count as losses.",
}
"""A controller that is not here has its source alone."""


def controller_in_words(name: str) -> str:
    """What a controller does, its source, and what it is used with."""
    source = controller_sources()[name]
    told = " ".join(["Congestion controller.", *filter(None, [_WHAT_IT_DOES.get(name)]), f"Source: {source}"])
    return "\n".join(
        [name, "", told, "", "Uses:", *_used(name), "", "Rules and evidence: docs/reference/tcp.md.", ""]
    )


def _own_controller_in_words(name: str, meaning: str, parameters: str) -> str:
    """What a controller in a file does, by its class, its parameters in words, and what it is used with."""
    heading = 'Parameters (keys of congestion = { controller = "..." } in host):'
    lines = [name, "", f"Congestion controller. {meaning}", "", heading, parameters.rstrip("\n"), "", "Uses:"]
    return "\n".join([*lines, *_used(name), "", "How to write one: docs/how-to/own-controller.md.", ""])


def _used(name: str) -> list[str]:
    other = "reno" if name == "cubic" else "cubic"
    return [
        f'  host = {{ congestion = "{name}" }}',
        "      with a linux6 profile, in [[flows]], [users] and [[populations]]",
        f"  aqmlab evaluate {name}",
        "      the card of RFC 9743: harm to others, over buffers, round trips and queues",
        f"  aqmlab compare SCENARIO.toml --senders {other},{name}",
        "      alone and beside others, in each queue",
    ]
