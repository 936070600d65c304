"""The claims with hosts of today, `docs/explanation/today-claims.csv`, made of kept files: a program."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from aqmlab.errors import ExperimentError
from aqmlab.files.reading import read_table
from aqmlab.papers import experiments
from aqmlab.papers.claims import Answer, Finding, Part
from aqmlab.papers.claims.outcome import Verdict, combine
from aqmlab.papers.today import Becomes
from aqmlab.tables import Table, to_csv

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Row = Mapping[str, str]

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "today-claims.csv"
FATES = (
    *(Becomes.STILL_HOLDS, Becomes.NO_LONGER, Becomes.ONLY_TODAY, Becomes.NEITHER),
    *("holds today", "differs today", "undecided", "not run", Becomes.INDEPENDENT),
)
"""What became of statements, in the order of the table."""
_TODAY_ALONE = {
    Finding.HOLDS: "holds today",
    Finding.DIFFERS: "differs today",
    Finding.SCALE_CANNOT_JUDGE: "undecided",
    Finding.NOT_RUN: "not run",
}
_WORDS = {Verdict.REPRODUCED: "holds", Verdict.SCALE_CANNOT_JUDGE: "undecided"}
"""With other hosts than the paper's nothing is reproduced."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What a study came to with hosts of today, from a file of it."""

    rows: Sequence[Row]

    def __getitem__(self, key: str) -> str:
        """What was run: the same in all rows."""
        (value,) = {row[key] for row in self.rows}
        return value

    @property
    def title(self) -> str:
        """The study, its scale and, where loads were chosen, these."""
        loads = f" at {self['loads_percent'].replace(' ', ', ')} %" if self.chosen_loads else ""
        return f"{self['experiment']}, scale {self['scale']}{loads}"

    @property
    def chosen_loads(self) -> bool:
        """Whether other loads were run than all of the scale."""
        scale = experiments.load(self["experiment"]).scale(self["scale"])
        return set(map(float, self["loads_percent"].split())) != set(scale.loads_percent)

    @property
    def fates(self) -> Counter[str]:
        """How many statements became what."""
        return Counter(map(_fate, self.rows))

    @property
    def claims(self) -> Iterator[tuple[str, str, str, Counter[str]]]:
        """Each claim with its verdicts for the paper's hosts and today's, and what its statements became."""
        for claim, rows in groupby(self.rows, key=lambda row: row["claim"]):
            own = list(rows)
            then, now = (_verdict(row[f"finding_{when}"] for row in own) for when in ("then", "now"))
            yield claim, then, now, Counter(map(_fate, own))


def kept() -> list[Kept]:
    """What is kept of runs with hosts of today."""
    files = [
        file
        for name in experiments.names()
        for file in (ROOT / "python/aqmlab/experiments" / name).glob("today*.csv")
    ]
    return [
        Kept(read_table(file, ExperimentError))
        for file in sorted(files, key=lambda file: (file.parent.name, file.stem))
    ]


def _fate(row: Row) -> str:
    becomes = Becomes(row["becomes"])
    return _TODAY_ALONE[Finding(row["finding_now"])] if becomes is Becomes.UNDECIDED else str(becomes)


def _verdict(findings: Iterable[str]) -> str:
    verdict, _ = combine([Part("", Finding(each), Answer(None, "")) for each in findings])
    return _WORDS.get(verdict, str(verdict))


def statements_table(studies: Sequence[Kept]) -> str:
    """How many statements of each study became what."""
    return _counted("statements", [(each.title, each.fates) for each in studies], [*map(str, FATES)])


def claims_table(studies: Sequence[Kept]) -> str:
    """How many claims of each study have which verdict with today's hosts."""
    verdicts = [_WORDS.get(each, str(each)) for each in Verdict]
    return _counted(
        "claims", [(each.title, Counter(now for _, _, now, _ in each.claims)) for each in studies], verdicts
    )


def _counted(of: str, rows: Sequence[tuple[str, Counter[str]]], kinds: Sequence[str]) -> str:
    return _table(
        ("study", of, *kinds),
        [(title, counts.total(), *(counts[kind] for kind in kinds)) for title, counts in rows],
    )


def page() -> str:
    """The file as it should be: a row for each claim of each study."""
    return to_csv(Table.of_records([row for study in kept() for row in _rows(study)]))


def _rows(study: Kept) -> Iterator[dict[str, object]]:
    says = {each.identifier: each.claim for each in experiments.load(study["experiment"]).published_claims}
    ran = {"study": study["experiment"]}
    ran |= {key: study[key] for key in ("scale", "loads_percent", "hosts", "seeds", "version")}
    for claim, then, now, fates in study.claims:
        counts = {str(fate): fates[fate] for fate in FATES}
        yield {
            **ran,
            "claim": claim,
            "says": says[claim],
            "papers_hosts": then,
            "todays_hosts": now,
            **counts,
        }


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(
        "| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |\n" for line in lines
    )


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "python"))
    PAGE.write_text(page(), encoding="utf-8")
