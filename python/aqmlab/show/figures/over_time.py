"""Charts of what happens over the time of a run: how long the queue is, how busy the link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab.errors import MissingDataError
from aqmlab.files.columns import to_numpy
from aqmlab.show.figures.chart import Axis, Chart, Series
from aqmlab.show.figures.looks import looks_of_names
from aqmlab.statistics.recorded import has_name, rows_named, table
from aqmlab.statistics.waiting import waiting_ms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from aqmlab.show.figures.looks import Line
    from aqmlab.statistics import Recorded
    from aqmlab.statistics.distribution import FloatArray


MOST_INTERVALS = 2_000
"""The most intervals of a run in a chart; with more samples each shows mean, minimum and maximum."""
LEAST_BUSY_S = 1.0
"""Utilization is shown over intervals no shorter: of a few packets' time it is 0 or 100 % alone."""


def link_over_time(
    what: str,
    results: Mapping[str, Recorded],
    looks: Sequence[Line],
    *,
    link: str,
    title: str,
    most: int = MOST_INTERVALS,
) -> Chart:
    """A link over the whole run, of one run of each alternative.

    `queue`: the packets that wait; `waiting`: the waiting time of a packet by its time of arrival;
    `utilization`: how busy the link is.
    """
    if what == "utilization":
        shares = {
            name: _samples(result, "link", link, "utilization", setting="a monitored link")
            for name, result in results.items()
        }
        samples = {name: (time_s, 100.0 * share) for name, (time_s, share) in shares.items()}
        axis = Axis("link busy, %", limits=(0.0, 105.0))
        return _over_time(samples, looks, axis, title=title, least_s=LEAST_BUSY_S, most=most)
    if what == "waiting":
        label = "waiting time, ms"
        samples = {name: waiting_ms(result, link) for name, result in results.items()}
    else:
        label = "queue, packets"
        samples = {
            name: _samples(result, "queue", link, "packets", setting="a monitored queue")
            for name, result in results.items()
        }
    axis, band = Axis(label, limits=(0.0, None)), "least and greatest sample"
    return _over_time(samples, looks, axis, title=title, band=band, most=most)


OF_SENDERS: Mapping[str, tuple[str, float, str]] = {
    "cwnd": ("congestion_window_bytes", 1e-3, "congestion window, kB"),
    "ssthresh": ("slow_start_threshold_bytes", 1e-3, "slow-start threshold, kB"),
    "rtt": ("smoothed_round_trip_s", 1e3, "smoothed round-trip time, ms"),
    "rto": ("retransmission_timeout_s", 1.0, "retransmission timeout, s"),
}
"""What the senders of long-lived flows keep: the column, its factor and what stands at the axis."""


def senders_over_time(
    results: Mapping[str, Recorded], *, what: str, title: str, flows: Sequence[str] = ()
) -> Chart:
    """One of `OF_SENDERS` over the whole run, of one run of each alternative."""
    column, factor, label = OF_SENDERS[what]
    samples = {}
    for name, result in results.items():
        rows = table(result, "congestion_windows", setting="record.congestion_window_interval_ms")
        values = to_numpy(rows[column]) * factor
        for chosen in flows or ("",):
            known = np.isfinite(values) & (_of_flows(rows, chosen, name) if chosen else True)
            if not known.any():
                whose = f"{chosen} was" if chosen else "no flow was"
                raise MissingDataError(f"{name}: {whose} active when flows were sampled")
            line = ", ".join(filter(None, (name if len(results) > 1 or not chosen else "", chosen)))
            samples[line] = (to_numpy(rows["time_s"])[known], values[known])
    looks = list(looks_of_names(samples).values())
    axis = Axis(label, limits=(0.0, None))
    return _over_time(samples, looks, axis, title=title, band="least and greatest of the flows")


