"""Reads `SWEEP.toml` and checks it whole: the file, the design, and the scenario of every point."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aqmlab import arguments
from aqmlab.errors import ScenarioError, SweepError
from aqmlab.files import reading
from aqmlab.files.records import read_as
from aqmlab.files.shape import (
    ANY,
    FLAG,
    SEED,
    TEXT,
    ListOf,
    Shape,
    Table,
    TableOf,
    ascending,
    conform,
    inside,
    whole,
)
from aqmlab.files.toml_lines import line_of
from aqmlab.runs import Job
from aqmlab.scenario import Scenario
from aqmlab.seeds import Seeds
from aqmlab.study.sweeps import designs
from aqmlab.study.sweeps.designs import MOST_POINTS, Axis, Choice, Range, Settings
from aqmlab.terminal.spelling import as_text, counted, quoted, shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from aqmlab.scenario import ScenarioLike

_DESIGNS = ("grid", "list", "random", "latin-hypercube")
_ARGUMENTS = ("grid", "points", "random", "latin_hypercube")
"""What files and what the arguments of `aqmlab.sweep` call the designs."""
_NAMED_ELSEWHERE = {"set": "overrides", "points": "list", "keys": "grid", "seed": "seeds"}
"""What sweep files call what is called otherwise on the command line, in Python or inside a design."""
_MOST_RUNS = 1_000_000
_MOST_VALUES = 10_000_000
_LONGEST_LABEL = 200
"""Characters of a point's settings in its label; a value may be a table of any size."""

_AXES = TableOf(ANY)
_DRAWN = Table({"points": whole(1, MOST_POINTS), "keys": _AXES}, {"seed": SEED})
_POINTS = ListOf(TableOf(ANY), shortest=1)
_SHAPES: Mapping[str, Shape] = {
    **dict.fromkeys(("random", "latin-hypercube", "latin_hypercube"), _DRAWN),
    **dict.fromkeys(("list", "points"), _POINTS),
    "grid": _AXES,
}


def _shape(names: Sequence[str]) -> Table:
    """What a sweep may hold, with its designs under these names."""
    known: dict[str, Shape] = {
        "name": TEXT,
        "description": ANY,
        "scenario": ANY,
        "overrides": TableOf(ANY),
        "replications": whole(1, _MOST_RUNS),
        "seeds": ANY,
        "store": TEXT,
        "measure_offered_load": FLAG,
    }
    return Table(optional={**known, **{name: _SHAPES[name] for name in names}})


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
        return _label(self.index, self.settings)


@dataclass(frozen=True)
class Sweep:
    """A checked sweep.

    Attributes:
        name: Its name.
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

    @classmethod
    def from_file(cls, file: str | Path, *, overrides: Mapping[str, object] | None = None) -> Sweep:
        """Reads and checks a sweep file.

        Args:
            file: The file.
            overrides: Dotted keys and values that are laid over the base scenario, after those of the file.

        Raises:
            SweepError: Something in the file or its design is refused.
            ScenarioError: The base scenario is refused.
        """
        return read(file, overrides=overrides)

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


@arguments.checked(SweepError, file=arguments.path)
def read(file: str | Path, *, overrides: Mapping[str, object] | None = None) -> Sweep:
    """Reads and checks a sweep."""
    file = Path(file)
    text = reading.read_text(file, SweepError)
    return read_text(text, source=str(file), folder=file.parent, overrides=overrides)


def read_text(
    text: str, *, source: str = "sweep", folder: Path = Path(), overrides: Mapping[str, object] | None = None
) -> Sweep:
    """Like `read`, from the text of a file; `folder` is where relative paths start."""
    document = reading.parse_toml(text, source, SweepError)
    try:
        return _Reader(document, source, folder).sweep(overrides or {})
    except SweepError as error:
        line = _line_of(error.place, text, document)
        raise SweepError.of(error, f"{source}{'' if line is None else f':{line}'}: {error}") from None


def _line_of(place: str, text: str, document: Mapping[str, Any]) -> int | None:
    """The line of a mistake: of the key of the sweep, or of the scenario's key that a design sets."""
    key = place.partition("=")[0]
    tables = (document.get("grid"), *(_keys_of(document.get(name)) for name in ("random", "latin-hypercube")))
    for design, table in zip(("grid", "random.keys", "latin-hypercube.keys"), tables, strict=True):
        if isinstance(table, Mapping) and key in table:
            return line_of(text, inside(design, key))
    return line_of(text, place)


