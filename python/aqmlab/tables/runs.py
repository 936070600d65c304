"""Published numbers that look like single runs, scored by the scatter of single runs of ours.

Three lines per cell: our mean with the standard deviation of one run, the least and the greatest of our
runs, and the published number with two marks. The first says whether it lies in the interval that one further
run of ours would fall into 19 times out of 20; the second, whether our mean is within the fixed tolerance.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from rich import box
from rich.text import Text

from aqmlab.statistics import MINIMUM_REPLICATIONS
from aqmlab.tables.cells import published_rows
from aqmlab.terminal import Table as RichTable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aqmlab.statistics.quantities import Quantity
    from aqmlab.tables.cells import Entry, Row

MARKS = {True: "✓", False: "✗", None: "·"}
STYLES = {True: "green", False: "red", None: "dim"}
STANDINGS = {True: "within", False: "outside", None: "absent"}


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


def paper(entry: Entry, _: Quantity) -> str:
    """The published number with its two marks."""
    if entry.published is None:
        return ""
    return f"{entry.published:g} {MARKS[entry.like_a_run]}{MARKS[entry.within]}"


LINES: tuple[tuple[str, Callable[[Entry, Quantity], str]], ...] = (
    ("ours", ours),
    ("min–max", extremes),
    ("paper", paper),
)


def caption(rows: Sequence[Row]) -> str:
    """How many published numbers look like runs of ours, how many of our means are near enough."""
    compared = published_rows(rows)
    entries = [entry for row in compared for entry in row.entries.values()]
    within = sum(1 for entry in entries if entry.within)
    counts = "/".join(str(count) for count in sorted({row.replications for row in rows}))
    text = (
        f"our mean is within tolerance of {within} of {len(entries)} published numbers; {counts} replications"
    )
    scored = [entry for entry in entries if entry.like_a_run is not None]
    if not scored:
        return f"{text}, too few to score single runs ({MINIMUM_REPLICATIONS} are needed)"
    like = sum(1 for entry in scored if entry.like_a_run)
    whole = [row for row in compared if row.like_a_run is not None]
    rows_like = sum(1 for row in whole if row.like_a_run)
    return (
        f"{like} of {len(scored)} published numbers lie where one further run of ours would, 19 times of 20, "
        f"{rows_like} of {len(whole)} rows as a whole; {text}. ± is the standard deviation of one run; "
        "marks: as a single run, by tolerance"
    )


def to_rich(rows: Sequence[Row], *, title: str) -> RichTable:
    """The table for the terminal."""
    table = RichTable(
        title=title, caption=caption(rows), header_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0)
    )
    table.add_column("cell")
    table.add_column("", no_wrap=True, style="dim")
    for quantity in rows[0].columns if rows else ():
        table.add_column(quantity.short, justify="right", no_wrap=True)
    for row in rows:
        for head, (name, say) in zip(_heads(row), LINES, strict=True):
            table.add_row(Text(head), name, *_rich_line(row, name, say), end_section=name == "paper")
    return table


def _heads(row: Row) -> tuple[str, str, str]:
    """What a cell is called, on three short lines."""
    first, second, *rest = [*row.label.split(", "), "", ""]
    return f"{first}, {row.load_percent:g} %", second, ", ".join(part for part in rest if part)


def _rich_line(row: Row, name: str, say: Callable[[Entry, Quantity], str]) -> list[Text]:
    cells = []
    for quantity in row.columns:
        entry = row.entries[quantity.name]
        style = STYLES[entry.like_a_run] if name == "paper" else ("dim" if name == "min–max" else "")
        cells.append(Text(say(entry, quantity), style=style))
    return cells


def to_html(rows: Sequence[Row]) -> str:
    """The table as an HTML fragment."""
    quantities = rows[0].columns if rows else ()
    head = "".join(f"<th>{html.escape(quantity.title)}</th>" for quantity in quantities)
    body = "\n".join(_html_row(row) for row in rows)
    return (
        '<table class="cells">\n<thead>\n'
        f"<tr><th>cell</th><th>load</th><th></th>{head}<th>row</th></tr>\n</thead>\n"
        f"<tbody>\n{body}\n</tbody>\n</table>\n"
    )


def _html_row(row: Row) -> str:
    lines = []
    for name, say in LINES:
        cells = []
        for quantity in row.columns:
            entry = row.entries[quantity.name]
            kind = STANDINGS[entry.like_a_run] if name == "paper" else ("paper" if name == "min–max" else "")
            cells.append(f'<td class="{kind}">{html.escape(say(entry, quantity))}</td>')
        head = ""
        if name == "ours":
            whole = "" if row.within is None else MARKS[row.like_a_run] + MARKS[row.within]
            head = f'<th rowspan="3">{html.escape(row.label)}</th><td rowspan="3">{row.load_percent:g} %</td>'
            cells.append(f'<td rowspan="3" class="{STANDINGS[row.like_a_run]}">{whole}</td>')
        lines.append(f'<tr>{head}<td class="text soft">{name}</td>{"".join(cells)}</tr>')
    return "\n".join(lines)
