"""What a scheme, controller, host profile, traffic model or application is, and its settings."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from aqmlab import _core
from aqmlab.load.controllers import controller_sources
from aqmlab.show.words.controllers import controller_in_words

if TYPE_CHECKING:
    from collections.abc import Mapping

_KINDS = (
    "Queue discipline.",
    "Congestion controller.",
    "Host profile.",
    "Traffic model.",
    "Application over datagrams.",
)
_FIRST_SENTENCE = re.compile(r"(?<=[a-z0-9)])\. ")


def traffic_models() -> list[str]:
    """The names of the traffic models."""
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
    if name in controller_sources():
        return controller_in_words(name)
    if name in applications():
        return _application(name)
    tables = {model["properties"]["model"]["const"]: model for model in _models()}
    return model_in_words(name, tables[name]) if name in tables else None


def in_a_line(name: str) -> str:
    """What is called so, in its first sentence."""
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


def _application(name: str) -> str:
    """What an application over datagrams is, and its parameters with their ranges and defaults."""
    definitions = json.loads(_core.json_schema())["$defs"]
    key = definitions["DatagramsTable"]["properties"][name]
    [reference] = [each["$ref"] for each in key["anyOf"] if "$ref" in each]
    table = definitions[reference.rpartition("/")[2]]
    described = _core.describe_parameters(json.dumps(_resolved(table["properties"], definitions)))
    heading = f"Parameters (keys of {name} = {{ ... }} in [[datagrams]]):"
    return f"{name}\n\nApplication over datagrams. {_one_line(table)}\n\n{heading}\n{described}"


def model_in_words(name: str, table: Mapping[str, Any]) -> str:
    """What a traffic model is, and its parameters with their ranges and defaults.

    Args:
        name: As scenarios name it.
        table: The JSON schema of its table.
    """
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
