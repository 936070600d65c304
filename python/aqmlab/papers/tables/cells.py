"""A paper's table beside ours: every cell with its difference and whether it lies within the tolerance.

Which quantities a table has, and which of our cells stands beside which row, is declared with the experiment.
Loss is pooled over the queues of the links that carry data and throughput is their mean; each direction is
kept beside it. From six replications on every number has a 95 % interval over replications; with fewer the
plain mean is shown. Whether a cell is reproduced is judged by its mean, against tolerances that were fixed
before the runs. A window that is shorter than the table asks for cannot show that the networks differ: what
lies outside then is held against our own numbers at the paper's length, where the experiment keeps them.
Cells whose published numbers an input of the models was chosen by are marked, and counted apart. Where the
published numbers look like single runs, each is also scored by where it lies among single runs of ours
(`statistics.RunToRun`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

from aqmlab.inference import Interval, NotEnoughReplications, RunToRun, mean_interval, run_to_run
from aqmlab.statistics import data_links, measured_window_s
from aqmlab.statistics.quantities import OfLinks
from aqmlab.tables.model import (
    Column,
    Line,
    Standing,
    Table,
    TableCell,
    bounds,
    bounds_in_csv,
    in_csv,
    number,
    text,
    with_half_width,
)
from aqmlab.terminal.spelling import each_counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from aqmlab.papers import published
    from aqmlab.papers.published import PublishedTable
    from aqmlab.papers.study import Study
    from aqmlab.statistics import Recorded
    from aqmlab.statistics.quantities import Quantity

NUMBERS = {2: "both", 3: "all three", 4: "all four"}
LEVEL = 0.05
ABSENT = "–"
IN_SAMPLE = "†"
RUN_COLUMNS = (
    "run_deviation",
    "run_minimum",
    "run_maximum",
    "next_run_lower",
    "next_run_upper",
    "published_p",
)
"""Marks of numbers in comparisons of single runs, explained in `statistics.RunToRun`."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One quantity of one cell: ours, the paper's, how far apart they may be, and how our runs scatter."""

    ours: Interval | NotEnoughReplications
    published: float | None
    tolerance: float | None
    runs: RunToRun | None = None

    @property
    def mean(self) -> float:
        """Our mean over replications; not a number where one of them has no value."""
        return float("nan") if self.ours.mean is None else self.ours.mean

    @property
    def difference(self) -> float | None:
        """Ours minus the paper's."""
        return None if self.published is None else self.mean - self.published

    @property
    def within(self) -> bool | None:
        """Whether ours lies within the tolerance; none where nothing was published."""
        return self.near(self.mean)

    def near(self, value: float) -> bool | None:
        """Whether a number lies within the tolerance of the published one; none where there is none."""
        if self.published is None or self.tolerance is None:
            return None
        return abs(value - self.published) <= self.tolerance

    @property
    def surely_within(self) -> bool:
        """Whether the whole interval over replications lies within the tolerance; not where there is none."""
        ends = [end for end in bounds(self.ours) if end is not None]
        return bool(ends) and all(self.near(end) for end in ends)

    @property
    def p_value(self) -> float | None:
        """How often a single run of ours would lie as far from our mean as the published number does."""
        if self.runs is None or self.published is None:
            return None
        return self.runs.p_value(self.published)

    @property
    def like_a_run(self) -> bool | None:
        """Whether the published number lies where 95 % of single runs of ours do; none with too few."""
        return None if self.p_value is None else self.p_value >= LEVEL


class Agreement(StrEnum):
    """How a cell of ours compares with the published one."""

    WITHIN = "within"
    WITHIN_HERE_ALONE = "within here alone"
    SCALE = "scale"
    DIFFERS = "differs"
    SCALE_CANNOT_JUDGE = "scale cannot judge"


