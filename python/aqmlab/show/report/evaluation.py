"""The report of an evaluation by RFC 7928: one page with the summary, the trade-offs, and every metric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.show.report.page import Figure, Folded, Page, Part, Section, TableShown, Text
from aqmlab.show.tables.evaluation import metrics_table, not_run_table, summary_table
from aqmlab.show.words.evaluation import in_words, means_in_words
from aqmlab.study.evaluation.network import BUFFER_PACKETS, RATE_MBPS, ROUND_TRIP_MS
from aqmlab.study.evaluation.summary import cases_of, details_of, leading_case, summary_of
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aqmlab.study.evaluation.evaluation import Evaluation


def page_of(evaluation: Evaluation) -> Page:
    """The page on an evaluation."""
    line = f"a link of {RATE_MBPS:g} Mbit/s, round trips of {ROUND_TRIP_MS:g} ms"
    sections = (
        Section("Summary", [*_summary(evaluation)]),
        Section("Delay and goodput", [*_trade_offs(evaluation)]),
        Section("Every metric", [*_metrics(evaluation)]),
        Section("What was not run", [*_not_run(evaluation)]),
    )
    return Page(
        title=f"{evaluation.scheme} by RFC 7928",
        under_title=f"{line}, a buffer of {BUFFER_PACKETS} packets, {counted(len(evaluation.seeds), 'seed')}",
        answer=in_words(evaluation),
        first=[*_first_figure(evaluation)],
        sections=[section for section in sections if section.parts],
    )


def _first_figure(evaluation: Evaluation) -> Iterator[Part]:
    from aqmlab.show.figures.evaluation import draw_one  # noqa: PLC0415 (matplotlib takes half a second to load)

    if (case := leading_case(evaluation)) is not None:
        yield Figure(draw_one(evaluation, case))


def _summary(evaluation: Evaluation) -> Iterator[Part]:
    if rows := summary_of(evaluation):
        caption = means_in_words(len(evaluation.seeds))
        yield TableShown(summary_table(rows, evaluation.schemes, title="summary", caption=caption))


def _trade_offs(evaluation: Evaluation) -> Iterator[Part]:
    from aqmlab.show.figures.evaluation import draw_all  # noqa: PLC0415 (matplotlib takes half a second to load)

    cases = [case for case in cases_of(evaluation) if case.case.beside]
    if len(cases) > 1:
        yield Figure(draw_all(evaluation, cases))


def _metrics(evaluation: Evaluation) -> Iterator[Part]:
    guidelines = {case.guideline.section: case.guideline for case in cases_of(evaluation)}
    for section, guideline in guidelines.items():
        rows = details_of(evaluation, guideline)
        table = metrics_table(rows, evaluation.schemes, title=guideline.name)
        yield Folded(f"{section} {guideline.name}", [Text(guideline.asks, soft=True), TableShown(table)])


def _not_run(evaluation: Evaluation) -> Iterator[Part]:
    if evaluation.not_run:
        yield TableShown(not_run_table(evaluation.not_run))
