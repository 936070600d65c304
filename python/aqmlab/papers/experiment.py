"""An experiment as data: one folder with scenario, configurations, scales, published numbers, tolerances.

A folder of `experiments/` (shipped with the package) holds

    experiment.toml          configurations, loads, scales, figures
    scenario.toml            what all configurations share
    published_*.csv          what the paper's tables report
    claims.toml              what its sentences claim, each with the criterion that decides
    claims/                  the code that checks them
    tolerances.toml          how close a cell has to come, fixed before the runs
    differences.toml         causes of differences, and what the paper does not determine; may be absent
    notes.md                 silences of the paper and how they were filled

This module reads and checks what is data in it; `reproduce` runs it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeVar

from aqmlab.errors import ExperimentError, UnknownQuantityError
from aqmlab.files.reading import read_text, read_toml
from aqmlab.files.shape import conform
from aqmlab.papers.claims import PublishedClaim, read_claims, registry_of
from aqmlab.papers.configurations import Configuration, configurations_of
from aqmlab.papers.differences import Difference, read_differences
from aqmlab.papers.experiment_shape import EXPERIMENT, TOLERANCES
from aqmlab.papers.published import Published, read_published
from aqmlab.statistics.quantities import quantity
from aqmlab.terminal.spelling import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from importlib.resources.abc import Traversable

    from aqmlab.papers.published import Column

__all__ = [
    "Comparisons",
    "Configuration",
    "Experiment",
    "ExperimentError",
    "PublishedClaim",
    "Scale",
    "Tolerance",
    "chosen",
    "load",
    "names",
    "read",
]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Scale:
    """How much of the experiment is run, and how long.

    `users_from` says where the users of a load come from, unless they are matched: the `published` line,
    our `calibration`, which takes one, or the `scenario` itself, which is then the only load there is.
    """

    name: str
    description: str
    duration_s: float
    warm_up_s: float
    cool_down_s: float
    replications: int
    load_matched: bool
    start: str
    loads_percent: tuple[float, ...]
    cells: tuple[str, ...]
    overrides: Mapping[str, Any] = field(default_factory=dict)
    calibration_users_per_side: tuple[int, ...] = ()
    calibration_overrides: Mapping[str, Any] = field(default_factory=dict)
    calibration_replications: int = 1
    users_from: str = "published"
    chosen_seeds: tuple[int, ...] | None = None

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of the replications: those that the user chose, or as many as there are, from 1."""
        return self.chosen_seeds or tuple(range(1, self.replications + 1))


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The larger of an absolute and a relative difference."""

    absolute: float = 0.0
    relative: float = 0.0

    def around(self, published: float) -> float:
        """The tolerance in the quantity's own unit."""
        return max(self.absolute, self.relative * abs(published))


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Which configurations the report compares with which one, by response times."""

    baseline: str
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WhoseResponses:
    """Whose response times a study is about.

    Attributes:
        of: The population that figures, comparisons and claims are of.
        beside: Populations that are shown beside it, and together with it.
        stop_after_completed: At how many completed exchanges of `of` its runs stop; none if by the clock.
    """

    of: str
    beside: tuple[str, ...] = ()
    stop_after_completed: int | None = None


@dataclass(frozen=True)
class Experiment:
    """The contents of an experiment's folder."""

    name: str
    title: str
    paper: str
    scenario_toml: str
    configurations: Mapping[str, Configuration]
    scales: Mapping[str, Scale]
    loads_percent: tuple[float, ...]
    users_per_side_at_100_percent: int | None
    published: Published
    published_claims: tuple[PublishedClaim, ...]
    tolerances: Mapping[str, Tolerance]
    figures: tuple[Mapping[str, Any], ...]
    notes: str
    comparisons: Comparisons | None = None
    response_times: WhoseResponses | None = None
    differences: tuple[Difference, ...] = ()

    @property
    def responses_of(self) -> str | None:
        """The population whose response times are judged; none if all are, together."""
        return None if self.response_times is None else self.response_times.of

    def scale(self, name: str) -> Scale:
        """The scale of this name.

        Raises:
            ExperimentError: There is none.
        """
        return _look_up(self.scales, name, "scale", self.name)

    @property
    def groups(self) -> list[str]:
        """The groups of configurations, in the order of the study."""
        return list(dict.fromkeys(configuration.group for configuration in self.configurations.values()))

    def cells_of(self, names: Sequence[str]) -> tuple[str, ...]:
        """The configurations of these names; the name of a group stands for all of its own.

        Raises:
            ExperimentError: A name is neither.
        """
        cells: dict[str, None] = {}
        for name in names:
            members = [cell for cell, entry in self.configurations.items() if entry.group == name]
            if not members:
                _look_up({**self.configurations, **dict.fromkeys(self.groups)}, name, "cell", self.name)
            cells.update(dict.fromkeys(members or [name]))
        return tuple(cells)

    def run_at(self, scale: Scale, load_percent: float) -> list[Configuration]:
        """The configurations that a scale runs at a load."""
        configurations = map(self.configuration, scale.cells)
        return [each for each in configurations if each.runs_at(load_percent)]

    def configuration(self, name: str) -> Configuration:
        """The configuration of this name.

        Raises:
            ExperimentError: There is none.
        """
        return _look_up(self.configurations, name, "cell", self.name)

    def tolerance_of(self, column: Column, published: float) -> float:
        """How far ours may be from a published number of a column, in the quantity's own unit."""
        return self.tolerances[column.tolerance].around(published)


