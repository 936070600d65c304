"""What one changed rule does: every configuration that the paper does not have against the one it extends.

Levels stand beside those of the configuration it extends and the paper's of that, so that a reader sees which
rule brings a cell nearer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from aqmlab.inference import Interval, NotEnoughReplications
from aqmlab.statistics import loss_percent, throughput_mbps
from aqmlab.statistics.quantities import completed_millions, quantity, restricted_mean_s, share_within
from aqmlab.tables.model import Column, Table, TableCell, bounds_in_csv, in_csv, number, text, with_half_width

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.papers.documents import Configuration
    from aqmlab.papers.study import Cell, Study
    from aqmlab.statistics.quantities import Quantity


LEVELS = (loss_percent, completed_millions, throughput_mbps)
"""For configurations without published numbers."""


@dataclass(frozen=True, slots=True)
class Level:
    """A number of a changed configuration, of the one it was made from, and of the paper's cell of that."""

    ours: float | None
    against: float | None
    published: float | None


@dataclass(frozen=True)
class AblationRow:
    """A changed configuration against the one it was made from.

    Attributes:
        label: What it is called in print.
        against: What the other is called.
        load_percent: Nominal offered load.
        realised_percent: The load that its users really offer, if it is known.
        levels: Numbers of both, by quantity.
        within_half_a_second: Share of its responses.
        restricted_mean_ms: Difference of the means up to 2 s.
        verdict: By response times.
        reason: Why.
    """

    label: str
    against: str
    load_percent: float
    realised_percent: float | None
    levels: Mapping[str, Level]
    within_half_a_second: float
    restricted_mean_ms: Interval | NotEnoughReplications
    verdict: str
    reason: str


def ablation_rows(study: Study) -> list[AblationRow]:
    """Every configuration that extends another and is not the paper's own, where both were run."""
    return [
        _ablation_row(study, configuration.name, configuration.extends, load)
        for configuration in study.experiment.configurations.values()
        if configuration.extends is not None and not _has_a_row_of_its_own(study, configuration)
        for load in study.loads_percent
        if study.has(configuration.name, load) and study.has(configuration.extends, load)
    ]


def _has_a_row_of_its_own(study: Study, configuration: Configuration) -> bool:
    """Whether the paper has rows of it that are not those of the configuration that it extends."""
    if configuration.published is None or configuration.extends is None:
        return configuration.published is not None
    parent = study.configuration(configuration.extends).published or {}
    return any(parent.get(key) != value for key, value in configuration.published.items())


def _ablation_row(study: Study, name: str, parent: str, load: float) -> AblationRow:
    curve = study.curve(name, parent, load)
    printed = _judged_by(study, parent, load)
    return AblationRow(
        label=study.configuration(name).label,
        against=study.configuration(parent).label,
        load_percent=load,
        realised_percent=study.realised_percent(name, load),
        levels={each.name: _level(study, (name, load), (parent, load), each) for each in printed},
        within_half_a_second=_mean(study.measure(name, load, share_within(0.5))),
        restricted_mean_ms=_scaled(study.change((name, load), (parent, load), restricted_mean_s()), 1000.0),
        verdict=str(curve.judgement.verdict),
        reason=curve.judgement.reason,
    )


def _judged_by(study: Study, name: str, load: float) -> tuple[Quantity, ...]:
    """The numbers that the paper prints of a cell, in the first of its tables that has it."""
    tables = [table for table in study.experiment.published.tables if table.row(name, load) is not None]
    return tuple(column.quantity for column in tables[0].columns) if tables else LEVELS


def _level(study: Study, own: Cell, parent: Cell, of: Quantity) -> Level:
    ours, against = (_mean(study.measure(*cell, of)) for cell in (own, parent))
    row = study.published(*parent)
    return Level(ours, against, row.values.get(of.name) if row else None)


def table_of(rows: Sequence[AblationRow]) -> Table:
    """Every changed configuration beside the one it was made from."""
    rows = list(rows)
    shown = dict.fromkeys(name for row in rows for name in row.levels) or [each.name for each in LEVELS]
    columns: list[Column[AblationRow]] = [
        Column("cell", lambda row: text(row.label), "configuration", heads_row=True),
        Column("against", lambda row: text(row.against), "against", words=True),
        Column("load_percent", lambda row: number(row.load_percent, unit=" %"), "load"),
        Column(
            "realised_load_percent", lambda row: number(row.realised_percent, ".1f", unit=" %"), "offered"
        ),
        *(column for name in shown for column in _level_columns(quantity(name))),
        Column("within_0.5_s", lambda row: number(row.within_half_a_second, ".1%"), "within 0.5 s"),
        Column("restricted_mean_difference_ms", _difference, "mean up to 2 s, difference"),
        *bounds_in_csv("lower_ms", "upper_ms", lambda row: row.restricted_mean_ms),
        Column("verdict", lambda row: replace(text(row.verdict), note=row.reason), "verdict", words=True),
        in_csv("reason", lambda row: row.reason),
    ]
    return Table.of(rows, columns)


def _level_columns(of: Quantity) -> list[Column[AblationRow]]:
    name, form = of.name, f".{of.digits}f"
    absent = Level(None, None, None)

    def of_row(row: AblationRow) -> Level:
        return row.levels.get(name, absent)

    return [
        Column(name, lambda row: number(of_row(row).ours, form), "changed", group=of.title),
        Column(f"{name}_base", lambda row: number(of_row(row).against, form), "as is", group=of.title),
        Column(f"{name}_published", lambda row: number(of_row(row).published), "paper", group=of.title),
    ]


def _difference(row: AblationRow) -> TableCell:
    difference = row.restricted_mean_ms
    return text(f"{with_half_width(difference, 0, sign='+')} ms", value=difference.mean)


def _mean(value: Interval | NotEnoughReplications) -> float:
    return float("nan") if value.mean is None else value.mean


def _scaled(value: Interval | NotEnoughReplications, factor: float) -> Interval | NotEnoughReplications:
    if isinstance(value, Interval):
        bounds = value.lower * factor, value.upper * factor
        return Interval(value.mean * factor, *bounds, value.replications, value.confidence)
    mean = None if value.mean is None else value.mean * factor
    return replace(value, mean=mean)
