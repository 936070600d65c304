"""Section 3: the calibration of the load and the traffic that the users generate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab.claims.evidence import attempt
from aqmlab.claims.le2003.cells import LOADS, UNCONGESTED, le2003
from aqmlab.claims.outcome import Part
from aqmlab.statistics import MissingDataError
from aqmlab.statistics.hurst import aggregate, aggregated_variance, local_whittle, wavelet
from aqmlab.statistics.recorded import data_links, has_name, table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aqmlab.load import LoadLine
    from aqmlab.statistics import Recorded
    from aqmlab.statistics.hurst import HurstEstimate
    from aqmlab.study import Study

LEAST_R_SQUARED = 0.99
SLOPE_WITHIN_PERCENT = 5.0
USERS_FOR_100_MBPS = 9520
HURST = (0.8, 0.9)
MILLISECONDS_PER_BIN = 100
"""Below this TCP's own rhythm shows; long-range dependence lives above."""
LEAST_WINDOW_S = 300.0
MEDIAN_BYTES = (800.0, 1200.0)
NINETIETH_BYTES = (10_000.0, 12_000.0)


@le2003("L01")
def throughput_is_linear(study: Study) -> list[Part]:
    """Throughput grows in a straight line with the users, with the published slope."""
    calibration = _calibration(study)
    ours = calibration.against(study.experiment.published_line)
    slope, difference = ours["bits_per_second_per_user"], ours["slope_difference_percent"]
    at_9520 = calibration.line.throughput_mbps(USERS_FOR_100_MBPS)
    return [
        Part(
            f"R² is at least {LEAST_R_SQUARED}",
            calibration.r_squared >= LEAST_R_SQUARED,
            f"R² = {calibration.r_squared:.5f} over {len(calibration.points)} runs",
            calibration.r_squared,
        ),
        Part(
            "the slope is the published one within 5 %",
            abs(difference) <= SLOPE_WITHIN_PERCENT,
            f"{slope:,.0f} bit/s per user, {difference:+.1f} %",
            difference,
        ),
        Part(
            "9,520 users a side offer 100 Mbit/s within 5 %",
            abs(at_9520 - 100.0) <= 5.0,
            f"{at_9520:.1f} Mbit/s",
            at_9520,
        ),
    ]


def _calibration(study: Study) -> LoadLine:
    if study.calibration is None:
        raise MissingDataError("no calibration was run at this scale (scale standard or full does)")
    return study.calibration.tightest


@le2003("L02")
def response_sizes(study: Study) -> list[Part]:
    """Median about 1 KB, nine in ten up to slightly over 10 KB, and a tail without visible end."""
    runs = _uncongested_runs(study)
    median = float(np.mean([_mean_generated(result, "response_bytes_p50") for result in runs]))
    ninetieth = float(np.mean([_mean_generated(result, "response_bytes_p90") for result in runs]))
    largest = max(_largest_response(result) for result in runs)
    return [
        _between("the median response is about 1 KB", median, MEDIAN_BYTES),
        _between("the 90th percentile is slightly over 10 KB", ninetieth, NINETIETH_BYTES),
        Part(
            "responses of more than 10 MB occur",
            largest > 1e7,
            f"largest completed {largest:.3g} bytes",
            largest,
        ),
    ]


def _between(statement: str, value: float, bounds: tuple[float, float]) -> Part:
    holds = bounds[0] <= value <= bounds[1]
    return Part(statement, holds, f"{value:,.0f} bytes; expected {bounds[0]:,.0f} to {bounds[1]:,.0f}", value)


def _largest_response(result: Recorded) -> float:
    rows = table(result, "response_scatter", setting='record.responses other than "none"')
    return float(rows["bytes_lower"].to_numpy().max())


@le2003("L03")
def long_range_dependence(study: Study) -> list[Part]:
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
    return [_hurst_part(name, estimator) for name, estimator in estimators]


def _hurst_part(name: str, estimator: Callable[[], HurstEstimate]) -> Part:
    statement = f"the 95 % interval of H by {name} meets {HURST[0]} to {HURST[1]}"

    def ask() -> Part:
        found = estimator()
        evidence = (
            f"H = {found.hurst:.3f} [{found.lower:.3f}, {found.upper:.3f}], {found.points} bins of 100 ms"
        )
        return Part(statement, found.overlaps(*HURST), evidence, found.hurst)

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
def persistent_connections(study: Study) -> list[Part]:
    """15 % of connections are persistent, and carry most objects and 40 % of the bytes."""
    totals = _generated_totals(_uncongested_runs(study))
    connections = totals["persistent_connections"] / totals["connections"]
    objects = totals["objects_on_persistent"] / totals["objects"]
    octets = totals["response_bytes_on_persistent"] / totals["response_bytes"]
    return [
        Part(
            "15 % of connections are persistent (within 1 point)",
            abs(connections - 0.15) <= 0.01,
            f"{connections:.1%}",
            connections,
        ),
        Part("they carry more than 50 % of objects", objects > 0.5, f"{objects:.1%}", objects),
        Part(
            "they carry about 40 % of bytes (within 5 points)",
            abs(octets - 0.40) <= 0.05,
            f"{octets:.1%}",
            octets,
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
