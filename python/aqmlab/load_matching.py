"""Users chosen so that a short run offers exactly the load its label says.

Heavy tails make the load of a short run random: the same 8,568 users may offer 80 or 100 Mbit/s in five
minutes, depending on whose turn it is to fetch something huge. So for each seed the users are counted out
until the uncongested twin of the same seed and window offers the nominal load in each direction.

What a user does depends on the user's number and not on how many there are. One run of the twin with more
users than needed, recording each user's frame bytes, therefore tells what *any* smaller number would offer:
cumulative sums over users, left and right. The pair of counts closest to the load in both directions is
looked up, run once to verify, and corrected while it misses (users do affect one another a little even on
an uncongested link). The verified twin is the uncongested run that all schemes of this seed and load are
compared with.

Where all users sit on one side there is one direction that carries what they ask for, and one number of users
to look up; the other direction carries acknowledgements and is not matched.

A single user may fetch more within the window than the tolerance. Then a load between her absence and her
presence cannot be offered by the first n users of a side; if both directions together can still be met, their
mean is matched, and otherwise the nearest pair is taken with a warning.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.calibration import browsing_sides, with_users
from aqmlab.errors import CalibrationError
from aqmlab.statistics import measured_window_s, throughput_mbps
from aqmlab.statistics.recorded import has_name, table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from aqmlab.result import Result
    from aqmlab.scenario import Scenario
    from aqmlab.statistics import Recorded

    FloatArray = NDArray[np.float64]
    Runner = Callable[[Sequence[tuple["Scenario", int]]], Sequence["Result"]]

DIRECTIONS = ("left-to-right", "right-to-left")
LEFT, RIGHT = 0, 1
TOLERANCE = 0.005
ATTEMPTS = 4
RESERVE = 1.3
"""How many more users than the rule of thumb says the first run of a seed holds."""
SURVEYS = 4
BITS_PER_MBIT = 1e6


@dataclass(frozen=True)
class Survey:
    """What the first n users of each side offer in each direction, for every n up to those that ran.

    `offered_mbps[side, direction][n]` is the load in Mbit/s of the first n users of that side.
    """

    seed: int
    offered_mbps: Mapping[tuple[int, int], FloatArray]

    def load_mbps(self, left: int, right: int) -> tuple[float, float]:
        """Predicted load of the two directions with these numbers of users."""
        loads = [
            float(self.offered_mbps[LEFT, direction][left] + self.offered_mbps[RIGHT, direction][right])
            for direction in range(2)
        ]
        return loads[0], loads[1]

    def reaches(self, load_mbps: float) -> bool:
        """Whether all users together offer this load in every direction that carries what they ask for."""
        left, right = (self.users(side) for side in (LEFT, RIGHT))
        loads = self.load_mbps(left, right)
        return min(loads[direction] for direction in self.loaded) >= load_mbps

    def users(self, side: int) -> int:
        """Users of one side."""
        return self.offered_mbps[side, 0].size - 1

    @property
    def loaded(self) -> tuple[int, ...]:
        """The directions towards a side with users."""
        return tuple(1 - side for side in (RIGHT, LEFT) if self.users(side))


@dataclass(frozen=True)
class MatchedLoad:
    """The users that offer a nominal load with one seed, as verified by a run.

    Attributes:
        seed: The replication.
        nominal_percent: The load's label: per cent of the bottleneck's rate.
        nominal_mbps: The same in Mbit/s at the frame layer.
        users_left: Users browsing from the left.
        users_right: Users browsing from the right.
        realised_mbps: What the uncongested twin carried in each direction that carries what users ask for.
        attempts: Runs of the twin until it fitted.
        twin: The verified uncongested run.
        warnings: What a reader should know, if anything.
    """

    seed: int
    nominal_percent: float
    nominal_mbps: float
    users_left: int
    users_right: int
    realised_mbps: Mapping[str, float]
    attempts: int
    twin: Result
    warnings: tuple[str, ...] = ()

    @property
    def errors(self) -> dict[str, float]:
        """Relative error of the load in each direction."""
        return {name: load / self.nominal_mbps - 1.0 for name, load in self.realised_mbps.items()}

    @property
    def mean_error(self) -> float:
        """Relative error of the mean of both directions."""
        return float(np.mean(list(self.realised_mbps.values()))) / self.nominal_mbps - 1.0

    @property
    def realised_percent(self) -> float:
        """The realised load, mean of the directions, in per cent of the bottleneck's rate."""
        return self.nominal_percent * (1.0 + self.mean_error)

    def to_dict(self) -> dict[str, object]:
        """Both loads for the record of every run with these users."""
        return {
            "nominal_percent": self.nominal_percent,
            "nominal_mbps": self.nominal_mbps,
            "realised_mbps": dict(self.realised_mbps),
            "realised_percent": self.realised_percent,
            "users_left": self.users_left,
            "users_right": self.users_right,
            "matched_to": "its own uncongested twin",
            "attempts": self.attempts,
            "warnings": list(self.warnings),
        }


