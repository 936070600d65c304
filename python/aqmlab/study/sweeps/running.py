"""`aqmlab.sweep`: one scenario with many settings, each with the same seeds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from aqmlab import arguments, shown
from aqmlab.errors import SweepError, UnknownQuantityError
from aqmlab.runs import run_each
from aqmlab.runs.budget import affordable
from aqmlab.runs.executors import chosen_executor
from aqmlab.statistics.catalogue import shown_of_all
from aqmlab.statistics.tidy import Tidy, as_pandas, known_quantities, tidy_table_of
from aqmlab.study.sweeps.file import Sweep, described, sweep_of
from aqmlab.study.sweeps.status import check_links
from aqmlab.terminal.spelling import counted, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pandas as pd

    from aqmlab.result import Result
    from aqmlab.runs.executors import Executor
    from aqmlab.scenario import ScenarioLike
    from aqmlab.statistics.quantity import Quantity


@dataclass(frozen=True)
class SweepResults(shown.Shown, Tidy):
    """The results of a sweep.

    Attributes:
        sweep: The points and seeds.
        runs: The results of each point, by its number from 1, in the order of the seeds.
        links: The chosen links; none for those that carry data.
    """

    sweep: Sweep
    runs: Mapping[int, Sequence[Result]] = field(repr=False)
    links: tuple[str, ...] = field(default=(), repr=False)

    @property
    def results(self) -> dict[str, list[Result]]:
        """The results by the settings of their points, such as `max_p = 0.1`."""
        return {self._names[index]: list(each) for index, each in self.runs.items()}

    def at(self, settings: Mapping[str, object]) -> list[Result]:
        """The results of the point with these settings, by dotted keys, in the order of the seeds.

        Keys may be left out as long as one point alone is meant.

        Raises:
            SweepError: A key is none of the design, or no point has these settings, or several have.
        """
        keys = ", ".join(self.sweep.keys)

        def refused(why: str) -> SweepError:
            return SweepError(why, place="settings", value=settings, legal=keys)

        if not isinstance(settings, Mapping):
            raise refused(f"settings: a dict of dotted keys and values, not {quoted(settings)}; keys: {keys}")
        for key in settings:
            if key not in self.sweep.keys:
                raise refused(f"settings: no key {quoted(key)}; keys: {keys}")
        wanted = {key: _plain(value) for key, value in settings.items()}
        found = [
            point
            for point in self.sweep.points
            if all(key in point.settings and point.settings[key] == value for key, value in wanted.items())
        ]
        if not found:
            raise refused(f"no point has {described(wanted)}; keys: {keys}")
        if len(found) > 1:
            meant = described(wanted) or "no settings"
            raise refused(f"{meant}: {len(found)} points are meant; legal: the settings of one, by {keys}")
        return list(self.runs[found[0].index])

    @arguments.checked(UnknownQuantityError)
    def to_arrow(self, quantities: Sequence[Quantity | str] | None = None) -> pa.Table:
        """One row for each point, seed and quantity, with a column for each key of the design.

        Args:
            quantities: Quantities by name (`aqmlab.quantities`); by default those that `compare` shows.

        Returns:
            The columns of `aqmlab.frame` behind those of the keys.

        Raises:
            UnknownQuantityError: No quantity has one of the names, or no run the group that it is of.
        """
        every = [result for each in self.runs.values() for result in each]
        wanted: Sequence[Quantity] = (
            shown_of_all(every, self.links) if quantities is None else known_quantities(quantities, every)
        )
        tables = []
        for point in self.sweep.points:
            of_point = {self._names[point.index]: self.runs[point.index]}
            table = tidy_table_of(of_point, wanted, links=self.links)
            settings = {key: pa.array([point.settings.get(key)] * table.num_rows) for key in self.sweep.keys}
            tables.append(pa.table({**settings, **{name: table[name] for name in table.column_names}}))
        return pa.concat_tables(tables, promote_options="permissive")

    def to_pandas(self, quantities: Sequence[Quantity | str] | None = None) -> pd.DataFrame:
        """`to_arrow` as a data frame of pandas."""
        return as_pandas(self.to_arrow(quantities))

    @property
    def _names(self) -> dict[int, str]:
        """What each point is called.

        Points that would be called alike by the last parts of their keys have whole keys, or else their
        number as well.
        """
        points = self.sweep.points
        for name in (described, partial(described, whole_keys=True)):
            names = {point.index: name(point.settings) for point in points}
            if len(set(names.values())) == len(points):
                return names
        return {index: f"{name} (point {index})" for index, name in names.items()}

    def __repr__(self) -> str:
        points, seeds = counted(len(self.sweep.points), "point"), counted(len(self.sweep.seeds), "seed")
        return f"SweepResults({self.sweep.name!r}, {points}, {seeds})"


@arguments.checked(
    SweepError,
    grid=arguments.optional(arguments.mapping),
    latin_hypercube=arguments.optional(arguments.mapping),
    random=arguments.optional(arguments.mapping),
    store=arguments.optional(arguments.path),
)
def sweep(
    what: ScenarioLike | Sweep,
    *,
    grid: Mapping[str, Iterable[object]] | None = None,
    points: Iterable[Mapping[str, object]] | None = None,
    latin_hypercube: Mapping[str, object] | None = None,
    random: Mapping[str, object] | None = None,
    seeds: Iterable[int] | str = (1,),
    overrides: Mapping[str, object] | None = None,
    measure_offered_load: bool = False,
    links: Sequence[str] = (),
    within_s: float | None = None,
    store: str | Path | None = None,
    workers: int | None = None,
    executor: Executor | str = "threads",
    progress: bool = False,
) -> SweepResults:
    """Runs a scenario with many settings, each with the same seeds.

    Everything is checked before anything runs. At least one design is needed; several are combined.

    Args:
        what: A scenario (a `Scenario`, a path, TOML text, a dict), or a `Sweep` from a file, which has a
            design and seeds of its own.
        grid: Dotted keys, each with its values: every combination is a point. A range
            `{"low": 0.01, "high": 0.5, "scale": "log", "points": 5}` stands for its values.
        points: Settings of dotted keys, one dict for each point.
        latin_hypercube: A design of `{"points": 20, "keys": {...}, "seed": 1}`; a key has a list of values or
            a range.
        random: The same with points drawn independently.
        seeds: Seeds of every point, from 0 to 2⁶⁴ − 1, as a list or as in `1-8`; one that is given twice
            counts once.
        overrides: Dotted keys with the values that replace the scenario's at every point.
        measure_offered_load: Whether to run the uncongested twins too, which takes as long again.
        links: The links that loss, throughput and so on are of; by default those that carry data.
        within_s: Time to do it in, by an estimate for this machine: every point is run with fewer seeds if
            all do not fit, with a warning.
        store: A folder for finished runs by content: an interrupted sweep resumes. Without it the results
            stay in memory.
        workers: Number of parallel runs; by default one per core.
        executor: Where runs are computed: `threads`, `local` (processes), `dask` or `dask://HOST:PORT`.
        progress: Whether to show a progress bar.

    Raises:
        SweepError: A design, a point or a link is refused; the message names the place.
        ScenarioError: The scenario is refused.
        RunError: A run failed; finished runs in the store are kept.
    """
    if isinstance(what, Sweep):
        if any(each is not None for each in (grid, points, latin_hypercube, random, overrides)):
            raise SweepError(
                "a sweep has a design of its own; legal: a scenario with a design, or a sweep alone"
            )
        checked = what
    else:
        checked = sweep_of(
            what,
            grid=grid,
            points=points,
            latin_hypercube=latin_hypercube,
            random=random,
            seeds=seeds,
            overrides=overrides,
            measure_offered_load=measure_offered_load,
        )
    check_links(checked, links)
    place = checked.store if store is None else Path(store)
    chosen = chosen_executor(executor, workers)
    checked = checked_within(checked, within_s, chosen)
    finished = dict(each_run(checked, store=place, executor=chosen, progress=progress))
    count = len(checked.points)
    runs = {
        point.index: [finished[position] for position in range(number, len(finished), count)]
        for number, point in enumerate(checked.points)
    }
    return SweepResults(checked, runs, tuple(links))


def checked_within(checked: Sweep, within_s: float | None, executor: Executor) -> Sweep:
    """The sweep with as many of its seeds as a time has room for."""
    if within_s is None:
        return checked
    scenarios = [point.scenario for point in checked.points]
    return replace(checked, seeds=affordable(scenarios, checked.seeds, within_s, executor).seeds)


def each_run(
    checked: Sweep, *, store: Path | None, executor: Executor, progress: bool
) -> Iterator[tuple[int, Result]]:
    """Makes the runs of a sweep, or finds them in the store: each with its position in `Sweep.jobs`."""
    return run_each(checked.jobs(), store=store, progress=progress, label=checked.name, executor=executor)


def _plain(value: Any) -> Any:  # noqa: ANN401 (whatever was given)
    """A value as a design holds it: what NumPy holds is not what TOML writes."""
    return value.tolist() if hasattr(value, "tolist") else value
