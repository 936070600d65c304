"""Table 3: RED 30/90 with three limits of the queue, at three loads."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from aqmlab.inference import Interval, run_to_run
from aqmlab.papers.claims import Answer
from aqmlab.statistics import measured_window_s
from aqmlab.statistics.quantities import SEVENTY_MINUTES_S

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aqmlab.papers.claims import Question
    from aqmlab.papers.published import PublishedRow, PublishedTable
    from aqmlab.papers.study import Study


def rows_of_table_3(study: Study, *, confidence: float) -> Iterator[tuple[str, Question]]:
    """Every row in all eight quantities.

    The paper's rows look like single runs. A quantity agrees when the published value lies within the
    tolerance of our mean, or within the range that holds a further single run of ours with this confidence
    for all eight together. Only runs of the paper's length have that range: shorter ones spread more.
    """
    table = study.experiment.published.table("3")
    for row in table.rows.values():
        said = f"RED 30/90 with {row.text['queue_length_packets']} packets at {row.load_percent:g} %"
        yield said, partial(_row, study, table, row, 1.0 - (1.0 - confidence) / len(table.columns))


def _row(study: Study, table: PublishedTable, published: PublishedRow, confidence: float) -> Answer:
    cell = (published.configuration, published.load_percent)
    of_full_length = measured_window_s(study.results(*cell)[0]) >= SEVENTY_MINUTES_S
    close, reached, outside = 0, 0, []
    for column in table.columns:
        wanted = published.values[column.quantity.name]
        ours = run_to_run(study.values(*cell, column.quantity), confidence=confidence)
        reach = ours.next_run if of_full_length else None
        if abs(ours.mean - wanted) <= study.experiment.tolerance_of(column, wanted):
            close += 1
        elif isinstance(reach, Interval) and reach.lower <= wanted <= reach.upper:
            reached += 1
        else:
            outside.append(f"{column.name} {ours.mean:.4g} against {wanted:g}")
    evidence = f"{close} of {len(table.columns)} quantities within the tolerance"
    evidence += f", {reached} more within a single run's reach" if reached else ""
    evidence += f"; outside: {', '.join(outside)}" if outside else ""
    return Answer(not outside, evidence)
