"""The ledger of measurements by others on real kernels: what was published of each cell, and ours beside it.

`python/aqmlab/experiments/strangers/` has a file for each source and, beside it, a table of our own layout
with a row for each cell. A column of the table is a factor (what its value means for the scenario, or why it
is not modelled) or a measured number; numbers of several trials stand in one field, spaces between them. The
rule that judges is in `ledger.toml`, and was fixed before the runs. Nothing is tuned to a cell.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 (records are read by their types)
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from math import isnan
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, Literal

from aqmlab.errors import ExperimentError, ScenarioError
from aqmlab.files.reading import read_table, read_toml
from aqmlab.files.records import ABSENT, Count, read_as
from aqmlab.papers import shipped
from aqmlab.papers.documents import Conclusion, Overrides
from aqmlab.papers.experiment import look_up
from aqmlab.papers.scorecard import NUMBER, Scored
from aqmlab.runs import Job, run_each
from aqmlab.scenario import Scenario
from aqmlab.statistics.recorded import table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from importlib.resources.abc import Traversable
    from pathlib import Path

    from aqmlab.result import Result
    from aqmlab.runs.executors import Executor

NAME = "strangers"
DEVIATION = "_deviation"
"""A column of this ending has the standard deviation of the trials whose mean is in the other."""
SMOOTHED = "smoothed_round_trip_ms/flows."
"""The mean over a run of what the senders of a group take for their round trip."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How far ours may be from a published mean: so many deviations, theirs and ours."""

    published_deviations: float
    own_deviations: float


@dataclass(frozen=True, slots=True)
class LedgerScale:
    """How many seeds each cell has."""

    description: str
    replications: Count


@dataclass(frozen=True, slots=True)
class Factor:
    """What the values of a column mean for the scenario.

    Attributes:
        key: The dotted key that takes the number; empty where values are words.
        times: What the number is multiplied with.
        values: By word the settings of the scenario, or a text: what is not modelled.
    """

    key: str = ""
    times: float = 1.0
    values: Mapping[str, Any] = field(default_factory=dict)

    def of(self, value: str) -> Overrides | str:
        """The settings that a value means, or what is not modelled."""
        if not self.key:
            found: Overrides | str = look_up(self.values, value, "value", "the factor")
            return found
        number = float(value) * self.times
        return {self.key: int(number) if number == int(number) else number}


@dataclass(frozen=True, slots=True)
class Measure:
    """A number of a cell: from published columns, and from quantities of a run.

    Attributes:
        title: What it is called in print, with its unit.
        of: What is made of the numbers: of several the `share` of the first, their `sum` or Jain's index; of
            one its `value`; of a loss in per cent what is sent again for what arrives, `resent`.
        published: The columns.
        ours: The quantities; none of a source that is not modelled at all.
        times: What ours is multiplied with to have their unit.
        per: The column that ours is divided by; empty: none.
    """

    title: str
    of: Literal["share", "sum", "jain", "value", "resent"]
    published: tuple[str, ...]
    ours: tuple[str, ...] = ()
    times: float = 1.0
    per: str = ""

    def made_of(self, values: Sequence[float]) -> float:
        """The number."""
        return MAKES[self.of](values)

    def of_run(self, result: Result, row: Mapping[str, str]) -> float:
        """Ours in one run."""
        values = [_of_run(result, name) for name in self.ours]
        return self.made_of(values) * self.times / (float(row[self.per]) if self.per else 1.0)

    def of_trials(self, row: Mapping[str, str]) -> list[float]:
        """Theirs in each trial, or their mean alone; of one column as it is."""
        trials = zip(*([float(each) for each in row[name].split()] for name in self.published), strict=True)
        return [self.made_of(each) if len(each) > 1 else each[0] for each in trials]

    def deviation(self, row: Mapping[str, str]) -> float:
        """How far a published standard deviation of each column moves the number; 0 where none is."""
        deviations = [row.get(f"{name}{DEVIATION}", "") for name in self.published]
        return self._moved(row, [float(each) for each in deviations]) if all(deviations) else 0.0

    def rounding(self, row: Mapping[str, str]) -> float:
        """How far half a unit of the last digit in each column moves the number."""
        return self._moved(row, [_half_unit(row[name].split()[0]) for name in self.published])

    def _moved(self, row: Mapping[str, str], by: Sequence[float]) -> float:
        """How far the number moves, all together, if each column moves by so much."""
        values = [float(row[name].split()[0]) for name in self.published]
        if len(values) == 1:
            return by[0]
        moved = [
            [value + by[place] * (at == place) for at, value in enumerate(values)]
            for place in range(len(values))
        ]
        return sum(abs(self.made_of(each) - self.made_of(values)) for each in moved)


MAKES: Mapping[str, Callable[[Sequence[float]], float]] = {
    "share": lambda values: values[0] / sum(values),
    "sum": sum,
    "jain": lambda values: sum(values) ** 2 / (len(values) * sum(each**2 for each in values)),
    "value": lambda values: values[0],
    "resent": lambda values: 100.0 * values[0] / (100.0 - values[0]),
}


