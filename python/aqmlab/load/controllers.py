"""Congestion controllers by the names that scenarios have for them, perhaps with keys of their hosts.

`cubic`, or on one line with other settings of its hosts: `cubic:pacing=true:initial_window_segments=20`. One
of one's own in a file has parameters too: `my_aimd.py:Aimd:left_share=0.7`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aqmlab import _core
from aqmlab.errors import RefusalError, ScenarioError
from aqmlab.files.own_names import require_object
from aqmlab.load.parametrized_scheme import settings_of, split_name
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aqmlab.files.toml_text import TomlText

_SPELT = {
    "reno": "Reno",
    "reno-abc": "Reno ABC",
    "prague": "Prague",
    "bbr-linux-v1": "BBRv1",
    "bbr-linux-v2": "BBRv2",
    "bbr-l4s-v2": "BBRv2 of L4S",
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
        name: The controller: `cubic`, or `my_aimd.py:Aimd`.
        host: TOML values or bare words by key of `host`, in the order in which they were given. Parameters
            of one in a file have the key `congestion.NAME`.
    """

    name: str
    host: Mapping[str, TomlText] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str) -> ParametrizedController:
        """Reads `controller:key=value:key=value`, with keys of `host` or parameters of one in a file."""
        name, settings = split_name(text)
        name = name.strip()
        own = _parameters_of(name)
        legal = [*own, *(each for each in _host_keys() if each != _ITS_KEY)]
        if settings is None:
            return cls(name)
        example = "controller:key=value:key=value, such as cubic:pacing=true"
        given = settings_of(f"controller {quoted(text)}", settings, "key", example)
        for key in given:
            if key not in legal:
                raise ScenarioError.unknown(f"controller {name}: key {quoted(key)}", key, legal)
        return cls(name, {f"{_ITS_KEY}.{key}" if key in own else key: each for key, each in given.items()})

    @property
    def congestion(self) -> str | dict[str, str]:
        """What stands under `congestion` in a host's table."""
        return {"controller": self.name} if is_file(self.name) else self.name


def is_file(name: str) -> bool:
    """Whether a name of a controller or a scheme is that of one in a file."""
    return ":" in name


def parameters_of_file(name: str) -> dict[str, Any]:
    """The JSON Schema of the table of a controller in a file, `FILE.py:CLASS`."""
    table: dict[str, Any] = json.loads(_core.controller_schema(Path().absolute(), name))
    return table


def _parameters_of(name: str) -> list[str]:
    """The parameters of a controller; none of those that are in no file."""
    require_object(name)
    if is_file(name):
        return [each for each in parameters_of_file(name)["properties"] if each != "controller"]
    require_one_edition("controller", name)
    if name not in controller_sources():
        legal = [*controller_sources(), "FILE.py:CLASS"]
        raise ScenarioError.unknown(f"controller {quoted(name)}", name, legal)
    return []


def controller_sources() -> dict[str, str]:
    """The names of the congestion controllers, each with its source in a sentence."""
    each_named = json.loads(_schema())["Congestion"]["oneOf"]
    return {each["const"]: " ".join(each["description"].split()) for each in each_named if "const" in each}


def editions(name: str) -> list[str]:
    """The controllers of which this is the beginning of the name: of `bbr` its editions."""
    return [each for each in controller_sources() if each.startswith(f"{name}-")]


def require_one_edition(place: str, name: str) -> None:
    """Refuses a name that several controllers begin with and none has."""
    found = editions(name)
    if name not in controller_sources() and len(found) > 1:
        legal = ", ".join(found)
        raise RefusalError(
            f"{name} has several editions; legal: {legal}", place=place, value=name, legal=legal
        )


def require_acts_alone(place: str, controller: str) -> None:
    """Refuses the controller whose window a program sets during the run."""
    if controller.partition(":")[0].strip() == "agent":
        raise RefusalError(
            "agent has no rule of its own: a program sets its window during the run "
            "(docs/how-to/agents.md); legal: another controller, or a class in a file",
            place=place,
            value=controller,
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
