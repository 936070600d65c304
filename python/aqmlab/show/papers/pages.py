"""Pages in Markdown: the scorecard of all studies, with a table beside it, and a reproduction as an artifact.

An artifact is what an evaluation for ACM's badges asks for, in one folder or archive. The badges are those
of ACM's policy "Artifact Review and Badging", version 1.1 (2020): available, evaluated (functional,
reusable) and results (reproduced, replicated).
"""

from __future__ import annotations

import platform
from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import groupby
from typing import TYPE_CHECKING

import jinja2

from aqmlab.files.archive import checksums_of, digest, write_files
from aqmlab.files.folders import write_whole
from aqmlab.papers import scorecard, strangers
from aqmlab.papers.cost import told
from aqmlab.papers.documents import Conclusion
from aqmlab.papers.scorecard import (
    CLAIM,
    NUMBER,
    STATEMENT,
    can_fail,
    judging_scales,
    not_modelled,
    reproduced,
)
from aqmlab.papers.tables import claims
from aqmlab.show.words import citation
from aqmlab.tables import Table, to_csv
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from importlib.resources.abc import Traversable
    from pathlib import Path

    from aqmlab.files.archive import Content
    from aqmlab.papers.claims import Outcome
    from aqmlab.papers.cost import Cost
    from aqmlab.papers.scorecard import Counted, Scored
    from aqmlab.show.papers.report import Parts


def render(template: str, **values: object) -> str:
    """The page that a template makes of values; one that the template does not get is an error."""
    return _environment().get_template(f"{template}.jinja").render(**values).rstrip() + "\n"


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(  # noqa: S701 (Markdown, which nobody but us writes)
        loader=jinja2.FunctionLoader(
            lambda name: resources.files(__package__).joinpath("templates", name).read_text(encoding="utf-8")
        ),
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.globals["conclusions"] = [*map(str, Conclusion)]
    environment.filters["table"] = _table
    environment.filters["counted"] = counted
    return environment


def _table(rows: Sequence[Sequence[str]], *head: str) -> str:
    lines = [head, ["---"] * len(head), *([cell.replace("|", r"\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


PAGE, NUMBERS = "reproduction.md", "reproduction-numbers.csv"
"""The page and the table, as they are called in the documentation."""


@dataclass(frozen=True, slots=True)
class Note:
    """A cause or reason, or a conjecture without a proof."""

    place: int  # its number among those of the study, from 1 on
    says: str  # the sentence
    proof: str  # the proof that shows it; empty for a conjecture
    numbers: int = 0  # how many published numbers it concerns
    claims: int = 0  # how many claims have a statement that it concerns

    @property
    def concerns(self) -> str:
        counts = ((self.numbers, "number"), (self.claims, "claim"))
        return ", ".join(counted(count, what) for count, what in counts if count)

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
        return [note for note in self.notes if note.proof]

    @property
    def conjectures(self) -> list[Note]:
        return [note for note in self.notes if not note.proof]


def write(entries: Sequence[Scored], page: Path) -> None:
    """Writes the page, and beside it the table, whose name ends in `-numbers.csv`."""
    beside = page.with_name(f"{page.stem}-numbers.csv")
    studies = studies_of(entries)
    write_whole(
        page, render(PAGE, studies=studies, counts=counts_of(scorecard.counted(entries)), numbers=beside.name)
    )
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


EXPECTED, STUDY, CLAIMS, SAME = "expected", "study", "claims.csv", "expected.sha256"
_NOT_OF_THE_STUDY = {"__pycache__", "notes"}


@dataclass(frozen=True)
class Artifact:
    """What an artifact is made of."""

    parts: Parts  # what the study found
    files: Mapping[str, Path]  # what was written of it, by what it is
    costs: Sequence[Cost]  # what each scale takes on the machine that made it
    workers: int  # how many runs it makes at a time
    command: str  # the command that made it

    def write(self, place: Path) -> Path:
        """Writes it: a path that ends in .zip, which is replaced, or a new folder."""
        expected = dict(self._expected())
        study = self.parts.study
        # Pictures of Matplotlib have its version in them; tables are the same bytes everywhere.
        same = {path: content for path, content in expected.items() if path.endswith(".csv")}
        files: dict[str, Content] = {
            "README.md": self._page(),
            CLAIMS: to_csv(claims.table_of(self.parts.outcomes)),
            SAME: checksums_of((path, digest(content)) for path, content in same.items()),
            citation.FILE: citation.bibtex(study.version, note=f"repeats: {study.experiment.paper}"),
            **{f"{EXPECTED}/{path}": content for path, content in expected.items()},
            **dict(_files_in(study.experiment.folder, STUDY)),
        }
        return write_files(files, place, f"{study.experiment.name}-{study.scale.name}")

    def _expected(self) -> Iterator[tuple[str, Content]]:
        """What the command writes, by its place in the folder that the command writes to."""
        for file in self.files.values():
            for each in sorted(file.iterdir()) if file.is_dir() else [file]:
                yield (f"{file.name}/{each.name}" if file.is_dir() else each.name), each

    def _page(self) -> str:
        study = self.parts.study
        verdicts = Counter(str(outcome.verdict) for outcome in self.parts.outcomes)
        return render(
            "artifact.md",
            study=study.experiment,
            scale=study.scale.name,
            version=study.version,
            machine=f"{platform.system()}, {platform.machine()}",
            at_once=self.workers,
            times=self._times(),
            first=self._first_command(),
            command=self.command,
            counted=counted(len(self.parts.outcomes), "claim"),
            verdicts=", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()),
            claims=[
                (each.identifier, each.where, each.claim, _statements(each), str(each.verdict))
                for each in self.parts.outcomes
            ],
        )

    def _times(self) -> list[Sequence[str]]:
        scales = self.parts.study.experiment.scales
        return [
            (
                f"{cost.scale}, as the second command" if self._is_part(cost) else cost.scale,
                f"{cost.runs:,}",
                told(cost.core_s),
                told(cost.core_s / self.workers),
                scales[cost.scale].description,
            )
            for cost in self.costs
        ]

    def _first_command(self) -> str:
        shortest = min(self.costs, key=lambda cost: cost.core_s)
        if self._is_part(shortest):
            return self.command
        return f"aqmlab reproduce {self.parts.study.experiment.name} --scale {shortest.scale}"

    def _is_part(self, cost: Cost) -> bool:
        """Whether these are runs of a scale with other cells, loads or seeds than it has by itself."""
        scale = self.parts.study.scale
        return cost.scale == scale.name and scale != self.parts.study.experiment.scales[cost.scale]


def _statements(outcome: Outcome) -> str:
    return f"{outcome.fraction} hold" if outcome.fraction else "none judged"


def _files_in(folder: Traversable, below: str) -> Iterator[tuple[str, bytes]]:
    """The files of a study's folder, without what was tried on the way."""
    for each in sorted(folder.iterdir(), key=lambda one: one.name):
        if each.name in _NOT_OF_THE_STUDY:
            continue
        if each.is_dir():
            yield from _files_in(each, f"{below}/{each.name}")
        else:
            yield f"{below}/{each.name}", each.read_bytes()
