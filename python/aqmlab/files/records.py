"""Files as dataclasses: a table of a file is a record, and its keys are the fields.

One class tells which keys there are, which values each may have and which may be absent. The types of the
fields are `str`, `float`, `int` (from 0), `bool`, `Any`, a `Literal`, another record, `tuple[X, ...]` for a
list and `Mapping[str, X]` for a table of any keys. A field with a default may be absent. `Annotated` narrows
a type to a shape of `aqmlab.files.shape`, or a list to its least length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, fields
from functools import cache
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from aqmlab.errors import RefusalError
from aqmlab.files.shape import (
    ANY,
    COUNT,
    FLAG,
    NUMBER,
    PLAIN,
    TEXT,
    WHOLE,
    ListOf,
    Table,
    TableOf,
    conform,
    inside,
    one_of,
)

if TYPE_CHECKING:
    from aqmlab.files.shape import Shape

Record = TypeVar("Record")
Type = Any
"""A type of a field, or what `typing` makes of it."""


@dataclass(frozen=True, slots=True)
class AtLeast:
    """Beside a tuple in `Annotated`: how many elements its list has at least."""

    elements: int


NOT_EMPTY = AtLeast(1)
ABSENT = "absent"
"""In the metadata of a field: it is no key of the file, but known from elsewhere."""
KEY = "key"
"""In the metadata of a field: what the file calls it, if not by the field's name."""


@dataclass(frozen=True, slots=True)
class Made:
    """In `Annotated`: the file has a value of another type, of which this one is made.

    Attributes:
        of: What the file has.
        by: What makes the value of it, or refuses it.
    """

    of: Any
    by: Callable[[Any], Any]


Count = Annotated[int, COUNT]
Plain = Annotated[str | float | bool, PLAIN]


def read_as(record: type[Record], document: object, place: str, refusal: type[RefusalError]) -> Record:
    """The record that a parsed document is; numbers stay as they are written, whole or not."""
    conform(document, shape_of(record), place, refusal)
    return cast("Record", _value(record, document, place, refusal))


def shape_of(kind: Type) -> Shape:
    """The shape of the values of a type."""
    origin, inner = _parts(kind)
    if origin is None:
        return _PLAIN[kind] if kind in _PLAIN else _table(kind)
    if origin is not Annotated:
        return _COMPOUND[origin](inner)
    narrowed = inner[1]
    if isinstance(narrowed, Made):
        return shape_of(narrowed.of)
    if isinstance(narrowed, AtLeast):
        return ListOf(shape_of(get_args(inner[0])[0]), narrowed.elements)
    return cast("Shape", narrowed)


_PLAIN: Mapping[Type, Shape] = {str: TEXT, float: NUMBER, int: WHOLE, bool: FLAG, Any: ANY}
_COMPOUND: Mapping[Type, Callable[[tuple[Type, ...]], Shape]] = {
    tuple: lambda inner: ListOf(shape_of(inner[0])),
    Mapping: lambda inner: TableOf(shape_of(inner[1])),
    Literal: lambda inner: one_of(*inner),
    Union: lambda inner: shape_of(_present(inner)),
    UnionType: lambda inner: shape_of(_present(inner)),
}


@cache
def _table(record: Type) -> Table:
    types = _types(record)
    keys = _keys(record)
    shapes = {key: shape_of(types[each.name]) for key, each in keys.items()}
    needed = [
        key for key, each in keys.items() if each.default is MISSING and each.default_factory is MISSING
    ]
    return Table({key: shapes.pop(key) for key in needed}, shapes)


def _keys(record: Type) -> dict[str, Field[Any]]:
    own = [each for each in fields(record) if ABSENT not in each.metadata]
    return {each.metadata.get(KEY, each.name): each for each in own}


@cache
def _types(record: Type) -> dict[str, Type]:
    return get_type_hints(record, include_extras=True)


def _parts(kind: Type) -> tuple[Type, tuple[Type, ...]]:
    """What a type is built by, such as `tuple`, and of what; none for a plain one."""
    return get_origin(kind), get_args(kind)


def _present(choices: tuple[Type, ...]) -> Type:
    """Of the choices of a value that may be none: the other."""
    (other,) = (each for each in choices if each is not NoneType)
    return other


def _value(kind: Type, given: Any, place: str, refusal: type[RefusalError]) -> Any:  # noqa: ANN401
    origin, inner = _parts(kind)
    if origin is None and kind not in _PLAIN:
        types, keys = _types(kind), _keys(kind)
        values = {
            keys[key].name: _value(types[keys[key].name], value, inside(place, key), refusal)
            for key, value in given.items()
        }
        return kind(**values)
    if origin is tuple:
        numbered = enumerate(given, start=1)
        return tuple(_value(inner[0], each, f"{place}[{number}]", refusal) for number, each in numbered)
    if origin is Mapping:
        return {key: _value(inner[1], value, inside(place, key), refusal) for key, value in given.items()}
    if origin in (Union, UnionType):
        return _value(_present(inner), given, place, refusal)
    return _narrowed(inner, given, place, refusal) if origin is Annotated else given


def _narrowed(inner: tuple[Type, ...], given: Any, place: str, refusal: type[RefusalError]) -> Any:  # noqa: ANN401
    kind, by = inner
    if not isinstance(by, Made):
        return _value(kind, given, place, refusal) if isinstance(by, AtLeast) else given
    try:
        return by.by(_value(by.of, given, place, refusal))
    except RefusalError as error:
        raise refusal(f"{place}: {error}", place=place) from None
