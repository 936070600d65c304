"""Table 2: the numbers themselves, and whether the orderings that the text reads from them are there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.errors import MissingDataError, TooLittleDataError
from aqmlab.papers.claims import Answer
from aqmlab.papers.claims.checks import alike, higher
from aqmlab.papers.frame import frame_of, published_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aqmlab.papers.claims import Question
    from aqmlab.papers.frame import Row
    from aqmlab.papers.study import Cell, Study
    from aqmlab.statistics import Recorded
    from aqmlab.statistics.quantities import Quantity


def higher_says_the_text(
    study: Study, a: Cell, b: Cell, *, of: Callable[[Recorded], float], in_table: str, unit: str | None = None
) -> Answer:
    """A number of `a` exceeds that of `b`; the evidence says whether the paper's own table agrees."""
    answer = higher(study, a, b, of=of, unit=unit)
    left, right = study.published(*a), study.published(*b)
    if left is None or right is None:
        return answer
    ahead = left.values[in_table] - right.values[in_table]
    agrees = "says so too" if ahead > 0 else ("ties" if ahead == 0 else "disagrees")
    return answer._replace(evidence=f"{answer.evidence}; the paper's table {agrees}")


def in_the_tables_order(study: Study, a: Cell, b: Cell, *, of: Quantity, step: float) -> Answer:
    """A number of `a` and that of `b` are in the order that the paper's table prints.

    Where it prints them alike, they differ by no more than a step of its last digit.
    """
    left, right = study.published(*a), study.published(*b)
    if left is None or right is None:
        raise MissingDataError(f"the paper's table lacks {study.label(a)} or {study.label(b)}")
    printed = left.values[of.name], right.values[of.name]
    evidence = f"the table prints {printed[0]:g} and {printed[1]:g}"
    if printed[0] == printed[1]:
        answer = alike(study, a, b, of=of, limit=step)
    else:
        first, second = (a, b) if printed[0] > printed[1] else (b, a)
        answer = higher(study, first, second, of=of)
        evidence += "; the higher minus the lower"
    return answer._replace(evidence=f"{evidence}: {answer.evidence}")


def cells_of_table_2(study: Study) -> Iterator[tuple[str, Question]]:
    """Every cell within its tolerance in all three quantities."""
    table = study.experiment.published.table("2")
    rows = published_rows(frame_of(study, table))
    for row in rows:
        yield row.name, lambda row=row: _within_tolerance(row)  # type: ignore[misc]
    if missing := len(table.rows) - len(rows):
        yield f"the other {missing} cells of table 2", _not_run


def _not_run() -> Answer:
    raise MissingDataError("not run at this scale")


def _within_tolerance(row: Row) -> Answer:
    if not all(number.long_enough for number in row.numbers.values()):
        raise TooLittleDataError("the measured window is too short for levels to be those of the paper's")
    outside = [
        f"{quantity} {number.mean:.3g} against {number.published:.3g}"
        for quantity, number in row.numbers.items()
        if number.within is False
    ]
    agreeing = "loss, completed requests and throughput agree"
    evidence = f"outside: {', '.join(outside)}" if outside else agreeing
    return Answer(row.within, evidence, in_sample=", ".join(row.in_sample))
