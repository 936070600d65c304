"""A paper's best settings, each beside the best of ours by the same criterion.

Differences to our best are paired by seed. Our best was chosen on the runs that it is shown with, so they
flatter it a little; `aqmlab tune` searches a range and takes the winner's figures from seeds of its own.
"""

from __future__ import annotations

import csv
import html
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich import box
from rich.text import Text

from aqmlab.statistics import Interval, NotEnoughReplications, mean_interval
from aqmlab.terminal import Table as RichTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.published import Criterion, PublishedTable
    from aqmlab.statistics.quantities import Quantity
    from aqmlab.study import Cell, Study

BEST = "our best too"
ALONE = "no other setting was run"
TIED = "not told apart from our best"
WORSE = "worse than our best"
OPEN = "too few replications"
STYLES = {BEST: "green", TIED: "green", WORSE: "red", OPEN: "dim", ALONE: "dim"}
STANDINGS = {BEST: "within", TIED: "within", WORSE: "outside", OPEN: "absent", ALONE: "absent"}


@dataclass(frozen=True)
class BestRow:
    """A setting that a paper calls best.

    Attributes:
        configuration: Its name.
        label: What it is called in print.
        load_percent: Offered load.
        criterion: What the paper calls it best by.
        figures: Our means of the quantities of all criteria.
        best: The configuration that is best by this criterion among ours that were run at this load.
        best_label: What that is called in print.
        place: Where the paper's setting comes among them, from 1.
        candidates: How many they are.
        difference: Its difference to our best in the criterion's first quantity, paired by seed.
        verdict: What follows.
    """

    configuration: str
    label: str
    load_percent: float
    criterion: Criterion
    figures: Mapping[str, Interval | NotEnoughReplications]
    best: str
    best_label: str
    place: int
    candidates: int
    difference: Interval | NotEnoughReplications
    verdict: str


def best_rows(study: Study, table: PublishedTable) -> list[BestRow]:
    """One row per published setting that was run."""
    return [_row(study, table, cell) for cell in table.rows if study.has(*cell)]


def quantities(table: PublishedTable) -> list[Quantity]:
    """The quantities of all criteria, each once."""
    found = {each.name: each for criterion in table.criteria.values() for each in criterion.quantities}
    return list(found.values())


def _row(study: Study, table: PublishedTable, cell: Cell) -> BestRow:
    criterion = table.criteria[table.rows[cell].text[table.criterion_column]]
    decisive = criterion.quantities[0]
    ranked = _ranked(study, table, cell, criterion)
    best = ranked[0]
    difference = study.difference(cell, best, decisive)
    return BestRow(
        configuration=cell[0],
        label=study.configuration(cell[0]).label,
        load_percent=cell[1],
        criterion=criterion,
        figures={each.name: mean_interval(study.values(*cell, each)) for each in quantities(table)},
        best=best[0],
        best_label=study.configuration(best[0]).label,
        place=ranked.index(cell) + 1,
        candidates=len(ranked),
        difference=difference,
        verdict=(BEST if len(ranked) > 1 else ALONE) if best == cell else _verdict(difference),
    )


def _ranked(study: Study, table: PublishedTable, cell: Cell, criterion: Criterion) -> list[Cell]:
    """Our cells at this load, the best by the criterion first."""
    names = [
        own.name
        for own in study.experiment.configurations.values()
        if own.group in table.candidates and study.has(own.name, cell[1])
    ]
    sign = -1.0 if criterion.highest else 1.0

    def cost(name: str) -> float:
        return sign * (mean_interval(study.values(name, cell[1], criterion.quantities[0])).mean or 0.0)

    return [(name, cell[1]) for name in sorted(dict.fromkeys([cell[0], *names]), key=cost)]


def _verdict(difference: Interval | NotEnoughReplications) -> str:
    if isinstance(difference, NotEnoughReplications):
        return OPEN
    return TIED if difference.lower <= 0.0 <= difference.upper else WORSE


