"""The source of a scenario: the text, and the values that replaced parts of it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

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
