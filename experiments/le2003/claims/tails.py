"""Figures 14 and 24: the slowest responses at 98 % load, where drop-tail is better in the end.

A crossover is found in each replication, as the last time up to which the AQM scheme's tail lies below
drop-tail's, among times beyond which both still have responses to count. The interval is over replications,
on the logarithm of the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab.experiments.le2003.claims.cells import BASELINE, SCHEMES, called, cell, le2003
from aqmlab.reproduce.claims.answers import answered, attempt, decided
from aqmlab.reproduce.claims.outcome import Part
from aqmlab.statistics import (
    Interval,
    MissingDataError,
    NotEnoughReplications,
    mean_interval,
    measured_window_s,
)

if TYPE_CHECKING:
    from aqmlab.reproduce.study import Study
    from aqmlab.statistics import ResponseTimes

LOAD = 98.0
LEAST_BEYOND = 20
WINDOWS = 10.0
"""A measured window must be this many times as long as the slowest responses that are judged in it."""
GRID_S = np.geomspace(1.0, 300.0, 400)


@le2003("L14")
def tails_without_ecn(
    study: Study, *, cross_at_s: float, within_factor: float, enough_responses: int
) -> list[Part]:
    """Drop-tail is better beyond about 50 s, and ARED passes PI and REM at the far end."""
    parts = [
        _crosses_near(study, cell(scheme, 24), cross_at_s, within_factor, enough_responses)
        for scheme in ("pi", "rem")
    ]
    return parts + [
        crosses(
            study,
            f"ARED passes {called(scheme)} at the far end",
            cell("ared", 24),
            cell(scheme, 24),
            far_s=cross_at_s,
            enough=enough_responses,
        )
        for scheme in ("pi", "rem")
    ]


@le2003("L20")
def tails_with_ecn(
    study: Study, *, cross_at_s: float, within_factor: float, enough_responses: int
) -> list[Part]:
    """With ECN drop-tail is better beyond about 5 s."""
    return [
        _crosses_near(study, cell(scheme, 24, ecn=True), cross_at_s, within_factor, enough_responses)
        for scheme in SCHEMES[:2]
    ]


def _crosses_near(study: Study, name: str, expected_s: float, factor: float, enough: int) -> Part:
    label = study.configuration(name).label
    times = "two" if factor == 2.0 else f"{factor:g}"
    statement = f"the tails of {label} and drop-tail 240 cross within a factor of {times} of {expected_s:g} s"

    def ask() -> Part:
        _require_enough(study, name, expected_s, enough)
        found = _crossover(study, BASELINE, name)
        if isinstance(found, NotEnoughReplications):
            return Part(statement, None, str(found))
        if found is None:
            return Part(statement, False, "in some replication the tails do not cross")
        near = expected_s / factor, expected_s * factor
        outside = found.lies_below(near[0]) or found.lies_above(near[1])
        holds = decided(found.lies_within(*near), outside)
        return Part(statement, holds, f"crossover at {found} s", found)

    return attempt(statement, ask)


@answered
def crosses(study: Study, statement: str, late: str, early: str, *, far_s: float, enough: int) -> Part:
    """The tail of `late` lies above that of `early` and ends below it."""
    _require_enough(study, late, far_s, enough)
    found = _crossover(study, late, early)
    if isinstance(found, NotEnoughReplications):
        return Part(statement, None, str(found))
    if found is None:
        return Part(statement, False, "in some replication the tails do not cross")
    return Part(statement, True, f"crossover at {found} s", found)


def _require_enough(study: Study, name: str, until_s: float, enough: int) -> None:
    window_s = measured_window_s(study.results(name, LOAD)[0])
    if window_s < WINDOWS * until_s:
        raise MissingDataError(f"a window of {window_s:g} s is too short for tails at {until_s:g} s")
    ended = study.ended_responses(name, LOAD)
    if ended < enough:
        raise MissingDataError(f"{ended:,} responses of {name}; a tail needs {enough:,}")


def _crossover(study: Study, late: str, early: str) -> Interval | NotEnoughReplications | None:
    """Time from which `late` is the better of the two; none if some replication has no such time."""
    pairs = zip(study.times(late, LOAD), study.times(early, LOAD), strict=True)
    found = [crossover_s(slow, fast) for slow, fast in pairs]
    times = [time_s for time_s in found if time_s is not None]
    if len(times) < len(found):
        return None
    logarithm = mean_interval(np.log(times))
    if isinstance(logarithm, NotEnoughReplications):
        return logarithm
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
