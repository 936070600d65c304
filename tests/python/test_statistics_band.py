"""The simultaneous band: its geometry, its critical value, and its coverage where exchanges are dependent."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import signal, stats

from aqmlab.inference import Band, NotEnoughReplications, critical_value, paired_band, sign_flip_p_value

TIME_S = np.linspace(0.0, 2.0, 101)
STUDIES = 400
# With 400 simulated studies a true coverage of 0.95 shows as less than 0.92 once in 200 times.
LEAST_COVERAGE = 0.92


def band_of(differences: NDArray[np.float64], *, resolution: float = 0.0) -> Band:
    band = paired_band(differences, time_s=TIME_S, resolution=resolution)
    assert isinstance(band, Band)
    return band


def test_without_turning_the_critical_value_is_students() -> None:
    # Tables of Student's distribution, two-sided 5 %: 2.5706 with 5 degrees of freedom, 2.3646 with 7.
    assert critical_value(path_length=0.0, grid_points=1, degrees_of_freedom=5) == pytest.approx(
        2.5706, abs=1e-4
    )
    assert critical_value(path_length=0.0, grid_points=50, degrees_of_freedom=7) == pytest.approx(
        2.3646, abs=1e-4
    )


def test_the_critical_value_grows_with_the_path_up_to_bonferronis() -> None:
    values = [
        critical_value(path_length=length, grid_points=100, degrees_of_freedom=7)
        for length in (0, 1, 5, 20, 1e6)
    ]
    assert values == sorted(values)
    assert values[-1] == pytest.approx(stats.t.isf(0.05 / 200, 7))


def test_a_path_along_a_great_circle_has_the_length_of_its_arc() -> None:
    first = np.array([1.0, -1.0, 0.0, 0.0, 0.0, 0.0])[:, None]
    second = np.array([0.0, 0.0, 1.0, -1.0, 0.0, 0.0])[:, None]
    angle = np.linspace(0.0, 2.5, TIME_S.size)
    band = band_of(first * np.cos(angle) + second * np.sin(angle))
    assert band.path_length == pytest.approx(2.5, rel=1e-3)


def test_scaling_and_shifting_the_curves_scales_and_shifts_the_band() -> None:
    generator = np.random.default_rng(5)
    curves = smooth_curves(generator, 8)
    plain, moved = band_of(curves), band_of(10.0 * curves + 3.0)
    np.testing.assert_allclose(moved.lower, 10.0 * plain.lower + 3.0)
    np.testing.assert_allclose(plain.reversed().upper, -plain.lower)


def test_five_replications_give_no_band() -> None:
    answer = paired_band(np.zeros((5, TIME_S.size)), time_s=TIME_S)
    assert answer == NotEnoughReplications(have=5)


def test_replications_that_agree_by_chance_keep_the_resolution() -> None:
    band = band_of(np.zeros((8, TIME_S.size)), resolution=0.001)
    np.testing.assert_allclose(band.upper, 0.001)
    np.testing.assert_allclose(band.lower, -0.001)


def smooth_curves(generator: np.random.Generator, replications: int) -> NDArray[np.float64]:
    """Gaussian curves that turn about once in 0.3 s, with a variance that changes along the range."""
    phases = 2.0 * np.pi * np.arange(1, 8)[:, None] * TIME_S / 2.0
    waves = np.concatenate((np.cos(phases), np.sin(phases)))
    weights = generator.normal(size=(replications, waves.shape[0]))
    return np.asarray((weights @ waves) * (0.2 + TIME_S))


@pytest.mark.parametrize("replications", [6, 8, 12])
def test_smooth_gaussian_curves_are_covered_as_often_as_promised(replications: int) -> None:
    generator = np.random.default_rng(replications)
    covered = 0
    for _ in range(STUDIES):
        band = band_of(smooth_curves(generator, replications))
        covered += bool(np.all((band.lower <= 0.0) & (band.upper >= 0.0)))
    assert covered / STUDIES >= LEAST_COVERAGE
    # A band that always covers promises less than it could: 0.95 must not be met by being far too wide.
    assert covered / STUDIES < 0.995


def dependent_exchanges(
    generator: np.random.Generator, exchanges: int, correlation: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two runs of the same users: response times that depend on their neighbours within the run.

    Exactly lognormal one by one, so the true distribution functions are known; along the run they follow a
    Gaussian autoregression, of which the two runs share the part that the users bring with them.
    """
    shocks = generator.normal(size=(3, exchanges)) * np.sqrt(1.0 - correlation**2)
    shocks[:, 0] = generator.normal(size=3)
    users, first, second = signal.lfilter([1.0], [1.0, -correlation], shocks, axis=1)
    a = np.sqrt(0.6) * users + np.sqrt(0.4) * first
    b = np.sqrt(0.6) * users + np.sqrt(0.4) * second
    return 0.15 * np.exp(0.9 * a), 0.20 * np.exp(b)


