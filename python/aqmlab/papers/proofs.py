"""Why numbers and statements of a paper differ from ours: an experiment's `differences.toml`, and the proofs.

An entry has one sentence: the `cause` of a difference, why what the paper means is `not_identifiable`, that
is, not determined by what it prints, or a `conjecture`. It names what it concerns: claims, such as "S05",
statements, such as "S05.2" (the second of the claim in its file), and numbers of the published tables by
cell, load and quantity. Causes and reasons name the `proof` that shows them and are refused where it does
not; what has none is unknown, with or without a conjecture. Entries apply only where ours differs: what
agrees with the paper needs no cause.

`proofs/NAME.toml` says which two settings were run, with which cells, loads and seeds; `proofs/NAME.csv`
has what came out, and `aqmlab reproduce STUDY --proof NAME` makes it again. A proof goes by means over the
same seeds:

- a *cause* is proven for a number if the first setting, the study's own, has it outside its tolerance and
  the second, with the switch, inside; for a statement if it differs under the first and holds under the
  second;
- that something is *not identifiable* is proven if both settings meet every printed fact that the proof
  lists, and give numbers that are farther apart than the tolerance, or a statement that holds under one and
  differs under the other. Or, with a `price`, if the paper's own row contradicts every other.

The file of runs has a line for each setting, cell, load, seed and quantity; a seed such as 1-3 stands for
the mean of three. Lines without a cell are findings of statements.

Nothing here runs anything (`proving` does); what a proof does not show is refused with its place.

A *price* is what a per cent of missing requests costs in points of loss: every row of a table has one. A
paper's row contradicts every other if its price lies outside what its neighbours have in the paper, and
outside what they and the cell itself have in our runs under every setting, by more than the last printed
digits. Then no setting of ours gives the row, and what was different about it is not printed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING

from aqmlab.errors import ExperimentError, UnknownQuantityError
from aqmlab.files.reading import read_table, read_toml
from aqmlab.files.records import read_as
from aqmlab.files.shape import distinct
from aqmlab.papers.documents import Conclusion, Differences, Proof
from aqmlab.statistics.quantities import quantity
from aqmlab.terminal.spelling import quoted, whole_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from importlib.resources.abc import Traversable

    from aqmlab.papers.documents import Difference, Fact, Numbers, Price
    from aqmlab.papers.experiment import Experiment
    from aqmlab.papers.published import PublishedRow, PublishedTable

FOLDER = "proofs"
COLUMNS = ("setting", "cell", "load_percent", "seed", "quantity", "value")
HOLDS, DIFFERS = "holds", "differs"
"""The findings of statements (`claims.Finding`) that decide, as the file has them."""


@dataclass(frozen=True, slots=True)
class Proven:
    """A proof with its runs.

    Attributes:
        name: Its name.
        declared: What was run.
        means: The mean over the seeds by setting, cell, load and quantity.
        findings: What was found for each statement that the runs decide, by setting and statement.
    """

    name: str
    declared: Proof
    means: Mapping[tuple[str, str, float, str], float]
    findings: Mapping[tuple[str, str], str]

    @property
    def first(self) -> str:
        """The study's own setting, or one of the two."""
        return self.declared.settings[0].name

    @property
    def second(self) -> str:
        """The setting with the switch, or the other of the two."""
        return self.declared.settings[-1].name

    def both(self, cell: str, load_percent: float, name: str) -> tuple[float, float] | None:
        """A quantity under the first and the second setting; none where it was not run."""
        found = [self.means.get((each, cell, load_percent, name)) for each in (self.first, self.second)]
        first, second = found
        return None if first is None or second is None else (first, second)

    def findings_of(self, statement: str) -> tuple[str, str]:
        """What was found for a statement under the first and the second setting; empty where not decided."""
        first, second = (self.findings.get((each, statement), "") for each in (self.first, self.second))
        return first, second