def _half_unit(text: str) -> float:
    return 0.5 * 10.0 ** -len(text.partition(".")[2])


def _of_run(result: Result, name: str) -> float:
    """A quantity of a run; of a group of flows also the mean of its smoothed round trip."""
    if not name.startswith(SMOOTHED):
        return result.value(name, links=_links(result))
    rows = table(result, "congestion_windows", setting="record.congestion_window_interval_ms")
    samples = zip(rows["flow_group"].to_pylist(), rows["smoothed_round_trip_s"].to_pylist(), strict=True)
    group = name.removeprefix(SMOOTHED)
    return 1e3 * fmean(value for of, value in samples if of == group and not isnan(value))


def _links(result: Result) -> tuple[str, ...]:
    """The link of the first direction where the network has two, as a dumbbell has."""
    names = [link["name"] for link in result.run["links"]]
    return ("left-to-right",) if "left-to-right" in names else ()


@dataclass(frozen=True, slots=True)
class Switch:
    """Another reading of a set-up that is not printed whole.

    Attributes:
        doubt: What is not known.
        overrides: The settings of the other reading.
        where: The values of columns where it holds; by default in all cells.
    """

    doubt: str
    overrides: Overrides
    where: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Source:
    """Who measured what, and how it is set up here.

    Attributes:
        title: What was measured.
        source: Who measured it, where it stands and under which licence.
        file: The table.
        group: The column by whose values results are told apart.
        factors: By column, what its values mean.
        measures: What is compared, by name.
        scenario: What all cells share; none of a source that is not modelled.
        switches: Doubts, each with the settings of the other reading.
        name: What `--source` calls it.
        rows: The rows of the table.
    """

    title: str
    source: str
    file: str
    group: str
    factors: Mapping[str, Factor]
    measures: Mapping[str, Measure]
    scenario: Mapping[str, Any] = field(default_factory=dict)
    switches: Mapping[str, Switch] = field(default_factory=dict)
    name: str = field(default="", metadata={ABSENT: True})
    rows: tuple[Mapping[str, str], ...] = field(default=(), metadata={ABSENT: True})

    @cached_property
    def cells(self) -> list[StrangersCell]:
        """Every published cell."""
        return [StrangersCell(self, row) for row in self.rows]


@dataclass(frozen=True)
class StrangersCell:
    """A cell of a source: a row of its table."""

    source: Source
    row: Mapping[str, str]

    @property
    def name(self) -> str:
        """Its factors, one after the other."""
        return ", ".join(f"{self.row[each]}" for each in self.source.factors)

    @property
    def group(self) -> str:
        """By what results are told apart."""
        return self.row[self.source.group]

    @cached_property
    def not_modelled(self) -> tuple[str, ...]:
        """What it needs that is not modelled."""
        found = (factor.of(self.row[column]) for column, factor in self.source.factors.items())
        return tuple(dict.fromkeys(each for each in found if isinstance(each, str)))

    def scenario(self, switches: Sequence[str]) -> Scenario:
        """Its scenario, with what other readings of the set-up change."""
        settings: dict[str, Any] = {}
        for column, factor in self.source.factors.items():
            found = factor.of(self.row[column])
            settings |= {} if isinstance(found, str) else found
        for each in (self.source.switches[name] for name in switches if name in self.source.switches):
            if all(self.row[column] == value for column, value in each.where.items()):
                settings |= each.overrides
        try:
            return Scenario.of(
                {"name": f"{self.source.name}: {self.name}", **self.source.scenario}, overrides=settings
            )
        except ScenarioError as error:
            raise ExperimentError(f"{self.source.name}: {self.name}: {error}") from None


@dataclass(frozen=True)
class Beside:
    """A published number with ours beside it.

    Attributes:
        cell: Of which cell.
        name: The name of the measure.
        measure: Which.
        ours: Ours by seed; none where the cell is not modelled.
        rule: What judges.
        runs: The runs, by content address.
    """

    cell: StrangersCell
    name: str
    measure: Measure
    ours: Mapping[int, float]
    rule: Rule
    runs: tuple[str, ...] = ()

    @cached_property
    def published(self) -> float:
        """The mean of the trials."""
        return fmean(self.measure.of_trials(self.cell.row))

    @cached_property
    def published_spread(self) -> float:
        """How far their trials are from their mean: half the range, or by the rule."""
        trials = self.measure.of_trials(self.cell.row)
        by_deviation = self.rule.published_deviations * self.measure.deviation(self.cell.row)
        return max((max(trials) - min(trials)) / 2.0, by_deviation)

    @property
    def mean(self) -> float | None:
        """Our mean over the seeds."""
        return fmean(self.ours.values()) if self.ours else None

    @property
    def own_spread(self) -> float:
        """How far runs of ours are from their mean, by the rule."""
        return self.rule.own_deviations * stdev(self.ours.values()) if len(self.ours) > 1 else 0.0

    @property
    def error(self) -> float | None:
        """Ours minus theirs."""
        return None if self.mean is None else self.mean - self.published

    @property
    def tolerance(self) -> float:
        """How far ours may be from theirs."""
        return self.published_spread + self.own_spread + self.measure.rounding(self.cell.row)

    @property
    def inside(self) -> bool | None:
        """Whether ours is inside; none where the cell is not modelled."""
        return None if self.error is None else abs(self.error) <= self.tolerance


