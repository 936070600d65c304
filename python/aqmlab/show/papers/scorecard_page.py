"""The scorecard as a page of counts and causes, and a table beside it with all numbers and claims."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from aqmlab.files.folders import write_whole
from aqmlab.papers import strangers
from aqmlab.papers.documents import Conclusion
from aqmlab.papers.scorecard import (
    CLAIM,
    NUMBER,
    STATEMENT,
    can_fail,
    counted,
    judging_scales,
    not_modelled,
    reproduced,
)
from aqmlab.show.papers.markdown import render
from aqmlab.tables import Table, to_csv
from aqmlab.terminal.spelling import counted as spelt

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from aqmlab.papers.scorecard import Counted, Scored

PAGE, NUMBERS = "reproduction.md", "reproduction-numbers.csv"
"""The page and the table, as they are called in the documentation."""


@dataclass(frozen=True, slots=True)
class Note:
    """A cause or reason, or a conjecture without a proof.

    Attributes:
        place: Its number among those of the study, from 1 on.
        says: The sentence.
        proof: The proof that shows it; empty for a conjecture.
        numbers: How many published numbers it concerns.
        claims: How many claims have a statement that it concerns.
    """

    place: int
    says: str
    proof: str
    numbers: int = 0
    claims: int = 0

    @property
    def concerns(self) -> str:
        """How much it concerns, in words."""
        counts = ((self.numbers, "number"), (self.claims, "claim"))
        return ", ".join(spelt(count, what) for count, what in counts if count)

    def __str__(self) -> str:
        return f"{self.says} (proof: `{self.proof}`)" if self.proof else f"conjecture: {self.says}"


@dataclass(frozen=True, slots=True)
class Study:
    """What the page and the table have of a study at a scale; rows are by the names of columns."""

    experiment: str
    scale: str
    version: str
    reproduced: str
    claims: str
    notes: Sequence[Note]
    rows: Sequence[Mapping[str, object]]

    @property
    def title(self) -> str:
        """The heading."""
        return f"{self.experiment}, scale {self.scale}"

    @property
    def page(self) -> str:
        """The page that explains it; one for all measurements by others."""
        others = self.experiment.startswith(f"{strangers.NAME}-")
        return f"{strangers.NAME}.md" if others else f"experiments/{self.experiment}.md"

    @property
    def proven(self) -> list[Note]:
        """Causes and reasons that runs show."""
        return [note for note in self.notes if note.proof]

    @property
    def conjectures(self) -> list[Note]:
        """The others."""
        return [note for note in self.notes if not note.proof]


def write(entries: Sequence[Scored], page: Path) -> None:
    """Writes the page, and beside it the table, whose name ends in `-numbers.csv`."""
    beside = page.with_name(f"{page.stem}-numbers.csv")
    studies = studies_of(entries)
    write_whole(page, render(PAGE, studies=studies, counts=counts_of(counted(entries)), numbers=beside.name))
    write_whole(beside, to_csv(Table.of_records([row for study in studies for row in study.rows])))


def counts_of(counts: Iterable[Counted]) -> list[list[str]]:
    """How many numbers and statements of each study have which verdict."""
    return [
        [
            f"{each.experiment}, {each.scale}",
            each.of,
            str(each.conclusions.total()),
            *(str(each.conclusions[name]) for name in Conclusion),
        ]
        for each in counts
    ]


def studies_of(entries: Sequence[Scored]) -> list[Study]:
    """Each study at each scale; claims at the scale that judges most of them."""
    judging = judging_scales(entries)
    return [
        _study(experiment, scale, list(found), judging.get(experiment, scale))
        for (experiment, scale), found in groupby(entries, key=lambda each: (each.experiment, each.scale))
    ]


def _study(experiment: str, scale: str, found: Sequence[Scored], judged_at: str) -> Study:
    study = found if judged_at == scale else [each for each in found if each.kind == NUMBER]
    explained = list(dict.fromkeys((each.because, each.proof) for each in study if each.because))
    verdicts = Counter(each.verdict for each in study if each.kind == CLAIM)
    claims = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())
    claims = claims or ("none" if judged_at == scale else f"at scale {judged_at}")

    def concerned(note: tuple[str, str], kind: str) -> list[str]:
        return [each.name for each in study if each.kind == kind and (each.because, each.proof) == note]

    return Study(
        experiment,
        scale,
        version=study[0].version if study else "",
        reproduced=reproduced(study),
        claims=f"Claims: {claims}.",
        notes=[
            Note(
                place,
                *note,
                numbers=len(concerned(note, NUMBER)),
                claims=len({name.partition(".")[0] for name in concerned(note, STATEMENT)}),
            )
            for place, note in enumerate(explained, start=1)
        ],
        rows=[
            _row(each, study, explained)
            for each in study
            if each.kind == CLAIM or (each.kind == NUMBER and not not_modelled(each))
        ],
    )


def _row(each: Scored, study: Sequence[Scored], explained: Sequence[tuple[str, str]]) -> dict[str, object]:
    """A number or claim of the table; causes carry the place that they have on the page."""
    parts = [part for part in study if part.kind == STATEMENT and part.name.startswith(f"{each.name}.")]

    def notes(of: Iterable[Scored]) -> list[int]:
        return sorted({explained.index((one.because, one.proof)) + 1 for one in of if one.because})

    groups = {name: [part for part in parts if part.conclusion == name] for name in Conclusion}
    return {
        "study": each.experiment,
        "scale": each.scale,
        "kind": each.kind,
        "name": each.name,
        "says": each.says,
        **{key: getattr(each, key) for key in ("published", "ours", "lower", "upper", "tolerance")},
        "in_sample": "yes" if each.in_sample else "",
        "can_fail": "" if each.kind == CLAIM else "yes" if can_fail(each) else "no",
        "verdict": each.verdict if each.kind == CLAIM else each.conclusion,
        "statements": ", ".join(
            " ".join([f"{len(own)} {name}", *(str(notes(own)) for _ in notes(own)[:1])])
            for name, own in groups.items()
            if own
        ),
        "strength": each.strength,
        "evidence": each.evidence,
        "why": " / ".join(f"[{at}] {Note(at, *explained[at - 1])}" for at in notes([each, *parts])),
    }