def _keys_of(design: object) -> object:
    return design.get("keys") if isinstance(design, Mapping) else None


def sweep_of(
    scenario: ScenarioLike,
    *,
    grid: Mapping[str, Iterable[object]] | None = None,
    points: Iterable[Mapping[str, object]] | None = None,
    latin_hypercube: Mapping[str, object] | None = None,
    random: Mapping[str, object] | None = None,
    seeds: Iterable[int] | str = (1,),
    overrides: Mapping[str, object] | None = None,
    measure_offered_load: bool = False,
    name: str = "",
) -> Sweep:
    """A sweep from values instead of a file; see `aqmlab.sweep`."""
    document: dict[str, Any] = {
        "seeds": Seeds.of(seeds, refusal=SweepError),
        "measure_offered_load": measure_offered_load,
    }
    if name:
        document["name"] = name
    if grid is not None:
        document["grid"] = {key: _values(key, given) for key, given in grid.items()}
    if points is not None:
        document["points"] = [_table(each) for each in _as_list("points", points)]
    for kind, design in (("random", random), ("latin_hypercube", latin_hypercube)):
        if design is not None:
            document[kind] = _table(design)
    return _Reader(document, "sweep", Path(), _ARGUMENTS).sweep(overrides or {}, Scenario.of(scenario))


def _table(given: object) -> object:
    """A mapping as a dict; what is none is refused by the shape of the document."""
    return dict(given) if isinstance(given, Mapping) else given


def _values(key: str, given: Iterable[object]) -> object:
    """The values of a key of a grid: a list, or a range as in a file."""
    return dict(given) if isinstance(given, Mapping) else _as_list(f'grid."{key}"', given)


def _as_list(place: str, given: object) -> list[Any]:
    """A list, a tuple, a range or an array as plain values."""
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise SweepError(f"{place}: a list of values, not {quoted(given)}", place=place, value=given)
    # What NumPy holds is not what TOML writes.
    values: tuple[Any, ...] = arguments.listed("[5, 10]")(place, given, SweepError)
    return [each.item() if hasattr(each, "item") else each for each in values]


def described(settings: Mapping[str, Any], *, whole_keys: bool = False) -> str:
    """Settings in a few words: the last part of each key and the value, or all of the key."""
    shown = {key if whole_keys else key.rpartition(".")[2]: as_text(value) for key, value in settings.items()}
    if len(shown) < len(settings):  # two keys that end alike
        return described(settings, whole_keys=True)
    return ", ".join(f"{key} = {value}" for key, value in shown.items())


def _label(index: int, settings: Mapping[str, Any]) -> str:
    """A point as messages and progress name it."""
    return f"point {index} ({shortened(described(settings), _LONGEST_LABEL)})"


