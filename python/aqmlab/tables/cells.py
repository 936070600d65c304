"""A paper's table beside ours: every cell with its difference and whether it lies within the tolerance.

Which quantities a table has, and which of our cells stands beside which row, is declared with the experiment.
Loss is pooled over the queues of the links that carry data and throughput is their mean; each direction is
kept beside it. From six replications on every number has a 95 % interval over replications; with fewer the
plain mean is shown. Whether a cell is reproduced is judged by its mean, against tolerances that were fixed
before the runs. Where the published numbers look like single runs, each is also scored by where it lies among
single runs of ours (`statistics.RunToRun`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from aqmlab.statistics import Interval, NotEnoughReplications, RunToRun, data_links, mean_interval, run_to_run
from aqmlab.statistics.quantities import OfLinks
from aqmlab.tables.model import (
    Column,
    Line,
    Medium,
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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from aqmlab.reproduce import published
    from aqmlab.reproduce.published import PublishedTable
    from aqmlab.reproduce.study import Study
    from aqmlab.statistics import Recorded
    from aqmlab.statistics.quantities import Quantity

NUMBERS = {2: "both", 3: "all three", 4: "all four"}
LEVEL = 0.05
ABSENT = "–"
RUN_COLUMNS = (
    "run_deviation",
    "run_minimum",
    "run_maximum",
    "next_run_lower",
    "next_run_upper",
    "published_p",
)
"""What stands beside a number where single runs are compared; what they mean is in `statistics.RunToRun`."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One quantity of one cell: ours, the paper's, how far apart they may be, and how our runs scatter."""

    ours: Interval | NotEnoughReplications
    published: float | None
    tolerance: float | None
    runs: RunToRun | None = None

    @property
    def mean(self) -> float:
        """Our mean over replications."""
        mean = self.ours.mean
        if mean is None:
            raise ValueError("a cell without any replication has no mean")
        return mean

    @property
    def difference(self) -> float | None:
        """Ours minus the paper's."""
        return None if self.published is None else self.mean - self.published

    @property
    def within(self) -> bool | None:
        """Whether ours lies within the tolerance; none where nothing was published."""
        if self.difference is None or self.tolerance is None:
            return None
        return abs(self.difference) <= self.tolerance

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

    @property
    def within(self) -> bool | None:
        """Whether every quantity lies within its tolerance; none where nothing was published."""
        judged = [entry.within for entry in self.entries.values()]
        return None if None in judged else all(judged)

    @property
    def like_a_run(self) -> bool | None:
        """Whether the row as a whole could be a single run of ours.

        Its numbers are those of one run, so that at 5 % each of them is asked at 5 % over their number.
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
    table = table or study.experiment.published_tables[0]
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
    )


def _entry(study: Study, table: PublishedTable, column: published.Column, name: str, load: float) -> Entry:
    values = study.values(name, load, column.quantity)
    runs = run_to_run(values) if table.run_to_run else None
    row = table.row(name, load)
    if row is None:
        return Entry(mean_interval(values), None, None, runs)
    value = row.values[column.quantity.name]
    tolerance = study.experiment.tolerances[column.tolerance].around(value)
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
        Column("cell", lambda row: text(row.label, value=row.configuration), "cell", heads_row=True),
        Column("load_percent", lambda row: number(row.load_percent, unit=" %"), "load"),
        Column(
            "realised_load_percent",
            lambda row: number(row.realised_percent, ".1f", unit=" %"),
            "realised",
            media=Medium.CSV | Medium.HTML,
        ),
        in_csv("replications", lambda row: row.replications),
    ]
    if not rows:
        return columns
    for quantity in rows[0].columns:
        columns += _quantity(quantity, scored=rows[0].entries[quantity.name].runs is not None)
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
        Column(
            f"{name}_difference", lambda row: _difference(row.entries[name], quantity), "diff.", group=group
        ),
        value(f"{name}_within", lambda entry: entry.within),
    ]
    if scored:
        columns += [
            value(f"{name}_{part}", partial(_of_runs, place=place)) for place, part in enumerate(RUN_COLUMNS)
        ]
    return columns


def _published(entry: Entry) -> TableCell:
    return TableCell(entry.published, (Line(_given(entry.published, "g"), Standing.PAPER),))


def _ours(entry: Entry, quantity: Quantity) -> TableCell:
    words = with_half_width(entry.ours, quantity.digits)
    return text(words, value=entry.mean, short=words.replace(" ± ", "±"))


def _difference(entry: Entry, quantity: Quantity) -> TableCell:
    words = _given(entry.difference, f"+.{quantity.digits}f")
    return TableCell(entry.difference, (Line(words, Standing.of(entry.within)),))


def _given(value: float | None, form: str) -> str:
    return ABSENT if value is None else format(value, form)


def _of_runs(entry: Entry, *, place: int) -> float | None:
    runs = entry.runs
    if runs is None:
        return None
    scatter = (runs.standard_deviation, runs.minimum, runs.maximum, *bounds(runs.next_run), entry.p_value)
    return scatter[place]


def caption(rows: Sequence[Row]) -> str:
    """What stands below the table: how many cells agree and what the ± means."""
    compared = published_rows(rows)
    counts = {row.replications for row in rows}
    replications = "/".join(str(count) for count in sorted(counts))
    agreeing = sum(1 for row in compared if row.within)
    entries = [entry for row in compared for entry in row.entries.values()]
    single = sum(1 for entry in entries if entry.within)
    text = f"{agreeing} of {len(compared)} cells within tolerance{_in_all(rows)}"
    text += f" ({single} of {len(entries)} single numbers); {replications} replications"
    has_interval = any(isinstance(entry.ours, Interval) for entry in entries)
    return text + (
        "; ± is the 95 % interval over replications" if has_interval else "; too few for intervals"
    )


def _in_all(rows: Sequence[Row]) -> str:
    count = len(rows[0].columns) if rows else 1
    return "" if count == 1 else f" in {NUMBERS.get(count, f'all {count}')} quantities"
