"""From the text of a file to its classes.

A file stands alone: its text is run once under its name, and no folder is searched for modules beside it,
because a scenario keeps the text of the file and nothing of what it might find elsewhere.
"""

from __future__ import annotations

import linecache
import os
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from aqmlab.classes.imports import Imports, source_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from aqmlab.classes.parameters import Declared

_modules: dict[tuple[str, str], ModuleType] = {}
"""What was run, by file and text: classes of one file share its names."""


def module_of(file: str, text: str) -> ModuleType | str:
    """What a file with this text defines, or in words why it cannot be run."""
    try:
        return _run(file, text)
    except SyntaxError as error:
        line = f", line {error.lineno}" if error.filename == file else ""
        return f"{file}{line}: {type(error).__name__}: {error.msg}"
    except (Exception, SystemExit) as error:  # noqa: BLE001  (a stranger's code)
        return described(file, file, error, error.__traceback__)


def module_in(folder: str | Path, file: str) -> ModuleType | str | None:
    """What a file of Python in a folder defines, or in words why it cannot be read or run.

    None where the name is not that of a file of Python.
    """
    path = Path(folder) / file
    if path.suffix != ".py":
        return None
    if not path.is_file():
        return f"there is no file {os.path.join(folder, file)}"  # noqa: PTH118  (a Path drops the dot)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return f"{file}: {error}"
    return module_of(file, text)


def described(file: str, name: str, error: BaseException, places: TracebackType | None) -> str:
    """The message of an exception, with its line in the file; else with the class's name."""
    own = [place for place in traceback.extract_tb(places) if place.filename == file]
    words = "".join(traceback.format_exception_only(error)).strip().splitlines()[-1]
    if not own:
        return f"{name}: {words}"
    return f"{file}, line {own[-1].lineno}, in {own[-1].name}: {words}"


def with_values(instance: object, values: Mapping[str, Any], parameters: Mapping[str, Declared]) -> None:
    """Sets the values of a scenario as attributes, each of its parameter's own type."""
    for key, value in values.items():
        own = parameters.get(key)
        setattr(instance, key, own.value(value) if own else value)


def _run(file: str, text: str) -> ModuleType | str:
    known = _modules.get((file, text))
    if known is not None:
        return known
    code = compile(source_of(text), file, "exec")
    module = ModuleType(f"aqmlab classes {len(_modules)}")
    module.__file__ = file
    # Dataclasses and the like look a class's module up.
    sys.modules[module.__name__] = module
    # Tracebacks show the lines that ran, even if the file has changed.
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    imports = Imports.before()
    exec(code, vars(module))  # noqa: S102  (the user's own class)
    refusal = imports.refusal(file, text)
    if refusal is not None:
        return refusal
    _modules[file, text] = module
    return module
