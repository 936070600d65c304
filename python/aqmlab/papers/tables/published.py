"""A paper's tables with our numbers, selected from the frame (`aqmlab.papers.frame`).

Loss is pooled over the queues of the links that carry data and throughput is their mean; CSV has each
direction too. Cells whose published numbers an input of the models was chosen by are marked, and counted
apart. Published numbers that look like single runs have three lines: our mean with the standard deviation
of one run, the least and the greatest of our runs, and the published number with two marks. The first says
whether it lies in the interval that one further run of ours would fall into 19 times out of 20; the second,
whether our mean is within tolerance.

A paper's best settings stand each beside the best of ours by the same criterion. Differences to our best
are paired by seed. Our best was chosen on the runs that it is shown with, so they flatter it a little;
`aqmlab tune` searches a range and takes the winner's figures from seeds of its own.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from aqmlab.comparison import leaves_out_zero
from aqmlab.inference import MINIMUM_REPLICATIONS, Interval
from aqmlab.papers.frame import Agreement, frame_of, published_rows
from aqmlab.tables.model import (
    Column,
    Line,
    Medium,
    Standing,
    Table,
    TableCell,
    bounds,
    named,
    text,
    with_half_width,
)
from aqmlab.terminal.spelling import each_counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aqmlab.papers.frame import Number, Row
    from aqmlab.papers.published import Criterion, PublishedTable
    from aqmlab.papers.study import Cell, Study
    from aqmlab.statistics.quantities import Quantity

NUMBERS = {2: "both", 3: "all three", 4: "all four"}
ABSENT = "–"
IN_SAMPLE = "†"
RUN_COLUMNS = (
    "run_deviation",
    "run_minimum",
    "run_maximum",
    "next_run_lower",
    "next_run_upper",
    "published_p",
)
"""Columns of the scatter of single runs (`RunToRun`)."""
MARKS = {True: "✓", False: "✗", None: "·"}
STANDINGS = {
    Agreement.WITHIN: Standing.WITHIN,
    Agreement.WITHIN_HERE_ALONE: Standing.PARTLY,
    Agreement.SCALE: Standing.PARTLY,
    Agreement.DIFFERS: Standing.OUTSIDE,
    Agreement.SCALE_CANNOT_JUDGE: Standing.ABSENT,
}
SHORT = {Agreement.WITHIN_HERE_ALONE: "here alone", Agreement.SCALE_CANNOT_JUDGE: "cannot judge"}
"""On a terminal, where room is scarce."""
MEANINGS = {
    Agreement.WITHIN_HERE_ALONE: "within tolerance only here: outside at the paper's length",
    Agreement.SCALE: "scale: within at the paper's length",
    Agreement.DIFFERS: "that differ",
}


@dataclass(frozen=True)
class Filled:
    """A paper's table with our numbers: cells beside the published ones, or settings beside our best.

    Attributes:
        published: The paper's.
        table: Ours beside it.
        rows: Our numbers, where it has columns of numbers.
    """

    published: PublishedTable
    table: Table
    rows: Sequence[Row] = ()

    @property
    def heading(self) -> str:
        """What it is called in print."""
        return f"{self.published.title}: ours and the paper's"


def fill(study: Study) -> list[Filled]:
    """The paper's tables with at least one cell that was run, in the experiment's order."""
    filled = [_fill(study, published) for published in study.experiment.published.tables]
    return [each for each in filled if each.table.rows]


def _fill(study: Study, published: PublishedTable) -> Filled:
    if published.criteria:
        return Filled(published, best_settings(study, published))
    rows = frame_of(study, published)
    return Filled(published, table_of_runs(rows) if published.run_to_run else table_of(rows), rows)


# --------------------------------------------------------------------------------------- means with intervals


def table_of(rows: Sequence[Row]) -> Table:
    """Every cell with the published one, their difference, and whether it lies within the tolerance."""
    return Table.of(map(_record, rows), _columns(rows), caption=caption(rows))


def _columns(rows: Sequence[Row]) -> list[Column[Mapping[str, Any]]]:
    columns = [
        named("cell", "cell", heads_row=True),
        named("load_percent", "load", unit=" %"),
        named("realised_load_percent", "offered", form=".1f", unit=" %"),
        named("replications"),
    ]
    numbers = rows[0].numbers if rows else {}
    for name, own in numbers.items():
        of = own.quantity
        columns += [
            named(name, "ours", of.short, group=of.title),
            *map(named, (f"{name}_lower", f"{name}_upper")),
            named(f"{name}_published", "paper", group=of.title),
            named(f"{name}_difference", "diff.", group=of.title),
            *map(named, (f"{name}_within", f"{name}_at_length")),
            *(named(f"{name}_{part}") for part in (RUN_COLUMNS if own.scatter is not None else ())),
        ]
    if rows:
        columns += [named("agreement", "verdict", words=True), named("in_sample")]
    return columns + [named(f"{name}_{link}") for name, own in numbers.items() for link in own.by_link]


def _record(row: Row) -> dict[str, Any]:
    record: dict[str, Any] = {
        "cell": text(f"{row.label} {IN_SAMPLE}" if row.in_sample else row.label, value=row.cell[0]),
        "load_percent": row.cell[1],
        "realised_load_percent": row.realised_percent,
        "replications": len(row.runs),
        "agreement": _agreement(row),
        "in_sample": "; ".join(row.in_sample),
    }
    for name, own in row.numbers.items():
        words, standing = with_half_width(own.ours, own.quantity.digits), Standing.of(own.within)
        if row.agreement is not None and standing is Standing.OUTSIDE:
            standing = STANDINGS[row.agreement]
        paper, difference = _given(own.published, "g"), _given(own.difference, f"+.{own.quantity.digits}f")
        record[name] = text(words, value=own.mean, short=words.replace(" ± ", "±"))
        record[f"{name}_lower"], record[f"{name}_upper"] = bounds(own.ours)
        record[f"{name}_published"] = TableCell(own.published, (Line(paper, Standing.REFERENCE),))
        record[f"{name}_difference"] = TableCell(own.difference, (Line(difference, standing),))
        record[f"{name}_within"], record[f"{name}_at_length"] = own.within, own.at_length
        record |= {f"{name}_{part}": value for part, value in _scatter(own)}
        record |= {f"{name}_{link}": value for link, value in own.by_link.items()}
    return record


def _given(value: float | None, form: str) -> str:
    return ABSENT if value is None else format(value, form)


def _scatter(own: Number) -> Iterable[tuple[str, float | None]]:
    runs = own.scatter
    if runs is None:
        return ()
    values = (runs.standard_deviation, runs.minimum, runs.maximum, *bounds(runs.next_run), own.p_value)
    return zip(RUN_COLUMNS, values, strict=True)


def _agreement(row: Row) -> TableCell:
    if row.agreement is None:
        return TableCell(None, (Line(ABSENT),))
    kept = [
        f"{each.quantity.short} {each.at_length:.{each.quantity.digits}f}"
        for each in row.numbers.values()
        if each.at_length is not None
    ]
    cell = text(str(row.agreement), STANDINGS[row.agreement], short=SHORT.get(row.agreement))
    return replace(cell, note=f"ours at the paper's length: {', '.join(kept)}" if kept else "")


def caption(rows: Sequence[Row]) -> str:
    """What stands below the table: how many cells agree, what the others lack, and what the ± means."""
    compared = published_rows(rows)
    numbers = [each for row in compared for each in row.numbers.values()]
    count = len(rows[0].numbers) if rows else 1
    quantities = "" if count == 1 else f" in {NUMBERS.get(count, f'all {count}')} quantities"
    single = sum(1 for each in numbers if each.within)
    text = f"{_agreeing(compared)} cells within tolerance{quantities}"
    text += f" ({single} of {len(numbers)} single numbers){_apart(compared)}{_of_others(compared)}"
    text += f"; {_replications(rows)}"
    has_interval = any(isinstance(each.ours, Interval) for each in numbers)
    text += "; ± is the 95 % interval over replications" if has_interval else "; too few for intervals"
    offered = any(row.realised_percent is not None for row in rows)
    return text + ("; offered: load of the same users on the uncongested network" if offered else "")


def _replications(rows: Sequence[Row]) -> str:
    return each_counted((len(row.runs) for row in rows), "replication")


def _agreeing(rows: Sequence[Row]) -> str:
    return f"{sum(1 for row in rows if row.within)} of {len(rows)}"


def _apart(rows: Sequence[Row]) -> str:
    """Cells that inputs were chosen by, and the others, counted apart."""
    fitted, others = [row for row in rows if row.in_sample], [row for row in rows if not row.in_sample]
    if not fitted:
        return ""
    inputs = ", ".join(dict.fromkeys(each for row in fitted for each in row.in_sample))
    return (
        f"; in-sample ({IN_SAMPLE}: {inputs} fitted to published numbers of the cell) {_agreeing(fitted)}, "
        f"others {_agreeing(others)}"
    )


def _of_others(rows: Sequence[Row]) -> str:
    """What the cells that are not simply within lack."""
    counts = Counter(row.agreement for row in rows)
    lacking = [
        f"{counts[each]} {MEANINGS.get(each, each)}"
        for each in Agreement
        if each is not Agreement.WITHIN and counts[each]
    ]
    return f"; {', '.join(lacking)}" if lacking else ""


# ------------------------------------------------------------------------------------------------ single runs


def table_of_runs(rows: Sequence[Row]) -> Table:
    """Every cell in three lines."""
    names = TableCell(lines=(Line("ours"), Line("min–max", Standing.REFERENCE), Line("paper")))
    own = _columns(rows)
    quantities = [number.quantity for number in rows[0].numbers.values()] if rows else []
    columns = [
        *(replace(column, media=Medium.CSV) for column in own if Medium.CSV in column.media),
        replace(named("label", "cell", heads_row=True), media=Medium.HTML),
        *(replace(column, media=Medium.HTML) for column in own[1:3]),  # the loads
        replace(named("three heads", "cell", words=True), media=Medium.TERMINAL),
        Column("", lambda _: names, media=Medium.PRINT, words=True),
        *(replace(named(f"{of.name} in lines", of.title, of.short), media=Medium.PRINT) for of in quantities),
        replace(named("whole", "row"), media=Medium.HTML),
    ]
    records = [
        {
            **_record(row),
            "label": row.label,
            "three heads": _three_heads(row),
            "whole": _whole(row),
            **{f"{name} in lines": _three_lines(number) for name, number in row.numbers.items()},
        }
        for row in rows
    ]
    return Table.of(records, columns, caption=caption_of_runs(rows))


def _three_heads(row: Row) -> TableCell:
    """What a cell is called, on three short lines."""
    first, second, *rest = [*row.label.split(", "), "", ""]
    others = ", ".join(part for part in rest if part)
    offered = "" if row.realised_percent is None else f" (offered {row.realised_percent:.1f})"
    return TableCell(lines=(Line(f"{first}, {row.cell[1]:g} %{offered}"), Line(second), Line(others)))


def _three_lines(own: Number) -> TableCell:
    """Our mean with the deviation of one run, our extremes, and the published number with its two marks."""
    digits = own.quantity.digits
    ours, extremes, paper = f"{own.mean:.{digits}f}", "", ""
    if own.scatter is not None:
        extremes = f"{own.scatter.minimum:.{digits}f}–{own.scatter.maximum:.{digits}f}"
        if own.scatter.replications > 1:
            ours += f"±{own.scatter.standard_deviation:.{digits}f}"
    if own.published is not None:
        paper = f"{own.published:g} {MARKS[own.like_a_run]}{MARKS[own.within]}"
    standing = Standing.of(own.like_a_run)
    return TableCell(lines=(Line(ours), Line(extremes, Standing.REFERENCE), Line(paper, standing)))


def _whole(row: Row) -> TableCell:
    """Both marks of the row as a whole."""
    marks = "" if row.within is None else MARKS[row.like_a_run] + MARKS[row.within]
    return text(marks, Standing.of(row.like_a_run))


def caption_of_runs(rows: Sequence[Row]) -> str:
    """How many published numbers look like runs of ours, how many of our means are near enough."""
    compared = published_rows(rows)
    numbers = [each for row in compared for each in row.numbers.values()]
    within = sum(1 for each in numbers if each.within)
    text = (
        f"our mean is within tolerance of {within} of {len(numbers)} published numbers; {_replications(rows)}"
    )
    scored = [each for each in numbers if each.like_a_run is not None]
    if not scored:
        return f"{text}, too few to score single runs ({MINIMUM_REPLICATIONS} are needed)"
    like = sum(1 for each in scored if each.like_a_run)
    whole = [row for row in compared if row.like_a_run is not None]
    rows_like = sum(1 for row in whole if row.like_a_run)
    return (
        f"{like} of {len(scored)} published numbers lie in the 95 % interval of one further run of ours, "
        f"{rows_like} of {len(whole)} rows as a whole; {text}. ± is the standard deviation of one run; "
        "marks: as a single run, by tolerance"
    )


# ------------------------------------------------------------------------------------ a paper's best settings


BEST = "our best too"
ALONE = "no other setting was run"
TIED = "not distinguishable from our best"
WORSE = "worse than our best"
OPEN = "too few replications"
STANDINGS_OF_SETTINGS = {
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
    counts = [f"{verdicts.count(each)} {each}" for each in STANDINGS_OF_SETTINGS if each in verdicts]
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
        "verdict": text(words, STANDINGS_OF_SETTINGS[verdict], value=verdict),
    }


def _ranked(study: Study, table: PublishedTable, cell: Cell, criterion: Criterion) -> list[Cell]:
    """Our cells at this load, the best by the criterion first."""
    names = [
        own.name
        for own in study.experiment.configurations.values()
        if own.group in table.candidates and study.has(own.name, cell[1])
    ]
    ranked = study.ranked([*dict.fromkeys([cell[0], *names])], cell[1], criterion)
    return [(name, cell[1]) for name in ranked]
