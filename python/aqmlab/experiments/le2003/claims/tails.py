"""Figures 14 and 24: the slowest responses at 98 % load, where drop-tail is better in the end.

A crossover is found in each replication, as the last time up to which the AQM scheme's tail lies below
drop-tail's, among times beyond which both still have responses to count. The interval is over replications,
on the logarithm of the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab.errors import TooLittleDataError
from aqmlab.inference import Interval, NotEnoughReplications, mean_interval
from aqmlab.papers.claims import Answer
from aqmlab.papers.claims.checks import between_bounds
from aqmlab.statistics import measured_window_s

if TYPE_CHECKING:
    from aqmlab.papers.study import Cell, Study
    from aqmlab.statistics import ResponseTimes

LEAST_BEYOND = 20
GRID_S = np.geomspace(1.0, 300.0, 400)
NO_CROSSING = Answer(False, "in some replication the tails do not cross")


def tails_cross_near(
    study: Study,
    a: Cell,
    b: Cell,
    *,
    at_s: float,
    factor: float,
    enough_responses: int,
    enough_windows: float,
) -> Answer:
    """The tail of `b` lies above that of `a` up to about a time, and below it from there on."""
    _require_enough(study, a, at_s, enough_responses, enough_windows)
    found = _crossover(study, b, a)
    if not isinstance(found, Interval):
        return found
    return between_bounds(found, at_s / factor, at_s * factor)._replace(evidence=f"crossover at {found} s")


def tails_cross(
    study: Study, a: Cell, b: Cell, *, at_s: float, enough_responses: int, enough_windows: float
) -> Answer:
    """The tail of `a` lies above that of `b` and ends below it."""
    _require_enough(study, a, at_s, enough_responses, enough_windows)
    found = _crossover(study, a, b)
    return Answer(True, f"crossover at {found} s", found) if isinstance(found, Interval) else found


def _require_enough(study: Study, cell: Cell, until_s: float, responses: int, windows: float) -> None:
    """Raises where a measured window is too short, or holds too few responses, for tails at a time."""
    window_s = measured_window_s(study.results(*cell)[0])
    if window_s < windows * until_s:
        raise TooLittleDataError(f"a window of {window_s:g} s is too short for tails at {until_s:g} s")
    ended = study.ended_responses(*cell)
    if ended < responses:
        raise TooLittleDataError(f"{ended:,} responses of {cell[0]}; a tail needs {responses:,}")


def _crossover(study: Study, late: Cell, early: Cell) -> Interval | Answer:
    """Time from which `late` is the better of the two; an answer if some replication has no such time."""
    pairs = zip(study.times(*late), study.times(*early), strict=True)
    found = [crossover_s(slow, fast) for slow, fast in pairs]
    times = [time_s for time_s in found if time_s is not None]
    if len(times) < len(found):
        return NO_CROSSING
    logarithm = mean_interval(np.log(times))
    if isinstance(logarithm, NotEnoughReplications):
        return Answer(None, str(logarithm))
    mean, lower, upper = np.exp([logarithm.mean, logarithm.lower, logarithm.upper])
    return Interval(float(mean), float(lower), float(upper), logarithm.replications)


def crossover_s(late: ResponseTimes, early: ResponseTimes) -> float | None:
    """Time in one replication up to which `late` has the heavier tail and from which it has the lighter one.

    It is where the running sum of the logarithmic ratio of the two tails is largest: single wiggles of a thin
    tail do not move it. None if the ratio never turns.
    """
    beyond_late, beyond_early = late.ccdf(GRID_S), early.ccdf(GRID_S)
    counted = np.minimum(beyond_late * late.ended, beyond_early * early.ended) >= LEAST_BEYOND
    if not counted.any():
        return None
    advantage = np.cumsum(np.log(beyond_late[counted] / beyond_early[counted]))
    turn = int(advantage.argmax())
    if advantage[turn] <= 0.0 or turn == advantage.size - 1:
        return None
    return float(GRID_S[counted][turn])
