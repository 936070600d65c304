"""Simulation and live run side by side, seed by seed: what differs, and by how much.

Both have the same users, the same delays and the same queues, so a difference is TCP's or the machine's.
Where the kernel has the schemes of the queues, a third run beside them has its queue disciplines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aqmlab.comparison import Values, leaves_out_zero, paired_difference
from aqmlab.errors import MissingDataError
from aqmlab.live_runs.running import run_live
from aqmlab.result import Result
from aqmlab.runs import Job, run_many
from aqmlab.seeds import Seeds
from aqmlab.statistics import quantities

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from aqmlab.scenario import Scenario
    from aqmlab.statistics.quantity import Quantity
    from aqmlab.statistics.replication import Interval, NotEnoughReplications

COMPARED: tuple[Quantity, ...] = (
    quantities.utilization_percent,
    quantities.loss_percent,
    quantities.marked_percent,
    quantities.queue_mean_packets,
    quantities.completed_exchanges,
    *map(quantities.quantile_s, (0.5, 0.9, 0.99)),
)
"""What is set side by side."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One quantity of all.

    Attributes:
        quantity: The quantity.
        simulated: Of the simulations, seed by seed.
        live: Of the live runs, in the same order.
        kernel: Of the live runs through the kernel's queue disciplines; empty if there are none.
    """

    quantity: Quantity
    simulated: tuple[float, ...]
    live: tuple[float, ...]
    kernel: tuple[float, ...] = ()

    @property
    def difference(self) -> Interval | NotEnoughReplications:
        """Live less simulated, in the mean, with its interval where there are enough seeds."""
        return paired_difference(Values.of(self.simulated), Values.of(self.live))

    @property
    def kernel_difference(self) -> Interval | NotEnoughReplications | None:
        """The kernel's queue disciplines less the scenario's own; none without such runs."""
        return paired_difference(Values.of(self.live), Values.of(self.kernel)) if self.kernel else None

    @property
    def differs(self) -> bool | None:
        """Whether the interval of the difference leaves out zero; none without an interval."""
        return leaves_out_zero(self.difference)

    @property
    def kernel_differs(self) -> bool | None:
        """The same of the kernel's queue disciplines and the scenario's own."""
        found = self.kernel_difference
        return None if found is None else leaves_out_zero(found)


@dataclass(frozen=True, slots=True)
class Runs:
    """The runs of a cross-validation, each in the order of the seeds.

    Attributes:
        simulated: The simulations.
        live: The live runs.
        kernel: The live runs through the kernel's queue disciplines, if there are any.
    """

    simulated: list[Result]
    live: list[Result]
    kernel: list[Result]

    def audits(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The audit of each live run, with what the run is called."""
        for result in self.live:
            yield f"seed {result.seed}", result.live or {}
        for result in self.kernel:
            yield f"seed {result.seed}, kernel's queues", result.live or {}


def cross_validate(
    scenario: Scenario,
    folder: Path,
    seeds: Sequence[int],
    *,
    hosts: str = "",
    kernel_queues: bool = False,
    progress: bool = False,
) -> Runs:
    """Makes the simulations and the live runs, or finds them in the folder.

    With `kernel_queues`, live runs through the kernel's queue disciplines as well.

    Raises:
        ScenarioError: The scenario needs something that only the simulator has, or that the kernel lacks.
        RunError: The machine does not allow a live run, or a run failed.
    """
    seeds = Seeds.of(seeds)
    live, kernel = [], []
    for seed in seeds:
        live.append(_lived(scenario, folder / f"live-{seed}", seed, hosts, progress=progress))
        if kernel_queues:
            name = folder / f"kernel-{seed}"
            kernel.append(_lived(scenario, name, seed, hosts, kernel_queues=True, progress=progress))
    jobs = [Job(scenario, seed, folder=folder / f"simulated-{seed}") for seed in seeds]
    return Runs(run_many(jobs, progress=progress), live, kernel)


def _lived(
    scenario: Scenario, folder: Path, seed: int, hosts: str, *, kernel_queues: bool = False, progress: bool
) -> Result:
    if folder.exists():
        found = Result.load(folder)
        wanted = Result({"content_address": scenario.content_address(seed)})
        address = wanted.with_live({"kernel_queues": kernel_queues}).content_address
        if found.content_address == address and hosts in {"", (found.live or {}).get("hosts")}:
            return found
    return run_live(scenario, folder, seed=seed, hosts=hosts, kernel=kernel_queues, progress=progress)


def compared(
    simulated: Sequence[Result], live: Sequence[Result], kernel: Sequence[Result] = ()
) -> Iterator[Compared]:
    """Every quantity that all have."""
    for quantity in COMPARED:
        try:
            here, there, beside = (tuple(map(quantity, runs)) for runs in (simulated, live, kernel))
        except MissingDataError:
            continue
        yield Compared(quantity, here, there, beside)
