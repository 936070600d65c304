"""Student's t distribution beside closed forms, printed tables and SciPy."""

import math

import numpy as np
import pytest
from scipy import special

from aqmlab.inference import student

DEGREES = [1, 1.5, 2, 3, 3.7, 5, 7, 11, 23, 50, 99, 150.5, 399, 400, 401, 1_000, 10_000, 1_000_000]
TAILS = [1e-12, 1e-9, 1e-6, 1e-4, 0.005, 0.025, 0.1, 0.25, 0.4, 0.4999]


@pytest.mark.parametrize("degrees", DEGREES)
def test_quantiles_and_probabilities_are_those_of_scipy(degrees: float) -> None:
    for tail in TAILS:
        t = student.quantile(degrees, tail)
        # SciPy's quantile is good to nine digits near the middle: its distribution judges the others.
        assert t == pytest.approx(special.stdtrit(degrees, tail), rel=5e-9)
        assert special.stdtr(degrees, t) == pytest.approx(tail, rel=2e-11)
        assert student.distribution(degrees, t) == pytest.approx(tail, rel=1e-11)
        assert student.quantile(degrees, 1.0 - 0.25 * tail) == pytest.approx(
            -student.quantile(degrees, 0.25 * tail), rel=1e-3 if tail < 1e-9 else 1e-6
        )
    for t in (-30.0, -4.0, -1.0, -1e-6, 0.0, 1e-6, 0.3, 2.5, 30.0):
        assert student.distribution(degrees, t) == pytest.approx(special.stdtr(degrees, t), rel=5e-11)


def test_with_one_degree_it_is_cauchys_and_with_two_a_root() -> None:
    for probability in (1e-9, 0.02, 0.3, 0.75, 0.975):
        cauchy = math.tan(math.pi * (probability - 0.5))
        # The tangent itself has lost digits where the probability is small.
        digits = 1e-7 if probability < 1e-3 else 1e-12
        assert student.quantile(1, probability) == pytest.approx(cauchy, rel=digits)
        root = (2.0 * probability - 1.0) / math.sqrt(2.0 * probability * (1.0 - probability))
        assert student.quantile(2, probability) == pytest.approx(root, rel=1e-12)


def test_printed_quantiles() -> None:
    # Of any table of Student's distribution: 97.5 and 99.5 %.
    printed = {1: (12.706, 63.657), 5: (2.571, 4.032), 7: (2.365, 3.499), 30: (2.042, 2.750)}
    for degrees, expected in printed.items():
        found = (student.two_sided_quantile(degrees), student.two_sided_quantile(degrees, 0.99))
        assert found == pytest.approx(expected, abs=5e-4)


def test_the_middle_and_the_ends() -> None:
    assert student.quantile(7, 0.5) == 0.0
    assert student.distribution(7, 0.0) == 0.5
    assert (student.distribution(7, -math.inf), student.distribution(7, math.inf)) == (0.0, 1.0)
    assert all(np.diff([student.quantile(4, p) for p in np.linspace(0.001, 0.999, 999)]) > 0.0)
