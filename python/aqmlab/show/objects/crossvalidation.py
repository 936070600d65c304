"""What a cross-validation looks like, simulation and live run side by side: printed, and in a notebook."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from aqmlab.inference.replication import Interval
from aqmlab.runs.live.disciplines import in_words
from aqmlab.show.tables.comparison import difference_in_print, digits_of, level_in_print
from aqmlab.show.tables.printed import Unwrapped, shows
from aqmlab.show.words.live import verdict
from aqmlab.statistics.observation import Bound, Observation
from aqmlab.statistics.recorded import mark_of, marked
from aqmlab.study.crossvalidation import CrossValidation
from aqmlab.tables.model import Column, Table, TableCell, number, text
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aqmlab.comparison import Change, Level, Values
    from aqmlab.show.tables.printed import Part
    from aqmlab.statistics.quantity import Quantity
    from aqmlab.study.crossvalidation import Compared


def printed(found: CrossValidation) -> Iterator[Part]:
    """The table, whether the timing of each live run is valid, and what the kernel has."""
    runs = found.runs
    title = marked(
        f"{found.scenario.name}, {counted(len(found.seeds), 'seed')}",
        mark_of({"live": [*runs.live, *runs.kernel]}),
    )
    yield crossvalidation_table(found.compared, title=title)
    for which, audit in runs.audits():
        yield Unwrapped(verdict(which, audit), "yellow" if audit["reasons"] else "")
    if found.offers:
        without = ", not run" if any(offer.problem for offer in found.offers) else ""
        yield Unwrapped(f"queue disciplines of the kernel{without}: {in_words(found.offers)}")


def crossvalidation_table(rows: Sequence[Compared], *, title: str) -> Table:
    """A row for each quantity: the means with their ranges, the paired differences with their intervals."""
    columns: list[Column[Compared]] = [
        Column("quantity", lambda row: text(row.quantity.short, value=row.quantity.name), words=True),
        Column("simulated", lambda row: _level(row.quantity, row.change.before, row.simulated), "simulated"),
        Column("live", lambda row: _level(row.quantity, row.change.after, row.live), "live"),
        Column("difference", lambda row: _difference(row.change), "live less simulated"),
        Column("difference_percent", lambda row: _share(row.change), "%"),
        Column("verdict", lambda row: text(_verdict(row.change)), "verdict", words=True),
    ]
    if any(row.kernel is not None for row in rows):
        columns += [
            Column("kernel", _kernel_level, "kernel's queues"),
            Column("kernel_difference", _kernel_difference, "kernel less live"),
            Column("kernel_verdict", _kernel_verdict, "verdict", words=True),
        ]
    caption = (
        "mean, of times geometric, with the smallest and largest seed in brackets; differences with 95 % "
        "intervals, also in % of the simulated value; >, < and a to b: bounds"
    )
    return Table.of(rows, columns, title=title, caption=caption)


def _level(quantity: Quantity, level: Level, values: Values) -> TableCell:
    known = [each for each in values.each if each.is_known]
    ends = [level.mean or 0.0, *(each.value for each in known)]
    digits = max(digits_of(each, quantity) for each in ends)
    lowest, highest = (min(known, key=lambda each: each.lower), max(known, key=lambda each: each.upper))
    if lowest.bound is Bound.BETWEEN:
        lowest = Observation.exact(lowest.lower)
    if highest.bound is Bound.BETWEEN:
        highest = Observation.exact(highest.upper)
    least, greatest = (each.written(lambda value: f"{value:.{digits}f}") for each in (lowest, highest))
    mean = level_in_print(level, quantity).partition("±")[0]
    return _cell(f"{mean} [{least}, {greatest}]", None if level.bound else level.mean)


def _difference(change: Change) -> TableCell:
    estimate = change.difference
    two_sided = isinstance(estimate, Interval) and not math.isinf(estimate.upper - estimate.lower)
    value = None if change.is_one_sided or change.is_between else estimate.mean
    if change.is_between or not two_sided or not isinstance(estimate, Interval):
        return _cell(difference_in_print(change), value)
    digits = max(digits_of(each, change.quantity) for each in (estimate.mean, estimate.lower, estimate.upper))
    mean, lower, upper = (f"{each:+.{digits}f}" for each in (estimate.mean, estimate.lower, estimate.upper))
    return _cell(f"{mean} [{lower}, {upper}]", value)


def _cell(shown: str, value: float | None) -> TableCell:
    """Text with the number that programs get; none where only a bound is known."""
    return TableCell(value, text(shown).lines)


def _share(change: Change) -> TableCell:
    before, mean = change.before, change.difference.mean
    exact = before.mean and mean is not None and not (before.bound or change.is_one_sided)
    return number(100.0 * mean / before.mean if exact and mean is not None and before.mean else None, "+.1f")


def _verdict(change: Change) -> str:
    if not isinstance(change.difference, Interval):
        return "too few seeds"
    return "differs" if change.direction else "no difference shown"


def _kernel_level(row: Compared) -> TableCell:
    change = row.kernel_change
    if change is None or row.kernel is None:
        return _cell("–", None)
    return _level(row.quantity, change.after, row.kernel)


def _kernel_difference(row: Compared) -> TableCell:
    change = row.kernel_change
    return _cell("–", None) if change is None else _difference(change)


def _kernel_verdict(row: Compared) -> TableCell:
    change = row.kernel_change
    return text("–" if change is None else _verdict(change))


shows(CrossValidation, printed)
