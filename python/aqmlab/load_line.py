"""Offered load against users where all browse on one side: what `calibration` is for users on both.

The points are uncongested runs of a study; a line is fitted through the means over replications, and seed by
seed, since with common random numbers the points of one seed depend on one another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aqmlab.calibration import BITS_PER_MBIT, Line
from aqmlab.statistics import Interval, MissingDataError, NotEnoughReplications, mean_interval
from aqmlab.statistics.summary import data_links

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.statistics import Recorded
    from aqmlab.study import Cell, Study

FloatArray = NDArray[np.float64]

LEAST_POINTS = 3
"""Two points are always on a line."""


@dataclass(frozen=True)
class LoadLine:
    """Throughput of the link that carries the responses, for growing numbers of users.

    Attributes:
        users: The numbers of users, increasing.
        throughput_mbps: One row per replication, one column per number of users; Mbit/s.
        line: The least-squares line through the means.
        r_squared: How much of the variance of the means it explains.
        lines_by_seed: The line of each replication.
    """

    users: FloatArray
    throughput_mbps: FloatArray
    line: Line
    r_squared: float
    lines_by_seed: tuple[Line, ...]

    def offered_mbps(self, users: int) -> Interval | NotEnoughReplications:
        """What a number of users offers in Mbit/s, mean of the replications' lines."""
        return mean_interval([line.throughput_mbps(users) for line in self.lines_by_seed])


def load_line(study: Study, cells: Sequence[Cell]) -> LoadLine:
    """Fits the line to uncongested cells; those that were not run are left out.

    Raises:
        MissingDataError: Fewer than three numbers of users, or cells of different seeds.
    """
    by_users: dict[int, dict[int, float]] = {}
    for cell in cells:
        for result in study.results(*cell) if study.has(*cell) else ():
            by_users.setdefault(_users(result), {})[int(result.run["seed"])] = _throughput_mbps(result)
    if len(by_users) < LEAST_POINTS:
        names = ", ".join(dict.fromkeys(name for name, _ in cells))
        raise MissingDataError(
            f"a line needs {LEAST_POINTS} numbers of users; {len(by_users)} of cells {names} were run"
        )
    seeds = sorted(set.intersection(*(set(values) for values in by_users.values())))
    if not seeds:
        raise MissingDataError("the uncongested cells share no seed")
    users = np.array(sorted(by_users), dtype=np.float64)
    throughput = np.array([[by_users[int(count)][seed] for count in users] for seed in seeds])
    line, r_squared = _least_squares(users, throughput.mean(axis=0))
    return LoadLine(
        users, throughput, line, r_squared, tuple(_least_squares(users, row)[0] for row in throughput)
    )


def _users(result: Recorded) -> int:
    return sum(int(entry["users"]) for entry in result.run["populations"])


def _throughput_mbps(result: Recorded) -> float:
    return float(np.mean([float(link["throughput_mbps"]) for link in data_links(result)]))


def _least_squares(users: FloatArray, throughput: FloatArray) -> tuple[Line, float]:
    slope, intercept = np.polyfit(users, throughput, 1)
    residual = throughput - (slope * users + intercept)
    total = float(((throughput - throughput.mean()) ** 2).sum())
    r_squared = 1.0 - float((residual**2).sum()) / total if total > 0.0 else 1.0
    return Line(float(slope) * BITS_PER_MBIT, float(intercept)), r_squared
