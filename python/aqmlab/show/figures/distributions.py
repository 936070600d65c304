"""Charts of the distributions of times: of pages or of responses, of several alternatives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab.errors import MissingDataError
from aqmlab.inference import MINIMUM_REPLICATIONS, Band, paired_distributions, student
from aqmlab.show.figures.chart import Axis, Chart, Series

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from aqmlab.show.figures.looks import Line
    from aqmlab.statistics import ResponseTimes

    FloatArray = NDArray[np.float64]

POINTS = 161
LEAST_SHARE, MOST_SHARE = 0.01, 0.99
"""A time axis that nobody chose begins where the first alternative has loaded this share, and ends where the
last has loaded that."""
LEAST_IN_TAIL = 10
"""A tail is drawn as far as this many of all replications lie beyond."""


def of_whole_seeds(
    times: Mapping[str, Sequence[ResponseTimes]], seeds: Mapping[str, Sequence[int]]
) -> tuple[dict[str, list[ResponseTimes]], int]:
    """Times without the seeds in which some alternative has none, and how many seeds those are.

    Such a seed is left out of all alternatives: pairs stay pairs.
    """
    of = {name: list(zip(seeds[name], each, strict=True)) for name, each in times.items()}
    empty = {seed for each in of.values() for seed, one in each if not one.ended}
    return {name: [one for seed, one in each if seed not in empty] for name, each in of.items()}, len(empty)


def times_on_a_log_axis(times: Mapping[str, Sequence[ResponseTimes]]) -> FloatArray:
    """A grid of times in seconds, even in their logarithm, over what the distributions hold."""
    known = [one for each in times.values() for one in each if one.completed > 0]
    if not known:
        return np.geomspace(0.01, 10.0, POINTS)
    least = min(one.quantile(LEAST_SHARE * one.completed / one.ended) for one in known)
    most = max(one.quantile(MOST_SHARE * one.completed / one.ended) for one in known)
    return np.geomspace(max(least, 1e-4), max(most, 2.0 * max(least, 1e-4)), POINTS)


def shares_within(
    times: Mapping[str, Sequence[ResponseTimes]], looks: Sequence[Line], *, time_s: FloatArray, title: str
) -> Chart:
    """Per cent complete within a time: means over replications with their intervals at each time."""
    series = []
    for (name, replications), look in zip(times.items(), looks, strict=True):
        curves = 100.0 * np.array([each.cdf(time_s) for each in replications])
        series.append(Series(name, look, curves.mean(axis=0), *_interval(curves)))
    enough = all(each.lower is not None for each in series)
    band = "its 95 % interval at each time" if enough else ""
    return Chart(
        title, Axis("time, s", log=True), Axis("%", limits=(0.0, 100.0)), time_s, (*series,), band=band
    )


def _interval(curves: FloatArray) -> tuple[FloatArray, FloatArray] | tuple[None, None]:
    """Bounds of the mean of per cent at each place; none with too few replications."""
    replications = len(curves)
    if replications < MINIMUM_REPLICATIONS:
        return None, None
    mean = curves.mean(axis=0)
    half = student.two_sided_quantile(replications - 1) * curves.std(axis=0, ddof=1) / np.sqrt(replications)
    return np.maximum(mean - half, 0.0), np.minimum(mean + half, 100.0)


def shares_beyond(
    times: Mapping[str, Sequence[ResponseTimes]], looks: Sequence[Line], *, time_s: FloatArray, title: str
) -> Chart:
    """Share that takes longer than a time, pooled over replications, on logarithmic axes.

    Raises:
        MissingDataError: Too few responses ended to draw a tail of any alternative.
    """
    series = []
    for (name, replications), look in zip(times.items(), looks, strict=True):
        ended = np.array([each.ended for each in replications], dtype=np.float64)
        beyond = (np.array([each.ccdf(time_s) for each in replications]) * ended[:, None]).sum(axis=0)
        shown = beyond >= LEAST_IN_TAIL
        series.append(Series(name, look, np.where(shown, beyond / ended.sum(), np.nan)))
    if not any(np.isfinite(each.y).any() for each in series):
        raise MissingDataError(f"a tail needs {LEAST_IN_TAIL} responses or more, of all seeds together")
    return Chart(title, Axis("time, s", log=True), Axis("share", log=True), time_s, (*series,))


def _possible(band: Band) -> tuple[FloatArray, FloatArray]:
    """The edges in percentage points: two shares differ by 100 at most."""
    return np.maximum(100.0 * band.lower, -100.0), np.minimum(100.0 * band.upper, 100.0)


def differences_within(
    times: Mapping[str, Sequence[ResponseTimes]], looks: Sequence[Line], *, time_s: FloatArray, title: str
) -> Chart:
    """Percentage points complete within a time more than under the first, with simultaneous 95 % bands.

    The replications of all must be of the same seeds, in the same order.
    """
    (_, base), *others = times.items()
    series = []
    for (name, replications), look in zip(others, looks[1:], strict=True):
        differences, band = paired_distributions(replications, base, time_s=time_s)
        edges = _possible(band) if isinstance(band, Band) else (None, None)
        series.append(Series(name, look, 100.0 * differences.mean(axis=0), *edges))
    enough = all(each.lower is not None for each in series)
    band_words = "a band that holds at all times together with 95 %, for each line" if enough else ""
    y_axis = Axis("percentage points")
    return Chart(title, Axis("time, s", log=True), y_axis, time_s, (*series,), levels=(0.0,), band=band_words)
