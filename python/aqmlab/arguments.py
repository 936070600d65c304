"""What callers hand over, checked at the door of every public function: whatever it is, the error is ours.

`checked` names the kind of an argument beside the function. An argument is taken as what it is meant as (a
generator of names as a tuple, one of NumPy's numbers as a number), or refused with its name, what it is and
what is legal. What values mean together is for the function to check.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar

from aqmlab.errors import UnknownLinkError
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from aqmlab.errors import RefusalError

Given = ParamSpec("Given")
Returned = TypeVar("Returned")
Kind: TypeAlias = "Callable[[str, Any, type[RefusalError]], Any]"
"""Takes the name of an argument, what was given and the error that refuses it; returns what is meant."""

_LONGEST_NAME_BYTES = 255
"""Longer than this no disk takes a name."""
TABLE_ENDINGS = (".parquet", ".csv")
"""How the files of tables end."""


def checked(
    refusal: type[RefusalError], **own: Kind
) -> Callable[[Callable[Given, Returned]], Callable[Given, Returned]]:
    """Has a function's arguments checked, each as one of the kinds below; `kinds_of` names them again.

    Kinds of arguments that mean the same in every function need no mention (`EVERYWHERE`).
    """

    def with_checks(function: Callable[Given, Returned]) -> Callable[Given, Returned]:
        signature = inspect.signature(function)
        kinds = {name: EVERYWHERE[name] for name in signature.parameters if name in EVERYWHERE} | own

        @functools.wraps(function)
        def call(*given: Given.args, **named: Given.kwargs) -> Returned:
            bound = signature.bind(*given, **named)
            for name in bound.arguments.keys() & kinds.keys():
                bound.arguments[name] = kinds[name](name, bound.arguments[name], refusal)
            return function(*bound.args, **bound.kwargs)

        call.__dict__["kinds"] = kinds
        return call

    return with_checks


def kinds_of(function: Callable[..., Any]) -> Mapping[str, Kind]:
    """The kinds that a function's arguments are checked as, by their names."""
    kinds: Mapping[str, Kind] = getattr(function, "kinds", {})
    return kinds


def _refuse(name: str, given: object, refusal: type[RefusalError], legal: str) -> RefusalError:
    return refusal(f"{name}: {legal}, not {quoted(given)}", place=name, value=given, legal=legal)


def text(name: str, given: Any, refusal: type[RefusalError]) -> str:  # noqa: ANN401
    """A text."""
    if not isinstance(given, str) or not _is_utf_8(given):
        raise _refuse(name, given, refusal, "a text")
    return given


def label(name: str, given: Any, refusal: type[RefusalError]) -> str:  # noqa: ANN401
    """A text, or nothing."""
    return "" if given is None else text(name, given, refusal)


def flag(name: str, given: Any, refusal: type[RefusalError]) -> bool:  # noqa: ANN401
    """True or false, or what Python takes for one of them."""
    try:
        return bool(given)
    except (TypeError, ValueError):  # such as an array of several
        raise _refuse(name, given, refusal, "true or false") from None


def path(name: str, given: Any, refusal: type[RefusalError]) -> Path:  # noqa: ANN401
    """The path of a file or folder, which a disk takes."""
    if not isinstance(given, str | Path) or "\x00" in str(given) or not _is_utf_8(str(given)):
        raise _refuse(name, given, refusal, "the path of a file or folder")
    if any(len(os.fsencode(part)) > _LONGEST_NAME_BYTES for part in Path(given).parts):
        raise _refuse(name, given, refusal, "a path that the disk takes")
    return Path(given)


def mapping(name: str, given: Any, refusal: type[RefusalError]) -> Mapping[str, Any]:  # noqa: ANN401
    """A dict by texts."""
    if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
        raise _refuse(name, given, refusal, "a dict by names")
    return given


def quantity(name: str, given: Any, refusal: type[RefusalError]) -> Any:  # noqa: ANN401
    """A quantity, or its name."""
    if isinstance(given, type) or not all(hasattr(given, each) for each in ("name", "of", "unit")):
        if not isinstance(given, str):
            raise _refuse(name, given, refusal, "a quantity or its name")
        return text(name, given, refusal)
    return given


def quantities(name: str, given: Any, refusal: type[RefusalError]) -> list[Any]:  # noqa: ANN401
    """A list of quantities or their names."""
    each = Listed("['loss_percent']")(name, given, refusal)
    return [quantity(name, one, refusal) for one in each]


@dataclass(frozen=True)
class Optional:
    """What is of a kind, or none."""

    kind: Kind

    def __call__(self, name: str, given: Any, refusal: type[RefusalError]) -> Any:  # noqa: ANN401
        """As a `Kind`."""
        return None if given is None else self.kind(name, given, refusal)


@dataclass(frozen=True)
class Listed:
    """A list of anything."""

    example: str

    def __call__(self, name: str, given: Any, refusal: type[RefusalError]) -> Any:  # noqa: ANN401
        """As a `Kind`."""
        refusal.require_list(name, given, self.example)
        try:
            return given if isinstance(given, list | tuple) else tuple(given)
        except TypeError:  # an array without a dimension
            raise _refuse(name, given, refusal, f"a list such as {self.example}") from None


