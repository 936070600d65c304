"""Delay under load: the queues of a line, each idle and full, simulated or over the kernel's TCP."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Self

import numpy as np

from aqmlab.presets.line import DIRECTIONS, DOWN, PROBE_BYTES, UP, under_schemes
from aqmlab.runs import Job, run_many
from aqmlab.runs.budget import affordable
from aqmlab.runs.executors import chosen_executor
from aqmlab.seeds import Seeds
from aqmlab.statistics.series import smoothed_round_trips_ms
from aqmlab.study.bloat.grade import GRADES, Grade, grade_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from aqmlab.presets.line import Line
    from aqmlab.result import Result
    from aqmlab.runs.executors import Executor
    from aqmlab.scenario import Scenario

WARM_UP_S, MEASURED_S = 4.0, 6.0
"""So long at the least flows have to fill the line, and are measured then."""
_ROUND_TRIPS = 20
"""So many round trips either lasts at the least: slow start takes about ten."""
_FLOWS = 4
_SAMPLED_MS = 100.0
"""From one sample of the flows' own round trips to the next."""
_HOSTS = "linux6-cubic"


class Phase(StrEnum):
    """What goes on beside the probes."""

    IDLE = "idle"
    DOWNLOAD = "download"
    UPLOAD = "upload"
    BOTH = "both"


FULL: dict[Phase, tuple[str, ...]] = {
    Phase.IDLE: (),
    Phase.DOWNLOAD: (DOWN,),
    Phase.UPLOAD: (UP,),
    Phase.BOTH: (DOWN, UP),
}
"""The directions that flows fill."""
LOADED = tuple(phase for phase, ways in FULL.items() if ways)
"""What is graded."""
FLOWS = {DOWN: "download", UP: "upload"}
"""What the flows of a direction are called."""


def line_under(line: Line, phase: Phase) -> Scenario:
    """The scenario of a phase: probes each way, beside four flows in each direction that is full."""
    flows = [
        {
            "name": FLOWS[direction],
            "count": _FLOWS,
            "direction": direction,
            "base_rtt_ms": line.behind_ms,
            "profile": _HOSTS,
        }
        for direction in FULL[phase]
    ]
    probes = [
        {
            "name": way,
            "count": 1,
            "direction": direction,
            "packet_bytes": PROBE_BYTES,
            "rate_mbps": PROBE_BYTES * 8 / line.probe_interval_s / 1e6,
        }
        for way, direction in DIRECTIONS.items()
    ]
    least_s = _ROUND_TRIPS * line.round_trip_ms / 1e3
    warm_up_s = max(WARM_UP_S, least_s)
    duration_s = warm_up_s + max(MEASURED_S, least_s)
    return line.carrying(
        f"line-{phase}",
        duration_s=duration_s,
        warm_up_s=warm_up_s,
        flows=flows,
        datagrams=probes,
        record={"congestion_window_interval_ms": _SAMPLED_MS} if flows else None,
    )


