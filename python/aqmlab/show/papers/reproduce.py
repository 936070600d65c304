"""A paper's experiment, run and set beside what was published.

`reproduce("le2003")` reads the experiment's folder, finds the users of each load, runs every cell with every
seed, and writes each table beside the published one, the claims with verdicts, the figures, and a report.
With other hosts it reproduces nothing: it checks the paper's statements with these and with the study's own.
"""

from __future__ import annotations

import html
import io
from dataclasses import asdict, dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group

from aqmlab import arguments, shown
from aqmlab.errors import ExperimentError
from aqmlab.files.archive import require_place
from aqmlab.papers import experiments, scorecard, today
from aqmlab.papers.claims import decided_without_runs, evaluate
from aqmlab.papers.cost import costs_table
from aqmlab.papers.reproduction import choose, costs_of, planned, run_study, with_hosts
from aqmlab.papers.tables import claims
from aqmlab.runs import Execution
from aqmlab.runs.budget import workers_of
from aqmlab.runs.executors import chosen_executor
from aqmlab.seeds import Seeds, given_seeds
from aqmlab.show.tables.render import to_notebook, to_terminal
from aqmlab.statistics.catalogue import shown_of_all
from aqmlab.statistics.tidy import Tidy, tidy_table_of
from aqmlab.terminal.console import console

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from aqmlab.papers.reproduction import Choice
    from aqmlab.papers.study import Study
    from aqmlab.runs.executors import Executor
    from aqmlab.show.papers.report import Parts
    from aqmlab.tables.model import Table

COLUMNS = 122
"""A table beside the published one needs so many columns; a narrower terminal wraps its lines."""


@dataclass(frozen=True, repr=False)
class Reproduction(Tidy):
    """A finished reproduction.

    Printed, it shows the paper's tables beside ours and the verdict on every claim; with other hosts only the
    statements, with these and the study's own.

    Attributes:
        parts: Results, tables, claims and figures.
        files: What was written, by what it is.
    """

    parts: Parts
    files: Mapping[str, Path]

    @property
    def study(self) -> Study:
        """The results, by cell."""
        return self.parts.study

    def to_arrow(self) -> pa.Table:
        """One row for each cell with its load, seed and quantity that `compare` shows of any.

        Returns:
            The columns of `aqmlab.frame`; `configuration` is such as `pi-24 at 90 %`.
        """
        by_name = {f"{cell} at {load:g} %": list(runs) for (cell, load), runs in self.study.cells.items()}
        return tidy_table_of(by_name, shown_of_all([run for runs in by_name.values() for run in runs]))

    def __rich__(self) -> Group:
        tables = (to_terminal(table, title=title) for title, table in self._tables())
        return Group(self._heading, *tables)

    def __str__(self) -> str:
        screen = Console(file=io.StringIO(), width=COLUMNS, color_system=None, force_terminal=False)
        with screen.capture() as captured:
            screen.print(self)
        return captured.get().rstrip()

    def _repr_html_(self) -> str:
        """What notebooks show: the tables that are printed."""
        titled = [replace(table, title=title or table.title) for title, table in self._tables()]
        return f"<p>{html.escape(self._heading)}</p>\n{to_notebook(titled)}"

    def __repr__(self) -> str:
        return f"Reproduction({self.study.experiment.name!r}, scale {self.study.scale.name!r})"

    @property
    def _heading(self) -> str:
        if self.parts.hosts is None:
            return scorecard.reproduced(self.parts.scored)
        return f"{self.study.experiment.name} with {self.parts.hosts.profile} hosts {self._where}"

    @property
    def _where(self) -> str:
        return f"(scale {self.study.scale.name})"

    def _tables(self) -> Iterator[tuple[str | None, Table]]:
        if self.parts.hosts is not None:
            yield None, today.printed(self.parts.hosts.statements, self.parts.hosts.profile)
            return
        for filled in self.parts.filled:
            yield f"{self.study.experiment.name}, {filled.heading} {self._where}", filled.table
        yield None, claims.printed(self.parts.outcomes)


@shown.facts.register(Reproduction)
def _facts(found: Reproduction) -> dict[str, Any]:
    return {
        "experiment": found.study.experiment.name,
        "scale": found.study.scale.name,
        "hosts": None if found.parts.hosts is None else found.parts.hosts.profile,
        "scored": [
            {key: each.value if isinstance(each, Enum) else each for key, each in asdict(scored).items()}
            for scored in found.parts.scored
        ],
        "files": {name: str(file) for name, file in found.files.items()},
    }


