"""Why numbers and statements of a paper differ from ours: `differences.toml` of an experiment.

An entry has one sentence: the `cause` of a difference, or why what the paper means is `not_identifiable`,
that is, not determined by what it prints. It names what it concerns: claims, such as "S05", statements, such
as "S05.2" (the second of the claim in its file), and numbers of the published tables by cell, load and
quantity. Entries apply only where ours differs: what agrees with the paper needs no cause.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from aqmlab.errors import ExperimentError
from aqmlab.files.reading import read_toml
from aqmlab.files.records import read_as
from aqmlab.papers.documents import Differences, Numbers
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from importlib.resources.abc import Traversable

    from aqmlab.papers.documents import Configuration
    from aqmlab.papers.published import PublishedTable
    from aqmlab.papers.statements import PublishedClaim

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
    """A cause of differences, or a reason why what the paper says cannot be identified.

    Attributes:
        says: The sentence.
        identifiable: Whether it is a cause; if not, a reason.
        claims: Claims, or single statements of claims, that it concerns.
        numbers: Published numbers that it concerns.
    """

    says: str
    identifiable: bool
    claims: tuple[str, ...] = ()
    numbers: tuple[Numbers, ...] = ()

    @property
    def conclusion(self) -> Conclusion:
        """What follows where ours differs."""
        return Conclusion.CAUSE_KNOWN if self.identifiable else Conclusion.NOT_IDENTIFIABLE

    def concerns_statement(self, claim: str, number: int) -> bool:
        """Whether it concerns a statement, by its place in the claim from 1 on."""
        return claim in self.claims or f"{claim}.{number}" in self.claims

    def concerns_number(self, table: str, configuration: str, load_percent: float, quantity: str) -> bool:
        """Whether it concerns a number of a published table."""
        return any(each.include(table, configuration, load_percent, quantity) for each in self.numbers)


def concluded(concerned: Sequence[Difference]) -> tuple[Conclusion, str]:
    """What follows for something that differs, and why; what is not identifiable needs no cause."""
    if not concerned:
        return Conclusion.CAUSE_UNKNOWN, ""
    first = next((each for each in concerned if not each.identifiable), concerned[0])
    return first.conclusion, first.says


def read_differences(
    folder: Traversable,
    configurations: Mapping[str, Configuration],
    tables: Sequence[PublishedTable],
    claims: Sequence[PublishedClaim],
) -> tuple[Difference, ...]:
    """Reads the file of an experiment; a folder without one has no differences explained.

    Raises:
        ExperimentError: It names a claim, statement, table, cell or quantity that there is not.
    """
    file = folder / FILE
    if not file.is_file():
        return ()
    document = read_as(Differences, read_toml(file, ExperimentError), FILE, ExperimentError)
    statements = {
        claim.identifier: dict.fromkeys(f"{claim.identifier}.{each.number}" for each in claim.statements)
        for claim in claims
    }
    found = []
    for place, entry in enumerate(document.differences, start=1):
        where = f"{FILE}: differences[{place}]"
        if (entry.cause is None) is (entry.not_identifiable is None):
            raise ExperimentError(f"{where}: give cause or not_identifiable")
        for name in entry.claims:
            known = statements.get(name.partition(".")[0], statements)
            if name not in known and name not in statements:
                raise ExperimentError.unknown(f"{where}.claims: {quoted(name)}", name, known)
        numbers = tuple(
            _numbers(each, f"{where}.numbers[{number}]", configurations, tables)
            for number, each in enumerate(entry.numbers, start=1)
        )
        if not entry.claims and not numbers:
            raise ExperimentError(f"{where}: give claims or numbers that it concerns")
        says = entry.cause or entry.not_identifiable or ""
        found.append(Difference(says, entry.cause is not None, entry.claims, numbers))
    return tuple(found)


def _numbers(
    entry: Numbers,
    where: str,
    configurations: Mapping[str, Configuration],
    tables: Sequence[PublishedTable],
) -> Numbers:
    """The numbers of an entry; the name of a group of cells stands for all of its own."""
    by_name = {table.identifier: table for table in tables}
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