@dataclass(frozen=True)
class Texts:
    """A list of texts."""

    example: str

    def __call__(self, name: str, given: Any, refusal: type[RefusalError]) -> tuple[str, ...]:  # noqa: ANN401
        """As a `Kind`."""
        each = Listed(self.example)(name, given, refusal)
        if not all(isinstance(one, str) and _is_utf_8(one) for one in each):
            raise _refuse(name, given, refusal, f"a list of names such as {self.example}")
        return tuple(sorted(each) if isinstance(given, set | frozenset) else each)


@dataclass(frozen=True)
class Whole:
    """A whole number between two bounds."""

    least: int
    most: int | None = None

    def __call__(self, name: str, given: Any, refusal: type[RefusalError]) -> int:  # noqa: ANN401
        """As a `Kind`."""
        return refusal.whole(name, given, self.least, self.most)


@dataclass(frozen=True)
class WholeNumbers:
    """A list of whole numbers."""

    least: int

    def __call__(self, name: str, given: Any, refusal: type[RefusalError]) -> tuple[int, ...]:  # noqa: ANN401
        """As a `Kind`."""
        each = Listed("[50, 100]")(name, given, refusal)
        return tuple(dict.fromkeys(refusal.whole(name, one, self.least) for one in each))


@dataclass(frozen=True)
class Between:
    """A number between two bounds."""

    least: float
    most: float

    def __call__(self, name: str, given: Any, refusal: type[RefusalError]) -> float:  # noqa: ANN401
        """As a `Kind`."""
        return refusal.between(name, given, self.least, self.most)


class _OfNames:
    def __init__(self, *names: str) -> None:
        self.names = names


class OneOf(_OfNames):
    """One of some names."""

    def __call__(self, name: str, given: Any, refusal: type[RefusalError]) -> str:  # noqa: ANN401
        """As a `Kind`."""
        if (named := text(name, given, refusal)) not in self.names:
            raise refusal.unknown(name, named, self.names)
        return named


class FlagOr(_OfNames):
    """True or false, or one of some names."""

    def __call__(self, name: str, given: Any, refusal: type[RefusalError]) -> bool | str:  # noqa: ANN401
        """As a `Kind`."""
        if isinstance(given, str) and given not in self.names:
            raise _refuse(name, given, refusal, f"true, false, {', '.join(map(repr, self.names))}")
        return given if isinstance(given, str) else flag(name, given, refusal)


class SomeOf(_OfNames):
    """A list of some of some names."""

    def __call__(self, name: str, given: Any, refusal: type[RefusalError]) -> tuple[str, ...]:  # noqa: ANN401
        """As a `Kind`."""
        each = Texts(f"{list(self.names)}")(name, given, refusal)
        if not each:
            raise _refuse(name, given, refusal, f"one or more of {', '.join(self.names)}")
        known = OneOf(*self.names)
        found: dict[str, None] = dict.fromkeys(known(name, one, refusal) for one in each)
        return tuple(found)


def schemes(name: str, given: Any, refusal: type[RefusalError]) -> tuple[str, ...]:  # noqa: ANN401
    """Queue disciplines by name, perhaps with parameters."""
    found: tuple[str, ...] = Texts("['fq-codel', 'codel:target_ms=20']")(name, given, refusal)
    return found


def table_file(name: str, given: Any, refusal: type[RefusalError]) -> Path:  # noqa: ANN401
    """The file of a table, whose ending says how it is written."""
    file = path(name, given, refusal)
    if file.suffix not in TABLE_ENDINGS:
        raise _refuse(name, given, refusal, f"a file that ends in {' or '.join(TABLE_ENDINGS)}")
    return file


def folder(name: str, given: Any, refusal: type[RefusalError]) -> Path:  # noqa: ANN401
    """The path of a folder, which need not exist."""
    return path(name, given, refusal)


def above_zero(name: str, given: Any, refusal: type[RefusalError]) -> float:  # noqa: ANN401
    """A finite number above 0."""
    return refusal.above_zero(name, given)


def seconds(name: str, given: Any, refusal: type[RefusalError]) -> float:  # noqa: ANN401
    """A time that people give: a finite number of seconds above 0."""
    return above_zero(name, given, refusal)


def number(name: str, given: Any, refusal: type[RefusalError]) -> float:  # noqa: ANN401
    """A number of any kind; which ones are legal is for the function to check."""
    if not isinstance(given, bool | str) and hasattr(given, "__float__"):
        with suppress(TypeError, ValueError, OverflowError):
            return float(given)
    raise _refuse(name, given, refusal, "a number")


def links(name: str, given: Any, _: type[RefusalError]) -> Any:  # noqa: ANN401
    """Names of links."""
    return Texts("['left-to-right']")(name, given, UnknownLinkError)


optional, listed, texts, whole, whole_numbers = Optional, Listed, Texts, Whole, WholeNumbers
between, one_of, some_of, flag_or = Between, OneOf, SomeOf, FlagOr

EVERYWHERE: Mapping[str, Kind] = {
    "overrides": optional(mapping),
    "down_mbps": optional(above_zero),
    "up_mbps": optional(above_zero),
    "technology": optional(text),
    "queue_in": optional(text),
    "shaped_share": optional(above_zero),
    "within_s": optional(seconds),
    "links": links,
    "population": optional(text),
    "quantities": optional(quantities),
    "title": label,
    "live": flag,
    "same_users": flag,
    "measure_offered_load": flag,
    "progress": flag,
}
"""What arguments of these names are in every function, but for one that says otherwise."""


def _is_utf_8(given: str) -> bool:
    try:
        given.encode()
    except UnicodeEncodeError:
        return False
    return True