def read_declared(experiment: Experiment, name: str) -> Proof:
    """What a proof of this name runs."""
    known = names(experiment.folder)
    if name not in known:
        raise ExperimentError.unknown(f"proof {quoted(name)}", name, known or ["none in this study"])
    file = experiment.folder / FOLDER / f"{name}.toml"
    place = f"{FOLDER}/{file.name}"
    declared = read_as(Proof, read_toml(file, ExperimentError), place, ExperimentError)
    legal = (1, 2) if declared.price is not None else (2,)
    if len(declared.settings) not in legal:
        least = "two, or one with a price" if declared.price is None else "one or two"
        raise ExperimentError(f"{place}: settings: {least}, not {len(declared.settings)}")
    distinct([each.name for each in declared.settings], f"{place}: settings", ExperimentError)
    if declared.scale not in experiment.scales:
        raise ExperimentError.unknown(f"{place}: scale", declared.scale, experiment.scales)
    for cell in declared.cells:
        if cell not in experiment.configurations:
            raise ExperimentError.unknown(f"{place}: cells", cell, experiment.configurations)
    for setting in declared.settings:
        replaced = [f"{cell}-{setting.suffix}" in experiment.configurations for cell in declared.cells]
        if setting.suffix and not any(replaced):
            raise ExperimentError(
                f"{place}: settings: {setting.name}: suffix: no cell of the proof has a variant "
                f"{quoted(setting.suffix)}"
            )
    for number, fact in enumerate(declared.facts, start=1):
        _check_fact(fact, f"{place}: facts[{number}]", declared, experiment)
    return declared


def names(folder: Traversable) -> list[str]:
    """The proofs that a study has."""
    inside = folder / FOLDER
    if not inside.is_dir():
        return []
    return sorted(each.name.removesuffix(".toml") for each in inside.iterdir() if each.name.endswith(".toml"))


def _check_fact(fact: Fact, place: str, declared: Proof, experiment: Experiment) -> None:
    if fact.statement:
        known = [each for inside in experiment.statements.values() for each in inside]
        if fact.statement not in known:
            raise ExperimentError.unknown(f"{place}.statement", fact.statement, known)
        return
    if not fact.quantity or (fact.least is None and fact.most is None):
        raise ExperimentError(f"{place}: give a statement, or a quantity with least or most")
    try:
        quantity(fact.quantity)
    except UnknownQuantityError as error:
        raise ExperimentError(f"{place}.quantity: {error}") from None
    if fact.cell not in declared.cells or fact.load_percent not in declared.loads_percent:
        raise ExperimentError(
            f"{place}: the proof does not run {quoted(fact.cell)} at {fact.load_percent:g} %"
        )


def read_proof(experiment: Experiment, name: str) -> Proven:
    """A proof with its runs."""
    declared = read_declared(experiment, name)
    file = experiment.folder / FOLDER / f"{name}.csv"
    place = f"{FOLDER}/{file.name}"
    if not file.is_file():
        raise ExperimentError(
            f"{place}: the runs of the proof are missing; "
            f"aqmlab reproduce {experiment.folder.name} --proof {name} makes them"
        )
    rows = read_table(file, ExperimentError)
    if not rows or tuple(rows[0]) != COLUMNS:
        raise ExperimentError(f"{place}: no runs of a proof; its columns are {', '.join(COLUMNS)}")
    known = [each.name for each in declared.settings]
    values: dict[tuple[str, str, float, str], list[tuple[range, float]]] = {}
    findings: dict[tuple[str, str], str] = {}
    for line, row in enumerate(rows, start=2):
        if row["setting"] not in known:
            raise ExperimentError.unknown(f"{place}:{line}: setting", row["setting"], known)
        if not row["cell"]:
            findings[row["setting"], row["quantity"]] = row["value"]
            continue
        seeds = whole_numbers(row["seed"])
        try:
            key = row["setting"], row["cell"], float(row["load_percent"]), row["quantity"]
            value = float(row["value"])
        except ValueError:
            raise ExperimentError(f"{place}:{line}: load_percent and value are numbers") from None
        if not seeds:
            raise ExperimentError(f"{place}:{line}: seed: a seed, or such as 1-3 for the mean of three")
        values.setdefault(key, []).append((seeds, value))
    for (setting, cell, load, _), found in values.items():
        run = sorted(seed for seeds, _ in found for seed in seeds)
        if run != sorted(declared.seeds):
            raise ExperimentError(
                f"{place}: {setting}, {cell} at {load:g} %: seeds {', '.join(map(str, run))}, where "
                f"{name}.toml has {', '.join(map(str, sorted(declared.seeds)))}"
            )
    return Proven(name, declared, {key: _mean(found) for key, found in values.items()}, findings)


