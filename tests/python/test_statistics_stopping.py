"""Stein's two stages: how many replications, how narrow, and how often the interval covers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from aqmlab.inference import Interval, NotEnoughReplications, mean_interval
from aqmlab.inference.replication import replications_for, two_stage_interval

FIRST, STUDIES = 8, 4_000
# Three standard errors of a share of 95 % over so many studies.
ERROR = 3.0 * math.sqrt(0.95 * 0.05 / STUDIES)


def test_the_number_is_steins() -> None:
    # s = 1 for -1, 1, ... with seven degrees of freedom: s^2 = 8/7; t = 2.364624.
    first = np.array([-1.0, 1.0] * 4)
    s = math.sqrt(8.0 / 7.0)
    assert replications_for(first, 1.0) == math.ceil((2.0 * 2.364624 * s / 1.0) ** 2) == 26
    assert replications_for(first, 100.0) == 8, "never fewer than there are"
    interval = two_stage_interval(np.concatenate((first, np.full(18, 5.0))), 8)
    assert isinstance(interval, Interval)
    assert interval.mean == pytest.approx(90.0 / 26.0)
    assert interval.half_width == pytest.approx(2.364624 * s / math.sqrt(26.0), rel=1e-6)
    assert 2.0 * interval.half_width <= 1.0


def test_too_few_to_begin_with_are_refused() -> None:
    with pytest.raises(ValueError, match="5 replications"):
        replications_for(np.zeros(5), 1.0)
    with pytest.raises(ValueError, match="width of 0"):
        replications_for(np.zeros(8), 0.0)
    assert isinstance(two_stage_interval(np.arange(5.0), 5), NotEnoughReplications)


@pytest.mark.parametrize("width", [4.0, 1.0, 0.4])
def test_the_interval_covers_as_often_as_it_says_and_is_as_narrow_as_asked(width: float) -> None:
    draws = np.random.default_rng(11)
    covered = 0
    for _ in range(STUDIES):
        first = draws.normal(size=FIRST)
        values = np.concatenate((first, draws.normal(size=replications_for(first, width) - FIRST)))
        interval = two_stage_interval(values, FIRST)
        assert isinstance(interval, Interval)
        assert 2.0 * interval.half_width <= width * (1.0 + 1e-12) or values.size == FIRST
        covered += interval.lower <= 0.0 <= interval.upper
    assert abs(covered / STUDIES - 0.95) < ERROR


def test_it_covers_where_the_widest_of_several_decides() -> None:
    # Differences to a common first one share its noise; each of three is as good as if it were alone.
    draws = np.random.default_rng(12)
    scales = np.array([[0.5], [1.0], [2.0]])
    covered = np.zeros(3)
    for _ in range(STUDIES):
        first = draws.normal(size=(3, FIRST)) * scales - draws.normal(size=FIRST)
        wanted = max(replications_for(each, 2.0) for each in first)
        more = draws.normal(size=(3, wanted - FIRST)) * scales - draws.normal(size=wanted - FIRST)
        for place, values in enumerate(np.concatenate((first, more), axis=1)):
            interval = two_stage_interval(values, FIRST)
            assert isinstance(interval, Interval)
            covered[place] += interval.lower <= 0.0 <= interval.upper
    np.testing.assert_allclose(covered / STUDIES, 0.95, atol=ERROR)


def test_adding_until_the_usual_interval_is_narrow_covers_less() -> None:
    # Why there are two stages: the plain rule stops where the scatter looks small.
    draws = np.random.default_rng(13)
    covered = 0
    for _ in range(STUDIES):
        values = draws.normal(size=FIRST)
        while True:
            interval = mean_interval(values)
            assert isinstance(interval, Interval)
            if interval.half_width <= 0.47:  # about twenty values
                break
            values = np.append(values, draws.normal())
        covered += interval.lower <= 0.0 <= interval.upper
    assert covered / STUDIES < 0.93