AGREEMENTS = {
    Agreement.WITHIN: Standing.WITHIN,
    Agreement.WITHIN_HERE_ALONE: Standing.PARTLY,
    Agreement.SCALE: Standing.PARTLY,
    Agreement.DIFFERS: Standing.OUTSIDE,
    Agreement.SCALE_CANNOT_JUDGE: Standing.ABSENT,
}
SHORT = {Agreement.WITHIN_HERE_ALONE: "here alone", Agreement.SCALE_CANNOT_JUDGE: "cannot judge"}
"""On a terminal, where room is scarce."""
MEANINGS = {
    Agreement.WITHIN_HERE_ALONE: "within tolerance only here: outside at the paper's length",
    Agreement.SCALE: "scale: within at the paper's length",
    Agreement.DIFFERS: "that differ",
}


@dataclass(frozen=True)
class Row:
    """One cell of the table.

    Attributes:
        configuration: Its name.
        label: What it is called in print.
        group: Which part of the study it belongs to.
        load_percent: Nominal offered load.
        realised_percent: Offered load of the uncongested twins, mean of the replications, if it is known.
        replications: How many there are.
        entries: Each quantity of the table, by name.
        by_link: Means in each direction, by quantity, where both directions carry data.
        columns: The quantities, in the table's order.
        long_enough: Whether the measured window is one whose numbers are judged beside the paper's.
        at_length: Our means at the paper's length, by quantity, where the experiment keeps them.
        fitted: The inputs of the models that were chosen by each of its published numbers, by quantity.
        runs: The content addresses of its replications.
        can_fail: Whether its published numbers test more than the load (`PublishedTable.can_fail`).
    """

    configuration: str
    label: str
    group: str
    load_percent: float
    realised_percent: float | None
    replications: int
    entries: Mapping[str, Entry]
    by_link: Mapping[str, Mapping[str, float]]
    columns: tuple[Quantity, ...]
    long_enough: bool = True
    at_length: Mapping[str, float] | None = None
    fitted: Mapping[str, Sequence[str]] = field(default_factory=dict)
    runs: tuple[str, ...] = ()
    can_fail: bool = True

    @property
    def agreement(self) -> Agreement | None:
        """How it compares with the published cell; none if nothing was published."""
        return self._agreement(self.within, self.entries)

    @property
    def in_sample(self) -> tuple[str, ...]:
        """The inputs of the models that were chosen by published numbers of the cell."""
        return tuple(dict.fromkeys(each for inputs in self.fitted.values() for each in inputs))

    def agreement_of(self, quantity: str) -> Agreement | None:
        """The same of one of its numbers."""
        return self._agreement(self.entries[quantity].within, [quantity])

    def _agreement(self, within: bool | None, quantities: Iterable[str]) -> Agreement | None:
        if within is None:
            return None
        if self.long_enough or self.at_length is None:
            differs = Agreement.DIFFERS if self.long_enough else Agreement.SCALE_CANNOT_JUDGE
            return Agreement.WITHIN if within else differs
        at_length = all(self.entries[name].near(self.at_length[name]) for name in quantities)
        if within:
            return Agreement.WITHIN if at_length else Agreement.WITHIN_HERE_ALONE
        return Agreement.SCALE if at_length else Agreement.DIFFERS

    @property
    def within(self) -> bool | None:
        """Whether every quantity lies within its tolerance; none where nothing was published."""
        judged = [entry.within for entry in self.entries.values()]
        return None if None in judged else all(judged)

    @property
    def like_a_run(self) -> bool | None:
        """Whether the row as a whole could be a single run of ours.

        Its numbers come from one run, so each is tested at 5 % divided by their number.
        """
        values = [entry.p_value for entry in self.entries.values()]
        known = [value for value in values if value is not None]
        return min(known) >= LEVEL / len(known) if known and len(known) == len(values) else None


def cell_rows(study: Study, table: PublishedTable | None = None) -> list[Row]:
    """One row per cell that was run, in the order of the paper's table, or of the experiment.

    Args:
        study: Finished results.
        table: Which of the paper's tables; by default the first.
    """
    table = table or study.experiment.published.tables[0]
    if not table.every_cell:
        return [_row(study, table, *cell) for cell in table.rows if study.has(*cell)]
    return [
        _row(study, table, configuration, load)
        for configuration in study.experiment.configurations
        for load in study.loads_percent
        if study.has(configuration, load)
    ]


def published_rows(rows: Iterable[Row]) -> list[Row]:
    """The rows that the paper's table has too."""
    return [row for row in rows if row.within is not None]


