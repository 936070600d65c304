"""A table as data: what each column is called and each cell holds, in numbers and in print.

Three renderers draw it: `to_csv` for programs, `to_html` for the report, `to_terminal` for a terminal. A
column says where it is shown, because a program wants bounds in columns of their own and a reader wants
"1.2 ± 0.1".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Flag, StrEnum, auto
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from aqmlab.terminal.spelling import as_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from aqmlab.inference import Interval, NotEnoughReplications

Item = TypeVar("Item")


class Medium(Flag):
    """Where a column is shown."""

    CSV = auto()
    HTML = auto()
    TERMINAL = auto()
    PRINT = HTML | TERMINAL
    ALL = CSV | PRINT


class Standing(StrEnum):
    """How a text stands out; the values are classes of the report's style sheet."""

    PLAIN = ""
    WITHIN = "within"
    PARTLY = "partly"
    OUTSIDE = "outside"
    ABSENT = "absent"
    REFERENCE = "paper"

    @classmethod
    def of(cls, agrees: bool | None) -> Standing:
        """Of an answer: yes, no, or none."""
        return {True: cls.WITHIN, False: cls.OUTSIDE, None: cls.ABSENT}[agrees]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text in a cell."""

    text: str
    standing: Standing = Standing.PLAIN


@dataclass(frozen=True, slots=True)
class TableCell:
    """One cell.

    Attributes:
        value: What a program reads; none: nothing.
        lines: What a reader sees, line by line.
        short: What stands on a terminal instead, where room is scarce.
        note: What the report shows beside it on request.
    """

    value: object = None
    lines: tuple[Line, ...] = ()
    short: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Column(Generic[Item]):
    """A column of a table that has a row for each item.

    Attributes:
        name: Its head in CSV, with the unit.
        cell: What stands in it for an item.
        title: Its head in the report.
        short: Its head on a terminal; by default the title.
        group: In the report, a heading above it that the columns beside it share.
        stacked: Whether a terminal shows the group too, above the head.
        media: Where it is shown.
        words: Whether it holds words, not numbers.
        heads_row: Whether it says what a row is of; a terminal shows such a text once where rows share it.
        names_row: Whether it says so too, in each row: a wide table that goes into parts has it in each.
        wraps: Whether a narrow terminal may break its lines.
    """

    name: str
    cell: Callable[[Item], TableCell]
    title: str = ""
    short: str | None = None
    group: str = ""
    media: Medium = Medium.ALL
    words: bool = False
    heads_row: bool = False
    names_row: bool = False
    wraps: bool = False
    stacked: bool = False

    @property
    def terminal_head(self) -> tuple[str, str]:
        """What stands above it on a terminal, line by line: its group, if that is shown, and its head."""
        return self.group if self.stacked else "", self.title if self.short is None else self.short


@dataclass(frozen=True, slots=True)
class Table:
    """Columns and rows, with what stands above and below."""

    columns: tuple[Column[Any], ...]
    rows: tuple[tuple[TableCell, ...], ...]
    title: str = ""
    caption: str = ""

    @classmethod
    def of(
        cls,
        items: Iterable[Item],
        columns: Sequence[Column[Item]],
        *,
        title: str = "",
        caption: str = "",
    ) -> Table:
        """A table with a row for each item."""
        rows = tuple(tuple(column.cell(item) for column in columns) for item in items)
        return cls(tuple(columns), rows, title, caption)

    @classmethod
    def of_records(cls, records: Sequence[Mapping[str, object]]) -> Table:
        """A table that only programs read, from rows by the names of their columns."""
        names = dict.fromkeys(name for record in records for name in record)
        return cls.of(records, [in_csv(name, partial(_value, name=name)) for name in names])

    def shown_in(self, medium: Medium) -> Table:
        """The columns that a medium shows."""
        kept = [place for place, column in enumerate(self.columns) if medium in column.media]
        columns = tuple(self.columns[place] for place in kept)
        return Table(
            columns, tuple(tuple(row[at] for at in kept) for row in self.rows), self.title, self.caption
        )


def text(
    words: str, standing: Standing = Standing.PLAIN, *, value: object = None, short: str | None = None
) -> TableCell:
    """A cell of one line; without a value a program reads the words."""
    return TableCell(words if value is None else value, (Line(words, standing),), short)


def number(value: float | None, form: str = "g", *, unit: str = "", absent: str = "–") -> TableCell:
    """A number in the given format; a dash for none."""
    return TableCell(value, (Line(absent if value is None else f"{value:{form}}{unit}"),))


def digits_in_print(value: float, most: int) -> int:
    """Digits after the point: three that count in all, never more than so many."""
    before = max(0, math.floor(math.log10(abs(value)))) if value else 0
    return min(most, 2 - min(2, before))


def in_csv(name: str, value: Callable[[Item], object]) -> Column[Item]:
    """A column that only programs read."""
    return Column(name, lambda item: TableCell(value(item)), media=Medium.CSV)


def named(
    name: str,
    title: str = "",
    short: str | None = None,
    *,
    form: str = "g",
    unit: str = "",
    **looks: Any,  # noqa: ANN401 (as `Column` has them)
) -> Column[Mapping[str, Any]]:
    """A column of rows that have their values by name; without a title only programs read it.

    Words stand there as they are, numbers in the given format; a row may also have a cell that is made.
    """

    def cell(row: Mapping[str, Any]) -> TableCell:
        value = row[name]
        if isinstance(value, TableCell) or not title:
            return value if isinstance(value, TableCell) else TableCell(value)
        return text(value) if isinstance(value, str) else number(value, form, unit=unit)

    return Column(name, cell, title, short, media=Medium.ALL if title else Medium.CSV, **looks)


def bounds_in_csv(
    lower: str, upper: str, of: Callable[[Item], Interval | NotEnoughReplications]
) -> list[Column[Item]]:
    """The columns of an interval's bounds, under these names, that only programs read."""
    return [in_csv(lower, lambda item: bounds(of(item))[0]), in_csv(upper, lambda item: bounds(of(item))[1])]


def _value(record: Mapping[str, object], *, name: str) -> object:
    value = record.get(name)
    return as_text(value) if isinstance(value, dict | list) else value


def bounds(value: Interval | NotEnoughReplications) -> tuple[float | None, float | None]:
    """The bounds of an interval; none where there are too few replications, or where an end is not known."""
    lower, upper = (getattr(value, end, None) for end in ("lower", "upper"))
    return finite(lower), finite(upper)


def finite(value: float | None) -> float | None:
    """The number; none where it is infinite or none at all."""
    return value if value is not None and math.isfinite(value) else None


def with_half_width(value: Interval | NotEnoughReplications, digits: int, *, sign: str = "") -> str:
    """A mean with the half width of its interval, as far as it has them; of unequal arms the longer one."""
    if value.mean is None:
        return "–"
    mean = f"{value.mean:{sign}z.{digits}f}"
    lower, upper = bounds(value)
    if lower is None or upper is None:
        return mean
    return f"{mean} ± {max(upper - value.mean, value.mean - lower):.{digits}f}"
