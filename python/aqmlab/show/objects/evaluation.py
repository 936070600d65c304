"""What an evaluation looks like: its sentences, its tables, its report."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

from aqmlab import shown
from aqmlab.inference.replication import MINIMUM_REPLICATIONS, Interval
from aqmlab.show.report.page import Figure, Folded, Page, Section, TableShown, Text, render
from aqmlab.show.tables.printed import shows
from aqmlab.show.words.amounts import delay, listed
from aqmlab.show.words.configurations import named, under
from aqmlab.study.evaluation import CONTROLLERS, SCHEMES, Evaluation
from aqmlab.study.evaluation.harm import DISTANCE, Judgement, judgements_of
from aqmlab.study.evaluation.metrics import DELAY, GOODPUT
from aqmlab.study.evaluation.summary import (
    cases_of,
    columns_of,
    details_of,
    leading_case,
    standings_of,
    summary_of,
)
from aqmlab.tables.model import Column, Table, TableCell, digits_in_print, text
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aqmlab.show.report import page
    from aqmlab.show.tables.printed import Part
    from aqmlab.study.evaluation import Guideline, NotRun, Trial
    from aqmlab.study.evaluation.summary import Standings, SummaryRow

_NUMBERS = {
    "harm": "what others lose beside it, of what they have alone (0 none, 1 all; Ware et al. 2019)",
    "harm, delay": "to the 95th percentile, one way, of the delay of probes, calls or frames",
    "harm, time": "to the median time of transfers",
    "harm, inside": "to the goodput of the CUBIC flow in the tunnel",
    "harm, outside": "to that of the one outside",
    "delay ms": "mean queueing delay",
    "Mbit/s": "goodput",
    "link Mbit/s": "what the link sends, headers included",
    "short s": "median time of transfers of 80 kB",
    "breaker s": "longest time with more than 10 % of loss in every second, which opens a circuit breaker",
    "packets/segment": "packets either way for each segment delivered",
    "answers ms": "time in which 95 % of the answers are there",
}
"""What each number of a controller's summary is; `harm` is said of every kind of harm."""
_STAR = (
    f"; *: worse than CUBIC (beside Reno: than Reno) by more than {DISTANCE:g} of harm, or "
    f"{100.0 * DISTANCE:g} % of other numbers, beyond chance"
)
_CALLED = {DELAY: "delay", GOODPUT: "goodput"}


def in_words(evaluation: Evaluation) -> list[str]:
    if evaluation.method is CONTROLLERS:
        return judgements_in_words(evaluation, list(judgements_of(evaluation)))
    return [
        *waits_in_words(evaluation, leading_case(evaluation)),
        *standings_in_words(evaluation.subject, standings_of(evaluation)),
    ]


def waits_in_words(evaluation: Evaluation, trial: Trial | None) -> list[str]:
    """How long packets wait under each scheme in one case."""
    if trial is None:
        return []
    figures = {scheme: evaluation.figure(*trial.place, scheme, DELAY) for scheme in evaluation.subjects}
    waits = [
        f"{delay(mean)} {under(scheme)}"
        for scheme, figure in figures.items()
        if figure is not None and (mean := figure.interval.mean) is not None
    ]
    title = trial.title[0].upper() + trial.title[1:]
    return [f"{title}: packets wait {listed(waits)}."] if waits else []


def standings_in_words(scheme: str, standings: Sequence[Standings]) -> list[str]:
    """In how many cases a scheme has less delay and more goodput than each other one."""
    return [
        f"{named(scheme)} against {named(other)} ({counted(cases, 'scenario')}): "
        f"{'; '.join(map(_against, found))}."
        for (other, cases), group in groupby(standings, key=lambda each: (each.other, each.cases))
        if cases
        for found in [list(group)]
    ]


def judgements_in_words(evaluation: Evaluation, judged: Sequence[Judgement]) -> list[str]:
    """Where a controller does more harm than the standard does itself, and where it is worse otherwise."""
    name = evaluation.method.spelt(evaluation.subject)
    others = [each for each in judged if each.trial.case.standard != evaluation.subject]
    if not others or len(evaluation.seeds) < MINIMUM_REPLICATIONS:
        return []
    harm = [each for each in others if each.is_harm]
    rest = [each for each in others if not each.is_harm]
    return [*_harm_in_words(evaluation, name, harm), *_rest_in_words(evaluation, name, rest)]


def _harm_in_words(evaluation: Evaluation, name: str, judged: Sequence[Judgement]) -> Iterator[str]:
    if not judged:
        return
    spelt = evaluation.method.spelt
    standards = dict.fromkeys(each.trial.case.standard for each in judged)
    itself = " or ".join(map(spelt, standards))
    worse = [each for each in judged if each.is_worse]
    better = sum(each.is_better for each in judged)
    yield (
        f"Harm to others: {name} does more than {itself} to itself in {len(worse)} of "
        f"{counted(len(judged), 'number')} and less in {better}."
    )
    if worse:
        most = max(worse, key=lambda each: each.difference.mean or 0.0)
        own, standard = (f"{each.interval.mean:.2f}" for each in (most.own, most.standard))
        what = most.number.removeprefix("harm, ")
        yield (
            f"The greatest excess: {most.trial.guideline.section} {most.trial.title} ({what}), harm {own} "
            f"against {standard} of {spelt(most.trial.case.standard)}."
        )


