"""A test on a line, simulated or over the kernel's TCP: what streams carried, and how long probes took."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.presets.line import DIRECTIONS, under_schemes
from aqmlab.runs import Job, run_many
from aqmlab.seeds import Seeds
from aqmlab.statistics.carried import Series, data_mbps, round_trips_ms
from aqmlab.study.flent_tests.definitions import DELAY_S, LENGTH_S, STEP_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from aqmlab.presets.line import Line
    from aqmlab.result import Result
    from aqmlab.runs.executors import Executor
    from aqmlab.scenario import Scenario
    from aqmlab.study.flent_tests.definitions import FlentTest, Stream

    Floats = NDArray[np.float64]

DEFAULT_SCHEMES = ("fq-codel", "cake")
_HOSTS = "linux6-cubic"
_PROBE_BYTES = 84
"""An echo request of ping: 56 bytes of data, 8 of ICMP, 20 of IP. Flent's UDP probes are about as long."""


@dataclass(frozen=True)
class Measured:
    """A test under one queue management at both ends of the line, with one seed.

    Attributes:
        test: What was run.
        queue: The scheme, or `as it is`.
        seed: Of the run.
        length_s: How long the streams lasted.
        streams: Mbit/s of each stream, by Flent's name of the series.
        probes: Round trips of each probe in milliseconds; infinite of those that did not come back.
        result: The run.
    """

    test: FlentTest
    queue: str
    seed: int
    length_s: float
    streams: Mapping[str, Series]
    probes: Mapping[str, Series]
    result: Result

    def mean_mbps(self, series: str) -> float:
        """What a stream carried in the mean while the streams lasted."""
        return float(np.mean(self.streams[series].between(DELAY_S, DELAY_S + self.length_s)))

    def sum_mbps(self, way: str) -> float:
        """What the streams of a direction carried together."""
        return sum(self.mean_mbps(stream.series) for stream in self.test.streams if stream.way == way)

    @property
    def lost_percent(self) -> float:
        """Probes without an answer, of those sent while the streams lasted."""
        answered = sum(int(np.isfinite(self.loaded_ms(series)).sum()) for series in self.probes)
        sent = len(self.probes) * round(self.length_s / STEP_S)
        return 100.0 * (1.0 - answered / sent)

    def idle_ms(self, series: str) -> Floats:
        """The round trips of a probe before the streams began; infinite where no answer came."""
        found = self.probes[series]
        return found.values[found.at_s < DELAY_S]

    def loaded_ms(self, series: str) -> Floats:
        """The round trips of a probe while the streams lasted; infinite where no answer came."""
        return self.probes[series].between(DELAY_S, DELAY_S + self.length_s)


def scenario_of(test: FlentTest, line: Line, length_s: float = LENGTH_S) -> Scenario:
    """The scenario that a test is on a line.

    Raises:
        ScenarioError: The line cannot be simulated; the message names the key.
    """
    behind_ms = _behind_ms(test, line)
    flows = [
        {
            "name": stream.series,
            "count": 1,
            "direction": DIRECTIONS[stream.way],
            "base_rtt_ms": behind_ms[stream.host],
            "start_s": DELAY_S,
            "start_spread_s": 0.0,
            "stop_s": DELAY_S + length_s,
            "dscp": stream.dscp,
            "profile": _HOSTS,
        }
        for stream in test.streams
    ]
    probes = [
        {
            "name": probe.series,
            "count": 1,
            "direction": DIRECTIONS["up"],
            "packet_bytes": _PROBE_BYTES,
            "rate_mbps": 8 * _PROBE_BYTES / STEP_S / 1e6,
            "start_spread_s": 0.0,
            "dscp": probe.dscp,
            "echo": True,
        }
        for probe in test.probes
    ]
    return line.carrying(
        test.name,
        duration_s=length_s + 2 * DELAY_S,
        flows=flows,
        datagrams=probes,
        record={"traffic_interval_ms": 1e3 * STEP_S, "datagrams": True},
    )


def measure(
    test: FlentTest,
    line: Line,
    schemes: Sequence[str] = DEFAULT_SCHEMES,
    *,
    seeds: Sequence[int] = (1,),
    length_s: float = LENGTH_S,
    executor: Executor | str = "threads",
    progress: bool = False,
    run: Callable[[Sequence[Job]], Iterable[Result]] | None = None,
) -> list[Measured]:
    """Runs a test on a line as it is, and under each of these schemes at both ends.

    Args:
        test: One of `TESTS`.
        line: The line.
        schemes: Queue disciplines, perhaps with parameters: `codel:target_ms=20`.
        seeds: Seeds of the runs.
        length_s: How long the streams last.
        executor: Where runs are computed: as of `aqmlab.run_many`.
        progress: Whether to show a progress bar.
        run: What computes the runs, in their order, in place of an executor: live runs.

    Returns:
        Of each queue, in turn, one for each seed.

    Raises:
        ScenarioError: The line, or a scheme on it, is refused.
        RunError: A run failed.
    """
    seeds = Seeds.of(seeds)
    made = under_schemes(scenario_of(test, line, length_s), schemes)
    wanted = [(name, seed) for name in made for seed in seeds]
    jobs = [Job(made[name], seed) for name, seed in wanted]
    made_by = run or partial(run_many, executor=executor, progress=progress, label=test.name)
    behind_ms = _behind_ms(test, line)
    return [
        Measured(
            test,
            name,
            seed,
            length_s,
            {stream.series: _carried(result, stream, length_s) for stream in test.streams},
            {
                probe.series: round_trips_ms(
                    result, probe.series, each_s=STEP_S, behind_ms=behind_ms[probe.host]
                )
                for probe in test.probes
            },
            result,
        )
        for (name, seed), result in zip(wanted, made_by(jobs), strict=True)
    ]


def _behind_ms(test: FlentTest, line: Line) -> list[float]:
    """What a round trip to each host takes behind the line."""
    return [each * line.round_trip_ms - line.own_round_trip_ms for each in test.distances]


def _carried(result: Result, stream: Stream, length_s: float) -> Series:
    link, until_s = DIRECTIONS[stream.way], length_s + 2 * DELAY_S
    return data_mbps(result, stream.series, link, step_s=STEP_S, until_s=until_s)
