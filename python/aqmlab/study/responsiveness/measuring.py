"""A test of responsiveness on a line, simulated or over the kernel's TCP: downloads, uploads, or both."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.presets.line import AS_IT_IS, DIRECTIONS, under_schemes
from aqmlab.runs import Job, run_many
from aqmlab.runs.budget import affordable
from aqmlab.runs.executors import chosen_executor
from aqmlab.seeds import Seeds
from aqmlab.statistics.series import Series, data_mbps, round_trips_ms, smoothed_round_trips_ms
from aqmlab.study.responsiveness.algorithm import (
    ADDED_CONNECTIONS,
    FOREIGN_PROBE_BYTES,
    INITIAL_CONNECTIONS,
    INTERVAL_S,
    MOST_CONNECTIONS,
    PROBES_PER_S,
    SELF_PROBE_BYTES,
    SHARE_OF_PROBES,
    Outcome,
    evaluate,
    rounds_per_minute,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from aqmlab.presets.line import Line
    from aqmlab.result import Result
    from aqmlab.runs.executors import Executor
    from aqmlab.scenario import Scenario

DEFAULT_SCHEMES = ("fq-codel", "cake", "pie", "dualpi2")
MOST_S = 80.0
"""The time that a test may take, in which all connections join: the draft leaves it to whoever runs it."""
_HOSTS = "linux6-cubic"
_PROBE_BYTES = 60
"""As long as a SYN with options: what a foreign probe sends first."""
_STEPS = 3
"""Of a foreign probe: TCP's handshake, one round trip of TLS 1.3, and the request of one byte."""
_FOREIGN = "foreign"


class Way(StrEnum):
    """Where the connections that load the line send."""

    DOWN = "down"
    UP = "up"
    BOTH = "both"

    @property
    def ways(self) -> tuple[str, ...]:
        """The ways that are loaded, as lines call them."""
        return tuple(DIRECTIONS) if self is Way.BOTH else (self.value,)


@dataclass(frozen=True)
class Responsiveness:
    """A test under one queue management at both ends of the line, with one seed.

    Attributes:
        queue: The scheme, or `as it is`.
        way: Where the line was loaded.
        seed: Of the run.
        outcome: What the test ended with.
        foreign_ms: Round trips of foreign probes, at the instants at which they were sent; infinite where one
            did not return.
        self_ms: Round trips on the connections that load the line, at the instants of the samples.
        goodput_mbps: What these connections carried in each interval, all together.
    """

    queue: str
    way: Way
    seed: int
    outcome: Outcome
    foreign_ms: Series
    self_ms: Series
    goodput_mbps: Series

    def numbers(self) -> dict[str, float | None]:
        """What the test ended with, by the names of columns."""
        outcome = self.outcome
        return {
            f"{self.way}_rpm": outcome.rpm,
            f"{self.way}_goodput_mbps": outcome.goodput_mbps,
            f"{self.way}_ended_s": outcome.ended_s,
        }


def scenario_of(line: Line, way: Way) -> Scenario:
    """The scenario of a test: connections that are added one by one, and probes."""
    starts_s = [0.0] * INITIAL_CONNECTIONS
    while len(starts_s) < MOST_CONNECTIONS:
        place = len(starts_s) - INITIAL_CONNECTIONS
        starts_s.append(INTERVAL_S * (1 + place // ADDED_CONNECTIONS))
    flows = [
        {
            "name": each,
            "count": len(starts_s),
            "direction": DIRECTIONS[each],
            "base_rtt_ms": line.behind_ms,
            "starts_s": starts_s,
            "profile": _HOSTS,
        }
        for each in way.ways
    ]
    pairs_per_s = _pairs_per_s(line, way)
    probe = {
        "name": _FOREIGN,
        "count": 1,
        "direction": DIRECTIONS["up"],
        "packet_bytes": _PROBE_BYTES,
        "rate_mbps": 8e-6 * _PROBE_BYTES * _STEPS * pairs_per_s,
        "start_spread_s": 0.0,
        "echo": True,
    }
    return line.carrying(
        f"responsiveness-{way}",
        duration_s=MOST_S,
        flows=flows,
        datagrams=[probe],
        record={
            "traffic_interval_ms": 1e3 * INTERVAL_S,
            "datagrams": True,
            "congestion_window_interval_ms": 1e3 / pairs_per_s,
        },
    )


def _pairs_per_s(line: Line, way: Way) -> float:
    """A foreign and a self probe are a pair; they take a twentieth of the slowest loaded way at most.

    Where that is less than a pair each second there is one: here they are shorter than the draft has them.
    """
    slowest = min(line.rates_mbps[each] for each in way.ways)
    bits_of_pair = 8 * (FOREIGN_PROBE_BYTES + SELF_PROBE_BYTES)
    return max(1.0, min(PROBES_PER_S / 2, SHARE_OF_PROBES * slowest * 1e6 / bits_of_pair))


def measure(
    line: Line,
    schemes: Sequence[str] = DEFAULT_SCHEMES,
    *,
    ways: Sequence[Way] = tuple(Way),
    seeds: Iterable[int] | str = (1,),
    within_s: float | None = None,
    executor: Executor | str = "threads",
    progress: bool = False,
    run: Callable[[Sequence[Job]], Iterable[Result]] | None = None,
) -> list[Responsiveness]:
    """Tests the responsiveness of a line as it is, and under each of these schemes at both ends."""
    made = {way: under_schemes(line, scenario_of(line, way), schemes) for way in ways}
    each_seed = [scenario for by_name in made.values() for scenario in by_name.values()]
    seeds = affordable(each_seed, Seeds.of(seeds), within_s, chosen_executor(executor)).seeds
    wanted = [(name, way, seed) for name in made[ways[0]] for way in ways for seed in seeds]
    jobs = [Job(made[way][name], seed) for name, way, seed in wanted]
    made_by = run or partial(run_many, executor=executor, progress=progress, label="responsiveness")
    return [
        felt(result, line, way, queue=name)
        for (name, way, _), result in zip(wanted, made_by(jobs), strict=True)
    ]


def felt(result: Result, line: Line, way: Way, *, queue: str = AS_IT_IS) -> Responsiveness:
    """What a test found, of the result of its scenario."""
    step_s = 1.0 / (_STEPS * _pairs_per_s(line, way))
    foreign = round_trips_ms(result, _FOREIGN, each_s=step_s, behind_ms=line.behind_ms)
    own = smoothed_round_trips_ms(result, end_s=MOST_S)
    carried = [
        data_mbps(result, each, line.links[each], step_s=INTERVAL_S, until_s=MOST_S) for each in way.ways
    ]
    goodput = Series(carried[0].at_s, np.sum([series.values for series in carried], axis=0))

    def rpm(first: int, last: int) -> float:
        window = (first * INTERVAL_S, last * INTERVAL_S)
        return rounds_per_minute([foreign.between(*window)] * _STEPS, own.between(*window))

    return Responsiveness(
        queue, way, result.seed, evaluate(goodput.values.tolist(), rpm), foreign, own, goodput
    )
