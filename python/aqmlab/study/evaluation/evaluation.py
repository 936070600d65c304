"""What an evaluation by RFC 7928 found: every metric of every scenario and scheme, and what was not run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from aqmlab import shown
from aqmlab.files.folders import write_whole
from aqmlab.inference import mean_interval
from aqmlab.statistics.observation import Observation, mean_of
from aqmlab.statistics.tidy import Tidy, tidy_rows
from aqmlab.study.evaluation.ellipse import Ellipse
from aqmlab.study.evaluation.metrics import DELAY, GOODPUT
from aqmlab.study.evaluation.table import figures_table
from aqmlab.tables.stored import to_arrow

if TYPE_CHECKING:
    import pyarrow as pa

    from aqmlab.inference import Interval, NotEnoughReplications
    from aqmlab.scenario import Scenario
    from aqmlab.study.evaluation.guideline import Case, Guideline
    from aqmlab.study.evaluation.metrics import Metric


_KIND = "scenarios"


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
        observed: What the run of each seed says of it: its value, a bound, or nothing.
    """

    trial: Trial
    metric: Metric
    observed: tuple[Observation, ...]

    @property
    def values(self) -> tuple[float, ...]:
        """Its value for each seed; infinite where it has no upper end, not a number where a run has none."""
        return tuple(each.plain for each in self.observed)

    @property
    def mean(self) -> Observation:
        """The mean over the seeds, a bound where one of them is; nothing if a run says nothing."""
        if any(math.isnan(each.lower) for each in self.observed):
            return Observation.nothing()
        return mean_of(self.observed)

    @property
    def interval(self) -> Interval | NotEnoughReplications:
        """The mean over the seeds with its 95 % interval."""
        return mean_interval(self.values)


@dataclass(frozen=True)
class Evaluation(shown.Shown, Tidy):
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

    def to_arrow(self) -> pa.Table:
        """Every metric as an Arrow table: a row for each scenario, scheme and metric."""
        return to_arrow(figures_table(self))

    def tidy(self) -> pa.Table:
        """A row for each scheme, scenario, metric and seed; `who` is the section and what it is called."""
        return tidy_rows(
            (
                trial.scheme,
                seed,
                f"{metric.name}/{_KIND}.{trial.guideline.section} {trial.name}",
                metric.unit,
                each,
            )
            for trial, metric, observed in ((each.trial, each.metric, each.observed) for each in self.figures)
            for seed, each in zip(self.seeds, observed, strict=True)
        )

    def report(self, file: str | Path) -> Path:
        """Writes the report, one HTML page that needs no network; returns its path."""
        return write_whole(Path(file), shown.report(self))

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
