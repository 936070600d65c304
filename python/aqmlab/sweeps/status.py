"""How far a sweep is, from its file and the store alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aqmlab.runs.store import Found, State, inspect, others, stray_files
from aqmlab.terminal.progress import tracked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from aqmlab.sweeps.file import Point, Sweep


@dataclass(frozen=True)
class Status:
    """What the store holds of a sweep, and what else.

    Attributes:
        sweep: The sweep.
        store: The store.
        found: What is in the place of each run of the sweep, by content address.
        others: What is in the store beside them.
    """

    sweep: Sweep
    store: Path
    found: Mapping[str, Found]
    others: tuple[Found, ...]

    def count(self, state: State) -> int:
        """Runs of the sweep in this state; a run that several points ask for counts once."""
        return sum(found.state is state for found in self.found.values())

    @property
    def finished(self) -> int:
        """Runs of the sweep that are there and sound."""
        return self.count(State.FINISHED)

    def by_point(self) -> Iterator[tuple[Point, Counter[State]]]:
        """Each point with the states of its runs."""
        counts = {point.index: Counter[State]() for point in self.sweep.points}
        for point, _, address in self.sweep.runs:
            counts[point.index][self.found[address].state] += 1
        for point in self.sweep.points:
            yield point, counts[point.index]

    @property
    def results_of_others(self) -> int:
        """Sound results in the store that this sweep does not ask for."""
        return sum(found.state is State.FINISHED for found in self.others)

    def complaints(self) -> list[str]:
        """What is damaged or foreign, named; none of it is ever used."""
        everything = (*self.found.values(), *self.others)
        reasons = [found.reason for found in everything if found.reason]
        return reasons + [message for found in everything for message in stray_files(found)]


def status(sweep: Sweep, store: Path, *, progress: bool = False) -> Status:
    """Looks at every run of the sweep, and at what else is in the store, checking every byte."""
    addresses = dict.fromkeys(address for _, _, address in sweep.runs)
    looking = tracked(addresses, label=f"{sweep.name}: looking at the store", hidden=not progress)
    found = {address: inspect(store / address, address) for address in looking}
    return Status(sweep, store, found, tuple(others(store, found)))
