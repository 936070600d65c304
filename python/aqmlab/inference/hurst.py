"""Estimators of the Hurst parameter of a count series, each with a 95 % interval.

Counts per bin of traffic made of heavy-tailed transfers with tail index alpha have autocovariances falling
like k^(2H-2), with H = (3 - alpha)/2 (Taqqu, Willinger, Sherman, ACM CCR 27(2), 1997). Three estimators:

- *aggregated variance*: Var of means over m bins falls like m^(2H-2); the slope of a log-log line. Its points
  depend on one another, so the interval comes from the estimator's own spread on exact fractional Gaussian
  noise of the same length and H (parametric bootstrap), which also removes its known downward bias;
- *local Whittle* (Robinson, Annals of Statistics 23, 1995): minimises
  ln mean(f_j^(2H-1) I_j) - (2H-1) mean(ln f_j) over the lowest m periodogram ordinates;
  asymptotically normal with standard error 1/(2 sqrt m), whatever the short-range structure;
- *wavelet* (Abry, Veitch, IEEE Trans. Information Theory 44, 1998): weighted regression of the log mean
  squared detail coefficients on the octave, slope 2H - 1; two vanishing moments remove linear trends.

Packet counts per millisecond mix two regimes: below about a second TCP and frames dominate. Aggregate the
series first (`aggregate`), so that all three see the scales on which long-range dependence lives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

NORMAL_95 = 1.959963984540054
"""The standard normal quantile of 0.975."""
WHITTLE_BANDWIDTH_EXPONENT = 0.65
FIRST_OCTAVE, LEAST_COEFFICIENTS = 3, 8
"""An octave with fewer detail coefficients is left out of the regression."""

# Daubechies' scaling filter with two vanishing moments, in closed form.
_ROOT3 = np.sqrt(3.0)
_SCALING = np.array([1 + _ROOT3, 3 + _ROOT3, 3 - _ROOT3, 1 - _ROOT3]) / (4 * np.sqrt(2.0))
_DETAIL = _SCALING[::-1] * np.array([1.0, -1.0, 1.0, -1.0])


@dataclass(frozen=True, slots=True)
class HurstEstimate:
    """An estimate of H with its 95 % interval and how it was made."""

    method: str
    hurst: float
    lower: float
    upper: float
    points: int


def aggregate(counts: FloatArray, bins: int) -> FloatArray:
    """Sums over groups of `bins` neighbouring values; an incomplete last group is left out."""
    whole = counts.size // bins * bins
    return np.asarray(counts[:whole].reshape(-1, bins).sum(axis=1), dtype=np.float64)


def aggregated_variance(counts: FloatArray, *, simulations: int = 200, seed: int = 0) -> HurstEstimate:
    """H from the decay of the variance of block means; bias and spread from simulated noise."""
    raw = _variance_slope(counts)
    noise_hurst = float(np.clip(raw, 0.05, 0.98))
    generator = np.random.default_rng(seed)
    errors = np.array(
        [
            _variance_slope(fractional_gaussian_noise(counts.size, noise_hurst, generator)) - noise_hurst
            for _ in range(simulations)
        ]
    )
    low, high = np.quantile(errors, (0.025, 0.975))
    return HurstEstimate(
        "aggregated variance", raw - float(errors.mean()), raw - float(high), raw - float(low), counts.size
    )


def local_whittle(counts: FloatArray) -> HurstEstimate:
    """H from the lowest n^0.65 periodogram values."""
    from scipy import optimize  # noqa: PLC0415 (slow to import)

    used = int(counts.size**WHITTLE_BANDWIDTH_EXPONENT)
    periodogram = np.abs(np.fft.rfft(counts - counts.mean())[1 : used + 1]) ** 2
    log_frequency = np.log(np.arange(1, used + 1))

    def contrast(hurst: float) -> float:
        slope = 2.0 * hurst - 1.0
        scaled = np.mean(periodogram * np.exp(slope * log_frequency))
        return float(np.log(scaled) - slope * log_frequency.mean())

    found = optimize.minimize_scalar(contrast, bounds=(0.0, 1.5), method="bounded", options={"xatol": 1e-6})
    hurst, half = float(found.x), float(NORMAL_95 / (2.0 * np.sqrt(used)))
    return HurstEstimate("local Whittle", hurst, hurst - half, hurst + half, counts.size)


def wavelet(counts: FloatArray) -> HurstEstimate:
    """H from the energy of wavelet details of octaves from the third on (octave j spans 2^j bins)."""
    octave, log_energy, variance = _logscale_diagram(counts)
    use = octave >= FIRST_OCTAVE
    if use.sum() < 2:
        raise ValueError("a slope needs at least two octaves: the series is too short")
    slope, standard_error = _weighted_slope(octave[use], log_energy[use], variance[use])
    half = NORMAL_95 * standard_error / 2.0
    hurst = (slope + 1.0) / 2.0
    return HurstEstimate("wavelet", hurst, hurst - half, hurst + half, counts.size)


def fractional_gaussian_noise(points: int, hurst: float, generator: np.random.Generator) -> FloatArray:
    """Exact fractional Gaussian noise of unit variance by circulant embedding (Davies, Harte 1987)."""
    lag = np.arange(points + 1, dtype=np.float64)
    power = 2.0 * hurst
    covariance = 0.5 * ((lag + 1) ** power - 2 * lag**power + np.abs(lag - 1) ** power)
    eigenvalues = np.fft.fft(np.concatenate((covariance, covariance[-2:0:-1]))).real
    weights = np.sqrt(np.maximum(eigenvalues, 0.0) / eigenvalues.size)
    real, imaginary = generator.normal(size=(2, eigenvalues.size))
    return np.asarray(np.fft.fft(weights * (real + 1j * imaginary)).real[:points])


def _variance_slope(counts: FloatArray) -> float:
    smallest, largest = 10, max(11, counts.size // 100)
    blocks = np.unique(np.geomspace(smallest, largest, 25).astype(np.int64))
    if blocks.size < 2 or counts.size < 2 * int(blocks[-1]):
        raise ValueError("the series is too short for aggregated variance")
    variances = [np.var(aggregate(counts, int(size)) / size, ddof=1) for size in blocks]
    slope = np.polyfit(np.log(blocks), np.log(variances), 1)[0]
    return 1.0 + float(slope) / 2.0


def _logscale_diagram(counts: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Octaves, bias-corrected log2 energies and their variances (Gaussian coefficients)."""
    from scipy import special  # noqa: PLC0415 (slow to import)

    approximation = np.asarray(counts, dtype=np.float64)
    energies: list[float] = []
    sizes: list[int] = []
    while approximation.size >= 2 * LEAST_COEFFICIENTS + _SCALING.size:
        detail = np.convolve(approximation, _DETAIL[::-1], mode="valid")[::2]
        approximation = np.convolve(approximation, _SCALING[::-1], mode="valid")[::2]
        energies.append(float(np.mean(detail**2)))
        sizes.append(detail.size)
    half = np.asarray(sizes, dtype=np.float64) / 2.0
    bias = special.digamma(half) / np.log(2.0) - np.log2(half)
    variance = special.zeta(2.0, half) / np.log(2.0) ** 2
    return np.arange(1.0, len(sizes) + 1.0), np.log2(energies) - bias, variance


def _weighted_slope(x: FloatArray, y: FloatArray, variance: FloatArray) -> tuple[float, float]:
    """Slope of the line through (x, y) with known variances, and its standard error."""
    weight = 1.0 / variance
    centre = np.sum(weight * x) / weight.sum()
    spread = np.sum(weight * (x - centre) ** 2)
    return float(np.sum(weight * (x - centre) * y) / spread), float(1.0 / np.sqrt(spread))
