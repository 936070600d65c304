"""What a paper prints, read here and nowhere else: its tables, with the quantity of ours beside each number.

A table of a paper is declared in the experiment's `experiment.toml`: the file with its rows, the columns that
say which configuration and load a row is of, and for each column of numbers the quantity of our runs that it
is compared with and the tolerance. Nothing here knows any paper.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from importlib.resources.abc import Traversable
from statistics import fmean
from typing import Annotated, Literal

from aqmlab.errors import ExperimentError
from aqmlab.files.reading import read_table
from aqmlab.files.records import ABSENT, KEY, NOT_EMPTY, Made
from aqmlab.load.line import Line
from aqmlab.papers.documents import Configuration, Loads, Tolerance
from aqmlab.statistics.quantities import Quantity, quantity
from aqmlab.terminal.spelling import quoted

NamedQuantity = Annotated[Quantity, Made(str, quantity)]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of numbers: its head in the file, the quantity of ours, the name of the tolerance."""

    name: str = field(metadata={KEY: "column"})
    quantity: NamedQuantity
    tolerance: str


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One row of a paper's table, as it concerns one of our configurations.

    Attributes:
        configuration: Ours.
        load_percent: The offered load.
        values: The published numbers, by quantity.
        text: The row as it stands in the file.
    """

    configuration: str
    load_percent: float
    values: Mapping[str, float]
    text: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Criterion:
    """What a paper calls a setting best by: quantities of our runs, of which the first decides."""

    quantities: Annotated[tuple[NamedQuantity, ...], NOT_EMPTY]
    best: Literal["highest", "lowest"]

    @property
    def highest(self) -> bool:
        """Whether the highest value is the best, not the lowest."""
        return self.best == "highest"


@dataclass(frozen=True, slots=True)
class Fitted:
    """An input of our models that was chosen by numbers of the table: they are no test of it.

    Attributes:
        input: What was chosen.
        cells: The configurations whose numbers it was fitted to.
        quantities: Which of their numbers, by quantity.
        loads_percent: The loads at which; empty: all.
    """

    input: str
    cells: tuple[str, ...]
    quantities: tuple[str, ...]
    loads_percent: Loads = ()

    def concerns(self, configuration: str, load_percent: float, quantity: str) -> bool:
        """Whether a number of a cell was used."""
        at_load = not self.loads_percent or load_percent in self.loads_percent
        return configuration in self.cells and at_load and quantity in self.quantities


@dataclass(frozen=True, slots=True)
class AtLength:
    """What our runs of the paper's length gave, kept with the experiment for shorter ones to be held against.

    Attributes:
        file: The file with the runs; none, where nothing is kept.
        measured: When, with which version and how.
        values: Their means by configuration and load in per cent, then by quantity.
    """

    file: str
    measured: str
    values: Mapping[tuple[str, float], Mapping[str, float]] = field(
        default_factory=dict, metadata={ABSENT: True}
    )


NOT_KEPT = AtLength("", "")


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A table of a paper.

    Attributes:
        identifier: Its number, such as "2"; names the file that ours is written to.
        file: The file with its rows.
        load: The column with the offered load.
        title: What it is called in print.
        note: What a reader has to know to read it.
        cell: The one configuration that all its rows are of, if `key` does not tell.
        key: The columns that tell the configuration, whose own values are in its `published`.
        groups: The groups of configurations that its rows may be of; by default all.
        every_cell: Whether all cells that were run are listed, not only those that the paper has too.
        other_reading: Whether its rows stand beside configurations that read the paper otherwise than the
            study does: what is learnt from them is told in its table, and is no reproduction of the paper.
        run_to_run: Whether its numbers look like single runs, and are scored by our run-to-run spread.
        columns: The columns of numbers.
        criterion_column: The column that names the criterion, of a table of best settings.
        criteria: For such a table: what they are best by; the columns are empty then.
        candidates: For such a table: the groups whose configurations compete.
        least_window_s: The shortest measured window whose numbers are judged beside the paper's, in seconds.
        least_warm_up_s: What has to pass before it begins, in seconds.
        fitted: The inputs that were chosen by its numbers.
        at_length: Our own numbers at the paper's length.
        without_effect: The configuration whose rows are the network without what the paper studies, if the
            table has it.
        rows: Its rows by configuration and load in per cent, in the order of the file. A row that several
            configurations answer to stands there once for each.
    """

    identifier: str = field(metadata={KEY: "id"})
    file: str
    load: str
    title: str = ""
    note: str = ""
    cell: str | None = None
    key: tuple[str, ...] = ()
    groups: tuple[str, ...] | None = None
    every_cell: bool = False
    other_reading: bool = False
    run_to_run: bool = False
    columns: tuple[Column, ...] = ()
    criterion_column: str = field(default="", metadata={KEY: "criterion"})
    criteria: Mapping[str, Criterion] = field(default_factory=dict)
    candidates: tuple[str, ...] = ()
    least_window_s: float = 0.0
    least_warm_up_s: float = 0.0
    fitted: tuple[Fitted, ...] = ()
    at_length: AtLength = NOT_KEPT
    without_effect: str | None = None
    rows: Mapping[tuple[str, float], PublishedRow] = field(default_factory=dict, metadata={ABSENT: True})

    @property
    def file_name(self) -> str:
        """What ours is written to."""
        return f"table{self.identifier}.csv"

    def judges_window(self, *, after_s: float, length_s: float) -> bool:
        """Whether numbers of a window of this length, which begins so long after the run, can be judged."""
        return length_s >= self.least_window_s and after_s >= self.least_warm_up_s

    def row(self, configuration: str, load_percent: float) -> PublishedRow | None:
        """The published row of a cell, if there is one."""
        return self.rows.get((configuration, load_percent))

    def can_fail(self, configuration: str, load_percent: float, tolerances: Mapping[str, Tolerance]) -> bool:
        """Whether the numbers of a cell test more than the offered load.

        They do if the paper's cell is farther from the network without effect at the same load than the
        tolerance, in one quantity at least. Where it is not, whatever leaves the traffic as it was agrees.
        Without a row of that network all numbers can fail.
        """
        row = self.row(configuration, load_percent)
        plain = None if self.without_effect is None else self.row(self.without_effect, load_percent)
        if row is None or plain is None:
            return True
        return any(
            round(abs(row.values[name] - plain.values[name]), 9)  # 80.6 - 79.1 is no more than 1.5
            > tolerances[column.tolerance].around(row.values[name])
            for column in self.columns
            for name in [column.quantity.name]
        )

    def inputs_fitted_to(self, configuration: str, load_percent: float, quantity: str) -> list[str]:
        """What was chosen by a number of a cell."""
        return [each.input for each in self.fitted if each.concerns(configuration, load_percent, quantity)]


