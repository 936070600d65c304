"""What results, their summaries and the results of sweeps look like in a notebook."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from aqmlab import shown
from aqmlab.result import Result
from aqmlab.show.tables.render import to_notebook
from aqmlab.show.tables.results import LINK_DIGITS, of_quantity, result_tables
from aqmlab.statistics.run_summary import RunSummary
from aqmlab.tables.model import Column, Table, number, text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aqmlab.statistics.quantities import Quantity
    from aqmlab.statistics.run_summary import FlowsSummary, LinkSummary, PopulationSummary


def summary_tables(summary: RunSummary) -> Iterator[Table]:
    """The monitored links, then users and long flows where there are any."""
    heading = f"{summary.scenario}, seed {summary.seed}"
    measured = f"over the measured window of {summary.window_s:g} s"
    yield _links(summary, f"{heading}: links", measured)
    if any(each.users for each in summary.populations.values()):
        yield _populations(summary, f"{heading}: exchanges", measured)
    if summary.flows:
        yield _flows(summary, f"{heading}: long flows", measured)


def _links(summary: RunSummary, title: str, caption: str) -> Table:
    columns: list[Column[LinkSummary]] = [
        Column("link", lambda link: text(link.name), "link", words=True),
        Column("scheme", lambda link: text(link.scheme), "scheme", words=True),
        *(of_quantity(each, digits, _known(each)) for each, digits in LINK_DIGITS.items()),
    ]
    return Table.of(summary.links.values(), columns, title=title, caption=caption)


def _known(quantity: Quantity) -> Callable[[LinkSummary], float | None]:
    """The number, none where a link has sent nothing that it could be of."""
    return lambda link: None if math.isnan(found := getattr(link, quantity.name)) else found


def _populations(summary: RunSummary, title: str, caption: str) -> Table:
    columns: list[Column[PopulationSummary]] = [
        Column("users", lambda each: text(each.name), "users", words=True),
        Column("number", lambda each: number(each.users, ",d"), "number"),
        Column("completed", lambda each: number(each.completed, ",d"), "completed"),
        Column("failed", lambda each: number(each.failed, ",d"), "failed"),
        Column("unfinished", lambda each: number(each.unfinished, ",d"), "unfinished"),
    ]
    users = [each for each in summary.populations.values() if each.users]
    return Table.of(users, columns, title=title, caption=caption)


def _flows(summary: RunSummary, title: str, caption: str) -> Table:
    columns: list[Column[FlowsSummary]] = [
        Column("flows", lambda each: text(each.name), "flows", words=True),
        Column("number", lambda each: number(len(each.delivered_bytes), ",d"), "number"),
        Column("goodput_mbps", lambda each: number(each.goodput_mbps, ".3f"), "goodput, Mbit/s"),
    ]
    return Table.of(summary.flows.values(), columns, title=title, caption=caption)


@shown.html.register(Result)
def _of_result(result: Result) -> str:
    return to_notebook(result_tables(result))


@shown.html.register(RunSummary)
def _of_summary(summary: RunSummary) -> str:
    return to_notebook(summary_tables(summary))
