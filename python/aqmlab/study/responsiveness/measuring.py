"""`aqmlab.rpm`: how responsive a line is while downloads, uploads or both fill it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from aqmlab import arguments, shown
from aqmlab.errors import RefusalError
from aqmlab.presets.line import AS_IT_IS, DIRECTIONS, under_schemes
from aqmlab.runs import Job, run_many
from aqmlab.runs.budget import affordable
from aqmlab.runs.executors import chosen_executor
from aqmlab.seeds import Seeds, given_seeds
from aqmlab.statistics.series import Series, data_mbps, round_trips_ms, smoothed_round_trips_ms
from aqmlab.statistics.tidy import Tidy, tidy_numbers
from aqmlab.study.line_test import SavedTable, line_of, live_name, over_linux
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
from aqmlab.tables.stored import require_form

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import pyarrow as pa

    from aqmlab.presets.line import Line
    from aqmlab.result import Result
    from aqmlab.runs.executors import Executor
    from aqmlab.scenario import Scenario, ScenarioLike

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


LOADS = tuple(map(str, Way))


@dataclass(frozen=True, repr=False)
class RoundTripsPerMinute(shown.Shown, Tidy, SavedTable):
    """How responsive a line is while it is full.

    Attributes:
        line: The line.
        tests: A test for each queue management, load and seed, the line as it is first; live ones last.
        live_timing: Where the timing of live runs is suspect, why; empty if nowhere.
    """

    line: Line
    tests: tuple[Responsiveness, ...]
    live_timing: str = ""

    def rpm(self, queue: str, load: str) -> float:
        """Round trips per minute under a queue management: the mean over the seeds.

        Raises:
            RefusalError: There is no such queue or load.
        """
        for what, name, known in (
            ("queue", queue, {test.queue for test in self.tests}),
            ("load", load, {str(test.way) for test in self.tests}),
        ):
            if name not in known:
                raise RefusalError.unknown(what, name, sorted(known))
        found = [test.outcome.rpm for test in self.tests if (test.queue, test.way) == (queue, load)]
        return sum(found) / len(found)

    def to_arrow(self) -> pa.Table:
        """One row for each queue management, seed and number: the columns of `aqmlab.frame`."""
        return tidy_numbers((test.queue, test.seed, test.numbers()) for test in self.tests)

    def __repr__(self) -> str:
        return f"RoundTripsPerMinute({self.line.in_words()!r}, {len(self.tests)} tests)"


@arguments.checked(
    RefusalError,
    rtt_ms=arguments.optional(arguments.above_zero),
    load=arguments.some_of(*LOADS),
    schemes=arguments.schemes,
    seeds=given_seeds,
    output=arguments.optional(arguments.table_file),
)
def rpm(
    line: ScenarioLike | None = None,
    *,
    overrides: Mapping[str, object] | None = None,
    down_mbps: float | None = None,
    up_mbps: float | None = None,
    rtt_ms: float | None = None,
    technology: str | None = None,
    queue_in: str | None = None,
    shaped_share: float | None = None,
    load: Sequence[str] = LOADS,
    schemes: Sequence[str] = DEFAULT_SCHEMES,
    seeds: Iterable[int] | str = "1",
    within_s: float | None = None,
    output: str | Path | None = None,
    live: bool = False,
    workers: int | None = None,
    executor: Executor | str = "threads",
    progress: bool = False,
) -> RoundTripsPerMinute:
    """Shows how responsive a full line is, in round trips per minute.

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
        load: Where connections load the line: down, up, or both at once; may be repeated, one test for each.
        schemes: Queue disciplines to put there, beside the line as it is.
        seeds: Random seeds; round trips per minute are means over them.
        within_s: Time to do it in, by an estimate for this machine: fewer seeds are run if all do not fit,
            with a warning.
        output: Also write goodput, duration and confidence of each test.
        live: Also do all of it over Linux TCP, in real time: 80 s for each queue, load and seed. Needs what
            aqmlab doctor asks for.
        workers: Number of parallel runs; by default one per core.
        executor: Where runs are computed: `threads`, `local` (processes), `dask` or `dask://HOST:PORT`.
        progress: Whether to show a progress bar.

    Returns:
        Round trips per minute under each queue management and load, with the confidence in them.

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
    ways = [Way(way) for way in load]
    chosen = chosen_executor(executor, workers)
    found = measure(
        tested, schemes, ways=ways, seeds=seeds, within_s=within_s, executor=chosen, progress=progress
    )
    timing = ""
    if live:
        rows, timing = over_linux(
            lambda run: measure(
                tested, schemes, ways=ways, seeds=list(dict.fromkeys(each.seed for each in found)), run=run
            ),
            progress=progress,
        )
        found += [replace(row, queue=live_name(row.queue)) for row in rows]
    measured = RoundTripsPerMinute(tested, tuple(found), timing)
    if output is not None:
        measured.save(output)
    return measured
