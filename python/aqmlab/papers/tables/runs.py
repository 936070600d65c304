"""Runs of a study as tables, without the paper's numbers: configurations beside each other, and single runs.

Beside each other stand ablations, comparisons and response times. Of single runs each published quantity is
told, and the load that its users offered: a cell without a quantity, such as the rate of datagrams where none
are sent, has an empty field there. A published table that has the cell needs the number, and fails without.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

from aqmlab.errors import MissingDataError
from aqmlab.statistics import loss_percent, response_times, throughput_mbps
from aqmlab.statistics.distribution import together
from aqmlab.statistics.quantities import completed_millions, quantile_s, restricted_mean_s, share_within
from aqmlab.statistics.recorded import seed
from aqmlab.tables.model import Table, bounds, named, text, with_half_width

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from aqmlab.load.matching import MatchedLoad
    from aqmlab.papers.documents import Configuration
    from aqmlab.papers.study import Cell, Study
    from aqmlab.statistics.quantity import Measured, Quantity

RESPONSES = "responses.csv"
LEVELS = (loss_percent, completed_millions, throughput_mbps)
"""Of configurations without published numbers."""
RESPONSE_LEVELS = (*map(quantile_s, (0.5, 0.9, 0.99)), share_within(2.0))
LOADS = (
    named("load_percent", "load", unit=" %"),
    named("realised_load_percent", "offered", form=".1f", unit=" %"),
)


def ablations(study: Study) -> Table:
    """Every configuration that extends another and is not the paper's own, beside that one.

    Levels of both stand beside the paper's of the other, to show which changed rule brings a cell nearer.
    """
    pairs = [
        ((configuration.name, load), (configuration.extends, load))
        for configuration in study.experiment.configurations.values()
        if configuration.extends is not None and not _has_a_row_of_its_own(study, configuration)
        for load in study.loads_percent
        if study.has(configuration.name, load) and study.has(configuration.extends, load)
    ]
    levels = {of.name: of for _, parent in pairs for of in _levels(study, parent)}
    shown = list(levels.values()) or LEVELS
    columns = [
        named("cell", "configuration", heads_row=True),
        named("against", "against", words=True),
        *LOADS,
        *(
            named(f"{of.name}{ending}", title, form=form or f".{of.digits}f", group=of.title)
            for of in shown
            for ending, title, form in (
                ("", "changed", ""),
                ("_base", "as is", ""),
                ("_published", "paper", "g"),
            )
        ),
        named("within_0.5_s", "within 0.5 s", form=".1%"),
        named("restricted_mean_difference_ms", "mean up to 2 s, difference"),
        *map(named, ("lower_ms", "upper_ms")),
        named("verdict", "verdict", words=True),
        named("reason"),
    ]
    return Table.of([_ablation(study, *pair, shown) for pair in pairs], columns)


def _has_a_row_of_its_own(study: Study, configuration: Configuration) -> bool:
    """Whether the paper has rows of it that are not those of the configuration that it extends."""
    if configuration.published is None or configuration.extends is None:
        return configuration.published is not None
    parent = study.configuration(configuration.extends).published or {}
    return any(parent.get(key) != value for key, value in configuration.published.items())


def _levels(study: Study, cell: Cell) -> list[Quantity]:
    """The numbers that the paper prints of a cell, in the first of its tables that has it."""
    tables = [table for table in study.experiment.published.tables if table.row(*cell) is not None]
    return [column.quantity for column in tables[0].columns] if tables else [*LEVELS]


def _ablation(study: Study, own: Cell, parent: Cell, shown: Sequence[Quantity]) -> dict[str, Any]:
    judgement, printed = study.cell_curve(own, parent).judgement, study.published(*parent)
    difference = study.change(own, parent, restricted_mean_s()).scaled(1000.0)
    words = f"{with_half_width(difference, 0, sign='+')} ms"
    known = [of.name for of in _levels(study, parent)]
    levels: dict[str, float | None] = {}
    for of in shown:
        has = of.name in known
        levels[of.name] = _mean(study, own, of) if has else None
        levels[f"{of.name}_base"] = _mean(study, parent, of) if has else None
        levels[f"{of.name}_published"] = printed.values.get(of.name) if has and printed else None
    return {
        "cell": study.configuration(own[0]).label,
        "against": study.configuration(parent[0]).label,
        "load_percent": own[1],
        "realised_load_percent": study.realised_percent(*own),
        **levels,
        "within_0.5_s": _mean(study, own, share_within(0.5)),
        "restricted_mean_difference_ms": text(words, value=difference.mean),
        **dict(zip(("lower_ms", "upper_ms"), bounds(difference), strict=True)),
        "verdict": replace(text(str(judgement.verdict)), note=judgement.reason),
        "reason": judgement.reason,
    }


def _mean(study: Study, cell: Cell, of: Quantity) -> float:
    mean = study.measure(*cell, of).mean
    return float("nan") if mean is None else mean


def comparisons(study: Study) -> Table:
    """Cells of the experiment's groups against its baseline, by response times, as far as they were run."""
    columns = [
        named("cell", "configuration", heads_row=True),
        *LOADS,
        named("verdict", "verdict", words=True),
        named("reason", "why", words=True),
        named("sign_flip_p_value", "p (sign changes)", form=".3g"),
    ]
    return Table.of(_compared(study), columns)


