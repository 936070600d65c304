"""Designs: which points a sweep has."""

from __future__ import annotations

import math

import pytest

from aqmlab.study.sweeps.designs import Axis, Choice, Range, combined, grid, latin_hypercube, random

UNIT = Range(0.0, 1.0)


def test_a_grid_is_every_combination_and_its_last_key_varies_fastest() -> None:
    points = grid({"a": Choice((1, 2)), "b": Choice(("x", "y", "z"))})
    assert [(point["a"], point["b"]) for point in points] == [
        (1, "x"), (1, "y"), (1, "z"), (2, "x"), (2, "y"), (2, "z"),
    ]  # fmt: skip


def test_a_range_of_a_grid_goes_from_end_to_end() -> None:
    assert Range(0.0, 1.0, points=5).spread() == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert Range(0.01, 1.0, log=True, points=3).spread() == [0.01, 0.1, 1.0]
    assert Range(1, 1000, log=True, integer=True, points=4).spread() == [1, 10, 100, 1000]
    assert Range(2.0, 3.0, points=1).spread() == [2.0]


def test_values_that_rounding_makes_equal_count_once() -> None:
    assert Range(1, 3, integer=True, points=9).spread() == [1, 2, 3]


def test_every_slice_of_a_latin_hypercube_holds_one_point() -> None:
    axes: dict[str, Axis] = {"a": UNIT, "b": Range(1.0, 1000.0, log=True), "c": Range(5.0, 25.0)}
    points = latin_hypercube(axes, points=40, seed=3)
    assert sorted(math.floor(40 * point["a"]) for point in points) == list(range(40))
    assert sorted(math.floor(40 * math.log(point["b"], 1000.0)) for point in points) == list(range(40))
    assert sorted(math.floor(2 * (point["c"] - 5.0)) for point in points) == list(range(40))


def test_a_latin_hypercube_deals_whole_numbers_and_lists_out_evenly() -> None:
    axes: dict[str, Axis] = {"n": Range(1, 5, integer=True), "x": Choice(("red", "pi", "rem", "ared"))}
    points = latin_hypercube(axes, points=20, seed=1)
    assert sorted(point["n"] for point in points) == [n for n in range(1, 6) for _ in range(4)]
    assert sorted(point["x"] for point in points) == sorted(("red", "pi", "rem", "ared") * 5)


def test_random_points_stay_within_their_ranges_and_reach_both_ends() -> None:
    points = random({"n": Range(3, 6, integer=True), "x": Range(0.5, 2.0)}, points=400, seed=7)
    assert {point["n"] for point in points} == {3, 4, 5, 6}
    assert all(isinstance(point["n"], int) for point in points)
    assert all(0.5 <= point["x"] <= 2.0 for point in points)
    # 400 uniform draws leave a given eighth of the range empty with probability (7/8)^400 < 1e-23.
    assert {math.floor((point["x"] - 0.5) / 1.5 * 8) for point in points} >= set(range(8))


@pytest.mark.parametrize("design", [random, latin_hypercube])
def test_the_seed_of_a_design_fixes_its_points(design: type) -> None:
    axes = {"a": UNIT, "b": UNIT}
    assert design(axes, points=9, seed=5) == design(axes, points=9, seed=5)
    assert design(axes, points=9, seed=5) != design(axes, points=9, seed=6)


def test_drawn_numbers_have_nine_significant_digits() -> None:
    for point in random({"a": UNIT}, points=50, seed=1):
        assert float(f"{point['a']:.9g}") == point["a"]


def test_designs_combine_point_by_point() -> None:
    points = combined([[{"a": 1}, {"a": 2}], [{"b": 3}, {"b": 4}]])
    assert points == [{"a": 1, "b": 3}, {"a": 1, "b": 4}, {"a": 2, "b": 3}, {"a": 2, "b": 4}]