def _mean(found: Sequence[tuple[range, float]]) -> float:
    """The mean over seeds, of which several may have one value, their mean."""
    return fmean([value for _, value in found], [float(len(seeds)) for seeds, _ in found])


# ---------------------------------------------------------------------------------------------- what is shown

MADE_TO_HOLD = (DIFFERS, HOLDS)
"""The findings for a statement under the first and the second setting, if the switch is why it differs."""


def moves_inside(published: float, tolerance: float, first: float, second: float) -> bool:
    """Whether a number is outside its tolerance under the first setting and inside under the second."""
    return abs(first - published) > tolerance >= abs(second - published)


def are_apart(_published: float, tolerance: float, first: float, second: float) -> bool:
    """Whether a number differs between two settings by more than its tolerance, whatever is published."""
    return abs(first - second) > tolerance


def require_cause(
    proven: Proven, experiment: Experiment, claims: Sequence[str], numbers: Sequence[Numbers]
) -> None:
    """Whether the switch brings in every number and statement."""
    _require_numbers(proven, experiment, numbers, moves_inside, "the switch does not move it inside")
    _require_statements(proven, experiment, claims, [MADE_TO_HOLD], "does not hold with the switch alone")


def require_not_identifiable(
    proven: Proven, experiment: Experiment, claims: Sequence[str], numbers: Sequence[Numbers]
) -> None:
    """Whether two settings that meet every fact disagree about every number and statement."""
    place = f"{FOLDER}/{proven.name}.toml"
    if proven.declared.price is not None:
        if claims:
            raise ExperimentError(f"{place}: a price is of cells of a table, not of claims")
        require_outside(proven, proven.declared.price, experiment.published.tables, numbers)
        return
    if not proven.declared.facts:
        raise ExperimentError(f"{place}: facts: missing; list what is printed and both settings meet")
    for number, fact in enumerate(proven.declared.facts, start=1):
        for setting, shown in _of_fact(proven, fact):
            if shown is not None:
                raise ExperimentError(f"{place}: facts[{number}]: not met by {setting}: {shown}")
    _require_numbers(
        proven, experiment, numbers, are_apart, "the settings differ by no more than the tolerance"
    )
    undecided = [MADE_TO_HOLD, MADE_TO_HOLD[::-1]]
    _require_statements(proven, experiment, claims, undecided, "both settings say the same")


def _of_fact(proven: Proven, fact: Fact) -> Iterator[tuple[str, str | None]]:
    """For each setting what contradicts a fact; none where it is met."""
    for setting in (proven.first, proven.second):
        if fact.statement:
            found = proven.findings.get((setting, fact.statement), "not decided by these runs")
            yield setting, None if found == HOLDS else f"{fact.statement}: {found}"
            continue
        value = proven.means.get((setting, fact.cell, fact.load_percent, fact.quantity))
        if value is None:
            yield setting, f"{fact.quantity} is not in the file of runs"
        elif (fact.least is not None and value < fact.least) or (fact.most is not None and value > fact.most):
            yield setting, f"{fact.quantity} is {value:g}"
        else:
            yield setting, None


