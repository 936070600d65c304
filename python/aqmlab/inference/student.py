"""Student's t distribution, from SciPy, loaded when it is first asked.

SciPy's special functions take a third of a second to import, and most commands judge nothing.
"""

from __future__ import annotations

from functools import cache


@cache
def quantile(degrees_of_freedom: float, probability: float) -> float:
    """What t stays below with this probability, above 0 and below 1."""
    from scipy import special  # noqa: PLC0415 (slow to import)

    return float(special.stdtrit(degrees_of_freedom, probability))


def two_sided_quantile(degrees_of_freedom: float, confidence: float = 0.95) -> float:
    """How many standard errors a two-sided interval reaches either way; confidence above 0 and below 1."""
    return quantile(degrees_of_freedom, (1.0 + confidence) / 2.0)


def distribution(degrees_of_freedom: float, t: float) -> float:
    """The probability of staying below `t`."""
    from scipy import special  # noqa: PLC0415 (slow to import)

    return float(special.stdtr(degrees_of_freedom, t))
