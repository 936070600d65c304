"""Section 3: the calibration of the load and the traffic that the users generate."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from aqmlab.experiments.le2003.claims.cells import LOADS, UNCONGESTED, le2003
from aqmlab.reproduce.claims.answers import attempt
from aqmlab.reproduce.claims.outcome import Part
from aqmlab.statistics import MissingDataError
from aqmlab.statistics.hurst import aggregate, aggregated_variance, local_whittle, wavelet
from aqmlab.statistics.recorded import data_links, has_name, table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aqmlab.load import LoadLine
    from aqmlab.reproduce.study import Study
    from aqmlab.statistics import Recorded
    from aqmlab.statistics.hurst import HurstEstimate

Bounds: TypeAlias = "Sequence[float]"
"""The lower and the upper one."""

MILLISECONDS_PER_BIN = 100
"""Below this TCP's own rhythm shows; long-range dependence lives above."""
LEAST_WINDOW_S = 300.0


@le2003("L01")
def throughput_is_linear(
    study: Study,
    *,
    least_r_squared: float,
    slope_within_percent: float,
    users: int,
    mbps: float,
    within_mbps: float,
) -> list[Part]:
    """Throughput grows in a straight line with the users, with the published slope."""
    calibration = _calibration(study)
    ours = calibration.against(study.experiment.published_line)
    slope, difference = ours["bits_per_second_per_user"], ours["slope_difference_percent"]
    offered = calibration.line.throughput_mbps(users)
    return [
        Part(
            f"R² is at least {least_r_squared}",
            calibration.r_squared >= least_r_squared,
            f"R² = {calibration.r_squared:.5f} over {len(calibration.points)} runs",
            calibration.r_squared,
        ),
        Part(
            f"the slope is the published one within {slope_within_percent:g} %",
            abs(difference) <= slope_within_percent,
            f"{slope:,.0f} bit/s per user, {difference:+.1f} %",
            difference,
        ),
        Part(
            f"{users:,} users a side offer {mbps:g} Mbit/s within {100.0 * within_mbps / mbps:g} %",
            abs(offered - mbps) <= within_mbps,
            f"{offered:.1f} Mbit/s",
            offered,
        ),
    ]


def _calibration(study: Study) -> LoadLine:
    if study.calibration is None:
        raise MissingDataError("no calibration was run at this scale (scale standard or full does)")
    return study.calibration.tightest


@le2003("L02")
def response_sizes(
    study: Study, *, median_bytes: Bounds, ninetieth_bytes: Bounds, beyond_bytes: float
) -> list[Part]:
    """Median about 1 KB, nine in ten up to slightly over 10 KB, and a tail without visible end."""
    runs = _uncongested_runs(study)
    median = float(np.mean([_mean_generated(result, "response_bytes_p50") for result in runs]))
    ninetieth = float(np.mean([_mean_generated(result, "response_bytes_p90") for result in runs]))
    largest = max(_largest_response(result) for result in runs)
    return [
        _between("the median response is about 1 KB", median, median_bytes),
        _between("the 90th percentile is slightly over 10 KB", ninetieth, ninetieth_bytes),
        Part(
            f"responses of more than {beyond_bytes / 1e6:g} MB occur",
            largest > beyond_bytes,
            f"largest completed {largest:.3g} bytes",
            largest,
        ),
    ]


def _between(statement: str, value: float, bounds: Bounds) -> Part:
    holds = bounds[0] <= value <= bounds[1]
    return Part(statement, holds, f"{value:,.0f} bytes; expected {bounds[0]:,.0f} to {bounds[1]:,.0f}", value)


def _largest_response(result: Recorded) -> float:
    rows = table(result, "response_scatter", setting='record.responses other than "none"')
    return float(rows["bytes_lower"].to_numpy().max())


@le2003("L03")
def long_range_dependence(study: Study, *, hurst: Bounds) -> list[Part]:
    """Three estimators find the Hurst parameter between 0.8 and 0.9."""
    recorded = [result for result in _uncongested_runs(study) if "arrivals" in result.tables]
    if not recorded:
        raise MissingDataError(
            "no uncongested run recorded arrivals per millisecond (record.arrivals = true)"
        )
    counts = _arrivals(recorded[-1])
    estimators: list[tuple[str, Callable[[], HurstEstimate]]] = [
        ("aggregated variance", lambda: aggregated_variance(counts)),
        ("local Whittle", lambda: local_whittle(counts)),
        ("wavelet", lambda: wavelet(counts)),
    ]
    return [_hurst_part(name, estimator, hurst) for name, estimator in estimators]