def true_difference() -> NDArray[np.float64]:
    log_time = np.log(np.maximum(TIME_S, 1e-12))
    a = stats.norm.cdf((log_time - np.log(0.15)) / 0.9)
    b = stats.norm.cdf((log_time - np.log(0.20)) / 1.0)
    return np.asarray(a - b)


def share_within(times: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.searchsorted(np.sort(times), TIME_S, side="right") / times.size)


@pytest.mark.parametrize("replications", [6, 8])
def test_dependent_exchanges_are_covered_by_replications_and_not_by_exchanges(replications: int) -> None:
    generator = np.random.default_rng(100 + replications)
    truth, exchanges = true_difference(), 3000
    covered = naively_covered = 0
    for _ in range(STUDIES):
        pairs = [dependent_exchanges(generator, exchanges, 0.98) for _ in range(replications)]
        curves = np.array([share_within(a) - share_within(b) for a, b in pairs])
        band = band_of(curves, resolution=0.001)
        covered += bool(np.all((band.lower <= truth) & (truth <= band.upper)))
        naively_covered += bool(np.all(np.abs(curves.mean(axis=0) - truth) <= naive_half_width(pairs)))
    assert covered / STUDIES >= LEAST_COVERAGE
    # Taking the exchanges as independent, even with Bonferroni's correction, mostly misses the truth.
    assert naively_covered / STUDIES < 0.5


def naive_half_width(pairs: list[tuple[NDArray[np.float64], NDArray[np.float64]]]) -> NDArray[np.float64]:
    a = np.mean([share_within(times) for times, _ in pairs], axis=0)
    b = np.mean([share_within(times) for _, times in pairs], axis=0)
    exchanges = sum(times.size for times, _ in pairs)
    variance = (a * (1.0 - a) + b * (1.0 - b)) / exchanges
    return np.asarray(stats.norm.isf(0.025 / TIME_S.size) * np.sqrt(variance) + 0.001)


def test_sign_changes_give_the_exact_smallest_p_value() -> None:
    # Six differences of one sign: only 2 of the 64 sign patterns are as extreme.
    curves = 1.0 + 0.01 * np.random.default_rng(1).normal(size=(6, 11))
    assert sign_flip_p_value(curves) == pytest.approx(2 / 64)
    assert sign_flip_p_value(-curves) == pytest.approx(2 / 64)


def test_sign_changes_reject_a_true_hypothesis_no_more_often_than_they_say() -> None:
    generator = np.random.default_rng(2)
    p_values = np.array([sign_flip_p_value(smooth_curves(generator, 7)) for _ in range(STUDIES)])
    # 7 replications: p is a multiple of 1/64, so the level 3/64 = 0.047 is the largest below 0.05.
    assert np.mean(p_values <= 0.05) <= 3 / 64 + 3.0 * np.sqrt(0.047 * 0.953 / STUDIES)
    assert np.mean(p_values <= 0.5) == pytest.approx(0.5, abs=0.08)


def test_identical_curves_are_no_evidence() -> None:
    assert sign_flip_p_value(np.zeros((8, 5))) == 1.0


def test_many_replications_use_random_sign_changes_reproducibly() -> None:
    curves = 0.3 + np.random.default_rng(4).normal(size=(20, 9))
    assert sign_flip_p_value(curves) == sign_flip_p_value(curves)
    assert 0.0 < sign_flip_p_value(curves) <= 1.0
