"""What an evaluation found: every metric of every scenario and subject, and what was not run.

A subject is what is evaluated, or stands beside it: a queue discipline, or a congestion controller. The
trade-off between delay and goodput is an ellipse (RFC 7928, section 2.7).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from aqmlab import shown
from aqmlab.files.folders import write_whole
from aqmlab.inference import mean_interval
from aqmlab.statistics.observation import Observation, mean_of
from aqmlab.statistics.tidy import Tidy, tidy_rows
from aqmlab.study.evaluation.metrics import DELAY, GOODPUT, figures_table
from aqmlab.tables.stored import to_arrow

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

    from aqmlab.inference import Interval, NotEnoughReplications
    from aqmlab.scenario import Scenario
    from aqmlab.study.evaluation.guideline import Case, Guideline, Method
    from aqmlab.study.evaluation.metrics import Metric, OfRun

LEVEL = 0.95
"""The probability within the contour, the 1 - epsilon of the RFC."""


@dataclass(frozen=True)
class Ellipse:
    """The contour of the two-dimensional normal distribution of greatest likelihood over the runs.

    Attributes:
        delay_ms: Mean of the runs' mean queueing delays, in milliseconds.
        goodput_mbps: Mean of their goodputs, in Mbit/s.
        variance_delay: Variance of the delays, in ms².
        variance_goodput: Variance of the goodputs, in Mbit²/s².
        covariance: Of both, in ms Mbit/s.
    """

    delay_ms: float
    goodput_mbps: float
    variance_delay: float
    variance_goodput: float
    covariance: float

    @classmethod
    def of(cls, delays_ms: Sequence[float], goodputs_mbps: Sequence[float]) -> Ellipse | None:
        """That of some runs; none of fewer than three, or where a run lacks a number."""
        points = np.array([delays_ms, goodputs_mbps], dtype=np.float64)
        if points.shape[1] < 3 or not np.isfinite(points).all():
            return None
        (delay_ms, goodput_mbps), spread = points.mean(axis=1), np.cov(points, ddof=0)
        return cls(
            float(delay_ms),
            float(goodput_mbps),
            float(spread[0, 0]),
            float(spread[1, 1]),
            float(spread[0, 1]),
        )

    @property
    def half_widths(self) -> tuple[float, float]:
        """How far the contour reaches from its centre in delay (ms) and in goodput (Mbit/s)."""
        reach = _reach()
        return reach * math.sqrt(self.variance_delay), reach * math.sqrt(self.variance_goodput)

    @property
    def correlation(self) -> float:
        """Of delay and goodput, from -1 to 1; not a number where one of them never changes."""
        scale = math.sqrt(self.variance_delay * self.variance_goodput)
        return self.covariance / scale if scale else float("nan")

    def axes(self) -> list[tuple[float, tuple[float, float]]]:
        """The half axes of the contour, the longer first: length, and direction as (delay, goodput)."""
        spread = np.array([[self.variance_delay, self.covariance], [self.covariance, self.variance_goodput]])
        variances, directions = np.linalg.eigh(spread)
        found = [
            (_reach() * math.sqrt(max(float(variance), 0.0)), (float(direction[0]), float(direction[1])))
            for variance, direction in zip(variances, directions.T, strict=True)
        ]
        return found[::-1]


def _reach() -> float:
    """Standard deviations from the centre to the contour: of the chi-square law of two degrees of freedom."""
    return math.sqrt(-2.0 * math.log(1.0 - LEVEL))


ALONE = "alone"
"""The subject of a case without one: what others have alone."""
_KIND = "scenarios"


@dataclass(frozen=True)
class Trial:
    """A case with a subject.

    Attributes:
        guideline: The section that asks for it.
        case: The case.
        name: What tells it from the section's others: the case's, or the changed parameter.
        title: Of the section and the case, for tables.
        subject: The scheme or controller as it was asked for; `ALONE` without one.
        scenario: What is run.
        metrics: What is measured.
    """

    guideline: Guideline
    case: Case
    name: str
    title: str
    subject: str
    scenario: Scenario
    metrics: tuple[OfRun, ...]

    @property
    def place(self) -> tuple[str, str]:
        """Its section and name, which the trials of a case with all subjects share."""
        return self.guideline.section, self.name


@dataclass(frozen=True)
class NotRun:
    """What was not run, and why.

    Attributes:
        section: Of the guideline.
        name: Of the section and the case.
        subject: With which subject; empty if with none.
        reason: Why.
    """

    section: str
    name: str
    subject: str
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


def by_name(figures: Iterable[Figure]) -> dict[tuple[str, str, str, str], Figure]:
    """Figures by section, case, subject and metric."""
    return {(*each.trial.place, each.trial.subject, each.metric.name): each for each in figures}


@dataclass(frozen=True)
class Evaluation(shown.Shown, Tidy):
    """A scheme through RFC 7928, or a congestion controller through RFC 9743.

    Attributes:
        method: The guideline.
        subject: The scheme or controller.
        beside: Those beside it.
        seeds: Of the runs of each trial.
        figures: Every metric of every trial.
        not_run: What was not run.
    """

    method: Method
    subject: str
    beside: tuple[str, ...]
    seeds: tuple[int, ...]
    figures: tuple[Figure, ...]
    not_run: tuple[NotRun, ...]

    @property
    def subjects(self) -> tuple[str, ...]:
        """The evaluated scheme or controller, and those beside it."""
        return (self.subject, *self.beside)

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """All trials, in the order of the sections."""
        return tuple({id(figure.trial): figure.trial for figure in self.figures}.values())

    def figure(self, section: str, name: str, subject: str, metric: str) -> Figure | None:
        """A metric of a section's case with a subject, or `alone`; none where it was not run."""
        return self._by_name.get((section, name, subject, metric))

    def to_arrow(self) -> pa.Table:
        """Every metric as an Arrow table: a row for each scenario, subject and metric."""
        return to_arrow(figures_table(self))

    def tidy(self) -> pa.Table:
        """A row for each subject, scenario, metric and seed; `who` is the section and what it is called."""
        return tidy_rows(
            (
                trial.subject,
                seed,
                f"{metric.name}/{_KIND}.{' '.join(trial.place)}",
                metric.unit,
                each,
            )
            for trial, metric, observed in ((each.trial, each.metric, each.observed) for each in self.figures)
            for seed, each in zip(self.seeds, observed, strict=True)
        )

    def report(self, file: str | Path) -> Path:
        """Writes the report, one HTML page that needs no network; returns its path."""
        return write_whole(Path(file), shown.report(self))

    def ellipse(self, section: str, name: str, subject: str) -> Ellipse | None:
        """The delay-goodput ellipse of a case with a subject; none of fewer than three runs."""
        delay, goodput = (self.figure(section, name, subject, metric) for metric in (DELAY, GOODPUT))
        return None if delay is None or goodput is None else Ellipse.of(delay.values, goodput.values)

    @cached_property
    def _by_name(self) -> dict[tuple[str, str, str, str], Figure]:
        return by_name(self.figures)
