"""Reads `SWEEP.toml` and checks it whole: the file, the design, and the scenario of every point."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from aqmlab.errors import ScenarioError, SweepError
from aqmlab.runs import SEED_MAX, Job
from aqmlab.scenario import Scenario
from aqmlab.spelling import unknown
from aqmlab.sweep import designs
from aqmlab.sweep.designs import Axis, Choice, Range, Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_KEYS = (
    "name", "description", "scenario", "overrides", "replications", "seeds", "store", "measure_offered_load",
    "grid", "list", "random", "latin-hypercube",
)  # fmt: skip
_DESIGNS = ("grid", "list", "random", "latin-hypercube")
_RANGE = ("low", "high", "scale", "integer", "points")
_DRAWN = ("points", "seed", "keys")
_MOST_POINTS = 1_000_000


@dataclass(frozen=True)
class Point:
    """One setting of the keys.

    Attributes:
        index: Its number in the design, from 1.
        settings: Dotted keys and their values.
        scenario: The base scenario with these settings.
    """

    index: int
    settings: Mapping[str, Any]
    scenario: Scenario

    def __str__(self) -> str:
        return f"point {self.index} ({described(self.settings)})"


@dataclass(frozen=True)
class Sweep:
    """A checked sweep.

    Attributes:
        name: What it is called.
        keys: The dotted keys that the design sets, in its order.
        points: Its points.
        seeds: The seeds that every point is run with.
        store: The store that the file names, if it does.
        measure_offered_load: Whether to run the uncongested twins as well.
    """

    name: str
    keys: tuple[str, ...]
    points: tuple[Point, ...]
    seeds: tuple[int, ...]
    store: Path | None = None
    measure_offered_load: bool = False

    def jobs(self) -> list[Job]:
        """Every run: all points with the first seed, then with the second, and so on."""
        return [
            Job(point.scenario, seed, measure_offered_load=self.measure_offered_load, label=str(point))
            for seed in self.seeds
            for point in self.points
        ]

    @cached_property
    def runs(self) -> list[tuple[Point, int, str]]:
        """Every run with its point, seed and content address, point by point."""
        return [
            (point, seed, point.scenario.content_address(seed))
            for point in self.points
            for seed in self.seeds
        ]


def read(file: str | Path, *, overrides: Mapping[str, object] | None = None) -> Sweep:
    """Reads and checks a sweep.

    Args:
        file: The sweep file.
        overrides: Dotted keys and values that are laid over the base scenario, after those of the file.

    Raises:
        SweepError: Something in the file or its design is refused.
        ScenarioError: The base scenario is refused.
    """
    file = Path(file)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise SweepError(f"{file}: cannot be read: {reason}") from None
    return read_text(text, source=str(file), folder=file.parent, overrides=overrides)


def read_text(
    text: str, *, source: str = "sweep", folder: Path = Path(), overrides: Mapping[str, object] | None = None
) -> Sweep:
    """Like `read`, from the text of a file; `folder` is where relative paths start."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SweepError(f"{source}: {error}") from None
    try:
        return _Reader(document, source, folder).sweep(overrides or {})
    except SweepError as error:
        raise SweepError(f"{source}: {error}") from None


def described(settings: Mapping[str, Any]) -> str:
    """Settings in a few words: the last part of each key and the value."""
    return ", ".join(f"{key.rpartition('.')[2]} = {shown(value)}" for key, value in settings.items())