def _hurst_part(name: str, estimator: Callable[[], HurstEstimate], wanted: Bounds) -> Part:
    statement = f"the 95 % interval of H by {name} meets {wanted[0]} to {wanted[1]}"

    def ask() -> Part:
        found = estimator()
        evidence = (
            f"H = {found.hurst:.3f} [{found.lower:.3f}, {found.upper:.3f}], {found.points} bins of 100 ms"
        )
        return Part(statement, found.overlaps(wanted[0], wanted[1]), evidence, found.hurst)

    return attempt(statement, ask)


def _arrivals(result: Recorded) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Packets per 100 ms that arrived at the first link that carries data in the measured window."""
    rows = table(result, "arrivals", setting="record.arrivals = true")
    start, end = float(result.run["measured_from_s"]), float(result.run["measured_until_s"])
    if end - start < LEAST_WINDOW_S:
        raise MissingDataError(f"a window of {end - start:g} s is too short for long-range dependence")
    time_s = rows["time_s"].to_numpy()
    keep = (time_s > start) & (time_s <= end) & has_name(rows, "link", data_links(result)[0]["name"])
    per_millisecond = np.zeros(round((end - start) * 1000.0))
    place = np.round((time_s[keep] - start) * 1000.0).astype(np.int64) - 1  # a row is named by its bin's end
    np.add.at(per_millisecond, place, rows["packets"].to_numpy()[keep])
    return aggregate(per_millisecond, MILLISECONDS_PER_BIN)


@le2003("L04")
def persistent_connections(
    study: Study,
    *,
    persistent: float,
    persistent_within: float,
    objects_above: float,
    octets: float,
    octets_within: float,
) -> list[Part]:
    """15 % of connections are persistent, and carry most objects and 40 % of the bytes."""
    totals = _generated_totals(_uncongested_runs(study))
    connections = totals["persistent_connections"] / totals["connections"]
    objects = totals["objects_on_persistent"] / totals["objects"]
    carried = totals["response_bytes_on_persistent"] / totals["response_bytes"]
    return [
        Part(
            f"{100.0 * persistent:g} % of connections are persistent"
            f" (within {100.0 * persistent_within:g} point)",
            abs(connections - persistent) <= persistent_within,
            f"{connections:.1%}",
            connections,
        ),
        Part(
            f"they carry more than {100.0 * objects_above:g} % of objects",
            objects > objects_above,
            f"{objects:.1%}",
            objects,
        ),
        Part(
            f"they carry about {100.0 * octets:g} % of bytes (within {100.0 * octets_within:g} points)",
            abs(carried - octets) <= octets_within,
            f"{carried:.1%}",
            carried,
        ),
    ]


def _uncongested_runs(study: Study) -> Sequence[Recorded]:
    """The calibration runs where there are any, otherwise the uncongested cells."""
    if study.calibration_runs:
        return study.calibration_runs
    runs = [
        result
        for load in LOADS
        if study.has(UNCONGESTED, load)
        for result in study.results(UNCONGESTED, load)
    ]
    if not runs:
        raise MissingDataError("no uncongested network was run")
    return runs


def _generated_totals(runs: Sequence[Recorded]) -> Mapping[str, float]:
    names = (
        "connections",
        "persistent_connections",
        "objects",
        "objects_on_persistent",
        "response_bytes",
        "response_bytes_on_persistent",
    )
    return {name: sum(sum(_generated(result, name)) for result in runs) for name in names}


def _mean_generated(result: Recorded, name: str) -> float:
    return float(np.mean(_generated(result, name)))


def _generated(result: Recorded, name: str) -> list[float]:
    """One statistic of the generated traffic, per population."""
    found = [entry["generated"] for entry in result.run["populations"]]
    if any(name not in generated for generated in found):
        raise MissingDataError(f"the run has no statistic `{name}` of the generated traffic")
    return [float(generated[name]) for generated in found]
