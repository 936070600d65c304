"""Simulation and live run side by side, seed by seed: what differs, and by how much.

Both have the same users, the same delays and the same queues, so a difference is TCP's or the machine's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aqmlab.live.running import run_live
from aqmlab.result import Result
from aqmlab.runs import Job, run_many
from aqmlab.statistics import quantities
from aqmlab.statistics.recorded import MissingDataError
from aqmlab.statistics.replication import Interval, NotEnoughReplications, mean_interval

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from aqmlab.scenario import Scenario
    from aqmlab.statistics.quantity import Quantity

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
    """One quantity of both.

    Attributes:
        quantity: Which.
        simulated: Of the simulations, seed by seed.
        live: Of the live runs, in the same order.
        difference: Live less simulated, in the mean, with its interval where there are seeds enough.
    """

    quantity: Quantity
    simulated: tuple[float, ...]
    live: tuple[float, ...]
    difference: Interval | NotEnoughReplications

    @property
    def differs(self) -> bool | None:
        """Whether the interval of the difference leaves out zero; none without an interval."""
        found = self.difference
        return None if isinstance(found, NotEnoughReplications) else not found.lower <= 0.0 <= found.upper


def cross_validate(
    scenario: Scenario, folder: Path, seeds: Sequence[int], *, hosts: str = "", progress: bool = False
) -> tuple[list[Result], list[Result]]:
    """Makes the simulations and the live runs, or finds them in the folder: those first, these second.

    Raises:
        ScenarioError: The scenario asks for what only the simulator has.
        RunError: The machine does not allow a live run, or a run failed.
    """
    lived = [_lived(scenario, folder / f"live-{seed}", seed, hosts, progress=progress) for seed in seeds]
    jobs = [Job(scenario, seed, folder=folder / f"simulated-{seed}") for seed in seeds]
    return run_many(jobs, progress=progress), lived


def _lived(scenario: Scenario, folder: Path, seed: int, hosts: str, *, progress: bool) -> Result:
    if folder.exists():
        found = Result.load(folder)
        address = Result({"content_address": scenario.content_address(seed)}).with_live({}).content_address
        if found.content_address == address and hosts in {"", (found.live or {}).get("hosts")}:
            return found
    return run_live(scenario, folder, seed=seed, hosts=hosts, progress=progress)


def compared(simulated: Sequence[Result], live: Sequence[Result]) -> Iterator[Compared]:
    """Every quantity that both have."""
    for quantity in COMPARED:
        try:
            here, there = (tuple(map(quantity, runs)) for runs in (simulated, live))
        except MissingDataError:
            continue
        differences = [other - one for one, other in zip(here, there, strict=True)]
        yield Compared(quantity, here, there, mean_interval(differences))
