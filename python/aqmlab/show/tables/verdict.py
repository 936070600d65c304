"""The verdict as a table: a row for each application, a column for each configuration."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from aqmlab.comparison.verdict import PAGES, VIDEO, verdict
from aqmlab.inference import MINIMUM_REPLICATIONS
from aqmlab.show.words.amounts import counted
from aqmlab.show.words.configurations import itself, named
from aqmlab.show.words.verdict import fares_in_words, has_span, too_short_in_words, what_would_show
from aqmlab.statistics.experience import Grade
from aqmlab.tables.model import Column, Line, Standing, Table, TableCell, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aqmlab.comparison import Comparison
    from aqmlab.comparison.verdict import Application

_PART_OF = {PAGES: "populations.NAME", VIDEO: "populations.NAME"}
_STANDING = {Grade.GOOD: Standing.WITHIN, Grade.FAIR: Standing.PARTLY, Grade.POOR: Standing.OUTSIDE,
             Grade.UNUSABLE: Standing.OUTSIDE}  # fmt: skip


def verdict_table(found: Comparison) -> Table:
    """The verdict as one table, with what its words say."""
    return replace(bare_table(found), title="verdict", caption="\n".join(verdict_notes(found)))


def bare_table(found: Comparison) -> Table:
    """The verdict as one table, whose words are explained elsewhere."""
    columns: list[Column[Application]] = [
        Column("application", lambda each: text(each.name), "", words=True),
        *(Column(name, partial(_cell, name), named(name), words=True) for name in found.names),
    ]
    return Table.of(verdict(found), columns)


def _cell(name: str, application: Application) -> TableCell:
    fares = application.fares.get(name)
    if fares is None:
        return text("–", Standing.ABSENT)
    mark = "*" if fares.differs else ""
    standing = _STANDING[fares.grade] if fares.grade is not None else Standing.PLAIN
    shown = f"{fares_in_words(fares)}{mark}"
    return TableCell(shown, (Line(shown, standing),), short=shown)


def verdict_notes(found: Comparison) -> list[str]:
    """What the words and stars say: once below the table."""
    told = verdict(found)
    return [*_words_said(found), *too_short_in_words(found, told), *_certainty(found), *_spans(found, told)]


def _spans(found: Comparison, told: Sequence[Application]) -> Iterator[str]:
    """What two words of one number mean."""
    if any(has_span(own) for each in told for own in each.fares.values()):
        ends = (
            "the 95 % interval reaches" if len(found.seeds) >= MINIMUM_REPLICATIONS else "single seeds reach"
        )
        yield f"Two words for one number: {ends} from one to the other."


def _words_said(found: Comparison) -> Iterator[str]:
    told: list[str] = []
    # Of each kind the first criterion, which is told.
    for each in {limits["kind"]: limits for limits in reversed(thresholds(found))}.values():
        limits = "/".join(f"{limit:g}" for limit in dict.fromkeys((each["good"], each["fair"], each["poor"])))
        told.insert(0, f"{each['kind']} {limits} {each['unit']}")
    if told:
        also = "; calls, games and meetings also by loss, MOS, jitter, frozen pictures"
        meant = ["delays: 95 %, one way"] * bool(found.judged_groups)
        meant += ["pages: half of them"] * found.tells_pages
        of = f" ({'; '.join(meant)})" if meant else ""
        yield (
            f"Good, fair, poor up to: {', '.join(told)}{also if found.judged_groups else ''}{of}: "
            "docs/explanation/statistics.md."
        )


def thresholds(found: Comparison) -> list[dict[str, Any]]:
    """The limits of the words as plain data: of each kind that is judged every criterion."""
    kinds = [*dict.fromkeys(found.judged_groups.values())]
    kinds += [PAGES] * found.tells_pages + [VIDEO] * bool(found.viewers)
    return [
        {
            "kind": kind.name,
            "quantity": quantity.base,
            "unit": quantity.unit,
            **dict(zip(("good", "fair", "poor"), criterion.limits, strict=True)),
        }
        for kind in kinds
        for criterion in kind.criteria
        for quantity in [criterion.of(_PART_OF.get(kind, "datagrams.NAME"))]
    ]


def stages_in_words(found: Comparison) -> Iterator[str]:
    """How many seeds decided how many there are, where they did."""
    if found.first_stage:
        yield f"The first {found.first_stage} seeds decided the number of seeds (Stein's two stages)."


def _certainty(found: Comparison) -> Iterator[str]:
    if len(found.names) < 2:
        return
    seeds = counted(len(found.seeds), "seed")
    if found.nothing_is_random:
        yield f"Nothing is random here: {seeds} gave one run. *: differs from {itself(found.baseline)}."
    elif len(found.seeds) < MINIMUM_REPLICATIONS:
        told = f"{seeds} is too few" if len(found.seeds) == 1 else f"Means over {seeds}, too few"
        yield f"{told} to tell differences from chance; {MINIMUM_REPLICATIONS} can."
    else:
        yield f"Means over {seeds}. *: differs from {itself(found.baseline)}, beyond chance."
        yield from stages_in_words(found)
        if smallest := what_would_show(verdict(found)):
            yield f"Without a star: a difference would have shown from {smallest} on."