class _Reader:
    """A parsed file on its way to a sweep; what it raises names the place within the file."""

    def __init__(
        self, document: dict[str, Any], source: str, folder: Path, designs: Sequence[str] = _DESIGNS
    ) -> None:
        self._document = document
        self._source = source
        self._folder = folder
        self._designs = designs

    def sweep(self, overrides: Mapping[str, object], base: Scenario | None = None) -> Sweep:
        document = self._document
        self._refuse_names_from_elsewhere()
        conform(document, _shape(self._designs), "", SweepError)
        seeds = self._seeds()
        base = self._base(overrides) if base is None else base.with_overrides(overrides)
        settings = self._settings(len(seeds))
        keys = tuple(dict.fromkeys(key for each in settings for key in each))
        store = document.get("store")
        if store and "\x00" in store:
            raise SweepError("store: the name of a folder holds no NUL", place="store")
        return Sweep(
            name=document.get("name") or base.name,
            keys=keys,
            points=_points(base, settings),
            seeds=seeds,
            store=self._folder / store if store else None,
            measure_offered_load=document.get("measure_offered_load", False),
        )

    def _refuse_names_from_elsewhere(self) -> None:
        """Refuses what commands and Python call something that a sweep file calls otherwise."""
        known = _shape(self._designs).optional
        for name, meant in _NAMED_ELSEWHERE.items():
            if name in self._document and name not in known:
                raise SweepError(
                    f'{name}: unknown; did you mean "{meant}"? (legal: {", ".join(known)})',
                    place=name,
                    value=name,
                    legal=", ".join(known),
                    nearest=meant,
                )

    def _base(self, overrides: Mapping[str, object]) -> Scenario:
        given = self._document.get("scenario")
        if isinstance(given, str):
            base = Scenario.from_file(self._folder / given)
        elif isinstance(given, dict):
            from aqmlab.files.toml_text import to_toml  # noqa: PLC0415

            source = f"{self._source}: [scenario]"
            with _only_what_a_scenario_holds("scenario"):
                base = Scenario.from_toml(to_toml(given), source_name=source, folder=self._folder)
        else:
            raise SweepError("scenario: required; the path of a scenario file, or a table that is a scenario")
        own = self._document.get("overrides", {})
        for key, value in own.items():
            _dotted(f"overrides.{key}", key, value)
        try:
            with _only_what_a_scenario_holds("overrides"):
                return base.with_overrides({**_ordered(own), **overrides})
        except ScenarioError as error:
            raise SweepError.of(error, f"overrides: {error}") from None

    def _settings(self, seeds: int) -> list[Settings]:
        present = [name for name in self._designs if name in self._document]
        if not present:
            legal = ", ".join(self._designs)
            raise SweepError(f"no design; give at least one of {legal}", legal=legal)
        planned = {name: _MAKERS[name](self._document[name]) for name in present}
        # Before any point is made: a grid of four ranges of a thousand would fill the memory.
        count = math.prod(each.points for each in planned.values())
        if count > MOST_POINTS or count * seeds > _MOST_RUNS:
            raise SweepError(
                f"{count:,} points × {counted(seeds, 'seed')}; at most {MOST_POINTS:,} points and "
                f"{_MOST_RUNS:,} runs"
            )
        made = {name: each.make() for name, each in planned.items()}
        owner: dict[str, str] = {}
        for name, settings in made.items():
            for key in dict.fromkeys(key for each in settings for key in each):
                if key in owner:
                    raise SweepError(f'{name}."{key}": {owner[key]} sets it already', place=name)
                owner[key] = name
        return designs.combined(list(made.values()))

    def _seeds(self) -> tuple[int, ...]:
        document = self._document
        if "seeds" in document and "replications" in document:
            raise SweepError("seeds: excludes replications; legal: one of both", place="seeds")
        if "seeds" not in document:
            return tuple(range(1, document.get("replications", 1) + 1))
        return Seeds.of(document["seeds"], refusal=SweepError)


def _points(base: Scenario, settings: Sequence[Settings]) -> tuple[Point, ...]:
    points = []
    for index, each in enumerate(settings, start=1):
        try:
            with _only_what_a_scenario_holds("a value"):
                scenario = base.with_overrides(_ordered(each)) if each else base
        except (ScenarioError, SweepError) as error:
            raise SweepError.of(error, f"{_label(index, each)}: {error}") from None
        points.append(Point(index, each, scenario))
    return tuple(points)


