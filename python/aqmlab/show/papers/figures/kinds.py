"""The kinds of figures that a paper has, drawn from a study's finished runs.

Distribution functions of the cells as charts (up to 2 s, and their tails); throughput against the number of
users, with our line and the published one; response size against response time as a density, whose bands are
retransmission timeouts; a stretch of the sampled queue of each configuration, one above another; one run
second by second; and a number of one stretch of a run after the other.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.colors import LogNorm

from aqmlab.errors import MissingDataError, TooLittleDataError
from aqmlab.files.columns import to_numpy
from aqmlab.show.figures.chart import Axis, Chart, Series
from aqmlab.show.figures.distributions import pooled_scatter, shares_beyond, shares_within
from aqmlab.show.figures.looks import GREY, SEQUENCE
from aqmlab.show.figures.style import figure_of, new_axes, new_stack, styled
from aqmlab.show.papers.figures.looks import line_of, looks_of
from aqmlab.statistics.per_second import (
    bytes_requested_per_second,
    mean_response_time_s,
    requests_per_second,
)
from aqmlab.statistics.quantities import RESPONSE_CLASSES, quantity
from aqmlab.statistics.recorded import data_links, has_name, measured_window_s, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from aqmlab.load import Line as LineOfLoads
    from aqmlab.load import LoadLine
    from aqmlab.papers.study import Cell, Study
    from aqmlab.show.figures.looks import Line
    from aqmlab.statistics import Recorded, ResponseTimes

    FloatArray = NDArray[np.float64]

MILLISECONDS = 1000.0
UNTIL_S = 2.0
POINTS = 401


def cdf_chart(study: Study, cells: Sequence[Cell], *, title: str, population: str | None = None) -> Chart:
    """Share of responses complete within a time, up to 2 s: mean over replications with its interval.

    Of a population, or by default of those that the study judges.
    """
    looks = looks_of(cells)
    published = {cell: _published_points(study, cell) for cell in cells}
    grid = np.linspace(0.0, UNTIL_S, POINTS)
    places = np.union1d(grid, [time for points in published.values() for time in points])
    chart = shares_within(_times(study, cells, population), looks, time_s=places, title=title)
    chart = replace(chart, series=(*chart.series, *_printed(study, published, looks, places, cells)))
    axis = Axis("response time, ms", limits=(0.0, MILLISECONDS * UNTIL_S))
    shares = Axis("responses complete, %", limits=(0.0, 100.0))
    return replace(chart, x=MILLISECONDS * chart.x, x_axis=axis, y_axis=shares)


def ccdf_chart(study: Study, cells: Sequence[Cell], *, title: str, population: str | None = None) -> Chart:
    """Share of responses that take longer, on logarithmic axes, pooled over replications."""
    chart = shares_beyond(
        _times(study, cells, population),
        looks_of(cells),
        time_s=np.geomspace(0.01, 1000.0, POINTS),
        title=title,
    )
    axis = Axis("response time, s", log=True, limits=(0.01, 1000.0))
    return replace(chart, x_axis=axis, y_axis=Axis("share of responses taking longer", log=True))


def _published_points(study: Study, cell: Cell) -> dict[float, float]:
    """Points of the paper's own distribution that its tables print: per cent complete by time in seconds."""
    row = study.published(*cell)
    if row is None or study.experiment.hosts:
        return {}
    points = {}
    if (median_ms := row.values.get("median_response_ms")) is not None:
        points[median_ms / MILLISECONDS] = 50.0
    complete = 0.0
    for until_s, name in zip((1.0, 2.0), RESPONSE_CLASSES, strict=False):
        if name.name not in row.values:
            break
        complete += row.values[name.name]
        points[until_s] = complete
    return {time: share for time, share in points.items() if time <= UNTIL_S}


def _printed(
    study: Study,
    published: Mapping[Cell, Mapping[float, float]],
    looks: Sequence[Line],
    places: FloatArray,
    cells: Sequence[Cell],
) -> Iterator[Series]:
    """The published points of each cell that has any, in the colour of our line."""
    for cell, look in zip(cells, looks, strict=True):
        if points := published[cell]:
            shares = np.array([points.get(float(place), np.nan) for place in places])
            name = f"{_label(study, cell, cells)}, the paper's"
            yield Series(name, replace(look, marker=look.marker or "o"), shares, points=True)


