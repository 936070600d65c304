"""What to set in a router: what it changes for whoever suffers most, its cost, and all that was tried."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from aqmlab import shown
from aqmlab.presets.line import AS_IT_IS
from aqmlab.show.tables.printed import Unwrapped, shows
from aqmlab.show.words.amounts import duration
from aqmlab.show.words.calls import in_words
from aqmlab.show.words.configurations import briefly, the
from aqmlab.show.words.verdict import may_be_chance
from aqmlab.statistics.experience import Grade
from aqmlab.study.sqm import RouterAdvice
from aqmlab.study.sqm.candidates import PROVIDER_COULD, varies
from aqmlab.tables.model import Column, Table, TableCell, finite, in_csv, number, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aqmlab.show.tables.printed import Part
    from aqmlab.study.sqm.candidates import Judged


def advice_in_words(found: RouterAdvice) -> list[str]:
    """What to do, first; what it costs; what it does not help."""
    own, chosen = found.own, found.recommended
    if chosen.candidate.name == AS_IT_IS:
        return [_nothing_to_set(found), *_provider(found)]
    share = chosen.candidate.share
    said = f"Set {chosen.candidate.name}: {suffering(own)} {_becomes(chosen)}{may_be_chance(found.found)}."
    if chosen.candidate.follows:
        return [f"{said} {_reaction(chosen)}", *_varying(found), *_provider(found)]
    cost = f"It costs {100 * (1 - share):.3g} % of the rate." if share < 1.0 else "It costs nothing."
    return [f"{said} {cost}", *_varying(found), *_provider(found)]


def _nothing_to_set(found: RouterAdvice) -> str:
    own, chance = found.own, may_be_chance(found.found)
    if own.felt is None and math.isnan(own.page_s):
        return "Nothing is judged: nobody calls, plays or loads pages in this scenario."
    if own.grade is Grade.GOOD:
        return f"Nothing to set in your router: even {suffering(own)} already{chance}."
    return f"Nothing that was tried in your router helps: {suffering(own)} as it is{chance}."


def suffering(row: Judged) -> str:
    """Whoever suffers most, with the grade and its numbers."""
    if row.felt is None:
        return f"the median page is {row.grade.word} ({numbers_in_words(row)})"
    return f"{the(row.felt.group)} is {row.grade.word} ({numbers_in_words(row)})"


def _becomes(row: Judged) -> str:
    if row.felt is None:
        return f"as it is; then it is {row.grade.word} ({numbers_in_words(row)})"
    felt = f"{the(row.felt.group)} is worst off, and {row.grade.word} ({numbers_in_words(row)})"
    return f"as it is; then {felt}"


def numbers_in_words(row: Judged) -> str:
    if row.felt is None:
        return "" if math.isnan(row.page_s) else duration(row.page_s)
    if row.felt.is_dead:
        return "nothing of it arrives"
    part = f"datagrams.{row.felt.group}"
    return ", ".join(in_words(each.of(part).base, value) for each, value in row.felt.values.items())


def _reaction(row: Judged) -> str:
    ways = [
        f"{least:.3g} to {most:.3g} Mbit/s {way} ({mean:.3g} on average)"
        for way, (mean, least, most) in row.shapers_mbps.items()
    ]
    return f"Its shapers, set by cake-autorate, stood at {' and '.join(ways)}."


def _varying(found: RouterAdvice) -> list[str]:
    if not varies(found.scenario):
        return []
    said = "a fixed rate in the router is too high whenever they fall below it, and too low otherwise"
    return [f"The line's rates vary: {said}. {_other_kind(found)}"]


def _other_kind(found: RouterAdvice) -> str:
    """The best of the other kind: a fixed share beside shapers that follow, or these beside a fixed share."""
    follows = found.recommended.candidate.follows
    others = [row for row in found.rows if row.candidate.scheme and row.candidate.follows is not follows]
    if not others:
        return "Shapers that follow them (cake-autorate) set CAKE alone, which was not tried."
    other = min(others, key=lambda row: row.badness)
    if follows:
        return f"The best fixed rate, {other.candidate.name}: {suffering(other)}."
    return f"Shapers that follow them (cake-autorate) are no better here: {suffering(other)}."


def _provider(found: RouterAdvice) -> list[str]:
    row = next((row for row in found.rows if row.candidate.name == PROVIDER_COULD), None)
    if row is None or row.felt is None or row.grade.value >= found.own.grade.value:
        return []
    if row.grade.value > found.recommended.grade.value:
        return []
    return [f"With {PROVIDER_COULD} {suffering(row)}: ask your provider for it, you cannot set it."]


_IN_ROUTER = " in your router"


def printed(found: RouterAdvice) -> Iterator[Part]:
    """For which line, what to do, what was tried, and what to type."""
    line = found.scenario.resolved["line"]
    yield f"For {line['technology']}, {line['down_mbps']:g} Mbit/s down and {line['up_mbps']:g} up:"
    yield from advice_in_words(found)
    yield table_of(found)
    typed = {
        f"on plain Linux, where {found.device} is the router's port to the modem:": found.tc_lines(),
        "or on OpenWrt with sqm-scripts, in /etc/config/sqm:": found.openwrt(),
        "and cake-autorate beside either, in its config.primary.sh (on OpenWrt dl_if is "
        f"ifb4{found.device}):": found.autorate(),
    }
    for head, lines in typed.items():
        if lines:
            yield Unwrapped("\n".join([head, *(f"  {line}" for line in lines)]))


def table_of(found: RouterAdvice) -> Table:
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
            lambda row: text(_delay(row), value=finite(row.felt.delay_p95_ms) if row.felt else None),
            "delay",
            words=True,
        ),
        Column("page_p50_s", lambda row: number(finite(row.page_s), ".2f"), "page s"),
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


def _delay(row: Judged) -> str:
    return numbers_in_words(row).partition(",")[0].removeprefix("delay of frames ").removeprefix("delay ")


def _goodput(row: Judged, group: str) -> TableCell:
    return number(finite(row.goodput_mbps[group]), ".3g")


shows(RouterAdvice, printed, table_of)


@shown.facts.register(RouterAdvice)
def _of_advice(found: RouterAdvice) -> dict[str, Any]:
    """What to set and to type, and how everything that was tried fares."""
    tried = {
        row.candidate.name: {
            "suffers_most": row.felt.group if row.felt else None,
            "grade": row.grade.word,
            "badness": row.badness,
            "share": row.share,
        }
        for row in found.rows
    }
    return {
        **shown.facts(found.found),
        "advice": advice_in_words(found),
        "recommended": found.recommended.candidate.name,
        "tried": tried,
        "tc": found.tc_lines(),
        "openwrt": found.openwrt(),
        "cake_autorate": found.autorate(),
    }
