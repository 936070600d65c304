"""Charts of the distributions of times: of pages or of responses, of several alternatives.

Response times also by the size of the response, from the counts of all replications together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab.errors import MissingDataError
from aqmlab.files.columns import to_numpy
from aqmlab.inference import MINIMUM_REPLICATIONS, Band, paired_distributions, student
from aqmlab.show.figures.chart import Axis, Chart, Series
from aqmlab.statistics.recorded import table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.show.figures.looks import Line
    from aqmlab.statistics import Recorded, ResponseTimes

    Times = Mapping[str, Sequence[ResponseTimes]]
    from aqmlab.statistics.distribution import FloatArray


POINTS = 161
LEAST_SHARE, MOST_SHARE = 0.01, 0.99
"""A time axis that nobody chose begins where the first alternative has loaded this share, and ends where the
last has loaded that."""
LEAST_IN_TAIL = 10
"""A tail is drawn as far as this many of all replications lie beyond."""


def of_whole_seeds(
    times: Times, seeds: Mapping[str, Sequence[int]]
) -> tuple[dict[str, list[ResponseTimes]], int]:
    """Times without the seeds in which some alternative has none, and how many seeds those are.

    Such a seed is left out of all alternatives: pairs stay pairs.
    """
    of = {name: list(zip(seeds[name], each, strict=True)) for name, each in times.items()}
    empty = {seed for each in of.values() for seed, one in each if not one.ended}
    return {name: [one for seed, one in each if seed not in empty] for name, each in of.items()}, len(empty)


def times_on_a_log_axis(times: Times) -> FloatArray:
    """A grid of times in seconds, even in their logarithm, over what the distributions hold."""
    known = [one for each in times.values() for one in each if one.completed > 0]
    if not known:
        return np.geomspace(0.01, 10.0, POINTS)
    least = min(one.quantile(LEAST_SHARE * one.completed / one.ended) for one in known)
    most = max(one.quantile(MOST_SHARE * one.completed / one.ended) for one in known)
    return np.geomspace(max(least, 1e-4), max(most, 2.0 * max(least, 1e-4)), POINTS)


def shares_within(
    times: Times, looks: Sequence[Line], *, time_s: FloatArray, title: str, x: str = "time, s", y: str = "%"
) -> Chart:
    """Per cent complete within a time: means over replications with their intervals at each time."""
    series = []
    for (name, replications), look in zip(times.items(), looks, strict=True):
        curves = 100.0 * np.array([each.cdf(time_s) for each in replications])
        series.append(Series(name, look, curves.mean(axis=0), *_interval(curves)))
    enough = all(each.lower is not None for each in series)
    band = "its 95 % interval at each time" if enough else ""
    return Chart(title, Axis(x, log=True), Axis(y, limits=(0.0, 100.0)), time_s, (*series,), band=band)


def _interval(curves: FloatArray) -> tuple[FloatArray, FloatArray] | tuple[None, None]:
    """Bounds of the mean of per cent at each place; none with too few replications."""
    replications = len(curves)
    if replications < MINIMUM_REPLICATIONS:
        return None, None
    mean = curves.mean(axis=0)
    half = student.two_sided_quantile(replications - 1) * curves.std(axis=0, ddof=1) / np.sqrt(replications)
    return np.maximum(mean - half, 0.0), np.minimum(mean + half, 100.0)


def shares_beyond(
    times: Times,
    looks: Sequence[Line],
    *,
    time_s: FloatArray,
    title: str,
    x: str = "time, s",
    y: str = "share",
) -> Chart:
    """Share that takes longer than a time, pooled over replications, on logarithmic axes."""
    series = []
    for (name, replications), look in zip(times.items(), looks, strict=True):
        ended = np.array([each.ended for each in replications], dtype=np.float64)
        beyond = (np.array([each.ccdf(time_s) for each in replications]) * ended[:, None]).sum(axis=0)
        shown = beyond >= LEAST_IN_TAIL
        series.append(Series(name, look, np.where(shown, beyond / ended.sum(), np.nan)))
    if not any(np.isfinite(each.y).any() for each in series):
        raise MissingDataError(f"a tail needs {LEAST_IN_TAIL} responses or more, of all seeds together")
    return Chart(title, Axis(x, log=True), Axis(y, log=True), time_s, (*series,))


def differences_within(
    times: Times,
    looks: Sequence[Line],
    *,
    time_s: FloatArray,
    title: str,
    x: str = "time, s",
    y: str = "percentage points",
) -> Chart:
    """Percentage points complete within a time more than under the first, with simultaneous 95 % bands.

    The replications of all must be of the same seeds, in the same order.
    """
    (_, base), *others = times.items()
    series = []
    for (name, replications), look in zip(others, looks[1:], strict=True):
        differences, band = paired_distributions(replications, base, time_s=time_s)
        edges: tuple[FloatArray, FloatArray] | tuple[None, None] = (None, None)
        if isinstance(band, Band):  # two shares differ by 100 points at most
            edges = np.maximum(100.0 * band.lower, -100.0), np.minimum(100.0 * band.upper, 100.0)
        series.append(Series(name, look, 100.0 * differences.mean(axis=0), *edges))
    enough = all(each.lower is not None for each in series)
    words = "a band that holds at all times together with 95 %, for each line" if enough else ""
    return Chart(title, Axis(x, log=True), Axis(y), time_s, (*series,), levels=(0.0,), band=words)


def pooled_scatter(results: Sequence[Recorded]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Edges in bytes and seconds, and the counts of all replications in the grid they span."""
    names = ("bytes_lower", "bytes_upper", "time_lower_s", "time_upper_s", "count")
    columns: dict[str, list[FloatArray]] = {name: [] for name in names}
    for result in results:
        rows = table(result, "response_scatter", setting='record.responses other than "none"')
        for name in names:
            columns[name].append(to_numpy(rows[name]).astype(np.float64))
    joined = {name: np.concatenate(parts) for name, parts in columns.items()}
    bytes_edges = np.unique(np.concatenate((joined["bytes_lower"], joined["bytes_upper"])))
    time_edges = np.unique(np.concatenate((joined["time_lower_s"], joined["time_upper_s"])))
    counts = np.zeros((bytes_edges.size - 1, time_edges.size - 1))
    place = (
        np.searchsorted(bytes_edges, joined["bytes_lower"]),
        np.searchsorted(time_edges, joined["time_lower_s"]),
    )
    np.add.at(counts, place, joined["count"])
    return bytes_edges, time_edges, counts


