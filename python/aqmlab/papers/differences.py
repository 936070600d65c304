"""Why numbers and statements of a paper differ from ours: `differences.toml` of an experiment.

An entry has one sentence: the `cause` of a difference, why what the paper means is `not_identifiable`, that
is, not determined by what it prints, or a `conjecture`. It names what it concerns: claims, such as "S05",
statements, such as "S05.2" (the second of the claim in its file), and numbers of the published tables by
cell, load and quantity. Causes and reasons name the `proof` that shows them (`proofs`) and are refused
where it does not; what has none is unknown, with or without a conjecture. Entries apply only where ours
differs: what agrees with the paper needs no cause.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from aqmlab.errors import ExperimentError
from aqmlab.files.reading import read_toml
from aqmlab.files.records import read_as
from aqmlab.papers import proofs
from aqmlab.papers.documents import Differences, Numbers
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.papers import documents
    from aqmlab.papers.proofs import Bearings

FILE = "differences.toml"


class Conclusion(StrEnum):
    """What follows for a published number or statement."""

    REPRODUCED = "reproduced"
    CAUSE_KNOWN = "differs, cause known"
    NOT_IDENTIFIABLE = "not identifiable"
    CAUSE_UNKNOWN = "differs, cause unknown"
    SCALE_CANNOT_JUDGE = "scale cannot judge"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class Difference:
    """What is known of why something differs.

    Attributes:
        says: The sentence.
        conclusion: What follows where ours differs.
        proof: The name of its proof; empty for a conjecture.
        claims: Claims, or single statements of claims, that it concerns.
        numbers: Published numbers that it concerns.
    """

    says: str
    conclusion: Conclusion
    proof: str = ""
    claims: tuple[str, ...] = ()
    numbers: tuple[Numbers, ...] = ()

    def concerns_statement(self, claim: str, number: int) -> bool:
        """Whether it concerns a statement, by its place in the claim from 1 on."""
        return claim in self.claims or f"{claim}.{number}" in self.claims

    def concerns_number(self, table: str, configuration: str, load_percent: float, quantity: str) -> bool:
        """Whether it concerns a number of a published table."""
        return any(each.include(table, configuration, load_percent, quantity) for each in self.numbers)


_WEIGHT = (Conclusion.NOT_IDENTIFIABLE, Conclusion.CAUSE_KNOWN, Conclusion.CAUSE_UNKNOWN)
"""What is not identifiable needs no cause, and what has a cause no conjecture."""


def concluded(concerned: Sequence[Difference]) -> tuple[Conclusion, str, str]:
    """What follows for something that differs, why, and by which proof."""
    if not concerned:
        return Conclusion.CAUSE_UNKNOWN, "", ""
    first = min(concerned, key=lambda each: _WEIGHT.index(each.conclusion))
    return first.conclusion, first.says, first.proof


def read_differences(bearings: Bearings) -> tuple[Difference, ...]:
    """Reads the file of an experiment; a folder without one has no differences explained.

    Raises:
        ExperimentError: It names a claim, statement, table, cell or quantity that there is not, or a proof
            that is missing or does not show what it is said to.
    """
    file = bearings.folder / FILE
    if not file.is_file():
        return ()
    document = read_as(Differences, read_toml(file, ExperimentError), FILE, ExperimentError)
    return tuple(
        _difference(entry, f"{FILE}: differences[{place}]", bearings)
        for place, entry in enumerate(document.differences, start=1)
    )


def _difference(entry: documents.Difference, where: str, bearings: Bearings) -> Difference:
    kinds = {
        Conclusion.CAUSE_KNOWN: entry.cause,
        Conclusion.NOT_IDENTIFIABLE: entry.not_identifiable,
        Conclusion.CAUSE_UNKNOWN: entry.conjecture,
    }
    given = {conclusion: says for conclusion, says in kinds.items() if says is not None}
    if len(given) != 1:
        raise ExperimentError(f"{where}: give one of cause, not_identifiable and conjecture")
    ((conclusion, says),) = given.items()
    statements = bearings.statements
    for name in entry.claims:
        known = statements.get(name.partition(".")[0], statements)
        if name not in known and name not in statements:
            raise ExperimentError.unknown(f"{where}.claims: {quoted(name)}", name, known)
    numbers = tuple(
        _numbers(each, f"{where}.numbers[{number}]", bearings)
        for number, each in enumerate(entry.numbers, start=1)
    )
    if not entry.claims and not numbers:
        raise ExperimentError(f"{where}: give claims or numbers that it concerns")
    found = Difference(says, conclusion, entry.proof or "", entry.claims, numbers)
    _require_proof(found, where, bearings)
    return found


def _require_proof(entry: Difference, where: str, bearings: Bearings) -> None:
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
        proven = proofs.read_proof(bearings, entry.proof)
        require = (
            proofs.require_cause
            if entry.conclusion is Conclusion.CAUSE_KNOWN
            else proofs.require_not_identifiable
        )
        require(proven, bearings, entry.claims, entry.numbers)
    except ExperimentError as error:
        raise ExperimentError(f"{where}.proof: {error}") from None


def _numbers(entry: Numbers, where: str, bearings: Bearings) -> Numbers:
    """The numbers of an entry; the name of a group of cells stands for all of its own."""
    configurations = bearings.configurations
    by_name = {table.identifier: table for table in bearings.tables}
    if entry.table not in by_name:
        raise ExperimentError.unknown(f"{where}.table", entry.table, by_name)
    quantities = [column.quantity.name for column in by_name[entry.table].columns]
    for name in entry.quantities:
        if name not in quantities:
            raise ExperimentError.unknown(f"{where}.quantities", name, quantities)
    cells: list[str] = []
    for name in entry.cells:
        members = [each.name for each in configurations.values() if each.group == name]
        if not members and name not in configurations:
            groups = dict.fromkeys(each.group for each in configurations.values())
            raise ExperimentError.unknown(f"{where}.cells", name, [*configurations, *groups])
        cells += members or [name]
    return replace(entry, cells=tuple(cells))
