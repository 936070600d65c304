"""A run to be made: what all of `aqmlab run`, sweeps, searches and reproductions hand to an executor."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from aqmlab import _core
from aqmlab.errors import RunError, ScenarioError
from aqmlab.load.offered import offering_twin
from aqmlab.scenario import Scenario
from aqmlab.seeds import seed_of
from aqmlab.terminal.spelling import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Job:
    """A run to compute. Two are equal if they are the same run in the same place.

    Attributes:
        scenario: What to run.
        seed: The seed, from 0 to 2⁶⁴ − 1.
        folder: Folder for the result; without it, the result goes to the store, if any.
        offered_load: The offered load, if known; stored with the result.
        measure_offered_load: Whether to measure it, if there are users and an uncongested twin, by also
            running the twin, which takes about as long.
        label: Its name in messages; the scenario's name if empty.
        pcap: Ports whose packets are written as pcapng files next to the result.
    """

    scenario: Scenario
    seed: int
    folder: Path | None = None
    offered_load: Mapping[str, Any] | None = field(default=None, compare=False)
    measure_offered_load: bool = field(default=False, compare=False)
    label: str = field(default="", compare=False)
    pcap: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.scenario, Scenario):
            raise ScenarioError(
                f"a job is of a Scenario, as Scenario.of makes one, not {quoted(self.scenario)}"
            )
        object.__setattr__(self, "seed", seed_of(self.seed))

    @cached_property
    def address(self) -> str:
        """The content address of the run; see `Scenario.content_address`."""
        return self.scenario.content_address(self.seed)

    @cached_property
    def twin(self) -> Scenario | None:
        """The uncongested twin, run first, if the offered load is to be measured."""
        wanted = self.measure_offered_load and self.offered_load is None
        return offering_twin(self.scenario) if wanted else None

    @property
    def simulated_s(self) -> float:
        """Total simulated time, in seconds."""
        return self.scenario.duration_s * (1 if self.twin is None else 2)

    def kept_in(self, store: Path) -> Job:
        """The same run with its folder in a store, unless it has one."""
        if self.folder is not None:
            return self
        placed = replace(self, folder=store / self.address)
        placed.__dict__["address"] = self.address  # computing it again would take milliseconds
        return placed

    def order(self) -> dict[str, Any]:
        """What another process needs for the run, as plain data."""
        return {
            "scenario_json": self.scenario.resolved_json,
            "seed": self.seed,
            "address": self.address,
            "folder": None if self.folder is None else str(self.folder.absolute()),
            "offered_load": self.offered_load,
            "measure_offered_load": self.measure_offered_load,
            "label": self.label,
            "pcap": list(self.pcap),
        }

    @classmethod
    def from_order(cls, order: Mapping[str, Any]) -> Self:
        """The job from an order of another process.

        Raises:
            RunError: The run has another content address here: this process has another version.
        """
        facts = dict(order)
        address, folder = facts.pop("address"), facts.pop("folder")
        scenario = _scenario(facts.pop("scenario_json"))
        pcap = tuple(facts.pop("pcap"))
        job = cls(scenario, folder=None if folder is None else Path(folder), pcap=pcap, **facts)
        if job.address != address:
            raise RunError(f"{job}: the worker ({_core.version()}) has another version")
        return job

    def __str__(self) -> str:
        return f"{self.label or self.scenario.name}, seed {self.seed}"


@lru_cache(maxsize=4)
def _scenario(resolved_json: str) -> Scenario:
    """Reads a scenario once for all the seeds that are asked for in a row."""
    return Scenario(resolved_json)
