"""Congestion controllers by the names that scenarios have for them, perhaps with keys of their hosts.

`cubic`, or on one line with other settings of its hosts: `cubic:pacing=true:initial_window_segments=20`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from aqmlab import _core
from aqmlab.errors import RefusalError, ScenarioError
from aqmlab.files.toml_text import TomlText
from aqmlab.load.parametrized_scheme import split_outside_brackets
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

_SPELT = {
    "reno": "Reno",
    "reno-abc": "Reno ABC",
    "prague": "Prague",
    "bbr-linux-v1": "BBRv1",
    "bbr-linux-v3": "BBRv3",
    "bbr-draft-2026-08": "BBR draft",
}
"""How people write the controllers that they do not write in capitals alone."""
_ITS_KEY = "congestion"
"""The key of `host` that names the controller."""


@dataclass(frozen=True)
class ParametrizedController:
    """A congestion controller and other settings of its hosts.

    Attributes:
        name: The controller: `cubic`.
        host: TOML values or bare words by key of `host`, in the order in which they were given.
    """

    name: str
    host: Mapping[str, TomlText] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str) -> ParametrizedController:
        """Reads `controller:key=value:key=value`, with keys of `host`.

        Raises:
            ScenarioError: There is no such controller or key, or a key has no value or two.
        """
        name, colon, settings = (each.strip() for each in text.partition(":"))
        require_one_edition("controller", name)
        if name not in controller_sources():
            raise ScenarioError.unknown(f"controller {quoted(name)}", name, controller_sources())
        legal = [each for each in _host_keys() if each != _ITS_KEY]
        host: dict[str, TomlText] = {}
        for part in split_outside_brackets(settings, ":") if colon else []:
            key, equals, value = (each.strip() for each in part.partition("="))
            if not (key and equals and value):
                raise ScenarioError(
                    f"controller {quoted(text)}: {quoted(part)} is not of the form key=value; legal: "
                    "controller:key=value:key=value, such as cubic:pacing=true"
                )
            if key not in legal:
                raise ScenarioError.unknown(f"controller {name}: key {quoted(key)}", key, legal)
            if key in host:
                raise ScenarioError(f"controller {quoted(text)}: {key} is given twice; legal: once")
            host[key] = TomlText(value)
        return cls(name, host)


def controller_sources() -> dict[str, str]:
    """The names of the congestion controllers, each with its source in a sentence."""
    each_named = json.loads(_schema())["Congestion"]["oneOf"]
    return {each["const"]: " ".join(each["description"].split()) for each in each_named}


def editions(name: str) -> list[str]:
    """The controllers of which this is the beginning of the name: of `bbr` its editions."""
    return [each for each in controller_sources() if each.startswith(f"{name}-")]


def require_one_edition(place: str, name: str) -> None:
    """Refuses a name that several controllers begin with and none has.

    Raises:
        RefusalError: The message lists them; `place` is the argument.
    """
    found = editions(name)
    if name not in controller_sources() and len(found) > 1:
        legal = ", ".join(found)
        raise RefusalError(
            f"{name} has several editions; legal: {legal}", place=place, value=name, legal=legal
        )


def spelt_controller(controller: str) -> str:
    """A controller as people write it, `CUBIC`, `BBRv1`, with its other settings as they were typed."""
    name, colon, settings = controller.partition(":")
    if name not in controller_sources():
        return controller
    return f"{_SPELT.get(name, name.upper())}{colon}{settings}"


def _host_keys() -> list[str]:
    return [*json.loads(_schema())["HostOverrides"]["properties"]]


@cache
def _schema() -> str:
    """What the JSON Schema of scenarios has names for, as JSON."""
    return json.dumps(json.loads(_core.json_schema())["$defs"])
