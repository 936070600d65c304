"""Offered load against the size of a demand: a straight line where every user adds as much as the one before.

The points come from uncongested runs, with any number of replications at each size. With common random
numbers the users of a smaller run are also those of a larger one, so the points of one seed depend on one
another: each seed has a line of its own as well, and an interval is taken over seeds or not at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Annotated

import numpy as np

from aqmlab.errors import CalibrationError, MissingDataError
from aqmlab.files.records import AtLeast, Count, Made
from aqmlab.inference import Interval, NotEnoughReplications, mean_interval
from aqmlab.statistics import throughput_mbps
from aqmlab.terminal.spelling import quoted, whole_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from aqmlab.statistics import Recorded

    FloatArray = NDArray[np.float64]

BITS_PER_MBIT = 1e6
LEAST_SIZES = 3
"""Two points are always on a line."""
LEAST_UNROUNDED_SIZE = 0.5
"""What is less is nearer to nobody than to 1."""
_LEAST_RISE = 1e-3
"""A line that rises by less over the sizes that ran, as a share of its throughput, is level."""
_LEAST_STANDARD_ERRORS = 2.0
"""How many standard errors a slope has to be above 0 to count."""


@dataclass(frozen=True, slots=True)
class Line:
    """Throughput of one direction in bit/s = slope x size of the demand + intercept.

    Attributes:
        bits_per_second_per_user: The slope, for each user or flow.
        intercept_mbps: What is there without the demand, in Mbit/s.
    """

    bits_per_second_per_user: float
    intercept_mbps: float

    def throughput_mbps(self, size: float) -> float:
        """Throughput in Mbit/s that a demand of this size causes."""
        return self.bits_per_second_per_user * size / BITS_PER_MBIT + self.intercept_mbps

    def size(self, throughput_mbps: float) -> int:
        """The size that causes this throughput (Mbit/s), to the nearest user or flow."""
        slope = self.bits_per_second_per_user
        if slope <= 0:
            raise CalibrationError(
                f"throughput does not grow with the demand: {slope:,.1f} bit/s for each more"
            )
        size = self.unrounded_size(throughput_mbps)
        if size < LEAST_UNROUNDED_SIZE:
            raise CalibrationError(
                f"{throughput_mbps:.4g} Mbit/s lies below the line, which starts at "
                f"{self.intercept_mbps:.4g} Mbit/s; legal: from {self.throughput_mbps(1):.4g} Mbit/s on, "
                "which is size 1"
            )
        return round(size)

    def unrounded_size(self, throughput_mbps: float) -> float:
        """The same without refusals: infinite where throughput does not grow."""
        slope = self.bits_per_second_per_user
        above = throughput_mbps - self.intercept_mbps
        return above * BITS_PER_MBIT / slope if slope > 0 else float("inf")


@dataclass(frozen=True, slots=True)
class Point:
    """One run's measurement of one bottleneck: throughput of one direction, and of each judged one."""

    seed: int
    size: Count
    throughput_mbps: float
    throughput_mbps_by_link: Mapping[str, float]

    @classmethod
    def of(cls, result: Recorded, size: int, links: Sequence[str] = ()) -> Point:
        """The point of a run whose demand had this size, of these links or of those that carry data."""
        by_link = throughput_mbps.by_link(result, links)
        return cls(int(result.run["seed"]), size, fmean(by_link.values()), by_link)


def _by_seed(lines: Mapping[str, Line]) -> dict[int, Line]:
    """Lines by their seeds, which are texts in a file."""
    found = {}
    for text, line in lines.items():
        numbers = whole_numbers(text)
        if numbers is None or len(numbers) != 1:
            raise CalibrationError(f"the keys are seeds, not {quoted(text)}")
        found[numbers[0]] = line
    return found


