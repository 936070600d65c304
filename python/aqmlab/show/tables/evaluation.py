"""An evaluation by RFC 7928 as tables: the summary, every metric, and what was not run."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from aqmlab.show.words.configurations import named
from aqmlab.show.words.evaluation import in_words, means_in_words
from aqmlab.study.evaluation.summary import summary_of
from aqmlab.tables.model import Column, Table, TableCell, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.show.tables.printed import Part
    from aqmlab.study.evaluation import Evaluation, NotRun
    from aqmlab.study.evaluation.summary import SummaryRow

_DIGITS = 3


def printed(found: Evaluation) -> list[Part]:
    """What was found in sentences, then the tables."""
    return [*in_words(found), *tables_of(found)]


def summary_table(rows: Sequence[SummaryRow], schemes: Sequence[str], *, title: str, caption: str) -> Table:
    """Delay, goodput and the headlines of every case, a column for each scheme."""
    columns: list[Column[SummaryRow]] = [
        Column("section", lambda row: text(row.section), "section", short="", words=True, heads_row=True),
        Column("scenario", lambda row: text(row.name), "scenario", words=True, heads_row=True),
        Column("number", lambda row: text(row.number), "", words=True, names_row=True),
        *(Column(scheme, partial(_of_scheme, scheme=scheme), named(scheme)) for scheme in schemes),
    ]
    return Table.of(rows, columns, title=title, caption=caption)


def metrics_table(rows: Sequence[SummaryRow], schemes: Sequence[str], *, title: str) -> Table:
    """Every metric of a section's cases, a column for each scheme."""
    columns: list[Column[SummaryRow]] = [
        Column("scenario", lambda row: text(row.name), "scenario", words=True, heads_row=True),
        Column("metric", lambda row: text(row.number), "metric", words=True, names_row=True),
        *(Column(scheme, partial(_of_scheme, scheme=scheme), named(scheme)) for scheme in schemes),
    ]
    return Table.of(rows, columns, title=title)


def tables_of(evaluation: Evaluation) -> list[Table]:
    """The summary, and what was not run, as far as there is any."""
    rows, caption = summary_of(evaluation), means_in_words(len(evaluation.seeds))
    title = f"{named(evaluation.scheme)} by RFC 7928"
    summary = [summary_table(rows, evaluation.schemes, title=title, caption=caption)] if rows else []
    return [*summary, *([not_run_table(evaluation.not_run)] if evaluation.not_run else [])]


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


def shown(value: float) -> str:
    """A number with three digits that count."""
    return f"{value:.{_places(value)}f}"


def _places(value: float) -> int:
    size = math.floor(math.log10(abs(value))) if value else 0
    return max(0, _DIGITS - 1 - max(size, 0))
