import numpy as np
import pytest

from aqmlab.inference.hurst import (
    aggregate,
    aggregated_variance,
    fractional_gaussian_noise,
    local_whittle,
    wavelet,
)

POINTS = 1 << 13


def test_the_noise_has_the_covariances_of_fractional_gaussian_noise() -> None:
    # gamma(k) = (|k+1|^2H - 2|k|^2H + |k-1|^2H) / 2; for H = 0.8: gamma(1) = 2^0.6 - 1, gamma(0) = 1.
    generator = np.random.default_rng(1)
    products = np.zeros(2)
    for _ in range(200):
        noise = fractional_gaussian_noise(1024, 0.8, generator)
        products += [np.mean(noise * noise), np.mean(noise[1:] * noise[:-1])]
    np.testing.assert_allclose(products / 200, [1.0, 2.0**0.6 - 1.0], atol=0.02)


def test_block_means_of_the_noise_scale_as_the_parameter_says() -> None:
    # Var of the mean of m values is m^(2H-2): exact for this noise, at any m.
    generator = np.random.default_rng(2)
    means = [fractional_gaussian_noise(256, 0.85, generator).mean() for _ in range(3000)]
    assert np.var(means) == pytest.approx(256.0 ** (2 * 0.85 - 2), rel=0.1)


@pytest.mark.parametrize("hurst", [0.6, 0.75, 0.9])
def test_local_whittle_and_wavelet_intervals_cover_the_truth(hurst: float) -> None:
    generator = np.random.default_rng(round(100 * hurst))
    series = [fractional_gaussian_noise(POINTS, hurst, generator) for _ in range(150)]
    for estimator in (local_whittle, wavelet):
        estimates = [estimator(noise) for noise in series]
        covered = np.mean([found.lower <= hurst <= found.upper for found in estimates])
        assert (
            0.87 <= covered < 1.0
        )  # nominal 0.95, asymptotic; 150 series, and an interval that is wide enough for all lies
        assert np.mean([found.hurst for found in estimates]) == pytest.approx(hurst, abs=0.015)


def test_aggregated_variance_is_freed_of_its_downward_bias() -> None:
    generator = np.random.default_rng(7)
    estimates = [
        aggregated_variance(fractional_gaussian_noise(POINTS, 0.85, generator), simulations=40)
        for _ in range(20)
    ]
    assert np.mean([found.hurst for found in estimates]) == pytest.approx(0.85, abs=0.03)
    assert np.mean([found.lower <= 0.85 <= found.upper for found in estimates]) >= 0.7


def test_shuffling_a_series_destroys_its_dependence() -> None:
    generator = np.random.default_rng(3)
    noise = fractional_gaussian_noise(POINTS, 0.9, generator)
    assert local_whittle(noise).lower > 0.8
    generator.shuffle(noise)
    shuffled = local_whittle(noise)
    assert shuffled.lower <= 0.5 <= shuffled.upper
    assert wavelet(noise).upper < 0.6


def test_a_linear_trend_does_not_fool_the_wavelets() -> None:
    noise = fractional_gaussian_noise(POINTS, 0.7, np.random.default_rng(4))
    drifting = noise + np.linspace(0.0, 20.0, POINTS)
    assert wavelet(drifting).hurst == pytest.approx(wavelet(noise).hurst, abs=0.02)


def test_an_estimate_does_not_depend_on_the_unit_of_the_counts() -> None:
    noise = fractional_gaussian_noise(POINTS, 0.8, np.random.default_rng(5))
    assert local_whittle(1500.0 * noise + 3.0).hurst == pytest.approx(local_whittle(noise).hurst, abs=1e-4)
    assert wavelet(1500.0 * noise + 3.0).hurst == pytest.approx(wavelet(noise).hurst, abs=1e-9)


def test_aggregation_sums_whole_groups() -> None:
    np.testing.assert_array_equal(aggregate(np.arange(7.0), 3), [3.0, 12.0])


def test_a_short_series_is_refused() -> None:
    with pytest.raises(ValueError, match="too short"):
        wavelet(np.ones(30) + np.arange(30))
    with pytest.raises(ValueError, match="too short"):
        aggregated_variance(np.arange(15.0))
