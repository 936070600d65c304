"""A paper's experiment, run and set beside what was published.

`reproduce("le2003")` reads the experiment's folder, finds the users of each load, runs every cell with every
seed, and writes each table beside the published one, the claims with verdicts, the figures, and a report.
With other hosts it reproduces nothing: it checks the paper's statements with these and with the study's own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group

from aqmlab.papers import experiments, scorecard, today
from aqmlab.papers.claims import decided_without_runs, evaluate
from aqmlab.papers.reproduction import choose, costs_of, planned, run_study, with_hosts, workers_of
from aqmlab.papers.tables import claims
from aqmlab.papers.tables import costs as costs_table
from aqmlab.runs import Execution
from aqmlab.runs.executors import Threads
from aqmlab.show.papers.report import parts_of, write_report
from aqmlab.show.tables.render import to_terminal
from aqmlab.terminal.console import console

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.papers.study import Study
    from aqmlab.runs.executors import Executor
    from aqmlab.show.papers.report import Parts


@dataclass(frozen=True)
class Reproduction:
    """A finished reproduction.

    Printed with `rich`, it shows the paper's tables with ours beside them and the verdict on every claim;
    with other hosts only the statements, as found with these and with the study's own.

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

    def __rich__(self) -> Group:
        where = f"(scale {self.study.scale.name})"
        name = self.study.experiment.name
        if self.parts.hosts is not None:
            profile = self.parts.hosts.profile
            statements = today.printed(self.parts.hosts.statements, profile)
            return Group(f"{name} with {profile} hosts {where}", to_terminal(statements))
        return Group(
            scorecard.reproduced(self.parts.scored),
            *(
                to_terminal(filled.table, title=f"{name}, {filled.heading} {where}")
                for filled in self.parts.filled
            ),
            to_terminal(claims.printed(self.parts.outcomes)),
        )


def reproduce(
    name: str,
    *,
    scale: str = "quick",
    cells: Sequence[str] | None = None,
    loads: Sequence[float] | None = None,
    replications: int | None = None,
    seeds: Sequence[int] | None = None,
    hosts: str | None = None,
    executor: Executor | None = None,
    output: str | Path = "report",
    store: str | Path | None = None,
    progress: bool = True,
) -> Reproduction:
    """Runs an experiment and writes its report.

    Args:
        name: The experiment, such as "le2003"; `aqmlab list` knows them all.
        scale: How much of it: "quick", "standard" or "full".
        cells: Configurations to run instead of the scale's, or groups of them.
        loads: Nominal loads in per cent to run instead of the scale's.
        replications: Seeds to run instead of the scale's number; from six on there are intervals and bands.
        seeds: The seeds to run instead, such as those that another machine has not run.
        hosts: A host profile in the place of the study's, such as "linux6-cubic": each statement is checked
            with both (`today.csv`), and the study's queues of today run beside the paper's. It is no
            reproduction: no number is compared with the paper's, and no scorecard is written.
        executor: What makes the runs; by default threads of this process, one for each core.
        output: The folder for tables, figures and the report.
        store: The folder that keeps finished runs; by default `runs` in the output folder.
        progress: Whether to say first what each scale costs, and to show progress bars.

    Raises:
        ExperimentError: The experiment, scale, cell or load does not exist.
    """
    own = experiments.load(name)
    experiment = with_hosts(own, hosts)
    chosen = choose(experiment, scale=scale, cells=cells, loads=loads, replications=replications, seeds=seeds)
    plans = planned(own, chosen, hosts)
    engine = executor or Threads()
    if progress:
        table = costs_table.table_of(
            [*costs_of(own, chosen, hosts).values()],
            study=name,
            chosen=scale,
            workers=workers_of(engine),
            hosts=hosts,
        )
        console(stderr=True).print(to_terminal(table))
    execution = Execution(engine, store=Path(store or Path(output) / "runs"), progress=progress)
    study, *before = [run_study(each, at, execution) for each, at in plans]
    parts = parts_of(study)
    if hosts is not None:
        asked = today.asked(evaluate(before[0]), parts.outcomes, decided_without_runs(study))
        parts = replace(parts, hosts=today.OtherHosts(hosts, asked))
    return Reproduction(parts, write_report(parts, Path(output)))
