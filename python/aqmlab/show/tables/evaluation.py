"""An evaluation as tables: the summary, every metric, and what was not run."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from aqmlab.show.words.evaluation import in_words, means_in_words
from aqmlab.study.evaluation.summary import columns_of, details_of, summary_of
from aqmlab.tables.model import Column, Table, TableCell, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.show.tables.printed import Part
    from aqmlab.study.evaluation import Evaluation, Guideline, NotRun
    from aqmlab.study.evaluation.summary import SummaryRow

_DIGITS = 3


def printed(found: Evaluation) -> list[Part]:
    """What was found in sentences, then the tables."""
    return [*in_words(found), *tables_of(found)]


def summary_table(evaluation: Evaluation, *, title: str = "") -> Table:
    """The main numbers of every case, a column for each subject."""
    columns: list[Column[SummaryRow]] = [
        Column("section", lambda row: text(row.section), "section", short="", words=True, heads_row=True),
        Column("scenario", lambda row: text(row.name), "scenario", words=True, heads_row=True),
        Column("number", lambda row: text(row.number), "", words=True, names_row=True),
        *_of_subjects(evaluation, evaluation.subjects),
    ]
    return Table.of(summary_of(evaluation), columns, title=title, caption=means_in_words(evaluation))


def metrics_table(evaluation: Evaluation, guideline: Guideline) -> Table:
    """Every metric of a section's cases, a column for each subject."""
    columns: list[Column[SummaryRow]] = [
        Column("scenario", lambda row: text(row.name), "scenario", words=True, heads_row=True),
        Column("metric", lambda row: text(row.number), "metric", words=True, names_row=True),
        *_of_subjects(evaluation, columns_of(evaluation)),
    ]
    return Table.of(details_of(evaluation, guideline), columns, title=guideline.name)


def tables_of(evaluation: Evaluation) -> list[Table]:
    """The summary, and what was not run, as far as there is any."""
    method = evaluation.method
    summary = summary_table(evaluation, title=f"{method.spelt(evaluation.subject)} by {method.document}")
    not_run = not_run_table(evaluation.not_run, method.kind)
    return [each for each in (summary, not_run) if each.rows]


def not_run_table(rows: Sequence[NotRun], kind: str) -> Table:
    """What was not run, and why; `kind` is what is evaluated."""
    columns: list[Column[NotRun]] = [
        Column("section", lambda row: text(row.section), "section", short="", heads_row=True),
        Column("scenario", lambda row: text(row.name), "scenario", words=True),
        *(
            [Column(kind, lambda row: text(row.subject), kind, words=True)]
            if any(row.subject for row in rows)
            else []
        ),
        Column("reason", lambda row: text(row.reason), "why", words=True, wraps=True),
    ]
    return Table.of(rows, columns, title="not run")


def _of_subjects(evaluation: Evaluation, subjects: Sequence[str]) -> list[Column[SummaryRow]]:
    return [
        Column(
            subject,
            partial(_of_subject, subject=subject, evaluated=evaluation.subject),
            evaluation.method.spelt(subject),
        )
        for subject in subjects
    ]


def _of_subject(row: SummaryRow, *, subject: str, evaluated: str) -> TableCell:
    figure = row.figures[subject]
    if figure is None:
        return text("", value=None)
    found, mean_of_ends = figure.interval, figure.mean
    if not mean_of_ends.is_known:
        return text("–", value=None)
    if found.mean is None or not mean_of_ends.is_exact:
        return text(mean_of_ends.written(shown), value=None)
    half_width = getattr(found, "half_width", None)
    mean = shown(found.mean)
    if half_width is None:
        return text(mean, value=found.mean)
    star = "*" if subject == evaluated and row.judgement is not None and row.judgement.is_worse else ""
    scatter = f"{half_width:.{_places(found.mean)}f}{star}"
    return text(f"{mean} ± {scatter}", value=found.mean, short=f"{mean}±{scatter}")


def shown(value: float) -> str:
    """A number with three digits that count."""
    return f"{value:.{_places(value)}f}"


def _places(value: float) -> int:
    size = math.floor(math.log10(abs(value))) if value else 0
    return max(0, _DIGITS - 1 - max(size, 0))
