"""What is searched: parameters of a queue and their ranges, checked against the scenario's schema."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeGuard

from aqmlab import _core
from aqmlab.errors import TuneError
from aqmlab.files.reading import read_toml
from aqmlab.terminal.spelling import quoted, unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

_KEYS = ("low", "high", "log", "integer", "times", "values")
_SIGNIFICANT_DIGITS = 4
_LARGEST = 1e15
"""No parameter of a queue is near it, and a double holds every whole number below."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the queue and where it is searched.

    Attributes:
        name: Its key in the queue's table.
        low: The smallest value, or factor.
        high: The largest.
        log: Whether equal ratios are equally probable.
        integer: Whether only whole numbers are legal.
        times: The parameter that low and high are factors of, if any.
        values: Values to choose from, instead of a range.
    """

    name: str
    low: float = 0.0
    high: float = 0.0
    log: bool = False
    integer: bool = False
    times: str | None = None
    values: tuple[Any, ...] = ()

    def value(self, drawn: Any, others: Mapping[str, Any]) -> Any:  # noqa: ANN401
        """The value that a drawn number stands for, given the parameters before this one."""
        if self.values:
            return drawn
        number = drawn * others[self.times] if self.times else drawn
        return round(number) if self.integer else float(f"{number:.{_SIGNIFICANT_DIGITS}g}")

    def __str__(self) -> str:
        if self.values:
            return f"{self.name}: one of {', '.join(map(str, self.values))}"
        factor = f" times {self.times}" if self.times else ""
        return f"{self.name}: {self.low:g} to {self.high:g}{factor}{' (log)' if self.log else ''}"


@dataclass(frozen=True)
class Space:
    """The parameters that are searched together.

    Attributes:
        scheme: The queue discipline.
        parameters: Its parameters; one that is a multiple of another stands after it.
    """

    scheme: str
    parameters: tuple[Parameter, ...]

    def settings(self, drawn: Mapping[str, Any]) -> dict[str, Any]:
        """The queue's parameters for what the optimiser drew."""
        settings: dict[str, Any] = {}
        for parameter in self.parameters:
            settings[parameter.name] = parameter.value(drawn[parameter.name], settings)
        return settings


def space_of(scheme: str, ranges: Mapping[str, Any] | None = None) -> Space:
    """The default ranges of a scheme with some replaced, checked against the schema.

    Args:
        scheme: The queue discipline.
        ranges: By parameter: a table as in `ranges.toml`, or a single value that holds it fixed.

    Raises:
        TuneError: The scheme, a parameter or a range is not legal; the message says what is.
    """
    if scheme not in _core.scheme_names():
        raise TuneError(f"scheme {scheme!r}: {unknown(scheme, _core.scheme_names())}")
    defaults = default_ranges().get(scheme, {})
    tables = {**defaults}
    for name, given in (ranges or {}).items():
        # A range that says nothing of whole numbers keeps to them where the default does.
        whole = isinstance(given, dict) and defaults.get(name, {}).get("integer", False)
        tables[name] = {"integer": True, **given} if whole and "values" not in given else given
    parameters = {name: _parameter(scheme, name, given) for name, given in tables.items()}
    if not parameters:
        raise TuneError(
            f"{scheme}: no default ranges; give a table [{scheme}] in a file of ranges (--ranges)"
        )
    for parameter in parameters.values():
        base = parameters.get(parameter.times or parameter.name)
        place = f"{scheme}.{parameter.name}.times: {parameter.times}"
        if base is None or (base.times and parameter.times):
            known = [each.name for each in parameters.values() if not each.times]
            raise TuneError(f"{place}: {unknown(str(parameter.times), known)}")
        if parameter.times and not all(_is_number(value) for value in base.values):
            raise TuneError(f"{place}: is searched among values that are no numbers")
    return Space(scheme, tuple(_after_their_bases(parameters.values())))