@contextmanager
def _only_what_a_scenario_holds(place: str) -> Iterator[None]:
    """Refuses what TOML can hold and a scenario cannot, such as a date, or tables in tables without end."""
    try:
        yield
    except TypeError as error:
        raise SweepError(f"{place}: {error}", place=place) from None
    except RecursionError:
        raise SweepError(f"{place}: nested too deeply", place=place) from None


def _ordered(settings: Mapping[str, Any]) -> dict[str, Any]:
    """A whole table before the keys inside it, whatever their order in the file."""
    return dict(sorted(settings.items(), key=lambda item: item[0].count(".")))


@dataclass(frozen=True, slots=True)
class _Planned:
    """A design that is checked and not yet made: how many points it will have, and how to make them."""

    points: int
    make: Callable[[], list[Settings]]


def _grid(given: Mapping[str, Any]) -> _Planned:
    axes = _axes(given, "grid")
    for key, axis in axes.items():
        if isinstance(axis, Range) and axis.points is None:
            raise SweepError(
                f'grid."{key}".points: required; how many values, from end to end',
                place=f'grid."{key}".points',
            )
    return _Planned(math.prod(len(axis.spread()) for axis in axes.values()), lambda: designs.grid(axes))


def _listed(name: str) -> Callable[[list[Settings]], _Planned]:
    def planned(given: list[Settings]) -> _Planned:
        for number, settings in enumerate(given, start=1):
            for key, value in settings.items():
                _dotted(inside(f"{name}[{number}]", key), key, value)
        return _Planned(len(given), lambda: given)

    return planned


def _drawn(name: str, draw: Callable[..., list[Settings]]) -> Callable[[Mapping[str, Any]], _Planned]:
    def planned(given: Mapping[str, Any]) -> _Planned:
        points, seed = given["points"], given.get("seed", 1)
        axes = _axes(given["keys"], f"{name}.keys")
        for key, axis in axes.items():
            if isinstance(axis, Range) and axis.points is not None:
                raise SweepError(
                    f'{name}.keys."{key}".points: the design draws {name}.points values; leave it out',
                    place=f'{name}.keys."{key}".points',
                )
        if points * len(axes) > _MOST_VALUES:
            raise SweepError(
                f"{name}: {points:,} points of {counted(len(axes), 'key')}; at most {_MOST_VALUES:,} values"
            )
        return _Planned(points, lambda: draw(axes, points=points, seed=seed))

    return planned


_MAKERS: dict[str, Callable[[Any], _Planned]] = {
    "grid": _grid,
    "random": _drawn("random", designs.random),
    **{name: _listed(name) for name in ("list", "points")},
    **{name: _drawn(name, designs.latin_hypercube) for name in ("latin-hypercube", "latin_hypercube")},
}


def _axes(given: Mapping[str, Any], place: str) -> dict[str, Axis]:
    if not given:
        raise SweepError(
            f"{place}: a table of dotted keys in quotes, each with a list or a range", place=place
        )
    return {key: _axis(value, key, inside(place, key)) for key, value in given.items()}


def _axis(given: object, key: str, place: str) -> Axis:
    if isinstance(given, list):
        if not given:
            raise SweepError(f"{place}: an empty list", place=place)
        return Choice(tuple(given))
    if not isinstance(given, dict):
        raise SweepError(
            f"{place}: a list of values, or a range such as {{ low = 0.01, high = 0.5 }}", place=place
        )
    if not given.keys() & {"low", "high"}:
        _dotted(place, key, given)
    found = read_as(Range, given, place, SweepError)
    ascending(found.low, found.high, log=found.log, integer=found.integer, place=place, refusal=SweepError)
    return found


def _dotted(place: str, key: str, value: object) -> None:
    """Refuses `dumbbell.queue = ...` without quotes, which TOML reads as a table named `dumbbell`."""
    if isinstance(value, dict) and "." not in key:
        inner = next(iter(value), "queue")
        raise SweepError(f'{place}: write dotted keys in quotes, such as "{key}.{inner}" = ...', place=place)
