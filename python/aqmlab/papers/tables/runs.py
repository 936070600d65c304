"""Published numbers that look like single runs, scored by the scatter of single runs of ours.

Three lines per cell: our mean with the standard deviation of one run, the least and the greatest of our
runs, and the published number with two marks. The first says whether it lies in the interval that one further
run of ours would fall into 19 times out of 20; the second, whether our mean is within the fixed tolerance.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from aqmlab.inference import MINIMUM_REPLICATIONS
from aqmlab.papers.tables.cells import columns_of, published_rows
from aqmlab.tables.model import Column, Line, Medium, Standing, Table, TableCell, number, text
from aqmlab.terminal.spelling import each_counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.papers.tables.cells import Entry, Row
    from aqmlab.statistics.quantities import Quantity

MARKS = {True: "✓", False: "✗", None: "·"}


def ours(entry: Entry, quantity: Quantity) -> str:
    """Our mean with the standard deviation of one run."""
    digits = quantity.digits
    text = f"{entry.mean:.{digits}f}"
    if entry.runs is not None and entry.runs.replications > 1:
        text += f"±{entry.runs.standard_deviation:.{digits}f}"
    return text


def extremes(entry: Entry, quantity: Quantity) -> str:
    """The least and the greatest of our runs."""
    if entry.runs is None:
        return ""
    digits = quantity.digits
    return f"{entry.runs.minimum:.{digits}f}–{entry.runs.maximum:.{digits}f}"


def paper(entry: Entry) -> str:
    """The published number with its two marks."""
    if entry.published is None:
        return ""
    return f"{entry.published:g} {MARKS[entry.like_a_run]}{MARKS[entry.within]}"


def caption(rows: Sequence[Row]) -> str:
    """How many published numbers look like runs of ours, how many of our means are near enough."""
    compared = published_rows(rows)
    entries = [entry for row in compared for entry in row.entries.values()]
    within = sum(1 for entry in entries if entry.within)
    counts = each_counted((row.replications for row in rows), "replication")
    text = f"our mean is within tolerance of {within} of {len(entries)} published numbers; {counts}"
    scored = [entry for entry in entries if entry.like_a_run is not None]
    if not scored:
        return f"{text}, too few to score single runs ({MINIMUM_REPLICATIONS} are needed)"
    like = sum(1 for entry in scored if entry.like_a_run)
    whole = [row for row in compared if row.like_a_run is not None]
    rows_like = sum(1 for row in whole if row.like_a_run)
    return (
        f"{like} of {len(scored)} published numbers lie in the 95 % interval of one further run of ours, "
        f"{rows_like} of {len(whole)} rows as a whole; {text}. ± is the standard deviation of one run; "
        "marks: as a single run, by tolerance"
    )


def table_of(rows: Sequence[Row]) -> Table:
    """Every cell in three lines."""
    columns: list[Column[Row]] = [
        replace(column, media=Medium.CSV) for column in columns_of(rows) if Medium.CSV in column.media
    ]
    columns += [
        Column("", lambda row: text(row.label), "cell", media=Medium.HTML, heads_row=True),
        Column("", lambda row: number(row.load_percent, unit=" %"), "load", media=Medium.HTML),
        Column("", lambda row: number(row.realised_percent, ".1f", unit=" %"), "offered", media=Medium.HTML),
        Column("", _three_heads, "cell", media=Medium.TERMINAL, words=True),
        Column("", lambda _: _NAMES, media=Medium.PRINT, words=True),
    ]
    columns += [
        Column("", partial(_three_lines, quantity=each), each.title, each.short, media=Medium.PRINT)
        for each in (rows[0].columns if rows else ())
    ]
    columns.append(Column("", _whole, "row", media=Medium.HTML))
    return Table.of(rows, columns, caption=caption(rows))


_NAMES = TableCell(lines=(Line("ours"), Line("min–max", Standing.REFERENCE), Line("paper")))


def _three_heads(row: Row) -> TableCell:
    """What a cell is called, on three short lines."""
    first, second, *rest = [*row.label.split(", "), "", ""]
    others = ", ".join(part for part in rest if part)
    offered = "" if row.realised_percent is None else f" (offered {row.realised_percent:.1f})"
    return TableCell(lines=(Line(f"{first}, {row.load_percent:g} %{offered}"), Line(second), Line(others)))


def _three_lines(row: Row, *, quantity: Quantity) -> TableCell:
    entry = row.entries[quantity.name]
    return TableCell(
        lines=(
            Line(ours(entry, quantity)),
            Line(extremes(entry, quantity), Standing.REFERENCE),
            Line(paper(entry), Standing.of(entry.like_a_run)),
        )
    )


def _whole(row: Row) -> TableCell:
    """Both marks of the row as a whole."""
    marks = "" if row.within is None else MARKS[row.like_a_run] + MARKS[row.within]
    return text(marks, Standing.of(row.like_a_run))
