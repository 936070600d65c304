"""What quantities are called in tables: of whom they are, and below that what they are.

`run` and `compare` have a row for each quantity, `sweep` and `tune` a column: all take their words from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aqmlab.show.words.configurations import briefly, of_row
from aqmlab.statistics.catalogue import LOADED_MEDIAN, LOADED_P95, OF_OBJECTS, OF_PEOPLE
from aqmlab.tables.model import Column, in_csv, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aqmlab.statistics.quantities import Quantity

_GROUPS = {
    "datagrams": "{}",
    "populations": "{} (video)",
    "flows": "{} (flows)",
    "links": "link {}",
    "devices": "{} (device)",
}
_TITLES = {
    LOADED_MEDIAN.name: "half load in, s",
    LOADED_P95.name: "95 % load in, s",
    OF_OBJECTS[0].name: "half arrive in, s",
    OF_OBJECTS[1].name: "95 % arrive in, s",
    "completion_p50_s": "half complete in, s",
    "completion_p95_s": "95 % complete in, s",
    "queue_mean_ms": "queueing delay ms",
    "queue_mean_packets": "queue packets",
}
"""What the rows of some quantities are called, where the heading above says of what they are."""
_SLOWEST = "slowest loads in, s"
PAGES_IN_WORDS = "Pages: those that were waited for in the measured"
"""The beginning of the note on which pages count; the window follows."""
SLOWEST_IN_WORDS = "Slowest page: of each run; so few pages have no 95th percentile."


@dataclass(frozen=True, slots=True)
class Heading:
    """What a quantity is called: of whom it is, such as `game, up`, and what it is."""

    of: str
    what: str


def heading_of(quantity: Quantity, links: Sequence[str], *, slow_pages_are_carried: bool = True) -> Heading:
    """The heading of a quantity; too few pages for their 95th percentile have a slowest one."""
    name, _, part = quantity.name.partition("/")
    kind, _, of = part.partition(".")
    what = _TITLES.get(name, quantity.short.removesuffix(f", {of}"))
    if quantity is LOADED_P95 and not slow_pages_are_carried:
        what = _SLOWEST
    if kind:
        return Heading(_GROUPS.get(kind, "{}").format(briefly(of)), what)
    if quantity in OF_PEOPLE:
        return Heading("pages", what)
    if quantity in OF_OBJECTS:
        return Heading("objects of pages", what)
    return Heading(_GROUPS["links"].format(links[0]) if len(links) == 1 else "all links", what)


def queue_column(schemes: Sequence[str]) -> Column[Any]:
    """Which queue management a row is of, by its `name`; of the line as it is with its schemes in words."""
    return Column("queue", lambda row: text(of_row(row.name, schemes), value=row.name), "queue", words=True)


def other_numbers(names: Iterable[str], columns: Sequence[Column[Any]]) -> list[Column[Any]]:
    """Columns for programs of all other `numbers` that rows have."""
    there = {column.name for column in columns}
    return [in_csv(name, lambda row, name=name: row.numbers()[name]) for name in names if name not in there]  # type: ignore[misc]
