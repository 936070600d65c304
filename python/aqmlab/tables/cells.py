"""A paper's table beside ours: every cell with its difference and whether it lies within the tolerance.

Which quantities a table has, and which of our cells stands beside which row, is declared with the experiment.
Loss is pooled over the queues of the links that carry data and throughput is their mean; each direction is
kept beside it. From six replications on every number has a 95 % interval over replications; with fewer the
plain mean is shown. Whether a cell is reproduced is judged by its mean, against tolerances that were fixed
before the runs. Where the published numbers look like single runs, each is also scored by where it lies among
single runs of ours (`statistics.RunToRun`).
"""

from __future__ import annotations

import csv
import html
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich import box
from rich.text import Text

from aqmlab.statistics import Interval, NotEnoughReplications, RunToRun, data_links, mean_interval, run_to_run
from aqmlab.statistics.quantities import OfLinks
from aqmlab.terminal import Table as RichTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aqmlab.published import Column, PublishedTable
    from aqmlab.statistics import Recorded
    from aqmlab.statistics.quantities import Quantity
    from aqmlab.study import Study

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


def _entry(study: Study, table: PublishedTable, column: Column, name: str, load: float) -> Entry:
    values = study.values(name, load, column.quantity)
    runs = run_to_run(values) if table.run_to_run else None
    published = table.row(name, load)
    if published is None:
        return Entry(mean_interval(values), None, None, runs)
    value = published.values[column.quantity.name]
    tolerance = study.experiment.tolerances[column.tolerance].around(value)
    return Entry(mean_interval(values), value, tolerance, runs)


def _mean_by_link(results: Sequence[Recorded], quantity: OfLinks) -> dict[str, float]:
    each = [quantity.by_link(result) for result in results]
    return {name: sum(values[name] for values in each) / len(each) for name in each[0]}


# ------------------------------------------------------------------------------------------- plain columns


def to_columns(rows: Sequence[Row]) -> tuple[list[str], list[list[Any]]]:
    """Column names, with units, and one list of values per row; absent values are empty text."""
    names = ["cell", "load_percent", "realised_load_percent", "replications"]
    first = rows[0] if rows else None
    for name, entry in first.entries.items() if first else ():
        names += [name, f"{name}_lower", f"{name}_upper"]
        names += [f"{name}_published", f"{name}_difference", f"{name}_within"]
        if entry.runs is not None:
            names += [f"{name}_{part}" for part in RUN_COLUMNS]
    by_link = first.by_link if first else {}
    names += [f"{quantity}_{link}" for quantity, links in by_link.items() for link in links]
    return names, [_values(row) for row in rows]


def to_csv(rows: Sequence[Row]) -> str:
    """The table as CSV."""
    names, values = to_columns(rows)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(values)
    return text.getvalue()


def _values(row: Row) -> list[Any]:
    values: list[Any] = [row.configuration, row.load_percent, _empty(row.realised_percent), row.replications]
    for entry in row.entries.values():
        values += [entry.mean, *_bounds(entry.ours), _empty(entry.published)]
        values += [_empty(entry.difference), _empty(entry.within)]
        if entry.runs is not None:
            runs = entry.runs
            values += [runs.standard_deviation, runs.minimum, runs.maximum, *_bounds(runs.next_run)]
            values += [_empty(entry.p_value)]
    return values + [value for links in row.by_link.values() for value in links.values()]


def _bounds(interval: Interval | NotEnoughReplications) -> tuple[float | str, float | str]:
    return (interval.lower, interval.upper) if isinstance(interval, Interval) else ("", "")


def _empty(value: float | bool | None) -> float | bool | str:
    return "" if value is None else value


# ------------------------------------------------------------------------------------------------- in print


@dataclass(frozen=True, slots=True)
class Printed:
    """One quantity as text: ours with its half width, the paper's, the difference, and its standing."""

    ours: str
    published: str
    difference: str
    within: bool | None


def printed(entry: Entry, quantity: Quantity) -> Printed:
    """A quantity as the tables for people show it."""
    digits = quantity.digits
    ours = f"{entry.mean:.{digits}f}"
    if isinstance(entry.ours, Interval):
        ours += f" ± {entry.ours.half_width:.{digits}f}"
    if entry.published is None or entry.difference is None:
        return Printed(ours, ABSENT, ABSENT, None)
    return Printed(ours, f"{entry.published:g}", f"{entry.difference:+.{digits}f}", entry.within)


def to_rich(rows: Sequence[Row], *, title: str) -> RichTable:
    """The table for the terminal; green where within the tolerance, red where not."""
    table = RichTable(
        title=title, caption=caption(rows), header_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0)
    )
    table.add_column("cell", no_wrap=True)
    table.add_column("load", justify="right", no_wrap=True)
    for quantity in rows[0].columns if rows else ():
        table.add_column(quantity.short, justify="right", no_wrap=True)
        table.add_column("paper", justify="right", no_wrap=True, style="dim")
        table.add_column("diff.", justify="right", no_wrap=True)
    previous = ""
    for row in rows:
        shown = "" if row.configuration == previous else row.label
        previous = row.configuration
        table.add_row(shown, f"{row.load_percent:g} %", *_rich_cells(row))
    return table


def _rich_cells(row: Row) -> list[Text]:
    cells: list[Text] = []
    for quantity in row.columns:
        text = printed(row.entries[quantity.name], quantity)
        style = {True: "green", False: "red", None: "dim"}[text.within]
        cells += [
            Text(text.ours.replace(" ± ", "±")),
            Text(text.published, style="dim"),
            Text(text.difference, style=style),
        ]
    return cells


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


def to_html(rows: Sequence[Row]) -> str:
    """The table as an HTML fragment."""
    quantities = rows[0].columns if rows else ()
    head = "".join(f'<th colspan="3">{html.escape(quantity.title)}</th>' for quantity in quantities)
    second = "<th>ours</th><th>paper</th><th>diff.</th>" * len(quantities)
    body = "\n".join(_html_row(row) for row in rows)
    return (
        '<table class="cells">\n<thead>\n'
        f'<tr><th rowspan="2">cell</th><th rowspan="2">load</th><th rowspan="2">realised</th>{head}</tr>\n'
        f"<tr>{second}</tr>\n</thead>\n<tbody>\n{body}\n</tbody>\n</table>\n"
    )


def _html_row(row: Row) -> str:
    realised = ABSENT if row.realised_percent is None else f"{row.realised_percent:.1f} %"
    cells = [f"<th>{html.escape(row.label)}</th>", f"<td>{row.load_percent:g} %</td>", f"<td>{realised}</td>"]
    for quantity in row.columns:
        text = printed(row.entries[quantity.name], quantity)
        standing = {True: "within", False: "outside", None: "absent"}[text.within]
        cells += [f"<td>{text.ours}</td>", f'<td class="paper">{text.published}</td>']
        cells.append(f'<td class="{standing}">{text.difference}</td>')
    return f"<tr>{''.join(cells)}</tr>"
