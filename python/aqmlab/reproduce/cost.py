"""What the scales of an experiment cost on this machine, told before the first run.

The work of a run grows with its simulated seconds and with the load that its users offer, whatever the queue
does. Two short runs of the experiment's own scenario at full load say what a simulated second takes here, and
what a run takes to begin; everything else is counting the runs.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aqmlab.load import Demand
from aqmlab.load.matching import RESERVE
from aqmlab.runs import run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aqmlab.reproduce.experiment import Experiment, Scale
    from aqmlab.scenario import Scenario

PROBES_S = (2.0, 20.0)
"""Simulated seconds of the two short runs."""
VERIFICATIONS = 1.5
"""Runs that matching a load takes for a seed, in the mean, after its survey."""


@dataclass(frozen=True, slots=True)
class Pace:
    """What runs take of one core of this machine.

    Attributes:
        begin_s: To begin a run, in seconds.
        per_simulated_s: A simulated second at full load, in seconds.
    """

    begin_s: float
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


def measured_pace(experiment: Experiment, base: Scenario) -> Pace:
    """Makes short runs of a scenario at full load and takes their time, which is about a second.

    Its users have to begin as they go on: after a fresh start they ask more often at first.
    """
    demand = Demand.of(base)
    populated = demand.with_sizes(demand.sizes(experiment.users_per_side_at_100_percent))
    _core_s(populated, PROBES_S[0])  # the first run of a process also loads what runs need
    short, long = (_core_s(populated, duration_s) for duration_s in PROBES_S)
    per_simulated_s = max(0.0, long - short) / (PROBES_S[1] - PROBES_S[0])
    return Pace(max(0.0, short - PROBES_S[0] * per_simulated_s), per_simulated_s)


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
            each.runs * (pace.begin_s + pace.per_simulated_s * each.simulated_s * each.load_percent / 100.0)
            for each in planned
        ),
    )


def _planned(experiment: Experiment, scale: Scale) -> Iterator[_Planned]:
    """Every run of a scale."""
    for users in scale.calibration_users_per_side:
        load = 100.0 * users / experiment.users_per_side_at_100_percent
        duration_s = scale.calibration_overrides.get("duration_s", scale.duration_s)
        yield _Planned(scale.calibration_replications, load, duration_s)
    if scale.load_matched and scale.loads_percent:
        yield _Planned(scale.replications, RESERVE * max(scale.loads_percent), scale.duration_s)
        for load in scale.loads_percent:
            yield _Planned(VERIFICATIONS * scale.replications, load, scale.duration_s)
    for load in scale.loads_percent:
        made = [each for each in experiment.run_at(scale, load) if not (each.twin and scale.load_matched)]
        yield _Planned(len(made) * scale.replications, load, scale.duration_s)
