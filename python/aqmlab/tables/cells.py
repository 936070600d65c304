"""The paper's table beside ours: every cell with its difference and whether it lies within the tolerance.

Completed requests are scaled to 90 minutes, throughput is the mean of both directions, loss is pooled over
both queues; each direction is kept beside it. From six replications on every number has a 95 % interval
over replications; with fewer the plain mean is shown. Whether a cell is reproduced is judged by its mean,
against tolerances that were fixed before the runs.
"""

from __future__ import annotations

import csv
import html
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table as RichTable
from rich.text import Text

from aqmlab.statistics import (
    Interval,
    NotEnoughReplications,
    completed_per_90_minutes,
    loss_percent,
    throughput_mbps,
)
from aqmlab.statistics.measures import loss_percent_by_link, throughput_mbps_by_link

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from aqmlab.experiment import PublishedCell
    from aqmlab.statistics import Recorded
    from aqmlab.study import Study

MILLION = 1e6
QUANTITIES = ("loss_percent", "completed_millions", "throughput_mbps")
TITLES = {
    "loss_percent": "loss, %",
    "completed_millions": "completed, millions / 90 min",
    "throughput_mbps": "throughput, Mbit/s",
}
# Short heads: with intervals, the table fits 108 columns of a terminal.
TERMINAL_TITLES = {"loss_percent": "loss %", "completed_millions": "compl. M", "throughput_mbps": "Mbit/s"}
DIGITS = {"loss_percent": 2, "completed_millions": 2, "throughput_mbps": 1}
ABSENT = "–"


@dataclass(frozen=True, slots=True)
class Entry:
    """One quantity of one cell: ours, the paper's, and how far apart they may be."""

    ours: Interval | NotEnoughReplications
    published: float | None
    tolerance: float | None

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
        entries: Each quantity.
        by_link: Mean of loss and throughput in each direction.
    """

    configuration: str
    label: str
    group: str
    load_percent: float
    realised_percent: float | None
    replications: int
    entries: Mapping[str, Entry]
    by_link: Mapping[str, Mapping[str, float]]

    @property
    def within(self) -> bool | None:
        """Whether every quantity lies within its tolerance; none where nothing was published."""
        judged = [entry.within for entry in self.entries.values()]
        return None if None in judged else all(judged)


def completed_millions(result: Recorded) -> float:
    """Completed exchanges in millions, scaled to 90 minutes."""
    return completed_per_90_minutes(result) / MILLION


MEASURES: Mapping[str, Callable[[Recorded], float]] = {
    "loss_percent": loss_percent,
    "completed_millions": completed_millions,
    "throughput_mbps": throughput_mbps,
}


def cell_rows(study: Study) -> list[Row]:
    """One row per cell that was run, in the order of the experiment."""
    return [
        _row(study, configuration, load)
        for configuration in study.experiment.configurations
        for load in study.loads_percent
        if study.has(configuration, load)
    ]


def published_rows(rows: Iterable[Row]) -> list[Row]:
    """The rows that the paper's table has too."""
    return [row for row in rows if row.within is not None]


def _row(study: Study, name: str, load: float) -> Row:
    configuration = study.configuration(name)
    results = study.results(name, load)
    published = study.published(name, load)
    return Row(
        configuration=name,
        label=configuration.label,
        group=configuration.group,
        load_percent=load,
        realised_percent=study.realised_percent(name, load),
        replications=len(results),
        entries={quantity: _entry(study, name, load, quantity, published) for quantity in QUANTITIES},
        by_link={
            "loss_percent": _mean_by_link(results, loss_percent_by_link),
            "throughput_mbps": _mean_by_link(results, throughput_mbps_by_link),
        },
    )


def _entry(study: Study, name: str, load: float, quantity: str, published: PublishedCell | None) -> Entry:
    ours = study.measure(name, load, MEASURES[quantity])
    if published is None:
        return Entry(ours, None, None)
    value: float = getattr(published, quantity)
    return Entry(ours, value, study.experiment.tolerances[quantity].around(value))


