"""The figures that an experiment lists, drawn from what was run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from aqmlab.inference import MINIMUM_REPLICATIONS
from aqmlab.load.line import LEAST_SIZES, load_line, users_of_run
from aqmlab.papers.today import GROUP
from aqmlab.show.figures.design import false_positives
from aqmlab.show.figures.drawn import Drawn
from aqmlab.show.figures.style import figure_of, settle
from aqmlab.show.papers.figures.kinds import (
    PER_SECOND,
    ccdf_chart,
    cdf_chart,
    draw_load,
    draw_per_second,
    draw_queue,
    draw_scatter,
    stretch_edges,
    stretches_chart,
)
from aqmlab.terminal.spelling import each_counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from aqmlab.papers.documents import Figure
    from aqmlab.papers.study import Cell, Study
    from aqmlab.statistics import Recorded


CURVES = {"cdf": cdf_chart, "ccdf": ccdf_chart}
"""What is drawn from a chart, by the kind of figure."""


def draw(study: Study) -> list[Drawn]:
    """Every listed figure for which the study has something to show."""
    drawn = [_draw(study, entry) for entry in study.experiment.figures]
    return [figure for figure in drawn if figure is not None]


def _draw(study: Study, entry: Figure) -> Drawn | None:
    title, kind = entry.title, entry.kind
    if kind == "calibration":
        return _calibration(study, entry)
    if kind == "false-positives":
        return _false_positives(entry)
    cells = [(name, load) for load in entry.loads_percent for name in entry.cells if study.has(name, load)]
    if not _worth_drawing(study, entry, cells):
        return None
    if kind in CURVES:
        chart = CURVES[kind](study, cells, title=title, population=entry.population)
        return Drawn.of(entry.id, chart, _caption(study, kind, cells))
    if kind == "over-time":
        of, every_s = entry.of, entry.every_s
        chart = stretches_chart(study, cells, title=title, of=of, every_s=every_s)
        words = f"Mean of each {every_s:g} s; {_caption(study, kind, cells)}"
        return Drawn.of(entry.id, chart, words)
    axes = _axes(study, entry, cells)
    return Drawn(entry.id, title, _caption(study, kind, cells), settle(figure_of(axes)))


def _worth_drawing(study: Study, entry: Figure, cells: list[Cell]) -> bool:
    """Whether enough of a figure was run; the uncongested network alone shows only what is about it alone."""
    if entry.kind == "users":
        runs = _uncongested(study, entry, cells)
        return len(set(map(users_of_run, runs))) >= LEAST_SIZES
    if entry.kind == "over-time" and cells:
        # A short scale may measure less than one stretch; then there is nothing to draw.
        return stretch_edges(study.results(*cells[0])[0], entry.every_s).size > 1
    newer = {name for name in entry.cells if study.configuration(name).group == GROUP}
    if newer and newer.isdisjoint(name for name, _ in cells):
        return False  # its title promises queues of today, which run only with other hosts
    twins = {name: study.configuration(name).twin for name in entry.cells}
    if not all(twins.values()) and all(twins[name] for name, _ in cells):
        return False
    listed = len(entry.cells) * len(entry.loads_percent)
    return len(cells) >= (min(2, listed) if entry.kind in ("cdf", "ccdf") else 1)


def _axes(study: Study, entry: Figure, cells: list[Cell]) -> Axes:
    kind, title = entry.kind, entry.title
    match kind:
        case "queue":
            return draw_queue(study, cells, title=title)
        case "scatter":
            return draw_scatter(study.results(*cells[0]), title=title)
        case "users":
            measured = load_line(_uncongested(study, entry, cells))
            labels = ("users", "throughput of the responses, Mbit/s")
            return draw_load(measured, study.experiment.drawn_line, title=title, labels=labels)
        case kind if kind in PER_SECOND:
            first, discarded_s = study.results(*cells[0])[0], entry.discarded_s
            return draw_per_second(first, kind, title=title, discarded_s=discarded_s)
        case kind:
            raise ValueError(f"{study.experiment.name}: no figure is of kind {kind!r}")


def _uncongested(study: Study, entry: Figure, cells: list[Cell]) -> list[Recorded]:
    """The runs of the cells, and of the study's calibration if the figure needs them."""
    calibration = study.calibration_runs if entry.calibration else ()
    return [*calibration, *(result for cell in cells for result in study.results(*cell))]


def _calibration(study: Study, entry: Figure) -> Drawn | None:
    if study.calibration is None:
        return None
    measured, published = study.calibration.tightest, study.experiment.drawn_line
    labels = ("users on one side", "throughput of one direction, Mbit/s")
    axes = draw_load(measured, published, title=entry.title, labels=labels)
    runs = f"{len(measured.points)} uncongested runs; mean of both directions"
    return Drawn(entry.id, entry.title, runs, settle(figure_of(axes)))


def _false_positives(entry: Figure) -> Drawn:
    """What follows from numbers alone: the same at every scale."""
    bins, trials = entry.bins, entry.trials
    chart = replace(false_positives(bins, trials), title=entry.title)
    return Drawn.of(
        entry.id, chart, f"Lines: the formula; points: {trials:,} flows hashed by the filter itself."
    )


def _caption(study: Study, kind: str, cells: list[Cell]) -> str:
    counts = sorted({len(study.results(*cell)) for cell in cells})
    replications = each_counted(counts, "replication")
    if kind == "cdf":
        if min(counts) >= MINIMUM_REPLICATIONS:
            return f"Mean of {replications}; shaded: its 95 % interval at each time."
        return f"Mean of {replications}, too few for intervals."
    if kind == "users":
        return "Uncongested runs; the line goes through the means over replications."
    if kind in PER_SECOND:
        return "The first replication, whole; exchanges under way at its end are left out."
    if kind == "queue":
        return "Middle of the first replication."
    return f"{replications} pooled."