PER_OCTAVE = 2
"""Sizes are grouped; this is the number of groups per doubling."""
LEAST_RESPONSES = 20
"""The smallest group, over all replications, with a median."""


def medians_by_size(results: Mapping[str, Sequence[Recorded]], looks: Sequence[Line], *, title: str) -> Chart:
    """The median response time of each group of sizes, pooled over replications, between its quartiles."""
    found = {name: _quartiles_by_size(each) for name, each in results.items()}
    groups = sorted(set[int]().union(*found.values()))
    if not groups:
        raise MissingDataError(f"no size has {LEAST_RESPONSES} responses")
    nothing = (np.nan, np.nan, np.nan)
    series = []
    for (name, quartiles), look in zip(found.items(), looks, strict=True):
        lower, median, upper = np.array([quartiles.get(group, nothing) for group in groups]).reshape(-1, 3).T
        series.append(Series(name, look, median, lower, upper))
    sizes = 2.0 ** ((np.array(groups, dtype=np.float64) + 0.5) / PER_OCTAVE)
    x_axis, y_axis = Axis("size of the response, bytes", log=True), Axis("response time, s", log=True)
    return Chart(title, x_axis, y_axis, sizes, (*series,), band="the middle half of the responses")


def _quartiles_by_size(results: Sequence[Recorded]) -> dict[int, tuple[float, float, float]]:
    """The quartiles of the times in seconds by group of sizes, numbered in steps of an octave's part."""
    bytes_edges, time_edges, counts = pooled_scatter(results)
    middles = np.sqrt(np.maximum(bytes_edges[:-1], 1.0) * bytes_edges[1:])
    group = np.floor(PER_OCTAVE * np.log2(middles)).astype(np.int64)
    quartiles = {}
    for number in np.unique(group):
        cumulative = counts[group == number].sum(axis=0).cumsum()
        if cumulative[-1] < LEAST_RESPONSES:
            continue
        at = np.interp((0.25, 0.5, 0.75), np.insert(cumulative, 0, 0.0) / cumulative[-1], time_edges)
        quartiles[int(number)] = (float(at[0]), float(at[1]), float(at[2]))
    return quartiles
