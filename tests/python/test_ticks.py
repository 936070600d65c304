"""Ticks of axes and the numbers at them, by their rules."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from aqmlab.show.figures.ticks import MOST_TICKS, ticks, unit_of, written

SPANS = [
    (float(least), float(least * (1.0 + width)))
    for least, width in np.exp(np.random.default_rng(1).uniform(np.log(1e-4), np.log(1e4), size=(400, 2)))
]


def mantissa(value: float) -> float:
    return round(abs(value) / 10.0 ** math.floor(math.log10(abs(value)) + 1e-9), 9)


@pytest.mark.parametrize("log", [False, True])
def test_every_axis_has_three_ticks_or_more_within_it(log: bool) -> None:
    for least, most in SPANS:
        found = ticks(least, most, log=log, gap=0.1)
        assert len(found) >= 3, (least, most)
        assert all(a < b for a, b in pairwise(found))
        assert least * (1 - 1e-6) <= found[0]
        assert found[-1] <= most * (1 + 1e-6)


def test_ticks_of_a_linear_axis_are_multiples_of_1_2_2_and_a_half_or_5() -> None:
    for least, most in SPANS:
        found = ticks(least, most, log=False, gap=0.1)
        assert len(found) <= MOST_TICKS
        steps = [b - a for a, b in pairwise(found)]
        np.testing.assert_allclose(steps, steps[0], rtol=1e-5)
        assert steps[0] >= 0.1 * (most - least) * (1 - 1e-6), "labels would touch"
        assert min(abs(mantissa(round(steps[0], 12)) - each) for each in (1.0, 2.0, 2.5, 5.0, 10.0)) < 1e-4


def test_ticks_of_a_logarithmic_axis_are_1_2_5_or_whole_decades() -> None:
    assert ticks(0.1, 20.0, log=True, gap=0.1) == [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0]
    assert ticks(1e-5, 1.0, log=True, gap=0.1) == [1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0]
    assert ticks(1e-6, 1e6, log=True, gap=0.1) == [1e-6, 1e-4, 1e-2, 1.0, 1e2, 1e4, 1e6]
    # Within less than a decade, where matplotlib's decades leave one tick.
    assert ticks(3.0, 9.0, log=True, gap=0.1) == [3.0, 5.0, 7.0]
    for least, most in SPANS:
        if most / least < 12.0:
            continue
        found = ticks(least, most, log=True, gap=0.05)
        gaps = [math.log(b / a) / math.log(most / least) for a, b in pairwise(found)]
        assert min(gaps) >= 0.05
        assert {mantissa(each) for each in found} <= {1.0, 1.5, 2.0, 3.0, 5.0, 7.0}


@pytest.mark.parametrize(
    ("label", "value", "expected"),
    [
        ("waiting time, ms", 18.0, "18 ms"),
        ("waiting time, ms", 18488.0, "18.5 s"),
        ("page load time, s", 0.25, "250 ms"),
        ("page load time, s", 1.2, "1.2 s"),
        ("page load time, s", 0.0, "0"),
        ("page load time, s", 120.0, "120 s"),
        ("size of the response, bytes", 10_300.0, "10.3 kB"),
        ("congestion window, kB", 2_000.0, "2 MB"),
        ("size of the response, bytes", 50.0, "50 B"),
        ("link busy, %", 87.12, "87.1 %"),
        ("share taking longer", 0.001, "0.1 %"),
        ("queue, packets", 10_300.0, "10,300"),
        ("difference, percentage points", -12.5, "−12.5"),
        ("throughput, Mbit/s", 4.6, "4.6"),
    ],
)
def test_numbers_are_those_that_people_use(label: str, value: float, expected: str) -> None:
    assert written(value, unit_of(label)) == expected


def test_the_unit_stands_at_the_numbers_and_not_twice() -> None:
    assert unit_of("page load time, s").words == "page load time"
    assert unit_of("queue, packets").words == "queue, packets"