# ------------------------------------------------------------------------------------------------- in print


def caption(rows: Sequence[BestRow]) -> str:
    """How many of the paper's settings are the best of ours, or cannot be told apart from it."""
    counts = {verdict: sum(1 for row in rows if row.verdict == verdict) for verdict in STYLES}
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    return (
        f"of {len(rows)} settings that the paper found best: {told or 'none was run'}. "
        "Our best is the best of the cells that were run; `aqmlab tune` searches a whole range"
    )


def to_csv(rows: Sequence[BestRow]) -> str:
    """The table as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = list(rows[0].figures) if rows else []
    head: list[str] = ["cell", "load_percent", "criterion"]
    for name in names:
        head += [name, f"{name}_lower", f"{name}_upper"]
    head += ["best_cell", "place", "candidates", "decided_by", "difference", "lower", "upper", "verdict"]
    writer.writerow(head)
    for row in rows:
        values: list[Any] = [row.configuration, row.load_percent, row.criterion.name]
        for figure in (*row.figures.values(),):
            values += _with_bounds(figure)
        values += [row.best, row.place, row.candidates, row.criterion.quantities[0].name]
        writer.writerow([*values, *_with_bounds(row.difference), row.verdict])
    return text.getvalue()


def _with_bounds(value: Interval | NotEnoughReplications) -> list[Any]:
    return [value.mean, *((value.lower, value.upper) if isinstance(value, Interval) else ("", ""))]


def to_rich(rows: Sequence[BestRow], table: PublishedTable, *, title: str) -> RichTable:
    """The table for the terminal."""
    drawn = RichTable(
        title=title, caption=caption(rows), header_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0)
    )
    for head in ("the paper's setting", "load", "best by"):
        drawn.add_column(head)
    for each in quantities(table):
        drawn.add_column(each.short, justify="right")
    drawn.add_column("place", justify="right", no_wrap=True)
    drawn.add_column("against our best")
    for row in rows:
        figures = [_mean(row.figures[each.name], each) for each in quantities(table)]
        against = Text(_against(row), style=STYLES[row.verdict])
        place = f"{row.place}/{row.candidates}"
        drawn.add_row(row.label, f"{row.load_percent:g} %", row.criterion.name, *figures, place, against)
    return drawn


def to_html(rows: Sequence[BestRow], table: PublishedTable) -> str:
    """The table as an HTML fragment."""
    names = quantities(table)
    titles = ("the paper's setting", "load", "best by", *(each.title for each in names))
    head = "".join(f"<th>{html.escape(title)}</th>" for title in (*titles, "place", "against our best"))
    body = "\n".join(_html_row(row, names) for row in rows)
    return f'<table class="cells">\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n'


def _html_row(row: BestRow, names: Sequence[Quantity]) -> str:
    figures = "".join(f"<td>{_with_half_width(row.figures[each.name], each)}</td>" for each in names)
    return (
        f"<tr><th>{html.escape(row.label)}</th><td>{row.load_percent:g} %</td>"
        f'<td class="text">{html.escape(row.criterion.name)}</td>{figures}'
        f"<td>{row.place} of {row.candidates}</td>"
        f'<td class="text {STANDINGS[row.verdict]}">{html.escape(_against(row))}</td></tr>'
    )


def _against(row: BestRow) -> str:
    if row.best == row.configuration:
        return row.verdict
    decisive = row.criterion.quantities[0]
    difference = _with_half_width(row.difference, decisive, sign="+")
    return f"{row.verdict}, {row.best_label}: {difference} ({decisive.short})"


def _mean(value: Interval | NotEnoughReplications, each: Quantity) -> str:
    return f"{value.mean:.{each.digits}f}"


def _with_half_width(value: Interval | NotEnoughReplications, each: Quantity, *, sign: str = "") -> str:
    text = f"{value.mean:{sign}.{each.digits}f}"
    return f"{text} ± {value.half_width:.{each.digits}f}" if isinstance(value, Interval) else text
