"""Values and scenarios as TOML text: overrides, and what was found or resolved, to run again as it is."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any

from aqmlab.errors import ScenarioError

if TYPE_CHECKING:
    from collections.abc import Mapping

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_LARGEST_BITS = 1024


class TomlText(str):
    """The value of an override that is spelt in TOML already, as on the command line."""

    __slots__ = ()


def to_toml(document: Mapping[str, Any]) -> str:
    """The document as TOML: plain keys first, then tables, then repeated tables; what is null is left out."""
    tables = {key: value for key, value in document.items() if isinstance(value, dict)}
    repeated = {key: value for key, value in document.items() if _is_repeated(value)}
    plain = {key: value for key, value in document.items() if key not in tables and key not in repeated}
    parts = [_lines(plain)]
    parts += [f"[{toml_key(key)}]\n{_lines(table)}" for key, table in tables.items()]
    parts += [f"[[{toml_key(key)}]]\n{_lines(table)}" for key, each in repeated.items() for table in each]
    return "\n".join(parts)


def _lines(table: Mapping[str, Any]) -> str:
    return "".join(f"{pair}\n" for pair in _pairs(table))


def _pairs(table: Mapping[str, Any]) -> list[str]:
    return [
        f"{toml_key(str(key))} = {toml_value(value)}" for key, value in table.items() if value is not None
    ]


def _is_repeated(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def toml_key(key: str) -> str:
    """A key as TOML spells it: bare if it may be."""
    return key if _BARE_KEY.fullmatch(key) else toml_value(key)


def toml_value(value: object) -> str:
    """A value as TOML spells it."""
    numpy = sys.modules.get("numpy")  # who has no number of its kind need not wait for it
    if numpy is not None and isinstance(value, numpy.generic):
        value = value.item()
    match value:
        case TomlText():
            return str(value)
        case dict():
            return "{ " + ", ".join(_pairs(value)) + " }"
        case list() | tuple():
            return "[" + ", ".join(toml_value(item) for item in value) + "]"
        case bool():
            return "true" if value else "false"
        case int() if value.bit_length() > _LARGEST_BITS:
            raise ScenarioError(
                f"a whole number of {value.bit_length()} bits; a scenario holds none above 64"
            )
        case int() | float():
            return repr(value)
        case str():
            # JSON's escapes are a subset of TOML's, as long as letters beyond ASCII stand for themselves.
            # JSON leaves out one of the characters that TOML asks to escape.
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case _:
            raise TypeError(f"a scenario holds numbers, text, booleans, lists and tables, not {value!r}")
