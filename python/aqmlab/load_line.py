"""Offered load against users where all browse on one side.

The runs are uncongested, from a calibration or from cells of a study, with any number of replications at each
number of users. The line goes through the means over replications; each replication has a line of its own as
well, since with common random numbers the points of one seed depend on one another and an interval is taken
over seeds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aqmlab.calibration import Line, least_squares
from aqmlab.statistics import (
    Interval,
    MissingDataError,
    NotEnoughReplications,
    mean_interval,
    throughput_mbps,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.statistics import Recorded

FloatArray = NDArray[np.float64]

LEAST_NUMBERS_OF_USERS = 3
"""Two points are always on a line."""


@dataclass(frozen=True)
class LoadLine:
    """Throughput of the link that carries the responses, for growing numbers of users.

    Attributes:
        users: Users of each run.
        throughput_mbps: What they caused, in Mbit/s.
        line: The least-squares line through the means at each number of users.
        r_squared: How much of the variance of the means it explains.
        lines_by_seed: The line of each replication that has three numbers of users or more.
    """

    users: FloatArray
    throughput_mbps: FloatArray
    line: Line
    r_squared: float
    lines_by_seed: tuple[Line, ...]

    def offered_mbps(self, users: int) -> Interval | NotEnoughReplications:
        """What a number of users offers in Mbit/s, mean of the replications' lines."""
        return mean_interval([line.throughput_mbps(users) for line in self.lines_by_seed])


def load_line(results: Sequence[Recorded]) -> LoadLine:
    """Fits the line to uncongested runs.

    Raises:
        MissingDataError: Fewer than three numbers of users were run.
    """
    users = np.array([_users(result) for result in results], dtype=np.float64)
    throughput = np.array([throughput_mbps(result) for result in results], dtype=np.float64)
    numbers = np.unique(users)
    if numbers.size < LEAST_NUMBERS_OF_USERS:
        raise MissingDataError(
            f"a line needs {LEAST_NUMBERS_OF_USERS} numbers of users; {numbers.size} were run uncongested"
        )
    means = np.array([throughput[users == number].mean() for number in numbers])
    line, r_squared = least_squares(numbers, means)
    seeds = np.array([int(result.run["seed"]) for result in results])
    own = [seeds == seed for seed in np.unique(seeds)]
    lines = tuple(
        least_squares(users[points], throughput[points])[0]
        for points in own
        if np.unique(users[points]).size >= LEAST_NUMBERS_OF_USERS
    )
    return LoadLine(users, throughput, line, r_squared, lines)


def _users(result: Recorded) -> int:
    return sum(int(entry["users"]) for entry in result.run["populations"])
