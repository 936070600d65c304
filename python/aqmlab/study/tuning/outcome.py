"""What a search found."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from aqmlab import shown
from aqmlab.comparison import Values, paired_difference
from aqmlab.inference import Interval, NotEnoughReplications
from aqmlab.statistics.observation import Observation
from aqmlab.statistics.tidy import Tidy, tidy_rows
from aqmlab.study.tuning.candidates import TrialState
from aqmlab.study.tuning.objectives import RPM, RPM_FIGURE
from aqmlab.terminal.spelling import as_text, counted

if TYPE_CHECKING:
    from aqmlab.scenario import Scenario
    from aqmlab.study.tuning.candidates import Candidate
    from aqmlab.study.tuning.objectives import Objective
    from aqmlab.study.tuning.running import Plan
    from aqmlab.study.tuning.space import Space

_MOST_REFUSED = 5
"""The most invalid candidates that are printed with their reasons."""


@dataclass(frozen=True)
class Outcome(shown.Shown, Tidy):
    """What a search found.

    Attributes:
        base: The scenario with the scheme that was searched.
        given: The scenario as given, with the figures of the fresh seeds.
        space: What was searched.
        objective: What was sought.
        plan: How much was searched.
        candidates: The start (the scenario as given, or the scheme's defaults where its queue is of another),
            then every proposal, with the figures of its search seeds.
        winner: The candidate with the lowest cost over the search seeds.
        front: Those run with all search seeds that no other dominates, by fresh seeds.
        published: Settings of an experiment, with the figures of the fresh seeds.
        runs: Runs that were asked for, fresh seeds included.
        links: The links that utilization, loss and queue are of.
        queues: The dotted keys of the queues that were set, all alike.
    """

    base: Scenario
    given: Candidate
    space: Space
    objective: Objective
    plan: Plan
    candidates: tuple[Candidate, ...]
    winner: Candidate
    front: tuple[Candidate, ...]
    published: tuple[Candidate, ...]
    runs: int
    links: tuple[str, ...] = ()
    queues: tuple[str, ...] = ()

    @property
    def best(self) -> Scenario:
        """The scenario with the winner's settings."""
        scenario = self.winner.scenario or self.base
        return scenario.with_overrides(
            {"name": f"{self.base.name}, {self.space.scheme} for {self.objective.name}"}
        )

    @property
    def best_settings(self) -> dict[str, Any]:
        """The winner's parameters of the queue."""
        return self.winner.shown_settings

    def save(self, folder: str | Path) -> dict[str, Path]:
        """Writes trials.parquet, front.csv, best.toml, search.json and the figure; returns them by name.

        If the folder holds another search, they go to one beside it.

        Raises:
            FolderError: The folder cannot be written.
        """
        return shown.save(self, Path(folder))

    def to_arrow(self) -> pa.Table:
        """One row for each candidate and seed that it was run with.

        Returns:
            The columns `candidate`, `origin` and `state`, one for each searched parameter, `seed`, `fresh`
            (whether the search did not use the seed), `cost` and `unit`. A candidate that was refused has one
            row, without a seed.
        """
        parameters = [parameter.name for parameter in self.space.parameters]
        every = dict.fromkeys((*self.candidates, self.given, *self.published))
        names = ("candidate", "origin", "state", *parameters, "seed", "fresh", "cost", "unit")
        rows: dict[str, list[Any]] = {name: [] for name in names}
        for each in every:
            settings = each.shown_settings
            costs: list[tuple[int | None, bool | None, float | None]]
            costs = [(seed, False, cost) for seed, cost in each.costs(self.objective).items()]
            costs += [(seed, True, cost) for seed, cost in each.fresh_costs(self.objective).items()]
            for run in costs or [(None, None, None)]:
                values = (settings.get(name) for name in parameters)
                row = (each.label, each.origin, each.state.value, *values, *run, self.objective.unit)
                for column, value in zip(rows.values(), row, strict=True):
                    column.append(value)
        return pa.table({name: _column(values) for name, values in rows.items()})

    def tidy(self) -> pa.Table:
        """The cost of each candidate with each of its seeds, those of the search and fresh ones."""
        name, unit = f"cost_of_{self.objective.name}", self.objective.unit
        every = dict.fromkeys((*self.candidates, self.given, *self.published))
        return tidy_rows(
            (each.label, seed, name, unit, Observation.exact(cost))
            for each in every
            for costs in (each.costs(self.objective), each.fresh_costs(self.objective))
            for seed, cost in costs.items()
        )

    @property
    def shown(self) -> list[Candidate]:
        """The winner, the front, the start, the scenario as given and the published settings, each once."""
        start = self.candidates[0]
        return list(dict.fromkeys((self.winner, *self.front, start, self.given, *self.published)))

    def against(self, other: Candidate) -> Interval | NotEnoughReplications:
        """The winner's cost minus that of another candidate, paired by fresh seed."""
        ours, theirs = (each.fresh_costs(self.objective) for each in (self.winner, other))
        after, before = (
            Values.of([costs[seed] for seed in self.plan.fresh_seeds]) for costs in (ours, theirs)
        )
        return paired_difference(before, after)

    def role(self, candidate: Candidate) -> str:
        """Why a candidate is shown."""
        roles = [
            name
            for name, holds in (
                ("winner", candidate is self.winner),
                ("front", candidate in self.front),
                ("as given", candidate is self.given),
                ("defaults", candidate.origin == "defaults"),
            )
            if holds
        ]
        return ", ".join(roles) or ("published" if candidate in self.published else "")

    def __repr__(self) -> str:
        searched = f"{self.space.scheme} for {self.objective.name}: {_said(self.winner)}"
        return f"Outcome({self.base.name!r}, {searched}; {counted(self.runs, 'run')})"

    def summary(self) -> str:
        """The winner in words."""
        stopped = sum(candidate.state is TrialState.STOPPED for candidate in self.candidates)
        refused = [candidate for candidate in self.candidates if candidate.state is TrialState.REFUSED]
        lines = [f"{each.label}: {each.note}" for each in self.published]
        lines += (
            [f"all these queues have the same settings: {', '.join(self.queues)}"]
            if len(self.queues) > 1
            else []
        )
        candidates, runs = counted(len(self.candidates) - 1, "candidate"), counted(self.runs, "run")
        ended = f"{stopped} stopped early, {len(refused)} invalid"
        lines += [
            f"{self.objective.name}: {self.winner.label} ({_said(self.winner)})",
            f"{candidates}, {ended}; {runs}",
            *(f"refused: {each.label} ({_said(each)}): {each.note}" for each in refused[:_MOST_REFUSED]),
        ]
        if len(refused) > _MOST_REFUSED:
            lines.append(f"refused: {len(refused) - _MOST_REFUSED} more, listed in trials.parquet")
        if self.winner is not self.given:
            difference = self.against(self.given)
            mean = difference.mean if difference.mean is not None else float("nan")
            sure = str(difference)
            if isinstance(difference, Interval):
                sure = f"{difference.lower:.4g} to {difference.upper:.4g}, 95 %"
            queue, unit = self.given.label.removeprefix("as given"), self.objective.unit
            lines.append(f"against the scenario as given{queue}, on fresh seeds: {mean:.4g} {unit} ({sure})")
            if self.objective.name == RPM:
                rpms = [each.means(fresh=True)[RPM_FIGURE] or 0.0 for each in (self.winner, self.given)]
                lines.append("round trips a minute: {:,.0f}, as given {:,.0f}".format(*rpms))
        return "\n".join(lines)


def _column(values: list[Any]) -> pa.Array:
    """Values of one kind; of settings of several kinds their texts."""
    try:
        return pa.array(values)
    except pa.ArrowException:
        return pa.array([None if value is None else as_text(value) for value in values])


def _said(candidate: Candidate) -> str:
    known = {name: value for name, value in candidate.shown_settings.items() if value is not None}
    return ", ".join(f"{name} = {_value(value)}" for name, value in known.items())


def _value(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
