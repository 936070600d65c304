"""From the text of a file to one of its classes: what loaders of schemes, models and controllers share."""

from __future__ import annotations

import difflib
import json
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeGuard, TypeVar

from aqmlab.classes import files
from aqmlab.classes.parameters import IllegalParameter, declared

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType


class _Checked(Protocol):
    """What a class in a file may make."""

    def check(self) -> None: ...


OwnT = TypeVar("OwnT", bound=_Checked)
LoadedT = TypeVar("LoadedT")


class LoadedClass(Generic[OwnT]):
    """A class in a file, or why there is none.

    Attributes:
        refusal: In words, why it cannot be used; otherwise none.
        name: File and class, as scenarios name it.
        meaning: What it is, from its documentation.
        parameters: Its parameters by name.
        properties_json: Their JSON schemas.
    """

    def __init__(self, file: str, name: str, found: type[OwnT] | None, refusal: str | None) -> None:
        self.refusal = refusal
        self.name = f"{file}:{name}"
        self._file = file
        if found is None:
            return
        self._own = found
        self.parameters = declared(found)
        self.meaning = (found.__doc__ or f"{name}: nothing is said about it.").strip()
        self.properties_json = json.dumps({key: own.schema() for key, own in self.parameters.items()})
        self._note(found)

    def _note(self, found: type[OwnT]) -> None:
        """Keeps what else there is to know of a class of this kind."""

    @property
    def defaults_json(self) -> str:
        """The defaults of its parameters."""
        return json.dumps({key: own.default for key, own in self.parameters.items()})

    def refusal_of(self, values_json: str) -> tuple[str, str | None, str] | None:
        """The parameter that the class refuses, what is wrong with it, and what would be legal."""
        values = json.loads(values_json)
        try:
            self._instance(values).check()
        except IllegalParameter as error:
            return error.key, self._wrong(values, error.key), error.legal
        return None

    def _wrong(self, values: Mapping[str, Any], key: str) -> str | None:
        """What is wrong with the value of a key that the class refuses."""
        return f"{values[key]} is not legal" if key in values else "not legal"

    def described(self, error: BaseException, places: TracebackType | None) -> str:
        """The message of an exception, with its line in the file."""
        return files.described(self._file, self.name, error, places)

    def _instance(self, values: Mapping[str, Any]) -> OwnT:
        instance = self._own.__new__(self._own)
        files.with_values(instance, values, self.parameters)
        return instance


def loaded_from(
    source: tuple[str, str, str],
    make: Callable[[str, str, type[OwnT] | None, str | None], LoadedT],
    is_one: Callable[[object], TypeGuard[type[OwnT]]],
    *,
    of: str,
    wrong: Callable[[type[OwnT]], str],
) -> LoadedT:
    """The class of a file with this text, or why there is none."""
    file, name, text = source
    module = files.module_of(file, text)
    if isinstance(module, str):
        return make(file, name, None, module)
    found = getattr(module, name, None)
    if not is_one(found):
        own = ", ".join(classes_of(module, is_one)) or "none"
        return make(file, name, None, f"{file} has no class {name} of {of}; it has {own}")
    if why := wrong(found):
        return make(file, name, None, f"{file}: {name}: {why}")
    try:
        return make(file, name, found, None)
    except Exception as error:  # noqa: BLE001  (a stranger's code)
        return make(file, name, None, f"{file}: {name}: {error}")


def classes_of(module: ModuleType, is_one: Callable[[object], bool]) -> list[str]:
    """The classes of a kind that a module defines itself."""
    return [
        name
        for name, value in vars(module).items()
        if is_one(value) and getattr(value, "__module__", None) == module.__name__
    ]


def names_one(name: str, is_one: Callable[[object], bool], folder: str | Path = ".") -> bool:
    """Whether `FILE.py:CLASS` names a class of a kind, or no class of a file that has classes of this kind.

    A misspelt class is then told among those of its file.
    """
    file, _, own = name.rpartition(":")
    module = files.module_in(folder, file)
    if not isinstance(module, ModuleType):
        return False
    return is_one(getattr(module, own, None)) or (
        not hasattr(module, own) and bool(classes_of(module, is_one))
    )


def own_methods(found: type, base: type) -> list[str]:
    """The methods that a class has beside those of its base class, inherited ones among them."""
    classes = (each for each in found.__mro__ if each not in base.__mro__)
    own = {name: value for each in classes for name, value in vars(each).items()}
    return [name for name, value in own.items() if callable(value) and not hasattr(base, name)]


def uncalled(found: type, base: type, known: Sequence[str]) -> str:
    """What to say of a method that nothing calls, though it is named as an event or nearly as a known one."""
    if wrong := misspelt(found, base, known):
        return wrong
    events = [name for name in own_methods(found, base) if name.startswith("on_")]
    return f"{events[0]}: nothing calls this method; legal: {', '.join(known)}" if events else ""


def misspelt(found: type, base: type, known: Sequence[str]) -> str:
    """What to say of a method that nothing calls, though its name is nearly a known one; else empty."""
    free = [name for name in known if getattr(found, name, None) is getattr(base, name, None)]
    for name in own_methods(found, base):
        cut_short = [each for each in free if each.startswith(name) and 2 * len(name) > len(each)]
        near = difflib.get_close_matches(name, free, n=1, cutoff=0.8) or cut_short
        if near:
            return f'{name}: nothing calls this method; did you mean "{near[0]}"?'
    return ""
