"""How far a sweep is, from its file and the store alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aqmlab.runs.store import Found, State, inspect, others, stray_files
from aqmlab.terminal.progress import tracked
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from aqmlab.result import Result
    from aqmlab.study.sweeps.file import Point, Sweep


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

    def results(self) -> dict[int, list[Result]]:
        """The finished runs of each point, by its number."""
        runs: dict[int, list[Result]] = {point.index: [] for point in self.sweep.points}
        for point, _, address in self.sweep.runs:
            result = self.found[address].result
            if result is not None and result.content_address == address:
                runs[point.index].append(result)
        return runs

    @property
    def results_of_others(self) -> int:
        """Sound results in the store that this sweep does not ask for."""
        return sum(found.state is State.FINISHED for found in self.others)

    def summary(self) -> Iterator[str]:
        """How many runs are in which state, and what else the store holds."""
        totals = ", ".join(f"{self.count(state)} {state.value}" for state in State)
        yield f"{counted(len(self.found), 'run')}: {totals}"
        if self.results_of_others:
            others = counted(self.results_of_others, "other result")
            yield f"{others} in the store, which this sweep does not ask for"

    def complaints(self) -> list[str]:
        """What is damaged or foreign, named; none of it is ever used."""
        everything = (*self.found.values(), *self.others)
        reasons = [found.reason for found in everything if found.reason]
        return reasons + [message for found in everything for message in stray_files(found)]


def addresses_of(sweep: Sweep) -> dict[str, None]:
    """The content addresses of a sweep's runs, each once."""
    return dict.fromkeys(address for _, _, address in sweep.runs)


def size_in_words(sweep: Sweep, *, finished: int = 0) -> str:
    """How many runs a sweep has, and how many of them are finished."""
    points, seeds = counted(len(sweep.points), "point"), counted(len(sweep.seeds), "seed")
    begun = f", {finished} of them finished" if finished else ""
    return f"{sweep.name}: {points} × {seeds} = {counted(len(addresses_of(sweep)), 'run')}{begun}"


def status(sweep: Sweep, store: Path, *, progress: bool = False) -> Status:
    """Looks at every run of the sweep, and at what else is in the store, checking every byte."""
    looking = tracked(addresses_of(sweep), label=f"{sweep.name}: looking at the store", hidden=not progress)
    found = {address: inspect(store / address, address) for address in looking}
    return Status(sweep, store, found, tuple(others(store, found)))
