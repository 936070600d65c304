"""Grades of bufferbloat.

Source: DSLReports, "Bufferbloat Grades" (faq/17930): by how much a round trip is longer while the line is
full than while it is idle.

DSLReports grades the mean of what downloads and what uploads add, which calls a line good whose uploads are
unbearable as soon as its downloads are not. Here downloads, uploads and both at once each have a grade, and
the worst of the three is that of the line.

DSLReports does not ask what was lost. A line that loses its probes is no good line for being quick with the
rest, so that losses bound the grade here, by ITU-T G.1010 (table I.1): a video call takes 1 %, a telephone
call 3 %. Beyond the one no grade is better than C; beyond the other it is F, which the delay has where it is
beyond the 400 ms that the same table has as its limit.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Grade:
    """A grade.

    Attributes:
        name: From `A+`, the best, to `F`; there is no E.
        below_ms: The added delay in milliseconds that it ends at; none of the last one.
    """

    name: str
    below_ms: float | None


GRADES = (
    Grade("A+", 5.0),
    Grade("A", 30.0),
    Grade("B", 60.0),
    Grade("C", 200.0),
    Grade("D", 400.0),
    Grade("F", None),
)
"""All grades, the best first."""


WITH_LOSSES = ((1.0, "C"), (3.0, "F"))
"""The best grade of a line that loses more than so many of 100 probes."""


def grade_of(added_ms: float, lost_percent: float = 0.0) -> Grade:
    """The grade of so many milliseconds of added delay, at such losses."""
    names = [grade.name for grade in GRADES]
    by_delay = next(
        place for place, grade in enumerate(GRADES) if grade.below_ms is None or added_ms < grade.below_ms
    )
    by_loss = [names.index(best) for above, best in WITH_LOSSES if lost_percent > above]
    return GRADES[max([by_delay, *by_loss])]


def thresholds() -> str:
    """What the grades mean: `A+ below 5 ms, A below 30 ms, ... F from 400 ms`."""
    below = [f"{grade.name} below {grade.below_ms:g} ms" for grade in GRADES if grade.below_ms is not None]
    return ", ".join([*below, f"{GRADES[-1].name} from {GRADES[-2].below_ms:g} ms"])


def thresholds_of_losses() -> str:
    """What losses do to them: `C at best above 1 % of loss, F above 3 %`."""
    first, last = WITH_LOSSES
    return f"{first[1]} at best above {first[0]:g} % of loss, {last[1]} above {last[0]:g} %"
