"""The shape of a parsed file: which keys a table has, and of which kind each value is.

A shape is data beside the code that reads the file. `conform` holds a document against it and refuses what
differs with the path of the key, what was found and what is legal; what the values mean together is for the
reader to check.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aqmlab.errors import RefusalError

_LARGEST = 1e15
"""A double holds every whole number below."""


@dataclass(frozen=True)
class Kind:
    """A plain value: its name, and how to recognise it."""

    legal: str
    fits: Callable[[object], bool]


@dataclass(frozen=True)
class Table:
    """A table of known keys; an open one may have others, which nothing reads."""

    required: Mapping[str, Shape] = field(default_factory=dict)
    optional: Mapping[str, Shape] = field(default_factory=dict)
    open: bool = False


@dataclass(frozen=True)
class TableOf:
    """A table of any keys whose values have one shape."""

    value: Shape


@dataclass(frozen=True)
class ListOf:
    """A list whose elements have one shape."""

    element: Shape
    shortest: int = 0


Shape: TypeAlias = "Kind | Table | TableOf | ListOf"
"""What a value may be."""


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= _LARGEST  # which no `nan` is


def whole(least: int, most: int, said: str = "") -> Kind:
    """A whole number between two bounds."""
    legal = f"a whole number from {said or f'{least} to {most:,}'}"
    return Kind(
        legal, lambda value: isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
    )


TEXT = Kind("a text", lambda value: isinstance(value, str))
NUMBER = Kind("a number", _is_number)
COUNT = whole(1, 2**64 - 1, "1")
WHOLE = whole(0, 2**64 - 1, "0")
SEED = whole(0, 2**64 - 1, "0 to 2^64 - 1")
FLAG = Kind("true or false", lambda value: isinstance(value, bool))
PLAIN = Kind(
    "a text, a number, true or false", lambda value: isinstance(value, str | bool) or _is_number(value)
)
ANY = Kind("anything", lambda _: True)


def one_of(*names: str) -> Kind:
    """One of these texts."""
    return Kind(" or ".join(f'"{name}"' for name in names), lambda value: value in names)


def conform(value: object, shape: Shape, place: str, refusal: type[RefusalError]) -> None:
    """Holds a value against a shape."""
    match shape:
        case Kind():
            if not shape.fits(value):
                raise refusal(
                    f"{place}: {shape.legal}, not {quoted(value)}",
                    place=place,
                    value=value,
                    legal=shape.legal,
                )
        case ListOf():
            if not isinstance(value, list) or len(value) < shape.shortest:
                raise refusal(
                    f"{place}: a list{_at_least(shape.shortest)}, not {quoted(value)}",
                    place=place,
                    value=value,
                )
            for number, element in enumerate(value, start=1):
                conform(element, shape.element, f"{place}[{number}]", refusal)
        case TableOf():
            for key, inner in _table(value, place, refusal).items():
                conform(inner, shape.value, inside(place, key), refusal)
        case Table():
            _conform_table(_table(value, place, refusal), shape, place, refusal)


def _conform_table(
    table: Mapping[str, object], shape: Table, place: str, refusal: type[RefusalError]
) -> None:
    known = {**shape.required, **shape.optional}
    for key in table if not shape.open else ():
        if key not in known:
            raise refusal.unknown(inside(place, key), key, known)
    for key in shape.required:
        if key not in table:
            raise refusal(f"{place}: {key} is missing" if place else f"{key} is missing", place=place)
    for key, inner in table.items():
        if key in known:
            conform(inner, known[key], inside(place, key), refusal)


def _table(value: object, place: str, refusal: type[RefusalError]) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise refusal(f"{place}: a table, not {quoted(value)}", place=place, value=value)
    return value


def inside(place: str, key: str) -> str:
    """The place of a key in a table, in quotes where it is a dotted one."""
    name = f'"{key}"' if "." in key else key
    return f"{place}.{name}" if place else name


def ascending(
    low: float, high: float, *, log: bool, integer: bool, place: str, refusal: type[RefusalError]
) -> None:
    """Checks the ends of a range."""
    if low >= high:
        raise refusal(f"{place}: low ({low:g}) has to be below high ({high:g})", place=place, value=low)
    if log and low <= 0:
        raise refusal(f"{place}: a log scale starts above 0, not at {low:g}", place=place, value=low)
    if integer and (low % 1 or high % 1):
        raise refusal(f"{place}: whole numbers only, so low and high are whole numbers", place=place)


def _at_least(shortest: int) -> str:
    return f" of at least {shortest}" if shortest else ""


def distinct(names: Sequence[str], place: str, refusal: type[RefusalError]) -> None:
    """Refuses a name that stands twice where each stands for one thing."""
    for number, name in enumerate(names):
        if name in names[:number]:
            raise refusal(f"{place}: {quoted(name)} appears twice", place=place)
