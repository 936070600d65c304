"""A result as tables for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aqmlab.statistics.distribution import response_times
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
from aqmlab.terminal import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aqmlab.result import Result
    from aqmlab.sweep import Status

_QUANTILES = (0.5, 0.9, 0.99)
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
    table = Table(
        title=f"{heading}: links",
        title_justify="left",
        caption="queue: mean, in packets; frame: mean, in bytes",
        caption_justify="left",
    )
    for column in ("link", "scheme"):
        table.add_column(column, no_wrap=True)
    for quantity in _LINK_DIGITS:
        table.add_column(quantity.short, justify="right")
    for link in links:
        numbers = (f"{quantity.of_link(link):.{digits}f}" for quantity, digits in _LINK_DIGITS.items())
        table.add_row(link["name"], link["scheme"], *numbers)
    return table


def _responses(heading: str, result: Result) -> Table:
    table = Table(
        title=f"{heading}: responses",
        title_justify="left",
        caption="open: unfinished at the end; 50 %, 90 %, 99 %: within so many seconds",
        caption_justify="left",
    )
    table.add_column("users", no_wrap=True)
    for column in ("number", "completed", "failed", "open", *(f"{100 * share:g} %" for share in _QUANTILES)):
        table.add_column(column, justify="right")
    for population in result.run["populations"]:
        times = response_times(result, population=population["name"])
        table.add_row(
            population["name"],
            *(f"{population[key]:,}" for key in ("users", "completed", "failed", "unfinished")),
            *(f"{times.quantile(share):.3f}" if times.ended else "-" for share in _QUANTILES),
        )
    return table


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

    by_point: dict[int, list[dict[str, Any]]] = {}
    found = rows(status, links=links)
    for row in found:
        by_point.setdefault(row["point"], []).append(row)
    table = Table(
        title=f"{status.sweep.name}: means over {len(status.sweep.seeds)} seeds",
        title_justify="left",
        caption="\n".join(_sweep_caption(status, found)),
        caption_justify="left",
    )
    table.add_column("point", justify="right")
    for key in status.sweep.keys:
        table.add_column(key.rpartition(".")[2], justify="right")
    for quantity in _SWEEP_DIGITS:
        table.add_column(quantity.short, justify="right")
    for point in status.sweep.points[:_MOST_ROWS]:
        own = by_point.get(point.index, [])
        cells = (
            _mean_cell([row[quantity.name] for row in own], digits)
            for quantity, digits in _SWEEP_DIGITS.items()
        )
        settings = (shown(point.settings.get(key, "")) for key in status.sweep.keys)
        table.add_row(str(point.index), *settings, *cells)
    return table


def _sweep_caption(status: Status, found: list[dict[str, Any]]) -> Iterator[str]:
    if len(status.sweep.points) > _MOST_ROWS:
        yield f"the first {_MOST_ROWS} points; --export writes them all"
    yield "queue: in packets; min(t, 2): mean of the response times, each counted as 2 s at most"
    yield said_of_links(str(row["judged_links"]) for row in found)


def _mean_cell(values: list[float | None], digits: int) -> str:
    known = [value for value in values if value is not None]
    return f"{sum(known) / len(known):.{digits}f}" if known and len(known) == len(values) else "-"
