"""A scheme through every scenario of RFC 7928, beside others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from aqmlab import arguments
from aqmlab.errors import RefusalError, ScenarioError
from aqmlab.files.folders import require_writable
from aqmlab.load.parametrized_scheme import warn_of_remarks
from aqmlab.load.queues import Queues
from aqmlab.runs import Job, run_each
from aqmlab.runs.budget import affordable
from aqmlab.runs.executors import chosen_executor
from aqmlab.scenario import Scenario
from aqmlab.seeds import Seeds, given_seeds
from aqmlab.statistics.observation import Observation
from aqmlab.study.evaluation.evaluation import Evaluation, Figure, NotRun, Trial
from aqmlab.study.evaluation.guidelines import chosen
from aqmlab.study.evaluation.metrics import metrics_of
from aqmlab.study.evaluation.network import DATA, scenario, tcp
from aqmlab.study.evaluation.table import figures_table
from aqmlab.study.evaluation.variations import NotApplicableError
from aqmlab.tables.stored import require_form, save

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aqmlab.runs.executors import Executor
    from aqmlab.study.evaluation.guideline import Case, Guideline

BESIDE = ("pie", "codel", "drop-tail")
"""The schemes beside the evaluated one."""
SEEDS = "1-6"
"""As many as an interval needs."""


@arguments.checked(
    RefusalError,
    scheme=arguments.text,
    schemes=arguments.schemes,
    only=arguments.texts("['8.2.4']"),
    seeds=given_seeds,
    within_s=arguments.optional(arguments.seconds),
    output=arguments.optional(arguments.table_file),
    report=arguments.optional(arguments.path),
    progress=arguments.flag,
)
def evaluate(
    scheme: str,
    *,
    schemes: Sequence[str] = BESIDE,
    only: Sequence[str] = (),
    seeds: Iterable[int] | str = SEEDS,
    within_s: float | None = None,
    output: str | Path | None = None,
    report: str | Path | None = None,
    workers: int | None = None,
    executor: Executor | str = "threads",
    progress: bool = False,
) -> Evaluation:
    """Runs a scheme, and others beside it, through the scenarios of RFC 7928.

    Args:
        scheme: A queue discipline, perhaps with parameters: `codel:target_ms=20`, `my_red.py:MyRed`; or
            as Linux spells it, `codel target 20ms`.
        schemes: Schemes beside it, in the same scenarios.
        only: Sections of RFC 7928, such as 8.2.4; 8.2 means all below it. By default all.
        seeds: Random seeds to run (at least 6 for 95 % intervals).
        within_s: Time to do it in, by an estimate for this machine: fewer seeds are run where there is no
            room for all; a warning says so.
        output: Also write every metric: section, scenario, case, scheme, metric, unit, value, at_least,
            at_most, low, high, seeds.
        report: Also write a page with the summary, delay and goodput as ellipses, and every metric.
        workers: Number of parallel runs; by default one per core.
        executor: Where runs are computed: `threads`, `local` (processes), `dask` or `dask://HOST:PORT`.
        progress: Whether to show a progress bar.

    Raises:
        RefusalError: A section is unknown, or an argument is of another kind.
        FolderError: A file cannot be written; nothing was run.
        ScenarioError: A scheme is refused.
        RunError: A run failed.
    """
    if output is not None:
        require_form(Path(output))
    if report is not None:
        require_writable(Path(report))
    warn_of_remarks((scheme, *schemes))
    found = _evaluated(
        scheme,
        schemes,
        chosen(only),
        Seeds.of(seeds),
        chosen_executor(executor, workers),
        within_s=within_s,
        progress=progress,
    )
    if output is not None:
        save(figures_table(found), Path(output))
    if report is not None:
        found.report(report)
    return found


def _evaluated(
    scheme: str,
    schemes: Sequence[str],
    guidelines: Sequence[Guideline],
    numbers: Seeds,
    executor: Executor,
    *,
    within_s: float | None,
    progress: bool,
) -> Evaluation:
    """Runs every trial."""
    others = tuple(each for each in dict.fromkeys(schemes) if each != scheme)
    _require_legal((scheme, *others))
    planned = [
        planned
        for guideline in guidelines
        for each in (scheme, *others)
        for planned in _of_guideline(guideline, each, is_evaluated=each == scheme)
    ]
    trials = [each for each in planned if isinstance(each, Trial)]
    not_run = tuple(each for each in planned if isinstance(each, NotRun))
    numbers = Seeds(affordable([each.scenario for each in trials], numbers, within_s, executor).seeds)
    jobs = [Job(trial.scenario, seed) for trial in trials for seed in numbers]
    metrics = [metrics_of(trial.case) for trial in trials]
    found = [[[Observation.nothing()] * len(numbers) for _ in each] for each in metrics]
    # A result is read when it is there and let go: all of them would fill the memory.
    for position, result in run_each(jobs, executor=executor, progress=progress, label="RFC 7928"):
        trial, seed = divmod(position, len(numbers))
        for metric, row in zip(metrics[trial], found[trial], strict=True):
            row[seed] = metric.observe(result)
    figures = [
        Figure(trial, metric, tuple(observed))
        for trial, own, rows in zip(trials, metrics, found, strict=True)
        for metric, observed in zip(own, rows, strict=True)
    ]
    return Evaluation(scheme, others, numbers, tuple(figures), not_run)


def _require_legal(schemes: Sequence[str]) -> None:
    """Refuses a scheme before anything is run.

    Raises:
        ScenarioError: There is none of this name, or a parameter is refused.
    """
    plain = Scenario.of(scenario(tcp("bulk")))
    for scheme in schemes:
        Queues.of(plain, (DATA,)).with_scheme(plain, scheme)


def _of_guideline(guideline: Guideline, scheme: str, *, is_evaluated: bool) -> Iterator[Trial | NotRun]:
    if guideline.not_run and is_evaluated:
        yield NotRun(guideline.section, guideline.name, "", guideline.not_run)
    for case in guideline.cases:
        if is_evaluated or case.beside:
            yield from _of_case(guideline, case, scheme)


def _of_case(guideline: Guideline, case: Case, scheme: str) -> Iterator[Trial | NotRun]:
    title = f"{guideline.name}, {case.name}" if case.name else guideline.name

    def refused(title: str, reason: Exception) -> NotRun:
        return NotRun(guideline.section, title, scheme, str(reason))

    own = Scenario.of(dict(case.document))
    queues = Queues.of(own, case.placed or case.links)
    try:
        variations = case.variation(scheme, queues.with_scheme(own, scheme), queues)
    except (NotApplicableError, ScenarioError) as error:
        yield refused(title, error)
        return
    for change, varied in variations.items():
        name, own_title = (change, change) if change else (case.name, title)
        try:
            yield Trial(guideline, case, name, own_title, scheme, queues.with_scheme(own, varied))
        except ScenarioError as error:
            yield refused(own_title, error)
