"""One run as tables: what its users waited for, what became of datagrams, what its links carried."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from aqmlab.errors import MissingDataError
from aqmlab.load.queue_place import ROUTER_LINKS
from aqmlab.statistics.classes import TrafficClass, traffic_classes
from aqmlab.statistics.distribution import ResponseTimes, response_times
from aqmlab.statistics.experience import judged_groups
from aqmlab.statistics.observation import Bound, Observation
from aqmlab.statistics.pages import FollowedPages, Pages, page_load_times
from aqmlab.statistics.quantities import (
    PAGE_QUANTILES,
    Measured,
    Quantity,
    loss_percent,
    marked_percent,
    queue_mean_ms,
    queue_mean_packets,
    throughput_mbps,
    utilization_percent,
)
from aqmlab.statistics.recorded import mark_of, marked, viewers
from aqmlab.statistics.transfers import OF_TRANSFERS, transfer_groups
from aqmlab.statistics.video import OF_VIDEO
from aqmlab.statistics.video_call import OF_VIDEO_CALLS, editions, video_call_groups
from aqmlab.tables.model import Column, Table, TableCell, digits_in_print, number, text
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pyarrow as pa

    from aqmlab.result import Result

Item = TypeVar("Item")

_WHICH_PAGES = {Pages.COMPLETED: "ended in the window", Pages.FOLLOWED: "were waited for"}
_COUNTS = {"users": "number", "completed": "completed", "failed": "failed", "unfinished": "open"}
LINK_DIGITS = {
    throughput_mbps: 2,
    utilization_percent: 1,
    loss_percent: 3,
    marked_percent: 3,
    queue_mean_ms: 1,
    queue_mean_packets: 1,
}
"""What tables show of a link, with their digits: a single run has more of them than a mean over runs."""


def result_tables(result: Result) -> Iterator[Table]:
    """What users waited for: pages, then their objects; datagrams; classes of traffic; monitored links."""
    heading = marked(f"{result.scenario['name']}, seed {result.seed}", mark_of({"": [result]}))
    if _readers(result) and "page_histogram" in result.tables:
        yield _pages(heading, result)
    if _readers(result) and "response_histogram" in result.tables:
        yield _responses(heading, result)
    if watching := viewers(result):
        yield _videos(heading, result, watching)
    if calls := video_call_groups(result):
        yield _video_calls(heading, result, calls)
    if "datagrams" in result.tables:
        yield _datagrams(heading, result.datagrams)
    if transferring := transfer_groups(result):
        yield _transfers(heading, result, transferring)
    if classes := traffic_classes(result):
        yield _classes(heading, classes)
    # The ports of a line's router that shape nothing are wires.
    wires = () if not result.run["scenario"].get("line") else ROUTER_LINKS
    yield _links(
        heading, [link for link in result.run["links"] if link["carries_data"] or link["name"] not in wires]
    )


def _readers(result: Result) -> list[Mapping[str, Any]]:
    """The populations that fetch pages and objects, and do not watch videos."""
    watching = viewers(result)
    return [each for each in result.run["populations"] if each["users"] and each["name"] not in watching]


def _pages(heading: str, result: Result) -> Table:
    found = [
        (population["name"], pages, page_load_times(result, pages, population=population["name"]))
        for population in _readers(result)
        for pages in Pages
    ]
    columns: list[Column[tuple[str, Pages, ResponseTimes]]] = [
        Column("users", lambda row: text(row[0]), "users", words=True),
        Column("which", lambda row: text(_WHICH_PAGES[row[1]]), "pages that", words=True, names_row=True),
        Column("pages", lambda row: number(round(row[2].ended), ",d"), "number"),
        Column(
            "unfinished",
            lambda row: number(
                round(FollowedPages.of(result, population=row[0]).unfinished)
                if row[1] is Pages.FOLLOWED
                else None,
                ",d",
                absent="-",
            ),
            "open",
        ),
        *_quantiles("page", 2, lambda row: row[2]),
    ]
    caption = (
        "50 % ... 99 %: load time of this share of the pages in seconds; >: longer than observed\n"
        "open: pages unfinished at the end of the run"
    )
    return Table.of(found, columns, title=f"{heading}: page loads", caption=caption)


def _quantiles(what: str, digits: int, times: Callable[[Item], ResponseTimes]) -> list[Column[Item]]:
    """A column for each quantile of a distribution in seconds; where what did not end hides it, its bound."""

    def cell(item: Item, share: float) -> TableCell:
        found = times(item)
        if not found.ended:
            return number(None, absent="-")
        within_s = found.quantile(share)
        if math.isfinite(within_s):
            return number(within_s, f".{digits}f")
        return number(None, absent=f">{found.least_quantile(share):.3g}")

    return [
        Column(f"{what}_p{100 * share:g}_s", partial(cell, share=share), f"{100 * share:g} %")
        for share in PAGE_QUANTILES
    ]


def _links(heading: str, links: list[Mapping[str, Any]]) -> Table:
    columns: list[Column[Mapping[str, Any]]] = [
        Column("link", lambda link: text(link["name"]), "link", words=True),
        Column("scheme", lambda link: text(link["scheme"]), "scheme", words=True),
        *(of_quantity(each, digits, each.of_link) for each, digits in LINK_DIGITS.items()),
    ]
    caption = (
        "wait ms: mean time in the queue of the packets sent, without those dropped there; queue: mean queue "
        "in packets"
    )
    return Table.of(links, columns, title=f"{heading}: links", caption=caption)


def of_quantity(quantity: Quantity, digits: int, of: Callable[[Item], float | None]) -> Column[Item]:
    """A column of a quantity with a number of digits; a dash where an item does not have it."""

    def cell(item: Item) -> TableCell:
        found = None
        with suppress(MissingDataError):  # such as the wait on a link that sent nothing
            found = of(item)
        return number(found, f".{digits}f", absent="-")

    return Column(quantity.name, cell, quantity.title, quantity.short)


def _responses(heading: str, result: Result) -> Table:
    populations = [
        (population, response_times(result, population=population["name"])) for population in _readers(result)
    ]
    columns: list[Column[tuple[Mapping[str, Any], ResponseTimes]]] = [
        Column("users", lambda found: text(found[0]["name"]), "users", words=True)
    ]
    columns += [
        Column(key, lambda found, key=key: number(found[0][key], ","), title)  # type: ignore[misc]
        for key, title in _COUNTS.items()
    ]
    columns += _quantiles("response", 3, lambda found: found[1])
    caption = "objects of pages; open: unfinished at the end; 50 % ... 99 %: response time in seconds"
    return Table.of(populations, columns, title=f"{heading}: responses", caption=caption)


_VIDEO_TITLES = {
    "video_bitrate_mbps": "Mbit/s",
    "video_stalled_percent": "stalled %",
    "video_stalls_per_hour": "stalls/hour",
    "video_start_s": "start s",
}


def _videos(heading: str, result: Result, populations: list[str]) -> Table:
    users = {each["name"]: each["users"] for each in result.run["populations"]}
    columns: list[Column[str]] = [
        Column("viewers", text, "viewers", words=True),
        Column("users", lambda name: number(users[name], ",d"), "number"),
        *_of_parts(result, "populations", OF_VIDEO, _VIDEO_TITLES),
    ]
    caption = (
        "Mbit/s: bit rate of what was shown; stalled: time with an empty buffer; start: from the request for "
        "a video to its beginning, -: none was requested in the window"
    )
    return _with_bounds(Table.of(populations, columns, title=f"{heading}: videos", caption=caption))


_VIDEO_CALL_TITLES = {
    "call_bitrate_mbps": "Mbit/s",
    "call_frame_delay_p50_ms": "50 %",
    "call_frame_delay_p95_ms": "95 %",
    "call_frozen_percent": "frozen %",
    "call_freezes_per_hour": "freezes/hour",
}


def _video_calls(heading: str, result: Result, groups: list[str]) -> Table:
    counts = {each["name"]: each["count"] for each in result.run["scenario"]["datagrams"]}
    kinds = judged_groups(result)
    what = " and ".join(dict.fromkeys(f"{kinds[group].name}s" for group in groups))
    columns: list[Column[str]] = [
        Column("calls", text, what, words=True),
        Column("count", lambda name: number(counts[name], ",d"), "number"),
        *_of_parts(result, "datagrams", OF_VIDEO_CALLS, _VIDEO_CALL_TITLES),
    ]
    caption = (
        "Mbit/s: bit rate of what was shown; 50 %, 95 %: milliseconds from the capture of a frame to its "
        "showing; frozen: time in which the next frame was late"
    )
    if followed := editions(result):
        caption += f"; congestion control: GCC, edition {' and '.join(followed)}"
    return _with_bounds(Table.of(groups, columns, title=f"{heading}: {what}", caption=caption))


_TRANSFER_TITLES = {
    "transfers": "number",
    "unfinished_transfers": "unfinished",
    "completion_p50_s": "50 %",
    "completion_p95_s": "95 %",
    "slowdown_p50": "slowdown 50 %",
    "slowdown_p95": "95 %",
}


def _transfers(heading: str, result: Result, groups: list[str]) -> Table:
    columns: list[Column[str]] = [
        Column("transfers_of", text, "transfers", words=True),
        *_of_parts(result, "flows", OF_TRANSFERS, _TRANSFER_TITLES),
    ]
    caption = (
        "of transfers that began in the window, followed to the end of the run; 50 %, 95 %: complete within, "
        "seconds; slowdown: that over the time alone, 1.5 round trips of the idle path and the bytes at the "
        "line's rate"
    )
    return _with_bounds(Table.of(groups, columns, title=f"{heading}: transfers", caption=caption))


def _of_parts(
    result: Result, kind: str, quantities: Mapping[str, Callable[[str], Quantity]], titles: Mapping[str, str]
) -> list[Column[str]]:
    """A column of each titled quantity of parts of the traffic of a kind, which are rows by their names."""
    return [
        Column(name, partial(_of_part, result, quantities[name], kind), title)
        for name, title in titles.items()
    ]


def _of_part(result: Result, make: Callable[[str], Quantity], kind: str, name: str) -> TableCell:
    """A quantity of a part of the traffic, or its bound; a dash where the window has nothing of it."""
    quantity = make(f"{kind}.{name}")
    return _observed(quantity.observed(Measured(result)), quantity.digits)


def _observed(found: Observation, digits: int) -> TableCell:
    """A number, or its bounds; a dash for none."""
    if not found.is_known:
        return number(None, absent="-")
    if found.is_exact:
        return number(found.value, f".{digits}f")
    if found.bound is Bound.BETWEEN:
        digits = digits_in_print(found.upper, digits)  # two ends have room for the digits that count
    return number(None, absent=found.written(lambda value: f"{value:.{digits}f}"))


def _with_bounds(table: Table) -> Table:
    shown = {line.text for row in table.rows for cell in row if cell.value is None for line in cell.lines}
    told = [
        words
        for mark, words in ((">", ">: more than"), ("<", "<: less than"), (Bound.BETWEEN, "a to b: between"))
        if any(mark in each for each in shown)
    ]
    if not told:
        return table
    why = f"{', '.join(told)}, as some were under way at the end"
    return replace(table, caption=f"{table.caption}; {why}")


_MOST_SOURCES = 20
_DATAGRAM_COUNTS = {
    "sent": "sent", "received": "received", "lost": "lost", "under_way": "open", "marked": "marked",
}  # fmt: skip
_DATAGRAM_DELAYS = {"p50": "50 %", "p95": "95 %", "p99": "99 %"}


def _datagrams(heading: str, table: pa.Table) -> Table:
    rows = table.slice(0, _MOST_SOURCES).to_pylist()
    several = {row["group"] for row in rows if row["source"] > 0}

    def named(row: Mapping[str, Any]) -> TableCell:
        return text(f"{row['group']} {row['source']}" if row["group"] in several else row["group"])

    columns: list[Column[Mapping[str, Any]]] = [Column("source", named, "datagrams", words=True)]
    columns += [
        Column(f"{name}_packets", lambda row, key=f"{name}_packets": number(row[key], ","), title)  # type: ignore[misc]
        for name, title in _DATAGRAM_COUNTS.items()
    ]
    columns += [
        Column(f"delay_{name}_ms", partial(_datagram_delay, name), title, wraps=True)
        for name, title in _DATAGRAM_DELAYS.items()
    ]
    caption = (
        "sent ... marked: packets; open: under way at the end; 50 %, 95 %, 99 %: delay in milliseconds, one "
        "way; of what was sent back (-echo), there and back"
    )
    if table.num_rows > _MOST_SOURCES:
        caption += f"; the first {_MOST_SOURCES} of {table.num_rows} sources"
    return _with_bounds(Table.of(rows, columns, title=f"{heading}: datagrams", caption=caption))


def _datagram_delay(percentile: str, row: Mapping[str, Any]) -> TableCell:
    """A percentile of a source's delay in milliseconds; a dash where all that it sent was lost."""
    lower, upper = (1e3 * row[f"delay_{percentile}_{end}_s"] for end in ("least", "most"))
    return _observed(Observation(lower, upper), 2)


def _classes(heading: str, classes: list[TrafficClass]) -> Table:
    columns: list[Column[TrafficClass]] = [
        Column("class", lambda each: text(each.name), "class", words=True),
        Column(
            "members",
            lambda each: text(counted(each.members, each.unit.removesuffix("s"), each.unit)),
            "members",
            words=True,
        ),
        Column("goodput_mbps", lambda each: number(each.goodput_mbps, ".3f"), "Mbit/s"),
    ]
    caption = "Mbit/s: goodput at the receivers"
    if any(each.members > 1 for each in classes):
        columns.append(Column("fairness", _fairness, "fairness"))
        caption += "; fairness: Jain's index, 1 if all members got the same"
    return Table.of(classes, columns, title=f"{heading}: goodput", caption=caption)


def _fairness(each: TrafficClass) -> TableCell:
    """Jain's index over the members; a dash for a single one, which shares with nobody."""
    return number(each.fairness if each.members > 1 else None, ".3f", absent="-")