def _row(study: Study, table: PublishedTable, name: str, load: float) -> Row:
    configuration = study.configuration(name)
    results = study.results(name, load)
    return Row(
        configuration=name,
        label=configuration.label,
        group=configuration.group,
        load_percent=load,
        realised_percent=study.realised_percent(name, load),
        replications=len(results),
        entries={column.quantity.name: _entry(study, table, column, name, load) for column in table.columns},
        by_link={
            column.quantity.name: _mean_by_link(results, column.quantity)
            for column in table.columns
            if isinstance(column.quantity, OfLinks) and len(data_links(results[0])) > 1
        },
        columns=tuple(column.quantity for column in table.columns),
        long_enough=table.judges_window(
            after_s=min(float(result.run["measured_from_s"]) for result in results),
            length_s=min(map(measured_window_s, results)),
        ),
        at_length=table.at_length.values.get((name, load)),
        fitted={
            column.quantity.name: table.inputs_fitted_to(name, load, column.quantity.name)
            for column in table.columns
        },
        runs=tuple(str(result.run.get("content_address", "")) for result in results),
        can_fail=table.can_fail(name, load, study.experiment.tolerances),
    )


def _entry(study: Study, table: PublishedTable, column: published.Column, name: str, load: float) -> Entry:
    values = study.values(name, load, column.quantity)
    runs = run_to_run(values) if table.run_to_run else None
    row = table.row(name, load)
    if row is None:
        return Entry(mean_interval(values), None, None, runs)
    value = row.values[column.quantity.name]
    tolerance = study.experiment.tolerance_of(column, value)
    return Entry(mean_interval(values), value, tolerance, runs)


def _mean_by_link(results: Sequence[Recorded], quantity: OfLinks) -> dict[str, float]:
    each = [quantity.by_link(result) for result in results]
    return {name: sum(values[name] for values in each) / len(each) for name in each[0]}


# ------------------------------------------------------------------------------------------------ as a table


def table_of(rows: Sequence[Row]) -> Table:
    """Every cell with the published one, their difference, and whether it lies within the tolerance."""
    return Table.of(rows, columns_of(rows), caption=caption(rows))


def columns_of(rows: Sequence[Row]) -> list[Column[Row]]:
    """The columns of the table."""
    columns: list[Column[Row]] = [
        Column("cell", _cell, "cell", heads_row=True),
        Column("load_percent", lambda row: number(row.load_percent, unit=" %"), "load"),
        Column(
            "realised_load_percent",
            lambda row: number(row.realised_percent, ".1f", unit=" %"),
            "offered",
        ),
        in_csv("replications", lambda row: row.replications),
    ]
    if not rows:
        return columns
    for quantity in rows[0].columns:
        columns += _quantity(quantity, scored=rows[0].entries[quantity.name].runs is not None)
    columns += [
        Column("agreement", _agreement, "verdict", words=True),
        in_csv("in_sample", lambda row: "; ".join(row.in_sample)),
    ]
    return columns + [
        in_csv(f"{name}_{link}", lambda row, name=name, link=link: row.by_link[name][link])  # type: ignore[misc]
        for name, found in rows[0].by_link.items()
        for link in found
    ]


def _quantity(quantity: Quantity, *, scored: bool) -> list[Column[Row]]:
    """The columns of a quantity: ours with its interval, the paper's, the difference, the scatter of runs."""
    name, group = quantity.name, quantity.title

    def value(name_in_csv: str, of: Callable[[Entry], object]) -> Column[Row]:
        return in_csv(name_in_csv, lambda row: of(row.entries[name]))

    columns: list[Column[Row]] = [
        Column(name, lambda row: _ours(row.entries[name], quantity), "ours", quantity.short, group),
        *bounds_in_csv(f"{name}_lower", f"{name}_upper", lambda row: row.entries[name].ours),
        Column(f"{name}_published", lambda row: _published(row.entries[name]), "paper", group=group),
        Column(f"{name}_difference", lambda row: _difference(row, quantity), "diff.", group=group),
        value(f"{name}_within", lambda entry: entry.within),
        in_csv(f"{name}_at_length", lambda row: None if row.at_length is None else row.at_length[name]),
    ]
    if scored:
        columns += [
            value(f"{name}_{part}", partial(_of_runs, place=place)) for place, part in enumerate(RUN_COLUMNS)
        ]
    return columns


