"""The experiments' folders, read and checked.

A folder of `python/aqmlab/experiments/` (shipped with the package) holds

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

A claim in `claims.toml` is a sentence with testable statements. A statement names its check with the cells
`a` and `b`, as in `check = ["better", "pi-24", "pi-240"]`, and the load of both, or of each; every other
key is given to the check. It stands for many where it has `each`: lists of values, of which every
combination is put in the place of `{name}`. In words `{a}` and `{b}` are what the cells are called in
print, `{margin}` is a number that decides, and `{margin%}` the same in per cent. A number may be one of the
words that the paper uses for it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any, TypeVar

from aqmlab.errors import ExperimentError, UnknownQuantityError
from aqmlab.files.reading import read_text, read_toml
from aqmlab.files.records import read_as
from aqmlab.files.shape import distinct
from aqmlab.papers import documents, shipped
from aqmlab.papers.claims import registry_of
from aqmlab.papers.documents import Claims, Statement
from aqmlab.papers.experiment import Experiment, chosen, configurations_of, look_up
from aqmlab.papers.proofs import read_differences
from aqmlab.papers.published import read_published
from aqmlab.statistics.quantities import quantity
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from importlib.resources.abc import Traversable

    from aqmlab.papers.documents import Claim, Configuration, Figure, Scale, Tolerance
    from aqmlab.papers.published import Published

T = TypeVar("T")


names = shipped.names


def load(name: str, *, explained: bool = True) -> Experiment:
    """Reads the experiment of this name."""
    look_up(dict.fromkeys(names()), name, "experiment", "aqmlab")
    return read(shipped.root() / name, explained=explained)


def read(folder: Traversable, *, explained: bool = True) -> Experiment:
    """Reads and checks an experiment folder."""
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


# ----------------------------------------------------------------------------------------------------- claims


_PLACEHOLDER = re.compile(r"\{(\w+)(%?)\}")
_CELLS = ("a", "b")
_OWN = {"says", "check", "load", "each"}
"""Keys of a statement that its check is not given."""


def read_claims(file: Traversable, configurations: Mapping[str, Configuration]) -> tuple[Claim, ...]:
    """Reads the claims of an experiment with these configurations."""
    document = read_as(Claims, read_toml(file, ExperimentError), file.name, ExperimentError)
    distinct([claim.identifier for claim in document.claims], f"{file.name}.claims", ExperimentError)
    return tuple(
        replace(
            claim,
            statements=tuple(
                statement
                for number, entry in enumerate(claim.entries, start=1)
                for statement in _expanded(entry, claim.identifier, number, document.words, configurations)
            ),
        )
        for claim in document.claims
    )


def _expanded(
    entry: Mapping[str, Any],
    claim: str,
    number: int,
    words: Mapping[str, float],
    configurations: Mapping[str, Configuration],
) -> Iterator[Statement]:
    """The statements that an entry stands for, one for every combination of the values of `each`."""
    place = f"claim {claim}: statements[{number}]"
    each = entry.get("each", {})
    for combination in product(*each.values()):
        chosen = dict(zip(each, combination, strict=True))
        given = {}
        for key in entry.keys() - _OWN:
            value = _filled(entry[key], chosen, f"{place}.{key}")
            given[key] = words.get(value, value) if isinstance(value, str) else value
        check, *names = (str(_filled(name, chosen, f"{place}.check")) for name in entry["check"])
        for name in names:
            if name not in configurations:
                raise ExperimentError.unknown(f"{place}.check", name, configurations)
        loads = _loads(entry.get("load", chosen.get("load")), len(names), place)
        labels = dict(zip(_CELLS, (configurations[name].label for name in names), strict=False))
        shown = {**chosen, **given, **labels, **dict(zip(("load", "load_b"), loads, strict=False))}
        cells = dict(zip(_CELLS, zip(names, loads, strict=True), strict=False))
        says = str(_filled(entry["says"], shown, f"{place}.says"))
        yield Statement(number, place, says, check, {**cells, **given})


def _loads(given: object, cells: int, place: str) -> list[float]:
    """The load of each cell that a check looks at, in per cent: its own, or the one that all share."""
    loads: list[Any] = given if isinstance(given, list) else [given] * cells
    legal = all(isinstance(load, int | float) and not isinstance(load, bool) for load in loads)
    if not legal or len(loads) != cells or cells > len(_CELLS):
        raise ExperimentError(
            f"{place}: {cells} cells at the load {quoted(given)}; legal: {len(_CELLS)} cells at most, and a "
            "load in per cent for all or for each"
        )
    return [float(load) for load in loads]


def _filled(text: Any, values: Mapping[str, Any], place: str) -> Any:  # noqa: ANN401
    """A text with values filled in, or the value that it names; other things are unchanged."""
    if not isinstance(text, str):
        return text

    def value(name: str) -> Any:  # noqa: ANN401
        if name not in values:
            raise ExperimentError.unknown(f"{place}: {{{name}}}", name, values)
        return values[name]

    def written(found: re.Match[str]) -> str:
        known = value(found[1])
        if isinstance(known, bool) or not isinstance(known, int | float):
            return str(known)
        return f"{100.0 * known:g}" if found[2] else f"{known:g}"

    whole = _PLACEHOLDER.fullmatch(text)
    return value(whole[1]) if whole else _PLACEHOLDER.sub(written, text)
