"""`aqmlab.bloat`: how much a full line delays everybody."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from aqmlab import arguments, shown
from aqmlab.errors import RefusalError
from aqmlab.runs.executors import chosen_executor
from aqmlab.seeds import given_seeds
from aqmlab.statistics.tidy import Tidy, tidy_numbers
from aqmlab.study.bloat.measuring import DEFAULT_SCHEMES, DEFAULT_SEEDS, QueueUnderLoad, measure
from aqmlab.study.line_test import SavedTable, line_of, live_name, over_linux
from aqmlab.tables.stored import require_form

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa

    from aqmlab.presets.line import Line
    from aqmlab.runs.executors import Executor
    from aqmlab.scenario import ScenarioLike


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
