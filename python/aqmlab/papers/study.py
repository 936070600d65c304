"""The finished runs of an experiment, by cell, with the comparisons that tables, claims and figures ask for.

Nothing here runs anything: a study is a function of stored results. What is not there is answered with
`MissingDataError`, whose message says what is missing, so that a claim can say why it cannot be judged.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.comparison import Comparison, CurveDifference, Values, paired_difference
from aqmlab.comparison.comparability import Decides, decided_by
from aqmlab.errors import MissingDataError
from aqmlab.inference import Interval, NotEnoughReplications, mean_interval
from aqmlab.load import Demand
from aqmlab.scenario import Scenario
from aqmlab.statistics import response_times, throughput_mbps
from aqmlab.statistics.quantities import Measured, Quantity
from aqmlab.statistics.recorded import seed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aqmlab.load import Calibration
    from aqmlab.load.demand import Bottleneck
    from aqmlab.load.matching import MatchedLoad
    from aqmlab.papers.documents import Configuration, Scale
    from aqmlab.papers.experiment import Experiment
    from aqmlab.papers.published import Criterion, PublishedRow
    from aqmlab.statistics import Recorded, ResponseTimes

Cell = tuple[str, float]
"""A configuration's name and a nominal load in per cent."""


@dataclass(frozen=True)
class Study:
    """Results of one experiment at one scale.

    Attributes:
        experiment: What was asked.
        scale: How much of it was run.
        cells: The replications of each cell, in the order of their seeds.
        loads: How the load of each (load in per cent, seed) was matched, where it was.
        calibration: The calibration that went with the study, if any.
        calibration_runs: Its uncongested runs.
    """

    experiment: Experiment
    scale: Scale
    cells: Mapping[Cell, Sequence[Recorded]]
    loads: Mapping[tuple[float, int], MatchedLoad] = field(default_factory=dict)
    calibration: Calibration | None = None
    calibration_runs: Sequence[Recorded] = ()
    _comparisons: dict[tuple[Cell, Cell], Comparison] = field(default_factory=dict, repr=False, compare=False)
    _curves: dict[tuple[Cell, Cell], CurveDifference] = field(default_factory=dict, repr=False, compare=False)
    _measured: dict[Cell, list[Measured]] = field(default_factory=dict, repr=False, compare=False)

    def has(self, configuration: str, load_percent: float) -> bool:
        """Whether the cell was run."""
        return bool(self.cells.get((configuration, load_percent)))

    def results(self, configuration: str, load_percent: float) -> Sequence[Recorded]:
        """The replications of a cell."""
        if not self.has(configuration, load_percent):
            raise MissingDataError(f"cell {configuration} at {load_percent:g} % was not run")
        return self.cells[configuration, load_percent]

    def times(
        self, configuration: str, load_percent: float, population: str | None = None
    ) -> list[ResponseTimes]:
        """The response times of each replication of a cell: of whom the study judges, or of a population."""
        if population is not None:
            results = self.results(configuration, load_percent)
            return [response_times(result, population=population) for result in results]
        return [run.times for run in self.measured(configuration, load_percent)]

    def measured(self, configuration: str, load_percent: float) -> list[Measured]:
        """The replications of a cell, with the response times of whom the study judges."""
        cell = (configuration, load_percent)
        if cell not in self._measured:
            judged = self.experiment.responses_of
            self._measured[cell] = [Measured(result, population=judged) for result in self.results(*cell)]
        return self._measured[cell]

    def curve(self, a: str, b: str, load_percent: float) -> CurveDifference:
        """The response times of configuration `a` against those of `b` at one load."""
        return self.cell_curve((a, load_percent), (b, load_percent))

    def cell_curve(self, a: Cell, b: Cell) -> CurveDifference:
        """The response times of one cell against those of another."""
        if (a, b) not in self._curves:
            self._curves[a, b] = self._comparison(a, b).curve(self.label(a))
        return self._curves[a, b]

    def change(self, a: Cell, b: Cell, quantity: Quantity) -> Interval | NotEnoughReplications:
        """The mean difference of a quantity, cell `a` less cell `b`, paired by seed."""
        found = self._comparison(a, b)
        after, before = (found.values(self.label(each), quantity) for each in (a, b))
        return paired_difference(before, after)

    def _comparison(self, a: Cell, b: Cell) -> Comparison:
        """One cell against another; between two loads, or two models of users, the users differ."""
        if (a, b) not in self._comparisons:
            same_users = a[1] == b[1] and self._users_settings(a) == self._users_settings(b)
            self._comparisons[a, b] = Comparison.of(
                {self.label(each): self.results(*each) for each in (b, a)},
                same_users=same_users,
                population=self.experiment.responses_of,
            )
        return self._comparisons[a, b]

    def values(self, configuration: str, load_percent: float, of: Callable[[Recorded], float]) -> list[float]:
        """A number of each replication of a cell, in the order of their seeds."""
        runs = self.measured(configuration, load_percent)
        return [of.of(run) if isinstance(of, Quantity) else of(run.result) for run in runs]

    def by_seed(self, cell: Cell, of: Callable[[Recorded], float]) -> dict[int, float]:
        """The same by seed."""
        return dict(zip(map(seed, self.results(*cell)), self.values(*cell, of), strict=True))

    def measure(
        self, configuration: str, load_percent: float, of: Callable[[Recorded], float]
    ) -> Interval | NotEnoughReplications:
        """Mean of one number per replication over a cell."""
        return mean_interval(self.values(configuration, load_percent, of))

    def difference(
        self, a: Cell, b: Cell, of: Callable[[Recorded], float]
    ) -> Interval | NotEnoughReplications:
        """Mean difference of one number per replication, a minus b, paired by seed."""
        after, before = self.by_seed(a, of), self.by_seed(b, of)
        shared = sorted(after.keys() & before.keys())
        if not shared:
            raise MissingDataError(f"{self.label(a)} and {self.label(b)} share no seed")
        old, new = (Values.of([side[each] for each in shared]) for side in (before, after))
        return paired_difference(old, new)

    def ranked(self, configurations: Sequence[str], load_percent: float, criterion: Criterion) -> list[str]:
        """Configurations at a load, the best by the criterion first, those without a mean last."""
        sign = -1.0 if criterion.highest else 1.0

        def cost(name: str) -> float:
            mean = self.measure(name, load_percent, criterion.quantities[0]).mean
            return float("inf") if mean is None else sign * mean

        return sorted(configurations, key=cost)

    def ended_responses(self, configuration: str, load_percent: float) -> int:
        """Exchanges that ended in all replications of a cell together."""
        return int(sum(times.ended for times in self.times(configuration, load_percent)))

    def published(
        self, configuration: str, load_percent: float, table: str | None = None
    ) -> PublishedRow | None:
        """What a table of the paper reports for a cell; by default, the first table that has the cell."""
        if table is not None:
            return self.experiment.published.table(table).row(configuration, load_percent)
        return self.experiment.published.row(configuration, load_percent)

    def configuration(self, name: str) -> Configuration:
        """A configuration of the experiment."""
        return self.experiment.configuration(name)

    def label(self, cell: Cell) -> str:
        """What a cell is called in print."""
        return f"{self.configuration(cell[0]).label} at {cell[1]:g} %"

    def _users_settings(self, cell: Cell) -> object:
        """The settings of a configuration about users, without those of their hosts."""
        configuration = self.configuration(cell[0])
        settings = {
            key: value
            for key, value in configuration.overrides.items()
            if decided_by(key) in {Decides.USERS, Decides.UNKNOWN}  # a whole table of users is of no one kind
        }
        return settings, configuration.users_at(cell[1])

    @property
    def loads_percent(self) -> list[float]:
        """The loads that were run, increasing."""
        return sorted({load for _, load in self.cells})

    @property
    def runs(self) -> list[Recorded]:
        """The replications of all cells."""
        return [result for results in self.cells.values() for result in results]

    @property
    def seeds(self) -> list[int]:
        """The seeds that were run."""
        return sorted(set(map(seed, self.runs)))

    @property
    def version(self) -> str:
        """The version that made the runs; of several all."""
        return ", ".join(sorted({str(result.run["aqmlab_version"]) for result in self.runs}))

    def realised_percent(self, configuration: str, load_percent: float) -> float | None:
        """Offered load of a cell, mean of its replications, in per cent of the bottleneck's rate.

        It is what the cell's users cause on the uncongested network: where they were matched to it, or where
        it is a cell of the study itself. None where that was not run with the same users.
        """
        cell = configuration, load_percent
        seeds = [seed(result) for result in self.results(*cell)]
        known = [
            self.loads[load_percent, each].realised_percent
            for each in seeds
            if (load_percent, each) in self.loads
        ]
        twin = next((own.name for own in self.experiment.configurations.values() if own.twin), configuration)
        if self._users_settings(cell) != self._users_settings((twin, load_percent)):
            return None
        if not known and self.has(twin, load_percent):
            known = [self._load_percent(run.result) for run in self.measured(twin, load_percent)]
        return float(np.mean(known)) if known else None

    def _load_percent(self, uncongested: Recorded) -> float:
        """What an uncongested run carried, in per cent of the rate of the bottleneck of the experiment."""
        links = [link.name for each in self._bottlenecks for link in each.links]
        by_link = throughput_mbps.by_link(uncongested, links)
        return 100.0 * max(each.mean_load(by_link) for each in self._bottlenecks)

    @cached_property
    def _bottlenecks(self) -> tuple[Bottleneck, ...]:
        return Demand.of(Scenario.from_toml(self.experiment.scenario_toml)).bottlenecks()