def _of_flows(rows: pa.Table, chosen: str, name: str) -> NDArray[np.bool_]:
    group, _, number = chosen.rpartition(":") if ":" in chosen else (chosen, "", "")
    groups = sorted({str(each) for each in rows["flow_group"].to_pylist()})
    if group not in groups:
        legal = f"{', '.join(groups)}, or one of a group: {groups[0]}:0"
        raise MissingDataError(f'{name}: no group of flows "{group}"; legal: {legal}')
    found = has_name(rows, "flow_group", group)
    if not number:
        return found
    known = sorted({int(each) for each in to_numpy(rows["flow"])[found]})
    if not number.isdecimal() or int(number) not in known:
        raise MissingDataError(
            f'{name}: no flow "{chosen}"; legal: {group}:{known[0]} to {group}:{known[-1]}'
        )
    of_it: NDArray[np.bool_] = to_numpy(rows["flow"]) == int(number)
    return found & of_it


def state_over_time(
    results: Mapping[str, Recorded], looks: Sequence[Line], *, link: str, quantity: str, title: str
) -> Chart:
    """An internal variable of a link's scheme over the whole run, for one run of each alternative."""
    samples = {}
    for name, result in results.items():
        rows = table(result, "scheme_state", setting="record.scheme_state_interval_ms")
        rows = rows_named(rows, "link", link)
        known = rows["quantity"].unique().to_pylist()
        if not known:
            raise MissingDataError(f"{name}: the scheme at {link} records no internal variables")
        if quantity not in known:
            raise MissingDataError(
                f'{name}: the scheme at {link} has no variable "{quantity}"; legal: {", ".join(known)}'
            )
        rows = rows_named(rows, "quantity", quantity)
        samples[name] = (to_numpy(rows["time_s"]), to_numpy(rows["value"]))
    axis = Axis(quantity.replace("_", " "))
    return _over_time(samples, looks, axis, title=title, band="least and greatest sample")


def _samples(
    result: Recorded, name: str, link: str, column: str, *, setting: str
) -> tuple[FloatArray, FloatArray]:
    rows = table(result, name, setting=setting)
    keep = has_name(rows, "link", link)
    if not keep.any():
        raise MissingDataError(f"table `{name}` has no rows for link {link}")
    return to_numpy(rows["time_s"])[keep], to_numpy(rows[column])[keep].astype(np.float64)


def _over_time(
    samples: Mapping[str, tuple[FloatArray, FloatArray]],
    looks: Sequence[Line],
    axis: Axis,
    *,
    title: str,
    least_s: float = 0.0,
    band: str = "",
    most: int = MOST_INTERVALS,
) -> Chart:
    end = max(float(time_s[-1]) for time_s, _ in samples.values())
    instants = {name: np.unique(time_s).size for name, (time_s, _) in samples.items()}
    sampled = max(instants.values())
    intervals = max(1, min(most, sampled, int(end / least_s) if least_s else most))
    edges = np.linspace(0.0, end, intervals + 1)
    several = any(time_s.size > instants[name] for name, (time_s, _) in samples.items())
    summed_up = (intervals < sampled or several) and bool(band)
    series = []
    for (name, (time_s, values)), look in zip(samples.items(), looks, strict=True):
        mean, least, greatest = in_intervals(time_s, values, edges)
        series.append(Series(name, look, mean, *((least, greatest) if summed_up else (None, None))))
    shaded = f"{band} in each {edges[1]:.3g} s" if summed_up else ""
    middles = (edges[:-1] + edges[1:]) / 2.0
    return Chart(title, Axis("time, s"), axis, middles, (*series,), apart=True, band=shaded)


def places_in(at_s: FloatArray, edges: FloatArray) -> NDArray[np.int64]:
    """In which interval each instant lies, the end of one included."""
    return np.clip(np.searchsorted(edges, at_s, side="left") - 1, 0, edges.size - 2)


def in_intervals(
    time_s: FloatArray, values: FloatArray, edges: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Mean, least and greatest value in each interval; not a number in an empty one."""
    place = places_in(time_s, edges)
    counts = np.bincount(place, minlength=edges.size - 1)
    with np.errstate(invalid="ignore"):
        mean = np.bincount(place, weights=values, minlength=edges.size - 1) / counts
    least, greatest = np.full(edges.size - 1, np.inf), np.full(edges.size - 1, -np.inf)
    np.minimum.at(least, place, values)
    np.maximum.at(greatest, place, values)
    empty = counts == 0
    return mean, np.where(empty, np.nan, least), np.where(empty, np.nan, greatest)
