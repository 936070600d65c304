"""How far a sweep is, from its file and the store alone, and its finished runs as one table.

The table has a row for every finished run, with the design's keys and the run's figures.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aqmlab.errors import SweepError, UnknownLinkError
from aqmlab.load.demand import named_links
from aqmlab.runs.store import Found, State, inspect, others, stray_files
from aqmlab.statistics import judged_links
from aqmlab.statistics.catalogue import shown_of
from aqmlab.statistics.quantities import RESTRICTED_TO_S, Measured
from aqmlab.statistics.run_summary import figures
from aqmlab.tables import Table, save
from aqmlab.tables.stored import require_form
from aqmlab.terminal.progress import tracked
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from aqmlab.result import Result
    from aqmlab.statistics.run_summary import Figures
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


def rows(
    status: Status, *, restricted_to_s: float = RESTRICTED_TO_S, links: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """One row for every finished run of a sweep, point by point and seed by seed."""
    table = []
    for point, seed, address in status.sweep.runs:
        if (result := status.found[address].result) is None or result.content_address != address:
            continue
        row = row_of(point, result, restricted_to_s=restricted_to_s, links=links)
        settings = {key: point.settings.get(key) for key in status.sweep.keys}
        table.append({"point": point.index, **settings, "seed": seed, **row})
    return table


def row_of(
    point: Point, result: Result, *, restricted_to_s: float = RESTRICTED_TO_S, links: Sequence[str] = ()
) -> dict[str, Any]:
    """The figures of one run of a point."""
    judged, own = _figures(result, restricted_to_s, links)
    shown = _shown(result, judged)
    return {
        "point": point.index,
        "content_address": result.content_address,
        "offered_load_percent": (result.offered_load or {}).get("realised_percent"),
        "judged_links": ", ".join(judged),
        **{name: value for name, value in own.items() if name not in shown},
        **shown,
    }


def _shown(result: Result, judged: Sequence[str]) -> Figures:
    """What is shown of the run; of a number of which only a bound is known, the bound beside it."""
    run = Measured(result, judged)
    row: Figures = {}
    for quantity in shown_of(result, judged):
        seen = quantity.observed(run)
        row[quantity.name] = seen.lower if seen.is_exact else None
        if seen.bound:
            ends = {"at_least": seen.lower, "at_most": seen.upper}
            row |= {f"{quantity.name}.{end}": each for end, each in ends.items() if math.isfinite(each)}
    return row


def _figures(result: Result, restricted_to_s: float, links: Sequence[str]) -> tuple[list[str], Figures]:
    """The names of the judged links, and the run's figures."""
    try:
        judged = [str(link["name"]) for link in judged_links(result, links)]
        return judged, figures(result, restricted_to_s=restricted_to_s, links=judged)
    except UnknownLinkError as error:
        raise SweepError(str(error)) from None


def export(status: Status, file: Path, *, links: Sequence[str] = ()) -> int:
    """Writes the table as Parquet or CSV, by the ending of the file's name; returns the number of rows."""
    require_form(file, SweepError)
    table = rows(status, links=links)
    if not table:
        raise SweepError(f"{status.sweep.name}: no run has finished, so there is nothing to export")
    save(Table.of_records(table), file)
    return len(table)


def check_links(sweep: Sweep, links: Sequence[str]) -> None:
    """Checks that every point's scenario monitors the chosen links, before any work."""
    for point in sweep.points:
        try:
            named_links(point.scenario, links)
        except UnknownLinkError as error:
            raise SweepError.of(error, f"{point}: {error}") from None
