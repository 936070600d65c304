"""Measurements by others, run here: a table by source, every cell as CSV, a figure, the scorecard."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from aqmlab import arguments, shown
from aqmlab._core import version
from aqmlab.errors import ExperimentError
from aqmlab.papers import scorecard
from aqmlab.papers import strangers as ledger
from aqmlab.papers.experiment import look_up
from aqmlab.runs.executors import chosen_executor
from aqmlab.seeds import Seeds, given_seeds
from aqmlab.show.figures.drawn import Drawn
from aqmlab.show.figures.looks import GREY, SEQUENCE
from aqmlab.show.figures.printed import figure_of, new_axes, settle, styled
from aqmlab.show.tables.render import as_plain_text, to_notebook, to_terminal
from aqmlab.statistics.tidy import Tidy, tidy_numbers
from aqmlab.tables import Column, Table, save
from aqmlab.tables.model import in_csv, number, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa
    from matplotlib.axes import Axes

    from aqmlab.papers.strangers import Beside
    from aqmlab.runs.executors import Executor

CELLS, SOURCES, FIGURE = "cells.csv", "sources.csv", "shares"
SHARES = ("share", "jain_index")
"""The measures of who gets how much; the others are sums, delays and losses."""
KINDS_IN_FIGURE = 4
"""A source of more kinds of cells has one sign in the figure."""


@dataclass(frozen=True)
class Group:
    """The numbers of a source, or of the cells of it that share a sender or a queue."""

    source: str
    of: str
    numbers: Sequence[Beside]

    @property
    def cells(self) -> int:
        return len({id(each.cell) for each in self.numbers})

    @property
    def comparable(self) -> int:
        return len({id(each.cell) for each in self.numbers if each.ours})

    def judged(self, *, shares: bool) -> list[Beside]:
        """The numbers with ours beside them: shares, or all others."""
        return [each for each in self.numbers if each.ours and (each.name in SHARES) == shares]

    @property
    def median_error(self) -> float | None:
        """The median of the errors of shares, whatever their sign."""
        errors = [abs(each.error) for each in self.judged(shares=True) if each.error is not None]
        return median(errors) if errors else None

    def inside(self, *, shares: bool) -> str:
        judged = self.judged(shares=shares)
        return f"{sum(map(bool, (each.inside for each in judged)))} of {len(judged)}" if judged else "–"

    @property
    def not_modelled(self) -> str:
        """What cells need that is not modelled, with their number."""
        counts: dict[str, set[int]] = {}
        for each in self.numbers:
            for missing in each.cell.not_modelled:
                counts.setdefault(missing, set()).add(id(each.cell))
        return ", ".join(f"{missing} ({len(cells)})" for missing, cells in counts.items())


@dataclass(frozen=True, repr=False)
class Strangers(Tidy):
    """Measurements by others beside ours.

    Printed, it shows a row for each source and kind of cells.

    Attributes:
        numbers: Every published number, with ours where it can be run.
        scale: How many seeds were run.
        files: What was written, by what it is.
    """

    numbers: Sequence[Beside]
    scale: str
    files: Mapping[str, Path]

    @property
    def groups(self) -> list[Group]:
        """Each source, followed by its kinds of cells, if several were run."""
        return [*_groups(self.numbers)]

    @property
    def table(self) -> Table:
        """A row for each of them."""
        return Table.of(self.groups, _BY_SOURCE, title="Measurements by others", caption=_CAPTION)

    def to_arrow(self) -> pa.Table:
        """One row for each cell, seed and measure, and one without a seed for what was published.

        Returns:
            The columns of `aqmlab.frame`; `configuration` is the source and the cell, or `published` of it.
        """
        return tidy_numbers(_tidy(self.numbers))

    def __rich__(self) -> Any:  # noqa: ANN401 (what Rich prints)
        return to_terminal(self.table)

    def __str__(self) -> str:
        return as_plain_text(self.table, width=122)

    def _repr_html_(self) -> str:
        """What notebooks show: the table that is printed."""
        return to_notebook([self.table])

    def __repr__(self) -> str:
        return f"Strangers({len(self.numbers)} numbers, scale {self.scale!r})"


@shown.facts.register(Strangers)
def _facts(found: Strangers) -> dict[str, Any]:
    rows = (
        {column.name: cell.value for column, cell in zip(found.table.columns, row, strict=True)}
        for row in found.table.rows
    )
    return {
        "scale": found.scale,
        "sources": [*rows],
        "files": {name: str(file) for name, file in found.files.items()},
    }


@arguments.checked(
    ExperimentError,
    source=arguments.optional(arguments.text),
    scale=arguments.text,
    switches=arguments.texts("['no-ecn']"),
    seeds=arguments.optional(given_seeds),
    output=arguments.optional(arguments.folder),
    store=arguments.optional(arguments.folder),
)
def strangers(
    source: str | None = None,
    *,
    scale: str = "quick",
    switches: Sequence[str] = (),
    seeds: Iterable[int] | str | None = None,
    output: str | Path | None = None,
    store: str | Path | None = None,
    workers: int | None = None,
    executor: Executor | str = "threads",
    progress: bool = False,
) -> Strangers:
    """Sets measurements that others made on real kernels beside ours.

    Runs each published cell whose senders and queue are modelled, and judges it by a rule that was fixed
    before any run: docs/explanation/strangers.md. Cells that need something else are counted under its name.

    Args:
        source: A source, such as `l4s-tests`; by default all.
        scale: quick (three seeds) or full (ten).
        switches: Other readings of set-ups that are not printed whole, such as no-ecn: keys of [switches] in
            the source's file in aqmlab/experiments/strangers.
        seeds: Seeds for each cell, instead of those of the scale.
        output: Folder for the runs, cells.csv, sources.csv, the figure and the scorecard; by default
            results/strangers-SCALE, with -SOURCE and the switches behind it.
        store: A folder for finished runs by content; by default `runs` in the output folder.
        workers: Number of parallel runs; by default one per core.
        executor: Where runs are computed: `threads`, `local` (processes), `dask` or `dask://HOST:PORT`.
        progress: Whether to show progress bars.

    Returns:
        Every published number, with ours beside it.

    Raises:
        ExperimentError: The source, the scale or a switch does not exist; an argument is of another kind.
        RunError: A run failed; finished runs are kept.
    """
    sources = [ledger.load(name) for name in ([source] if source else ledger.source_names())]
    chosen = look_up(ledger.ledger().scales, scale, "scale", ledger.NAME)
    folder = Path(output or folder_of(source, scale, switches))
    numbers = ledger.compare_with(
        sources,
        range(1, chosen.replications + 1) if seeds is None else [*Seeds.of(seeds)],
        switches,
        executor=chosen_executor(executor, workers),
        store=Path(store or folder / "runs"),
        progress=progress,
    )
    return Strangers(numbers, scale, _write(numbers, "-".join((scale, *switches)), folder))


def folder_of(source: str | None, scale: str, switches: Sequence[str]) -> Path:
    return Path("results") / "-".join(filter(None, (ledger.NAME, scale, source, *switches)))


def _write(numbers: Sequence[Beside], scale: str, folder: Path) -> dict[str, Path]:
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        "cells": save(Table.of(numbers, _CELLS), folder / CELLS),
        "sources": save(Table.of(_groups(numbers), _BY_SOURCE), folder / SOURCES),
        "scorecard": save(
            scorecard.table_of([*ledger.scored(numbers, scale, version())]), folder / scorecard.FILE
        ),
    }
    if any(each.ours for each in numbers):
        figure, *_ = shares_figure(numbers).save(folder)
        files["figure"] = figure
    return files


def _groups(numbers: Sequence[Beside]) -> Iterator[Group]:
    sources: dict[str, list[Beside]] = {}
    for each in numbers:
        sources.setdefault(each.cell.source.name, []).append(each)
    for name, own in sources.items():
        yield Group(name, "all", own)
        kinds: dict[str, list[Beside]] = {}
        for each in own:
            if each.ours:
                kinds.setdefault(each.cell.group, []).append(each)
        if len(kinds) > 1:
            yield from (Group(name, kind, of_kind) for kind, of_kind in kinds.items())


_CAPTION = (
    "cells: published; run: those whose senders and queue are modelled; error: median of the error of a "
    "flow's share (or of Jain's index), whatever its sign; inside: within the published spread widened by "
    "ours, of shares, and of sums, losses and queues (aqmlab/experiments/strangers/ledger.toml)"
)
_BY_SOURCE: list[Column[Group]] = [
    Column("source", lambda each: text(each.source), "source", heads_row=True),
    Column("of", lambda each: text(each.of), "of", words=True),
    Column("cells", lambda each: number(each.cells), "cells"),
    Column("run", lambda each: number(each.comparable), "run"),
    Column("median_error_of_a_share", lambda each: number(each.median_error, ".3f"), "error"),
    Column("shares_inside", lambda each: text(each.inside(shares=True)), "shares inside"),
    Column("others_inside", lambda each: text(each.inside(shares=False)), "others inside"),
    Column("not_modelled", lambda each: text(each.not_modelled), "not modelled", words=True, wraps=True),
]
_CELLS: list[Column[Beside]] = [
    in_csv("source", lambda each: each.cell.source.name),
    in_csv("cell", lambda each: each.cell.name),
    in_csv("measure", lambda each: each.name),
    in_csv("published", lambda each: _rounded(each.published)),
    in_csv("published_spread", lambda each: _rounded(each.published_spread)),
    in_csv("ours", lambda each: _rounded(each.mean)),
    in_csv("own_spread", lambda each: _rounded(each.own_spread) if each.ours else None),
    in_csv("error", lambda each: _rounded(each.error)),
    in_csv("tolerance", lambda each: _rounded(each.tolerance) if each.ours else None),
    in_csv("inside", lambda each: {True: "yes", False: "no", None: ""}[each.inside]),
    in_csv("not_modelled", lambda each: ", ".join(each.cell.not_modelled)),
]


def _rounded(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(f"{value:.4g}")


def _tidy(numbers: Sequence[Beside]) -> Iterator[tuple[str, int | None, dict[str, float | None]]]:
    for each in numbers:
        cell = f"{each.cell.source.name}: {each.cell.name}"
        yield f"{cell}, published", None, {each.name: each.published}
        for seed, value in each.ours.items():
            yield cell, seed, {each.name: value}


def shares_figure(numbers: Sequence[Beside]) -> Drawn:
    """Each share as published against ours; what lies on the diagonal is the same."""
    title = "Shares of the line: measured by others, and here"
    shown_here = [each for each in _groups(numbers) if each.judged(shares=True)]
    kinds = Counter(each.source for each in shown_here if each.of != "all")
    groups = [
        each for each in shown_here if (each.of == "all") != (0 < kinds[each.source] <= KINDS_IN_FIGURE)
    ]
    figure = settle(figure_of(_draw_shares(groups, title=title)))
    return Drawn(
        FIGURE, title, "A point is a cell: its published share, or Jain's index, and our mean.", figure
    )


@styled
def _draw_shares(groups: Sequence[Group], *, title: str) -> Axes:
    axes = new_axes(height_inches=5.5)
    axes.plot((0.0, 1.0), (0.0, 1.0), color=GREY, linewidth=0.8)
    for place, group in enumerate(groups):
        judged = group.judged(shares=True)
        axes.plot(
            [each.published for each in judged],
            [each.mean or 0.0 for each in judged],
            "os^vD<>P"[place % 8],
            color=SEQUENCE[place % len(SEQUENCE)],
            markersize=4,
            alpha=0.7,
            label=group.source if group.of == "all" else f"{group.source}, {group.of}",
        )
    axes.set(title=title, xlabel="as published", ylabel="ours", xlim=(0.0, 1.0), ylim=(0.0, 1.0))
    axes.legend(loc="lower right")
    return axes
