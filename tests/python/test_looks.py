"""One look for each scheme, in every figure."""

from __future__ import annotations

import colorsys
import json
import re
from importlib import resources
from itertools import combinations

import numpy as np
import pytest

from aqmlab import _core
from aqmlab.comparison import Comparison
from aqmlab.load.parametrized_scheme import spelt
from aqmlab.show.figures.bars import Bar, BarGroup, BarRow, Bars
from aqmlab.show.figures.chart import Axis, Chart, Series
from aqmlab.show.figures.drawn import Drawn
from aqmlab.show.figures.looks import SCHEMES, dash_lengths, looks_of_names
from aqmlab.show.figures.plots import chart_of
from aqmlab.show.papers.figures import line_of
from aqmlab.show.play.page import look_of
from aqmlab.show.report.comparison import page_of
from aqmlab.show.report.page import chart_data, inline_svg, render
from people import three


def test_every_scheme_has_a_look_of_its_own() -> None:
    assert set(SCHEMES) == set(_core.scheme_names())
    lines = [(look.colour, look.pattern) for look in SCHEMES.values()]
    assert len(set(lines)) == len(lines)
    compared = ("drop-tail", "red", "pie", "codel", "fq-codel", "cake", "dualpi2")
    assert len({SCHEMES[name].colour for name in compared}) == len(compared)


@pytest.mark.parametrize("names", [("pi", "red", "drop-tail"), ("mine", "red", "yours", "a b")])
def test_order_changes_no_look(names: tuple[str, ...]) -> None:
    assert looks_of_names(names) == looks_of_names(names[::-1])
    assert list(looks_of_names(names)) == list(names)


def test_a_scheme_looks_the_same_whatever_stands_beside_it() -> None:
    for names in combinations([*SCHEMES, "mine"], 2):
        looks = looks_of_names(names)
        assert all(looks[name] == SCHEMES[name] for name in names if name in SCHEMES)


def test_other_names_differ_in_hue_while_there_are_hues_and_then_in_pattern() -> None:
    names = [f"setting {number}" for number in range(30)]
    few = looks_of_names(names[:7])
    assert len({look.colour for look in few.values()}) == 7
    many = looks_of_names(names)
    assert len({(look.colour, look.pattern) for look in many.values()}) == 30


def test_a_study_uses_the_hue_of_the_scheme() -> None:
    for name in ("drop-tail-240", "pi-24", "rem-240", "ared-24", "red-24"):
        scheme = re.sub(r"-\d+$", "", name)
        assert line_of(name).colour == SCHEMES[scheme].colour


def test_a_report_and_a_plot_draw_an_alternative_alike() -> None:
    today, better, _ = three().values()
    runs = {"fq-codel": today, "drop-tail": better}
    plotted = {each.name: each.look for each in chart_of("pages", runs).series}
    assert plotted == {name: SCHEMES[name] for name in runs}
    page = render(page_of(Comparison.of(runs)))
    charts = [json.loads(each) for each in re.findall(r'application/json">(.*?)</script>', page, re.DOTALL)]
    series = [each for chart in charts for each in chart["series"]]
    assert len(series) >= 8
    written = {spelt(name): look for name, look in SCHEMES.items()}
    for each in series:
        assert (each["colour"], each["marker"]) == (
            written[each["name"]].colour,
            written[each["name"]].marker,
        )


def test_play_draws_a_scheme_as_a_report_does() -> None:
    assert look_of("fq-codel") == {"colour": "--hue-2", "dash": ()}
    assert look_of("dualpi2") == {"colour": "--ink", "dash": ()}
    for scheme, look in SCHEMES.items():
        assert look_of(scheme)["dash"] == dash_lengths(look.pattern)


def _styles() -> dict[str, dict[str, str]]:
    """The colours of a page in its three styles."""
    text = "".join(
        resources.files("aqmlab.show.report").joinpath("templates", name).read_text()
        for name in ("hues.css", "page.css")
    )
    heads = {"light": "", "dark": "@media (prefers-color-scheme: dark) {", "print": "@media print {"}
    styles: dict[str, dict[str, str]] = {}
    for style, head in heads.items():
        blocks = re.findall(re.escape(head) + r"\s*(?:@page \{[^}]*\}\s*)?:root \{([^}]*)\}", text)
        found = re.findall(r"(--[\w-]+): (#[0-9a-f]{6});", " ".join(blocks))
        styles[style] = dict(reversed(found))  # the first counts: without a head, all blocks are found
    return styles


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255.0 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


def _contrast(one: str, other: str) -> float:
    """As WCAG 2.2 defines it; what has to be seen needs 3."""
    darker, lighter = sorted(map(_luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("style", ["light", "dark", "print"])
@pytest.mark.parametrize("place", range(6))
def test_with_ecn_a_scheme_has_its_own_hue_but_darker_in_every_style(style: str, place: int) -> None:
    colours = _styles()[style]
    hue, shade = colours[f"--hue-{place}"], colours[f"--shade-{place}"]

    def angle(colour: str) -> float:
        return 360.0 * colorsys.rgb_to_hsv(*(int(colour[at : at + 2], 16) / 255.0 for at in (1, 3, 5)))[0]

    assert angle(shade) == pytest.approx(angle(hue), abs=2.0)
    assert _luminance(shade) < 0.6 * _luminance(hue)
    assert _contrast(shade, colours["--ground"]) >= 3.0


def test_charts_and_pictures_name_the_same_colours() -> None:
    names = ["pi-24", "pi-24-ecn", "uncongested", "unknown"]
    series = tuple(Series(name, line_of(name), np.arange(3.0)) for name in names)
    chart = Chart("t", Axis("x"), Axis("y"), np.arange(3.0), series)
    named = [each["named"] for each in chart_data(chart, {})["series"]]
    assert named == ["--hue-0", "--shade-0", "--ink", "--soft"]
    rows = tuple(BarRow(name, line_of(name), (Bar(1.0),)) for name in names)
    drawn = Drawn.of("a", Bars("t", Axis("time, s"), ("",), (BarGroup("", rows),), str), "")
    assert all(f'fill="var({name})"' in inline_svg(drawn) for name in named)
