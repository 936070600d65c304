"""A comparison as tables: for people quantities below each other, for programs a row per configuration."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from aqmlab.comparison.told import LOADED_MEDIAN, OF_LINKS, OF_OBJECTS, OF_PEOPLE, RESPONSE_MEDIAN
from aqmlab.statistics import Interval
from aqmlab.statistics.quantities import queue_mean_packets
from aqmlab.tables.model import (
    Column,
    Line,
    Standing,
    Table,
    TableCell,
    bounds_in_csv,
    in_csv,
    text,
    with_half_width,
)
from aqmlab.words.amounts import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from aqmlab.comparison import Change, Comparison, Level
    from aqmlab.statistics import NotEnoughReplications
    from aqmlab.statistics.quantities import Quantity

    Estimate = Interval | NotEnoughReplications

_HEADING_WIDTH, _COLUMN_WIDTH = 21, 12
"""Columns of a terminal that the names of quantities take, and each configuration."""
_GROUPS = {"datagrams": "", "flows": "", "links": "link "}


@dataclass(frozen=True)
class _Row:
    """A quantity with the title of its row; without a quantity, the heading of the rows below."""

    title: str
    quantity: Quantity | None = None


def comparison_table(found: Comparison, *, title: str = "levels and differences") -> Table:
    """One row per quantity, one column per configuration, differences below levels."""
    below = [f"In grey: the difference from {found.baseline}."] if len(found.names) > 1 else []
    return _table(found, found.names, title, caption="\n".join([*below, *notes(found)]))


def comparison_tables(found: Comparison, *, width: int = 80) -> list[Table]:
    """The same for a terminal of a given width: configurations without room go into further tables.

    The baseline stands in each of them.
    """
    others = found.names[1:]
    step = max(1, (width - _HEADING_WIDTH) // _COLUMN_WIDTH - 1)
    parts = [others[start : start + step] for start in range(0, len(others), step)] or [()]
    return [_table(found, (found.baseline, *part), "") for part in parts]


def _table(found: Comparison, names: Sequence[str], title: str, *, caption: str = "") -> Table:
    columns: list[Column[_Row]] = [
        Column("quantity", _heading, "", words=True),
        *(Column(name, partial(_cell, found, name), name) for name in names),
    ]
    return Table.of(_rows(found), columns, title=title, caption=caption)


def comparison_records(found: Comparison) -> Table:
    """For programs: a row for each configuration, with mean, bounds and difference of each quantity."""
    columns: list[Column[str]] = [Column("configuration", text)]
    for quantity in _recorded(found):
        columns += _in_csv(quantity.name, partial(_level, found, quantity))
        columns += _in_csv(f"{quantity.name}.minus_first", partial(_difference, found, quantity))
        columns += [in_csv(f"{quantity.name}.runs", partial(_runs, found, quantity))]
    return Table.of(found.names, columns)


def _recorded(found: Comparison) -> list[Quantity]:
    """The quantities that any configuration has in any run."""
    return [
        each for each in found.quantities if any(found.values(name, each).known.any() for name in found.names)
    ]


def _is_zero(found: Comparison, quantity: Quantity) -> bool:
    """Whether it is zero in every run of all configurations: named in the caption, without a row."""
    return not any(found.values(name, quantity).values.any() for name in found.names)


def _rows(found: Comparison) -> list[_Row]:
    """What is printed, under headings: links one by one where there are several."""
    together = {each.name for each in OF_LINKS} if len(found.links) > 1 else set()
    rows: list[_Row] = []
    heading = ""
    for quantity in _recorded(found):
        if quantity.name in together or _is_zero(found, quantity):
            continue
        group, title = _place(found, quantity)
        if group != heading:
            rows.append(_Row(group))
            heading = group
        rows.append(_Row(title, quantity))
    return rows


def _place(found: Comparison, quantity: Quantity) -> tuple[str, str]:
    """The heading of a quantity's row, and what it is called below that."""
    kind, _, name = quantity.name.partition("/")[2].partition(".")
    if kind:
        return f"{_GROUPS.get(kind, '')}{name}", _in_rows(quantity.short.removesuffix(f", {name}"))
    if quantity in OF_PEOPLE:
        return "pages", "median s" if quantity is LOADED_MEDIAN else "95 % s"
    if quantity in OF_OBJECTS:
        return "objects of pages", "median s" if quantity is RESPONSE_MEDIAN else "95 % s"
    return f"link {found.links[0]}", _in_rows(quantity.short)


