"""Every metric of an evaluation as one table, for programs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from aqmlab.inference import NotEnoughReplications
from aqmlab.tables.model import Column, Table, bounds_in_csv, in_csv

if TYPE_CHECKING:
    from aqmlab.inference import Interval
    from aqmlab.study.evaluation.evaluation import Evaluation, Figure


def figures_table(evaluation: Evaluation) -> Table:
    """Every metric of every case and subject, a row each: for programs."""
    columns: list[Column[Figure]] = [
        in_csv("section", lambda each: each.trial.guideline.section),
        in_csv("scenario", lambda each: each.trial.guideline.name),
        in_csv("case", lambda each: each.trial.name),
        in_csv(evaluation.method.kind, lambda each: each.trial.subject),
        in_csv("metric_section", lambda each: each.metric.section),
        in_csv("metric", lambda each: each.metric.name),
        in_csv("unit", lambda each: each.metric.unit),
        in_csv("value", lambda each: each.mean.lower if each.mean.is_exact else None),
        in_csv("at_least", lambda each: _finite(each.mean.lower)),
        in_csv("at_most", lambda each: _finite(each.mean.upper)),
        *bounds_in_csv("low", "high", _interval_of),
        in_csv("seeds", lambda each: len(each.values)),
        in_csv("seeds_with_value", lambda each: sum(map(math.isfinite, each.values))),
    ]
    return Table.of(evaluation.figures, columns)


def _interval_of(figure: Figure) -> Interval | NotEnoughReplications:
    """Its interval; none of ends that differ, which are no sample of a number."""
    found = figure.interval
    return found if figure.mean.is_exact else NotEnoughReplications(len(figure.values))


def _finite(end: float) -> float | None:
    return end if math.isfinite(end) else None
