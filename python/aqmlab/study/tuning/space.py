"""What is searched: parameters of a queue and their ranges, checked against the scenario's schema."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from aqmlab import _core
from aqmlab.errors import TuneError
from aqmlab.files.reading import read_toml
from aqmlab.files.shape import FLAG, NUMBER, PLAIN, TEXT, ListOf, Table, ascending, conform
from aqmlab.files.toml_text import toml_value
from aqmlab.load.queues import parameters_of_scheme
from aqmlab.schemes import trial
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

_SIGNIFICANT_DIGITS = 4
_LEFT_OUT = 1e-3
_WIDE = 100.0
_OF_EVERY_SCHEME = {"scheme", "ecn", "limit_packets", "limit_bytes", "limit_rule"}
_RANGE = Table({"low": NUMBER, "high": NUMBER}, {"log": FLAG, "integer": FLAG, "times": TEXT})
_VALUES = Table({"values": ListOf(PLAIN, shortest=1)})


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

    def without(self, fixed: Collection[str]) -> Space:
        """The space without these parameters, and without those that are multiples of them."""
        left = tuple(each for each in self.parameters if not {each.name, each.times} & {*fixed})
        if not left:
            raise TuneError(
                f"{self.scheme}: every parameter with a range is given; legal: a range of another"
            )
        return replace(self, parameters=left)

    def settings(self, drawn: Mapping[str, Any]) -> dict[str, Any]:
        """The queue's parameters for what the optimiser drew."""
        settings: dict[str, Any] = {}
        for parameter in self.parameters:
            settings[parameter.name] = parameter.value(drawn[parameter.name], settings)
        return settings


def space_of(
    scheme: str, ranges: Mapping[str, Any] | None = None, *, folder: str | Path | None = None
) -> Space:
    """The default ranges of a scheme with some replaced, checked against the schema."""
    registered = trial.known(scheme, folder or ".")
    legal = _schema(registered)
    defaults = declared_ranges(legal) if ":" in scheme else default_ranges().get(scheme, {})
    tables = {**defaults}
    for name, given in (ranges or {}).items():
        # A range without `integer` uses whole numbers if the default is one.
        whole = isinstance(given, dict) and defaults.get(name, {}).get("integer", False)
        tables[name] = {"integer": True, **given} if whole and "values" not in given else given
    parameters = {name: _parameter(legal, scheme, name, given) for name, given in tables.items()}
    if not parameters:
        none = "no parameter declares both of its ends" if ":" in scheme else "no default ranges"
        if own := {"bands", "classes"} & legal.keys():
            none += f", because its {own.pop()} are for the scenario to say"
        raise TuneError(f"{scheme}: {none}; give a table [{scheme}] in a file of ranges")
    for parameter in parameters.values():
        base = parameters.get(parameter.times or parameter.name)
        place = f"{scheme}.{parameter.name}.times: {parameter.times}"
        if base is None or (base.times and parameter.times):
            known = [each.name for each in parameters.values() if not each.times]
            raise TuneError.unknown(place, str(parameter.times), known)
        if parameter.times and not all(map(NUMBER.fits, base.values)):
            raise TuneError(f"{place}: is searched among values that are no numbers", place=place)
    return Space(scheme, tuple(_after_their_bases(parameters.values())))


def read_ranges_file(file: Path, scheme: str, *, folder: str | Path | None = None) -> dict[str, Any]:
    """The ranges of a scheme in a file of ranges by scheme, all of which is checked."""
    tables: dict[str, dict[str, Any]] = read_toml(file, TuneError)
    for name, given in tables.items():
        if not isinstance(given, dict):
            raise TuneError(f"{file}: {name}: a table of ranges, such as [{scheme}], not {quoted(given)}")
        try:
            space_of(name, given, folder=folder)
        except TuneError as error:
            raise TuneError(f"{file}: {error}") from None
    if scheme not in tables:
        raise TuneError(f"{file}: no table [{scheme}]; there are {', '.join(tables) or 'none'}")
    return tables[scheme]


