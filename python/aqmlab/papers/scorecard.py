"""The scorecard: every number of a paper's tables and every claim, published beside ours, with the verdict.

A reproduction leaves its own as `scorecard.csv`; several of them, of any experiments, make one page
(`aqmlab.show.papers.pages`), also of runs that are elsewhere. Numbers are decimals: they keep the
digits that they are shown with.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

from aqmlab.errors import ExperimentError
from aqmlab.files.reading import read_table
from aqmlab.papers import today
from aqmlab.papers.claims import Finding
from aqmlab.papers.documents import Conclusion
from aqmlab.papers.frame import Agreement, published_rows
from aqmlab.papers.proofs import concluded
from aqmlab.papers.tables.claims import strength_told
from aqmlab.papers.tables.published import IN_SAMPLE
from aqmlab.statistics.tidy import tidy_numbers
from aqmlab.tables.model import Column, Line, Medium, Table, TableCell, bounds, in_csv, number, text
from aqmlab.terminal.spelling import counted as spelt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from aqmlab.papers.claims import Outcome, Part
    from aqmlab.papers.documents import Difference
    from aqmlab.papers.frame import Row
    from aqmlab.papers.study import Study
    from aqmlab.papers.tables.published import Filled

FILE = "scorecard.csv"
NUMBER, CLAIM, STATEMENT = "number", "claim", "statement"
_FIGURE = re.compile(r"\bfig(\d+)")


@dataclass(frozen=True, slots=True)
class Scored:
    """A number of a paper's table, a claim or one of its statements, with its verdict: a row of the file.

    Attributes:
        experiment: Of which experiment.
        scale: At which scale.
        version: By which version.
        kind: `number`, `claim` or `statement`.
        name: The cell and its load, the identifier of the claim, or that and the place of the statement.
        says: The quantity, what the paper says, or the statement.
        published: The number in the paper.
        ours: Our mean.
        lower, upper: Its interval over replications, where there is one.
        tolerance: How far apart the two may be.
        evidence: Of a claim or a statement, what was found; the file has it in the column of `ours`.
        verdict: How it fared.
        conclusion: Of a number or a statement, what follows (`papers.documents.Conclusion`).
        because: The cause of the difference, why the paper's is not identifiable, or a conjecture.
        proof: The proof that shows the cause or the reason.
        fraction: Of a claim, how many of the statements that were judged hold.
        strength: Of a claim, the least strength among them.
        in_sample: The inputs of the models that were chosen by this number.
        can_fail: Of a number, whether it tests more than the load (`PublishedTable.can_fail`).
        figure: The figure that shows it, beside the file.
        runs: The runs that it was computed from, by content address.
    """

    experiment: str
    scale: str
    version: str
    kind: str
    name: str
    says: str
    published: Decimal | None = None
    ours: Decimal | None = None
    lower: Decimal | None = None
    upper: Decimal | None = None
    tolerance: Decimal | None = None
    evidence: str = ""
    verdict: str = ""
    conclusion: str = ""
    because: str = ""
    proof: str = ""
    fraction: str = ""
    strength: str = ""
    in_sample: str = ""
    can_fail: bool | None = None
    figure: str = ""
    runs: str = ""


_FLAGS = {True: "yes", False: "no", None: ""}
_NUMBERS = ("published", "ours", "lower", "upper", "tolerance")
_COLUMNS = tuple(name for name in Scored.__slots__ if name != "evidence")


def scored(study: Study, filled: Iterable[Filled], outcomes: Sequence[Outcome]) -> list[Scored]:
    """What a study says of every published number, every claim and every statement.

    A published number counts once, beside the study's own reading of the paper.
    """
    of_study = study.experiment.name, study.scale.name, study.version
    drawn = {figure.id for figure in study.experiment.figures}
    differences = study.experiment.differences
    numbers = [
        each
        for table in filled
        if not table.published.other_reading
        for row in published_rows(table.rows)
        for each in _numbers(of_study, table.published.identifier, row, differences)
    ]
    by_row: dict[str, list[Scored]] = {}
    for each in numbers:
        by_row.setdefault(each.name, []).append(each)
    statements = [
        _statement(of_study, outcome.identifier, part, differences, by_row)
        for outcome in outcomes
        for part in outcome.parts
    ]
    return numbers + [_claim(of_study, outcome, drawn) for outcome in outcomes] + statements


_OF_AGREEMENT = {
    Agreement.WITHIN_HERE_ALONE: Conclusion.SCALE_CANNOT_JUDGE,
    Agreement.SCALE: Conclusion.SCALE_CANNOT_JUDGE,
    Agreement.SCALE_CANNOT_JUDGE: Conclusion.SCALE_CANNOT_JUDGE,
}
_OF_FINDING = {
    Finding.HOLDS: Conclusion.REPRODUCED,
    Finding.SCALE_CANNOT_JUDGE: Conclusion.SCALE_CANNOT_JUDGE,
    Finding.NOT_RUN: Conclusion.NOT_RUN,
}
"""What follows without a look at causes; the others differ."""


def _numbers(
    of_study: tuple[str, str, str], table: str, row: Row, differences: Sequence[Difference]
) -> Iterator[Scored]:
    for name, own in row.numbers.items():
        agreement, digits = own.agreement, own.quantity.digits + 2
        conclusion, because, proof = Conclusion.REPRODUCED, "", ""
        if agreement in _OF_AGREEMENT:
            conclusion = _OF_AGREEMENT[agreement]
        elif agreement is Agreement.WITHIN and not own.surely_within:
            conclusion = Conclusion.SCALE_CANNOT_JUDGE
        elif agreement is Agreement.DIFFERS:
            concerned = [each for each in differences if each.concerns_number(table, *row.cell, name)]
            conclusion, because, proof = concluded(concerned)
        lower, upper = (None if end is None else _rounded(end, digits) for end in bounds(own.ours))
        yield Scored(
            *of_study,
            NUMBER,
            row.name,
            own.quantity.title,
            published=_printed(own.published),
            ours=_rounded(own.mean, digits),
            lower=lower,
            upper=upper,
            tolerance=_printed(None if own.tolerance is None else float(f"{own.tolerance:.3g}")),
            verdict=str(agreement),
            conclusion=str(conclusion),
            because=because,
            proof=proof,
            in_sample="; ".join(own.fitted),
            can_fail=own.can_fail,
            runs=" ".join(row.runs),
        )


def _rounded(value: float, digits: int) -> Decimal:
    return Decimal(f"{value:.{digits}f}")


def _printed(value: float | None) -> Decimal | None:
    """Counts of thousands without decimals, other numbers as they are."""
    if value is None:
        return None
    return _rounded(value, 0) if value >= 1000 and value == int(value) else Decimal(str(value))


def _statement(
    of_study: tuple[str, str, str],
    claim: str,
    part: Part,
    differences: Sequence[Difference],
    by_row: Mapping[str, Sequence[Scored]],
) -> Scored:
    concerned = [each for each in differences if each.concerns_statement(claim, part.number)]
    if part.finding in _OF_FINDING:
        conclusion, because, proof = str(_OF_FINDING[part.finding]), "", ""
    elif part.statement in by_row and not concerned:
        conclusion, because, proof = _of_row(by_row[part.statement])
    else:
        conclusion, because, proof = concluded(concerned)
    return Scored(
        *of_study,
        STATEMENT,
        f"{claim}.{part.number}",
        part.statement,
        evidence=part.evidence,
        verdict=str(part.finding),
        conclusion=str(conclusion),
        because=because,
        proof=proof,
        strength=strength_told(part.answer.strength),
        in_sample=part.answer.in_sample,
    )


def _of_row(numbers: Sequence[Scored]) -> tuple[str, str, str]:
    """What follows for a row that differs as a whole: what follows for its least explained number."""
    for conclusion in (Conclusion.CAUSE_UNKNOWN, Conclusion.NOT_IDENTIFIABLE, Conclusion.CAUSE_KNOWN):
        for each in numbers:
            if each.conclusion == conclusion:
                return each.conclusion, each.because, each.proof
    return concluded([])


def _claim(of_study: tuple[str, str, str], outcome: Outcome, drawn: set[str]) -> Scored:
    figure = _FIGURE.search(outcome.where)
    shown = figure is not None and figure[1] in drawn
    return Scored(
        *of_study,
        CLAIM,
        outcome.identifier,
        outcome.claim,
        evidence=outcome.effect or outcome.reason,
        verdict=str(outcome.verdict),
        fraction=outcome.fraction,
        strength=strength_told(outcome.weakest),
        figure=f"figures/figure-{int(figure[1]):02}.svg" if figure is not None and shown else "",
    )


def table_of(entries: Sequence[Scored]) -> Table:
    """All of it for programs."""
    return Table.of(entries, [in_csv(name, partial(_written, name=name)) for name in _COLUMNS])


def _written(entry: Scored, *, name: str) -> object:
    if name == "ours" and entry.kind != NUMBER:
        return entry.evidence
    value = getattr(entry, name)
    if name == "can_fail":
        return _FLAGS[value]
    return float(value) if isinstance(value, Decimal) and not value.is_finite() else value


def _read(row: Mapping[str, str]) -> Scored:
    fields: dict[str, object] = dict(row)
    if row["kind"] != NUMBER:
        fields |= {"ours": "", "evidence": row["ours"]}
    fields |= {name: Decimal(str(fields[name])) if fields[name] else None for name in _NUMBERS}
    fields["can_fail"] = {text: flag for flag, text in _FLAGS.items()}[row["can_fail"]]
    return Scored(**fields)  # type: ignore[arg-type]


def read(folder: Path) -> list[Scored]:
    """The scorecard that a reproduction left in its folder."""
    if (folder / today.FILE).is_file() and not (folder / FILE).is_file():
        raise ExperimentError(
            f"{folder}: was made with other hosts than the paper's (--hosts) and has no scorecard; its "
            f"statements are in {today.FILE}"
        )
    rows = read_table(folder / FILE, ExperimentError)
    if rows and tuple(rows[0]) != _COLUMNS:
        legal = ", ".join(_COLUMNS)
        raise ExperimentError(f"{folder / FILE}:1: no scorecard of this version; its columns are {legal}")
    try:
        return [_read(row) for row in rows]
    except (InvalidOperation, KeyError) as error:
        numbers = ", ".join(_NUMBERS)
        raise ExperimentError(
            f"{folder / FILE}: no scorecard: {numbers} are numbers, can_fail yes or no"
        ) from error


def read_all(folders: Iterable[Path]) -> list[Scored]:
    """The scorecards of several folders, one after the other."""
    entries: list[Scored] = []
    folder_of: dict[tuple[str, str], Path] = {}
    for folder in folders:
        found = read(folder)
        for study in dict.fromkeys((each.experiment, each.scale) for each in found):
            first = folder_of.setdefault(study, folder)
            if first is not folder:
                raise ExperimentError(
                    f"{first} and {folder}: both are of {study[0]} at scale {study[1]}, whose statements "
                    "would count twice; name one of them"
                )
        entries += found
    return entries


# ------------------------------------------------------------------------------------------------ counted


@dataclass(frozen=True, slots=True)
class Counted:
    """How the numbers, or the statements, of a study fared.

    Attributes:
        experiment, scale: Of which study.
        of: What is counted, in print.
        conclusions: How many have each conclusion.
    """

    experiment: str
    scale: str
    of: str
    conclusions: Counter[str]


UNJUDGED = (Conclusion.SCALE_CANNOT_JUDGE, Conclusion.NOT_RUN)
"""What follows of a statement that the runs do not decide."""


def judging_scales(entries: Sequence[Scored]) -> dict[str, str]:
    """Of each experiment the scale that decides most statements, whose claims are shown."""
    decided: dict[str, Counter[str]] = {}
    for each in entries:
        if each.kind == STATEMENT:
            counts = decided.setdefault(each.experiment, Counter())
            counts[each.scale] += each.conclusion not in UNJUDGED
    return {experiment: max(counts, key=counts.__getitem__) for experiment, counts in decided.items()}


CAN_FAIL, OF_THE_LOAD, FITTED = "numbers that can fail", "numbers of the load", "in-sample numbers"
NOT_MODELLED = "numbers not modelled"
KINDS = (CAN_FAIL, OF_THE_LOAD, FITTED)


def can_fail(entry: Scored) -> bool:
    """Whether it is a number that tests the study: neither in-sample nor one that any queue would give."""
    return entry.kind == NUMBER and bool(entry.can_fail) and not entry.in_sample


def not_modelled(entry: Scored) -> bool:
    """Whether it is a number of a measurement by others that nothing here could be run for."""
    return entry.kind == NUMBER and entry.conclusion == Conclusion.NOT_RUN


def reproduced(entries: Iterable[Scored]) -> str:
    """The first line of a study's result: how many of the numbers that can fail are reproduced."""
    failing = [each for each in entries if can_fail(each)]
    held = sum(1 for each in failing if each.conclusion == Conclusion.REPRODUCED)
    if not failing:
        return "No number that can fail was run."
    return (
        f"Of {spelt(len(failing), 'number')} that can fail, {held} {'is' if held == 1 else 'are'} reproduced."
    )