def _times(study: Study, cells: Sequence[Cell], population: str | None) -> dict[str, Sequence[ResponseTimes]]:
    return {_label(study, cell, cells): study.times(*cell, population) for cell in cells}


def _label(study: Study, cell: Cell, cells: Sequence[Cell]) -> str:
    one_load = len({load for _, load in cells}) == 1
    return study.configuration(cell[0]).label if one_load else study.label(cell)


@styled
def draw_load(
    measured: LoadLine,
    published: LineOfLoads | None = None,
    *,
    title: str,
    labels: tuple[str, str],
    axes: Axes | None = None,
) -> Axes:
    """Throughput of every run, the least-squares line, and the published line if there is one.

    `labels` say what sizes and throughputs are.
    """
    axes = axes or new_axes()
    ends = (0.0, measured.sizes.max() * 1.05)
    if published is not None:
        theirs = [published.throughput_mbps(end) for end in ends]
        axes.plot(ends, theirs, color=GREY, linestyle="--", label="published line")
    slope = measured.line.bits_per_second_per_user
    label = f"our line: {slope:,.0f} bit/s per user, R² = {measured.r_squared:.4f}"
    ours = [measured.line.throughput_mbps(end) for end in ends]
    axes.plot(ends, ours, color=SEQUENCE[0], label=label)
    points = measured.sizes, measured.throughput_mbps
    axes.plot(*points, "o", color=SEQUENCE[0], markersize=3, alpha=0.6, label="measured")
    axes.set(title=title, xlabel=labels[0], ylabel=labels[1])
    axes.set(xlim=ends, ylim=(0, None))
    axes.legend(loc="upper left")
    return axes


LARGEST_BYTES = 100_000.0
LONGEST_MS = 10_000.0


@styled
def draw_scatter(results: Sequence[Recorded], *, title: str, axes: Axes | None = None) -> Axes:
    """Exchanges per kilobyte and millisecond, all replications together."""
    axes = axes or new_axes(height_inches=4.2)
    bytes_edges, time_edges, counts = pooled_scatter(results)
    area = np.diff(bytes_edges)[:, None] / 1000.0 * np.diff(time_edges)[None, :] * 1000.0
    density = np.ma.masked_equal(counts / area, 0.0)
    mesh = axes.pcolormesh(
        bytes_edges,
        time_edges * 1000.0,
        density.T,
        norm=LogNorm(),
        cmap="viridis",
        rasterized=True,
    )
    axes.set(title=title, xlabel="response size, bytes", ylabel="response time, ms")
    axes.set(xlim=(0.0, LARGEST_BYTES), ylim=(0.0, LONGEST_MS))
    axes.grid(visible=False)
    figure_of(axes).colorbar(mesh, ax=axes, label="exchanges per kB and ms")
    return axes


STRETCH_S = 20.0


@styled
def draw_queue(study: Study, cells: Sequence[Cell], *, title: str) -> Axes:
    """Packets waiting at the first link that carries data in the middle of the first replication."""
    stack = new_stack(len(cells))
    for axes, cell in zip(stack, cells, strict=True):
        time_s, packets = queue_trace(study.results(*cell)[0])
        line = line_of(cell[0])
        axes.plot(time_s, packets, color=line.colour, linewidth=0.7)
        axes.set_ylim(0, None)
        axes.set_title(study.configuration(cell[0]).label, loc="left", pad=2)
    stack[-1].set_xlabel("time, s")
    figure = figure_of(stack[0])
    figure.supylabel("queue, packets")
    figure.suptitle(title)
    return stack[0]


def queue_trace(result: Recorded) -> tuple[FloatArray, FloatArray]:
    """Times and packets of a stretch in the middle of the measured window."""
    samples = table(result, "queue", setting="a monitored queue")
    time_s = to_numpy(samples["time_s"])
    middle = (float(result.run["measured_from_s"]) + float(result.run["measured_until_s"])) / 2.0
    keep = np.abs(time_s - middle) <= STRETCH_S / 2.0
    keep &= has_name(samples, "link", data_links(result)[0]["name"])
    return time_s[keep], to_numpy(samples["packets"])[keep].astype(np.float64)


