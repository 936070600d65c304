"""Table 3: RED 30/90 with three limits of the queue, at three loads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab.claims.christiansen2000.cells import RECOMMENDED, christiansen2000
from aqmlab.claims.christiansen2000.measures import (
    SEVENTY_MINUTES_S,
    drop_percent,
    mean_queue_packets,
    published_rows,
    throughput_kilobytes_per_s,
)
from aqmlab.claims.evidence import attempt
from aqmlab.claims.outcome import Part
from aqmlab.statistics import MINIMUM_REPLICATIONS, measured_window_s, response_times
from aqmlab.statistics.replication import student_quantile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.statistics import Recorded
    from aqmlab.study import Study

    FloatArray = np.ndarray[tuple[int], np.dtype[np.float64]]

CELLS = {480: RECOMMENDED, 160: f"{RECOMMENDED}-limit-160", 120: f"{RECOMMENDED}-limit-120"}
SHARES = ("percent_le_1s", "percent_1_to_2s", "percent_2_to_3s", "percent_gt_3s")
CONFIDENCE = 0.95


@christiansen2000("C10")
def table_3(study: Study) -> list[Part]:
    """Every row in all eight quantities.

    The paper's rows look like single runs. A quantity agrees when the published value lies within the
    tolerance of our mean, or within the range that holds a further single run of ours with 95 % for all
    eight together. Only runs of the paper's length have that range: shorter ones spread more.
    """
    return [_row(study, row) for row in published_rows(study, "published_table3.csv")]


def _row(study: Study, published: Mapping[str, str]) -> Part:
    packets, load = int(published["queue_length_packets"]), float(published["offered_load_percent"])
    said = f"RED 30/90 with {packets} packets at {load:g} %"

    def ask() -> Part:
        runs = study.results(CELLS[packets], load)
        each = [quantities(result) for result in runs]
        ours = {name: np.array([run[name] for run in each]) for name in each[0]}
        close = {name for name in ours if _within_tolerance(study, name, ours[name], float(published[name]))}
        reached = {name for name in ours if _within_reach(runs, ours[name], float(published[name]))} - close
        outside = [
            f"{name} {float(values.mean()):.4g} against {published[name]}"
            for name, values in ours.items()
            if name not in close | reached
        ]
        evidence = f"{len(close)} of {len(ours)} quantities within the tolerance"
        evidence += f", {len(reached)} more within a single run's reach" if reached else ""
        evidence += f"; outside: {', '.join(outside)}" if outside else ""
        return Part(said, not outside, evidence)

    return attempt(said, ask)


def quantities(result: Recorded) -> dict[str, float]:
    """A run in the columns of table 3."""
    times = response_times(result)
    edges = np.concatenate(([0.0], times.cdf([1.0, 2.0, 3.0]), [1.0]))
    return {
        "throughput_kilobytes_per_s": throughput_kilobytes_per_s(result),
        "drop_percent": drop_percent(result),
        "mean_queue_packets": mean_queue_packets(result),
        "median_response_ms": 1000.0 * times.quantile(0.5),
        **dict(zip(SHARES, (100.0 * np.diff(edges)).tolist(), strict=True)),
    }


def _within_tolerance(study: Study, name: str, ours: FloatArray, published: float) -> bool:
    tolerance = study.experiment.tolerances["percent_of_responses" if name in SHARES else name]
    return abs(float(ours.mean()) - published) <= tolerance.around(published)


def _within_reach(runs: Sequence[Recorded], ours: FloatArray, published: float) -> bool:
    if len(runs) < MINIMUM_REPLICATIONS or measured_window_s(runs[0]) < SEVENTY_MINUTES_S:
        return False
    return abs(float(ours.mean()) - published) <= single_run_reach(ours)


def single_run_reach(ours: FloatArray) -> float:
    """How far from our mean one more run may lie: 95 % for the eight quantities of a row together."""
    confidence = 1.0 - (1.0 - CONFIDENCE) / 8.0
    spread = float(ours.std(ddof=1)) * np.sqrt(1.0 + 1.0 / ours.size)
    return float(student_quantile(ours.size - 1, confidence) * spread)
