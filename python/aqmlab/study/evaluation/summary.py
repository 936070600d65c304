"""The summary of an evaluation (RFC 7928, section 13): a scheme's main numbers beside those of others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.inference import Interval, mean_interval
from aqmlab.inference.replication import MINIMUM_REPLICATIONS
from aqmlab.study.evaluation.metrics import DELAY, GOODPUT, metrics_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aqmlab.study.evaluation.evaluation import Evaluation, Figure, Trial
    from aqmlab.study.evaluation.guideline import Guideline

SHOWN = {DELAY: "delay ms", GOODPUT: "Mbit/s"}
"""What every case is summed up by."""


_LEADING = ("8.2.4", "8.2.3", "8.2.2", "5.1.1")


@dataclass(frozen=True)
class SummaryRow:
    """A number of a case under every scheme.

    Attributes:
        section: Of RFC 7928.
        name: Of the section and the case.
        number: What it is, with its unit, in a few letters.
        figures: By scheme; none where the case was not run with it.
    """

    section: str
    name: str
    number: str
    figures: Mapping[str, Figure | None]


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
    """Delay, goodput and the headlines of every case."""
    return [
        SummaryRow(
            trial.guideline.section,
            trial.title,
            number,
            {
                scheme: evaluation.figure(trial.guideline.section, trial.name, scheme, metric)
                for scheme in evaluation.schemes
            },
        )
        for trial in cases_of(evaluation)
        for metric, number in {**SHOWN, **trial.case.headlines}.items()
    ]


def details_of(evaluation: Evaluation, guideline: Guideline) -> list[SummaryRow]:
    """Every metric of a section's cases."""
    return [
        SummaryRow(
            guideline.section,
            trial.title,
            f"{metric.name}, {metric.unit}" if metric.unit else metric.name,
            {
                scheme: evaluation.figure(guideline.section, trial.name, scheme, metric.name)
                for scheme in evaluation.schemes
            },
        )
        for trial in cases_of(evaluation)
        if trial.guideline is guideline
        for metric in metrics_of(trial.case)
    ]


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
        section, name = trial.guideline.section, trial.name
        own, others = (
            evaluation.figure(section, name, scheme, metric) for scheme in (evaluation.scheme, other)
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
    """A trial of each case: the evaluated scheme's, or another's where that was not run."""
    found: dict[tuple[str, str], Trial] = {}
    for trial in evaluation.trials:
        found.setdefault((trial.guideline.section, trial.name), trial)
    return list(found.values())
