"""What to set in a router: what is printed of it, and its table, a row for everything that was tried."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from aqmlab.show.tables.printed import Unwrapped
from aqmlab.show.words.configurations import briefly
from aqmlab.show.words.sqm import advice_in_words, numbers_in_words
from aqmlab.tables.model import Column, Table, TableCell, in_csv, number, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aqmlab.show.tables.printed import Part
    from aqmlab.study.sqm import RouterAdvice
    from aqmlab.study.sqm.choosing import Judged


_IN_ROUTER = " in your router"


def printed(found: RouterAdvice) -> Iterator[Part]:
    """For which line, what to do, what was tried, and what to type."""
    line = found.scenario.resolved["line"]
    yield f"For {line['technology']}, {line['down_mbps']:g} Mbit/s down and {line['up_mbps']:g} up:"
    yield from advice_in_words(found)
    yield table_of(found)
    if lines := found.tc_lines():
        head = f"on plain Linux, where {found.device} is the router's port to the modem:"
        yield Unwrapped("\n".join([head, *(f"  {line}" for line in lines)]))
    if section := found.openwrt():
        head = "or on OpenWrt with sqm-scripts, in /etc/config/sqm:"
        yield Unwrapped("\n".join([head, *(f"  {line}" for line in section)]))
    if config := found.autorate():
        head = (
            "and cake-autorate beside either, in its config.primary.sh "
            f"(on OpenWrt dl_if is ifb4{found.device}):"
        )
        yield Unwrapped("\n".join([head, *(f"  {line}" for line in config)]))


def table_of(found: RouterAdvice) -> Table:
    """The table of what was tried."""
    columns: list[Column[Judged]] = [
        Column("set", lambda row: text(_marked(found, row), value=row.candidate.name), "", words=True),
        Column(
            "suffers_most",
            lambda row: text(briefly(row.felt.group), value=row.felt.group) if row.felt else text("pages"),
            "suffers",
            words=True,
        ),
        Column("grade", lambda row: text(row.grade.word), "is", words=True),
        Column(
            "delay_p95_ms",
            lambda row: text(_delay(row), value=_known(row.felt.delay_p95_ms) if row.felt else None),
            "delay",
            words=True,
        ),
        Column("page_p50_s", lambda row: number(_known(row.page_s), ".2f"), "page s"),
        *(
            Column(f"goodput_{group}_mbps", lambda row, group=group: _goodput(row, group), group)  # type: ignore[misc]
            for group in found.own.goodput_mbps
        ),
        in_csv("share", lambda row: row.share),
        in_csv("badness", lambda row: row.badness),
        in_csv("judged_by", numbers_in_words),
    ]
    caption = (
        "suffers: the call or game that is worst off, its grade and its delay, 95 % one way; page: half of "
        "the pages load in less; others: Mbit/s; →: recommended"
    )
    return Table.of(found.rows, columns, title=f"{found.scenario.name}: what was tried", caption=caption)


def _marked(found: RouterAdvice, row: Judged) -> str:
    mark = "→ " if row is found.recommended else ""
    return f"{mark}{row.candidate.name.removesuffix(_IN_ROUTER)}"


def _suffering(row: Judged) -> TableCell:
    return text(briefly(row.felt.group), value=row.felt.group) if row.felt else text("pages")


def _delay(row: Judged) -> str:
    return numbers_in_words(row).partition(",")[0].removeprefix("delay of frames ").removeprefix("delay ")


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _goodput(row: Judged, group: str) -> TableCell:
    return number(_known(row.goodput_mbps[group]), ".3g")
