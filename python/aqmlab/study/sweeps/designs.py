"""Designs: which values the keys take together.

Every design is a list of settings (dotted key to value). Numbers are rounded to nine significant digits, so
that they read as they were meant; the content address of a run depends on the rounded value.

`grid` takes every combination. `random` draws each key of each point independently. `latin-hypercube` cuts
every key's range into as many equally probable slices as there are points, and uses each slice once (McKay,
Beckman and Conover 1979); the values of a list occur as evenly as their number allows.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import numpy as np

from aqmlab.files.records import KEY, Made
from aqmlab.files.shape import whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Settings: TypeAlias = dict[str, Any]
"""Dotted keys and their values."""

MOST_POINTS = 100_000
"""The most points of a design, and values of a range."""
_SIGNIFICANT_DIGITS = 9
_Scale = Annotated[bool, Made(Literal["linear", "log"], lambda said: said == "log")]


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers from `low` to `high`, both included.

    Attributes:
        low: The smallest.
        high: The largest.
        log: Whether equal ratios, instead of equal differences, are equally probable or equally far apart.
        integer: Whether only whole numbers.
        points: How many a grid takes; none where a design draws them.
    """

    low: float
    high: float
    log: _Scale = field(default=False, metadata={KEY: "scale"})
    integer: bool = False
    points: Annotated[int, whole(1, MOST_POINTS)] | None = None

    def at(self, share: float) -> float | int:
        """The value below which lies this share (0 to 1) of the range."""
        # A whole number stands for the unit around it, or the ends would be half as probable as the rest.
        low, high = (self.low - 0.5, self.high + 0.5) if self.integer else (self.low, self.high)
        value = low * (high / low) ** share if self.log else low + (high - low) * share
        return self._rounded(value)

    def spread(self) -> list[float | int]:
        """The values of a grid, from end to end; those that rounding makes equal count once."""
        count = self.points or 1
        shares = np.linspace(0.0, 1.0, count) if count > 1 else np.array([0.0])
        low, high = self.low, self.high
        values = low * (high / low) ** shares if self.log else low + (high - low) * shares
        return list(dict.fromkeys(self._rounded(float(value)) for value in values))

    def _rounded(self, value: float) -> float | int:
        if self.integer:
            return min(max(math.floor(value + 0.5), math.ceil(self.low)), math.floor(self.high))
        return min(max(float(f"{value:.{_SIGNIFICANT_DIGITS}g}"), self.low), self.high)


@dataclass(frozen=True, slots=True)
class Choice:
    """Values of any kind, each as probable as the next."""

    values: tuple[Any, ...]

    def at(self, share: float) -> object:
        """The value below which lies this share (0 to 1) of the list."""
        return self.values[min(int(share * len(self.values)), len(self.values) - 1)]

    def spread(self) -> list[Any]:
        """All of them."""
        return list(self.values)


Axis: TypeAlias = Range | Choice
"""What values one key takes."""


def grid(axes: Mapping[str, Axis]) -> list[Settings]:
    """Every combination; the last key varies fastest."""
    spreads = [axis.spread() for axis in axes.values()]
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*spreads)]


def random(axes: Mapping[str, Axis], *, points: int, seed: int) -> list[Settings]:
    """Independent draws."""
    return _placed(axes, np.random.default_rng(seed).random((points, len(axes))))


def latin_hypercube(axes: Mapping[str, Axis], *, points: int, seed: int) -> list[Settings]:
    """One draw from each of as many slices as there are points, for every key."""
    from scipy.stats import qmc  # noqa: PLC0415 (it takes a second to import)

    sampler = qmc.LatinHypercube(d=len(axes), rng=np.random.default_rng(seed))
    return _placed(axes, sampler.random(points))


def combined(designs: Sequence[list[Settings]]) -> list[Settings]:
    """Every point of one design with every point of the others."""
    return [
        {key: value for settings in together for key, value in settings.items()}
        for together in itertools.product(*designs)
    ]


def _placed(axes: Mapping[str, Axis], shares: np.ndarray[Any, Any]) -> list[Settings]:
    return [
        {key: axis.at(float(share)) for (key, axis), share in zip(axes.items(), row, strict=True)}
        for row in shares
    ]