@dataclass(frozen=True, slots=True)
class Published:
    """What a paper prints.

    Attributes:
        claims: The file of its claims.
        line: Its calibration, if there is one: throughput of one direction against users on one side.
        tables: Its tables, in the experiment's order.
    """

    claims: str
    line: Line | None = field(default=None, metadata={KEY: "calibration"})
    tables: tuple[PublishedTable, ...] = ()

    def table(self, identifier: str) -> PublishedTable:
        """The table of this number."""
        known = {table.identifier: table for table in self.tables}
        if identifier not in known:
            raise ExperimentError.unknown(f"table {identifier}", identifier, known)
        return known[identifier]

    def row(self, configuration: str, load_percent: float) -> PublishedRow | None:
        """What the first of the tables that has a cell reports for it."""
        rows = (table.row(configuration, load_percent) for table in self.tables)
        return next((row for row in rows if row is not None), None)


def read_published(
    declared: Published, folder: Traversable, configurations: Iterable[Configuration]
) -> Published:
    """What an experiment declares, with the numbers of its tables."""
    own = tuple(configurations)
    return replace(declared, tables=tuple(_read(table, folder, own) for table in declared.tables))


def _read(
    table: PublishedTable, folder: Traversable, configurations: Sequence[Configuration]
) -> PublishedTable:
    """A declared table with its rows, and with our own numbers at the paper's length."""
    name = f"table {table.identifier}"
    cells, quantities = [own.name for own in configurations], [each.quantity.name for each in table.columns]
    for place, each in enumerate(table.fitted, start=1):
        _require(each.cells, cells, f"{name}: fitted[{place}].cells")
        _require(each.quantities, quantities, f"{name}: fitted[{place}].quantities")
    _require(
        [table.without_effect] if table.without_effect is not None else [], cells, f"{name}: without_effect"
    )
    answering = [own for own in configurations if table.groups is None or own.group in table.groups]
    at_length = table.at_length
    if at_length.file:
        at_length = replace(at_length, values=_means(folder / at_length.file, quantities, name))
    rows = _rows(name, table, folder / table.file, answering)
    return replace(table, title=table.title or name, rows=rows, at_length=at_length)


