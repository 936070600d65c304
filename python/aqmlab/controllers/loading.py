"""From the text of a file to a congestion controller, for the compiled core."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, TypeGuard

from aqmlab.classes import files
from aqmlab.classes.methods import misspelt, own_methods
from aqmlab.classes.parameters import IllegalParameter, declared
from aqmlab.controllers.controller import ASKED, CODEPOINTS, METHODS, QUIET, Controller, Host
from aqmlab.controllers.library import is_controller_of_library

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType, TracebackType


class Loaded:
    """A class of a congestion controller, or why there is none.

    Attributes:
        refusal: In words, why it cannot be used; otherwise none.
        name: File and class, as scenarios name it.
        meaning: What it is, from its documentation.
        properties_json: The JSON schemas of its parameters.
        methods: The methods that the sender calls.
        hears_each_loss: Whether it hears of each lost segment, and models the path.
        ect1: Whether its data are ECT(1).
        accurate_ecn: Whether its hosts have accurate ECN.
        answers_marks: Whether it answers marks by itself.
        paces: Whether its hosts pace.
    """

    def __init__(self, file: str, name: str, found: type[Controller] | None, refusal: str | None) -> None:
        self.refusal = refusal
        self.name = f"{file}:{name}"
        self._file = file
        if found is None:
            return
        self._controller = found
        self._parameters = declared(found)
        self.meaning = (found.__doc__ or f"{name}: nothing is said about it.").strip()
        self.properties_json = json.dumps({key: own.schema() for key, own in self._parameters.items()})
        self.methods = [name for name in METHODS if name not in QUIET or _has(found, name)]
        self.hears_each_loss = _has(found, "on_lost")
        self.ect1 = found.codepoint == "ect1"
        self.accurate_ecn = bool(found.accurate_ecn)
        self.answers_marks = bool(found.answers_marks)
        self.paces = bool(found.paces)

    @property
    def defaults_json(self) -> str:
        """The defaults of its parameters."""
        return json.dumps({key: own.default for key, own in self._parameters.items()})

    def refusal_of(self, values_json: str) -> tuple[str, str, str] | None:
        """The parameter that the controller refuses, what is wrong with it, and what would be legal."""
        values = json.loads(values_json)
        try:
            self._instance(values_json).check()
        except IllegalParameter as error:
            wrong = f"{values[error.key]} is not legal" if error.key in values else "not legal"
            return error.key, wrong, error.legal
        return None

    def make(self, values_json: str, host: tuple[int, int, bool]) -> Controller:
        """That of a connection that begins."""
        instance, its = self._instance(values_json), Host(*host)
        instance.window = instance.initial_window = its.initial_window
        instance.threshold = math.inf
        instance._before = instance.window, instance.threshold  # noqa: SLF001
        instance.start(its)
        return instance

    def described(self, error: BaseException, places: TracebackType | None) -> str:
        """The message of an exception, with its line in the file."""
        return files.described(self._file, self.name, error, places)

    def _instance(self, values_json: str) -> Controller:
        instance = self._controller.__new__(self._controller)
        files.with_values(instance, json.loads(values_json), self._parameters)
        return instance


def load(file: str, name: str, text: str) -> Loaded:
    """The class of a file with this text, or why there is none."""
    module = files.module_of(file, text)
    if isinstance(module, str):
        return Loaded(file, name, None, module)
    found = getattr(module, name, None)
    if not is_controller(found):
        own = ", ".join(controllers_of(module)) or "none"
        wrong = f"{file} has no class {name} of aqmlab.controllers.Controller; it has {own}"
        return Loaded(file, name, None, wrong)
    if wrong := _wrong(found):
        return Loaded(file, name, None, f"{file}: {name}: {wrong}")
    try:
        return Loaded(file, name, found, None)
    except Exception as error:  # noqa: BLE001  (a stranger's code)
        return Loaded(file, name, None, f"{file}: {name}: {error}")


def is_controller(found: object) -> TypeGuard[type[Controller]]:
    """Whether something in a file is a class of a congestion controller."""
    return isinstance(found, type) and issubclass(found, Controller)


def controllers_of(module: ModuleType) -> list[str]:
    """The congestion controllers that a module defines itself."""
    found = ((name, value) for name, value in vars(module).items() if is_controller(value))
    return [name for name, value in found if value.__module__ == module.__name__]


def is_controller_in_file(name: str, folder: str | Path = ".") -> bool:
    """Whether `FILE.py:CLASS` names a controller, or no class of a file that has controllers and no others.

    A misspelt class is then told among the controllers of its file. Of `LIBRARY.so:SYMBOL`: is it one?
    """
    if is_controller_of_library(name, folder):
        return True
    file, _, own = name.rpartition(":")
    module = files.module_in(folder, file)
    if module is None:
        return False
    return is_controller(getattr(module, own, None)) or (
        not hasattr(module, own) and bool(controllers_of(module))
    )


def _wrong(found: type[Controller]) -> str:
    """What to say of a class that cannot be meant so; else empty."""
    known = (*METHODS, *ASKED)
    if wrong := misspelt(found, Controller, known):
        return wrong
    events = [name for name in own_methods(found, Controller) if name.startswith("on_")]
    if events:
        return f"{events[0]}: nothing calls this method; legal: {', '.join(known)}"
    if found.codepoint not in CODEPOINTS:
        return f"codepoint is {found.codepoint!r}; legal: {' or '.join(CODEPOINTS)}"
    taken = [key for key in declared(found) if hasattr(Controller, key) or key in Controller.__annotations__]
    return f"parameter {taken[0]}: every congestion controller has an attribute of this name" if taken else ""


def _has(found: type[Controller], method: str) -> bool:
    return getattr(found, method) is not getattr(Controller, method)
