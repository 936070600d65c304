"""From the text of a file to a traffic model, for the compiled core."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeGuard

from aqmlab.classes import files
from aqmlab.classes.methods import misspelt
from aqmlab.classes.parameters import IllegalParameter, declared
from aqmlab.models.model import METHODS, TrafficModel

if TYPE_CHECKING:
    from types import ModuleType, TracebackType


class Loaded:
    """A class of a traffic model, or why there is none.

    Attributes:
        refusal: In words, why it cannot be used; otherwise none.
        name: File and class, as scenarios name it.
        meaning: What it is, from its documentation.
        properties_json: The JSON schemas of its parameters.
    """

    def __init__(self, file: str, name: str, found: type[TrafficModel] | None, refusal: str | None) -> None:
        self.refusal = refusal
        self.name = f"{file}:{name}"
        self._file = file
        if found is None:
            return
        self._model = found
        self._parameters = declared(found)
        self.meaning = (found.__doc__ or f"{name}: nothing is said about it.").strip()
        self.properties_json = json.dumps({key: own.schema() for key, own in self._parameters.items()})

    def refusal_of(self, values_json: str) -> tuple[str, str, str] | None:
        """The parameter that the model refuses, what is wrong with it, and what would be legal."""
        values = json.loads(values_json)
        try:
            self._instance(values_json).check()
        except IllegalParameter as error:
            wrong = f"{values[error.key]} is not legal" if error.key in values else "not legal"
            return error.key, wrong, error.legal
        return None

    def make(self, values_json: str) -> TrafficModel:
        """An instance that is ready for pages."""
        instance = self._instance(values_json)
        instance.start()
        instance._is_started = True  # noqa: SLF001
        return instance

    def described(self, error: BaseException, places: TracebackType | None) -> str:
        """The message of an exception, with its line in the file."""
        return files.described(self._file, self.name, error, places)

    def _instance(self, values_json: str) -> TrafficModel:
        instance = self._model.__new__(self._model)
        files.with_values(instance, json.loads(values_json), self._parameters)
        return instance


def load(file: str, name: str, text: str) -> Loaded:
    """The class of a file with this text, or why there is none."""
    module = files.module_of(file, text)
    if isinstance(module, str):
        return Loaded(file, name, None, module)
    found = getattr(module, name, None)
    if not is_model(found):
        own = ", ".join(models_of(module)) or "none"
        wrong = f"{file} has no class {name} of aqmlab.models.TrafficModel; it has {own}"
        return Loaded(file, name, None, wrong)
    wrong = misspelt(found, TrafficModel, METHODS)
    if not wrong and found.page is TrafficModel.page:
        wrong = "a traffic model needs the method page"
    if wrong:
        return Loaded(file, name, None, f"{file}: {name}: {wrong}")
    try:
        return Loaded(file, name, found, None)
    except Exception as error:  # noqa: BLE001  (a stranger's code)
        return Loaded(file, name, None, f"{file}: {name}: {error}")


def is_model(found: object) -> TypeGuard[type[TrafficModel]]:
    """Whether something in a file is a class of a traffic model."""
    return isinstance(found, type) and issubclass(found, TrafficModel)


def models_of(module: ModuleType) -> list[str]:
    """The traffic models that a module defines itself."""
    found = ((name, value) for name, value in vars(module).items() if is_model(value))
    return [name for name, value in found if value.__module__ == module.__name__]
