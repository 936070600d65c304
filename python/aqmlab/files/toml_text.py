"""Values and scenarios as TOML text: overrides, and what was found or resolved, to run again as it is.

What a scenario was read from is its text, and the values that replaced parts of it.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aqmlab.errors import ScenarioError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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


_WAY_BACK = "_right_to_left"


@dataclass(frozen=True, slots=True)
class Written:
    """A scenario's text and what replaces values of it.

    Attributes:
        text: In TOML.
        overrides: Dotted keys and values in TOML, in the order in which they were laid over it.
    """

    text: str
    overrides: tuple[tuple[str, str], ...] = ()

    def replaced(self, overrides: Iterable[tuple[str, str]]) -> Written:
        """The same with more values replaced."""
        return Written(self.text, (*self.overrides, *overrides))

    def document(self) -> dict[str, Any]:
        """What was written, with what replaces it."""
        document = tomllib.loads(self.text)
        _say_once(document)
        for key, value in self.overrides:
            _lay(document, key, tomllib.loads(f"value = {value}")["value"])
        return document


def _say_once(table: dict[str, Any]) -> None:
    """Drops keys for the way back that repeat the key for both ways, as reading a scenario does.

    A replacement of the key for both ways then holds for both.
    """
    for key in [key for key in table if table[key] == table.get(f"{key}{_WAY_BACK}")]:
        del table[f"{key}{_WAY_BACK}"]
    for value in table.values():
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, dict):
                _say_once(inner)


def _lay(document: dict[str, Any], key: str, value: object) -> None:
    place: Any = document
    *outer, last = (name.strip() for name in key.split("."))
    try:
        for name in outer:
            place = place[int(name)] if isinstance(place, list) else place.setdefault(name, {})
        place[int(last) if isinstance(place, list) else last] = value
    except (IndexError, TypeError, AttributeError) as error:
        raise ValueError(f"{key}: {error}") from None
