"""Section 3: the calibration of the load and the traffic that the users generate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab.errors import MissingDataError, TooLittleDataError
from aqmlab.experiments.le2003.claims.responses import LOADS, UNCONGESTED
from aqmlab.inference import Interval
from aqmlab.inference.hurst import aggregate, aggregated_variance, local_whittle, wavelet
from aqmlab.papers.claims import Answer
from aqmlab.papers.claims.outcome import decided, weighed
from aqmlab.statistics.recorded import data_links, has_name, table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aqmlab.inference.hurst import FloatArray, HurstEstimate
    from aqmlab.load import LoadLine
    from aqmlab.papers.study import Study
    from aqmlab.statistics import Recorded

    Bounds = tuple[float, float]

MILLISECONDS_PER_BIN = 100
"""Below this TCP's own rhythm shows; long-range dependence lives above."""
ESTIMATORS: dict[str, Callable[[FloatArray], HurstEstimate]] = {
    "aggregated variance": aggregated_variance,
    "local Whittle": local_whittle,
    "wavelet": wavelet,
}


def calibration_is_straight(study: Study, *, least: float) -> Answer:
    """Throughput grows in a straight line with the users."""
    line = _calibration(study)
    evidence = f"R² = {line.r_squared:.5f} over {len(line.points)} runs"
    return Answer(line.r_squared >= least, evidence, line.r_squared)


def slope_is_the_published(study: Study, *, within_percent: float) -> Answer:
    """The slope of the calibration is the paper's."""
    published = study.experiment.published.line
    if published is None:
        raise MissingDataError("the experiment has no published line")
    ours = _calibration(study).against(published)
    slope, difference = ours["bits_per_second_per_user"], ours["slope_difference_percent"]
    evidence = f"{slope:,.0f} bit/s per user, {difference:+.1f} %"
    return Answer(abs(difference) <= within_percent, evidence, difference)


def users_offer(study: Study, *, users: int, mbps: float, within_mbps: float) -> Answer:
    """A number of users offers a throughput, by the line of the calibration."""
    offered = _calibration(study).line.throughput_mbps(users)
    return Answer(abs(offered - mbps) <= within_mbps, f"{offered:.1f} Mbit/s", offered)


def _calibration(study: Study) -> LoadLine:
    if study.calibration is None:
        raise MissingDataError("no calibration was run at this scale (scale standard or full does)")
    return study.calibration.tightest


def generated_bytes(study: Study, *, quantile: str, bounds: Bounds) -> Answer:
    """A quantile of the sizes of generated responses lies between the bounds."""
    value = float(np.mean([np.mean(_generated(result, quantile)) for result in _uncongested_runs(study)]))
    evidence = f"{value:,.0f} bytes; expected {bounds[0]:,.0f} to {bounds[1]:,.0f}"
    return Answer(bounds[0] <= value <= bounds[1], evidence, value)


def larger_responses(study: Study, *, than_bytes: float) -> Answer:
    """Responses beyond a size occur."""
    setting = 'record.responses other than "none"'
    rows = [table(result, "response_scatter", setting=setting) for result in _uncongested_runs(study)]
    largest = max(float(each["bytes_lower"].to_numpy().max()) for each in rows)
    return Answer(largest > than_bytes, f"largest completed {largest:.3g} bytes", largest)


def hurst_parameter(study: Study, *, estimator: str, bounds: Bounds, least_window_s: float) -> Answer:
    """The interval of the Hurst parameter, by one of three estimators, lies between the bounds.

    An interval that reaches beyond them does not decide: a wide one shows nothing.
    """
    recorded = [result for result in _uncongested_runs(study) if "arrivals" in result.tables]
    if not recorded:
        raise MissingDataError(
            "no uncongested run recorded arrivals per millisecond (record.arrivals = true)"
        )
    found = ESTIMATORS[estimator](_arrivals(recorded[-1], least_window_s))
    evidence = f"H = {found.hurst:.3f} [{found.lower:.3f}, {found.upper:.3f}], {found.points} bins of 100 ms"

    def inside(hurst: Interval) -> bool | None:
        outside = hurst.lies_below(bounds[0]) or hurst.lies_above(bounds[1])
        return decided(hurst.lies_within(*bounds), outside)

    return weighed(Interval(found.hurst, found.lower, found.upper, 1), inside, evidence, found.hurst)


def _arrivals(result: Recorded, least_window_s: float) -> FloatArray:
    """Packets per 100 ms that arrived at the first link that carries data in the measured window."""
    rows = table(result, "arrivals", setting="record.arrivals = true")
    start, end = float(result.run["measured_from_s"]), float(result.run["measured_until_s"])
    if end - start < least_window_s:
        raise TooLittleDataError(f"a window of {end - start:g} s is too short for long-range dependence")
    time_s = rows["time_s"].to_numpy()
    keep = (time_s > start) & (time_s <= end) & has_name(rows, "link", data_links(result)[0]["name"])
    per_millisecond = np.zeros(round((end - start) * 1000.0))
    place = np.round((time_s[keep] - start) * 1000.0).astype(np.int64) - 1  # a row is named by its bin's end
    np.add.at(per_millisecond, place, rows["packets"].to_numpy()[keep])
    return aggregate(per_millisecond, MILLISECONDS_PER_BIN)


def about_a_share(study: Study, *, what: str, whole: str, about: float, within: float) -> Answer:
    """What is counted under one name is about a share of what is counted under another."""
    share = _share(study, what, whole)
    return Answer(abs(share - about) <= within, f"{share:.1%}", share)


def more_than_a_share(study: Study, *, what: str, whole: str, share: float) -> Answer:
    """What is counted under one name is more than a share of what is counted under another."""
    found = _share(study, what, whole)
    return Answer(found > share, f"{found:.1%}", found)


def _share(study: Study, what: str, whole: str) -> float:
    runs = _uncongested_runs(study)
    counted, every = (sum(sum(_generated(result, name)) for result in runs) for name in (what, whole))
    return counted / every


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


def _generated(result: Recorded, name: str) -> list[float]:
    """One statistic of the generated traffic, per population."""
    found = [entry["generated"] for entry in result.run["populations"]]
    if any(name not in generated for generated in found):
        raise MissingDataError(f"the run has no statistic `{name}` of the generated traffic")
    return [float(generated[name]) for generated in found]
