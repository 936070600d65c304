"""Traffic models in files for those who ask about one without a scenario."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from aqmlab import _core
from aqmlab.classes import files
from aqmlab.models.loading import is_model, models_of
from aqmlab.show.words.explained import model_in_words

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def is_model_in_file(name: str, folder: str | Path = ".") -> bool:
    """Whether `FILE.py:CLASS` names a traffic model, or no class of a file that has traffic models.

    A misspelt class is then told among the models of its file, and not among schemes.

    Args:
        name: `FILE.py:CLASS`.
        folder: Where the file is looked for.
    """
    file, _, own = name.rpartition(":")
    path = Path(folder) / file
    if path.suffix != ".py" or not path.is_file():
        return False
    try:
        module = files.module_of(file, path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return False
    if isinstance(module, str):
        return False
    return is_model(getattr(module, own, None)) or (not hasattr(module, own) and bool(models_of(module)))


def schema_of_model(name: str, folder: str | Path = ".") -> dict[str, Any]:
    """The JSON Schema of the table of a traffic model in a file.

    Args:
        name: `FILE.py:CLASS`.
        folder: Where the file is looked for.

    Raises:
        ScenarioError: The file or what is in it is refused.
    """
    table: dict[str, Any] = json.loads(_core.model_schema(Path(folder).absolute(), name))
    return {"$schema": _DIALECT, "title": name, **table}


def explained_model(name: str, folder: str | Path = ".") -> str:
    """What a traffic model in a file is, and its parameters with their ranges and defaults.

    Args:
        name: `FILE.py:CLASS`.
        folder: Where the file is looked for.

    Raises:
        ScenarioError: The file or what is in it is refused.
    """
    return model_in_words(name, schema_of_model(name, folder))