def shown(value: object) -> str:
    """A value as a cell of a table shows it."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else f"{value}"


class _Reader:
    """A parsed file on its way to a sweep; what it raises names the place within the file."""

    def __init__(self, document: dict[str, Any], source: str, folder: Path) -> None:
        self._document = document
        self._source = source
        self._folder = folder

    def sweep(self, overrides: Mapping[str, object]) -> Sweep:
        document = self._document
        _only(document, _KEYS, "")
        base = self._base(overrides)
        settings = self._settings()
        keys = tuple(dict.fromkeys(key for each in settings for key in each))
        store = _typed(document, "store", str, "a folder")
        measure = _typed(document, "measure_offered_load", bool, "true or false")
        return Sweep(
            name=_typed(document, "name", str, "a text") or base.name,
            keys=keys,
            points=_points(base, settings),
            seeds=self._seeds(),
            store=self._folder / store if store else None,
            measure_offered_load=bool(measure),
        )

    def _base(self, overrides: Mapping[str, object]) -> Scenario:
        given = self._document.get("scenario")
        if isinstance(given, str):
            base = Scenario.from_file(self._folder / given)
        elif isinstance(given, dict):
            from aqmlab.scenario_toml import to_toml  # noqa: PLC0415

            base = Scenario.from_toml(to_toml(given), source_name=f"{self._source}: [scenario]")
        else:
            raise SweepError("scenario: required; the path of a scenario file, or a table that is a scenario")
        own = _typed(self._document, "overrides", dict, "a table of dotted keys in quotes") or {}
        for key, value in own.items():
            _dotted(f"overrides.{key}", key, value)
        try:
            return base.with_overrides({**_ordered(own), **overrides})
        except ScenarioError as error:
            raise SweepError(f"overrides: {_plainly(error)}") from None

    def _settings(self) -> list[Settings]:
        present = [name for name in _DESIGNS if name in self._document]
        if not present:
            raise SweepError(f"no design; give at least one of {', '.join(_DESIGNS)}")
        made = {name: _MAKERS[name](self._document[name]) for name in present}
        owner: dict[str, str] = {}
        for name, settings in made.items():
            for key in dict.fromkeys(key for each in settings for key in each):
                if key in owner:
                    raise SweepError(f'{name}."{key}": {owner[key]} sets it already')
                owner[key] = name
        count = 1
        for settings in made.values():
            count *= len(settings)
        if count > _MOST_POINTS:
            raise SweepError(f"{count:,} points; at most {_MOST_POINTS:,}")
        return designs.combined(list(made.values()))

    def _seeds(self) -> tuple[int, ...]:
        document = self._document
        if "seeds" in document and "replications" in document:
            raise SweepError("seeds: excludes replications")
        if "seeds" not in document:
            return tuple(range(1, _count(document.get("replications", 1), "replications") + 1))
        seeds = document["seeds"]
        if isinstance(seeds, str):
            seeds = _seeds_of_text(seeds)
        legal = isinstance(seeds, list) and all(_is_whole(seed) and 0 <= seed <= SEED_MAX for seed in seeds)
        if not legal or not seeds or len(set(seeds)) < len(seeds):
            raise SweepError(
                'seeds: different whole numbers from 0 to 2^64 - 1, as a list or as in "1-8" or "1,3,5-7"'
            )
        return tuple(seeds)


def _points(base: Scenario, settings: Sequence[Settings]) -> tuple[Point, ...]:
    points = []
    for index, each in enumerate(settings, start=1):
        try:
            scenario = base.with_overrides(_ordered(each)) if each else base
        except (ScenarioError, TypeError) as error:
            raise SweepError(f"point {index} ({described(each)}): {_plainly(error)}") from None
        points.append(Point(index, each, scenario))
    return tuple(points)


def _plainly(error: Exception) -> str:
    """What the core says of an override, without the command line's option, which nobody wrote here."""
    return str(error).removeprefix("in --set ")


def _ordered(settings: Mapping[str, Any]) -> dict[str, Any]:
    """A whole table before the keys inside it, whatever their order in the file."""
    return dict(sorted(settings.items(), key=lambda item: item[0].count(".")))


def _grid(given: object) -> list[Settings]:
    axes = _axes(given, "grid")
    for key, axis in axes.items():
        if isinstance(axis, Range) and axis.points is None:
            raise SweepError(f'grid."{key}".points: required; how many values, from end to end')
    return designs.grid(axes)


def _list(given: object) -> list[Settings]:
    if not isinstance(given, list) or not given or not all(isinstance(each, dict) for each in given):
        raise SweepError("list: a repeated table, [[list]], with one point each")
    for number, settings in enumerate(given, start=1):
        for key, value in settings.items():
            _dotted(f'list[{number}]."{key}"', key, value)
    return given


