"""Runs and sweeps as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from aqmlab.runs.store import State
from aqmlab.statistics.distribution import ResponseTimes, response_times
from aqmlab.statistics.quantities import (
    Quantity,
    loss_percent,
    marked_percent,
    mean_frame_bytes,
    quantile_s,
    queue_mean_packets,
    restricted_mean_s,
    throughput_mbps,
    utilization_percent,
)
from aqmlab.statistics.recorded import said_of_links
from aqmlab.tables.model import Column, Table, TableCell, number, text

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterator, Mapping

    from aqmlab.result import Result
    from aqmlab.sweep import Point, Status

Item = TypeVar("Item")
Columns: TypeAlias = "list[tuple[Column, Callable[[Item], TableCell]]]"

_QUANTILES = (0.5, 0.9, 0.99)
_COUNTS = {"users": "number", "completed": "completed", "failed": "failed", "unfinished": "open"}
# A single run tells more digits than a mean over runs.
_LINK_DIGITS = {
    throughput_mbps: 2,
    utilization_percent: 1,
    loss_percent: 3,
    marked_percent: 3,
    queue_mean_packets: 1,
    mean_frame_bytes: 0,
}


def result_tables(result: Result) -> Iterator[Table]:
    """The monitored links, then the response times, if there are any."""
    heading = f"{result.scenario['name']}, seed {result.seed}"
    yield _links(heading, result.run["links"])
    if result.run["populations"] and "response_histogram" in result.tables:
        yield _responses(heading, result)


def _links(heading: str, links: list[Mapping[str, Any]]) -> Table:
    columns: Columns[Mapping[str, Any]] = [
        (Column("link", "link", words=True), lambda link: text(link["name"])),
        (Column("scheme", "scheme", words=True), lambda link: text(link["scheme"])),
    ]
    columns += [
        (
            Column(quantity.name, quantity.title, quantity.short),
            lambda link, of=quantity.of_link, digits=digits: number(of(link), f".{digits}f"),  # type: ignore[misc]
        )
        for quantity, digits in _LINK_DIGITS.items()
    ]
    caption = "queue: mean, in packets; frame: mean, in bytes"
    return Table.of(links, columns, title=f"{heading}: links", caption=caption)


def _responses(heading: str, result: Result) -> Table:
    populations = [
        (population, response_times(result, population=population["name"]))
        for population in result.run["populations"]
    ]
    columns: Columns[tuple[Mapping[str, Any], ResponseTimes]] = [
        (Column("users", "users", words=True), lambda found: text(found[0]["name"]))
    ]
    columns += [
        (Column(key, title), lambda found, key=key: number(found[0][key], ","))  # type: ignore[misc]
        for key, title in _COUNTS.items()
    ]
    columns += [
        (
            Column(quantity.name, f"{100 * share:g} %"),
            lambda found, of=quantity.compute: number(  # type: ignore[misc]
                of(found[1]) if found[1].ended else None, ".3f", absent="-"
            ),
        )
        for share, quantity in zip(_QUANTILES, map(quantile_s, _QUANTILES), strict=True)
    ]
    caption = "open: unfinished at the end; 50 %, 90 %, 99 %: within so many seconds"
    return Table.of(populations, columns, title=f"{heading}: responses", caption=caption)


_MOST_ROWS = 50
_SWEEP_DIGITS: Mapping[Quantity, int] = {
    throughput_mbps: 2,
    loss_percent: 2,
    queue_mean_packets: 1,
    quantile_s(0.5): 3,
    quantile_s(0.9): 3,
    restricted_mean_s(): 3,
}


def sweep_table(status: Status, *, links: tuple[str, ...] = ()) -> Table:
    """A sweep's points, with the means of their finished runs."""
    from aqmlab.sweep import rows
    from aqmlab.sweep.file import shown

    found = rows(status, links=links)
    runs = {
        point.index: [row for row in found if row["point"] == point.index] for point in status.sweep.points
    }
    columns: Columns[Point] = [(Column("point", "point"), lambda point: number(point.index, "d"))]
    columns += [
        (
            Column(key, key.rpartition(".")[2]),
            lambda point, key=key: text(shown(point.settings.get(key, ""))),  # type: ignore[misc]
        )
        for key in status.sweep.keys
    ]
    columns += [
        (
            Column(quantity.name, quantity.title, quantity.short),
            lambda point, name=quantity.name, digits=digits: number(  # type: ignore[misc]
                _mean([row[name] for row in runs[point.index]]), f".{digits}f", absent="-"
            ),
        )
        for quantity, digits in _SWEEP_DIGITS.items()
    ]
    return Table.of(
        status.sweep.points[:_MOST_ROWS],
        columns,
        title=f"{status.sweep.name}: means over {len(status.sweep.seeds)} seeds",
        caption="\n".join(_sweep_caption(status, found)),
    )


def status_table(status: Status) -> Table:
    """How many runs of each point are in which state."""
    from aqmlab.sweep.file import described

    columns: Columns[tuple[Point, Counter[State]]] = [
        (Column("point", "point"), lambda found: number(found[0].index, "d")),
        (
            Column("settings", "settings", words=True, wraps=True),
            lambda found: text(described(found[0].settings)),
        ),
    ]
    columns += [
        (Column(state.value, state.value), lambda found, state=state: number(found[1][state], "d"))  # type: ignore[misc]
        for state in State
    ]
    return Table.of(status.by_point(), columns, title=f"{status.sweep.name}: {status.store}")


def _sweep_caption(status: Status, found: list[dict[str, Any]]) -> Iterator[str]:
    if len(status.sweep.points) > _MOST_ROWS:
        yield f"the first {_MOST_ROWS} points; --export writes them all"
    yield "queue: in packets; min(t, 2): mean of the response times, each counted as 2 s at most"
    yield said_of_links(str(row["judged_links"]) for row in found)


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None