@arguments.checked(
    ExperimentError,
    experiment=arguments.text,
    scale=arguments.text,
    cells=arguments.optional(arguments.texts("['pi-24', 'rem-24']")),
    loads=arguments.optional(arguments.whole_numbers(0)),
    replications=arguments.optional(arguments.whole(1)),
    seeds=arguments.optional(given_seeds),
    hosts=arguments.optional(arguments.text),
    output=arguments.optional(arguments.folder),
    artifact=arguments.optional(arguments.path),
    store=arguments.optional(arguments.folder),
)
def reproduce(
    experiment: str,
    *,
    scale: str = "quick",
    cells: Sequence[str] | None = None,
    loads: Iterable[int] | None = None,
    replications: int | None = None,
    seeds: Iterable[int] | str | None = None,
    hosts: str | None = None,
    output: str | Path | None = None,
    artifact: str | Path | None = None,
    store: str | Path | None = None,
    workers: int | None = None,
    executor: Executor | str = "threads",
    progress: bool = False,
) -> Reproduction:
    """Repeats a paper's experiments, sets what is found beside what was published, and writes a report.

    Args:
        experiment: Its name, such as `le2003`; `aqmlab list` prints them.
        scale: Length and number of runs: quick takes minutes, standard runs all cells, full is as in the
            paper; --costs lists the scales of an experiment.
        cells: Only these cells or groups of cells, such as pi-24,rem-24 or paper,ablation.
        loads: Only these loads, in percent.
        replications: Number of seeds per cell.
        seeds: Seeds for each cell, such as 3 or 4-6: to add runs, or to split them over machines.
        hosts: Host profile, such as linux6-cubic: runs the cells with it and with the study's own hosts,
            queues of today beside the paper's, and compares each statement of the paper (today.csv). There is
            no scorecard then.
        output: Folder for the runs and the report (with several experiments, one subfolder each). By default
            results/EXPERIMENT-SCALE.
        artifact: Also write a folder, or a .zip, for an artifact evaluation: requirements, commands, times,
            claims, the study's data, and what should come out.
        store: A folder for finished runs by content; by default `runs` in the output folder.
        workers: Number of parallel runs; by default one per core.
        executor: Where runs are computed: `threads`, `local` (processes), `dask` or `dask://HOST:PORT`.
        progress: Whether to print what each scale costs first, and to show progress bars.

    Returns:
        The paper's tables with ours beside them, the verdict on each claim, and the files that were written.

    Raises:
        ExperimentError: The experiment, scale, cell or load does not exist; an argument is of another kind.
        RunError: A run failed; finished runs are kept.
    """
    from aqmlab.show.papers.pages import Artifact  # noqa: PLC0415 (matplotlib is slow to import)
    from aqmlab.show.papers.report import parts_of, write_report  # noqa: PLC0415

    own = experiments.load(experiment)
    choice: Choice = {
        "scale": scale,
        "cells": None if cells is None else list(cells),
        "loads": None if loads is None else list(loads),
        "replications": replications,
        "seeds": None if seeds is None else Seeds.of(seeds),
    }
    chosen = choose(with_hosts(own, hosts), **choice)
    plans = planned(own, chosen, hosts)
    engine = chosen_executor(executor, workers)
    folder = Path(output or folder_of(experiment, scale, hosts))
    place = None if artifact is None else _artifact_place(Path(artifact), hosts)
    costs = [] if place is None and not progress else [*costs_of(own, chosen, hosts).values()]
    if progress:
        table = costs_table(
            costs,
            study=experiment,
            chosen=scale,
            workers=workers_of(engine),
            hosts=hosts,
        )
        console(stderr=True).print(to_terminal(table))
    execution = Execution(engine, store=Path(store or folder / "runs"), progress=progress)
    study, *before = [run_study(each, at, execution) for each, at in plans]
    parts = parts_of(study)
    if hosts is not None:
        asked = today.asked(evaluate(before[0]), parts.outcomes, decided_without_runs(study))
        parts = replace(parts, hosts=today.OtherHosts(hosts, asked))
    files = write_report(parts, folder)
    if place is not None:
        words = _typed(experiment, choice)
        Artifact(parts, files, costs, workers_of(engine), words).write(place)
        files = {**files, "artifact": place}
    return Reproduction(parts, files)


def _artifact_place(place: Path, hosts: str | None) -> Path:
    if hosts is not None:
        raise ExperimentError("artifact: with other hosts nothing is reproduced; legal: without hosts")
    require_place(place)
    return place


def _typed(experiment: str, choice: Choice) -> str:
    words = [f"aqmlab reproduce {experiment}"]
    for name, part in choice.items():
        if part is not None:
            said = ",".join(map(str, part)) if isinstance(part, list) else str(part)
            words.append(f"--{name} {said}")
    return " ".join(words)


def folder_of(experiment: str, scale: str, hosts: str | None) -> Path:
    """Where a reproduction goes that has no other place."""
    return Path("results") / "-".join(filter(None, (experiment, scale, hosts)))
