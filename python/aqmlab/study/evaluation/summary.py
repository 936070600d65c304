"""The summary of an evaluation (RFC 7928, section 13): the subject's main numbers beside those of others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.inference import Interval, mean_interval
from aqmlab.inference.replication import MINIMUM_REPLICATIONS
from aqmlab.study.evaluation.evaluation import ALONE
from aqmlab.study.evaluation.harm import Judgement, judgements_of, numbers_of
from aqmlab.study.evaluation.metrics import DELAY, GOODPUT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.study.evaluation.evaluation import Evaluation, Figure, Trial
    from aqmlab.study.evaluation.guideline import Guideline

_LEADING = ("8.2.4", "8.2.3", "8.2.2", "5.1.1")


@dataclass(frozen=True)
class SummaryRow:
    """A number of a case with every subject.

    Attributes:
        section: Of the guideline.
        name: Of the section and the case.
        number: What it is, with its unit, in a few letters.
        figures: By subject; none where the case was not run with it.
        judgement: The evaluated controller's against the standard's, where there is a standard.
    """

    section: str
    name: str
    number: str
    figures: Mapping[str, Figure | None]
    judgement: Judgement | None = None


@dataclass(frozen=True)
class Standings:
    """In how many cases the evaluated scheme has less or more than another one, runs of a seed in pairs.

    Attributes:
        other: The other scheme.
        number: A metric.
        less: In how many the 95 % interval of the difference is below zero.
        more: In how many it is above.
        cases: In how many both were run.
    """

    other: str
    number: str
    less: int
    more: int
    cases: int


def summary_of(evaluation: Evaluation) -> list[SummaryRow]:
    """What is shown of every case, the headlines and the harm of every case."""
    judged = {(id(each.trial.case), each.own.metric.name): each for each in judgements_of(evaluation)}
    return [
        SummaryRow(
            trial.guideline.section,
            trial.title,
            number,
            _figures(evaluation, trial, metric, evaluation.subjects),
            judged.get((id(trial.case), metric)),
        )
        for trial in cases_of(evaluation)
        for metric, number in {**evaluation.method.shown, **numbers_of(trial)}.items()
    ]


def details_of(evaluation: Evaluation, guideline: Guideline) -> list[SummaryRow]:
    """Every metric of a section's cases, with what others have alone."""
    found: dict[tuple[str, str], SummaryRow] = {}
    columns = columns_of(evaluation)
    titles = {id(trial): trial for trial in cases_of(evaluation) if trial.guideline is guideline}
    for trial in titles.values():
        of_case = (each for each in evaluation.figures if each.trial.place == trial.place)
        for metric in {each.metric.name: each.metric for each in of_case}.values():
            name = f"{metric.name}, {metric.unit}" if metric.unit else metric.name
            row = SummaryRow(
                guideline.section, trial.title, name, _figures(evaluation, trial, metric.name, columns)
            )
            found[trial.title, name] = row
    return list(found.values())


def columns_of(evaluation: Evaluation) -> tuple[str, ...]:
    """The subjects, and `ALONE` where something was run without one."""
    has_alone = any(trial.subject == ALONE for trial in evaluation.trials)
    return (*evaluation.subjects, *([ALONE] if has_alone else []))


def _figures(
    evaluation: Evaluation, trial: Trial, metric: str, subjects: Sequence[str]
) -> dict[str, Figure | None]:
    return {subject: evaluation.figure(*trial.place, subject, metric) for subject in subjects}


def standings_of(evaluation: Evaluation) -> list[Standings]:
    """The evaluated scheme's delay and goodput against each other scheme's; none of too few seeds."""
    if len(evaluation.seeds) < MINIMUM_REPLICATIONS:
        return []
    return [
        _standings(evaluation, other, metric) for other in evaluation.beside for metric in (DELAY, GOODPUT)
    ]


def _standings(evaluation: Evaluation, other: str, metric: str) -> Standings:
    less = more = cases = 0
    for trial in cases_of(evaluation):
        own, others = (
            evaluation.figure(*trial.place, scheme, metric) for scheme in (evaluation.subject, other)
        )
        if own is None or others is None:
            continue
        cases += 1
        difference = mean_interval(np.subtract(own.values, others.values))
        if isinstance(difference, Interval):
            less += difference.lies_below(0.0)
            more += difference.lies_above(0.0)
    return Standings(other, metric, less, more, cases)


def leading_case(evaluation: Evaluation) -> Trial | None:
    """The case that stands for all: heavy congestion, or what is most like it of what was run."""
    cases = cases_of(evaluation)
    leading = [case for section in _LEADING for case in cases if case.guideline.section == section]
    return next(iter([*leading, *cases]), None)


def cases_of(evaluation: Evaluation) -> list[Trial]:
    """A trial of each case: the evaluated subject's, or another's where that was not run."""
    found: dict[tuple[str, str], Trial] = {}
    for trial in evaluation.trials:
        if trial.subject != ALONE:
            found.setdefault(trial.place, trial)
    return list(found.values())