def counted(entries: Sequence[Scored]) -> list[Counted]:
    """The counts of each study: numbers that can fail, the others, and statements where they are judged."""
    found = []
    judging = judging_scales(entries)
    for (experiment, scale), group in groupby(entries, key=lambda each: (each.experiment, each.scale)):
        study = list(group)
        for of, own in (
            (CAN_FAIL, [each for each in study if can_fail(each)]),
            (OF_THE_LOAD, [each for each in study if each.can_fail is False and not each.in_sample]),
            (FITTED, [each for each in study if each.kind == NUMBER and each.in_sample]),
            (NOT_MODELLED, [each for each in study if not_modelled(each)]),
            ("statements", [each for each in study if each.kind == STATEMENT]),
        ):
            if own and (of != "statements" or judging[experiment] == scale):
                found.append(Counted(experiment, scale, of, Counter(each.conclusion for each in own)))
    return found


_SHORT = {
    Conclusion.REPRODUCED: "repr.",
    Conclusion.CAUSE_KNOWN: "cause",
    Conclusion.NOT_IDENTIFIABLE: "not id.",
    Conclusion.CAUSE_UNKNOWN: "no cause",
    Conclusion.SCALE_CANNOT_JUDGE: "scale",
}


def tidy(entries: Sequence[Scored]) -> pa.Table:
    """How often each study has each conclusion, in the columns of `aqmlab.frame`; `who` is of what."""
    return tidy_numbers(
        (
            f"{each.experiment}, {each.scale}",
            None,
            {f"{conclusion}/of.{each.of}": float(each.conclusions[conclusion]) for conclusion in Conclusion},
        )
        for each in counted(entries)
    )


