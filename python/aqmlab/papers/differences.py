"""Why numbers and statements of a paper differ from ours: `differences.toml` of an experiment.

An entry has one sentence: the `cause` of a difference, why what the paper means is `not_identifiable`, that
is, not determined by what it prints, or a `conjecture`. It names what it concerns: claims, such as "S05",
statements, such as "S05.2" (the second of the claim in its file), and numbers of the published tables by
cell, load and quantity. Causes and reasons name the `proof` that shows them (`proofs`) and are refused
where it does not; what has none is unknown, with or without a conjecture. Entries apply only where ours
differs: what agrees with the paper needs no cause.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from aqmlab.errors import ExperimentError
from aqmlab.files.reading import read_toml
from aqmlab.files.records import read_as
from aqmlab.papers import proofs
from aqmlab.papers.documents import Conclusion, Differences
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.papers.documents import Difference, Numbers
    from aqmlab.papers.experiment import Experiment

FILE = "differences.toml"


_WEIGHT = (Conclusion.NOT_IDENTIFIABLE, Conclusion.CAUSE_KNOWN, Conclusion.CAUSE_UNKNOWN)
"""What is not identifiable needs no cause, and what has a cause no conjecture."""


def concluded(concerned: Sequence[Difference]) -> tuple[Conclusion, str, str]:
    """What follows for something that differs, why, and by which proof."""
    if not concerned:
        return Conclusion.CAUSE_UNKNOWN, "", ""
    first = min(concerned, key=lambda each: _WEIGHT.index(each.conclusion))
    return first.conclusion, first.says, first.proof


def read_differences(experiment: Experiment) -> tuple[Difference, ...]:
    """Reads the file of an experiment; a folder without one has no differences explained."""
    file = experiment.folder / FILE
    if not file.is_file():
        return ()
    document = read_as(Differences, read_toml(file, ExperimentError), FILE, ExperimentError)
    return tuple(
        _checked(entry, f"{FILE}: differences[{place}]", experiment)
        for place, entry in enumerate(document.differences, start=1)
    )


def _checked(entry: Difference, where: str, experiment: Experiment) -> Difference:
    if len(entry.given) != 1:
        raise ExperimentError(f"{where}: give one of cause, not_identifiable and conjecture")
    statements = experiment.statements
    for name in entry.claims:
        known = statements.get(name.partition(".")[0], statements)
        if name not in known and name not in statements:
            raise ExperimentError.unknown(f"{where}.claims: {quoted(name)}", name, known)
    if not entry.claims and not entry.numbers:
        raise ExperimentError(f"{where}: give claims or numbers that it concerns")
    numbers = tuple(
        _numbers(each, f"{where}.numbers[{number}]", experiment)
        for number, each in enumerate(entry.numbers, start=1)
    )
    found = replace(entry, numbers=numbers)
    _require_proof(found, where, experiment)
    return found


def _require_proof(entry: Difference, where: str, experiment: Experiment) -> None:
    """Whether what is said to be known is shown by runs."""
    if entry.conclusion is Conclusion.CAUSE_UNKNOWN:
        if entry.proof:
            raise ExperimentError(f"{where}.proof: a conjecture has none; say cause or not_identifiable")
        return
    if not entry.proof:
        raise ExperimentError(
            f"{where}.proof: missing; a cause or reason names its runs, a file in {proofs.FOLDER}; without "
            "them it is a conjecture"
        )
    try:
        proven = proofs.read_proof(experiment, entry.proof)
        require = (
            proofs.require_cause
            if entry.conclusion is Conclusion.CAUSE_KNOWN
            else proofs.require_not_identifiable
        )
        require(proven, experiment, entry.claims, entry.numbers)
    except ExperimentError as error:
        raise ExperimentError(f"{where}.proof: {error}") from None


def _numbers(entry: Numbers, where: str, experiment: Experiment) -> Numbers:
    """The numbers of an entry; the name of a group of cells stands for all of its own."""
    by_name = {table.identifier: table for table in experiment.published.tables}
    if entry.table not in by_name:
        raise ExperimentError.unknown(f"{where}.table", entry.table, by_name)
    quantities = [column.quantity.name for column in by_name[entry.table].columns]
    for name in entry.quantities:
        if name not in quantities:
            raise ExperimentError.unknown(f"{where}.quantities", name, quantities)
    for name in entry.cells:
        if name not in experiment.configurations and name not in experiment.groups:
            known = [*experiment.configurations, *experiment.groups]
            raise ExperimentError.unknown(f"{where}.cells", name, known)
    return replace(entry, cells=experiment.cells_of(entry.cells))
