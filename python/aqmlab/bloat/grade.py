"""Grades of bufferbloat.

Source: DSLReports, "Bufferbloat Grades" (faq/17930): by how much a round trip is longer while the line is
full than while it is idle, the mean of what downloads add and what uploads add.
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


def grade_of(added_ms: float) -> Grade:
    """The grade of so many milliseconds of added delay."""
    return next(grade for grade in GRADES if grade.below_ms is None or added_ms < grade.below_ms)


def thresholds() -> str:
    """What the grades mean: `A+ below 5 ms, A below 30 ms, ... F from 400 ms`."""
    below = [f"{grade.name} below {grade.below_ms:g} ms" for grade in GRADES if grade.below_ms is not None]
    return ", ".join([*below, f"{GRADES[-1].name} from {GRADES[-2].below_ms:g} ms"])