def match_loads(
    scenario: Scenario,
    *,
    loads_percent: Sequence[float],
    seeds: Sequence[int],
    users_per_side_at_100_percent: int,
    tolerance: float = TOLERANCE,
    workers: int | None = None,
    store: str | Path | None = None,
    progress: bool = True,
) -> dict[tuple[float, int], MatchedLoad]:
    """Finds the users of every load and seed; the answer is keyed by both.

    Args:
        scenario: The study's scenario: a dumbbell with users on both sides, or on one.
        loads_percent: Nominal loads in per cent of the bottleneck's rate.
        seeds: The replications.
        users_per_side_at_100_percent: A rule of thumb for the first run; a wrong one costs time only.
        tolerance: Largest relative error of the realised load.
        workers: How many runs at a time.
        store: Folder that keeps finished runs.
        progress: Whether to show a progress bar.
    """
    from aqmlab.runs import Job, run_many  # noqa: PLC0415 (matching itself needs no simulator)

    def runner(label: str) -> Runner:
        return lambda pairs: run_many(
            [Job(own, seed) for own, seed in pairs],
            workers=workers,
            store=store,
            progress=progress,
            label=label,
        )

    first_guess = round(users_per_side_at_100_percent * max(loads_percent) / 100.0 * RESERVE)
    rate_mbps = float(scenario.resolved["dumbbell"]["rate_mbps"])
    largest_mbps = rate_mbps * max(loads_percent) / 100.0
    surveys = survey_users(
        scenario,
        seeds=seeds,
        largest_mbps=largest_mbps,
        users=first_guess,
        run=runner("users and their load"),
        sides=browsing_sides(scenario),
    )
    wanted = [(load, rate_mbps * load / 100.0, seed) for load in loads_percent for seed in seeds]
    return verify(scenario, surveys, wanted, run=runner("load matching"), tolerance=tolerance)


def survey_users(
    scenario: Scenario,
    *,
    seeds: Sequence[int],
    largest_mbps: float,
    users: int,
    run: Runner,
    sides: tuple[bool, bool] = (True, True),
) -> dict[int, Survey]:
    """Runs each seed's twin with enough users for the largest load and takes the survey.

    Raises:
        CalibrationError: Even many times the expected users do not offer the load: the scenario's twin is
        congested.
    """
    surveys: dict[int, Survey] = {}
    missing = list(seeds)
    for _ in range(SURVEYS):
        left, right = (users * browses for browses in sides)
        twin = with_users(scenario, left=left, right=right).uncongested_twin()
        twin = twin.with_overrides({"record.users": True, "record.responses": "none"})
        surveys |= {
            survey.seed: survey for survey in map(take_survey, run([(twin, seed) for seed in missing]))
        }
        missing = [seed for seed in missing if not surveys[seed].reaches(largest_mbps)]
        if not missing:
            return surveys
        users = round(users * RESERVE)
    raise CalibrationError(f"seeds {missing}: {users} users a side do not offer {largest_mbps:g} Mbit/s")


def take_survey(result: Recorded) -> Survey:
    """Cumulative load of users from the table `users` of one run."""
    rows = table(result, "users", setting="record.users = true")
    user, caused_bytes = rows["user"].to_numpy(), rows["bytes"].to_numpy().astype(np.float64)
    to_mbps = 8.0 / measured_window_s(result) / BITS_PER_MBIT
    offered: dict[tuple[int, int], FloatArray] = {}
    for side in (LEFT, RIGHT):
        population = result.run["populations"][side]
        of_side = has_name(rows, "population", population["name"])
        for direction, name in enumerate(DIRECTIONS):
            own = of_side & has_name(rows, "link", name)
            each = np.bincount(user[own], weights=caused_bytes[own], minlength=int(population["users"]))
            offered[side, direction] = np.concatenate(([0.0], np.cumsum(each) * to_mbps))
    return Survey(int(result.run["seed"]), offered)


def choose_users(survey: Survey, *, targets_mbps: tuple[float, float], tolerance: float) -> tuple[int, int]:
    """Numbers of users (left, right) whose predicted loads come closest to the targets.

    First choice: the pair with the smallest larger error of the two directions. Where that exceeds the
    tolerance, the pair with the smallest error of the mean among those close to the best. Users on one side
    are as many as come closest in the direction that carries what they ask for.
    """
    if len(survey.loaded) == 1:
        return _choose_on_one_side(survey, targets_mbps)
    sums = survey.offered_mbps
    # With more users on the right both directions grow, so for a given number on the left the larger error is
    # smallest next to where the errors of the two directions cancel.
    shares = [sums[side, 0] / targets_mbps[0] + sums[side, 1] / targets_mbps[1] for side in (LEFT, RIGHT)]
    above = np.searchsorted(shares[RIGHT], 2.0 - shares[LEFT])
    left = np.repeat(np.arange(above.size), 2)
    right = np.column_stack((above - 1, above)).ravel().clip(0, shares[RIGHT].size - 1)
    errors = np.array(
        [
            (sums[LEFT, direction][left] + sums[RIGHT, direction][right]) / targets_mbps[direction] - 1.0
            for direction in range(2)
        ]
    )
    worst = np.abs(errors).max(axis=0)
    best = int(worst.argmin())
    if worst[best] > tolerance:
        close = worst <= 2.0 * worst[best]
        best = int(np.where(close, np.abs(errors.mean(axis=0)), np.inf).argmin())
    return int(left[best]), int(right[best])


