"""Delay under load: what is said and printed of it, and its table, a row for each queue management."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from aqmlab import shown
from aqmlab.load.queue_place import PLACES
from aqmlab.show.tables.headings import other_numbers, queue_column
from aqmlab.show.tables.printed import Unwrapped, shows
from aqmlab.show.words.amounts import bit_rate, delay, listed
from aqmlab.show.words.configurations import named, under
from aqmlab.study.bloat import GRADES, LOADED, Bufferbloat, Phase, thresholds, thresholds_of_losses
from aqmlab.study.sqm.typed import can_be_typed, router_shapers, tc_lines
from aqmlab.tables.model import Column, Line, Table, TableCell, in_csv, number, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aqmlab.show.tables.printed import Part
    from aqmlab.study.bloat import Grade, QueueUnderLoad

_LOADS = {
    Phase.DOWNLOAD: "downloads",
    Phase.UPLOAD: "uploads",
    Phase.BOTH: "downloads and uploads",
}
_MOST = 0.5
"""Less than this of its own rate is worth a sentence."""


def not_filled_in_words(rows: Sequence[QueueUnderLoad]) -> list[str]:
    """Why there is no grade: loads that did not fill the line, such as one with a very long round trip."""
    return [
        f"No grade {under(row.name)}: {_LOADS[phase]} kept the line busy only {busy:.3g} % of the time."
        for row in rows
        if row.grade is None
        for phase in row.not_filled
        for loaded in [row.phases[phase]]
        for busy in [max(loaded.busy_percent[way] for way in loaded.goodput_mbps)]
    ]


def collapsed_in_words(rows: Sequence[QueueUnderLoad]) -> list[str]:
    """What becomes of downloads beside uploads, and of uploads beside downloads, where most of it is lost."""
    found = []
    for way, alone, other in (("down", Phase.DOWNLOAD, "uploads"), ("up", Phase.UPLOAD, "downloads")):
        rates = {
            row.name: [row.phases[each].goodput_mbps[way] for each in (alone, Phase.BOTH)] for row in rows
        }
        fallen = [
            f"from {bit_rate(own).partition(' ')[0]} to {bit_rate(beside)} {under(name)}"
            for name, (own, beside) in rates.items()
            if beside < _MOST * own
        ]
        if fallen:
            found.append(f"While {other} run, {_LOADS[alone]} fall {listed(fallen)}.")
    return found


def added_in_words(rows: Sequence[QueueUnderLoad]) -> str:
    """What the worse of downloads and uploads adds on the line as it is, and under each other queue."""
    own, *others = rows
    worst = max(LOADED, key=own.added_ms)
    if math.isinf(own.added_ms(worst)):
        return "At least half of the round trips on this line are lost."
    longer = delay(own.added_ms(worst))
    said = (
        f"While {_LOADS[worst]} fill this line, every round trip takes {longer} longer than on an idle line"
    )
    for_others = listed([f"{_longer(row.added_ms(worst))} {under(row.name)}" for row in others])
    return f"{said}{f'; {for_others}' if others else ''}."


def _longer(added_ms: float) -> str:
    return "half of them lost" if math.isinf(added_ms) else delay(added_ms)


def printed(found: Bufferbloat) -> Iterator[Part]:
    """What a full line adds, in a sentence and as a table; why a grade is missing; how to set the queues."""
    simulated = [row for row in found.queues if not row.live]
    if not simulated[0].not_filled:
        yield added_in_words(simulated)
    yield table_of(found)
    yield carried_table(found.queues, schemes=found.line.schemes)
    yield from collapsed_in_words(simulated)
    yield from not_filled_in_words(found.queues)
    yield from _whose_box(found)


def _whose_box(found: Bufferbloat) -> Iterator[Part]:
    """Where the queues stand that were tried; what to type where that is one's own router."""
    place = PLACES[found.line.queue_in]
    yield f"The queues tried here are {place.in_words}."
    if not place.shaped:
        if not place.links[0].startswith("router"):
            yield "For the queues of your own router: --queue-in router, or aqmlab sqm."
        return
    for row in found.queues:
        if can_be_typed(row.name):
            shapers = router_shapers(found.line.with_scheme(row.name))
            head = f"{named(row.name)} on Linux, where WAN is the router's port to the modem:"
            yield Unwrapped("\n".join([head, *(f"  {line}" for line in tc_lines(row.name, shapers, "WAN"))]))


def table_of(found: Bufferbloat) -> Table:
    caption = (
        "ms: a probe's median round trip, what downloads, uploads or both add to it, and the grade of that; "
        "lost: share of the probes, idle or under a load, in the worse direction; grade: the worst of the "
        "three: "
        f"{thresholds()} (DSLReports); {thresholds_of_losses()} (ITU-T G.1010)"
    )
    if any(len(row.grades_of_seeds(phase)) > 1 for row in found.queues for phase in _GRADED):
        caption += "; *, and in brackets: single seeds have other grades"
    return bloat_table(
        found.queues, title=f"the line: {found.line.in_words()}", caption=caption, schemes=found.line.schemes
    )


