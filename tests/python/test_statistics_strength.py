"""How clearly something is decided, against distances that arithmetic gives."""

import numpy as np
import pytest

from aqmlab.inference import Interval, paired_band
from aqmlab.inference.band import Band
from aqmlab.inference.strength import NARROWEST, WIDEST, strength_of
from aqmlab.papers.claims.checks import above_bound, between_bounds


@pytest.mark.parametrize(
    ("mean", "half", "holds", "strength"),
    [
        (5.0, 1.0, True, 5.0),  # five times as wide an interval would reach zero
        (-3.0, 2.0, False, 1.5),
        (1.0, 4.0, None, 0.25),  # a quarter as wide would lie above zero
        (-1.0, 4.0, None, 0.25),
    ],
)
def test_the_strength_of_a_mean_above_a_bound_is_its_distance_in_half_widths(
    mean: float, half: float, holds: bool | None, strength: float
) -> None:
    answer = above_bound(Interval(mean, mean - half, mean + half, 8))
    assert answer.holds is holds
    assert answer.strength == pytest.approx(strength, rel=1e-6)


def test_between_two_bounds_the_nearer_one_counts() -> None:
    answer = between_bounds(Interval(0.83, 0.82, 0.84, 8), 0.8, 0.9)
    assert answer.holds is True
    assert answer.strength == pytest.approx(3.0, rel=1e-6)


def test_what_no_width_changes_or_decides_ends_at_the_limits() -> None:
    assert strength_of(lambda _: True) == WIDEST
    assert strength_of(lambda _: None) == 0.0
    assert strength_of(lambda width: True if width <= NARROWEST else None) == pytest.approx(NARROWEST)


def test_a_wider_band_keeps_its_mean_and_stretches_either_way() -> None:
    generator = np.random.default_rng(1)
    band = paired_band(generator.normal(0.1, 0.01, (8, 20)), time_s=np.linspace(0.0, 2.0, 20))
    assert isinstance(band, Band)
    wide = band.widened(3.0)
    np.testing.assert_allclose(wide.mean, band.mean)
    np.testing.assert_allclose(wide.upper - wide.mean, 3.0 * (band.upper - band.mean))
    np.testing.assert_allclose(wide.mean - wide.lower, 3.0 * (band.mean - band.lower))
