"""Configurations beside each other: levels, and differences to the first."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.alternatives import (
    OF_PEOPLE,
    OF_THE_LINK,
    QUANTITIES,
    RESPONSE_MEDIAN,
    Alternatives,
)
from aqmlab.figures.ticks import unit_of, written
from aqmlab.statistics import MissingDataError
from aqmlab.statistics.quantities import queue_mean_packets
from aqmlab.statistics.recorded import said_of_links
from aqmlab.statistics.waiting import waiting_s
from aqmlab.tables.model import (
    Column,
    Line,
    Medium,
    Standing,
    Table,
    TableCell,
    bounds_in_csv,
    in_csv,
    text,
    with_half_width,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeAlias

    from aqmlab.statistics import Interval, NotEnoughReplications
    from aqmlab.statistics.quantities import Quantity

    Told: TypeAlias = Interval | NotEnoughReplications

_ON_TERMINAL = (*OF_PEOPLE, RESPONSE_MEDIAN, *OF_THE_LINK)
"""What has room on a narrow terminal; the report and programs get all."""


def alternatives_table(found: Alternatives, *, title: str = "beside each other") -> Table:
    """A row for each configuration; in print each level stands above the difference to the first."""
    columns: list[Column[str]] = [Column("configuration", text, "", words=True, heads_row=True)]
    for quantity in _recorded(found):
        media = Medium.PRINT if quantity in _ON_TERMINAL else Medium.HTML
        cell = partial(_level_and_difference, found, quantity)
        # Which pages are meant stands in the caption.
        heading = quantity.title.removesuffix(" (begun in the window)")
        if not _is_zero(found, quantity):
            columns.append(Column(quantity.name, cell, heading, quantity.short, media=media))
        columns += _in_csv(quantity.name, partial(_level, found, quantity))
        columns += _in_csv(f"{quantity.name}.minus_first", partial(_difference, found, quantity))
    return Table.of(found.names, columns, title=title, caption="\n".join(_caption(found)))


@dataclass(frozen=True)
class _Row:
    """A row of the page's table: what it is of, and its cell for each configuration."""

    title: str
    cell: Callable[[str], TableCell]


def quantities_table(found: Alternatives, *, title: str = "beside each other") -> Table:
    """For a page: a row for each quantity and a column for each configuration, which fit side by side."""
    columns: list[Column[_Row]] = [Column("quantity", _title, "", words=True, heads_row=True)]
    columns += [Column(name, partial(_cell, name), name) for name in found.names]
    return Table.of(_rows(found), columns, title=title, caption="\n".join(_caption(found)))


def _rows(found: Alternatives) -> Iterator[_Row]:
    for quantity in _recorded(found):
        if not _is_zero(found, quantity):
            yield _Row(_without_unit(quantity), partial(_in_words, found, quantity))
        if quantity is queue_mean_packets:
            for link in found.links:
                yield _Row(f"as waiting time, {link}", partial(_waiting, found, link))


def _title(row: _Row) -> TableCell:
    return text(row.title)


def _cell(name: str, row: _Row) -> TableCell:
    return row.cell(name)


def _without_unit(quantity: Quantity) -> str:
    words, _, unit = quantity.title.removesuffix(" (begun in the window)").rpartition(", ")
    return words if unit == quantity.unit else quantity.title


def _in_words(found: Alternatives, quantity: Quantity, name: str) -> TableCell:
    lines = [Line(_with_unit(_level(found, quantity, name), quantity))]
    if name != found.names[0]:
        difference = _difference(found, quantity, name)
        lines.append(Line(_with_unit(difference, quantity, sign="+"), Standing.PAPER))
    return TableCell(lines=tuple(lines))


def _with_unit(value: Told, quantity: Quantity, *, sign: str = "") -> str:
    """A number with its interval and unit in three digits; of times in ms below a second, in s above."""
    if value.mean is None:
        return "–"
    mean, half, unit = value.mean, getattr(value, "half_width", 0.0), quantity.unit
    if unit == "s" and abs(mean) < 1.0:
        mean, half, unit = 1e3 * mean, 1e3 * half, "ms"
    largest = max(abs(mean), half)
    decimals = max(0, 2 - int(np.floor(np.log10(largest)))) if largest > 0.0 else 0
    decimals = min(decimals, 2)
    spread = f" ± {half:,.{decimals}f}" if half else ""
    return f"{mean:{sign},.{decimals}f}{spread} {unit}".replace("-", "−")


def _waiting(found: Alternatives, link: str, name: str) -> TableCell:
    """The mean queue of a link as a time, where its frames are known."""
    summaries = [each for run in found.runs[name] for each in run.links if each["name"] == link]
    try:
        times = [waiting_s(each, np.array(each["queue_packets_mean"])) for each in summaries]
    except MissingDataError:
        return text("–")
    return text(written(float(np.mean(times)), unit_of("waiting time, s")))


def _recorded(found: Alternatives) -> Sequence[Quantity]:
    """The quantities that any configuration has in any run."""
    return [
        each
        for each in QUANTITIES
        if np.isfinite([found.values[name][each.name] for name in found.names]).any()
    ]


def _is_zero(found: Alternatives, quantity: Quantity) -> bool:
    """Whether it is zero in every run of all configurations: said in the caption, and no column of print."""
    return not any(found.values[name][quantity.name].any() for name in found.names)


def _level(found: Alternatives, quantity: Quantity, name: str) -> Told:
    return found.level(name, quantity)


def _difference(found: Alternatives, quantity: Quantity, name: str) -> Told:
    return found.change(name, quantity).difference


def _level_and_difference(found: Alternatives, quantity: Quantity, name: str) -> TableCell:
    lines = [Line(_told(_level(found, quantity, name), quantity))]
    if name != found.names[0]:
        lines.append(Line(_told(_difference(found, quantity, name), quantity, sign="+"), Standing.PAPER))
    return TableCell(lines=tuple(lines))


def _told(value: Told, quantity: Quantity, *, sign: str = "") -> str:
    return "–" if value.mean is None else with_half_width(value, quantity.digits, sign=sign).replace(" ", "")


def _in_csv(name: str, told: Callable[[str], Told]) -> Iterator[Column[str]]:
    """A mean and its bounds_in_csv, for programs."""
    yield in_csv(f"{name}.mean", lambda configuration: told(configuration).mean)
    yield from bounds_in_csv(f"{name}.lower", f"{name}.upper", told)


def _caption(found: Alternatives) -> Iterator[str]:
    seeds = len(found.seeds)
    yield "page, median: seconds until a page is loaded, or an object is there; of pages begun in the window"
    means = f"means of {seeds} {'seed' if seeds == 1 else 'seeds'}, with 95 % intervals from six on"
    if found.first_stage:
        means += f" (the first {found.first_stage} decided how many: Stein's two stages)"
    if len(found.names) > 1:
        means += (
            f"; below them the difference to {found.names[0]}, ± {100 * found.confidence_of_each:.4g} % "
            "each, so that all of pages hold together with 95 %"
        )
    yield f"{means}; –: not in every run, as where too few pages ended"
    if zero := [each.short for each in _recorded(found) if _is_zero(found, each)]:
        yield f"zero in every run: {', '.join(zero)}"
    yield said_of_links([", ".join(found.links)])
