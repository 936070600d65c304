"""A test on a line, simulated or over the kernel's TCP: what streams carried, and how long probes took."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.presets.line import DIRECTIONS, under_schemes
from aqmlab.runs import Job, run_many
from aqmlab.runs.budget import affordable
from aqmlab.runs.executors import chosen_executor
from aqmlab.seeds import Seeds
from aqmlab.statistics.series import Series, data_mbps, round_trips_ms
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


@dataclass(frozen=True)
class QueueInTest:
    """One queue management in a test, with its runs: rates are means over them, probes those of all.

    Attributes:
        name: The scheme, or `as it is`.
        runs: A run for each seed.
    """

    name: str
    runs: Sequence[Measured]

    @property
    def ways(self) -> list[str]:
        """The ways in which streams send."""
        return [way for way in DIRECTIONS if any(stream.way == way for stream in self.runs[0].test.streams)]

    @property
    def lost_percent(self) -> float:
        """Probes without an answer, of those sent while the streams lasted."""
        return float(np.mean([run.lost_percent for run in self.runs]))

    def sum_mbps(self, way: str) -> float:
        """What the streams of a direction carried together."""
        return float(np.mean([run.sum_mbps(way) for run in self.runs]))

    def idle_ms(self) -> float:
        """The median round trip of all probes before the streams; infinite where it falls to lost ones."""
        return _percentile([run.idle_ms(name) for run in self.runs for name in run.probes], 50)

    def loaded_ms(self, *series: str, percent: int) -> float:
        """A percentile of the probes of these series beside the streams, or of all; likewise."""
        return _percentile(
            [run.loaded_ms(name) for run in self.runs for name in series or run.probes], percent
        )

    def numbers(self) -> dict[str, float | None]:
        """Every number by the name of its column; none of a round trip that falls to lost probes."""
        found = {f"{way}_mbps": self.sum_mbps(way) for way in self.ways}
        found |= {"idle_ms": self.idle_ms()}
        found |= {f"loaded_p{percent}_ms": self.loaded_ms(percent=percent) for percent in (50, 99)}
        found["lost_percent"] = self.lost_percent
        test = self.runs[0].test
        for stream in test.streams:
            carried = [run.mean_mbps(stream.series) for run in self.runs]
            found[f"{_column(stream.series)}_mbps"] = float(np.mean(carried))
        for probe in test.probes:
            for percent in (50, 95, 99):
                took_ms = self.loaded_ms(probe.series, percent=percent)
                found[f"{_column(probe.series)}_p{percent}_ms"] = took_ms
        return {name: value if math.isfinite(value) else None for name, value in found.items()}


def _percentile(parts: Sequence[Floats], percent: int) -> float:
    """A percentile, infinite where so many probes had no answer: these are the slowest."""
    values = np.concatenate(parts)
    if not len(values):
        return float("nan")
    if np.isfinite(values).all():
        return float(np.percentile(values, percent))
    # Nothing lies between a time and none.
    return float(np.percentile(values, percent, method="inverted_cdf"))


def _column(series: str) -> str:
    """Flent's name of a series as that of a column: `tcp_upload_be`, `ping_udp_ef`."""
    return re.sub(r"[^a-z0-9]+", "_", series.replace("(ms) ", "").lower())


def scenario_of(test: FlentTest, line: Line, length_s: float = LENGTH_S) -> Scenario:
    """The scenario that a test is on a line."""
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
    seeds: Iterable[int] | str = (1,),
    within_s: float | None = None,
    length_s: float = LENGTH_S,
    executor: Executor | str = "threads",
    progress: bool = False,
    run: Callable[[Sequence[Job]], Iterable[Result]] | None = None,
) -> list[Measured]:
    """Runs a test on a line as it is, and under each of these schemes at both ends."""
    made = under_schemes(line, scenario_of(test, line, length_s), schemes)
    seeds = affordable([*made.values()], Seeds.of(seeds), within_s, chosen_executor(executor)).seeds
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
            {stream.series: _carried(result, line, stream, length_s) for stream in test.streams},
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


def _carried(result: Result, line: Line, stream: Stream, length_s: float) -> Series:
    link, until_s = line.links[stream.way], length_s + 2 * DELAY_S
    return data_mbps(result, stream.series, link, step_s=STEP_S, until_s=until_s)