def _drawn(name: str, draw: Callable[..., list[Settings]]) -> Callable[[object], list[Settings]]:
    def settings(given: object) -> list[Settings]:
        if not isinstance(given, dict):
            raise SweepError(f"{name}: a table with points, seed and keys")
        _only(given, _DRAWN, f"{name}.")
        points = _count(given.get("points"), f"{name}.points")
        seed = given.get("seed", 1)
        if not _is_whole(seed) or not 0 <= seed <= SEED_MAX:
            raise SweepError(f"{name}.seed: a whole number from 0 to 2^64 - 1, not {seed!r}")
        axes = _axes(given.get("keys"), f"{name}.keys")
        for key, axis in axes.items():
            if isinstance(axis, Range) and axis.points is not None:
                raise SweepError(
                    f'{name}.keys."{key}".points: the design draws {name}.points values; leave it out'
                )
        return draw(axes, points=points, seed=seed)

    return settings


_MAKERS: dict[str, Callable[[object], list[Settings]]] = {
    "grid": _grid,
    "list": _list,
    "random": _drawn("random", designs.random),
    "latin-hypercube": _drawn("latin-hypercube", designs.latin_hypercube),
}


def _axes(given: object, place: str) -> dict[str, Axis]:
    if not isinstance(given, dict) or not given:
        raise SweepError(f"{place}: a table of dotted keys in quotes, each with a list or a range")
    return {key: _axis(value, key, f'{place}."{key}"') for key, value in given.items()}


def _axis(given: object, key: str, place: str) -> Axis:
    if isinstance(given, list):
        if not given:
            raise SweepError(f"{place}: an empty list")
        return Choice(tuple(given))
    if not isinstance(given, dict):
        raise SweepError(f"{place}: a list of values, or a range such as {{ low = 0.01, high = 0.5 }}")
    if not given.keys() & {"low", "high"}:
        _dotted(place, key, given)
    _only(given, _RANGE, f"{place}.")
    low, high = _number(given.get("low"), f"{place}.low"), _number(given.get("high"), f"{place}.high")
    scale, whole = given.get("scale", "linear"), given.get("integer", False)
    if scale not in {"linear", "log"}:
        raise SweepError(f'{place}.scale: "linear" or "log", not {scale!r}')
    if not isinstance(whole, bool):
        raise SweepError(f"{place}.integer: true or false, not {whole!r}")
    if low >= high:
        raise SweepError(f"{place}: low ({low:g}) has to be below high ({high:g})")
    if scale == "log" and low <= 0:
        raise SweepError(f"{place}: a log scale starts above 0, not at {low:g}")
    if whole and (low % 1 or high % 1):
        raise SweepError(f"{place}: with integer = true, low and high are whole numbers")
    points = _count(given["points"], f"{place}.points") if "points" in given else None
    return Range(low, high, log=scale == "log", integer=whole, points=points)


def _dotted(place: str, key: str, value: object) -> None:
    """Refuses `dumbbell.queue = ...` without quotes, which TOML reads as a table named `dumbbell`."""
    if isinstance(value, dict) and "." not in key:
        inner = next(iter(value), "queue")
        raise SweepError(f'{place}: write dotted keys in quotes, such as "{key}.{inner}" = ...')


def _only(table: Mapping[str, Any], known: Sequence[str], place: str) -> None:
    for key in table:
        if key not in known:
            raise SweepError(f"{place}{key}: {unknown(key, known)}")


def _typed(table: Mapping[str, Any], key: str, kind: type, legal: str) -> Any:  # noqa: ANN401
    value = table.get(key)
    if value is not None and not isinstance(value, kind):
        raise SweepError(f"{key}: {legal}, not {value!r}")
    return value


def _number(value: object, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < float("inf"):
        raise SweepError(f"{place}: a finite number, not {value!r}")
    return value


def _count(value: object, place: str) -> int:
    if not _is_whole(value) or not 1 <= value <= _MOST_POINTS:
        raise SweepError(f"{place}: a whole number from 1 to {_MOST_POINTS:,}, not {value!r}")
    return value


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _seeds_of_text(text: str) -> list[int] | None:
    seeds: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            return None
        low, high = int(first), int(last or first)
        if high - low >= _MOST_POINTS:
            return None
        seeds += range(low, high + 1)
    return seeds
