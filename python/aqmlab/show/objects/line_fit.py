"""A fitted line: what is printed of it, and its table, a row for each number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aqmlab import shown
from aqmlab.show.tables.printed import shows
from aqmlab.study.line_fit import FittedLine
from aqmlab.study.line_fit.queue_fit import QueueKind
from aqmlab.study.line_fit.scenario_text import bound_in_words, not_fitted
from aqmlab.tables.model import Column, Table, finite, in_csv, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aqmlab.show.tables.printed import Part
    from aqmlab.study.line_fit.fitting import FittedWay
    from aqmlab.study.line_fit.resampling import Fitted

_CAPTION = (
    "bound: where 95 % of resamples of these measurements (blocks of them) have the number, widened by what "
    "they cannot show: headers of 40 to 72 bytes, and what waited between two probes"
)
_KINDS = {
    QueueKind.TAIL_DROP: "drop-tail, {} when full",
    QueueKind.SHORT: "{} at most: a short buffer, or a controlled queue",
    QueueKind.CONTROLLED: "controlled (as PIE, CoDel), keeps {}",
    QueueKind.QUIET: "none for probes: flows are isolated, or the line was not full",
    QueueKind.ISOLATED: "none for probes: flows are isolated (as FQ-CoDel, CAKE)",
}


@dataclass(frozen=True)
class _Row:
    name: str
    title: str
    unit: str
    said: str
    fitted: Fitted | None
    how: str


def printed(found: FittedLine) -> Iterator[Part]:
    """The table, and what else there is to say of each way."""
    yield f"From {', '.join(found.sources)}."
    yield table_of(found)
    for way, each in found.ways.items():
        for note in each.notes:
            yield f"{way}: {note}."
    if any(each.kind is QueueKind.ISOLATED for each in found.ways.values()):
        yield "If your router shapes the line (SQM), this is its rate and its queue, not the line's own."


def table_of(found: FittedLine) -> Table:
    columns: list[Column[_Row]] = [
        Column("quantity", lambda row: text(row.title, value=row.name), "", words=True, heads_row=True),
        Column(
            "value",
            lambda row: text(row.said, value=row.fitted and row.fitted.value),
            "fitted",
            words=True,
            wraps=True,
        ),
        Column("bound", lambda row: text(_bound(row)), "bound", words=True),
        in_csv("low", lambda row: finite(row.fitted.low if row.fitted else None)),
        in_csv("high", lambda row: finite(row.fitted.high if row.fitted else None)),
        in_csv("unit", lambda row: row.unit),
        in_csv("words", lambda row: row.said),
        Column("from", lambda row: text(row.how), "from", words=True, wraps=True),
    ]
    rows = [
        _number(
            "round_trip_ms", "round trip, idle", "ms", found.round_trip_ms, "no round trips in these files"
        )
    ]
    for way, each in found.ways.items():
        absent = "; ".join(each.notes) or f"no {way}load in these files"
        rows.append(_number(f"{way}_mbps", f"rate {way}", "Mbit/s", each.rate_mbps, absent))
        rows.append(_queue(way, each))
    return Table.of(rows, columns, title="my line", caption=_CAPTION)


def _number(name: str, title: str, unit: str, fitted: Fitted | None, absent: str) -> _Row:
    if fitted is None:
        return _Row(name, title, unit, "not fitted", None, absent)
    return _Row(name, title, unit, f"{fitted.value:.4g} {unit}", fitted, fitted.how)


def _queue(way: str, fitted: FittedWay) -> _Row:
    number = fitted.buffer_ms or fitted.kept_ms
    name = f"queue_{way}_keeps_ms" if fitted.kept_ms else f"buffer_{way}_ms"
    if fitted.kind not in _KINDS:
        return _Row(name, f"queue {way}", "ms", "not fitted", None, not_fitted(fitted).partition(":")[0])
    said = _KINDS[fitted.kind].format("" if number is None else f"{number.value:.3g} ms")
    return _Row(name, f"queue {way}", "ms", said, number, "" if number is None else number.how)


def _bound(row: _Row) -> str:
    return "" if row.fitted is None else bound_in_words(row.fitted, row.unit)


shows(FittedLine, printed, table_of)


@shown.facts.register(FittedLine)
def _of_line(found: FittedLine) -> dict[str, Any]:
    return {
        "sources": list(found.sources),
        "technology": found.technology,
        "queues": {way: each.kind.value for way, each in found.ways.items()},
        "notes": {way: list(each.notes) for way, each in found.ways.items()},
        "fitted": {name: each.how for name, each in found.numbers.items()},
    }