def _in_rows(short: str) -> str:
    """The heading of a row, which has room for the unit that a column leaves out."""
    return "queue packets" if short == queue_mean_packets.short else short


def _heading(row: _Row) -> TableCell:
    return text(row.title) if row.quantity is None else text(f"  {row.title}")


def _cell(found: Comparison, name: str, row: _Row) -> TableCell:
    if row.quantity is None:
        return text("")
    level = found.level(name, row.quantity)
    shown = _level_in_print(level, row.quantity)
    differences, differs = [], False
    if name != found.baseline and level.have:
        change = found.change(name, row.quantity)
        differences.append(Line(_difference_in_print(change), Standing.PAPER))
        differs = change.direction != 0
    # A star marks a difference from the baseline's; the terminal leaves the difference out.
    mark = "" if len(found.names) == 1 else "*" if differs else " "
    return TableCell(lines=(Line(f"{shown}{mark}".rstrip()), *differences), short=f"{shown}{mark}")


def _digits(value: float, quantity: Quantity) -> int:
    """Digits after the point: three that count in all, never more than the quantity has."""
    before = max(0, math.floor(math.log10(abs(value)))) if value else 0
    return min(quantity.digits, 2 - min(2, before))


def _level_in_print(level: Level, quantity: Quantity) -> str:
    if level.mean is None:
        return "–"
    digits = _digits(level.mean, quantity)
    if level.beyond:
        return f">{level.mean:.{digits}f}"
    return with_half_width(level.estimate, digits).replace(" ", "")


def _difference_in_print(change: Change) -> str:
    estimate = change.difference
    digits = _digits(change.after.mean or 0.0, change.quantity)
    if estimate.mean is None:
        return "–"
    if change.is_one_sided and isinstance(estimate, Interval):
        above = math.isinf(estimate.upper)
        return f"{'>' if above else '<'}{(estimate.lower if above else estimate.upper):+.{digits}f}"
    return with_half_width(estimate, digits, sign="+").replace(" ", "")


def _level(found: Comparison, quantity: Quantity, name: str) -> Estimate:
    return found.level(name, quantity).estimate


def _difference(found: Comparison, quantity: Quantity, name: str) -> Estimate:
    return found.change(name, quantity).difference


def _runs(found: Comparison, quantity: Quantity, name: str) -> int:
    return found.level(name, quantity).have


def _in_csv(name: str, told: Callable[[str], Estimate]) -> Iterator[Column[str]]:
    """A mean and its bounds, for programs; an end that is not known is empty."""
    yield in_csv(f"{name}.mean", lambda configuration: told(configuration).mean)
    yield from bounds_in_csv(f"{name}.lower", f"{name}.upper", told)


def notes(found: Comparison) -> list[str]:
    """What stands below the tables: how sure the numbers are, what they are of, and which queues were set."""
    return [*_how_sure(found), *_of_what(found), *found.queues_in_words()]


def _how_sure(found: Comparison) -> Iterator[str]:
    seeds = counted(len(found.seeds), "seed")
    sure = isinstance(found.level(found.baseline, found.of_the_link[0]).estimate, Interval)
    yield f"Means over {seeds}" + (", ± 95 % confidence intervals." if sure else " (too few for intervals).")
    if found.first_stage:
        yield f"The first {found.first_stage} seeds decided the number of seeds (Stein's two stages)."
    if len(found.names) > 1 and sure:
        sure_of_each = f"{100 * found.confidence_of_each:.4g} % intervals"
        yield (
            f"*: differs from {found.baseline} ({sure_of_each}: all statements on pages hold together with "
            "95 %)."
        )


def _of_what(found: Comparison) -> Iterator[str]:
    if found.tells_pages:
        yield f"Pages: those that began in the measured {found.window_s:g} s. Objects: the parts of pages."
    beyond = max(found.level(name, each).beyond for name in found.names for each in found.of_people)
    if beyond:
        yield f">: at least; in up to {counted(beyond, 'run')} too few pages loaded before the end."
    have = [found.level(name, each).have for name in found.names for each in found.of_people]
    if 0 < min(have, default=0) < len(found.seeds):
        yield f"Pages began in {min(have)} of {len(found.seeds)} runs; only these count for pages."
    if found.datagram_groups:
        yield "Delay: one way, from sending to arrival."
    if zero := [each.short for each in _recorded(found) if "/" not in each.name and _is_zero(found, each)]:
        yield f"Zero in every run: {', '.join(zero)}."
