"""The figures that an experiment lists, drawn from a study's finished runs.

Distribution functions of the cells as charts (up to 2 s, and their tails); throughput against the number of
users, with our line and the published one; response size against response time as a density, whose bands are
retransmission timeouts; a stretch of the sampled queue of each configuration, one above another; one run
second by second; and a number of one stretch of a run after the other. Lines have the hue of their scheme,
the pattern of their queue's length, and a darker shade with ECN.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.colors import LogNorm

from aqmlab.errors import MissingDataError, TooLittleDataError
from aqmlab.files.columns import to_numpy
from aqmlab.inference import MINIMUM_REPLICATIONS
from aqmlab.load.line import LEAST_SIZES, load_line, users_of_run
from aqmlab.papers.today import GROUP
from aqmlab.show.figures.chart import Axis, Chart, Series
from aqmlab.show.figures.design import false_positives
from aqmlab.show.figures.distributions import pooled_scatter, shares_beyond, shares_within
from aqmlab.show.figures.drawn import Drawn
from aqmlab.show.figures.looks import BLACK, DASHES, GREY, MARKERS, SCHEMES, SEQUENCE, Line, darker
from aqmlab.show.figures.printed import figure_of, new_axes, new_stack, settle, styled
from aqmlab.statistics.quantities import RESPONSE_CLASSES, quantity
from aqmlab.statistics.recorded import data_links, has_name, measured_window, measured_window_s, table
from aqmlab.statistics.series import bytes_requested_per_second, mean_response_time_s, requests_per_second
from aqmlab.terminal.spelling import each_counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes

    from aqmlab.load import Line as LineOfLoads
    from aqmlab.load import LoadLine
    from aqmlab.papers.documents import Figure
    from aqmlab.papers.study import Cell, Study
    from aqmlab.show.figures.looks import Pattern
    from aqmlab.statistics import Recorded, ResponseTimes
    from aqmlab.statistics.distribution import FloatArray


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
) -> Axes:
    """Throughput of every run, the least-squares line, and the published line if there is one.

    `labels` say what sizes and throughputs are.
    """
    axes = new_axes()
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
def draw_scatter(results: Sequence[Recorded], *, title: str) -> Axes:
    """Exchanges per kilobyte and millisecond, all replications together."""
    axes = new_axes(height_inches=4.2)
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
    middle = sum(measured_window(result)) / 2.0
    keep = np.abs(time_s - middle) <= STRETCH_S / 2.0
    keep &= has_name(samples, "link", data_links(result)[0]["name"])
    return time_s[keep], to_numpy(samples["packets"])[keep].astype(np.float64)


SECONDS_PER_MINUTE = 60.0
KILOBYTE = 1000.0


def _kilobytes_requested(result: Recorded, *, from_s: float, until_s: float) -> FloatArray:
    """Of response, asked for in each second, which the link need not carry in it."""
    return bytes_requested_per_second(result, from_s=from_s, until_s=until_s) / KILOBYTE


def _mean_response_ms(result: Recorded, *, from_s: float, until_s: float) -> FloatArray:
    return MILLISECONDS * mean_response_time_s(result, from_s=from_s, until_s=until_s)


PER_SECOND = {
    "requests-per-second": ("requests per second", requests_per_second),
    "bytes-requested-per-second": ("kB requested per second", _kilobytes_requested),
    "response-time-per-second": ("mean response time, ms", _mean_response_ms),
}
"""What can be drawn, by the kind of figure: the words at the axis, and the number in each second."""


@styled
def draw_per_second(result: Recorded, kind: str, *, title: str, discarded_s: float | None = None) -> Axes:
    """One of `PER_SECOND` over the measured window; a line where the discarded minutes end."""
    axes = new_axes()
    from_s, until_s = measured_window(result)
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
    return np.asarray(np.ma.masked_invalid(values).mean(axis=0).filled(np.nan))


def _each(result: Recorded, of: str, edges: FloatArray) -> list[float]:
    return [_number(result, f"{of}@{begin:g}-{end:g}") for begin, end in pairwise(edges)]


def _number(result: Recorded, name: str) -> float:
    try:
        return quantity(name)(result)
    except TooLittleDataError:
        return float("nan")


QUEUE_PATTERNS: Mapping[str, Pattern] = {"24": "-", "240": "--", "2400": ":", "120": "-."}
"""Of a study's configurations: the queue in packets."""
ECN_MARKERS = {"o": "o", "s": "P", "^": "v", "D": "X", "<": ">"}
"""With ECN instead of the scheme's marker."""


def line_of(configuration: str) -> Line:
    """The look of a study's configuration, from its name: scheme, queue, and perhaps `ecn`.

    The hue is the scheme's, darker with ECN; the pattern is the queue.
    """
    if configuration == "uncongested":
        return Line(BLACK, "-")
    found = re.match(r"(?P<scheme>[a-z-]+?)-(?P<queue>\d+)(?P<rest>.*)", configuration)
    if found is None or found["scheme"] not in SCHEMES:
        return Line(GREY, "-")
    look = SCHEMES[found["scheme"]]
    pattern = QUEUE_PATTERNS.get(found["queue"], "-")
    if "ecn" not in found["rest"]:
        return Line(look.colour, pattern, look.marker)
    return Line(darker(look.colour), pattern, ECN_MARKERS.get(look.marker, look.marker))


def looks_of(cells: Sequence[Cell]) -> list[Line]:
    """One look per line; where several loads meet in a figure, colour tells the loads apart."""
    loads = sorted({load for _, load in cells})
    if len(loads) == 1:
        looks = [line_of(configuration) for configuration, _ in cells]
    else:
        looks = [
            replace(
                line_of(configuration),
                colour=SEQUENCE[loads.index(load) % len(SEQUENCE)],
                marker=MARKERS[loads.index(load) % len(MARKERS)],
            )
            for configuration, load in cells
        ]
    return looks if len(set(looks)) == len(looks) else _told_apart(cells)


def _told_apart(cells: Sequence[Cell]) -> list[Line]:
    """Looks by place in the figure, for settings of one scheme, which its colour does not tell apart."""
    others = [cell for cell in cells if cell[0] != "uncongested"]
    patterns = DASHES[:4]
    by_place = {
        cell: Line(
            SEQUENCE[place % len(SEQUENCE)],
            patterns[place // len(SEQUENCE) % len(patterns)],
            MARKERS[place % len(MARKERS)],
        )
        for place, cell in enumerate(others)
    }
    return [by_place.get(cell, line_of(cell[0])) for cell in cells]


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
    if kind in ("cdf", "ccdf"):
        draw_curves = cdf_chart if kind == "cdf" else ccdf_chart
        chart = draw_curves(study, cells, title=title, population=entry.population)
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