@dataclass(frozen=True, slots=True)
class Ledger:
    """The sources, the rule and the scales: `ledger.toml`."""

    title: str
    sources: tuple[str, ...]
    rule: Rule
    scales: Mapping[str, LedgerScale]


def ledger() -> Ledger:
    """The rule, the scales and the names of the sources' files."""
    file = _folder() / "ledger.toml"
    return read_as(Ledger, read_toml(file, ExperimentError), file.name, ExperimentError)


def source_names() -> list[str]:
    """What `--source` calls the sources."""
    return [each.removesuffix(".toml") for each in ledger().sources]


def load(name: str) -> Source:
    """A source with the rows of its table."""
    look_up(dict.fromkeys(source_names()), name, "source", NAME)
    return read(_folder(), name)


def read(folder: Traversable, name: str) -> Source:
    """Reads and checks a source of a folder: each column is a factor, or a measured number."""
    file = folder / f"{name}.toml"
    declared = read_as(Source, read_toml(file, ExperimentError), file.name, ExperimentError)
    rows = tuple(read_table(folder / declared.file, ExperimentError))
    source = replace(declared, name=name, rows=rows)
    missing = {*source.factors, *(each for one in source.measures.values() for each in one.published)} - set(
        rows[0]
    )
    if missing:
        raise ExperimentError(f"{file.name}: {', '.join(sorted(missing))}: no column of {declared.file}")
    try:
        _ = [cell.not_modelled for cell in source.cells]
    except (ExperimentError, ValueError) as error:
        raise ExperimentError(f"{declared.file}: {error}") from None
    return source


def _folder() -> Traversable:
    return shipped.root() / NAME


def compare_with(
    sources: Sequence[Source],
    seeds: Sequence[int],
    switches: Sequence[str] = (),
    *,
    executor: Executor,
    store: Path | None,
    progress: bool,
) -> list[Beside]:
    """Runs every cell that can be run, and sets each number beside the published one."""
    require_switches(sources, switches)
    rule = ledger().rule
    cells = [cell for source in sources for cell in source.cells]
    plan = [cell for cell in cells if not cell.not_modelled for _ in seeds]
    scenarios = {id(cell): cell.scenario(switches) for cell in cells if not cell.not_modelled}
    jobs = [
        Job(scenarios[id(cell)], seed) for cell, seed in zip(plan, [*seeds] * len(scenarios), strict=True)
    ]
    found: dict[tuple[int, str], dict[int, float]] = {}
    for place, result in run_each(jobs, executor=executor, store=store, progress=progress, label=NAME):
        cell = plan[place]
        for name, measure in cell.source.measures.items():
            found.setdefault((id(cell), name), {})[jobs[place].seed] = measure.of_run(result, cell.row)
    addresses: dict[int, list[str]] = {}
    for cell, job in zip(plan, jobs, strict=True):
        addresses.setdefault(id(cell), []).append(job.address)
    return [
        Beside(
            cell,
            name,
            measure,
            dict(sorted(found.get((id(cell), name), {}).items())),
            rule,
            tuple(addresses.get(id(cell), ())),
        )
        for cell in cells
        for name, measure in cell.source.measures.items()
    ]


def require_switches(sources: Sequence[Source], switches: Sequence[str]) -> None:
    """Refuses a doubt that none of the sources has."""
    known = dict.fromkeys(each for source in sources for each in source.switches)
    for each in switches:
        look_up(known, each, "switch", ", ".join(source.name for source in sources))


def scored(numbers: Sequence[Beside], scale: str, version: str) -> Iterator[Scored]:
    """Each number as a row of the scorecard; what is not modelled is there, and not run."""
    for each in numbers:
        missing = each.cell.not_modelled
        held = Conclusion.REPRODUCED if each.inside else Conclusion.CAUSE_UNKNOWN
        yield Scored(
            f"{NAME}-{each.cell.source.name}",
            scale,
            version,
            NUMBER,
            each.cell.name,
            each.measure.title,
            published=_decimal(each.published),
            ours=_decimal(each.mean),
            tolerance=None if missing else _decimal(each.tolerance),
            verdict=f"not modelled: {', '.join(missing)}"
            if missing
            else "within"
            if each.inside
            else "differs",
            conclusion=Conclusion.NOT_RUN if missing else held,
            can_fail=None if missing else True,
            runs=" ".join(each.runs),
        )


def _decimal(value: float | None) -> Decimal | None:
    return None if value is None else Decimal(f"{value:.4g}")
