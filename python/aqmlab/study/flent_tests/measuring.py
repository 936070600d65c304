"""`aqmlab.flent`: one of Flent's tests on a line, simulated or over the kernel's TCP."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from aqmlab import arguments, shown
from aqmlab.errors import RefusalError
from aqmlab.files.folders import folder_names
from aqmlab.presets.line import DIRECTIONS, under_schemes
from aqmlab.runs import Job, run_many
from aqmlab.runs.budget import affordable
from aqmlab.runs.executors import chosen_executor
from aqmlab.seeds import Seeds, given_seeds
from aqmlab.statistics.series import Series, data_mbps, round_trips_ms
from aqmlab.statistics.tidy import Tidy, tidy_numbers
from aqmlab.study.flent_tests.data_file import save_flent_test
from aqmlab.study.flent_tests.definitions import DELAY_S, LENGTH_S, STEP_S, TESTS
from aqmlab.study.line_test import SavedTable, line_of, live_name, over_linux
from aqmlab.tables.model import finite
from aqmlab.tables.stored import require_form

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from aqmlab.presets.line import Line
    from aqmlab.result import Result
    from aqmlab.runs.executors import Executor
    from aqmlab.scenario import Scenario, ScenarioLike
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
        return {name: finite(value) for name, value in found.items()}


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


@dataclass(frozen=True, repr=False)
class FlentResults(shown.Shown, Tidy, SavedTable):
    """One of Flent's tests on a line.

    Attributes:
        line: The line.
        runs: A run for each queue management and seed, the line as it is first; live ones last.
        live_timing: Where the timing of live runs is suspect, why; empty if nowhere.
    """

    line: Line
    runs: tuple[Measured, ...]
    live_timing: str = ""

    @cached_property
    def queues(self) -> dict[str, QueueInTest]:
        """The runs of each queue management, with their numbers over all seeds."""
        names = dict.fromkeys(run.queue for run in self.runs)
        return {name: QueueInTest(name, [run for run in self.runs if run.queue == name]) for name in names}

    def to_arrow(self) -> pa.Table:
        """One row for each queue management, seed and number: the columns of `aqmlab.frame`.

        A round trip that falls to probes without an answer is null.
        """
        return tidy_numbers(
            (run.queue, run.seed, QueueInTest(run.queue, [run]).numbers()) for run in self.runs
        )

    @arguments.checked(RefusalError, folder=arguments.folder)
    def save_flent(self, folder: str | Path) -> list[Path]:
        """Writes a data file of Flent for each queue and seed into a folder.

        Raises:
            StorageError: A file could not be written.
        """
        names, files = folder_names([run.queue for run in self.runs]), []
        for run in self.runs:
            file = Path(folder) / f"{run.test.name}-{names[run.queue]}-seed-{run.seed}.flent.gz"
            save_flent_test(run, file)
            files.append(file)
        return files

    def __repr__(self) -> str:
        return f"FlentResults({self.runs[0].test.name!r}, {self.line.in_words()!r}, {', '.join(self.queues)})"


@arguments.checked(
    RefusalError,
    test=arguments.one_of(*TESTS),
    rtt_ms=arguments.optional(arguments.above_zero),
    schemes=arguments.schemes,
    seeds=given_seeds,
    length_s=arguments.between(1, 3600),
    flent=arguments.optional(arguments.folder),
    output=arguments.optional(arguments.table_file),
)
def flent(
    test: str,
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
    seeds: Iterable[int] | str = "1",
    within_s: float | None = None,
    length_s: float = LENGTH_S,
    flent: str | Path | None = None,
    live: bool = False,
    output: str | Path | None = None,
    workers: int | None = None,
    executor: Executor | str = "threads",
    progress: bool = False,
) -> FlentResults:
    """Runs one of Flent's tests on a line.

    Args:
        test: `rrul`, `rrul_be`, `tcp_nup`, `tcp_ndown` or `rtt_fair`.
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
        seeds: Random seeds; numbers are over all of them.
        within_s: Time to do it in, by an estimate for this machine: fewer seeds are run if all do not fit,
            with a warning.
        length_s: How long the streams last.
        flent: Also write a data file of Flent for each queue and seed into this folder, for flent and
            flent-gui.
        live: Also do all of it over Linux TCP, in real time: 70 s for each queue and seed, with streams of
            60 s. Needs what aqmlab doctor asks for.
        output: Also write what each stream carried, and the median, 95 and 99 % of each probe.
        workers: Number of parallel runs; by default one per core.
        executor: Where runs are computed: `threads`, `local` (processes), `dask` or `dask://HOST:PORT`.
        progress: Whether to show a progress bar.

    Returns:
        What the streams carried and how long probes took, under each queue management.

    Raises:
        RefusalError: There is no such test; the line is named twice or not at all, or is too slow; an
            argument is of another kind.
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
    run_test = partial(measure, TESTS[test], tested, schemes, length_s=length_s)
    engine = chosen_executor(executor, workers)
    found = run_test(seeds=seeds, within_s=within_s, executor=engine, progress=progress)
    timing = ""
    if live:
        rows, timing = over_linux(
            lambda run: run_test(seeds=list(dict.fromkeys(each.seed for each in found)), run=run),
            progress=progress,
        )
        found += [replace(row, queue=live_name(row.queue)) for row in rows]
    measured = FlentResults(tested, tuple(found), timing)
    if flent is not None:
        measured.save_flent(flent)
    if output is not None:
        measured.save(output)
    return measured
