"""Student's t distribution.

Its tail is a regularised incomplete beta function, P(T > t) = I_x(n/2, 1/2) / 2 with x = n / (n + t²) (NIST
DLMF 8.17), here by the continued fraction DLMF 8.17.22. SciPy has both, and takes a third of a second to
import: longer than all statistics of a comparison.
"""

from __future__ import annotations

import itertools
import math
from functools import cache
from statistics import NormalDist

_SMALLEST = 1e-300
"""In place of a denominator of zero."""
_ROUNDING = 1e-15
"""Of a number, what makes no difference to it."""
_LARGE = 200.0
"""From here on the ratio of two gamma functions comes from its expansion, where logarithms would cancel."""


@cache
def quantile(degrees_of_freedom: float, probability: float) -> float:
    """What t stays below with this probability, above 0 and below 1."""
    if probability == 0.5:
        return 0.0
    tail = min(probability, 1.0 - probability)
    # Tails of t are heavier than normal ones, and convex: from below Newton's method never steps too far.
    t = -NormalDist().inv_cdf(tail)
    while True:
        step = (_tail(degrees_of_freedom, t) - tail) / _density(degrees_of_freedom, t)
        if step <= 1e-15 * t:
            break
        t += step
    return t if probability > 0.5 else -t


def two_sided_quantile(degrees_of_freedom: float, confidence: float = 0.95) -> float:
    """How many standard errors a two-sided interval reaches either way; confidence above 0 and below 1."""
    return quantile(degrees_of_freedom, (1.0 + confidence) / 2.0)


def distribution(degrees_of_freedom: float, t: float) -> float:
    """The probability of staying below `t`."""
    tail = _tail(degrees_of_freedom, abs(t))
    return 1.0 - tail if t > 0.0 else tail


def _tail(n: float, t: float) -> float:
    """The probability of lying above `t`, which is not negative."""
    if math.isinf(t):
        return 0.0
    square = t * t
    # Not 1 - x, which would lose the digits of a small t.
    x, rest = n / (n + square), square / (n + square)
    a, b = n / 2.0, 0.5
    # x^a (1 - x)^b / B(a, b), in which Γ(1/2) is the root of π.
    power = -a * math.log1p(square / n)
    scale = math.exp(power) * math.sqrt(rest / math.pi) * _gamma_ratio(a)
    if x < (a + 1.0) / (a + b + 2.0):
        return 0.5 * scale * _fraction(a, b, x) / a
    return 0.5 - 0.5 * scale * _fraction(b, a, rest) / b


def _density(n: float, t: float) -> float:
    scale = _gamma_ratio(n / 2.0) / math.sqrt(n * math.pi)
    return scale * math.exp(-(n + 1.0) / 2.0 * math.log1p(t * t / n))


def _gamma_ratio(a: float) -> float:
    """Γ(a + 1/2) / Γ(a)."""
    if a < _LARGE:
        return math.exp(math.lgamma(a + 0.5) - math.lgamma(a))
    u = 1.0 / a
    return math.sqrt(a) * (
        1.0 - u / 8.0 * (1.0 - u / 16.0 * (1.0 + u * 5.0 / 8.0 * (1.0 - u * 21.0 / 160.0)))
    )


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction 1 / (1 + d₁ / (1 + d₂ / ...)) of I_x(a, b), front to back (modified Lentz)."""
    value = numerators = 1.0
    denominators = 0.0
    for m in itertools.count():
        before = value
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        even = (m + 1) * (b - m - 1) * x / ((a + 2 * m + 1.0) * (a + 2 * m + 2.0))
        for d in (odd, even):
            denominators = 1.0 / _away_from_zero(1.0 + d * denominators)
            numerators = _away_from_zero(1.0 + d / numerators)
            value *= numerators * denominators
        if abs(value - before) <= _ROUNDING * value:
            break
    return 1.0 / value


def _away_from_zero(number: float) -> float:
    return number if abs(number) > _SMALLEST else _SMALLEST