def names() -> list[str]:
    """The experiments that are shipped."""
    return sorted(entry.name for entry in _root().iterdir() if entry.joinpath("experiment.toml").is_file())


def load(name: str) -> Experiment:
    """Reads the experiment of this name.

    Raises:
        ExperimentError: There is none.
    """
    _look_up(dict.fromkeys(names()), name, "experiment", "aqmlab")
    return read(_root() / name)


def read(folder: Traversable) -> Experiment:
    """Reads and checks an experiment folder.

    Raises:
        ExperimentError: A file is missing or broken, or something in it is not legal; the message says where.
    """
    try:
        return _read(folder)
    except (ExperimentError, UnknownQuantityError) as error:
        raise ExperimentError(f"{folder.name}: {error}") from None


def _read(folder: Traversable) -> Experiment:
    document = read_toml(folder / "experiment.toml", ExperimentError)
    conform(document, EXPERIMENT, "experiment.toml", ExperimentError)
    configurations = configurations_of(document["configurations"], document.get("variants", []))
    published = read_published(document["published"], folder, configurations.values())
    claims = read_claims(folder / document["published"]["claims"], configurations)
    registry_of(folder.name).require(claims)
    experiment = Experiment(
        name=folder.name,
        title=document["title"],
        paper=document["paper"],
        scenario_toml=read_text(folder / document["scenario"], ExperimentError),
        configurations=configurations,
        scales={scale: _scale(scale, document, configurations) for scale in document["scales"]},
        loads_percent=tuple(document["loads_percent"]),
        users_per_side_at_100_percent=document.get("users_per_side_at_100_percent"),
        published=published,
        published_claims=claims,
        tolerances=_tolerances(folder / "tolerances.toml"),
        figures=tuple(document["figures"]),
        notes=read_text(folder / "notes.md", ExperimentError),
        comparisons=_comparisons(document, configurations),
        response_times=_whose_responses(document),
        differences=read_differences(folder, configurations, published.tables, claims),
    )
    _check_names(experiment)
    return experiment


def _check_names(experiment: Experiment) -> None:
    """Whether everything that a figure or a table names is there."""
    for figure in experiment.figures:
        owner = f"figure {figure['id']}"
        if figure["kind"] == "false-positives":
            if not ("bins" in figure and "trials" in figure):
                raise ExperimentError(f"{owner}: false-positives needs bins and trials")
            continue
        if figure["kind"] != "calibration" and not ("cells" in figure and "loads_percent" in figure):
            raise ExperimentError(f"{owner}: cells and loads_percent are missing")
        chosen(experiment.configurations, figure.get("cells", []), kind="cell", experiment=owner)
        if figure["kind"] == "over-time":
            _check_over_time(figure, owner)
    for table in experiment.published.tables:
        wanted = [column.tolerance for column in table.columns]
        owner = f"table {table.identifier}"
        chosen(experiment.tolerances, wanted, kind="tolerance", experiment=owner)
        chosen(experiment.groups, table.candidates, kind="group", experiment=owner)
    if experiment.comparisons is not None:
        chosen(experiment.groups, experiment.comparisons.groups, kind="group", experiment="comparisons")


