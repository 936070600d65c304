"""Schemes as JSON Schema: the table of one by itself, and schemes in files within that of scenarios."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from aqmlab import _core
from aqmlab.errors import RefusalError
from aqmlab.files.own_names import require_object
from aqmlab.schemes.trial import known

if TYPE_CHECKING:
    from pathlib import Path

_REFERENCE = re.compile(r'"\$ref": "#/\$defs/([^"]+)"')

IN_A_FILE: dict[str, Any] = {
    "type": "object",
    "description": "A scheme of one's own; `aqmlab schema FILE:NAME` prints its own keys, `aqmlab explain` "
    "describes them.",
    "properties": {
        "scheme": {
            "type": "string",
            "pattern": r"^.+\.(py|so|dylib):[^:@]+$",
            "description": "FILE.py:CLASS or LIBRARY.so:SYMBOL.",
        }
    },
    "required": ["scheme"],
}
"""A table whose keys stand in a file: whoever reads the schema alone cannot know them."""


MODEL_IN_A_FILE: dict[str, Any] = {
    "type": "object",
    "description": "A traffic model of one's own; `aqmlab schema FILE.py:CLASS` prints its own keys, "
    "`aqmlab explain` describes them.",
    "properties": {
        "model": {"type": "string", "pattern": r"^.+\.py:[^:@]+$", "description": "FILE.py:CLASS."}
    },
    "required": ["model"],
}
"""The same of a traffic model."""


def schema_of_scenarios() -> dict[str, Any]:
    """The JSON Schema of scenarios, in which schemes and traffic models may also be in files."""
    schema: dict[str, Any] = json.loads(_core.json_schema())
    schemes = schema["$defs"]["Scheme"]
    own = [each for each in schemes["oneOf"] if ":" not in each["properties"]["scheme"]["const"]]
    schemes["oneOf"] = [*own, IN_A_FILE]
    schema["$defs"]["UserModel"]["oneOf"].append(MODEL_IN_A_FILE)
    return schema


def schema_of_scheme(name: str, folder: str | Path = ".") -> dict[str, Any]:
    """The JSON Schema of a queue's table under one scheme, by itself."""
    require_object(name)
    registered = known(name, folder)
    whole = json.loads(_core.json_schema())
    found = [
        each
        for each in whole["$defs"]["Scheme"]["oneOf"]
        if each["properties"]["scheme"]["const"] == registered
    ]
    if not found:
        raise RefusalError.unknown(f"scheme {name!r}", name, [*_core.scheme_names(), "FILE.py:CLASS"])
    table = found[0]
    # As in a scenario, without the digest under which its text is registered.
    table["properties"]["scheme"]["const"] = name
    definitions = _definitions(table, whole["$defs"])
    schema = {"$schema": whole["$schema"], "title": name, **table}
    return {**schema, "$defs": definitions} if definitions else schema


def _definitions(table: dict[str, Any], every: dict[str, Any]) -> dict[str, Any]:
    """The definitions that a table refers to, and those that these refer to."""
    needed: dict[str, Any] = {}
    left = [table]
    while left:
        for name in _REFERENCE.findall(json.dumps(left.pop())):
            if name not in needed:
                needed[name] = every[name]
                left.append(every[name])
    return dict(sorted(needed.items()))