def summary(entries: Sequence[Scored]) -> Table:
    """For each study a row of its numbers and one of its statements, with the count of each conclusion."""
    columns: list[Column[Counted]] = [
        Column("study", _study, "study", heads_row=True),
        in_csv("scale", lambda each: each.scale),
        Column("of", lambda each: text(each.of, short=_SHORT_OF.get(each.of)), "of", words=True),
        Column(
            "count", lambda each: number(each.conclusions.total()), "count", media=Medium.CSV | Medium.HTML
        ),
        *(
            Column(
                str(conclusion),
                lambda each, conclusion=conclusion: number(each.conclusions[conclusion]),  # type: ignore[misc]
                str(conclusion),
                _SHORT.get(conclusion),
            )
            for conclusion in Conclusion
        ),
    ]
    return Table.of(
        counted(entries),
        columns,
        title="Scorecard",
        caption="repr.: reproduced; cause: differs, cause known; not id.: not identifiable, the paper does "
        "not print what would determine it; no cause: differs, cause unknown; scale: runs too short or too "
        "few to judge. numbers: those that can fail; of the load: the paper's differ from its network "
        f"without a bottleneck by no more than the tolerance. {IN_SAMPLE}: an input of the models was chosen "
        "by these numbers. `--output` writes a page with the causes and reasons",
    )


_SHORT_OF = {
    CAN_FAIL: "numbers",
    OF_THE_LOAD: "of the load",
    FITTED: f"numbers {IN_SAMPLE}",
    NOT_MODELLED: "not modelled",
}


def _study(each: Counted) -> TableCell:
    return TableCell(each.experiment, (Line(each.experiment), Line(each.scale)))
