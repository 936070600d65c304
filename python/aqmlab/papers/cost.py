"""What the scales of an experiment cost on this machine, told before the first run.

The work of a run grows with its simulated seconds and with the load that its users offer, whatever the queue
does. To begin takes as long as its users need for what was before: nothing, or an hour of browsing where they
start stationary. Short runs of the experiment's own scenario at full load say what both take here, or one
whole run of a scenario that is legal at its own length alone; everything else is counting the runs.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aqmlab.errors import ExperimentError, ScenarioError
from aqmlab.load import Demand
from aqmlab.load.matching import RESERVE
from aqmlab.runs import run
from aqmlab.statistics.tidy import tidy_numbers
from aqmlab.tables.model import Column, Standing, Table, TableCell, number, text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from aqmlab.papers.documents import Scale
    from aqmlab.papers.experiment import Experiment
    from aqmlab.scenario import Scenario

STEADY = "steady"
"""How users begin in the runs that say what a simulated second takes: as they go on."""
CHEAP = ("steady", "fresh")
"""How users begin without a life before the run."""
PROBES_S = (2.0, 20.0)
"""Simulated seconds of the two short runs."""
VERIFICATIONS = 1.5
"""Runs that matching a load takes for a seed, in the mean, after its survey."""


@dataclass(frozen=True, slots=True)
class Pace:
    """What runs at full load take of one core of this machine.

    Attributes:
        begin_s: To begin a run, in seconds, by how its users begin.
        per_simulated_s: A simulated second, in seconds.
    """

    begin_s: Mapping[str, float]
    per_simulated_s: float


@dataclass(frozen=True, slots=True)
class Cost:
    """What a scale takes, made from nothing.

    Attributes:
        scale: Its name.
        runs: How many, those of calibration and load matching included.
        simulated_s: Their simulated seconds together.
        core_s: Seconds of one core.
    """

    scale: str
    runs: int
    simulated_s: float
    core_s: float


@dataclass(frozen=True, slots=True)
class _Planned:
    """So many runs alike, of the load in per cent of full load that their users offer."""

    runs: float
    load_percent: float
    simulated_s: float


def measured_pace(experiment: Experiment, scenario: Callable[[str], Scenario], starts: Iterable[str]) -> Pace:
    """Makes short runs at full load and takes their time: a second or so, more for stationary users."""

    def seconds(start: str, duration_s: float) -> float:
        demand = Demand.of(scenario(start))
        full = experiment.users_per_side_at_100_percent
        populated = scenario(start) if full is None else demand.with_sizes(demand.sizes(full))
        return _core_s(populated, duration_s)

    short_s, long_s = PROBES_S
    try:
        seconds(STEADY, short_s)  # the first run of a process also loads what runs need
    except (ScenarioError, ExperimentError):
        return _pace_of_whole_run(scenario, starts)
    short, long = seconds(STEADY, short_s), seconds(STEADY, long_s)
    per_simulated_s = max(0.0, long - short) / (long_s - short_s)
    begin_s = {STEADY: short, **{each: seconds(each, short_s) for each in starts if each not in CHEAP}}
    begin_s |= dict.fromkeys(CHEAP, short)
    begun_s = {each: max(0.0, taken - short_s * per_simulated_s) for each, taken in begin_s.items()}
    return Pace(begun_s, per_simulated_s)


def _pace_of_whole_run(scenario: Callable[[str], Scenario], starts: Iterable[str]) -> Pace:
    """Of a scenario that cannot be had in short, for its phases or users: all of its time is going on."""
    known = sorted(starts)
    whole = scenario(known[0])
    return Pace(dict.fromkeys(known, 0.0), _core_s(whole, whole.duration_s) / whole.duration_s)


def _core_s(scenario: Scenario, duration_s: float) -> float:
    """Seconds of a core that a run takes; others on the machine make a clock on the wall run faster."""
    probe = scenario.with_overrides({"duration_s": duration_s, "warm_up_s": 0.0, "cool_down_s": 0.0})
    before = time.process_time()
    run(probe, seed=1)
    return time.process_time() - before


def cost_of(experiment: Experiment, scale: Scale, pace: Pace) -> Cost:
    """What a scale takes at a pace."""
    planned = list(_planned(experiment, scale))
    return Cost(
        scale=scale.name,
        runs=round(sum(each.runs for each in planned)),
        simulated_s=sum(each.runs * each.simulated_s for each in planned),
        core_s=sum(
            each.runs
            * (each.load_percent / 100.0)
            * (pace.begin_s[scale.start] + pace.per_simulated_s * each.simulated_s)
            for each in planned
        ),
    )


def sum_of(costs: Sequence[Cost]) -> Cost:
    """What several parts of one scale take together."""
    return Cost(
        scale=costs[0].scale,
        runs=sum(each.runs for each in costs),
        simulated_s=sum(each.simulated_s for each in costs),
        core_s=sum(each.core_s for each in costs),
    )


def _planned(experiment: Experiment, scale: Scale) -> Iterator[_Planned]:
    """Every run of a scale."""
    for users in scale.calibration.users_per_side:
        load = 100.0 * users / (experiment.users_per_side_at_100_percent or users)
        duration_s = scale.calibration.overrides.get("duration_s", scale.duration_s)
        yield _Planned(scale.calibration.replications, load, duration_s)
    if scale.load_matched and scale.loads_percent:
        yield _Planned(scale.replications, RESERVE * max(scale.loads_percent), scale.duration_s)
        for load in scale.loads_percent:
            yield _Planned(VERIFICATIONS * scale.replications, load, scale.duration_s)
    for load in scale.loads_percent:
        made = [each for each in experiment.run_at(scale, load) if not (each.twin and scale.load_matched)]
        yield _Planned(len(made) * scale.replications, load, scale.duration_s)


_MINUTE_S, _HOUR_S = 60.0, 3600.0
_LONGEST_IN_MINUTES_S = 2.0 * _HOUR_S


def costs_table(
    costs: Sequence[Cost], *, study: str, chosen: str, workers: int, hosts: str | None = None
) -> Table:
    """A row for each scale of a study; the chosen one stands out."""
    both = "" if hosts is None else f" with {hosts} hosts and with its own"
    columns: list[Column[Cost]] = [
        Column("scale", lambda cost: _scale(cost, chosen), "scale", heads_row=True),
        Column("runs", lambda cost: number(cost.runs, ",d"), "runs"),
        Column(
            "simulated_s", lambda cost: number(cost.simulated_s / _HOUR_S, ",.1f", unit=" h"), "simulated"
        ),
        Column("core_s", lambda cost: _lasting(cost.core_s), "on one core"),
        Column("expected_s", lambda cost: _lasting(cost.core_s / workers), f"on {workers}"),
    ]
    return Table.of(
        costs,
        columns,
        title=f"{study}{both}: estimated run time of each scale on this machine",
        caption="estimated from short test runs; finished runs are not repeated",
    )


def tidy_costs(costs: Iterable[tuple[str, Cost]], *, workers: int) -> pa.Table:
    """The same of several studies in the columns of `aqmlab.frame`."""
    return tidy_numbers(
        (
            f"{study}, {cost.scale}",
            None,
            {
                "runs": float(cost.runs),
                "simulated_s": cost.simulated_s,
                "core_s": cost.core_s,
                "expected_s": cost.core_s / workers,
            },
        )
        for study, cost in costs
    )


def total_of(costs: Sequence[Cost], *, workers: int) -> str:
    """In words what several scales take together, one after the other."""
    core_s = sum(cost.core_s for cost in costs)
    return f"{told(core_s)} on one core, {told(core_s / workers)} on {workers}"


def _scale(cost: Cost, chosen: str) -> TableCell:
    return text(cost.scale, Standing.WITHIN if cost.scale == chosen else Standing.PLAIN)


def _lasting(seconds: float) -> TableCell:
    return text(told(seconds), value=seconds)


def told(seconds: float) -> str:
    """A time in words, such as `12 min`."""
    if seconds < 2.0 * _MINUTE_S:
        return f"{seconds:.0f} s"
    if seconds < _LONGEST_IN_MINUTES_S:
        return f"{seconds / _MINUTE_S:.0f} min"
    return f"{seconds / _HOUR_S:.1f} h"
