"""Parameters of a class in a file: how they are declared, and how the class refuses one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aqmlab.errors import AqmlabError

if TYPE_CHECKING:
    from collections.abc import Sequence


class IllegalParameter(AqmlabError, ValueError):  # noqa: N818  (it is raised by a class about itself)
    """What the method `check` of a class raises: a parameter is not legal, though its own range holds it.

    Args:
        key: The parameter.
        legal: What would be legal; reads on after "it must be".
    """

    def __init__(self, key: str, legal: str) -> None:
        super().__init__(f"{key}: it must be {legal}")
        self.key = self.place = key
        self.legal = legal


@dataclass(frozen=True, slots=True)
class Declared:
    """A parameter as it was declared; `parameter` makes them."""

    default: Any
    meaning: str
    kind: type
    bounds: dict[str, float]
    choices: tuple[str, ...]

    def schema(self) -> dict[str, Any]:
        """Its JSON schema."""
        name = {bool: "boolean", int: "integer", float: "number", str: "string"}[self.kind]
        schema: dict[str, Any] = {"type": name, "default": self.default, "description": self.meaning}
        if self.default is None:
            schema["type"] = [name, "null"]
        if self.choices:
            schema["enum"] = list(self.choices)
        return {**schema, **self.bounds}

    def value(self, given: Any) -> Any:  # noqa: ANN401
        """A value of a scenario, of the parameter's own type."""
        return given if given is None else self.kind(given)


def parameter(
    default: float | str | None,
    meaning: str,
    *,
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
    below: float | None = None,
    choices: Sequence[str] = (),
    kind: type | None = None,
) -> Any:  # noqa: ANN401
    """Declares a parameter of a scheme, a traffic model or a controller: a key of its table in a scenario.

    Args:
        default: The default value; its type is that of the parameter.
        meaning: What it means, in a sentence; the unit is the ending of its name (`_packets`, `_ms`).
        least: The smallest legal value.
        most: The largest.
        above: Every legal value is larger.
        below: Every legal value is smaller.
        choices: The legal words.
        kind: `int`, `float`, `bool` or `str`, where the default is None.
    """
    bounds = {"minimum": least, "maximum": most, "exclusiveMinimum": above, "exclusiveMaximum": below}
    given = {keyword: bound for keyword, bound in bounds.items() if bound is not None}
    return Declared(default, meaning, kind or type(default), given, tuple(choices))


def declared(own: type) -> dict[str, Declared]:
    """The parameters of a class and those that it inherits, by name."""
    return {
        name: value
        for base in reversed(own.__mro__)
        for name, value in vars(base).items()
        if isinstance(value, Declared)
    }
