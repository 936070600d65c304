"""Student's t distribution.

SciPy has it too, but its special functions take a third of a second to import, longer than all intervals of
a comparison take to compute.
"""

from __future__ import annotations

import math
from functools import cache

_EXACT = 4e-16
"""Relative change by a term of the fraction below which it has converged."""
_SETTLED = 1e-10
"""Relative step of Newton's method that is its last: it squares the error."""
_MOST_STEPS = 10_000
_TINY = 1e-300
_DOUBLING = math.log(2.0)
_LARGE = 100.0
"""Above it the ratio of gamma functions comes from a series, whose first neglected term is below 1e-15."""


@cache
def quantile(degrees_of_freedom: float, probability: float) -> float:
    """What t stays below with this probability, above 0 and below 1."""
    if not 0.0 < probability < 1.0:
        raise ValueError(f"a probability is above 0 and below 1, not {probability}")
    tail = min(probability, 1.0 - probability)
    if tail == 0.5:
        return 0.0
    # Newton's method on the logarithms of both, where the tail is concave: from the right it cannot
    # overshoot; from the left no step more than doubles t, so no tail underflows.
    t = 1.0
    for _ in range(_MOST_STEPS):
        above = _upper_tail(degrees_of_freedom, t)
        step = math.log(above / tail) * above / (t * _density(degrees_of_freedom, t))
        t *= math.exp(min(step, _DOUBLING))
        if abs(step) <= _SETTLED:
            break
    return t if probability > 0.5 else -t


def two_sided_quantile(degrees_of_freedom: float, confidence: float = 0.95) -> float:
    """How many standard errors a two-sided interval reaches either way; confidence above 0 and below 1."""
    return quantile(degrees_of_freedom, (1.0 + confidence) / 2.0)


def distribution(degrees_of_freedom: float, t: float) -> float:
    """The probability of staying below `t`."""
    t = float(t)  # NumPy's numbers compare to truth values of its own
    above = _upper_tail(degrees_of_freedom, abs(t))
    return above if t < 0.0 else 1.0 - above


def _density(degrees: float, t: float) -> float:
    return _gamma_ratio(degrees) / math.sqrt(degrees * math.pi) * _power(degrees, t, degrees + 1.0)


def _power(degrees: float, t: float, exponent: float) -> float:
    return math.exp(-exponent / 2.0 * math.log1p(t * t / degrees))


def _upper_tail(degrees: float, t: float) -> float:
    """The probability of exceeding `t`, which is not negative: an incomplete beta function."""
    if t == 0.0:
        return 0.5
    outside = degrees / (degrees + t * t)
    inside = t * t / (degrees + t * t)
    scale = _gamma_ratio(degrees) / math.sqrt(math.pi) * math.sqrt(inside) * _power(degrees, t, degrees)
    # Each side of the distribution's shoulder has its own fraction, which converges within a few terms.
    if outside < (degrees + 2.0) / (degrees + 5.0):
        return scale / degrees * _fraction(degrees / 2.0, 0.5, outside)
    return 0.5 - scale * _fraction(0.5, degrees / 2.0, inside)


@cache
def _gamma_ratio(degrees: float) -> float:
    """The gamma function at half of the degrees plus one half, over that at half of them."""
    z = degrees / 2.0
    if z < _LARGE:
        return math.gamma(z + 0.5) / math.gamma(z)
    # Abramowitz and Stegun 6.1.47 with three more terms, which Tricomi and Erdelyi give (1951).
    coefficients = (1.0, -1 / 8, 1 / 128, 5 / 1024, -21 / 32768, -399 / 262144)
    return math.sqrt(z) * sum(each / z**power for power, each in enumerate(coefficients))


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method.

    Abramowitz and Stegun 26.5.8 (1964); the method is Lentz's (Applied Optics 15, 1976) as Thompson and
    Barnett changed it (Journal of Computational Physics 64, 1986).
    """
    value, c, d = 1.0, math.inf, 1.0
    for step in range(1, _MOST_STEPS):
        m = step // 2
        if step % 2:
            numerator = -(a + m) * (a + b + m) / ((a + 2 * m) * (a + 2 * m + 1.0)) * x
        else:
            numerator = m * (b - m) / ((a + 2 * m - 1.0) * (a + 2 * m)) * x
        c = (1.0 + numerator / c) or _TINY
        d = 1.0 / ((1.0 + numerator * d) or _TINY)
        value *= c * d
        if abs(c * d - 1.0) <= _EXACT:
            return value
    raise ArithmeticError(f"the incomplete beta function at {a}, {b}, {x} does not converge")