def _compared(study: Study) -> Iterator[dict[str, Any]]:
    chosen = study.experiment.comparisons
    if chosen is None:
        return
    for load in study.loads_percent:
        for name, configuration in study.experiment.configurations.items():
            wanted = configuration.group in chosen.groups and name != chosen.baseline
            if wanted and study.has(name, load) and study.has(chosen.baseline, load):
                curve = study.curve(name, chosen.baseline, load)
                yield {
                    "cell": configuration.label,
                    "load_percent": load,
                    "realised_load_percent": study.realised_percent(name, load),
                    "verdict": text(curve.judgement.verdict),
                    "reason": curve.judgement.reason,
                    "sign_flip_p_value": curve.sign_flip_p_value,
                }


def responses(study: Study) -> Table:
    """Response times of each population that the study names, and of all together; means over the seeds."""
    columns = [
        named("cell", "configuration", heads_row=True),
        named("population", "whose", words=True),
        named("exchanges", "exchanges", form=".0f"),
        *(named(of.name, of.short, form=f".{of.digits}f") for of in RESPONSE_LEVELS),
    ]
    return Table.of(_response_times(study), columns)


def _response_times(study: Study) -> Iterator[dict[str, Any]]:
    whose = study.experiment.response_times
    if whose is None:
        return
    names = (whose.of, *whose.beside)
    groups = [*((name,) for name in names), *([names] if len(names) > 1 else [])]
    for cell in filter(lambda cell: study.has(*cell), study.cells):
        for group in groups:
            times = [
                together([response_times(result, population=name) for name in group])
                for result in study.results(*cell)
            ]
            yield {
                "cell": study.label(cell),
                "population": " and ".join(group),
                "exchanges": fmean(each.ended for each in times),
                **{of.name: fmean(map(of.compute, times)) for of in RESPONSE_LEVELS},
            }


REPLICATIONS = "replications.csv"
"""What the table is called in the folder of a reproduction."""


def replications(study: Study) -> Table:
    """A row for each run, a column for each quantity that a published table has."""
    quantities = {
        column.quantity.name: column.quantity
        for published in study.experiment.published.tables
        for column in published.columns
    }
    rows = [
        {"cell": cell[0], "load_percent": cell[1], "seed": seed(run.result), **_values(run, quantities)}
        for cell in study.cells
        for run in sorted(study.measured(*cell), key=lambda run: seed(run.result))
    ]
    return Table.of(rows, [*map(named, ("cell", "load_percent", "seed", *quantities))])


def _values(run: Measured, quantities: Mapping[str, Quantity]) -> dict[str, float | None]:
    found: dict[str, float | None] = dict.fromkeys(quantities)
    for name, quantity in quantities.items():
        with suppress(MissingDataError):
            found[name] = quantity.of(run)
    return found


def loads(matched: Iterable[MatchedLoad]) -> Table:
    """Nominal and realised load of each replication, a column for each population and link."""
    matches = list(matched)
    parts = dict.fromkeys(part for match in matches for part in match.sizes)
    links = dict.fromkeys(link for match in matches for link in match.realised_mbps)
    columns = [
        named("nominal_percent", "nominal", unit=" %"),
        named("seed", "seed", form="d"),
        *(named(part, part, form="d") for part in parts),
        named("nominal_mbps"),
        named("realised_mean_percent", "realised, mean", form=".2f", unit=" %"),
        *(named(f"{link}.realised_mbps", f"{link}, Mbit/s", form=".2f") for link in links),
        *map(named, ("runs", "warnings")),
    ]
    rows = [
        {
            "nominal_percent": match.nominal_percent,
            "seed": match.seed,
            **{part: match.sizes.get(part) for part in parts},
            "nominal_mbps": match.nominal_mbps,
            "realised_mean_percent": match.realised_percent,
            **{f"{link}.realised_mbps": match.realised_mbps.get(link) for link in links},
            "runs": match.attempts,
            "warnings": "; ".join(match.warnings),
        }
        for match in matches
    ]
    return Table.of(rows, columns)
