"""`aqmlab.rpm`: how responsive a full line is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from aqmlab import arguments, shown
from aqmlab.errors import RefusalError
from aqmlab.runs.executors import chosen_executor
from aqmlab.seeds import given_seeds
from aqmlab.statistics.tidy import Tidy, tidy_numbers
from aqmlab.study.line_test import SavedTable, line_of, live_name, over_linux
from aqmlab.study.responsiveness.measuring import DEFAULT_SCHEMES, Responsiveness, Way, measure
from aqmlab.tables.stored import require_form

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa

    from aqmlab.presets.line import Line
    from aqmlab.runs.executors import Executor
    from aqmlab.scenario import ScenarioLike

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
