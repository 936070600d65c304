"""The report of an evaluation: one page with the summary, the trade-offs, and every metric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.show.report.page import Figure, Folded, Page, Part, Section, TableShown, Text
from aqmlab.show.tables.evaluation import metrics_table, not_run_table, summary_table
from aqmlab.show.words.evaluation import in_words
from aqmlab.study.evaluation import SCHEMES
from aqmlab.study.evaluation.summary import cases_of, leading_case
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aqmlab.study.evaluation.evaluation import Evaluation


def page_of(evaluation: Evaluation) -> Page:
    """The page on an evaluation."""
    sections = (
        Section("Summary", [*_summary(evaluation)]),
        Section("Delay and goodput", [*_trade_offs(evaluation)]),
        Section("Every metric", [*_metrics(evaluation)]),
        Section("What was not run", [*_not_run(evaluation)]),
    )
    return Page(
        title=f"{evaluation.subject} by {evaluation.method.document}",
        under_title=f"{evaluation.method.line}, {counted(len(evaluation.seeds), 'seed')}",
        answer=in_words(evaluation),
        first=[*_first_figure(evaluation)],
        sections=[section for section in sections if section.parts],
    )


def _first_figure(evaluation: Evaluation) -> Iterator[Part]:
    from aqmlab.show.figures.evaluation import draw_one  # noqa: PLC0415 (matplotlib takes half a second to load)

    if evaluation.method is SCHEMES and (case := leading_case(evaluation)) is not None:
        yield Figure(draw_one(evaluation, case))


def _summary(evaluation: Evaluation) -> Iterator[Part]:
    if evaluation.trials:
        yield TableShown(summary_table(evaluation, title="summary"))


def _trade_offs(evaluation: Evaluation) -> Iterator[Part]:
    from aqmlab.show.figures.evaluation import draw_all  # noqa: PLC0415 (matplotlib takes half a second to load)

    cases = [case for case in cases_of(evaluation) if case.case.beside]
    if evaluation.method is SCHEMES and len(cases) > 1:
        yield Figure(draw_all(evaluation, cases))


def _metrics(evaluation: Evaluation) -> Iterator[Part]:
    guidelines = {case.guideline.section: case.guideline for case in cases_of(evaluation)}
    for section, guideline in guidelines.items():
        table = metrics_table(evaluation, guideline)
        yield Folded(f"{section} {guideline.name}", [Text(guideline.asks, soft=True), TableShown(table)])


def _not_run(evaluation: Evaluation) -> Iterator[Part]:
    if evaluation.not_run:
        yield TableShown(not_run_table(evaluation.not_run, evaluation.method.kind))
