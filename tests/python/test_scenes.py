"""Figures as scenes: no two words touch, and what stands in them is what the data say."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest

import aqmlab
from aqmlab.comparison import Comparison
from aqmlab.inference import Interval, NotEnoughReplications
from aqmlab.show.figures import Waiting, chart_scene, page_loads_scene, scene_svg
from aqmlab.show.figures.chart import Axis, Chart, Series
from aqmlab.show.figures.looks import BLACK, look_at
from aqmlab.show.figures.network import draw_network
from aqmlab.show.figures.of_results import CHARTS, chart_of
from aqmlab.show.figures.scene import Area, Item, Scene, Stroke, Words, box, marker, path
from aqmlab.show.figures.scene_svg import to_svg
from aqmlab.show.report import render
from aqmlab.show.report.comparison import page_of
from people import a_run, three
from small import TWO_HOPS, WEB

EXAMPLES = Path(__file__).parents[2] / "examples"


def touching(scene: Scene) -> list[tuple[str, str]]:
    """Words of a scene that lie over one another."""
    found = []
    for one, other in combinations(scene.words, 2):
        left, top, right, bottom = one.box
        its_left, its_top, its_right, its_bottom = other.box
        if left < its_right and its_left < right and top < its_bottom and its_top < bottom:
            found.append((one.text, other.text))
    return found


def outside(scene: Scene) -> list[str]:
    """Words that reach over the edge."""
    boxes = {each.text: each.box for each in scene.words}
    return [
        text
        for text, (left, top, right, bottom) in boxes.items()
        if left < 0.0 or top < 0.0 or right > scene.width or bottom > scene.height
    ]


def chart(x: np.ndarray, y: np.ndarray, x_axis: Axis, y_axis: Axis, lines: int = 1) -> Chart:
    series = [Series(f"a line of number {place}", look_at(place), y * (1 + place)) for place in range(lines)]
    return Chart("Some lines", x_axis, y_axis, x, tuple(series))


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("scale", [1e-4, 0.03, 1.0, 17.0, 1.2e4, 3.3e6])
@pytest.mark.parametrize("label", ["time, s", "size, bytes", "number"])
def test_no_words_of_a_chart_touch(log: bool, scale: float, label: str) -> None:
    for spread in (1.3, 4.0, 60.0, 1e5):
        x = scale * np.geomspace(1.0, spread, 50)
        scene = chart_scene(chart(x, x**2, Axis(label, log=log), Axis("share", log=log), lines=7))
        assert touching(scene) == []
        assert outside(scene) == []


@pytest.mark.parametrize("what", sorted(CHARTS))
def test_no_words_of_a_plot_touch(what: str) -> None:
    scene = chart_scene(chart_of(what, three()))
    assert touching(scene) == []
    assert outside(scene) == []


@pytest.mark.parametrize(("usual", "slow"), [(0.92, 1.63), (0.9, 0.9), (3.0, 300.0), (0.001, 0.002)])
def test_values_that_are_close_stand_apart(usual: float, slow: float) -> None:
    # Both labels stood above their marks: of 0.92 s and 1.63 s one read "0.921.63 s".
    rows = [
        Waiting(name, Interval(usual, 0.9 * usual, 1.1 * usual, 8), Interval(slow, 0.9 * slow, 1.1 * slow, 8))
        for name in ("drop-tail", "a rather long name of a configuration, longer than its room")
    ]
    scene = page_loads_scene([*rows, Waiting("unseen", NotEnoughReplications(6), NotEnoughReplications(6))])
    assert touching(scene) == []
    assert outside(scene) == []


@pytest.mark.parametrize("name", ["star", "parking_lot", "home_today"])
def test_no_words_of_a_network_touch(name: str) -> None:
    picture = draw_network(aqmlab.Scenario.from_file(EXAMPLES / f"{name}.toml").resolved).picture
    assert isinstance(picture, Scene)
    assert touching(picture) == []
    assert outside(picture) == []


def test_no_words_of_a_network_after_its_runs_touch() -> None:
    for toml in (TWO_HOPS, WEB):
        scenario = aqmlab.Scenario.from_toml(toml)
        run = aqmlab.run(scenario, overrides={"duration_s": 8.0})
        picture = draw_network(scenario.resolved, [run]).picture
        assert isinstance(picture, Scene)
        assert touching(picture) == []
        assert outside(picture) == []


def test_people_stand_on_one_side_and_the_internet_on_the_other() -> None:
    home = aqmlab.Scenario.from_toml(WEB, overrides={"users.left": 0}).resolved
    picture = draw_network(home).picture
    assert isinstance(picture, Scene)
    texts = [each.text for each in picture.words]
    assert "router-left · Internet" in texts
    assert "router-right · people behind the link" in texts


def test_the_path_of_a_line_is_that_of_its_points() -> None:
    points = path((1.0, 2.0), (2.5, 1.5), (2.5, 0.0), (np.nan, np.nan), (10.0, 10.0), (11.0, 9.95))
    svg = to_svg(Scene(20.0, 20.0, (Stroke(points, "#000000"),)))
    found = re.search(r'd="([^"]+)"', svg)
    assert found is not None
    walked, here = [], np.zeros(2)
    for part in re.findall(r"[Ml][^Ml]*", found[1]):
        numbers = [float(each) for each in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", part[1:])]
        for step in np.reshape(numbers, (-1, 2)):
            here = step if part[0] == "M" else here + step
            walked.append(here)
    known = points[np.isfinite(points[:, 0])]
    np.testing.assert_allclose(walked, known, atol=0.0501)


def test_a_report_of_four_schemes_and_eight_seeds_is_small_and_needs_no_matplotlib() -> None:
    runs = {
        name: [a_run(seed, factor, 5.0 * factor) for seed in range(1, 9)]
        for name, factor in {"drop-tail": 1.0, "red": 2.0, "pie": 0.7, "fq-codel": 0.5}.items()
    }
    assert len(render(page_of(Comparison.of(runs)))) < 600_000
    code = "import sys, aqmlab.show.report.comparison; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def _naive_distance(point: np.ndarray, course: np.ndarray) -> float:
    """How far a point lies from a course, by trying a thousand places on every piece of it."""
    shares = np.linspace(0.0, 1.0, 1001)[:, None]
    pieces = (start + shares * (end - start) for start, end in pairwise(course))
    return min(float(np.hypot(*(piece - point).T).min()) for piece in pieces)


@pytest.mark.exhaustive
def test_a_long_course_loses_only_points_that_nobody_sees() -> None:
    x = np.linspace(0.0, 500.0, 300)
    jagged = np.column_stack((x, 100.0 + 40.0 * np.sin(x / 20.0) + 3.0 * np.cos(7.0 * x)))
    left = scene_svg.fewer(jagged)
    assert 2 < len(left) < len(jagged)
    assert np.array_equal(left[[0, -1]], jagged[[0, -1]])
    assert {tuple(point) for point in left} <= {tuple(point) for point in jagged}
    assert max(_naive_distance(point, left) for point in jagged) <= scene_svg.TOLERANCE_PIXELS + 1e-3


def test_a_straight_course_is_its_ends_and_a_spike_stays() -> None:
    flat = np.column_stack((np.arange(100.0), np.zeros(100)))
    assert scene_svg.fewer(flat).tolist() == [[0.0, 0.0], [99.0, 0.0]]
    flat[50, 1] = 0.5
    assert scene_svg.fewer(flat).tolist() == [[0, 0], [49, 0], [50, 0.5], [51, 0], [99, 0]]


def test_a_shape_keeps_its_corners() -> None:
    circle = marker("o", 10.0, 10.0, 3.6, BLACK).points
    assert np.array_equal(scene_svg.fewer(circle), circle)


def test_neighbours_of_one_style_are_one_path_unless_they_would_look_different() -> None:
    def paths(*items: Item) -> int:
        return to_svg(Scene(100.0, 100.0, items)).count("<path")

    line, other = path((0, 0), (10, 0)), path((0, 5), (10, 5))
    square = box(0.0, 0.0, 4.0, 4.0)
    assert paths(Stroke(line, BLACK), Stroke(other, BLACK)) == 1
    assert paths(Stroke(line, BLACK), Stroke(other, "#ff0000")) == 2
    assert paths(Stroke(line, BLACK, dash=(2.0, 2.0)), Stroke(other, BLACK, dash=(2.0, 2.0))) == 2
    assert paths(Area(square, BLACK), Area(square + 2.0, BLACK)) == 1
    assert paths(Area(square, BLACK), Area(square[::-1] + 2.0, BLACK)) == 2, "one would cut a hole"
    assert paths(Area(square, BLACK, 0.2), Area(square + 2.0, BLACK, 0.2)) == 2, "both show"
    assert paths(Stroke(line, BLACK), Words(0.0, 0.0, "between"), Stroke(other, BLACK)) == 2
