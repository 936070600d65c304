"""What senders in queues look like: a table, and a figure with a square for each queue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from aqmlab import shown
from aqmlab.load.parametrized_scheme import spelt
from aqmlab.show.figures.drawn import Drawn
from aqmlab.show.figures.style import figure_of, new_grid, settle, styled
from aqmlab.show.tables.printed import as_text
from aqmlab.show.tables.render import to_notebook
from aqmlab.study.senders import FIRST, SenderMatrix
from aqmlab.tables import Column, Table
from aqmlab.tables.model import number, text

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

FIGURE = "senders"
_COLUMNS_OF_PANELS = 3
_STRONG = 0.3
"""Farther than so much from half the colour is dark."""


@dataclass(frozen=True)
class _Row:
    """A sender in a queue."""

    queue: str
    sender: str


def table_of(found: SenderMatrix) -> Table:
    """A row for each queue and sender: alone, and its share beside each other."""
    columns: list[Column[_Row]] = [
        Column("queue", lambda each: text(spelt(each.queue)), "queue", heads_row=True),
        Column("sender", lambda each: text(each.sender), "sender", heads_row=True),
        Column(
            "alone_mbps",
            lambda each: number(_alone(found, each, f"{FIRST}_mbps"), ".1f"),
            "alone, Mbit/s",
        ),
        *(
            Column(
                f"share_beside_{beside}_percent",
                lambda each, beside=beside: number(  # type: ignore[misc]
                    100.0 * found.share(each.queue, each.sender, beside), ".0f"
                ),
                f"beside {beside}, %",
            )
            for beside in found.senders
        ),
    ]
    if found.call:
        title = f"{found.call} with it, ms"
        columns.insert(
            3,
            Column(
                "call_delay_p95_ms",
                lambda each: number(_alone(found, each, "call_delay_p95_ms"), ".1f"),
                title,
            ),
        )
    rows = [_Row(queue, sender) for queue in found.queues for sender in found.senders]
    caption = (
        "alone: goodput of one download with this sender; beside: its share of what two downloads get, one "
        "with each sender (50 %: half; beside itself: of the first of the two)"
    )
    if found.call:
        caption += f"; {found.call}: 95th percentile of the delay, one way, beside one download"
    return Table.of(rows, columns, title="Which queue for which sender", caption=caption)


def _alone(found: SenderMatrix, row: _Row, name: str) -> float | None:
    return found.alone(row.queue, row.sender).mean(name)


@shown.text.register(SenderMatrix)
def _text(found: SenderMatrix) -> str:
    return as_text([table_of(found)])


@shown.html.register(SenderMatrix)
def _html(found: SenderMatrix) -> str:
    return to_notebook([table_of(found)])


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