def read_ranges_file(file: Path, scheme: str) -> dict[str, Any]:
    """The ranges of a scheme in a file of ranges by scheme, all of which is checked.

    Raises:
        TuneError: The file cannot be read, or something in it is not legal; the message names file and key.
    """
    tables: dict[str, dict[str, Any]] = read_toml(file, TuneError)
    for name, given in tables.items():
        if not isinstance(given, dict):
            raise TuneError(f"{file}: {name}: a table of ranges, such as [{scheme}], not {quoted(given)}")
        try:
            space_of(name, given)
        except TuneError as error:
            raise TuneError(f"{file}: {error}") from None
    if scheme not in tables:
        raise TuneError(f"{file}: no table [{scheme}]; there are {', '.join(tables) or 'none'}")
    return tables[scheme]


@cache
def default_ranges() -> dict[str, dict[str, Any]]:
    """The ranges that are shipped, by scheme."""
    file = resources.files("aqmlab.tune").joinpath("ranges.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _after_their_bases(parameters: Iterable[Parameter]) -> Iterator[Parameter]:
    each = list(parameters)
    for base in each:
        if base.times is None:
            yield base
            yield from (parameter for parameter in each if parameter.times == base.name)


def _parameter(scheme: str, name: str, given: object) -> Parameter:
    legal = _schema(scheme)
    place = f"{scheme}.{name}"
    if name not in legal or name == "scheme":
        raise TuneError(f"{place}: {unknown(name, [key for key in legal if key != 'scheme'])}")
    if not isinstance(given, dict):
        return Parameter(name, values=(_choice(given, place),))
    for key in given:
        if key not in _KEYS:
            raise TuneError(f"{place}.{key}: {unknown(key, _KEYS)}")
    if "values" in given:
        if not isinstance(given["values"], list) or not given["values"] or len(given) > 1:
            raise TuneError(f"{place}.values: a list that is not empty, and nothing beside it")
        return Parameter(name, values=tuple(_choice(value, f"{place}.values") for value in given["values"]))
    low, high = (_number(given.get(key), f"{place}.{key}") for key in ("low", "high"))
    log, integer = (_flag(given.get(key, False), f"{place}.{key}") for key in ("log", "integer"))
    if low >= high:
        raise TuneError(f"{place}: low ({low:g}) has to be below high ({high:g})")
    if log and low <= 0:
        raise TuneError(f"{place}: a log scale starts above 0, not at {low:g}")
    times = given.get("times")
    if times is not None and not isinstance(times, str):
        raise TuneError(f"{place}.times: the name of another parameter, not {quoted(times)}")
    integer = integer or _is_integer(legal[name])
    if times is None:
        _within(legal[name], low, high, place)
        if integer and (low % 1 or high % 1):
            raise TuneError(f"{place}: whole numbers only, so low and high are whole numbers")
    return Parameter(name, low, high, log=log, integer=integer, times=times)


def _number(value: object, place: str) -> float:
    if not _is_number(value):
        raise TuneError(f"{place}: a number, not {quoted(value)}")
    return value


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST


def _flag(value: object, place: str) -> bool:
    if not isinstance(value, bool):
        raise TuneError(f"{place}: true or false, not {quoted(value)}")
    return value


def _choice(value: object, place: str) -> bool | float | str:
    if not isinstance(value, bool | str) and not _is_number(value):
        raise TuneError(f"{place}: numbers, texts, true or false, not {quoted(value)}")
    return value


def _within(schema: Mapping[str, Any], low: float, high: float, place: str) -> None:
    minimum, maximum = schema.get("minimum"), schema.get("maximum")
    if (minimum is not None and low < minimum) or (maximum is not None and high > maximum):
        least = "-∞" if minimum is None else f"{minimum:g}"
        most = "∞" if maximum is None else f"{maximum:g}"
        raise TuneError(f"{place}: {low:g} to {high:g} leaves the legal range, {least} to {most}")


def _is_integer(schema: Mapping[str, Any]) -> bool:
    kinds = schema.get("type", ())
    return "integer" in ([kinds] if isinstance(kinds, str) else kinds)


@cache
def _schema(scheme: str) -> dict[str, dict[str, Any]]:
    """The parameters of a scheme as the scenario's JSON Schema has them."""
    for each in json.loads(_core.json_schema())["$defs"]["Scheme"]["oneOf"]:
        if each["properties"]["scheme"].get("const") == scheme:
            properties: dict[str, dict[str, Any]] = each["properties"]
            return properties
    raise TuneError(f"scheme {scheme!r}: {unknown(scheme, _core.scheme_names())}")
