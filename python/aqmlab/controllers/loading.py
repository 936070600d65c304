"""From the text of a file to a congestion controller, for the compiled core."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TypeGuard, cast

from aqmlab import _core
from aqmlab.classes.loaded import LoadedClass, loaded_from, names_one, uncalled
from aqmlab.classes.parameters import declared
from aqmlab.controllers.controller import ASKED, CODEPOINTS, METHODS, QUIET, Controller, Host
from aqmlab.errors import ScenarioError


class Loaded(LoadedClass[Controller]):
    """A class of a congestion controller, or why there is none.

    Attributes:
        methods: The methods that the sender calls.
        hears_each_loss: Whether it hears of each lost segment, and models the path.
        ect1: Whether its data are ECT(1).
        accurate_ecn: Whether its hosts have accurate ECN.
        answers_marks: Whether it answers marks by itself.
        paces: Whether its hosts pace.
    """

    def _note(self, found: type[Controller]) -> None:
        self.methods = [name for name in METHODS if name not in QUIET or _has(found, name)]
        self.hears_each_loss = _has(found, "on_lost")
        self.ect1 = found.codepoint == "ect1"
        self.accurate_ecn = bool(found.accurate_ecn)
        self.answers_marks = bool(found.answers_marks)
        self.paces = bool(found.paces)

    def make(self, values_json: str, host: tuple[int, int, bool]) -> Controller:
        """That of a connection that begins."""
        instance, its = self._instance(json.loads(values_json)), Host(*host)
        instance.window = instance.initial_window = its.initial_window
        instance.threshold = math.inf
        instance._before = instance.window, instance.threshold  # noqa: SLF001
        instance.start(its)
        return instance


def load(file: str, name: str, text: str) -> Loaded:
    """The class of a file with this text, or why there is none."""
    of = "aqmlab.controllers.Controller"
    return loaded_from((file, name, text), Loaded, is_controller, of=of, wrong=_wrong)


def is_controller(found: object) -> TypeGuard[type[Controller]]:
    """Whether something in a file is a class of a congestion controller."""
    return isinstance(found, type) and issubclass(found, Controller)


def is_controller_in_file(name: str, folder: str | Path = ".") -> bool:
    """Whether `FILE.py:CLASS` or `LIBRARY.so:SYMBOL` names a controller.

    So does a class that is missing from a file with controllers.
    """
    return is_controller_of_library(name, folder) or names_one(name, is_controller, folder)


def _wrong(found: type[Controller]) -> str:
    """What to say of a class that cannot be meant so; else empty."""
    if wrong := uncalled(found, Controller, (*METHODS, *ASKED)):
        return wrong
    if found.codepoint not in CODEPOINTS:
        return f"codepoint is {found.codepoint!r}; legal: {' or '.join(CODEPOINTS)}"
    taken = [key for key in declared(found) if hasattr(Controller, key) or key in Controller.__annotations__]
    return f"parameter {taken[0]}: every congestion controller has an attribute of this name" if taken else ""


def _has(found: type[Controller], method: str) -> bool:
    return getattr(found, method) is not getattr(Controller, method)


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