def _check_over_time(figure: Mapping[str, Any], owner: str) -> None:
    """Whether the number is one of stretches of a run."""
    if not ("of" in figure and figure.get("every_s", 0.0) > 0.0):
        raise ExperimentError(f"{owner}: over-time needs of, such as throughput_mbps/links.NAME, and every_s")
    quantity(f"{figure['of']}@0-{figure['every_s']:g}")


def _comparisons(
    document: Mapping[str, Any], configurations: Mapping[str, Configuration]
) -> Comparisons | None:
    entry = document.get("comparisons")
    if entry is None:
        return None
    (baseline,) = chosen(configurations, [entry["baseline"]], kind="cell", experiment="comparisons")
    return Comparisons(baseline, tuple(entry["groups"]))


def _whose_responses(document: Mapping[str, Any]) -> WhoseResponses | None:
    entry = document.get("response_times")
    if entry is None:
        return None
    return WhoseResponses(entry["of"], tuple(entry.get("beside", ())), entry.get("stop_after_completed"))


def chosen(known: Iterable[str], wanted: Sequence[str], *, kind: str, experiment: str) -> tuple[str, ...]:
    """The wanted names, each checked against the known ones."""
    table = dict.fromkeys(known)
    for name in wanted:
        _look_up(table, name, kind, experiment)
    return tuple(wanted)


def _root() -> Traversable:
    return resources.files("aqmlab") / "experiments"


def _look_up(table: Mapping[str, T], name: str, kind: str, owner: str) -> T:
    if name in table:
        return table[name]
    raise ExperimentError(
        f'{owner} has no {kind} "{name}"; there are: {", ".join(table)}{nearest(name, table)}'
    )


def _scale(name: str, document: Mapping[str, Any], configurations: Mapping[str, Configuration]) -> Scale:
    entry = document["scales"][name]
    groups = entry.get("groups", [])
    cells = [configuration.name for configuration in configurations.values() if configuration.group in groups]
    cells += [cell for cell in entry.get("cells", []) if cell not in cells]
    calibration = entry.get("calibration", {})
    return Scale(
        name=name,
        description=entry["description"],
        duration_s=entry["duration_s"],
        warm_up_s=entry["warm_up_s"],
        cool_down_s=entry.get("cool_down_s", 0.0),
        replications=entry["replications"],
        load_matched=entry["load_matched"],
        start=entry["start"],
        loads_percent=tuple(entry.get("loads_percent", document["loads_percent"])),
        cells=chosen(configurations, cells, kind="cell", experiment=f"scale {name}"),
        overrides=entry.get("overrides", {}),
        calibration_users_per_side=tuple(calibration.get("users_per_side", ())),
        calibration_overrides=calibration.get("overrides", {}),
        calibration_replications=calibration.get("replications", 1),
        users_from=_users_from(name, entry, document),
    )


def _users_from(name: str, entry: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    calibrated = "calibration" in entry
    origin: str = entry.get("users_from", "calibration" if calibrated else "published")
    full = "users_per_side_at_100_percent"
    legal = [
        *(["published"] if "calibration" in document["published"] and full in document else []),
        *(["calibration"] if calibrated and full in document else []),
        *(["scenario"] if len(document["loads_percent"]) == 1 and not entry["load_matched"] else []),
    ]
    if origin not in legal:
        raise ExperimentError(
            f'scale {name}: users_from = "{origin}"; legal: {" or ".join(legal)}; '
            f"published and calibration need {full}, scenario a single load without matching"
        )
    return origin


def _tolerances(file: Traversable) -> dict[str, Tolerance]:
    document = read_toml(file, ExperimentError)
    conform(document, TOLERANCES, file.name, ExperimentError)
    return {name: Tolerance(**entry) for name, entry in document["tolerance"].items()}