def _mean_by_link(
    results: Sequence[Recorded], of: Callable[[Recorded], Mapping[str, float]]
) -> dict[str, float]:
    each = [of(result) for result in results]
    return {name: sum(values[name] for values in each) / len(each) for name in each[0]}


# ------------------------------------------------------------------------------------------- plain columns


def to_columns(rows: Sequence[Row]) -> tuple[list[str], list[list[Any]]]:
    """Column names, with units, and one list of values per row; absent values are empty text."""
    names = ["cell", "load_percent", "realised_load_percent", "replications"]
    for quantity in QUANTITIES:
        names += [quantity, f"{quantity}_lower", f"{quantity}_upper"]
        names += [f"{quantity}_published", f"{quantity}_difference", f"{quantity}_within"]
    links = list(rows[0].by_link["loss_percent"]) if rows else []
    names += [f"{quantity}_{link}" for quantity in ("loss_percent", "throughput_mbps") for link in links]
    return names, [_values(row, links) for row in rows]


def to_csv(rows: Sequence[Row]) -> str:
    """The table as CSV."""
    names, values = to_columns(rows)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(values)
    return text.getvalue()


def _values(row: Row, links: Sequence[str]) -> list[Any]:
    values: list[Any] = [row.configuration, row.load_percent, _empty(row.realised_percent), row.replications]
    for quantity in QUANTITIES:
        entry = row.entries[quantity]
        bounds = (entry.ours.lower, entry.ours.upper) if isinstance(entry.ours, Interval) else ("", "")
        values += [
            entry.mean,
            *bounds,
            _empty(entry.published),
            _empty(entry.difference),
            _empty(entry.within),
        ]
    values += [
        row.by_link[quantity][link] for quantity in ("loss_percent", "throughput_mbps") for link in links
    ]
    return values


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


def printed(entry: Entry, quantity: str) -> Printed:
    """A quantity as the tables for people show it."""
    digits = DIGITS[quantity]
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
    for quantity in QUANTITIES:
        table.add_column(TERMINAL_TITLES[quantity], justify="right", no_wrap=True)
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
    for quantity in QUANTITIES:
        text = printed(row.entries[quantity], quantity)
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
    text = f"{agreeing} of {len(compared)} cells within tolerance in all three quantities"
    text += f" ({single} of {len(entries)} single numbers); {replications} replications"
    has_interval = any(isinstance(entry.ours, Interval) for entry in entries)
    return text + (
        "; ± is the 95 % interval over replications" if has_interval else "; too few for intervals"
    )


def to_html(rows: Sequence[Row]) -> str:
    """The table as an HTML fragment."""
    head = "".join(f'<th colspan="3">{html.escape(TITLES[quantity])}</th>' for quantity in QUANTITIES)
    second = "<th>ours</th><th>paper</th><th>diff.</th>" * len(QUANTITIES)
    body = "\n".join(_html_row(row) for row in rows)
    return (
        '<table class="cells">\n<thead>\n'
        f'<tr><th rowspan="2">cell</th><th rowspan="2">load</th><th rowspan="2">realised</th>{head}</tr>\n'
        f"<tr>{second}</tr>\n</thead>\n<tbody>\n{body}\n</tbody>\n</table>\n"
    )


def _html_row(row: Row) -> str:
    realised = ABSENT if row.realised_percent is None else f"{row.realised_percent:.1f} %"
    cells = [f"<th>{html.escape(row.label)}</th>", f"<td>{row.load_percent:g} %</td>", f"<td>{realised}</td>"]
    for quantity in QUANTITIES:
        text = printed(row.entries[quantity], quantity)
        standing = {True: "within", False: "outside", None: "absent"}[text.within]
        cells += [f"<td>{text.ours}</td>", f'<td class="paper">{text.published}</td>']
        cells.append(f'<td class="{standing}">{text.difference}</td>')
    return f"<tr>{''.join(cells)}</tr>"