def bloat_table(
    rows: Sequence[QueueUnderLoad], *, title: str, caption: str, schemes: Sequence[str] = ("drop-tail",)
) -> Table:
    """What downloads, uploads and both add to a round trip, graded; for programs every delay and rate."""
    columns: list[Column[QueueUnderLoad]] = [
        queue_column(schemes),
        Column(
            "idle_round_trip_ms",
            lambda row: _round_trip(row.phases[Phase.IDLE].round_trip_ms()),
            "idle",
        ),
        *(Column(f"{phase}_added_ms", partial(_added, phase=phase), f"+ {phase}") for phase in LOADED),
        Column("lost_percent", lambda row: number(row.lost_percent, ".1f"), "lost %"),
        *(in_csv(f"{phase}_grade", partial(_grade_under, phase=phase)) for phase in LOADED),
        Column("grade", lambda row: text(_of_all(row), value=_value(row.grade)), "grade", words=True),
        *(in_csv(f"{_prefix(each)}grades_of_seeds", partial(_of_seeds, phase=each)) for each in _GRADED),
    ]
    columns += other_numbers(rows[0].numbers(), columns)
    return Table.of(rows, columns, title=title, caption=caption)


def carried_table(rows: Sequence[QueueUnderLoad], *, schemes: Sequence[str] = ("drop-tail",)) -> Table:
    """What the loads themselves get, alone and beside those the other way: rates, and TCP's own delay."""
    columns: list[Column[QueueUnderLoad]] = [
        queue_column(schemes),
        *(Column(title, partial(_gets, phase=phase, way=way), title) for way, phase, title in _OF_LOADS),
    ]
    caption = (
        "Mbit/s of downloads and uploads, alone and together; + ms: how much longer their own round trips "
        "take than on an idle path (as TCP measures them, median)"
    )
    return Table.of(rows, columns, caption=caption)


_OF_LOADS = (
    ("down", Phase.DOWNLOAD, "down"),
    ("down", Phase.BOTH, "down with up"),
    ("up", Phase.UPLOAD, "up"),
    ("up", Phase.BOTH, "up with down"),
)
"""Whose rate and delay, under which load, and what that is called."""


def _added(row: QueueUnderLoad, *, phase: Phase) -> TableCell:
    added, mark = _round_trip(row.added_ms(phase)), "*" if len(row.grades_of_seeds(phase)) > 1 else ""
    return replace(added, lines=(Line(f"{added.lines[0].text} {_named(row.grade_under(phase)) + mark:<2}"),))


def _grade_under(row: QueueUnderLoad, *, phase: Phase) -> str | None:
    return _value(row.grade_under(phase))


def _of_all(row: QueueUnderLoad) -> str:
    """The grade of the means, with those of single seeds where they differ: `C (B to D)`."""
    seeds = row.grades_of_seeds()
    return _named(row.grade) + (f" ({seeds[0].name} to {seeds[-1].name})" if len(seeds) > 1 else "")


_GRADED: tuple[Phase | None, ...] = (*LOADED, None)
"""Under each load, and of all."""


def _prefix(phase: Phase | None) -> str:
    return f"{phase}_" if phase else ""


def _of_seeds(row: QueueUnderLoad, *, phase: Phase | None) -> str:
    return " ".join(grade.name for grade in row.grades_of_seeds(phase))


def _named(grade: Grade | None) -> str:
    return grade.name if grade else "–"


def _value(grade: Grade | None) -> str | None:
    return grade.name if grade else None


def _gets(row: QueueUnderLoad, *, phase: Phase, way: str) -> TableCell:
    loaded = row.phases[phase]
    own_ms = loaded.in_flow_added_ms[way]
    rate = number(loaded.goodput_mbps[way], ".3g").lines[0].text
    return text(f"{rate} + {own_ms:3.0f} ms" if math.isfinite(own_ms) else f"{rate}, lost")


def _round_trip(milliseconds: float) -> TableCell:
    """A median round trip; the word for one of which half do not return."""
    if math.isinf(milliseconds):
        return number(None, absent="lost")
    return number(milliseconds, ".1f")


shows(Bufferbloat, printed, table_of)


@shown.facts.register(Bufferbloat)
def _of_bloat(found: Bufferbloat) -> dict[str, Any]:
    """The grade of each queue management, and of it under each load."""
    grades = {
        row.name: {
            "grade": _value(row.grade),
            **{str(phase): _value(row.grade_under(phase)) for phase in LOADED},
            "of_seeds": {
                str(phase or "grade"): [each.name for each in row.grades_of_seeds(phase)] for phase in _GRADED
            },
        }
        for row in found.queues
    }
    return {
        "line": found.line.in_words(),
        "grades": grades,
        "grade_below_ms": {each.name: each.below_ms for each in GRADES},
    }
