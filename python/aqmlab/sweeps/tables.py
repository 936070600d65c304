"""A sweep as tables: its points with the means of their runs, and how far each point is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aqmlab.runs.store import State
from aqmlab.statistics.quantities import (
    Quantity,
    loss_percent,
    page_quantile_s,
    quantile_s,
    queue_mean_packets,
    restricted_mean_s,
    throughput_mbps,
)
from aqmlab.statistics.recorded import said_of_links
from aqmlab.sweeps.export import row_of, rows
from aqmlab.sweeps.file import described
from aqmlab.tables.model import Column, Table, number, text
from aqmlab.tables.results import of_quantity
from aqmlab.terminal.spelling import as_text, counted

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Mapping, Sequence

    from aqmlab.result import Result
    from aqmlab.sweeps.file import Point, Sweep
    from aqmlab.sweeps.status import Status

_MOST_ROWS = 50
_SWEEP_DIGITS: Mapping[Quantity, int] = {
    throughput_mbps: 2,
    loss_percent: 2,
    queue_mean_packets: 1,
    page_quantile_s(0.5): 2,
    page_quantile_s(0.95): 2,
    quantile_s(0.5): 3,
    quantile_s(0.95): 3,
    restricted_mean_s(): 3,
}


def sweep_table(status: Status, *, links: tuple[str, ...] = ()) -> Table:
    """A sweep's points, with the means of their finished runs."""
    return _table(status.sweep, rows(status, links=links))


def results_table(
    sweep: Sweep, runs: Mapping[int, Sequence[Result]], *, links: tuple[str, ...] = ()
) -> Table:
    """The same of a sweep whose runs are all at hand, by the number of their point."""
    found = [row_of(point, result, links=links) for point in sweep.points for result in runs[point.index]]
    return _table(sweep, found)


def _table(sweep: Sweep, found: list[dict[str, Any]]) -> Table:
    runs = {point.index: [row for row in found if row["point"] == point.index] for point in sweep.points}
    columns: list[Column[Point]] = [
        Column("point", lambda point: number(point.index, "d"), "point"),
        *(
            Column(
                key,
                lambda point, key=key: text(as_text(point.settings.get(key, ""))),  # type: ignore[misc]
                ending,
            )
            for key, ending in zip(sweep.keys, endings(sweep.keys), strict=True)
        ),
        *(
            of_quantity(
                each,
                digits,
                lambda point, name=each.name: _mean([row[name] for row in runs[point.index]]),  # type: ignore[misc]
            )
            for each, digits in _SWEEP_DIGITS.items()
        ),
    ]
    return Table.of(
        sweep.points[:_MOST_ROWS],
        columns,
        title=f"{sweep.name}: means over {counted(len(sweep.seeds), 'seed')}",
        caption="\n".join(_sweep_caption(sweep, found)),
    )


def status_table(status: Status) -> Table:
    """How many runs of each point are in which state."""
    columns: list[Column[tuple[Point, Counter[State]]]] = [
        Column("point", lambda found: number(found[0].index, "d"), "point"),
        Column(
            "settings", lambda found: text(described(found[0].settings)), "settings", words=True, wraps=True
        ),
        *(
            Column(state.value, lambda found, state=state: number(found[1][state], "d"), state.value)  # type: ignore[misc]
            for state in State
        ),
    ]
    return Table.of(status.by_point(), columns, title=f"{status.sweep.name}: {status.store}")


def endings(keys: Sequence[str]) -> list[str]:
    """The shortest unique endings of dotted keys."""
    parts = [key.split(".") for key in keys]

    def ending(own: list[str]) -> str:
        for length in range(1, len(own)):
            if sum(other[-length:] == own[-length:] for other in parts) == 1:
                return ".".join(own[-length:])
        return ".".join(own)

    return [ending(own) for own in parts]


def _sweep_caption(sweep: Sweep, found: list[dict[str, Any]]) -> Iterator[str]:
    if len(sweep.points) > _MOST_ROWS:
        yield f"the first {_MOST_ROWS} points; --export writes all"
    yield "page: page load time; median, 95 %: response times of objects; queue: mean, in packets"
    yield "min(t, 2): mean response time, with responses above 2 s counted as 2 s"
    yield said_of_links(str(row["judged_links"]) for row in found)


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None
