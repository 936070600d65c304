"""`aqmlab.flent`: one of Flent's tests on a line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from aqmlab import arguments, shown
from aqmlab.errors import RefusalError
from aqmlab.files.folders import folder_names
from aqmlab.runs.executors import chosen_executor
from aqmlab.seeds import given_seeds
from aqmlab.statistics.tidy import Tidy, tidy_numbers
from aqmlab.study.flent_tests.data_file import save_flent_test
from aqmlab.study.flent_tests.definitions import LENGTH_S, TESTS
from aqmlab.study.flent_tests.measuring import DEFAULT_SCHEMES, Measured, QueueInTest, measure
from aqmlab.study.line_test import SavedTable, line_of, live_name, over_linux
from aqmlab.tables.stored import require_form

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa

    from aqmlab.presets.line import Line
    from aqmlab.runs.executors import Executor
    from aqmlab.scenario import ScenarioLike


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
