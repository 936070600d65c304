"""How many users make a load: throughput of one direction against users on one side.

Offered load is what the same users cause where nothing holds them back, so the runs are uncongested twins of
the scenario with a growing number of users. Either as many users browse from the other side, and the
throughput of a run is the mean of both directions, each kept; or all users are on one side, and the
throughput is that of the direction that carries what they asked for. With common random numbers the users of
a smaller run are also those of a larger one, so the points of one seed depend on one another: the line is
fitted seed by seed, and an interval for it is taken over seeds or not at all.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from aqmlab.errors import CalibrationError
from aqmlab.folders import write_whole
from aqmlab.reading import read_json
from aqmlab.shape import COUNT, NUMBER, TEXT, WHOLE, ListOf, Table, TableOf, conform
from aqmlab.spelling import quoted, whole_numbers
from aqmlab.statistics import Interval, NotEnoughReplications, mean_interval, throughput_mbps

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike

    from aqmlab.result import Result
    from aqmlab.scenario import Scenario
    from aqmlab.statistics import Recorded

FORMAT = 1
BITS_PER_MBIT = 1e6


@dataclass(frozen=True, slots=True)
class Line:
    """Throughput of one direction in bit/s = slope x users on one side + intercept."""

    bits_per_second_per_user: float
    intercept_mbps: float

    def throughput_mbps(self, users_per_side: float) -> float:
        """Throughput in Mbit/s that this many users on each side cause."""
        return self.bits_per_second_per_user * users_per_side / BITS_PER_MBIT + self.intercept_mbps

    def users_per_side(self, throughput_mbps: float) -> int:
        """Users on each side that cause this throughput (Mbit/s), to the nearest user."""
        users = (throughput_mbps - self.intercept_mbps) * BITS_PER_MBIT / self.bits_per_second_per_user
        if users <= 0:
            raise CalibrationError(
                f"{throughput_mbps} Mbit/s lies below the line's intercept of {self.intercept_mbps}"
            )
        return round(users)


@dataclass(frozen=True, slots=True)
class Point:
    """One calibration run."""

    seed: int
    users_per_side: int
    throughput_mbps: float
    throughput_mbps_by_link: Mapping[str, float]


@dataclass(frozen=True)
class Calibration:
    """The points, the least-squares line through them all, and the line of each seed."""

    points: tuple[Point, ...]
    line: Line
    r_squared: float
    lines_by_seed: Mapping[int, Line]
    version: str = ""

    @property
    def slope_interval(self) -> Interval | NotEnoughReplications:
        """Bit/s per user with its interval over seeds.

        Raises:
            CalibrationError: No seed was run with two numbers of users, so none has a line of its own.
        """
        if not self.lines_by_seed:
            raise CalibrationError("no seed was run with two different numbers of users: there is no slope")
        return mean_interval([line.bits_per_second_per_user for line in self.lines_by_seed.values()])

    def users_per_side(self, throughput_mbps: float) -> int:
        """Users on each side for a load of one direction in Mbit/s."""
        return self.line.users_per_side(throughput_mbps)

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

    def save(self, file: str | Path) -> Path:
        """Writes the calibration as JSON."""
        document = {
            "format": FORMAT,
            "aqmlab_version": self.version,
            "line": asdict(self.line),
            "r_squared": self.r_squared,
            "lines_by_seed": {str(seed): asdict(line) for seed, line in self.lines_by_seed.items()},
            "points": [
                {**asdict(point), "throughput_mbps_by_link": dict(point.throughput_mbps_by_link)}
                for point in self.points
            ],
        }
        return write_whole(Path(file), json.dumps(document, indent=1) + "\n")

    @classmethod
    def load(cls, file: str | Path) -> Self:
        """Reads what `save` wrote.

        Raises:
            CalibrationError: The file cannot be read, or holds no calibration of this layout.
        """
        document = read_json(file, CalibrationError)
        if document.get("format") != FORMAT:
            raise CalibrationError(f"{file}: holds no calibration of layout {FORMAT}")
        conform(document, _SHAPE, str(file), CalibrationError)
        return cls(
            points=tuple(Point(**point) for point in document["points"]),
            line=Line(**document["line"]),
            r_squared=document["r_squared"],
            lines_by_seed={
                _seed(seed, file): Line(**line) for seed, line in document["lines_by_seed"].items()
            },
            version=document["aqmlab_version"],
        )

    def __str__(self) -> str:
        line = self.line
        return (
            f"throughput of one direction = {line.bits_per_second_per_user:,.1f} bit/s x users on one side "
            f"{line.intercept_mbps:+.3f} Mbit/s (R² {self.r_squared:.5f}, {len(self.points)} runs)"
        )


_LINE = Table({"bits_per_second_per_user": NUMBER, "intercept_mbps": NUMBER})
_POINT = Table(
    {
        "seed": WHOLE,
        "users_per_side": COUNT,
        "throughput_mbps": NUMBER,
        "throughput_mbps_by_link": TableOf(NUMBER),
    }
)
_SHAPE = Table(
    {
        "format": COUNT,
        "aqmlab_version": TEXT,
        "line": _LINE,
        "r_squared": NUMBER,
        "lines_by_seed": TableOf(_LINE),
        "points": ListOf(_POINT, shortest=2),
    }
)


def _seed(text: str, file: str | Path) -> int:
    numbers = whole_numbers(text)
    if numbers is None or len(numbers) != 1:
        raise CalibrationError(f"{file}: lines_by_seed: the keys are seeds, not {quoted(text)}")
    return numbers[0]


def calibrate(
    scenario: Scenario,
    *,
    users: Sequence[int],
    seeds: Sequence[int] = (1,),
    workers: int | None = None,
    store: str | Path | None = None,
    progress: bool = True,
) -> Calibration:
    """Runs the uncongested twin with each number of users on each side and fits the line.

    Args:
        scenario: The study's scenario, with users on both sides of a dumbbell, or on one.
        users: Users on each side that has any, at least two different numbers.
        seeds: Replications; with six and more the slope has an interval.
        workers: How many runs at a time.
        store: Folder that keeps finished runs.
        progress: Whether to show a progress bar.
    """
    from aqmlab.runs import Job, run_many  # noqa: PLC0415 (fitting stored points needs no simulator)

    left, right = browsing_sides(scenario)
    twins = {
        count: with_users(scenario, left=count * left, right=count * right).uncongested_twin()
        for count in users
    }
    jobs = [Job(twin, seed) for seed in seeds for twin in twins.values()]
    results: list[Result] = run_many(
        jobs, workers=workers, store=store, progress=progress, label="calibration"
    )
    return fit(results)


def with_users(scenario: Scenario, *, left: int, right: int) -> Scenario:
    """The scenario with this many users on either side."""
    return scenario.with_overrides({"users.left": left, "users.right": right})


def browsing_sides(scenario: Scenario) -> tuple[bool, bool]:
    """Whether anybody browses from the left, and from the right; both, where nobody does yet."""
    users = scenario.resolved.get("users") or {}
    left, right = users.get("left") != 0, users.get("right") != 0
    return (left, right) if left or right else (True, True)


def fit(results: Sequence[Recorded]) -> Calibration:
    """Fits the line to uncongested runs with equal numbers of users on both sides, or users on one.

    Raises:
        CalibrationError: Fewer than two different numbers of users, or unequal sides.
    """
    points = tuple(_point(result) for result in results)
    if len({point.users_per_side for point in points}) < 2:
        raise CalibrationError("a line needs runs with at least two different numbers of users")
    line, r_squared = _line_through(points)
    seeds = sorted({point.seed for point in points})
    by_seed = {seed: [point for point in points if point.seed == seed] for seed in seeds}
    lines = {seed: _line_through(own)[0] for seed, own in by_seed.items() if _has_slope(own)}
    version = str(results[0].run.get("aqmlab_version", ""))
    return Calibration(points, line, r_squared, lines, version)


def _point(result: Recorded) -> Point:
    users = {int(entry["users"]) for entry in result.run["populations"]} - {0}
    if len(users) != 1:
        raise CalibrationError(
            f"calibration needs as many users on either side, or users on one side, not {sorted(users)}"
        )
    return Point(
        seed=int(result.run["seed"]),
        users_per_side=users.pop(),
        throughput_mbps=throughput_mbps(result),
        throughput_mbps_by_link=throughput_mbps.by_link(result),
    )


def _has_slope(points: Sequence[Point]) -> bool:
    return len({point.users_per_side for point in points}) > 1


def _line_through(points: Sequence[Point]) -> tuple[Line, float]:
    return least_squares(
        [point.users_per_side for point in points], [point.throughput_mbps for point in points]
    )


def least_squares(users: ArrayLike, throughput_mbps: ArrayLike) -> tuple[Line, float]:
    """The line through throughputs in Mbit/s at numbers of users, with the share of variance it explains."""
    at, found = np.asarray(users, dtype=np.float64), np.asarray(throughput_mbps, dtype=np.float64)
    slope, intercept = np.polyfit(at, found, 1)
    residual = found - (slope * at + intercept)
    total = float(((found - found.mean()) ** 2).sum())
    r_squared = 1.0 - float((residual**2).sum()) / total if total > 0.0 else 1.0
    return Line(float(slope) * BITS_PER_MBIT, float(intercept)), r_squared