SECONDS_PER_MINUTE = 60.0
KILOBYTE = 1000.0


def _kilobytes_requested(result: Recorded, *, from_s: float, until_s: float) -> FloatArray:
    """Of response, asked for in each second, which the link need not carry in it."""
    return bytes_requested_per_second(result, from_s=from_s, until_s=until_s) / KILOBYTE


def _mean_response_ms(result: Recorded, *, from_s: float, until_s: float) -> FloatArray:
    """Of what completed in each second."""
    return MILLISECONDS * mean_response_time_s(result, from_s=from_s, until_s=until_s)


PER_SECOND = {
    "requests-per-second": ("requests per second", requests_per_second),
    "bytes-requested-per-second": ("kB requested per second", _kilobytes_requested),
    "response-time-per-second": ("mean response time, ms", _mean_response_ms),
}
"""What can be drawn, by the kind of figure: the words at the axis, and the number in each second."""


@styled
def draw_per_second(
    result: Recorded, kind: str, *, title: str, discarded_s: float | None = None, axes: Axes | None = None
) -> Axes:
    """One of `PER_SECOND` over the measured window; a line where the discarded minutes end."""
    axes = axes or new_axes()
    from_s, until_s = float(result.run["measured_from_s"]), float(result.run["measured_until_s"])
    label, per_second = PER_SECOND[kind]
    values = per_second(result, from_s=from_s, until_s=until_s)
    minutes = (from_s + np.arange(values.size)) / SECONDS_PER_MINUTE
    # Thousands of points: as a raster inside the vector file.
    axes.plot(minutes, values, color=SEQUENCE[0], linewidth=0.4, rasterized=True)
    axes.set(title=title, xlabel="time, minutes", ylabel=label)
    axes.set(xlim=(from_s / SECONDS_PER_MINUTE, until_s / SECONDS_PER_MINUTE), ylim=(0, None))
    if discarded_s is not None:
        axes.axvline(discarded_s / SECONDS_PER_MINUTE, color=GREY, linestyle="--")
    return axes


def stretches_chart(study: Study, cells: Sequence[Cell], *, title: str, of: str, every_s: float) -> Chart:
    """A number such as `throughput_mbps/links.NAME` of each `every_s` seconds: mean over replications.

    Not a number where nothing happened, as where no response was complete.
    """
    edges = stretch_edges(study.results(*cells[0])[0], every_s)
    if edges.size < 2:
        window_s = measured_window_s(study.results(*cells[0])[0])
        raise MissingDataError(
            f"{title}: every_s = {every_s:g} is longer than the measured {window_s:g} s; "
            f"legal: at most {window_s:g}, or a longer run"
        )
    named = quantity(f"{of}@{edges[0]:g}-{edges[1]:g}")
    series = [
        Series(study.configuration(cell[0]).label, look, _mean(study, cell, of, edges))
        for cell, look in zip(cells, looks_of(cells), strict=True)
    ]
    words = named.title.split(" of ", 1)[0]
    axis = Axis(f"{words}, {named.unit}", limits=(0.0, None))
    return Chart(title, Axis("time, s"), axis, (edges[:-1] + edges[1:]) / 2.0, (*series,))


def stretch_edges(result: Recorded, every_s: float) -> FloatArray:
    """Where the whole stretches of the measured window begin and end, in seconds."""
    start, window_s = float(result.run["measured_from_s"]), measured_window_s(result)
    return np.asarray(start + every_s * np.arange(int(window_s / every_s + 1e-9) + 1), dtype=np.float64)


def _mean(study: Study, cell: Cell, of: str, edges: FloatArray) -> FloatArray:
    """The mean over the replications of a cell in each stretch, of those in which something happened."""
    values = np.array([_each(result, of, edges) for result in study.results(*cell)])
    known = np.isfinite(values)
    sums = np.where(known, values, 0.0).sum(axis=0)
    counts = known.sum(axis=0)
    return np.asarray(np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0))


def _each(result: Recorded, of: str, edges: FloatArray) -> list[float]:
    return [_number(result, f"{of}@{begin:g}-{end:g}") for begin, end in pairwise(edges)]


def _number(result: Recorded, name: str) -> float:
    try:
        return quantity(name)(result)
    except TooLittleDataError:
        return float("nan")