def _require(names: Iterable[str], known: Sequence[str], place: str) -> None:
    for name in names:
        if name not in known:
            raise ExperimentError.unknown(place, name, known)


def _means(
    file: Traversable, names: Sequence[str], table: str
) -> dict[tuple[str, float], Mapping[str, float]]:
    """Our own numbers at the paper's length: the means over the runs of each cell.

    Of the file, rows of `replications.csv`, the columns of the published quantities count; a row is a run,
    or the mean of as many as a column `replications` says. Runs without any of them are of cells that this
    table does not have.
    """
    texts = _texts(file, ("cell", "load_percent", *names), table)
    runs: dict[tuple[str, float], list[Mapping[str, str]]] = {}
    for text in texts:
        if not any(text[name] for name in names):
            continue
        runs.setdefault((text["cell"], _number(text, "load_percent", table)), []).append(text)

    def mean(name: str, own: Sequence[Mapping[str, str]]) -> float:
        weights = [_number(text, "replications", table) if text.get("replications") else 1.0 for text in own]
        return fmean([_number(text, name, table) for text in own], weights)

    return {cell: {name: mean(name, own) for name in names} for cell, own in runs.items()}


def _rows(
    name: str,
    entry: PublishedTable,
    file: Traversable,
    configurations: Sequence[Configuration],
) -> dict[tuple[str, float], PublishedRow]:
    rows: dict[tuple[str, float], PublishedRow] = {}
    # Another reading of a table need not be run everywhere; the paper's own rows must all have their cells.
    for text in _texts(file, (entry.load, *entry.key, *(column.name for column in entry.columns)), name):
        load = _number(text, entry.load, name)
        answering = [own for own in configurations if _answers(own, entry, text) and own.runs_at(load)]
        if not entry.other_reading and not answering:
            raise ExperimentError(f"{name}: no configuration matches the row {','.join(text.values())}")
        values = {column.quantity.name: _number(text, column.name, name) for column in entry.columns}
        for own in answering:
            rows[own.name, load] = PublishedRow(own.name, load, values, text)
    return rows


def _texts(file: Traversable, columns: Iterable[str], table: str) -> list[dict[str, str]]:
    """The rows of a file, which has these columns."""
    texts = read_table(file, ExperimentError)
    for missing in (column for column in columns if texts and column not in texts[0]):
        raise ExperimentError(f"{table}: {file.name} has no column {missing}")
    return texts


def _number(row: Mapping[str, str], column: str, table: str) -> float:
    try:
        number = float(row[column])
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ExperimentError(f"{table}: {column}: a number, not {quoted(row[column])}")
    return number


def _answers(configuration: Configuration, entry: PublishedTable, text: Mapping[str, str]) -> bool:
    if entry.cell is not None:
        return configuration.name == entry.cell
    own = configuration.published or {}
    return all(key in own and _same(own[key], text[key]) for key in entry.key)


def _same(value: object, text: str) -> bool:
    """Whether a value of `experiment.toml` is what a table's text says; fractions such as 1/512 count."""
    if isinstance(value, bool):
        return text == ("yes" if value else "no")
    try:
        return Fraction(str(value)) == Fraction(text)
    except (ValueError, ZeroDivisionError):
        return str(value) == text
