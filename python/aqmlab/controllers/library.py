"""Congestion controllers of libraries, `LIBRARY.so:SYMBOL`, loaded to be tried."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from aqmlab import _core
from aqmlab.errors import ScenarioError

if TYPE_CHECKING:
    from aqmlab.controllers.loading import Loaded

_ENDINGS = (".so", ".dylib")


def is_library(name: str) -> bool:
    """Whether a name means something in a library."""
    return name.rpartition(":")[0].endswith(_ENDINGS)


def is_controller_of_library(name: str, folder: str | Path = ".") -> bool:
    """Whether `LIBRARY.so:SYMBOL` is a congestion controller, and no scheme."""
    return is_library(name) and _core.names_controller_library(Path(folder).absolute(), name)


def loaded_library(name: str, folder: str | Path = ".") -> Loaded:
    """The controller `LIBRARY.so:SYMBOL`, which has what a trial asks of a class."""
    _core.controller_schema(Path(folder).absolute(), name)  # refuses what no scenario takes
    found = _core.load_controller_library(Path(folder).absolute(), name)
    if refusal := found.refusal_of(found.defaults_json):
        key, wrong, legal = refusal
        raise ScenarioError(f"controller {name}: default of {key}: {wrong}; legal: {legal}")
    return cast("Loaded", found)
