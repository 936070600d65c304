"""The numbers at the ticks of axes."""

from __future__ import annotations

import pytest

from aqmlab.show.figures.chart import unit_of, written


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