@dataclass(frozen=True)
class LoadLine:
    """The load of one bottleneck for growing sizes of a demand.

    Attributes:
        points: The runs.
        line: The least-squares line through them, or through their means at each size.
        r_squared: How much of the variance of what it goes through it explains.
        lines_by_seed: The line of each replication that has enough sizes for one.
        rate_mbps: What the bottleneck carries, in Mbit/s; not a number where the runs do not know it.
    """

    points: Annotated[tuple[Point, ...], AtLeast(2)]
    line: Line
    r_squared: float
    lines_by_seed: Annotated[Mapping[int, Line], Made(Mapping[str, Line], _by_seed)]
    rate_mbps: float

    @property
    def links(self) -> tuple[str, ...]:
        """The names of the bottleneck's links."""
        return tuple(self.points[0].throughput_mbps_by_link)

    @property
    def sizes(self) -> FloatArray:
        """The size of each point."""
        return np.array([point.size for point in self.points], dtype=np.float64)

    @property
    def throughput_mbps(self) -> FloatArray:
        """The throughput of each point."""
        return np.array([point.throughput_mbps for point in self.points])

    @property
    def slope_interval(self) -> Interval | NotEnoughReplications:
        """Bit/s for each user or flow, with its interval over seeds."""
        if not self.lines_by_seed:
            raise CalibrationError("no seed was run with two different numbers of users: there is no slope")
        return mean_interval([line.bits_per_second_per_user for line in self.lines_by_seed.values()])

    def offered_mbps(self, size: int) -> Interval | NotEnoughReplications:
        """What a size offers in Mbit/s, mean of the replications' lines."""
        return mean_interval([line.throughput_mbps(size) for line in self.lines_by_seed.values()])

    def size(self, load: float) -> int:
        """The size that offers this share of the rate, to the nearest user or flow."""
        return self.line.size(load * self.rate_mbps)

    def unrounded_size(self, load: float) -> float:
        """The same without refusals: infinite where throughput does not clearly grow."""
        return self.line.unrounded_size(load * self.rate_mbps) if self.rises else float("inf")

    @property
    def rises(self) -> bool:
        """Whether throughput clearly grows with the demand: more than rounding, or than scatter, explains.

        The points of one seed depend on one another, so the standard error is a rule of thumb.
        """
        least, most = (self.line.throughput_mbps(size) for size in (min(self.sizes), max(self.sizes)))
        if most <= least or most - least < _LEAST_RISE * abs(most):
            return False
        # The squared standard errors between the slope and 0 are R² (n - 2) / (1 - R²).
        explained = self.r_squared * (len(self.points) - 2)
        return explained >= _LEAST_STANDARD_ERRORS**2 * (1.0 - self.r_squared) or len(self.points) == 2

    def fit_in_words(self, form: str) -> str:
        """R² in this form; nothing of two points, which are on any line."""
        return form.format(self.r_squared) if len(self.points) > 2 else ""

    def against(self, published: Line) -> Mapping[str, float]:
        """How far this line lies from a published one: ours, theirs, and the slopes' relative difference."""
        ours = self.line.bits_per_second_per_user
        theirs = published.bits_per_second_per_user
        return {
            "bits_per_second_per_user": ours,
            "published_bits_per_second_per_user": theirs,
            "slope_difference_percent": 100.0 * (ours / theirs - 1.0),
            "intercept_mbps": self.line.intercept_mbps,
            "published_intercept_mbps": published.intercept_mbps,
            "r_squared": self.r_squared,
        }


def line_through(points: Sequence[Point], *, rate_mbps: float, least_sizes: int = 2) -> LoadLine:
    """Fits a line to the points of a bottleneck, and one to those of each seed that has so many sizes."""
    if len({point.size for point in points}) < 2:
        raise CalibrationError("a line needs runs with at least two different numbers of users")
    line, r_squared = least_squares(*_columns(points))
    by_seed = {
        seed: [point for point in points if point.seed == seed]
        for seed in sorted({point.seed for point in points})
    }
    lines = {
        seed: least_squares(*_columns(own))[0]
        for seed, own in by_seed.items()
        if len({point.size for point in own}) >= least_sizes
    }
    return LoadLine(tuple(points), line, r_squared, lines, rate_mbps)


def load_line(results: Sequence[Recorded]) -> LoadLine:
    """The line through the mean throughputs at each number of users, of runs that were uncongested."""
    points = [Point.of(result, users_of_run(result)) for result in results]
    sizes = sorted({point.size for point in points})
    if len(sizes) < LEAST_SIZES:
        raise MissingDataError(
            f"a line needs {LEAST_SIZES} numbers of users; {len(sizes)} were run uncongested"
        )
    every = line_through(points, rate_mbps=float("nan"), least_sizes=LEAST_SIZES)
    means = [fmean(point.throughput_mbps for point in points if point.size == size) for size in sizes]
    line, r_squared = least_squares(sizes, means)
    return LoadLine(every.points, line, r_squared, every.lines_by_seed, every.rate_mbps)


def users_of_run(result: Recorded) -> int:
    """Users of all populations together."""
    return sum(int(entry["users"]) for entry in result.run["populations"])


def least_squares(sizes: ArrayLike, throughput_mbps: ArrayLike) -> tuple[Line, float]:
    """The line through throughputs in Mbit/s at sizes, with the share of variance it explains."""
    at, found = np.asarray(sizes, dtype=np.float64), np.asarray(throughput_mbps, dtype=np.float64)
    slope, intercept = np.polyfit(at, found, 1)
    residual = found - (slope * at + intercept)
    total = float(((found - found.mean()) ** 2).sum())
    r_squared = 1.0 - float((residual**2).sum()) / total if total > 0.0 else 1.0
    return Line(float(slope) * BITS_PER_MBIT, float(intercept)), r_squared


def _columns(points: Sequence[Point]) -> tuple[list[int], list[float]]:
    return [point.size for point in points], [point.throughput_mbps for point in points]