def _published(entry: Entry) -> TableCell:
    return TableCell(entry.published, (Line(_given(entry.published, "g"), Standing.REFERENCE),))


def _ours(entry: Entry, quantity: Quantity) -> TableCell:
    words = with_half_width(entry.ours, quantity.digits)
    return text(words, value=entry.mean, short=words.replace(" ± ", "±"))


def _difference(row: Row, quantity: Quantity) -> TableCell:
    entry = row.entries[quantity.name]
    words = _given(entry.difference, f"+.{quantity.digits}f")
    standing = Standing.of(entry.within)
    if row.agreement is not None and standing is Standing.OUTSIDE:
        standing = AGREEMENTS[row.agreement]
    return TableCell(entry.difference, (Line(words, standing),))


def _cell(row: Row) -> TableCell:
    return text(f"{row.label} {IN_SAMPLE}" if row.in_sample else row.label, value=row.configuration)


def _agreement(row: Row) -> TableCell:
    if row.agreement is None:
        return TableCell(None, (Line(ABSENT),))
    note = (
        ", ".join(f"{each.short} {row.at_length[each.name]:.{each.digits}f}" for each in row.columns)
        if row.at_length
        else ""
    )
    cell = text(str(row.agreement), AGREEMENTS[row.agreement], short=SHORT.get(row.agreement))
    return replace(cell, note=f"ours at the paper's length: {note}" if note else "")


def _given(value: float | None, form: str) -> str:
    return ABSENT if value is None else format(value, form)


def _of_runs(entry: Entry, *, place: int) -> float | None:
    runs = entry.runs
    if runs is None:
        return None
    scatter = (runs.standard_deviation, runs.minimum, runs.maximum, *bounds(runs.next_run), entry.p_value)
    return scatter[place]


def caption(rows: Sequence[Row]) -> str:
    """What stands below the table: how many cells agree, what the others lack, and what the ± means."""
    compared = published_rows(rows)
    replications = each_counted((row.replications for row in rows), "replication")
    entries = [entry for row in compared for entry in row.entries.values()]
    single = sum(1 for entry in entries if entry.within)
    text = f"{_agreeing(compared)} cells within tolerance{_in_all(rows)}"
    text += f" ({single} of {len(entries)} single numbers){_apart(compared)}{_of_others(compared)}"
    has_interval = any(isinstance(entry.ours, Interval) for entry in entries)
    text += f"; {replications}"
    text += "; ± is the 95 % interval over replications" if has_interval else "; too few for intervals"
    offered = any(row.realised_percent is not None for row in rows)
    return text + ("; offered: load of the same users on the uncongested network" if offered else "")


def _agreeing(rows: Sequence[Row]) -> str:
    return f"{sum(1 for row in rows if row.within)} of {len(rows)}"


def _apart(rows: Sequence[Row]) -> str:
    """Cells that inputs were chosen by, and the others, counted apart."""
    fitted, others = [row for row in rows if row.in_sample], [row for row in rows if not row.in_sample]
    if not fitted:
        return ""
    inputs = ", ".join(dict.fromkeys(each for row in fitted for each in row.in_sample))
    return (
        f"; in-sample ({IN_SAMPLE}: {inputs} fitted to published numbers of the cell) {_agreeing(fitted)}, "
        f"others {_agreeing(others)}"
    )


def _of_others(rows: Sequence[Row]) -> str:
    """What the cells that are not simply within lack."""
    counts = Counter(row.agreement for row in rows)
    told = [
        f"{counts[each]} {MEANINGS.get(each, each)}"
        for each in Agreement
        if each is not Agreement.WITHIN and counts[each]
    ]
    return f"; {', '.join(told)}" if told else ""


def _in_all(rows: Sequence[Row]) -> str:
    count = len(rows[0].columns) if rows else 1
    return "" if count == 1 else f" in {NUMBERS.get(count, f'all {count}')} quantities"
