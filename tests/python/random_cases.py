"""How many random cases a property test tries, and which. `make fuzz` tries others."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet


def cases(count: int) -> range:
    """The seeds of so many cases.

    `AQMLAB_PROPERTY_ROUNDS` multiplies their number and `AQMLAB_PROPERTY_SEED` names the first; by default
    one round from 0.
    """
    first = int(os.environ.get("AQMLAB_PROPERTY_SEED", "0"))
    return range(first, first + count * int(os.environ.get("AQMLAB_PROPERTY_ROUNDS", "1")))


def one_by_one(count: int) -> list[ParameterSet]:
    """The seeds of so many cases as parameters; four fifths of them are marked `exhaustive`."""
    some, others = _parted(count)
    return [*map(pytest.param, some), *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in others)]


def in_two(count: int) -> list[ParameterSet]:
    """The seeds of so many cases as two parameters: a fifth, and marked `exhaustive` all others."""
    some, others = _parted(count)
    return [
        pytest.param(some, id="some"),
        pytest.param(others, id="the others", marks=pytest.mark.exhaustive),
    ]


def _parted(count: int) -> tuple[range, range]:
    every = cases(count)
    return every[: len(every) // 5], every[len(every) // 5 :]