def _require_numbers(
    proven: Proven,
    experiment: Experiment,
    numbers: Sequence[Numbers],
    shown: Callable[[float, float, float, float], bool],
    otherwise: str,
) -> None:
    for entry in numbers:
        table = experiment.published.table(entry.table)
        concerned = [
            (cell, load, column)
            for cell, load in table.rows
            for column in table.columns
            if entry.include(entry.table, cell, load, column.quantity.name)
        ]
        for cell, load, column in concerned:
            name = column.quantity.name
            published = table.rows[cell, load].values[name]
            both = proven.both(cell, load, name)
            place = f"{FOLDER}/{proven.name}.csv: {cell} at {load:g} %, {name}"
            if both is None:
                raise ExperimentError(f"{place}: not in the file of runs under both settings")
            tolerance = experiment.tolerances[column.tolerance].around(published)
            if not shown(published, tolerance, *both):
                raise ExperimentError(
                    f"{place}: {otherwise}: {proven.first} {both[0]:g}, {proven.second} {both[1]:g}, "
                    f"paper {published:g} ± {tolerance:g}"
                )


def _require_statements(
    proven: Proven,
    experiment: Experiment,
    claims: Sequence[str],
    wanted: Sequence[tuple[str, str]],
    otherwise: str,
) -> None:
    """Each statement has one of the wanted pairs of findings; of a claim each that differs in one of both."""
    for name in claims:
        each_of = experiment.statements.get(name, [name])
        found = {each: proven.findings_of(each) for each in each_of}
        counted = {
            each: both for each, both in found.items() if name not in experiment.statements or DIFFERS in both
        }
        if counted and all(both in wanted for both in counted.values()):
            continue
        place = f"{FOLDER}/{proven.name}.csv: {name}"
        told = "; ".join(
            f"{each}: {proven.first} {both[0] or 'not decided'}, {proven.second} {both[1] or 'not decided'}"
            for each, both in (counted or found).items()
        )
        raise ExperimentError(f"{place}: {otherwise}: {told}")


# ------------------------------------------------------------------------------------------ a price of a loss


def require_outside(
    proven: Proven, price: Price, tables: Sequence[PublishedTable], numbers: Sequence[Numbers]
) -> None:
    """Whether the published price of every cell lies outside all others, at its load."""
    place = f"{proven.name}.csv"
    by_name = {table.identifier: table for table in tables}
    for entry in numbers:
        table = by_name[entry.table]
        for cell, load in table.rows:
            if not any(entry.include(entry.table, cell, load, each.quantity.name) for each in table.columns):
                continue
            own = _published_prices(table, price, cell, load)
            others = [
                *(each for near in price.neighbours for each in _published_prices(table, price, near, load)),
                *(
                    each
                    for near in (cell, *price.neighbours)
                    for each in _our_prices(proven, price, near, load)
                ),
            ]
            if max(own) < min(others) or min(own) > max(others):
                continue
            raise ExperimentError(
                f"{place}: {cell} at {load:g} %: its price, {min(own):.2f} to {max(own):.2f}, is one that "
                f"the others have: {min(others):.2f} to {max(others):.2f}"
            )


def _published_prices(table: PublishedTable, price: Price, cell: str, load: float) -> list[float]:
    """The lowest and the highest price that rounds to what the paper prints."""
    row, plain = table.row(cell, load), table.row(price.against, load)
    if row is None or plain is None:
        raise ExperimentError(f"table {table.identifier} has no {quoted(cell)} at {load:g} %")
    points, left, full = (
        _as_printed(table, each, name)
        for each, name in ((row, price.points), (row, price.of), (plain, price.of))
    )
    return [
        price_of(points[0], left[0], full[1]),
        price_of(points[1], left[1], full[0]),
    ]


def _as_printed(table: PublishedTable, row: PublishedRow, name: str) -> tuple[float, float]:
    """The least and the most that rounds to a printed number."""
    (column,) = (each.name for each in table.columns if each.quantity.name == name)
    value, digits = row.values[name], row.text[column].partition(".")[2]
    half = 0.5 * 10.0 ** -len(digits)
    return value - half, value + half


def _our_prices(proven: Proven, price: Price, cell: str, load: float) -> list[float]:
    """The price of a cell in our runs under each setting."""

    def mean(setting: str, of: str, name: str) -> float:
        found = proven.means.get((setting, of, load, name))
        if found is None:
            raise ExperimentError(f"{proven.name}.csv: {of} at {load:g} %, {name}: not in the file of runs")
        return found

    return [
        price_of(
            mean(each.name, cell, price.points),
            mean(each.name, cell, price.of),
            mean(each.name, price.against, price.of),
        )
        for each in proven.declared.settings
    ]


