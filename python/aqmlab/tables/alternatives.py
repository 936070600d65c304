"""Configurations beside each other: levels, and differences to the first."""

from __future__ import annotations

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
from aqmlab.statistics.recorded import said_of_links
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
