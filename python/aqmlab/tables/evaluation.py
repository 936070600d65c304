"""An evaluation by RFC 7928 as tables: the summary, every metric, and what was not run."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from aqmlab.statistics.replication import NotEnoughReplications
from aqmlab.tables.model import Column, Table, TableCell, bounds_in_csv, in_csv, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.evaluation import Evaluation, Figure, NotRun
    from aqmlab.evaluation.summary import SummaryRow
    from aqmlab.statistics import Interval

_DIGITS = 3


def summary_table(rows: Sequence[SummaryRow], schemes: Sequence[str], *, title: str, caption: str) -> Table:
    """Delay, goodput and the headlines of every case, a column for each scheme."""
    columns: list[Column[SummaryRow]] = [
        Column("section", lambda row: text(row.section), "section", short="", words=True, heads_row=True),
        Column("scenario", lambda row: text(row.name), "scenario", words=True, heads_row=True),
        Column("number", lambda row: text(row.number), "", words=True),
        *(Column(scheme, partial(_of_scheme, scheme=scheme), scheme) for scheme in schemes),
    ]
    return Table.of(rows, columns, title=title, caption=caption)


def metrics_table(rows: Sequence[SummaryRow], schemes: Sequence[str], *, title: str) -> Table:
    """Every metric of a section's cases, a column for each scheme."""
    columns: list[Column[SummaryRow]] = [
        Column("scenario", lambda row: text(row.name), "scenario", words=True, heads_row=True),
        Column("metric", lambda row: text(row.number), "metric", words=True),
        *(Column(scheme, partial(_of_scheme, scheme=scheme), scheme) for scheme in schemes),
    ]
    return Table.of(rows, columns, title=title)


def figures_table(evaluation: Evaluation) -> Table:
    """Every metric of every case and scheme, a row each: for programs."""
    columns: list[Column[Figure]] = [
        in_csv("section", lambda each: each.trial.guideline.section),
        in_csv("scenario", lambda each: each.trial.guideline.name),
        in_csv("case", lambda each: each.trial.name),
        in_csv("scheme", lambda each: each.trial.scheme),
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


def not_run_table(rows: Sequence[NotRun]) -> Table:
    """What was not run, and why."""
    columns: list[Column[NotRun]] = [
        Column("section", lambda row: text(row.section), "section", short="", heads_row=True),
        Column("scenario", lambda row: text(row.name), "scenario", words=True),
        Column("scheme", lambda row: text(row.scheme), "scheme", words=True),
        Column("reason", lambda row: text(row.reason), "why", words=True, wraps=True),
    ]
    return Table.of(rows, columns, title="not run")


def _of_scheme(row: SummaryRow, *, scheme: str) -> TableCell:
    figure = row.figures[scheme]
    if figure is None:
        return text("", value=None)
    found, mean_of_ends = figure.interval, figure.mean
    if not mean_of_ends.is_known:
        return text("–", value=None)
    if found.mean is None or not mean_of_ends.is_exact:
        return text(mean_of_ends.written(shown), value=None)
    half_width = getattr(found, "half_width", None)
    mean = shown(found.mean)
    return text(
        mean if half_width is None else f"{mean} ± {half_width:.{_places(found.mean)}f}", value=found.mean
    )


def _interval_of(figure: Figure) -> Interval | NotEnoughReplications:
    """Its interval; none of ends that differ, which are no sample of a number."""
    found = figure.interval
    return found if figure.mean.is_exact else NotEnoughReplications(len(figure.values))


def _finite(end: float) -> float | None:
    return end if math.isfinite(end) else None


def shown(value: float) -> str:
    """A number with three digits that count."""
    return f"{value:.{_places(value)}f}"


def _places(value: float) -> int:
    size = math.floor(math.log10(abs(value))) if value else 0
    return max(0, _DIGITS - 1 - max(size, 0))
