"""From the text of a file to a traffic model, for the compiled core."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeGuard

from aqmlab import _core
from aqmlab.classes.loaded import LoadedClass, loaded_from, misspelt
from aqmlab.files.own_names import require_object
from aqmlab.models.model import METHODS, TrafficModel


class Loaded(LoadedClass[TrafficModel]):
    """A class of a traffic model, or why there is none."""

    def make(self, values_json: str) -> TrafficModel:
        """An instance that is ready for pages."""
        instance = self._instance(json.loads(values_json))
        instance.start()
        instance._is_started = True  # noqa: SLF001
        return instance


def load(file: str, name: str, text: str) -> Loaded:
    """The class of a file with this text, or why there is none."""
    return loaded_from((file, name, text), Loaded, is_model, of="aqmlab.models.TrafficModel", wrong=_wrong)


def is_model(found: object) -> TypeGuard[type[TrafficModel]]:
    """Whether something in a file is a class of a traffic model."""
    return isinstance(found, type) and issubclass(found, TrafficModel)


def _wrong(found: type[TrafficModel]) -> str:
    """What to say of a class that cannot be meant so; else empty."""
    if wrong := misspelt(found, TrafficModel, METHODS):
        return wrong
    return "a traffic model needs the method page" if found.page is TrafficModel.page else ""


def check(name: str, *, folder: str | Path = ".") -> _core.SampledPages:
    """Draws the 200 pages that a scenario draws when it is read, each twice, with the model's defaults."""
    require_object(name)
    return _core.sample_model(Path(folder).absolute(), name)
