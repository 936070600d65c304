"""Runs of a proof: both settings with the same cells, loads and seeds, and what follows from them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from aqmlab.papers import experiments
from aqmlab.papers.claims import Finding, evaluate
from aqmlab.papers.proofs import MADE_TO_HOLD, are_apart, moves_inside, price_of, read_declared
from aqmlab.papers.reproduction import choose, run_study
from aqmlab.runs import Execution
from aqmlab.runs.executors import Threads
from aqmlab.statistics.observation import Observation
from aqmlab.statistics.quantities import quantity
from aqmlab.statistics.tidy import tidy_rows
from aqmlab.tables import save
from aqmlab.tables.model import Column, Table, number, text
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from aqmlab.papers.documents import Proof, Setting
    from aqmlab.papers.experiment import Experiment
    from aqmlab.papers.study import Study
    from aqmlab.runs.executors import Executor
    from aqmlab.tables.model import TableCell


@dataclass(frozen=True, slots=True)
class Row:
    """A value of a run, or the finding of a statement in all runs of a setting, whose cell is empty."""

    setting: str
    cell: str
    load_percent: str
    seed: str
    quantity: str
    value: str


@dataclass(frozen=True, slots=True)
class Moved:
    """A published number, or a statement, under both settings.

    Attributes:
        what: The cell, its load and the quantity, or the statement.
        published: What the paper prints; none for a statement.
        tolerance: How close a number has to come.
        found: What was found under each setting.
    """

    what: str
    published: float | None
    tolerance: float | None
    found: tuple[float | str, ...]

    @property
    def shows(self) -> str:
        """What it proves, if anything."""
        first, second = self.found[0], self.found[-1]
        if isinstance(first, str) or isinstance(second, str):
            pair = first, second
            return "cause" if pair == MADE_TO_HOLD else "apart" if pair == MADE_TO_HOLD[::-1] else ""
        if self.published is None or self.tolerance is None:
            return ""
        values = self.published, self.tolerance, first, second
        return "cause" if moves_inside(*values) else "apart" if are_apart(*values) else ""


@dataclass(frozen=True)
class Repetition:
    """A proof that was run again.

    Attributes:
        proof: What was run.
        rows: What came out.
        moved: The published numbers and statements under both settings.
        file: Where the rows were written.
    """

    proof: Proof
    rows: Sequence[Row]
    moved: Sequence[Moved]
    file: Path

    def tidy(self) -> pa.Table:
        """What came out of each run, in the columns of `aqmlab.frame`; statements have no numbers."""
        return tidy_rows(
            (
                f"{row.setting}: {row.cell} at {row.load_percent} %",
                int(row.seed),
                row.quantity,
                quantity(row.quantity).unit,
                Observation.exact(float(row.value)),
            )
            for row in self.rows
            if row.cell and row.seed and row.value
        )

    @property
    def table(self) -> Table:
        """Every number and statement under both settings."""
        names = [each.name for each in self.proof.settings]
        told = (
            f", the same under both settings; cause: outside the tolerance under {names[0]} and inside under "
            f"{names[-1]}; apart: the two differ by more than the tolerance"
        )
        columns: list[Column[Moved]] = [
            Column("what", lambda each: text(each.what), "number or statement", heads_row=True),
            Column("published", lambda each: number(each.published, "g"), "paper"),
            Column("tolerance", lambda each: number(each.tolerance, ".3g"), "±"),
            *(
                Column(f"setting_{place + 1}", lambda each, place=place: _found(each.found[place]), name)  # type: ignore[misc]
                for place, name in enumerate(names)
            ),
            Column("shows", lambda each: text(each.shows), "shows", words=True),
        ]
        return Table.of(
            list(self.moved),
            columns,
            title=self.proof.says,
            caption=f"means of {counted(len(self.proof.seeds), 'seed')}{told if len(names) > 1 else ''}",
        )


def _found(value: float | str) -> TableCell:
    return text(value) if isinstance(value, str) else number(value, ".4g")


def prove(
    study: str,
    name: str,
    *,
    executor: Executor | None = None,
    output: str | Path,
    progress: bool = True,
) -> Repetition:
    """Runs a proof of a study, and writes what came out into `NAME.csv`."""
    experiment = experiments.load(study, explained=False)
    proof = read_declared(experiment, name)
    execution = Execution(executor or Threads(), store=Path(output) / "runs", progress=progress)
    studies = [_run(experiment, proof, setting, execution) for setting in proof.settings]
    rows = [
        row
        for setting, found in zip(proof.settings, studies, strict=True)
        for row in _rows(proof, setting, found)
    ]
    file = save(Table.of_records([asdict(row) for row in rows]), Path(output) / f"{name}.csv")
    return Repetition(proof, rows, [*_priced(experiment, proof, studies), *_moved(experiment, studies)], file)


def _run(experiment: Experiment, proof: Proof, setting: Setting, execution: Execution) -> Study:
    own = _with_suffix(experiment, proof.cells, setting.suffix) if setting.suffix else experiment
    scale = choose(own, scale=proof.scale, cells=proof.cells, loads=proof.loads_percent, seeds=proof.seeds)
    matched = scale.load_matched if proof.load_matched is None else proof.load_matched
    scale = replace(
        scale,
        overrides={**scale.overrides, **proof.overrides, **setting.overrides},
        load_matched=matched,
    )
    return run_study(own, scale, execution)


def _with_suffix(experiment: Experiment, cells: Sequence[str], suffix: str) -> Experiment:
    """The study with variants in the place of cells, under their names: tables and claims find them there."""
    known = dict(experiment.configurations)
    for cell in cells:
        variant = known.get(f"{cell}-{suffix}")
        if variant is not None:
            own = known[cell]
            known[cell] = replace(
                variant,
                name=own.name,
                label=own.label,
                group=own.group,
                published=own.published,
                loads_percent=own.loads_percent,
            )
    return replace(experiment, configurations=known)


def _rows(proof: Proof, setting: Setting, study: Study) -> Iterator[Row]:
    """The quantities of every run, and the findings that the runs decide."""
    for cell, load in study.cells:
        wanted = {
            column.quantity.name: column.quantity
            for table in study.experiment.published.tables
            if table.row(cell, load) is not None
            for column in table.columns
        }
        for fact in proof.facts:
            if fact.quantity and (fact.cell, fact.load_percent) == (cell, load):
                wanted[fact.quantity] = quantity(fact.quantity)
        for named, of in wanted.items():
            for seed, value in study.by_seed((cell, load), of).items():
                yield Row(setting.name, cell, f"{load:g}", str(seed), named, repr(float(value)))
    for statement, finding in _findings(study).items():
        yield Row(setting.name, "", "", "", statement, finding)


def _findings(study: Study) -> dict[str, str]:
    """What the runs find for each statement that they decide: it holds if all that it stands for does."""
    found: dict[str, set[Finding]] = {}
    for outcome in evaluate(study):
        for part in outcome.parts:
            found.setdefault(f"{outcome.identifier}.{part.number}", set()).add(part.finding)
    return {
        statement: str(Finding.DIFFERS if Finding.DIFFERS in each else Finding.HOLDS)
        for statement, each in found.items()
        if Finding.DIFFERS in each or each == {Finding.HOLDS}
    }


def _priced(experiment: Experiment, proof: Proof, studies: Sequence[Study]) -> Iterator[Moved]:
    """The price of every cell that was run, the paper's and ours, of a proof by price."""
    price = proof.price
    if price is None:
        return
    by_name = {name: quantity(name) for name in (price.points, price.of)}
    for table in experiment.published.tables:
        for (cell, load), row in table.rows.items():
            plain = table.row(price.against, load)
            if plain is None or cell == price.against or not all(each.has(cell, load) for each in studies):
                continue
            label = experiment.configuration(cell).label
            yield Moved(
                f"{label} at {load:g} %: points for a per cent missing",
                price_of(row.values[price.points], row.values[price.of], plain.values[price.of]),
                None,
                tuple(
                    price_of(
                        fmean(each.values(cell, load, by_name[price.points])),
                        fmean(each.values(cell, load, by_name[price.of])),
                        fmean(each.values(price.against, load, by_name[price.of])),
                    )
                    for each in studies
                ),
            )


def _moved(experiment: Experiment, studies: Sequence[Study]) -> Iterator[Moved]:
    for table in experiment.published.tables:
        for (cell, load), row in table.rows.items():
            if not all(each.has(cell, load) for each in studies):
                continue
            for column in table.columns:
                published = row.values[column.quantity.name]
                means = [fmean(each.values(cell, load, column.quantity)) for each in studies]
                label = experiment.configuration(cell).label
                yield Moved(
                    f"{label} at {load:g} %: {column.quantity.title}",
                    published,
                    experiment.tolerance_of(column, published),
                    tuple(means),
                )
    findings = [_findings(each) for each in studies]
    for statement in dict.fromkeys(name for each in findings for name in each):
        told = tuple(each.get(statement, "not decided") for each in findings)
        if len(set(told)) > 1:
            yield Moved(statement, None, None, told)
