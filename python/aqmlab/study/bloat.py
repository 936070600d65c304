"""`aqmlab.bloat`: how much a line delays everybody while it is full, simulated or over the kernel's TCP.

Source of the grades: DSLReports, "Bufferbloat Grades" (faq/17930): by how much a round trip is longer while
the line is full than while it is idle.

DSLReports grades the mean of what downloads and what uploads add, which calls a line good whose uploads are
unbearable as soon as its downloads are not. Here downloads, uploads and both at once each have a grade, and
the worst of the three is that of the line.

DSLReports does not ask what was lost. A line that loses its probes is no good line for being quick with the
rest, so that losses bound the grade here, by ITU-T G.1010 (table I.1): a video call takes 1 %, a telephone
call 3 %. Beyond the one no grade is better than C; beyond the other it is F, which the delay has where it is
beyond the 400 ms that the same table has as its limit.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from aqmlab import arguments, shown
from aqmlab.errors import RefusalError
from aqmlab.presets.line import DIRECTIONS, DOWN, PROBE_BYTES, UP, under_schemes
from aqmlab.runs import Job, run_many
from aqmlab.runs.budget import affordable
from aqmlab.runs.executors import chosen_executor
from aqmlab.seeds import Seeds, given_seeds
from aqmlab.statistics.series import smoothed_round_trips_ms
from aqmlab.statistics.tidy import Tidy, tidy_numbers
from aqmlab.study.line_test import SavedTable, line_of, live_name, over_linux
from aqmlab.tables.model import finite
from aqmlab.tables.stored import require_form

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import pyarrow as pa

    from aqmlab.presets.line import Line
    from aqmlab.result import Result
    from aqmlab.runs.executors import Executor
    from aqmlab.scenario import Scenario, ScenarioLike


@dataclass(frozen=True, slots=True)
class Grade:
    """A grade.

    Attributes:
        name: From `A+`, the best, to `F`; there is no E.
        below_ms: The added delay in milliseconds that it ends at; none of the last one.
    """

    name: str
    below_ms: float | None


GRADES = (
    Grade("A+", 5.0),
    Grade("A", 30.0),
    Grade("B", 60.0),
    Grade("C", 200.0),
    Grade("D", 400.0),
    Grade("F", None),
)
"""All grades, the best first."""


WITH_LOSSES = ((1.0, "C"), (3.0, "F"))
"""The best grade of a line that loses more than so many of 100 probes."""


def grade_of(added_ms: float, lost_percent: float = 0.0) -> Grade:
    """The grade of so many milliseconds of added delay, at such losses."""
    names = [grade.name for grade in GRADES]
    by_delay = next(
        place for place, grade in enumerate(GRADES) if grade.below_ms is None or added_ms < grade.below_ms
    )
    by_loss = [names.index(best) for above, best in WITH_LOSSES if lost_percent > above]
    return GRADES[max([by_delay, *by_loss])]


def thresholds() -> str:
    """What the grades mean: `A+ below 5 ms, A below 30 ms, ... F from 400 ms`."""
    below = [f"{grade.name} below {grade.below_ms:g} ms" for grade in GRADES if grade.below_ms is not None]
    return ", ".join([*below, f"{GRADES[-1].name} from {GRADES[-2].below_ms:g} ms"])


def thresholds_of_losses() -> str:
    """What losses do to them: `C at best above 1 % of loss, F above 3 %`."""
    first, last = WITH_LOSSES
    return f"{first[1]} at best above {first[0]:g} % of loss, {last[1]} above {last[0]:g} %"


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
        return {name: finite(value) for name, value in found.items()}


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


@dataclass(frozen=True, repr=False)
class Bufferbloat(shown.Shown, Tidy, SavedTable):
    """How much a line delays everybody while it is full.

    Attributes:
        line: The line.
        queues: What was measured under each queue management, the line as it is first; live ones last.
        live_timing: Where the timing of live runs is suspect, why; empty if nowhere.
    """

    line: Line
    queues: tuple[QueueUnderLoad, ...]
    live_timing: str = ""

    def __getitem__(self, name: str) -> QueueUnderLoad:
        """What was measured under a queue management.

        Raises:
            RefusalError: There is none of this name.
        """
        by_name = {queue.name: queue for queue in self.queues}
        if name not in by_name:
            raise RefusalError.unknown("queue", name, by_name)
        return by_name[name]

    def to_arrow(self) -> pa.Table:
        """One row for each queue management, seed and number: the columns of `aqmlab.frame`.

        A delay that falls to probes that were lost is null.
        """
        return tidy_numbers(
            (queue.name, seed, replace(queue, phases=phases).numbers())
            for queue in self.queues
            for seed, phases in queue.by_seed.items()
        )

    def __repr__(self) -> str:
        return f"Bufferbloat({self.line.in_words()!r}, {', '.join(queue.name for queue in self.queues)})"


@arguments.checked(
    RefusalError,
    rtt_ms=arguments.optional(arguments.above_zero),
    schemes=arguments.schemes,
    seeds=given_seeds,
    output=arguments.optional(arguments.table_file),
)
def bloat(
    line: ScenarioLike | None = None,
    *,
    overrides: Mapping[str, object] | None = None,
    down_mbps: float | None = None,
    up_mbps: float | None = None,
    rtt_ms: float | None = None,
    technology: str | None = None,
    queue_in: str | None = None,
    shaped_share: float | None = None,
    schemes: Sequence[str] = DEFAULT_SCHEMES,
    seeds: Iterable[int] | str = DEFAULT_SEEDS,
    within_s: float | None = None,
    output: str | Path | None = None,
    live: bool = False,
    workers: int | None = None,
    executor: Executor | str = "threads",
    progress: bool = False,
) -> Bufferbloat:
    """Shows how much a full line delays everybody: probes cross it while it is idle and while it is full.

    Args:
        line: A scenario with a `[line]` or a `[dumbbell]`, whose users and flows are left out; without one
            `down_mbps` and `up_mbps` are the line.
        overrides: Dotted keys with the values that replace the scenario's.
        down_mbps: The line's rate down, in Mbit/s.
        up_mbps: Its rate up, in Mbit/s.
        rtt_ms: Round trip of the downloads and uploads on the idle line; by default 20 ms, or 10 ms more
            than the delays of the scenario.
        technology: Of a line without a scenario: frames, buffers and delay of cable, vdsl, adsl, fibre, lte,
            5g or starlink; by default none of its own.
        queue_in: Whose queues the disciplines are: router (which shapes the line), router-unshaped, modem
            (the way up alone), provider (the way down alone) or line (modem and provider); by default line.
        shaped_share: The share of the line's rate that the router leaves it; by default the file's, or 0.95.
        schemes: Queue disciplines to put there, beside the line as it is.
        seeds: Random seeds; delays are means over them.
        within_s: Time to do it in, by an estimate for this machine: fewer seeds are run if all do not fit,
            with a warning.
        output: Also write every delay (50, 95 and 99 %, each way), loss and rate of each phase.
        live: Also do all of it over Linux TCP, in real time: 10 s for each queue, phase and seed. Needs what
            aqmlab doctor asks for.
        workers: Number of parallel runs; by default one per core.
        executor: Where runs are computed: `threads`, `local` (processes), `dask` or `dask://HOST:PORT`.
        progress: Whether to show a progress bar.

    Returns:
        Delays, losses, rates and the grade of each phase under each queue management; the worst is its grade.

    Raises:
        RefusalError: The line is named twice or not at all, or is too slow; an argument is of another kind.
        ScenarioError: The line, or a scheme on it, is refused.
        RunError: A run failed, or the machine does not allow a live run.
    """
    if output is not None:
        require_form(Path(output))
    tested = line_of(
        line,
        down_mbps=down_mbps,
        up_mbps=up_mbps,
        rtt_ms=rtt_ms,
        overrides=overrides,
        technology=technology,
        queue_in=queue_in,
        shaped_share=shaped_share,
    )
    chosen = chosen_executor(executor, workers)
    found = measure(tested, schemes, seeds=seeds, within_s=within_s, executor=chosen, progress=progress)
    timing = ""
    if live:
        rows, timing = over_linux(
            lambda run: measure(tested, schemes, seeds=list(found[0].by_seed), run=run), progress=progress
        )
        found += [replace(row, name=live_name(row.name), live=True) for row in rows]
    measured = Bufferbloat(tested, tuple(found), timing)
    if output is not None:
        measured.save(output)
    return measured
