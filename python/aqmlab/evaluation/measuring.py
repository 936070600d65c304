"""A scheme through every scenario of RFC 7928, beside others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.errors import RefusalError, ScenarioError
from aqmlab.evaluation.ellipse import Ellipse
from aqmlab.evaluation.guidelines import chosen
from aqmlab.evaluation.metrics import DELAY, GOODPUT, Metric, metrics_of, value_of
from aqmlab.evaluation.network import DATA, scenario, tcp
from aqmlab.evaluation.variations import NotApplicableError
from aqmlab.load.queues import Queues
from aqmlab.runs import Job, run_each
from aqmlab.scenario import Scenario
from aqmlab.statistics import mean_interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aqmlab.evaluation.guideline import Case, Guideline
    from aqmlab.runs.executors import Executor
    from aqmlab.statistics import Interval, NotEnoughReplications

BESIDE = ("pie", "codel", "drop-tail")
"""The schemes beside the evaluated one."""
SEEDS = range(1, 7)
"""As many as an interval needs."""


@dataclass(frozen=True)
class Trial:
    """A case under a scheme.

    Attributes:
        guideline: The section that asks for it.
        case: The case.
        name: What tells it from the section's others: the case's, or the changed parameter.
        title: Of the section and the case, for tables.
        scheme: The scheme as it was asked for.
        scenario: What is run.
    """

    guideline: Guideline
    case: Case
    name: str
    title: str
    scheme: str
    scenario: Scenario


@dataclass(frozen=True)
class NotRun:
    """What was not run, and why.

    Attributes:
        section: Of RFC 7928.
        name: Of the section and the case.
        scheme: With which scheme; empty if with none.
        reason: Why.
    """

    section: str
    name: str
    scheme: str
    reason: str


@dataclass(frozen=True)
class Figure:
    """A metric of a trial.

    Attributes:
        trial: The trial.
        metric: The metric.
        values: Its value for each seed; not a number where a run has none.
    """

    trial: Trial
    metric: Metric
    values: tuple[float, ...]

    @property
    def interval(self) -> Interval | NotEnoughReplications:
        """The mean over the seeds with its 95 % interval."""
        return mean_interval(self.values)


@dataclass(frozen=True)
class Evaluation:
    """A scheme through the guidelines.

    Attributes:
        scheme: The scheme.
        beside: Those beside it.
        seeds: Of the runs of each trial.
        figures: Every metric of every trial.
        not_run: What was not run.
    """

    scheme: str
    beside: tuple[str, ...]
    seeds: tuple[int, ...]
    figures: tuple[Figure, ...]
    not_run: tuple[NotRun, ...]

    @property
    def schemes(self) -> tuple[str, ...]:
        """The evaluated scheme, and those beside it."""
        return (self.scheme, *self.beside)

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """All trials, in the order of the sections."""
        return tuple({id(figure.trial): figure.trial for figure in self.figures}.values())

    def figure(self, section: str, name: str, scheme: str, metric: str) -> Figure | None:
        """A metric of a section's case under a scheme; none where it was not run."""
        return self._by_name.get((section, name, scheme, metric))

    def ellipse(self, section: str, name: str, scheme: str) -> Ellipse | None:
        """The delay-goodput ellipse of a case under a scheme; none of fewer than three runs."""
        delay, goodput = (self.figure(section, name, scheme, metric) for metric in (DELAY, GOODPUT))
        return None if delay is None or goodput is None else Ellipse.of(delay.values, goodput.values)

    @cached_property
    def _by_name(self) -> dict[tuple[str, str, str, str], Figure]:
        return {
            (each.trial.guideline.section, each.trial.name, each.trial.scheme, each.metric.name): each
            for each in self.figures
        }


def evaluate(
    scheme: str,
    *,
    beside: Sequence[str] = BESIDE,
    sections: Sequence[str] = (),
    seeds: Iterable[int] = SEEDS,
    executor: Executor | str = "threads",
    progress: bool = False,
) -> Evaluation:
    """Runs a scheme, and others beside it, through the scenarios of RFC 7928.

    Args:
        scheme: A queue discipline, perhaps with parameters: `codel:target_ms=20`, `my_red.py:MyRed`.
        beside: Those that it is shown beside.
        sections: Which sections, such as `8.2.4`, or `8.2` with all below; by default all.
        seeds: Seeds of the runs; intervals need six.
        executor: Where runs are computed: as of `aqmlab.run_many`.
        progress: Whether to show a progress bar.

    Raises:
        RefusalError: A section is unknown, or no seed is given.
        ScenarioError: A scheme is refused.
        RunError: A run failed.
    """
    guidelines, numbers = chosen(sections), tuple(seeds)
    if not numbers:
        raise RefusalError("seeds: one or more", place="seeds", legal="one or more")
    others = tuple(each for each in dict.fromkeys(beside) if each != scheme)
    _require_legal((scheme, *others))
    planned = [
        planned
        for guideline in guidelines
        for each in (scheme, *others)
        for planned in _of_guideline(guideline, each, is_evaluated=each == scheme)
    ]
    trials = [each for each in planned if isinstance(each, Trial)]
    not_run = tuple(each for each in planned if isinstance(each, NotRun))
    jobs = [Job(trial.scenario, seed) for trial in trials for seed in numbers]
    metrics = [metrics_of(trial.case) for trial in trials]
    found = [np.full((len(each), len(numbers)), np.nan) for each in metrics]
    # A result is read when it is there and let go: all of them would fill the memory.
    for position, result in run_each(jobs, executor=executor, progress=progress, label="RFC 7928"):
        trial, seed = divmod(position, len(numbers))
        found[trial][:, seed] = [value_of(metric, result) for metric in metrics[trial]]
    figures = [
        Figure(trial, metric, tuple(map(float, values)))
        for trial, own, rows in zip(trials, metrics, found, strict=True)
        for metric, values in zip(own, rows, strict=True)
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