def _choose_on_one_side(survey: Survey, targets_mbps: tuple[float, float]) -> tuple[int, int]:
    (direction,) = survey.loaded
    side = 1 - direction
    users = int(np.abs(survey.offered_mbps[side, direction] - targets_mbps[direction]).argmin())
    return (users, 0) if side == LEFT else (0, users)


def verify(
    scenario: Scenario,
    surveys: Mapping[int, Survey],
    wanted: Sequence[tuple[float, float, int]],
    *,
    run: Runner,
    tolerance: float = TOLERANCE,
) -> dict[tuple[float, int], MatchedLoad]:
    """Runs the twins with the chosen users and corrects what misses.

    `wanted` names a load in per cent, the same in Mbit/s, and a seed.
    """
    best: dict[tuple[float, int], MatchedLoad] = {}
    aims = {key: (key[1], key[1]) for key in wanted}
    for attempt in range(1, ATTEMPTS + 1):
        users = {
            key: choose_users(surveys[key[2]], targets_mbps=aim, tolerance=tolerance)
            for key, aim in aims.items()
        }
        twins = [
            (with_users(scenario, left=left, right=right).uncongested_twin(), key[2])
            for key, (left, right) in users.items()
        ]
        for (key, counts), twin in zip(users.items(), run(twins), strict=True):
            match = _matched(key, counts, twin, attempt)
            best[key[0], key[2]] = _closer(best.get((key[0], key[2])), match)
        aims = {
            key: _corrected(key[1], surveys[key[2]], best[key[0], key[2]])
            for key in aims
            if not _fits(best[key[0], key[2]], tolerance)
        }
        aims = {key: aim for key, aim in aims.items() if _still_open(key, aim, surveys, users, tolerance)}
        if not aims:
            break
    return {key: _with_warning(match, tolerance) for key, match in best.items()}


def _matched(
    key: tuple[float, float, int], counts: tuple[int, int], twin: Result, attempt: int
) -> MatchedLoad:
    percent, mbps, seed = key
    realised = throughput_mbps.by_link(twin)
    return MatchedLoad(seed, percent, mbps, counts[0], counts[1], realised, attempt, twin)


def _fits(match: MatchedLoad, tolerance: float) -> bool:
    return max(abs(error) for error in match.errors.values()) <= tolerance


def _closer(known: MatchedLoad | None, new: MatchedLoad) -> MatchedLoad:
    """The one with the smaller mean error where neither fits, otherwise the smaller larger error."""
    if known is None:
        return new

    def rank(match: MatchedLoad) -> tuple[float, float]:
        return round(abs(match.mean_error), 3), max(abs(error) for error in match.errors.values())

    closer = min((known, new), key=rank)
    return replace(closer, attempts=new.attempts)


def _corrected(target_mbps: float, survey: Survey, match: MatchedLoad) -> tuple[float, float]:
    """What to aim at in the survey so that the run, which missed it a little, meets the target."""
    predicted = survey.load_mbps(match.users_left, match.users_right)
    left, right = (
        target_mbps * guess / match.realised_mbps[name] if name in match.realised_mbps else target_mbps
        for name, guess in zip(DIRECTIONS, predicted, strict=True)
    )
    return left, right


def _still_open(
    key: tuple[float, float, int],
    aim: tuple[float, float],
    surveys: Mapping[int, Survey],
    users: Mapping[tuple[float, float, int], tuple[int, int]],
    tolerance: float,
) -> bool:
    """Whether aiming anew would run other users; if not, the load is out of reach and no run would help."""
    return choose_users(surveys[key[2]], targets_mbps=aim, tolerance=tolerance) != users[key]


def _with_warning(match: MatchedLoad, tolerance: float) -> MatchedLoad:
    if _fits(match, tolerance):
        return match
    errors = ", ".join(f"{name} {error:+.2%}" for name, error in match.errors.items())
    kept = abs(match.mean_error) <= tolerance
    if len(match.errors) == 1:
        what = "the load is not"
    else:
        what = "only the mean of both directions is" if kept else "not even the mean of both directions is"
    text = (
        f"seed {match.seed}, {match.nominal_percent:g} %: {what} within {tolerance:.1%} of the nominal load "
        f"({errors}); one user's transfer exceeds the tolerance"
    )
    return replace(match, warnings=(*match.warnings, text))
