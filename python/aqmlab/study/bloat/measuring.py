"""Delay under load: the queues of a line, each idle and full, simulated or over the kernel's TCP."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Self

import numpy as np

from aqmlab.presets.line import DIRECTIONS, under_schemes
from aqmlab.runs import Job, run_many
from aqmlab.seeds import Seeds
from aqmlab.study.bloat.grade import GRADES, Grade, grade_of
from aqmlab.study.bloat.phases import FLOWS, FULL, Phase, line_under

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from aqmlab.presets.line import Line
    from aqmlab.result import Result
    from aqmlab.runs.executors import Executor

DEFAULT_SCHEMES = ("fq-codel", "cake", "pie", "dualpi2")
DEFAULT_SEEDS = "1-3"
_PERCENTILES = (50, 95, 99)
_GRADED = (Phase.DOWNLOAD, Phase.UPLOAD)
_FULL_PERCENT = 95.0
"""So much of the time a link that is full sends at the least."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What probes felt in one phase, and what the flows carried: with one seed, or means over seeds.

    Attributes:
        delay_ms: One-way delays in milliseconds by direction (`down`, `up`) and percentile; infinite where
            so many probes were lost that it falls to one of them.
        lost_percent: Probes lost, by direction.
        goodput_mbps: What the flows of a direction carried together, in Mbit/s; none where there are none.
        busy_percent: How much of the time the line sent, in %, by direction; of what a router lets through.
    """

    delay_ms: dict[str, dict[int, float]]
    lost_percent: dict[str, float]
    goodput_mbps: dict[str, float]
    busy_percent: dict[str, float]

    @classmethod
    def mean_of(cls, each: Sequence[Loaded]) -> Self:
        """The means over some seeds."""

        def mean(values: Iterable[float]) -> float:
            return float(np.mean(list(values)))

        first = each[0]
        return cls(
            {
                way: {share: mean(one.delay_ms[way][share] for one in each) for share in delays}
                for way, delays in first.delay_ms.items()
            },
            {way: mean(one.lost_percent[way] for one in each) for way in first.lost_percent},
            {way: mean(one.goodput_mbps[way] for one in each) for way in first.goodput_mbps},
            {way: mean(one.busy_percent[way] for one in each) for way in first.busy_percent},
        )

    @property
    def filled(self) -> bool:
        """Whether the flows filled the line wherever they went."""
        return all(self.busy_percent[way] >= _FULL_PERCENT for way in self.goodput_mbps)

    def round_trip_ms(self) -> float:
        """The median round trip of the probes: the sum of the medians each way."""
        return sum(each[50] for each in self.delay_ms.values())


@dataclass(frozen=True)
class QueueUnderLoad:
    """One queue management at both ends of the line.

    Attributes:
        name: The scheme, or `as it is`.
        phases: What was felt in each phase: means over the seeds.
        by_seed: The same with each seed.
        live: Whether it was measured over Linux TCP.
    """

    name: str
    phases: dict[Phase, Loaded]
    by_seed: Mapping[int, dict[Phase, Loaded]] = field(default_factory=dict, repr=False)
    live: bool = False

    def added_ms(self, phase: Phase) -> float:
        """By how much the median round trip is longer than on the idle line; infinite without a median."""
        loaded_ms = self.phases[phase].round_trip_ms()
        return loaded_ms - self.phases[Phase.IDLE].round_trip_ms() if np.isfinite(loaded_ms) else loaded_ms

    @property
    def lost_percent(self) -> float:
        """Of 100 probes those lost, in the graded phase, or on the idle line, and the way that loses most."""
        return max(max(self.phases[phase].lost_percent.values()) for phase in (Phase.IDLE, *_GRADED))

    @property
    def not_filled(self) -> list[Phase]:
        """The graded phases in which the flows did not fill the line."""
        return [phase for phase in _GRADED if not self.phases[phase].filled]

    @property
    def grade(self) -> Grade | None:
        """By the mean of what downloads and what uploads add, and by losses.

        None of a line that they did not fill, unless it loses so much that nothing else is asked.
        """
        worst = GRADES[-1]
        if self.not_filled:
            return worst if grade_of(0.0, self.lost_percent) is worst else None
        return grade_of(float(np.mean([self.added_ms(phase) for phase in _GRADED])), self.lost_percent)

    def numbers(self) -> dict[str, float | None]:
        """Every number by the name of its column; none of a delay that falls to probes that were lost."""
        full = [phase for phase in self.phases if phase is not Phase.IDLE]
        found = {"idle_round_trip_ms": self.phases[Phase.IDLE].round_trip_ms()}
        found |= {f"{phase}_added_ms": self.added_ms(phase) for phase in full}
        found["lost_percent"] = self.lost_percent
        for phase, loaded in self.phases.items():
            for way, delays in loaded.delay_ms.items():
                found |= {f"{phase}_delay_{way}_p{share}_ms": delay for share, delay in delays.items()}
                found[f"{phase}_loss_{way}_percent"] = loaded.lost_percent[way]
            found |= {f"{phase}_goodput_{way}_mbps": rate for way, rate in loaded.goodput_mbps.items()}
        return {name: value if math.isfinite(value) else None for name, value in found.items()}


def measure(
    line: Line,
    schemes: Sequence[str] = DEFAULT_SCHEMES,
    *,
    seeds: Iterable[int] | str = DEFAULT_SEEDS,
    executor: Executor | str = "threads",
    progress: bool = False,
    run: Callable[[Sequence[Job]], Iterable[Result]] | None = None,
) -> list[QueueUnderLoad]:
    """Measures a line in every phase, as it is and under each of these schemes at both ends.

    Args:
        line: The line.
        schemes: Queue disciplines, perhaps with parameters: `codel:target_ms=20`.
        seeds: Seeds of the runs; numbers are means over them.
        executor: Where runs are computed: as of `aqmlab.run_many`.
        progress: Whether to show a progress bar.
        run: What computes the runs, in their order, in place of an executor: live runs.

    Raises:
        ScenarioError: The line, or a scheme on it, is refused.
        RunError: A run failed.
    """
    seeds = Seeds.of(seeds)
    made = {phase: under_schemes(line, line_under(line, phase), schemes) for phase in Phase}
    names = list(made[Phase.IDLE])
    jobs = [Job(made[phase][name], seed) for name in names for phase in Phase for seed in seeds]
    made_by = run or partial(run_many, executor=executor, progress=progress, label="line")
    results = iter(made_by(jobs))
    found = []
    for name in names:
        runs = [(phase, seed, next(results)) for phase in Phase for seed in seeds]
        by_seed: dict[int, dict[Phase, Loaded]] = {seed: {} for seed in seeds}
        for phase, seed, result in runs:
            by_seed[seed][phase] = _felt(result, phase, line, line.shares_in(made[phase][name]))
        means = {phase: Loaded.mean_of([each[phase] for each in by_seed.values()]) for phase in Phase}
        found.append(QueueUnderLoad(name, means, by_seed))
    return found


def _felt(result: Result, phase: Phase, line: Line, shares: Mapping[str, float]) -> Loaded:
    carried = {FLOWS[direction]: way for way, direction in DIRECTIONS.items() if direction in FULL[phase]}
    return Loaded(
        {way: {share: _delay_ms(result, way, share) for share in _PERCENTILES} for way in DIRECTIONS},
        {way: result.value(f"loss_percent/datagrams.{way}") for way in DIRECTIONS},
        {way: result.value(f"goodput_mbps/flows.{flows}") for flows, way in carried.items()},
        {
            way: result.value("utilization_percent", links=[link]) / shares[way]
            for way, link in line.links.items()
        },
    )


def _delay_ms(result: Result, way: str, share: int) -> float:
    """A percentile of the delay of the probes that arrived one way; infinite where it falls to lost ones."""
    if result.value(f"loss_percent/datagrams.{way}") >= 100.0 - share:
        return float("inf")
    return result.value(f"delay_p{share}_ms/datagrams.{way}")
