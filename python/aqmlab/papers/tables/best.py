"""A paper's best settings, each beside the best of ours by the same criterion.

Differences to our best are paired by seed. Our best was chosen on the runs that it is shown with, so they
flatter it a little; `aqmlab tune` searches a range and takes the winner's figures from seeds of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aqmlab.comparison import leaves_out_zero
from aqmlab.tables.model import Standing, Table, bounds, named, text, with_half_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.papers.published import Criterion, PublishedTable
    from aqmlab.papers.study import Cell, Study
    from aqmlab.statistics.quantities import Quantity

BEST = "our best too"
ALONE = "no other setting was run"
TIED = "not distinguishable from our best"
WORSE = "worse than our best"
OPEN = "too few replications"
STANDINGS = {
    BEST: Standing.WITHIN,
    TIED: Standing.WITHIN,
    WORSE: Standing.OUTSIDE,
    OPEN: Standing.ABSENT,
    ALONE: Standing.ABSENT,
}


def best_settings(study: Study, table: PublishedTable) -> Table:
    """Every published setting that was run: our figures, its place among ours, and what our best is."""
    figures = {each.name: each for criterion in table.criteria.values() for each in criterion.quantities}
    columns = [
        named("cell", "the paper's setting", heads_row=True, wraps=True),
        named("load_percent", "load", unit=" %"),
        named("criterion", "best by", words=True, wraps=True),
        *(
            column
            for name, of in figures.items()
            for column in (named(name, of.title, of.short), named(f"{name}_lower"), named(f"{name}_upper"))
        ),
        named("best_cell"),
        named("place", "place"),
        *map(named, ("candidates", "decided_by", "difference", "lower", "upper")),
        named("verdict", "against our best", words=True, wraps=True),
    ]
    rows = [_row(study, table, cell, [*figures.values()]) for cell in table.rows if study.has(*cell)]
    verdicts = [row["verdict"].value for row in rows]
    counts = [f"{verdicts.count(each)} {each}" for each in STANDINGS if each in verdicts]
    caption = (
        f"of {len(rows)} best settings of the paper: {', '.join(counts) or 'none was run'}. "
        "Our best is the best cell that was run; `aqmlab tune` searches a whole range"
    )
    return Table.of(rows, columns, caption=caption)


def _row(study: Study, table: PublishedTable, cell: Cell, figures: Sequence[Quantity]) -> dict[str, Any]:
    best_by = table.rows[cell].text[table.criterion_column]
    criterion = table.criteria[best_by]
    decisive = criterion.quantities[0]
    ranked = _ranked(study, table, cell, criterion)
    best, place = ranked[0], ranked.index(cell) + 1
    difference = study.difference(cell, best, decisive)
    verdict = {None: OPEN, False: TIED, True: WORSE}[leaves_out_zero(difference)]
    words = verdict = verdict if best != cell else BEST if len(ranked) > 1 else ALONE
    if best != cell:
        behind = with_half_width(difference, decisive.digits, sign="+")
        words += f", {study.configuration(best[0]).label}: {behind} ({decisive.short})"
    found: dict[str, Any] = {}
    for of in figures:
        ours = study.measure(*cell, of)
        shown = with_half_width(ours, of.digits)
        found[of.name] = text(shown, value=ours.mean, short=shown.partition(" ± ")[0])
        found[f"{of.name}_lower"], found[f"{of.name}_upper"] = bounds(ours)
    lower, upper = bounds(difference)
    return {
        "cell": text(study.configuration(cell[0]).label, value=cell[0]),
        "load_percent": cell[1],
        "criterion": best_by,
        **found,
        "best_cell": best[0],
        "place": text(f"{place} of {len(ranked)}", value=place, short=f"{place}/{len(ranked)}"),
        "candidates": len(ranked),
        "decided_by": decisive.name,
        "difference": difference.mean,
        "lower": lower,
        "upper": upper,
        "verdict": text(words, STANDINGS[verdict], value=verdict),
    }


def _ranked(study: Study, table: PublishedTable, cell: Cell, criterion: Criterion) -> list[Cell]:
    """Our cells at this load, the best by the criterion first."""
    names = [
        own.name
        for own in study.experiment.configurations.values()
        if own.group in table.candidates and study.has(own.name, cell[1])
    ]
    sign = -1.0 if criterion.highest else 1.0

    def cost(name: str) -> float:
        mean = study.measure(name, cell[1], criterion.quantities[0]).mean
        return float("inf") if mean is None else sign * mean

    return [(name, cell[1]) for name in sorted(dict.fromkeys([cell[0], *names]), key=cost)]