@cache
def default_ranges() -> dict[str, dict[str, Any]]:
    """The ranges that are shipped, by scheme."""
    file = resources.files("aqmlab.study.tuning").joinpath("ranges.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def declared_ranges(parameters: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Where the parameters of a scheme in a file are searched: from end to end, as they are declared.

    An end that is not legal itself is moved in by a thousandth of the range, or by one where numbers are
    whole. Equal ratios are equally probable where a range begins above zero and spans a hundredfold. Words
    and switches are chosen from. The limits and `ecn`, and what has one end alone, stay as they are.
    """
    own = {name: part for name, part in parameters.items() if name not in _OF_EVERY_SCHEME}
    found = {name: _declared(part) for name, part in own.items()}
    return {name: given for name, given in found.items() if given is not None}


def _declared(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    if "enum" in schema:
        return {"values": list(schema["enum"])}
    if schema.get("type") == "boolean":
        return {"values": [False, True]}
    low, high = (
        schema.get(end, schema.get(f"exclusive{end.capitalize()}")) for end in ("minimum", "maximum")
    )
    if low is None or high is None or low >= high:
        return None
    whole = _is_integer(schema)
    step = 1 if whole else (high - low) * _LEFT_OUT
    low += step if "minimum" not in schema else 0
    high -= step if "maximum" not in schema else 0
    if low >= high:
        return None
    return {"low": low, "high": high, "log": low > 0 and high / low >= _WIDE}


def _after_their_bases(parameters: Iterable[Parameter]) -> Iterator[Parameter]:
    each = list(parameters)
    for base in each:
        if base.times is None:
            yield base
            yield from (parameter for parameter in each if parameter.times == base.name)


def _parameter(legal: Mapping[str, Any], scheme: str, name: str, given: object) -> Parameter:
    place = f"{scheme}.{name}"
    if name not in legal or name == "scheme":
        raise TuneError.unknown(place, name, [key for key in legal if key != "scheme"])
    if not isinstance(given, dict):
        conform(given, PLAIN, place, TuneError)
        return Parameter(name, values=_chosen_from(legal[name], [given], place))
    if "values" in given:
        conform(given, _VALUES, place, TuneError)
        return Parameter(name, values=_chosen_from(legal[name], given["values"], place))
    conform(given, _RANGE, place, TuneError)
    if (words := _words(legal[name])) and not _is_numeric(legal[name]):
        raise TuneError(
            f"{place}: is no number, so it has no range; legal: values = [{', '.join(words)}]", place=place
        )
    low, high, log, times = given["low"], given["high"], given.get("log", False), given.get("times")
    integer = given.get("integer", False) or _is_integer(legal[name])
    # Factors of another parameter need not be whole.
    ascending(low, high, log=log, integer=integer and times is None, place=place, refusal=TuneError)
    if times is None:
        _within(legal[name], low, high, place)
    return Parameter(name, low, high, log=log, integer=integer, times=times)


def _chosen_from(schema: Mapping[str, Any], values: Sequence[Any], place: str) -> tuple[Any, ...]:
    """The values to choose from, each of them of the parameter's kind."""
    words = _words(schema)
    for value in values:
        fits = NUMBER.fits(value) and (_is_numeric(schema) or not words)
        if not fits and toml_value(value) not in words:
            legal = ", ".join(words) or "a number"
            raise TuneError(
                f"{place}: {quoted(value)} is not legal; legal: {legal}",
                place=place,
                value=value,
                legal=legal,
            )
    return tuple(values)


def _words(schema: Mapping[str, Any]) -> list[str]:
    """What a parameter may be beside numbers and tables, as TOML spells it: true and false, or names."""
    found = ["false", "true"] if "boolean" in _types(schema) else []
    named = [toml_value(each["const"]) for each in _cases(schema) if "const" in each]
    return [*found, *named, *(toml_value(each) for each in schema.get("enum", ()))]


def _is_numeric(schema: Mapping[str, Any]) -> bool:
    return bool({"number", "integer"} & {kind for each in _cases(schema) for kind in _types(each)})


def _cases(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    inner = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    return [schema, *(case for each in inner for case in _cases(each))]


def _types(schema: Mapping[str, Any]) -> set[str]:
    kinds = schema.get("type", ())
    return {kinds} if isinstance(kinds, str) else set(kinds)


def _within(schema: Mapping[str, Any], low: float, high: float, place: str) -> None:
    minimum, maximum = schema.get("minimum"), schema.get("maximum")
    if (minimum is not None and low < minimum) or (maximum is not None and high > maximum):
        least = "-∞" if minimum is None else f"{minimum:g}"
        most = "∞" if maximum is None else f"{maximum:g}"
        raise TuneError(
            f"{place}: {low:g} to {high:g} exceeds the legal range, {least} to {most}", place=place
        )


def _is_integer(schema: Mapping[str, Any]) -> bool:
    return "integer" in _types(schema)


def _schema(scheme: str) -> dict[str, dict[str, Any]]:
    """The parameters of a scheme as the scenario's JSON Schema has them."""
    if found := parameters_of_scheme(scheme):
        return found
    raise TuneError.unknown(f"scheme {scheme!r}", scheme, _core.scheme_names())
