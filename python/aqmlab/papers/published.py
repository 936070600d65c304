"""What a paper prints, read here and nowhere else: its tables, with the quantity of ours beside each number.

A table of a paper is declared in the experiment's `experiment.toml`: the file with its rows, the columns that
say which configuration and load a row is of, and for each column of numbers the quantity of our runs that it
is compared with and the tolerance. Nothing here knows any paper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from statistics import fmean
from typing import TYPE_CHECKING

from aqmlab.errors import ExperimentError, UnknownQuantityError
from aqmlab.files.reading import read_table
from aqmlab.statistics.quantities import quantity
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from importlib.resources.abc import Traversable

    from aqmlab.load.line import Line
    from aqmlab.papers import documents
    from aqmlab.papers.documents import Configuration, Fitted
    from aqmlab.statistics.quantities import Quantity


@dataclass(frozen=True, slots=True)
class Column:
    """A column of numbers.

    Attributes:
        name: Its head in the file.
        quantity: What of ours it is compared with.
        tolerance: The name of the tolerance in `tolerances.toml`.
    """

    name: str
    quantity: Quantity
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
    """What a paper calls a setting best by.

    Attributes:
        name: Its name in the file.
        quantities: What tells it in our runs; the first decides.
        highest: Whether the highest value is the best, not the lowest.
    """

    name: str
    quantities: tuple[Quantity, ...]
    highest: bool


@dataclass(frozen=True, slots=True)
class AtLength:
    """What our runs of the paper's length gave, kept with the experiment for shorter ones to be held against.

    Attributes:
        values: The numbers by configuration and load in per cent, then by quantity.
        measured: When, with which version and how.
    """

    values: Mapping[tuple[str, float], Mapping[str, float]] = field(default_factory=dict)
    measured: str = ""


@dataclass(frozen=True)
class PublishedTable:
    """A table of a paper.

    Attributes:
        identifier: Its number, such as "2"; names the file that ours is written to.
        title: What it is called in print.
        note: What a reader has to know to read it.
        columns: The columns of numbers.
        rows: Its rows by configuration and load in per cent, in the order of the file. A row that several
            configurations answer to stands there once for each.
        every_cell: Whether all cells that were run are listed, not only those that the paper has too.
        other_reading: Whether its rows stand beside configurations that read the paper otherwise than the
            study does: what is learnt from them is told in its table, and is no reproduction of the paper.
        run_to_run: Whether its numbers look like single runs, and are scored by our run-to-run spread.
        criteria: For a table of best settings: what they are best by; the columns are empty then.
        criterion_column: The column that names the criterion.
        candidates: For such a table: the groups whose configurations compete.
        least_window_s: The shortest measured window whose numbers are judged beside the paper's, in seconds.
        least_warm_up_s: What has to pass before it begins, in seconds.
        fitted: The inputs that were chosen by its numbers.
        at_length: Our own numbers at the paper's length.
        without_effect: The configuration whose rows are the network without what the paper studies, if the
            table has it.
    """

    identifier: str
    title: str
    note: str
    columns: tuple[Column, ...]
    rows: Mapping[tuple[str, float], PublishedRow]
    every_cell: bool = False
    other_reading: bool = False
    run_to_run: bool = False
    criteria: Mapping[str, Criterion] = field(default_factory=dict)
    criterion_column: str = ""
    candidates: tuple[str, ...] = ()
    least_window_s: float = 0.0
    least_warm_up_s: float = 0.0
    fitted: tuple[Fitted, ...] = ()
    at_length: AtLength = field(default_factory=AtLength)
    without_effect: str | None = None

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

    def can_fail(
        self, configuration: str, load_percent: float, tolerances: Mapping[str, documents.Tolerance]
    ) -> bool:
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


@dataclass(frozen=True)
class Published:
    """The numbers that a paper prints.

    Attributes:
        tables: Its tables, in the experiment's order.
        line: Its calibration, if there is one: throughput of one direction against users on one side.
    """

    tables: tuple[PublishedTable, ...] = ()
    line: Line | None = None

    def table(self, identifier: str) -> PublishedTable:
        """The table of this number.

        Raises:
            ExperimentError: There is none.
        """
        known = {table.identifier: table for table in self.tables}
        if identifier not in known:
            raise ExperimentError.unknown(f"table {identifier}", identifier, known)
        return known[identifier]

    def row(self, configuration: str, load_percent: float) -> PublishedRow | None:
        """What the first of the tables that has a cell reports for it."""
        rows = (table.row(configuration, load_percent) for table in self.tables)
        return next((row for row in rows if row is not None), None)


def read_published(
    declared: documents.Published, folder: Traversable, configurations: Iterable[Configuration]
) -> Published:
    """Reads all published numbers that an experiment declares.

    Raises:
        ExperimentError: A table names a quantity that there is not, a column that its file has not, or it has
            a row that no configuration answers to.
    """
    own = tuple(configurations)
    return Published(tuple(_table(entry, folder, own) for entry in declared.tables), declared.calibration)


def _table(
    entry: documents.PublishedTable, folder: Traversable, configurations: Sequence[Configuration]
) -> PublishedTable:
    """Reads a declared table and finds the configuration of each of its rows."""
    name = f"table {entry.id}"
    try:
        columns = tuple(
            Column(each.column, quantity(each.quantity), each.tolerance) for each in entry.columns
        )
        criteria = {
            criterion: Criterion(criterion, tuple(map(quantity, by.quantities)), highest=by.best == "highest")
            for criterion, by in entry.criteria.items()
        }
    except UnknownQuantityError as error:
        raise ExperimentError(f"{name}: {error}") from None
    answering = [own for own in configurations if entry.groups is None or own.group in entry.groups]
    return PublishedTable(
        identifier=entry.id,
        title=name if entry.title is None else entry.title,
        note=entry.note,
        columns=columns,
        rows=_rows(name, entry, folder / entry.file, columns, answering),
        every_cell=entry.every_cell,
        other_reading=entry.other_reading,
        run_to_run=entry.run_to_run,
        criteria=criteria,
        criterion_column=entry.criterion,
        candidates=entry.candidates,
        least_window_s=entry.least_window_s,
        least_warm_up_s=entry.least_warm_up_s,
        fitted=_fitted(entry, name, [own.name for own in configurations], columns),
        at_length=_at_length(entry, name, folder, columns),
        without_effect=_without_effect(entry, name, [own.name for own in configurations]),
    )


def _without_effect(entry: documents.PublishedTable, table: str, configurations: Sequence[str]) -> str | None:
    """The configuration of the network without effect, which is known."""
    if entry.without_effect is not None and entry.without_effect not in configurations:
        raise ExperimentError.unknown(f"{table}: without_effect", entry.without_effect, configurations)
    return entry.without_effect


def _fitted(
    entry: documents.PublishedTable, table: str, configurations: Sequence[str], columns: Sequence[Column]
) -> tuple[Fitted, ...]:
    """The inputs that were chosen by numbers of the table, whose names are known."""
    quantities = [column.quantity.name for column in columns]
    for place, each in enumerate(entry.fitted, start=1):
        for key, named, known in (
            ("cells", each.cells, configurations),
            ("quantities", each.quantities, quantities),
        ):
            for name in named:
                if name not in known:
                    raise ExperimentError.unknown(f"{table}: fitted[{place}].{key}", name, known)
    return entry.fitted


def _at_length(
    entry: documents.PublishedTable, table: str, folder: Traversable, columns: Sequence[Column]
) -> AtLength:
    """Our own numbers at the paper's length: the means over the runs of each cell.

    Of the file, rows of `replications.csv`, the columns of the published quantities count; a row is a run,
    or the mean of as many as a column `replications` says. Runs without any of them are of cells that this
    table does not have.
    """
    if entry.at_length is None:
        return AtLength()
    file = folder / entry.at_length.file
    names = [column.quantity.name for column in columns]
    texts = _texts(file, ("cell", "load_percent", *names), table)
    runs: dict[tuple[str, float], list[Mapping[str, str]]] = {}
    for text in texts:
        if not any(text[name] for name in names):
            continue
        runs.setdefault((text["cell"], _number(text, "load_percent", table)), []).append(text)

    def mean(name: str, own: Sequence[Mapping[str, str]]) -> float:
        weights = [_number(text, "replications", table) if text.get("replications") else 1.0 for text in own]
        return fmean([_number(text, name, table) for text in own], weights)

    values = {cell: {name: mean(name, own) for name in names} for cell, own in runs.items()}
    return AtLength(values, entry.at_length.measured)


def _rows(
    name: str,
    entry: documents.PublishedTable,
    file: Traversable,
    columns: Sequence[Column],
    configurations: Sequence[Configuration],
) -> dict[tuple[str, float], PublishedRow]:
    rows: dict[tuple[str, float], PublishedRow] = {}
    # Another reading of a table need not be run everywhere; the paper's own rows must all have their cells.
    for text in _texts(file, (entry.load, *entry.key, *(column.name for column in columns)), name):
        load = _number(text, entry.load, name)
        answering = [own for own in configurations if _answers(own, entry, text) and own.runs_at(load)]
        if not entry.other_reading and not answering:
            raise ExperimentError(f"{name}: no configuration matches the row {','.join(text.values())}")
        values = {column.quantity.name: _number(text, column.name, name) for column in columns}
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


def _answers(configuration: Configuration, entry: documents.PublishedTable, text: Mapping[str, str]) -> bool:
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
