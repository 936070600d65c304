"""The experiments' folders, read and checked.

A folder of `experiments/` (shipped with the package) holds

    experiment.toml          configurations, loads, scales, figures
    scenario.toml            what all configurations share
    published_*.csv          what the paper's tables report
    claims.toml              what its sentences claim, each with the criterion that decides
    claims/                  the code that checks them
    tolerances.toml          how close a cell has to come, fixed before the runs
    differences.toml         causes of differences, and what the paper does not determine; may be absent
    proofs/                  the runs that prove them
    notes.md                 silences of the paper and how they were filled

This module reads what is data in it; `reproduction` runs it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from aqmlab.errors import ExperimentError, UnknownQuantityError
from aqmlab.files.reading import read_text, read_toml
from aqmlab.files.records import read_as
from aqmlab.papers import documents, shipped
from aqmlab.papers.claims import registry_of
from aqmlab.papers.differences import read_differences
from aqmlab.papers.experiment import Experiment, chosen, configurations_of, look_up
from aqmlab.papers.published import read_published
from aqmlab.papers.statements import read_claims
from aqmlab.statistics.quantities import quantity

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable

    from aqmlab.papers.documents import Configuration, Figure, Scale, Tolerance
    from aqmlab.papers.published import Published

T = TypeVar("T")


names = shipped.names


def load(name: str, *, explained: bool = True) -> Experiment:
    """Reads the experiment of this name.

    Args:
        name: The experiment.
        explained: Whether causes and reasons are read, and their proofs checked.

    Raises:
        ExperimentError: There is none.
    """
    look_up(dict.fromkeys(names()), name, "experiment", "aqmlab")
    return read(shipped.root() / name, explained=explained)


def read(folder: Traversable, *, explained: bool = True) -> Experiment:
    """Reads and checks an experiment folder.

    Raises:
        ExperimentError: A file is missing or broken, or something in it is not legal; the message says where.
    """
    try:
        return _read(folder, explained=explained)
    except (ExperimentError, UnknownQuantityError) as error:
        raise ExperimentError(f"{folder.name}: {error}") from None


def _read(folder: Traversable, *, explained: bool) -> Experiment:
    declared = _document(Experiment, folder / "experiment.toml")
    configurations = configurations_of(declared)
    published = read_published(declared.published, folder, configurations.values())
    claims = read_claims(folder / published.claims, configurations)
    registry_of(folder.name).require(claims)
    tolerances = _document(documents.Tolerances, folder / "tolerances.toml").tolerance
    _check_tolerances(published, tolerances)
    experiment = replace(
        declared,
        name=folder.name,
        folder=folder,
        scenario_toml=read_text(folder / declared.scenario, ExperimentError),
        configurations=configurations,
        scales={name: _scale(name, declared, configurations) for name in declared.scales},
        published=published,
        published_claims=claims,
        tolerances=tolerances,
        notes=read_text(folder / "notes.md", ExperimentError),
    )
    if explained:
        experiment = replace(experiment, differences=read_differences(experiment))
    _check_names(experiment)
    return experiment


def _document(record: type[T], file: Traversable) -> T:
    return read_as(record, read_toml(file, ExperimentError), file.name, ExperimentError)


def _check_tolerances(published: Published, tolerances: Mapping[str, Tolerance]) -> None:
    """Whether every tolerance that a column of a table names is there."""
    for table in published.tables:
        wanted = [column.tolerance for column in table.columns]
        chosen(tolerances, wanted, kind="tolerance", experiment=f"table {table.identifier}")


def _check_names(experiment: Experiment) -> None:
    """Whether everything that a figure or a table names is there."""
    for figure in experiment.figures:
        _check_figure(figure, experiment)
    for table in experiment.published.tables:
        owner = f"table {table.identifier}"
        chosen(experiment.groups, table.candidates, kind="group", experiment=owner)
    if experiment.comparisons is not None:
        baseline, groups = experiment.comparisons.baseline, experiment.comparisons.groups
        chosen(experiment.configurations, [baseline], kind="cell", experiment="comparisons")
        chosen(experiment.groups, groups, kind="group", experiment="comparisons")


def _check_figure(figure: Figure, experiment: Experiment) -> None:
    """Whether a figure has what its kind needs."""
    owner = f"figure {figure.id}"
    if figure.kind == "false-positives":
        if not (figure.bins and figure.trials):
            raise ExperimentError(f"{owner}: false-positives needs bins and trials")
        return
    if figure.kind != "calibration" and not (figure.cells and figure.loads_percent):
        raise ExperimentError(f"{owner}: cells and loads_percent are missing")
    chosen(experiment.configurations, figure.cells, kind="cell", experiment=owner)
    if figure.kind == "over-time":
        if not figure.of or figure.every_s <= 0.0:
            raise ExperimentError(
                f"{owner}: over-time needs of, such as throughput_mbps/links.NAME, and every_s"
            )
        quantity(f"{figure.of}@0-{figure.every_s:g}")


def _scale(name: str, declared: Experiment, configurations: Mapping[str, Configuration]) -> Scale:
    """A scale with its name, and with what it leaves to the experiment."""
    scale = declared.scales[name]
    if scale.chosen_seeds and len(set(scale.chosen_seeds)) != scale.replications:
        raise ExperimentError(
            f"scale {name}: chosen_seeds: {scale.replications} different seeds, as replications says"
        )
    members = [each.name for each in configurations.values() if each.group in scale.groups]
    cells = [*members, *(cell for cell in scale.cells if cell not in members)]
    return replace(
        scale,
        name=name,
        loads_percent=scale.loads_percent or declared.loads_percent,
        cells=chosen(configurations, cells, kind="cell", experiment=f"scale {name}"),
        users_from=_users_from(name, scale, declared),
    )


def _users_from(name: str, scale: Scale, declared: Experiment) -> str:
    calibrated = bool(scale.calibration.users_per_side)
    origin = scale.users_from or ("calibration" if calibrated else "published")
    full = "users_per_side_at_100_percent"
    full_known = declared.users_per_side_at_100_percent is not None
    legal = [
        *(["published"] if declared.published.line is not None and full_known else []),
        *(["calibration"] if calibrated and full_known else []),
        *(["scenario"] if len(declared.loads_percent) == 1 and not scale.load_matched else []),
    ]
    if origin not in legal:
        raise ExperimentError(
            f'scale {name}: users_from = "{origin}"; legal: {" or ".join(legal)}; '
            f"published and calibration need {full}, scenario a single load without matching"
        )
    return origin
