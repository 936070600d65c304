"""A result as tables for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aqmlab.statistics.distribution import response_times
from aqmlab.statistics.recorded import said_of_links
from aqmlab.terminal import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aqmlab.result import Result
    from aqmlab.sweep import Status

_QUANTILES = (0.5, 0.9, 0.99)


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
    for column in ("Mbit/s", "busy %", "loss %", "marked %", "queue", "frame"):
        table.add_column(column, justify="right")
    for link in links:
        table.add_row(
            link["name"],
            link["scheme"],
            f"{link['throughput_mbps']:.2f}",
            f"{100 * link['busy_share']:.1f}",
            f"{100 * link['loss_ratio']:.3f}",
            f"{100 * link['mark_ratio']:.3f}",
            f"{link['queue_packets_mean']:.1f}",
            f"{link['mean_frame_bytes']:.0f}",
        )
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
_SWEEP_COLUMNS = {
    "throughput_mbps": ("Mbit/s", ".2f"),
    "loss_percent": ("loss %", ".2f"),
    "queue_mean_packets": ("queue", ".1f"),
    "response_p50_s": ("median s", ".3f"),
    "response_p90_s": ("90 % s", ".3f"),
    "response_restricted_mean_2s_s": ("min(t, 2) s", ".3f"),
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
    for heading, _ in _SWEEP_COLUMNS.values():
        table.add_column(heading, justify="right")
    for point in status.sweep.points[:_MOST_ROWS]:
        own = by_point.get(point.index, [])
        cells = (_mean_cell([row[name] for row in own], form) for name, (_, form) in _SWEEP_COLUMNS.items())
        settings = (shown(point.settings.get(key, "")) for key in status.sweep.keys)
        table.add_row(str(point.index), *settings, *cells)
    return table


def _sweep_caption(status: Status, found: list[dict[str, Any]]) -> Iterator[str]:
    if len(status.sweep.points) > _MOST_ROWS:
        yield f"the first {_MOST_ROWS} points; --export writes them all"
    yield "queue: in packets; min(t, 2): mean of the response times, each counted as 2 s at most"
    yield said_of_links(str(row["judged_links"]) for row in found)


def _mean_cell(values: list[float | None], form: str) -> str:
    known = [value for value in values if value is not None]
    return format(sum(known) / len(known), form) if known and len(known) == len(values) else "-"
