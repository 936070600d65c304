"""Table 2: the numbers themselves, and the orderings that the text reads from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.experiments.le2003.claims.cells import BASELINE, SCHEMES, TARGETS, called, cell, le2003
from aqmlab.reproduce.claims.numbers import at_least, higher
from aqmlab.reproduce.claims.outcome import Part
from aqmlab.statistics import completed_per_90_minutes, loss_percent, throughput_mbps
from aqmlab.statistics.quantities import completed_millions
from aqmlab.tables import cell_rows, published_rows

if TYPE_CHECKING:
    from aqmlab.reproduce.study import Study
    from aqmlab.tables import Row


@le2003("L13")
def drop_tail_carries_most(study: Study) -> list[Part]:
    """Drop-tail 240 has the highest throughput, completes most and loses most, without ECN.

    The paper's text says so of all three; its own table 2 disagrees on the last two at 90 %. Each statement
    is judged against every AQM cell.
    """
    parts = []
    for load in (90.0, 98.0):
        for scheme in SCHEMES:
            for target in TARGETS:
                parts += _drop_tail_against(study, scheme, target, load)
    return parts


def _drop_tail_against(study: Study, scheme: str, target: int, load: float) -> list[Part]:
    ours, theirs = (BASELINE, load), (cell(scheme, target), load)
    who = f"{called(scheme, target)} at {load:g} %"
    completed = _table_says(study, ours, theirs, "completed_millions")
    lost = _table_says(study, ours, theirs, "loss_percent")
    return [
        higher(
            study,
            f"text and table: drop-tail 240 carries more than {who}",
            ours,
            theirs,
            throughput_mbps,
            unit="Mbit/s",
        ),
        higher(
            study,
            f"text: drop-tail 240 completes more than {who}{completed}",
            ours,
            theirs,
            completed_per_90_minutes,
            unit="per 90 min",
        ),
        higher(
            study,
            f"text: drop-tail 240 loses more than {who}{lost}",
            ours,
            theirs,
            loss_percent,
            unit="points",
        ),
    ]


def _table_says(study: Study, ours: tuple[str, float], theirs: tuple[str, float], quantity: str) -> str:
    """Whether the paper's own table agrees with its text."""
    left, right = study.published(*ours), study.published(*theirs)
    if left is None or right is None:
        return ""
    ahead = left.values[quantity] - right.values[quantity]
    return (
        " (its table too)" if ahead > 0 else (" (its table ties)" if ahead == 0 else " (its table disagrees)")
    )


@le2003("L23")
def table_2(study: Study) -> list[Part]:
    """Every cell within its tolerance in all three quantities."""
    table = study.experiment.table("2")
    rows = published_rows(cell_rows(study, table))
    missing = len(table.rows) - len(rows)
    parts = [_cell_part(row) for row in rows]
    if missing:
        parts.append(Part(f"the other {missing} cells of table 2", None, "not run at this scale"))
    return parts


def _cell_part(row: Row) -> Part:
    outside = [
        f"{quantity} {entry.mean:.3g} against {entry.published:.3g}"
        for quantity, entry in row.entries.items()
        if entry.within is False
    ]
    evidence = (
        "outside: " + ", ".join(outside) if outside else "loss, completed requests and throughput agree"
    )
    return Part(f"{row.label} at {row.load_percent:g} %", row.within, evidence)


@le2003("L27")
def pi_against_rem(study: Study, *, as_many_millions: float) -> list[Part]:
    """Without ECN PI loses less, carries more and completes as many as REM."""
    parts = []
    for target in TARGETS:
        for load in (90.0, 98.0, 105.0):
            pi, rem = (cell("pi", target), load), (cell("rem", target), load)
            where = f"with target {target} at {load:g} %"
            parts += [
                higher(study, f"REM loses more than PI {where}", rem, pi, loss_percent, unit="points"),
                higher(study, f"PI carries more than REM {where}", pi, rem, throughput_mbps, unit="Mbit/s"),
                at_least(
                    study,
                    f"PI completes as many exchanges as REM {where}",
                    pi,
                    rem,
                    completed_millions,
                    slack=as_many_millions,
                    unit="million",
                ),
            ]
    return parts
