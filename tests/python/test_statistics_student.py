"""Student's t distribution against its closed forms and against SciPy's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

from aqmlab.statistics import student

PROBABILITIES = (1e-12, 1e-7, 0.0025, 0.025, 0.3, 0.5, 0.8, 0.975, 0.99583, 1.0 - 1e-9)


@pytest.mark.parametrize("probability", PROBABILITIES)
def test_one_degree_of_freedom_is_cauchys_and_two_have_a_square_root(probability: float) -> None:
    away = probability - 0.5
    cauchy = -1.0 / math.tan(math.pi * probability) if away else 0.0
    assert student.quantile(1, probability) == pytest.approx(
        cauchy, rel=2e-15 / min(1, 1 - probability), abs=1e-15
    )
    root = 2.0 * away / math.sqrt(2.0 * probability * (1.0 - probability))
    assert student.quantile(2, probability) == pytest.approx(root, rel=1e-13)


@pytest.mark.parametrize("t", [0.0, 1e-8, 0.3, 1.0, 2.5, 40.0, 1e6])
def test_the_distribution_has_the_closed_forms_of_one_two_and_three_degrees(t: float) -> None:
    angle = math.atan2(math.sqrt(3.0), t)  # of the tail
    tails = {
        1: math.atan2(1.0, t) / math.pi,
        2: 1.0 / (math.hypot(t, math.sqrt(2.0)) * (math.hypot(t, math.sqrt(2.0)) + t)),
        3: (angle - math.sin(angle) * math.cos(angle)) / math.pi,
    }
    for degrees, tail in tails.items():
        near = 1e-14 if degrees < 3 or t < 10.0 else 1e-3  # there the closed form cancels
        assert student.distribution(degrees, -t) == pytest.approx(tail, rel=near, abs=1e-17)
        assert student.distribution(degrees, t) == pytest.approx(1.0 - tail, rel=1e-14)


def test_quantiles_and_the_distribution_are_scipys() -> None:
    draws = np.random.default_rng(1)
    for degrees in (*range(1, 40), 2.5, 60.7, 199, 200, 201, 999, 20_000):
        for probability in draws.uniform(1e-9, 1.0, 20):
            # SciPy's own are wrong by 1e-10 near the middle.
            expected = special.stdtrit(degrees, probability)
            assert student.quantile(degrees, probability) == pytest.approx(expected, rel=1e-9, abs=1e-9)
        for t in draws.uniform(-60.0, 60.0, 20):
            expected = special.stdtr(degrees, t)
            assert student.distribution(degrees, t) == pytest.approx(expected, rel=1e-11, abs=1e-300)


@pytest.mark.parametrize("degrees", [1, 7, 31, 200, 5000])
def test_a_quantile_is_where_the_distribution_has_its_probability(degrees: int) -> None:
    for probability in PROBABILITIES:
        t = student.quantile(degrees, probability)
        assert student.distribution(degrees, t) == pytest.approx(probability, rel=1e-13)


@pytest.mark.parametrize("probability", [0.0, 1.0, -0.1, math.nan])
def test_no_quantile_at_the_ends(probability: float) -> None:
    with pytest.raises(ValueError, match="above 0 and below 1"):
        student.quantile(5, probability)