def _rest_in_words(evaluation: Evaluation, name: str, judged: Sequence[Judgement]) -> Iterator[str]:
    for standard, group in groupby(judged, key=lambda each: each.trial.case.standard):
        found = list(group)
        worse, better = (
            [each.trial.guideline.section for each in found if getattr(each, way)]
            for way in ("is_worse", "is_better")
        )
        yield (
            f"Of the other {counted(len(found), 'number')} {name} is worse than "
            f"{evaluation.method.spelt(standard)} in {_where(worse)} and better in {_where(better)}."
        )


def _where(sections: Sequence[str]) -> str:
    told = ", ".join(dict.fromkeys(sections))
    return f"{len(sections)} ({told})" if sections else "none"


def means_in_words(evaluation: Evaluation) -> str:
    seeds = len(evaluation.seeds)
    certainty = " with 95 % intervals" if seeds >= MINIMUM_REPLICATIONS else ": too few for intervals"
    means = f"means over {counted(seeds, 'seed')}{certainty}"
    if evaluation.method is CONTROLLERS:
        numbers = {row.number for row in summary_of(evaluation)}
        shown = [
            f"{number}: {said}"
            for number, said in _NUMBERS.items()
            if number in numbers or (number == "harm" and any(each.startswith("harm") for each in numbers))
        ]
        return f"{'; '.join([*shown, means])}{_STAR if seeds >= MINIMUM_REPLICATIONS else ''}"
    return f"delay: mean queueing delay; Mbit/s: goodput of all traffic; {means}"


def _against(standings: Standings) -> str:
    counts = {"lower": standings.less, "higher": standings.more}
    found = ", ".join(f"{way} in {count}" for way, count in counts.items() if count)
    return f"{_CALLED[standings.number]} {found or 'not clearly different'}"


def printed(found: Evaluation) -> list[Part]:
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
        return text(mean_of_ends.written(three_digits), value=None)
    half_width = getattr(found, "half_width", None)
    mean = three_digits(found.mean)
    if half_width is None:
        return text(mean, value=found.mean)
    star = "*" if subject == evaluated and row.judgement is not None and row.judgement.is_worse else ""
    scatter = f"{half_width:.{digits_in_print(found.mean, 2)}f}{star}"
    return text(f"{mean} ± {scatter}", value=found.mean, short=f"{mean}±{scatter}")


def three_digits(value: float) -> str:
    return f"{value:.{digits_in_print(value, 2)}f}"


def page_of(evaluation: Evaluation) -> Page:
    sections = (
        Section(
            "Summary", [TableShown(summary_table(evaluation, title="summary"))] * bool(evaluation.trials)
        ),
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


def _first_figure(evaluation: Evaluation) -> Iterator[page.Part]:
    if evaluation.method is SCHEMES and (case := leading_case(evaluation)) is not None:
        from aqmlab.show.figures.trade_offs import draw_one  # noqa: PLC0415 (matplotlib takes half a second)

        yield Figure(draw_one(evaluation, case))


def _trade_offs(evaluation: Evaluation) -> Iterator[page.Part]:
    cases = [case for case in cases_of(evaluation) if case.case.beside]
    if evaluation.method is SCHEMES and len(cases) > 1:
        from aqmlab.show.figures.trade_offs import draw_all  # noqa: PLC0415 (as above)

        yield Figure(draw_all(evaluation, cases))


def _metrics(evaluation: Evaluation) -> Iterator[page.Part]:
    guidelines = {case.guideline.section: case.guideline for case in cases_of(evaluation)}
    for section, guideline in guidelines.items():
        table = metrics_table(evaluation, guideline)
        yield Folded(f"{section} {guideline.name}", [Text(guideline.asks, soft=True), TableShown(table)])


def _not_run(evaluation: Evaluation) -> Iterator[page.Part]:
    if evaluation.not_run:
        yield TableShown(not_run_table(evaluation.not_run, evaluation.method.kind))


shows(Evaluation, printed)


@shown.facts.register(Evaluation)
def _facts(evaluation: Evaluation) -> dict[str, Any]:
    """What was found in sentences, a controller's numbers against the standard's, and what was not run."""
    judged = [_judged(each) for each in judgements_of(evaluation)]
    return {
        "sentences": in_words(evaluation),
        **({"judged": judged} if judged else {}),
        "not_run": [asdict(each) for each in evaluation.not_run],
    }


def _judged(found: Judgement) -> dict[str, Any]:
    """A number beside the standard's; whether it is worse or better only where an interval says so."""
    decided = isinstance(found.difference, Interval)
    return {
        "section": found.trial.guideline.section,
        "scenario": found.trial.title,
        "metric": found.own.metric.name,
        "standard": found.trial.case.standard,
        "value": found.own.interval.mean,
        "standard_value": found.standard.interval.mean,
        "difference": found.difference.to_dict(),
        "is_worse": found.is_worse if decided else None,
        "is_better": found.is_better if decided else None,
    }


@shown.report.register(Evaluation)
def _report(evaluation: Evaluation, *, title: str = "") -> str:  # noqa: ARG001 (its title is the scheme's)
    return render(page_of(evaluation))