DEFAULT_SCHEMES = ("fq-codel", "cake", "pie", "dualpi2")
DEFAULT_SEEDS = "1-3"
_PERCENTILES = (50, 95, 99)
_FULL_PERCENT = 90.0
"""So much of the time a link that is full sends at the least.

CUBIC (RFC 9438, figure 1 with beta 0.7) comes back from 0.7 of its window as 1 - 0.3 (1 - t/K)^3, in the mean
0.925 of it: flows that lose all at once and find no room to wait keep a line 92.5 % busy. Those that keep it
less busy have not reached its rate.
"""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What probes felt in one phase, and what the flows carried: with one seed, or means over seeds.

    Attributes:
        delay_ms: One-way delays in milliseconds by direction (`down`, `up`) and percentile; infinite where
            so many probes were lost that it falls to one of them.
        lost_percent: Probes lost, by direction.
        goodput_mbps: What the flows of a direction carried together, in Mbit/s; none where there are none.
        busy_percent: How much of the time the line sent, in %, by direction; of what a router lets through.
        in_flow_added_ms: By how much the round trip that TCP itself measures is longer than on an idle path,
            by the direction of the flows: the median of their smoothed round trips, sample by sample.
    """

    delay_ms: dict[str, dict[int, float]]
    lost_percent: dict[str, float]
    goodput_mbps: dict[str, float]
    busy_percent: dict[str, float]
    in_flow_added_ms: dict[str, float] = field(default_factory=dict)

    @classmethod
    def mean_of(cls, each: Sequence[Loaded]) -> Self:
        """The means over some seeds."""

        def means(by_way: Sequence[dict[str, float]]) -> dict[str, float]:
            return {way: float(np.mean([one[way] for one in by_way])) for way in by_way[0]}

        delays = (
            {share: float(np.mean([one.delay_ms[way][share] for one in each])) for share in shares}
            for way, shares in each[0].delay_ms.items()
        )
        return cls(
            dict(zip(each[0].delay_ms, delays, strict=True)),
            means([one.lost_percent for one in each]),
            means([one.goodput_mbps for one in each]),
            means([one.busy_percent for one in each]),
            means([one.in_flow_added_ms for one in each]),
        )

    @property
    def filled(self) -> bool:
        """Whether the flows filled the line: of two ways one, since uploads may keep downloads from it."""
        return any(self.busy_percent[way] >= _FULL_PERCENT for way in self.goodput_mbps)

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
        """Of 100 probes those lost, in the phase and the way that lose most."""
        return max(map(self._lost_percent, LOADED))

    def _lost_percent(self, phase: Phase) -> float:
        """Of 100 probes those lost under a load, or on the idle line, in the way that loses most."""
        return max(max(self.phases[each].lost_percent.values()) for each in (Phase.IDLE, phase))

    @property
    def not_filled(self) -> list[Phase]:
        """The loads that did not fill the line."""
        return [phase for phase in LOADED if not self.phases[phase].filled]

    def grade_under(self, phase: Phase) -> Grade | None:
        """The grade under a load, by what it adds and by losses.

        None of a load that did not fill the line, unless it loses so much that nothing else is asked.
        """
        lost_percent, worst = self._lost_percent(phase), GRADES[-1]
        if not self.phases[phase].filled:
            return worst if grade_of(0.0, lost_percent) is worst else None
        return grade_of(self.added_ms(phase), lost_percent)

    @property
    def grade(self) -> Grade | None:
        """The worst of the grades under each load; none where one is missing and no other is the last."""
        grades = [self.grade_under(phase) for phase in LOADED]
        known = [GRADES.index(grade) for grade in grades if grade]
        worst = GRADES[max(known)] if known else None
        return worst if worst is GRADES[-1] or None not in grades else None

    def numbers(self) -> dict[str, float | None]:
        """Every number by the name of its column; none of a delay that falls to probes that were lost."""
        found = {"idle_round_trip_ms": self.phases[Phase.IDLE].round_trip_ms()}
        found |= {f"{phase}_added_ms": self.added_ms(phase) for phase in LOADED}
        found["lost_percent"] = self.lost_percent
        for phase, loaded in self.phases.items():
            for way, delays in loaded.delay_ms.items():
                found |= {f"{phase}_delay_{way}_p{share}_ms": delay for share, delay in delays.items()}
                found[f"{phase}_loss_{way}_percent"] = loaded.lost_percent[way]
            found |= {f"{phase}_goodput_{way}_mbps": rate for way, rate in loaded.goodput_mbps.items()}
            found |= {f"{phase}_in_flow_added_{way}_ms": own for way, own in loaded.in_flow_added_ms.items()}
        return {name: value if math.isfinite(value) else None for name, value in found.items()}


def measure(
    line: Line,
    schemes: Sequence[str] = DEFAULT_SCHEMES,
    *,
    seeds: Iterable[int] | str = DEFAULT_SEEDS,
    within_s: float | None = None,
    executor: Executor | str = "threads",
    progress: bool = False,
    run: Callable[[Sequence[Job]], Iterable[Result]] | None = None,
) -> list[QueueUnderLoad]:
    """Measures a line in every phase, as it is and under each of these schemes at both ends."""
    made = {phase: under_schemes(line, line_under(line, phase), schemes) for phase in Phase}
    names = list(made[Phase.IDLE])
    each_seed = [made[phase][name] for name in names for phase in Phase]
    seeds = affordable(each_seed, Seeds.of(seeds), within_s, chosen_executor(executor)).seeds
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
        {way: _in_flow_ms(result, flows) - line.round_trip_ms for flows, way in carried.items()},
    )


def _in_flow_ms(result: Result, flows: str) -> float:
    """The median round trip that the senders of a group of flows go by in the measured window."""
    begin_s, end_s = (float(result.run[f"measured_{edge}_s"]) for edge in ("from", "until"))
    return float(np.median(smoothed_round_trips_ms(result, end_s=end_s, group=flows).between(begin_s, end_s)))


def _delay_ms(result: Result, way: str, share: int) -> float:
    """A percentile of the delay of the probes that arrived one way; infinite where it falls to lost ones."""
    if result.value(f"loss_percent/datagrams.{way}") >= 100.0 - share:
        return float("inf")
    return result.value(f"delay_p{share}_ms/datagrams.{way}")
