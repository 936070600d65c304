"""Configurations of a study beside each other: ablations, comparisons by response times, and whose they are.

An ablation is a configuration that the paper does not have, beside the one that it extends. Levels of both
stand beside the paper's of that, so that a reader sees which changed rule brings a cell nearer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING

from aqmlab.inference import Interval, NotEnoughReplications
from aqmlab.statistics import loss_percent, response_times, throughput_mbps
from aqmlab.statistics.distribution import together
from aqmlab.statistics.quantities import (
    completed_millions,
    quantile_s,
    quantity,
    restricted_mean_s,
    share_within,
)
from aqmlab.tables.model import Column, Table, bounds_in_csv, in_csv, number, text, with_half_width

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aqmlab.comparison import CurveDifference
    from aqmlab.papers.documents import Configuration
    from aqmlab.papers.study import Cell, Study
    from aqmlab.statistics.quantities import Quantity
    from aqmlab.tables.model import TableCell

    Compared = tuple[str, float, CurveDifference, float | None]

RESPONSES = "responses.csv"
LEVELS = (loss_percent, completed_millions, throughput_mbps)
"""Of configurations without published numbers."""
RESPONSE_LEVELS = (*map(quantile_s, (0.5, 0.9, 0.99)), share_within(2.0))
NONE = (None, None, None)


@dataclass(frozen=True)
class AblationRow:
    """A changed configuration against the one it was made from.

    Attributes:
        label: What it is called in print.
        against: What the other is called.
        load_percent: Nominal offered load.
        realised_percent: The load that its users really offer, if it is known.
        levels: By quantity: its mean, that of the other, and the paper's number of that.
        within_half_a_second: Share of its responses.
        restricted_mean_ms: Difference of the means up to 2 s.
        verdict: By response times.
        reason: Why.
    """

    label: str
    against: str
    load_percent: float
    realised_percent: float | None
    levels: Mapping[str, tuple[float | None, float | None, float | None]]
    within_half_a_second: float
    restricted_mean_ms: Interval | NotEnoughReplications
    verdict: str
    reason: str


def ablation_rows(study: Study) -> list[AblationRow]:
    """Every configuration that extends another and is not the paper's own, where both were run."""
    return [
        _ablation_row(study, (configuration.name, load), (configuration.extends, load))
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


def _ablation_row(study: Study, own: Cell, parent: Cell) -> AblationRow:
    judgement = study.cell_curve(own, parent).judgement
    change = study.change(own, parent, restricted_mean_s())
    tables = [table for table in study.experiment.published.tables if table.row(*parent) is not None]
    row = study.published(*parent)
    return AblationRow(
        label=study.configuration(own[0]).label,
        against=study.configuration(parent[0]).label,
        load_percent=own[1],
        realised_percent=study.realised_percent(*own),
        levels={
            of.name: (
                _mean(study, own, of),
                _mean(study, parent, of),
                row.values.get(of.name) if row else None,
            )
            for of in ([column.quantity for column in tables[0].columns] if tables else LEVELS)
        },
        within_half_a_second=_mean(study, own, share_within(0.5)),
        restricted_mean_ms=_in_milliseconds(change),
        verdict=str(judgement.verdict),
        reason=judgement.reason,
    )


def ablations(rows: Sequence[AblationRow]) -> Table:
    """Every changed configuration beside the one it was made from."""
    shown = dict.fromkeys(name for row in rows for name in row.levels) or [each.name for each in LEVELS]
    columns: list[Column[AblationRow]] = [
        Column("cell", lambda row: text(row.label), "configuration", heads_row=True),
        Column("against", lambda row: text(row.against), "against", words=True),
        Column("load_percent", lambda row: number(row.load_percent, unit=" %"), "load"),
        Column(
            "realised_load_percent", lambda row: number(row.realised_percent, ".1f", unit=" %"), "offered"
        ),
        *(column for name in shown for column in _levels(quantity(name))),
        Column("within_0.5_s", lambda row: number(row.within_half_a_second, ".1%"), "within 0.5 s"),
        Column("restricted_mean_difference_ms", _difference, "mean up to 2 s, difference"),
        *bounds_in_csv("lower_ms", "upper_ms", lambda row: row.restricted_mean_ms),
        Column("verdict", lambda row: replace(text(row.verdict), note=row.reason), "verdict", words=True),
        in_csv("reason", lambda row: row.reason),
    ]
    return Table.of(rows, columns)


def _levels(of: Quantity) -> Iterator[Column[AblationRow]]:
    forms = (f".{of.digits}f", f".{of.digits}f", "g")
    for place, (ending, title) in enumerate((("", "changed"), ("_base", "as is"), ("_published", "paper"))):

        def level(row: AblationRow, place: int = place) -> TableCell:
            return number(row.levels.get(of.name, NONE)[place], forms[place])

        yield Column(f"{of.name}{ending}", level, title, group=of.title)


def _difference(row: AblationRow) -> TableCell:
    difference = row.restricted_mean_ms
    return text(f"{with_half_width(difference, 0, sign='+')} ms", value=difference.mean)


def _mean(study: Study, cell: Cell, of: Quantity) -> float:
    mean = study.measure(*cell, of).mean
    return float("nan") if mean is None else mean


def _in_milliseconds(value: Interval | NotEnoughReplications) -> Interval | NotEnoughReplications:
    if not isinstance(value, Interval):
        return replace(value, mean=None if value.mean is None else value.mean * 1000.0)
    return replace(value, mean=value.mean * 1000.0, lower=value.lower * 1000.0, upper=value.upper * 1000.0)


# -------------------------------------------------------------------------------------------- response times


def comparisons(study: Study) -> Table:
    """Cells of the experiment's groups against its baseline, as far as they were run."""
    columns: list[Column[Compared]] = [
        Column("cell", lambda found: text(found[0]), "configuration", heads_row=True),
        Column("load_percent", lambda found: number(found[1], unit=" %"), "load"),
        Column("realised_load_percent", lambda found: number(found[3], ".1f", unit=" %"), "offered"),
        Column("verdict", lambda found: text(found[2].judgement.verdict), "verdict", words=True),
        Column("reason", lambda found: text(found[2].judgement.reason), "why", words=True),
        Column(
            "sign_flip_p_value", lambda found: number(found[2].sign_flip_p_value, ".3g"), "p (sign changes)"
        ),
    ]
    return Table.of(_compared(study), columns)


def _compared(study: Study) -> Iterator[Compared]:
    chosen = study.experiment.comparisons
    if chosen is None:
        return
    for load in study.loads_percent:
        for name, configuration in study.experiment.configurations.items():
            wanted = configuration.group in chosen.groups and name != chosen.baseline
            if wanted and study.has(name, load) and study.has(chosen.baseline, load):
                curve = study.curve(name, chosen.baseline, load)
                yield configuration.label, load, curve, study.realised_percent(name, load)


@dataclass(frozen=True)
class ResponsesRow:
    """The response times of some populations in a cell; every number is a mean over replications.

    Attributes:
        label: What the cell is called in print.
        population: Whose they are.
        exchanges: How many.
        levels: Numbers of the response times, by quantity.
    """

    label: str
    population: str
    exchanges: float
    levels: Mapping[str, float]


def response_rows(study: Study) -> list[ResponsesRow]:
    """Each population of a study that names the one of its response times, and all together, in every cell."""
    whose = study.experiment.response_times
    if whose is None:
        return []
    names = (whose.of, *whose.beside)
    groups = [*((name,) for name in names), *([names] if len(names) > 1 else [])]
    return [_responses(study, cell, group) for cell in study.cells if study.has(*cell) for group in groups]


def _responses(study: Study, cell: Cell, names: Sequence[str]) -> ResponsesRow:
    times = [
        together([response_times(result, population=name) for name in names])
        for result in study.results(*cell)
    ]
    levels = {each.name: fmean(map(each.compute, times)) for each in RESPONSE_LEVELS}
    return ResponsesRow(study.label(cell), " and ".join(names), fmean(each.ended for each in times), levels)


def responses(rows: Sequence[ResponsesRow]) -> Table:
    """Whose response times, how many, and how long they are."""
    columns: list[Column[ResponsesRow]] = [
        Column("cell", lambda row: text(row.label), "configuration", heads_row=True),
        Column("population", lambda row: text(row.population), "whose", words=True),
        Column("exchanges", lambda row: number(row.exchanges, ".0f"), "exchanges"),
        *(
            Column(of.name, lambda row, of=of: number(row.levels[of.name], f".{of.digits}f"), of.short)  # type: ignore[misc]
            for of in RESPONSE_LEVELS
        ),
    ]
    return Table.of(rows, columns)
