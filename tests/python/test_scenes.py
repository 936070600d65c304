"""Figures as scenes: no two words touch, and what stands in them is what the data say."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import aqmlab
from aqmlab.comparison import Comparison
from aqmlab.show.figures.bars import WIDTH, Bar, BarGroup, BarRow, Bars, bars_scene
from aqmlab.show.figures.chart import Axis
from aqmlab.show.figures.looks import BLACK, look_at
from aqmlab.show.figures.network import draw_network
from aqmlab.show.figures.scene import Area, Item, Scene, Stroke, Words, box, path, to_svg
from aqmlab.show.report.comparison import page_of
from aqmlab.show.report.page import render
from aqmlab.show.words.amounts import duration
from people import a_run
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


@pytest.mark.parametrize("width", [WIDTH, 320.0])
@pytest.mark.parametrize(
    ("usual", "slow"), [(0.92, 1.63), (0.9, 0.9), (3.0, 300.0), (0.001, 0.002), (0.0, 0.0)]
)
def test_no_words_of_bars_touch(usual: float, slow: float, width: float) -> None:
    look = look_at(0)
    rows = [
        BarRow(name, look, (Bar(usual, (0.9 * usual, 1.1 * usual)), Bar(slow, is_bound=True)), "lost 3.4 %")
        for name in ("drop-tail", "a rather long name of a configuration, longer than its room")
    ]
    rows.append(BarRow("unseen", look, (Bar(math.nan), Bar(math.nan)), "no page"))
    for nested in (False, True):
        groups = (BarGroup("the first", tuple(rows)), BarGroup("the second", tuple(rows[:1])))
        levels = (0.15, 0.4)
        bars = Bars("Bars", Axis("time, s"), ("half", "most"), groups, duration, nested=nested, levels=levels)
        scene = bars_scene(bars, width)
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
    assert len(render(page_of(Comparison.of(runs))).encode()) < 350_000
    code = "import sys, aqmlab.show.report.comparison; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


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
