"""A scheme through every scenario of RFC 7928, or a controller through those of RFC 9743, beside others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from aqmlab import _core, arguments
from aqmlab.classes.files import module_in
from aqmlab.controllers.loading import is_controller_in_file
from aqmlab.errors import RefusalError
from aqmlab.files.folders import require_writable
from aqmlab.files.own_names import require_object
from aqmlab.load.controllers import controller_sources, require_acts_alone, require_one_edition
from aqmlab.load.parametrized_scheme import ParametrizedScheme, warn_of_remarks
from aqmlab.runs import Job, run_each
from aqmlab.runs.budget import affordable
from aqmlab.runs.executors import chosen_executor
from aqmlab.seeds import Seeds, given_seeds
from aqmlab.statistics.observation import Observation
from aqmlab.study.evaluation.controllers import CONTROLLERS
from aqmlab.study.evaluation.evaluation import ALONE, Evaluation, Figure, NotRun, Trial
from aqmlab.study.evaluation.harm import harms
from aqmlab.study.evaluation.metrics import figures_table
from aqmlab.study.evaluation.schemes import SCHEMES
from aqmlab.tables.stored import require_form, save
from aqmlab.terminal.spelling import closest, nearest, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aqmlab.runs.executors import Executor
    from aqmlab.study.evaluation.guideline import Guideline, Method

SEEDS = "1-6"
"""As many as an interval needs."""
_KINDS = {"scheme": "queue discipline", "controller": "congestion controller"}


@arguments.checked(
    RefusalError,
    what=arguments.text,
    schemes=arguments.optional(arguments.schemes),
    controllers=arguments.optional(arguments.texts("['cubic', 'reno']")),
    only=arguments.texts("['8.2.4']"),
    seeds=given_seeds,
    output=arguments.optional(arguments.table_file),
    report=arguments.optional(arguments.path),
)
def evaluate(
    what: str,
    *,
    schemes: Sequence[str] | None = None,
    controllers: Sequence[str] | None = None,
    only: Sequence[str] = (),
    seeds: Iterable[int] | str = SEEDS,
    within_s: float | None = None,
    output: str | Path | None = None,
    report: str | Path | None = None,
    workers: int | None = None,
    executor: Executor | str = "threads",
    progress: bool = False,
) -> Evaluation:
    """Runs a scheme through the scenarios of RFC 7928, or a congestion controller through those of RFC 9743.

    Args:
        what: A queue discipline, perhaps with parameters: `codel:target_ms=20`, `my_red.py:MyRed`; or
            as Linux spells it, `codel target 20ms`. Or a congestion controller, perhaps with keys of its
            hosts: `bbr-linux-v3`, `cubic:pacing=true`; or one in a file, `my_aimd.py:Aimd:left_share=0.7`.
        schemes: Schemes beside a scheme; by default pie, codel and drop-tail.
        controllers: Controllers beside a controller; by default cubic and reno, whose harm to themselves is
            the threshold.
        only: Sections of the RFC, such as 8.2.4; 8.2 means all below it. By default all.
        seeds: Random seeds to run (at least 6 for 95 % intervals).
        within_s: Time to do it in, by an estimate for this machine: fewer seeds are run if all do not fit,
            with a warning.
        output: Also write every metric: section, scenario, case, scheme or controller, metric, unit, value,
            at_least, at_most, low, high, seeds.
        report: Also write a page with the summary and every metric; of a scheme with delay and goodput as
            ellipses.
        workers: Number of parallel runs; by default one per core.
        executor: Where runs are computed: `threads`, `local` (processes), `dask` or `dask://HOST:PORT`.
        progress: Whether to show a progress bar.

    Raises:
        RefusalError: Nothing is called so, a section is unknown, or an argument is of another kind.
        FolderError: A file cannot be written; nothing was run.
        ScenarioError: A scheme or controller is refused.
        RunError: A run failed.
    """
    if output is not None:
        require_form(Path(output))
    if report is not None:
        require_writable(Path(report))
    _require_runs(what)
    method = method_of(what)
    given = {"scheme": schemes, "controller": controllers}
    _require_one_kind(method, what, given)
    asked = given[method.kind]
    beside = method.beside if asked is None else asked
    if method is SCHEMES:
        warn_of_remarks((what, *beside))
    found = evaluated(
        method,
        (what, *(each for each in dict.fromkeys(beside) if each != what)),
        method.chosen(only),
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


def method_of(what: str) -> Method:
    """By which guideline something is evaluated: as a queue discipline or as a congestion controller."""
    schemes, controllers = _core.scheme_names(), [*controller_sources()]
    if what.partition(":")[0].strip() in controllers:
        return CONTROLLERS
    name = ParametrizedScheme.of(what).name
    if is_controller_in_file(name):
        return CONTROLLERS
    if name in schemes or ":" in name:  # one in a file
        return SCHEMES
    require_one_edition("what", name)
    legal = f"queue disciplines ({', '.join(schemes)}) and congestion controllers ({', '.join(controllers)})"
    known = [*schemes, *controllers]
    raise RefusalError(
        f"nothing to evaluate is called {quoted(name)}; legal: {legal}{nearest(name, known)}",
        place="what",
        value=name,
        legal=legal,
        nearest=closest(name, known),
    )


def _require_runs(what: str) -> None:
    """Refuses a file that cannot be read or run, and the controller that has no rule of its own."""
    require_acts_alone("what", what)
    require_object(what)
    file, python, _ = what.partition(".py:")
    module = module_in(".", f"{file}.py") if python else None
    if isinstance(module, str):
        raise RefusalError(f"nothing to evaluate: {module}", place="what", value=what)


def _require_one_kind(method: Method, what: str, given: Mapping[str, Sequence[str] | None]) -> None:
    """Refuses schemes beside a controller, and controllers beside a scheme."""
    for kind, named in given.items():
        if named is not None and kind != method.kind:
            legal = f"{method.kind}s"
            raise RefusalError(
                f"{kind}s: {what} is a {_KINDS[method.kind]}, beside which {legal} stand; legal: {legal}",
                place=f"{kind}s",
                value=named,
                legal=legal,
            )


def evaluated(
    method: Method,
    subjects: Sequence[str],
    guidelines: Sequence[Guideline],
    numbers: Seeds,
    executor: Executor,
    *,
    within_s: float | None,
    progress: bool,
) -> Evaluation:
    """Runs every trial."""
    method.require_legal(subjects)
    planned = _planned(method, subjects, guidelines)
    trials = [each for each in planned if isinstance(each, Trial)]
    not_run = tuple(each for each in planned if isinstance(each, NotRun))
    numbers = Seeds(affordable([each.scenario for each in trials], numbers, within_s, executor).seeds)
    jobs = [Job(trial.scenario, seed) for trial in trials for seed in numbers]
    found = [[[Observation.nothing()] * len(numbers) for _ in trial.metrics] for trial in trials]
    # A result is read when it is there and let go: all of them would fill the memory.
    for position, result in run_each(jobs, executor=executor, progress=progress, label=method.document):
        trial, seed = divmod(position, len(numbers))
        for metric, row in zip(trials[trial].metrics, found[trial], strict=True):
            row[seed] = metric.observe(result)
    figures = [
        Figure(trial, metric, tuple(observed))
        for trial, rows in zip(trials, found, strict=True)
        for metric, observed in zip(trial.metrics, rows, strict=True)
    ]
    subject, *beside = subjects
    return Evaluation(method, subject, tuple(beside), numbers, (*figures, *harms(figures)), not_run)


def _planned(
    method: Method, subjects: Sequence[str], guidelines: Sequence[Guideline]
) -> list[Trial | NotRun]:
    """Every trial of every section, subject by subject; what others have alone once for each case."""
    evaluated = subjects[0]
    found: list[Trial | NotRun] = []
    alone: set[tuple[str, str]] = set()
    for guideline in guidelines:
        if guideline.not_run:
            found.append(NotRun(guideline.section, guideline.name, "", guideline.not_run))
        for subject in subjects:
            cases = [case for case in guideline.cases if case.beside or subject == evaluated]
            for each in (each for case in cases for each in method.trials(guideline, case, subject)):
                if isinstance(each, Trial) and each.subject == ALONE:
                    if each.place in alone:
                        continue
                    alone.add(each.place)
                found.append(each)
    return found
