"""What senders in queues look like: a table, and a figure with a square for each queue."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from aqmlab import shown
from aqmlab.inference import MINIMUM_REPLICATIONS, Interval
from aqmlab.load.parametrized_scheme import spelt
from aqmlab.show.figures.drawn import Drawn
from aqmlab.show.figures.printed import figure_of, new_grid, settle, styled
from aqmlab.show.tables.printed import shows
from aqmlab.study.senders import FIRST, SenderMatrix
from aqmlab.tables import Column, Table
from aqmlab.tables.model import (
    Medium,
    TableCell,
    bounds,
    in_csv,
    number,
    text,
    with_half_width,
)
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from matplotlib.figure import Figure

    from aqmlab.inference import NotEnoughReplications

FIGURE = "senders"
_COLUMNS_OF_PANELS = 3
_HALF = 50.0
"""The share in percent of two that get the same."""
_STRONG = 0.3
"""Farther than so much from half the colour is dark."""


@dataclass(frozen=True)
class _Row:
    """A sender in a queue."""

    queue: str
    sender: str


def table_of(found: SenderMatrix) -> Table:
    """A row for each queue and sender: alone, and its share beside each other, with bounds."""
    columns: list[Column[_Row]] = [
        Column("queue", lambda each: text(spelt(each.queue)), "queue", heads_row=True),
        Column("sender", lambda each: text(each.sender), "sender", heads_row=True),
        *_with_bounds("alone", "mbps", "alone, Mbit/s", partial(_alone, found, name=f"{FIRST}_mbps"), 1),
    ]
    if found.call:
        call = partial(_alone, found, name="call_delay_p95_ms")
        columns += _with_bounds("call_delay_p95", "ms", f"{found.call} with it, ms", call, 1)
    for beside in found.senders:
        share = partial(_share, found, beside=beside)
        columns += _with_bounds(f"share_beside_{beside}", "percent", f"beside {beside}, %", share, 0)
    columns.append(in_csv("seeds", lambda _: len(found.seeds)))
    rows = [_Row(queue, sender) for queue in found.queues for sender in found.senders]
    return Table.of(rows, columns, title="Which queue for which sender", caption=_caption(found))


def _with_bounds(
    name: str,
    unit: str,
    title: str,
    of: Callable[[_Row], Interval | NotEnoughReplications | None],
    digits: int,
) -> list[Column[_Row]]:
    """A mean with its interval; for programs with its bounds in columns of their own."""

    def cell(row: _Row) -> TableCell:
        estimate = of(row)
        if estimate is None:
            return number(None)
        is_share = unit == "percent" and not name.endswith(f"_{row.sender}")
        star = "*" if is_share and isinstance(estimate, Interval) and not _holds_half(estimate) else ""
        told = f"{with_half_width(estimate, digits)}{star}"
        return text(told, value=estimate.mean, short=told.replace(" ", ""))

    def bound(row: _Row, *, end: int) -> TableCell:
        estimate = of(row)
        return TableCell(None if estimate is None else bounds(estimate)[end])

    return [
        Column(f"{name}_{unit}", cell, title),
        *(
            Column(f"{name}_{side}_{unit}", partial(bound, end=end), media=Medium.CSV)
            for end, side in enumerate(("low", "high"))
        ),
    ]


def _holds_half(percent: Interval) -> bool:
    return percent.lower <= _HALF <= percent.upper


def _alone(found: SenderMatrix, row: _Row, *, name: str) -> Interval | NotEnoughReplications | None:
    return found.alone(row.queue, row.sender).interval(name)


def _share(found: SenderMatrix, row: _Row, *, beside: str) -> Interval | NotEnoughReplications:
    return found.share_interval(row.queue, row.sender, beside).scaled(100.0)


def _caption(found: SenderMatrix) -> str:
    told = (
        f"alone: goodput of one download over {found.transport.upper()} with this sender; beside: its share "
        "of what two downloads get, one with each sender (50 %: half; beside itself: of the first of the two)"
    )
    if found.call:
        told += f"; {found.call}: 95th percentile of the delay, one way, beside one download"
    seeds = counted(len(found.seeds), "seed")
    if len(found.seeds) < MINIMUM_REPLICATIONS:
        return f"{told}; means over {seeds}: too few for intervals, {MINIMUM_REPLICATIONS} give some"
    return f"{told}; means over {seeds} with 95 % intervals; *: a share that is not half, beyond chance"


shows(SenderMatrix, lambda found: [table_of(found)])


@shown.save.register(SenderMatrix)
def _save(found: SenderMatrix, folder: Path) -> dict[str, Path]:
    figure, _ = drawn(found).save(folder)
    return {"figure": figure}


def drawn(found: SenderMatrix) -> Drawn:
    """The figure: in each square a row for each sender, a column for who is beside it."""
    caption = "The share of the row's download beside the column's, in %; above, the call's delay beside one."
    return Drawn(FIGURE, "Which queue for which sender", caption, settle(_figure(found)))


@styled
def _figure(found: SenderMatrix) -> Figure:
    panels = new_grid(len(found.queues), min(_COLUMNS_OF_PANELS, len(found.queues)))
    names = [each.replace("bbr-linux-", "bbr-") for each in found.senders]
    for queue, axes in zip(found.queues, panels, strict=True):
        shares = np.array(
            [[found.share(queue, own, beside) for beside in found.senders] for own in found.senders]
        )
        axes.imshow(100.0 * shares, vmin=0.0, vmax=100.0, cmap="RdBu", aspect="auto")
        for (row, column), share in np.ndenumerate(shares):
            colour = "white" if abs(share - 0.5) > _STRONG else "black"
            axes.text(column, row, f"{100.0 * share:.0f}", ha="center", va="center", color=colour)
        delays = [found.alone(queue, each).mean("call_delay_p95_ms") for each in found.senders]
        known = [each for each in delays if each is not None]
        ends = dict.fromkeys(f"{each:.0f}" for each in (min(known), max(known))) if known else {}
        said = f", call {' to '.join(ends)} ms" if ends else ""
        axes.set_title(f"{spelt(queue)}{said}", fontsize="small")
        axes.set_xticks(range(len(names)), names, fontsize="x-small")
        axes.set_yticks(range(len(names)), names, fontsize="x-small")
        axes.grid(visible=False)
    return figure_of(panels[0])