def price_of(points: float, left: float, full: float) -> float:
    """Points for each per cent that is missing where `left` of `full` is there; infinite where nothing is."""
    missing_percent = 100.0 * (1.0 - left / full)
    return points / missing_percent if missing_percent > 0.0 else math.inf


# ------------------------------------------------------------------------------------------ differences.toml


FILE = "differences.toml"


_WEIGHT = (Conclusion.NOT_IDENTIFIABLE, Conclusion.CAUSE_KNOWN, Conclusion.CAUSE_UNKNOWN)
"""What is not identifiable needs no cause, and what has a cause no conjecture."""


def concluded(concerned: Sequence[Difference]) -> tuple[Conclusion, str, str]:
    """What follows for something that differs, why, and by which proof."""
    if not concerned:
        return Conclusion.CAUSE_UNKNOWN, "", ""
    first = min(concerned, key=lambda each: _WEIGHT.index(each.conclusion))
    return first.conclusion, first.says, first.proof


def read_differences(experiment: Experiment) -> tuple[Difference, ...]:
    """Reads the file of an experiment; a folder without one has no differences explained."""
    file = experiment.folder / FILE
    if not file.is_file():
        return ()
    document = read_as(Differences, read_toml(file, ExperimentError), FILE, ExperimentError)
    return tuple(
        _checked(entry, f"{FILE}: differences[{place}]", experiment)
        for place, entry in enumerate(document.differences, start=1)
    )


def _checked(entry: Difference, where: str, experiment: Experiment) -> Difference:
    if len(entry.given) != 1:
        raise ExperimentError(f"{where}: give one of cause, not_identifiable and conjecture")
    statements = experiment.statements
    for name in entry.claims:
        known = statements.get(name.partition(".")[0], statements)
        if name not in known and name not in statements:
            raise ExperimentError.unknown(f"{where}.claims: {quoted(name)}", name, known)
    if not entry.claims and not entry.numbers:
        raise ExperimentError(f"{where}: give claims or numbers that it concerns")
    numbers = tuple(
        _numbers(each, f"{where}.numbers[{number}]", experiment)
        for number, each in enumerate(entry.numbers, start=1)
    )
    found = replace(entry, numbers=numbers)
    _require_proof(found, where, experiment)
    return found


def _require_proof(entry: Difference, where: str, experiment: Experiment) -> None:
    """Whether what is said to be known is shown by runs."""
    if entry.conclusion is Conclusion.CAUSE_UNKNOWN:
        if entry.proof:
            raise ExperimentError(f"{where}.proof: a conjecture has none; say cause or not_identifiable")
        return
    if not entry.proof:
        raise ExperimentError(
            f"{where}.proof: missing; a cause or reason names its runs, a file in {FOLDER}; without "
            "them it is a conjecture"
        )
    try:
        proven = read_proof(experiment, entry.proof)
        require = require_cause if entry.conclusion is Conclusion.CAUSE_KNOWN else require_not_identifiable
        require(proven, experiment, entry.claims, entry.numbers)
    except ExperimentError as error:
        raise ExperimentError(f"{where}.proof: {error}") from None


def _numbers(entry: Numbers, where: str, experiment: Experiment) -> Numbers:
    """The numbers of an entry; the name of a group of cells stands for all of its own."""
    by_name = {table.identifier: table for table in experiment.published.tables}
    if entry.table not in by_name:
        raise ExperimentError.unknown(f"{where}.table", entry.table, by_name)
    quantities = [column.quantity.name for column in by_name[entry.table].columns]
    for name in entry.quantities:
        if name not in quantities:
            raise ExperimentError.unknown(f"{where}.quantities", name, quantities)
    for name in entry.cells:
        if name not in experiment.configurations and name not in experiment.groups:
            known = [*experiment.configurations, *experiment.groups]
            raise ExperimentError.unknown(f"{where}.cells", name, known)
    return replace(entry, cells=experiment.cells_of(entry.cells))
