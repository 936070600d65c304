"""The scorecard: every number of a paper's tables and every claim, published beside ours, with the verdict.

A reproduction leaves its own as `scorecard.csv`; several of them, of any experiments, make one page. What is
read back are the words and numbers of the files, so that a page can be made of runs that are elsewhere.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, fields
from itertools import groupby
from typing import TYPE_CHECKING

from aqmlab.errors import ExperimentError
from aqmlab.files.reading import read_table
from aqmlab.tables.cells import Agreement, published_rows
from aqmlab.tables.claims import strength_told
from aqmlab.tables.model import Column, Line, Table, TableCell, bounds, text
from aqmlab.terminal.spelling import as_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from aqmlab.reproduce.claims import Outcome
    from aqmlab.reproduce.study import Study
    from aqmlab.tables.cells import Row
    from aqmlab.tables.filled import Filled

FILE = "scorecard.csv"
PREFACE = """# What was reproduced, and what was not

`aqmlab scorecard` generates this page from the scorecards of reproductions.
[statistics.md](statistics.md#claims) explains the verdicts: *scale* and *scale cannot judge* mean that
the runs were too short or too few, *differs* means that the simulated network differs from the paper's. †
marks numbers that were used to choose an input of the models.
"""
NUMBER, CLAIM = "number", "claim"
_FIGURE = re.compile(r"\bfig(\d+)")


@dataclass(frozen=True, slots=True)
class Scored:
    """A number of a paper's table, or a claim, with its outcome, as in the file.

    Attributes:
        experiment: Of which experiment.
        scale: At which scale.
        version: By which version.
        kind: `number` or `claim`.
        name: The cell and its load, or the identifier of the claim.
        says: The quantity, or the claim in words.
        published: The number in the paper.
        ours: Our mean, or for a claim the evidence.
        lower, upper: Its interval over replications, where there is one.
        tolerance: How far apart the two may be.
        verdict: How it fared.
        fraction: Of a claim, how many of the statements that were judged hold.
        strength: Of a claim, the least strength among them.
        in_sample: The inputs of the models that were chosen by this number.
        figure: The figure that shows it, beside the file.
        runs: The runs that it was computed from, by content address.
    """

    experiment: str
    scale: str
    version: str
    kind: str
    name: str
    says: str
    published: str = ""
    ours: str = ""
    lower: str = ""
    upper: str = ""
    tolerance: str = ""
    verdict: str = ""
    fraction: str = ""
    strength: str = ""
    in_sample: str = ""
    figure: str = ""
    runs: str = ""


def scored(study: Study, filled: Iterable[Filled], outcomes: Iterable[Outcome]) -> list[Scored]:
    """The results of a study for every published number and claim."""
    runs = [result.run for results in study.cells.values() for result in results]
    version = ", ".join(sorted({str(run["aqmlab_version"]) for run in runs}))
    of_study = study.experiment.name, study.scale.name, version
    drawn = {str(figure["id"]) for figure in study.experiment.figures}
    numbers = [
        each for table in filled for row in published_rows(table.cells) for each in _numbers(of_study, row)
    ]
    return numbers + [_claim(of_study, outcome, drawn) for outcome in outcomes]


def _numbers(of_study: tuple[str, str, str], row: Row) -> Iterator[Scored]:
    for quantity in row.columns:
        entry = row.entries[quantity.name]
        lower, upper = bounds(entry.ours)
        yield Scored(
            *of_study,
            NUMBER,
            f"{row.label} at {row.load_percent:g} %",
            quantity.title,
            published=as_text(entry.published),
            ours=f"{entry.mean:.{quantity.digits + 2}f}",
            lower="" if lower is None else f"{lower:.{quantity.digits + 2}f}",
            upper="" if upper is None else f"{upper:.{quantity.digits + 2}f}",
            tolerance="" if entry.tolerance is None else f"{entry.tolerance:.3g}",
            verdict=str(row.agreement_of(quantity.name)),
            in_sample="; ".join(row.fitted[quantity.name]),
            runs=" ".join(row.runs),
        )


def _claim(of_study: tuple[str, str, str], outcome: Outcome, drawn: set[str]) -> Scored:
    figure = _FIGURE.search(outcome.where)
    shown = figure is not None and figure[1] in drawn
    return Scored(
        *of_study,
        CLAIM,
        outcome.identifier,
        outcome.claim,
        ours=outcome.effect or outcome.reason,
        verdict=str(outcome.verdict),
        fraction=outcome.fraction,
        strength=strength_told(outcome.weakest),
        figure=f"figures/figure-{int(figure[1]):02}.svg" if figure is not None and shown else "",
    )


def table_of(entries: Sequence[Scored]) -> Table:
    """All of it for programs."""
    return Table.of_records([asdict(entry) for entry in entries])


def read(folder: Path) -> list[Scored]:
    """The scorecard that a reproduction left in its folder.

    Raises:
        ExperimentError: There is none, or it is none.
    """
    rows = read_table(folder / FILE, ExperimentError)
    names = [field.name for field in fields(Scored)]
    if rows and list(rows[0]) != names:
        legal = ", ".join(names)
        raise ExperimentError(f"{folder / FILE}:1: no scorecard of this version; its columns are {legal}")
    return [Scored(**row) for row in rows]


# ------------------------------------------------------------------------------------------------ in print


def summary(entries: Sequence[Scored]) -> Table:
    """A row for each study: how many numbers are within, in-sample and not, and how the claims fared."""
    studies = [list(found) for _, found in groupby(entries, key=lambda each: (each.experiment, each.scale))]
    columns: list[Column[list[Scored]]] = [
        Column("study", lambda study: text(study[0].experiment), "study", heads_row=True),
        Column("scale", lambda study: text(study[0].scale), "scale"),
        Column("numbers_within", lambda study: text(_within(study, in_sample=False)), "within"),
        Column("in_sample_within", lambda study: text(_within(study, in_sample=True)), "in-sample"),
        Column("claims", _counted, "claims", words=True, wraps=True),
        Column("statements", lambda study: text(_statements(study)), "hold"),
    ]
    return Table.of(
        studies, columns, title="Scorecard: numbers within their tolerance, claims, statements that hold"
    )


def _within(study: Sequence[Scored], *, in_sample: bool) -> str:
    numbers = [each for each in study if each.kind == NUMBER and bool(each.in_sample) is in_sample]
    return f"{sum(1 for each in numbers if each.verdict == Agreement.WITHIN)}/{len(numbers)}"


def _counted(study: Sequence[Scored]) -> TableCell:
    return TableCell(_told(study), tuple(map(Line, _told(study).split(", "))))


def _told(study: Sequence[Scored]) -> str:
    verdicts = [each.verdict for each in study if each.kind == CLAIM]
    return ", ".join(f"{verdicts.count(each)} {each}" for each in dict.fromkeys(verdicts))


def _statements(study: Sequence[Scored]) -> str:
    counted = [each.fraction.split("/") for each in study if each.fraction]
    held, judged = (sum(int(each[place]) for each in counted) for place in (0, 1))
    return f"{held}/{judged}"


def page(entries: Sequence[Scored]) -> str:
    """The scorecard as a page in Markdown."""
    parts = [PREFACE]
    for (experiment, scale), found in groupby(entries, key=lambda each: (each.experiment, each.scale)):
        study = list(found)
        parts.append(
            f"\n## {experiment}, scale {scale}\n\nVersion {study[0].version}. "
            f"Numbers within their tolerance: {_within(study, in_sample=False)}, "
            f"in-sample {_within(study, in_sample=True)}. "
            f"Claims: {_told(study)}; {_statements(study)} judged statements hold. "
            f"Explanation of the differences: [experiments/{experiment}.md](experiments/{experiment}.md).\n"
        )
        parts.append(_numbers_in_markdown([each for each in study if each.kind == NUMBER]))
        parts.append(_claims_in_markdown([each for each in study if each.kind == CLAIM]))
    return "".join(parts)


def _numbers_in_markdown(numbers: Sequence[Scored]) -> str:
    if not numbers:
        return ""
    lines = [
        "",
        "| cell | quantity | paper | ours | tolerance | verdict |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for each in numbers:
        interval = f" [{each.lower}, {each.upper}]" if each.lower else ""
        name = f"{each.name} †" if each.in_sample else each.name
        lines.append(
            _row(name, each.says, each.published, each.ours + interval, f"± {each.tolerance}", each.verdict)
        )
    return "\n".join(lines) + "\n"


def _claims_in_markdown(claims: Sequence[Scored]) -> str:
    if not claims:
        return ""
    lines = ["", "| claim | what the paper says | verdict | hold | strength | evidence |"]
    lines.append("| --- | --- | --- | --- | --- | --- |")
    lines += [
        _row(each.name, each.says, each.verdict, each.fraction, each.strength, each.ours) for each in claims
    ]
    return "\n".join(lines) + "\n"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
