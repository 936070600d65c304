"""The scorecard as two pages in Markdown: counts and causes of each study, and all numbers and claims."""

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
    counted,
    judging_scales,
    not_modelled,
    reproduced,
)
from aqmlab.show.papers.markdown import render
from aqmlab.terminal.spelling import counted as spelt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from aqmlab.papers.scorecard import Counted, Scored

PAGE, NUMBERS = "reproduction.md", "reproduction-numbers.md"
"""The pages, as they are called in the documentation; the templates are named after them."""


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
    """What both pages have of a study at a scale; rows are texts of cells."""

    experiment: str
    scale: str
    version: str
    reproduced: str
    claims: str
    notes: Sequence[Note]
    numbers: Sequence[Sequence[str]]
    outcomes: Sequence[Sequence[str]]

    @property
    def title(self) -> str:
        """The heading."""
        return f"{self.experiment}, scale {self.scale}"

    @property
    def anchor(self) -> str:
        """The address of the heading in its page."""
        return f"{self.experiment}-scale-{self.scale}"

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
    """Writes the page, and beside it the one with all numbers, whose name ends in `-numbers`."""
    beside = page.with_name(f"{page.stem}-numbers{page.suffix}")
    studies, counts = studies_of(entries), counts_of(counted(entries))
    for file, template, other in ((page, PAGE, beside.name), (beside, NUMBERS, page.name)):
        values = {"studies": studies, "counts": counts, "numbers_page": other, "counts_page": other}
        write_whole(file, render(template, **values))


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

    def noted(words: str, concerned: Iterable[Scored]) -> str:
        places = sorted(
            {explained.index((each.because, each.proof)) + 1 for each in concerned if each.because}
        )
        return f"{words} [{', '.join(map(str, places))}]" if places else words

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
        numbers=[
            [
                f"{each.name} †" if each.in_sample else each.name,
                each.says,
                str(each.published),
                str(each.ours) if each.lower is None else f"{each.ours} [{each.lower}, {each.upper}]",
                f"± {each.tolerance}",
                noted(each.conclusion, [each]),
            ]
            for each in study
            if each.kind == NUMBER and not not_modelled(each)
        ],
        outcomes=[
            [
                each.name,
                each.says,
                each.verdict,
                _statements(each.name, study, noted),
                each.strength,
                each.evidence,
            ]
            for each in study
            if each.kind == CLAIM
        ],
    )


def _statements(claim: str, study: Sequence[Scored], noted: Callable[[str, Iterable[Scored]], str]) -> str:
    """How many statements of a claim have which conclusion, with their notes."""
    parts = [each for each in study if each.kind == STATEMENT and each.name.startswith(f"{claim}.")]
    groups = {name: [each for each in parts if each.conclusion == name] for name in Conclusion}
    return ", ".join(noted(f"{len(own)} {name}", own) for name, own in groups.items() if own)
