"""A scheme with parameters on one line, such as `codel:target_ms=20`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aqmlab.errors import ScenarioError
from aqmlab.files.toml_text import TomlText
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

_SCHEME = re.compile(r"(?P<name>[^:]*(?::[^:=]*)*?\.(?:py|so|dylib):[^:=]+|[^:]*)(?::(?P<parameters>.*))?")
"""A scheme in a file has a colon in its name: `my_red.py:MyRed`, `my_red.so:my_red`."""
_CLOSED_BY = {"{": "}", "[": "]", '"': '"', "'": "'"}


@dataclass(frozen=True)
class ParametrizedScheme:
    """A scheme and the values of some of its parameters.

    Attributes:
        name: The scheme: `codel`, or `my_red.py:MyRed`.
        parameters: TOML values or bare words by parameter, in the order in which they were given.
    """

    name: str
    parameters: Mapping[str, TomlText] = field(default_factory=dict)

    @classmethod
    def of(cls, text: str) -> ParametrizedScheme:
        """Reads `scheme:parameter=value:parameter=value`.

        Raises:
            ScenarioError: A parameter has no value, or is given twice.
        """
        found = _SCHEME.fullmatch(text)
        if found is None or found["parameters"] is None:
            return cls(text)
        parameters: dict[str, TomlText] = {}
        for part in split_outside_brackets(found["parameters"], ":"):
            key, equals, value = (each.strip() for each in part.partition("="))
            if not (key and equals and value):
                raise ScenarioError(
                    f"scheme {quoted(text)}: {quoted(part)} is not of the form parameter=value; legal: "
                    "scheme:parameter=value:parameter=value, such as codel:target_ms=20:interval_ms=200"
                )
            if key in parameters:
                raise ScenarioError(f"scheme {quoted(text)}: {key} is given twice; legal: once")
            parameters[key] = TomlText(value)
        return cls(found["name"].strip(), parameters)


def split_outside_brackets(text: str, separator: str) -> list[str]:
    """The parts of a text between separators; a separator within brackets or quotation marks is none."""
    parts, open_until = [""], ""
    for letter in text:
        if letter == separator and not open_until:
            parts.append("")
            continue
        parts[-1] += letter
        if open_until and letter == open_until[-1]:
            open_until = open_until[:-1]
        elif letter in _CLOSED_BY and open_until[-1:] not in {'"', "'"}:
            open_until += _CLOSED_BY[letter]
    return parts
