"""Runs made by hand in which people wait for pages as long as a test says: what reports are tested on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from aqmlab.comparison import Comparison
from aqmlab.scenario import Scenario
from synthetic_results import LINKS, SyntheticResult, names, synthetic_result

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SEEDS = range(1, 7)
# Of the median over seeds 1 to 6: their mean is 1.
COMMON = dict(zip(SEEDS, (0.9, 1.1, 0.95, 1.05, 1.0, 1.0), strict=True))
OWN = dict(zip(SEEDS, (1.4, 0.6, 0.7, 1.3, 0.8, 1.2), strict=True))


def waiting(median_s: float, slow_s: float) -> pa.Table:
    """A hundred pages: 50 are there at one time, 94 at twice that, 95 at the slow one, all at twice that."""
    times = np.array([median_s, 2.0 * median_s, slow_s, 2.0 * slow_s])
    return pa.table(
        {
            "population": names(np.zeros(4), ("left",)),
            "counted": names(np.zeros(4), ("followed",)),
            "lower_s": times * (1.0 - 1e-9),
            "upper_s": times,
            "count": pa.array([50, 44, 1, 5], type=pa.uint64()),
        }
    )


def over_time(step_s: float, **columns: pa.Array) -> pa.Table:
    length = len(next(iter(columns.values())))
    time_s = step_s * np.arange(1, length + 1)
    return pa.table({"time_s": time_s, "link": names(np.zeros(length), LINKS), **columns})


LINE = Scenario.from_toml(
    """
name = "synthetic"
duration_s = 150.0
[dumbbell]
rate_mbps = 100.0
queue = { scheme = "drop-tail", limit_packets = 50 }
[users]
left = 0
right = 100
"""
)
"""The line that they are behind."""


def a_run(seed: int, median_s: float, slow_s: float) -> SyntheticResult:
    """One run with its pages, objects, queue and link."""
    draws = np.random.default_rng(seed)
    packets = pa.array(draws.integers(0, 50, size=1500), type=pa.uint32())
    sizes = np.geomspace(100.0, 100_000.0, 12)
    scatter = pa.table(
        {
            "bytes_lower": sizes,
            "bytes_upper": 1.05 * sizes,
            "time_lower_s": np.full(12, median_s / 10.0),
            "time_upper_s": np.full(12, median_s / 9.0),
            "count": pa.array(np.full(12, 100), type=pa.uint64()),
        }
    )
    made = synthetic_result(
        seed=seed,
        times_s=median_s / 10.0 * np.exp(0.5 * draws.normal(size=400)),
        users=(0, 100),
        tables={
            "page_histogram": waiting(median_s, slow_s),
            "response_scatter": scatter,
            "queue": over_time(
                0.1,
                packets=packets,
                mean_packets=packets.cast(pa.float32()),
                bytes=pc.multiply(packets.cast(pa.uint64()), 1500),
            ),
            "link": over_time(1.0, utilization=pa.array(draws.random(150), type=pa.float32())),
        },
    )
    made.run["scenario"] = dict(LINE.resolved)
    return made


def three() -> Mapping[str, Sequence[SyntheticResult]]:
    """Today's queue; one under which half of the pages take half the time; one that differs by chance."""
    return {
        "today": [a_run(seed, 1.0 * COMMON[seed], 5.0 * COMMON[seed]) for seed in SEEDS],
        "better": [a_run(seed, 0.5 * COMMON[seed], 9.0 * COMMON[seed]) for seed in SEEDS],
        "<b>other</b>": [a_run(seed, 1.0 * OWN[seed], 5.0 * OWN[seed]) for seed in SEEDS],
    }


def compared() -> Comparison:
    """The three beside each other."""
    return Comparison.of(three())
