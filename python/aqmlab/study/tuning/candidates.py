"""Candidates, what they were run with, and the front of those that nothing dominates."""

from __future__ import annotations

import enum
import math
import operator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from aqmlab.comparison import Level, Values
from aqmlab.comparison.change import Inference
from aqmlab.errors import UnknownQuantityError
from aqmlab.statistics.quantities import by_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.scenario import Scenario
    from aqmlab.statistics.run_summary import Figures
    from aqmlab.study.tuning.objectives import Objective


_CONFIDENCE = 0.95


class TrialState(enum.Enum):
    """Run with all seeds, stopped by the race, or refused by the scenario's checks."""

    FULL = "full"
    STOPPED = "stopped"
    REFUSED = "refused"


@dataclass(eq=False)
class Candidate:
    """One setting of the queue.

    Attributes:
        label: What tables call it.
        settings: The queue's parameters that were set.
        scenario: The scenario with them; none if it was refused.
        origin: `scenario` (as given), `defaults` (of the scheme), `search`, or an experiment.
        note: What is known about it.
        state: How far it came.
        figures: Its figures by search seed.
        fresh: Its figures by fresh seed.
        estimate: Its cost over the search seeds, adjusted for those it was not run with.
        in_force: Values of the parameters that its settings leave open, as RED's thresholds.
    """

    label: str
    settings: Mapping[str, Any]
    scenario: Scenario | None
    origin: str
    note: str = ""
    state: TrialState = TrialState.FULL
    figures: dict[int, Figures] = field(default_factory=dict, repr=False)
    fresh: dict[int, Figures] = field(default_factory=dict, repr=False)
    estimate: float | None = None
    in_force: Mapping[str, Any] = field(default_factory=dict)

    @property
    def shown_settings(self) -> dict[str, Any]:
        """Its settings with the values in force; none where queues differ."""
        return {
            name: self.in_force.get(name) if value is None else value for name, value in self.settings.items()
        }

    def costs(self, objective: Objective) -> dict[int, float]:
        """Its cost with each search seed."""
        return {seed: objective.cost(figures) for seed, figures in self.figures.items()}

    def fresh_costs(self, objective: Objective) -> dict[int, float]:
        """Its cost with each fresh seed."""
        return {seed: objective.cost(figures) for seed, figures in self.fresh.items()}

    def means(self, *, fresh: bool) -> dict[str, float | None]:
        """Its figures, as means over the seeds that it was run with; none where a run has none.

        As in comparisons those of times are geometric.
        """
        runs = list((self.fresh if fresh else self.figures).values())
        return {name: _mean(name, [run[name] for run in runs]) for name in (runs[0] if runs else ())}


def front(candidates: Sequence[Candidate], objective: Objective) -> list[Candidate]:
    """Those that no other one beats in one of response time, utilization and loss without losing in another.

    Judged by means over the fresh seeds; ordered by response time. Without response times the other two
    decide.
    """
    points = {
        candidate: np.mean([objective.trade_off(run) for run in candidate.fresh.values()], axis=0)
        for candidate in candidates
        if candidate.fresh
    }
    known = np.all(np.isfinite(list(points.values())), axis=0)
    compared = {candidate: tuple(point[known]) for candidate, point in points.items()}
    standing = [
        candidate
        for candidate, point in compared.items()
        if not any(other != point and all(map(operator.le, other, point)) for other in compared.values())
    ]
    return sorted(standing, key=lambda candidate: compared[candidate])


def _mean(name: str, values: Sequence[float | int | None]) -> float | None:
    """The mean, where every run has a value: one over the others would be that of the lucky ones."""
    known = [float(value) for value in values if value is not None]
    if not known or len(known) < len(values):
        return None
    if not all(map(math.isfinite, known)):
        return float(np.mean(known))
    how = Inference(_CONFIDENCE, on_logarithms=_is_on_logarithms(name))
    return Level.of(Values.of(known), how).mean


def _is_on_logarithms(name: str) -> bool:
    """Whether it is a time; figures of one link, with its name in front, are none."""
    try:
        return by_name(name).on_logarithms
    except UnknownQuantityError:
        return False
