"""A reproduction as an artifact: what an evaluation for ACM's badges asks for, in one folder or archive.

The badges are those of ACM's policy "Artifact Review and Badging", version 1.1 (2020): available, evaluated
(functional, reusable) and results (reproduced, replicated).
"""

from __future__ import annotations

import platform
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aqmlab.files.archive import checksums_of, digest, write_files
from aqmlab.papers.cost import told
from aqmlab.papers.tables import claims
from aqmlab.show.papers.markdown import render
from aqmlab.show.words import citation
from aqmlab.tables.stored import to_csv
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from importlib.resources.abc import Traversable
    from pathlib import Path

    from aqmlab.files.archive import Content
    from aqmlab.papers.claims import Outcome
    from aqmlab.papers.cost import Cost
    from aqmlab.show.papers.report import Parts

EXPECTED, STUDY, CLAIMS, SAME = "expected", "study", "claims.csv", "expected.sha256"
_NOT_OF_THE_STUDY = {"__pycache__", "notes"}


@dataclass(frozen=True)
class Artifact:
    """What an artifact is made of.

    Attributes:
        parts: What the study found.
        files: What was written of it, by what it is.
        costs: What each scale takes on the machine that made it.
        workers: How many runs it makes at a time.
        command: The command that made it.
    """

    parts: Parts
    files: Mapping[str, Path]
    costs: Sequence[Cost]
    workers: int
    command: str

    def write(self, place: Path) -> Path:
        """Writes it: a path that ends in .zip, which is replaced, or a new folder."""
        expected = dict(self._expected())
        experiment = self.parts.study.experiment
        # Pictures of Matplotlib have its version in them; tables are the same bytes everywhere.
        same = {path: content for path, content in expected.items() if path.endswith(".csv")}
        files: dict[str, Content] = {
            "README.md": self._page(),
            CLAIMS: to_csv(claims.table_of(self.parts.outcomes)),
            SAME: checksums_of((path, digest(content)) for path, content in same.items()),
            citation.FILE: citation.bibtex(self._version, note=f"repeats: {experiment.paper}"),
            **{f"{EXPECTED}/{path}": content for path, content in expected.items()},
            **dict(_files_in(experiment.folder, STUDY)),
        }
        return write_files(files, place, f"{experiment.name}-{self.parts.study.scale.name}")

    def _expected(self) -> Iterator[tuple[str, Content]]:
        """What the command writes, by its place in the folder that the command writes to."""
        for file in self.files.values():
            for each in sorted(file.iterdir()) if file.is_dir() else [file]:
                yield (f"{file.name}/{each.name}" if file.is_dir() else each.name), each

    @property
    def _version(self) -> str:
        runs = (result.run for results in self.parts.study.cells.values() for result in results)
        return ", ".join(sorted({str(run["aqmlab_version"]) for run in runs}))

    def _page(self) -> str:
        study = self.parts.study
        verdicts = Counter(str(outcome.verdict) for outcome in self.parts.outcomes)
        return render(
            "artifact.md",
            study=study.experiment,
            scale=study.scale.name,
            version=self._version,
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
        """The command that takes the least time."""
        shortest = min(self.costs, key=lambda cost: cost.core_s)
        if self._is_part(shortest):
            return self.command
        return f"aqmlab reproduce {self.parts.study.experiment.name} --scale {shortest.scale}"

    def _is_part(self, cost: Cost) -> bool:
        """Whether these are runs of a scale with other cells, loads or seeds than it has by itself."""
        scale = self.parts.study.scale
        return cost.scale == scale.name and scale != self.parts.study.experiment.scales[cost.scale]


def _statements(outcome: Outcome) -> str:
    """How many of the statements that were judged hold."""
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
