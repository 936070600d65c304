"""The report on several queues: what it says first, what is in it, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats.mstats import hdquantiles

from aqmlab import Result
from aqmlab import run as run_scenario
from aqmlab.comparison import Comparison, Values, compare, read_configurations
from aqmlab.errors import ComparisonError, ResultError
from aqmlab.inference import Interval, NotEnoughReplications
from aqmlab.show.figures.chart import Axis, Chart, Series, chart_table
from aqmlab.show.figures.distributions import (
    differences_within,
    medians_by_size,
    shares_within,
    times_on_a_log_axis,
)
from aqmlab.show.figures.looks import look_at, looks_of_names
from aqmlab.show.figures.over_time import link_over_time
from aqmlab.show.figures.scene import Area, Stroke
from aqmlab.show.report.comparison import of_pages, page_of
from aqmlab.show.report.network import differing_settings
from aqmlab.show.report.page import Text, render
from aqmlab.show.tables.comparison import comparison_table
from aqmlab.show.words.comparison import answer
from aqmlab.statistics import Pages
from aqmlab.statistics.catalogue import LOADED_MEDIAN, LOADED_P95, RESPONSE_MEDIAN
from aqmlab.tables import to_csv
from people import COMMON, SEEDS, a_run, compared, three
from small import BULK, WEB, aqmlab_run
from synthetic_results import names
from test_scenes import touching

if TYPE_CHECKING:
    from synthetic_results import SyntheticResult

LOOKS = [look_at(place) for place in range(3)]


@cache
def page() -> str:
    return render(page_of(compared(), title="Three queues & a link"))


def test_a_page_is_small_and_holds_no_file_to_save() -> None:
    # 0.26 MB, of which 0.07 MB are scripts; with its files for saving it was 1.9 MB.
    assert len(page().encode()) < 320_000
    assert "base64" not in page()


def test_a_report_does_not_load_matplotlib() -> None:
    """It takes longer to import than the report to draw."""
    drawn = (
        "import sys\n"
        "from aqmlab.show.report.page import render\n"
        "from aqmlab.show.report.comparison import page_of\n"
        "from people import compared\n"
        "assert '<svg' in render(page_of(compared()))\n"
        "print({'matplotlib'} & sys.modules.keys())"
    )
    ran = subprocess.run(
        [sys.executable, "-c", drawn],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.strip() == "set()"


def test_the_answer_is_two_sentences_in_seconds() -> None:
    # By construction medians of 1, 0.5 and 1 s, of which geometric means are told. Of the 600 pages of all
    # runs 30 take longer than 1.1 times 5 and 9 s; of those of other, whose noise is wide, longer than 6 s.
    first, second = answer(compared())
    assert first == (
        "Half of the pages load in 1.0 s with today, 0.50 s with better and 0.95 s with <b>other</b> (no "
        "clear difference)."
    )
    assert second == (
        "95 % of the pages load in 5.5 s with today, 9.9 s with better and 6.0 s with <b>other</b> (no clear "
        "difference)."
    )


def test_few_runs_say_that_they_are_few() -> None:
    few = Comparison.of({name: each[:2] for name, each in three().items()})
    assert answer(few)[0] == (
        "Half of the pages load in 0.99 s with today, 0.50 s with better and 0.92 s with <b>other</b> (2 "
        "runs: may be chance)."
    )


def test_runs_are_counted_in_which_pages_loaded() -> None:
    """Eight runs were made, and pages loaded in two of them with each queue: those two carry the sentence."""
    each = {name: [*own[:2], *map(pageless, own[2:])] for name, own in three().items()}
    seeds = len(next(iter(each.values())))
    assert f"(pages in 2 of {seeds} runs: may be chance)" in answer(Comparison.of(each))[0]


def never_loaded(result: SyntheticResult) -> SyntheticResult:
    """The run with pages of which none is there when it ends."""
    pages = result.tables["page_histogram"]
    unfinished = pa.array(["unfinished"] * pages.num_rows).dictionary_encode()
    place = pages.schema.get_field_index("counted")
    tables = {**result.tables, "page_histogram": pages.set_column(place, "counted", unfinished)}
    return replace(result, tables=tables)


def cut_short(result: SyntheticResult) -> SyntheticResult:
    """The run with three more pages that had been waited for during two seconds when it ended."""
    pages = result.tables["page_histogram"]
    cut = pa.table(
        {
            "population": names(np.zeros(1), ("left",)),
            "counted": names(np.zeros(1), ("unfinished",)),
            "lower_s": [2.0],
            "upper_s": [2.0],
            "count": pa.array([3], type=pa.uint64()),
        }
    )
    unified = pa.concat_tables([pages, cut]).unify_dictionaries()
    return replace(result, tables={**result.tables, "page_histogram": unified})


def test_the_baseline_does_not_differ_from_itself_though_pages_were_cut_short() -> None:
    cut = [cut_short(each) for each in three()["today"]]
    again = [replace(each) for each in cut]
    found = Comparison.of({"today": cut, "again": again, "better": three()["better"]})
    for name in ("today", "again"):
        for quantity in found.quantities:
            change = found.change(name, quantity)
            assert change.difference == Interval(0.0, 0.0, 0.0, 6, found.confidence_of_each)
            assert change.direction == 0
    few = Comparison.of({"today": cut[:2]}).change("today", LOADED_P95).difference
    assert few == NotEnoughReplications(have=2, mean=0.0)


def test_of_runs_that_are_the_same_no_difference_is_told() -> None:
    today = three()["today"]
    found = Comparison.of({"today": today, "again": [replace(each) for each in today]})
    (sentence,) = found.sentences()
    assert "half of the pages load in 1.0 s instead of 1.0 s (no difference); 95 % in 5.5 s" in sentence
    assert sentence.endswith("instead of 5.5 s (no difference).")
    assert (
        answer(found)[0] == "Half of the pages load in 1.0 s with today and 1.0 s with again (no difference)."
    )


def test_runs_are_the_same_though_some_of_their_numbers_are_none() -> None:
    # The delay of a source that lost all it sent is not a number, which equals nothing.
    unknown = pa.table({"delay_p50_least_s": [math.nan, 0.1]})
    one, other = (
        [replace(each, tables={**each.tables, "datagrams": rows}) for each in three()["today"]]
        for rows in (unknown, pa.table({"delay_p50_least_s": [math.nan, 0.2]}))
    )
    for again, same in ((one, True), (other, False)):
        found = Comparison.of({"today": one, "again": [replace(each) for each in again]})
        assert found._runs_as_the_baseline("again") is same


def test_pages_that_never_came_are_pages_that_people_waited_for() -> None:
    stuck = [never_loaded(each) for each in three()["today"]]
    found = Comparison.of({"stuck": stuck, "better": three()["better"]})
    assert found.tells_pages
    first, _ = answer(found)
    # Half of them were watched for a second, and of those that is all that is known.
    assert first == "Half of the pages take more than 1.0 s with stuck and 0.50 s with better."
    alone, _ = answer(Comparison.of({"stuck": stuck}))
    assert alone.startswith("Half of the pages take more than 1.0 s")


def pageless(result: SyntheticResult) -> SyntheticResult:
    """The run without any page that was waited for."""
    none = result.tables["page_histogram"].slice(0, 0)
    return replace(result, tables={**result.tables, "page_histogram": none})


def test_runs_are_counted_in_which_pages_had_not_loaded_and_no_others() -> None:
    today, better = (list(three()[name]) for name in ("today", "better"))
    for place in (1, 2):
        # Two hundred of six hundred pages: their 95th percentile is beyond all that was seen.
        better[place] = never_loaded(better[place])
    together = " ".join(Comparison.of({"today": today, "better": better}).details().split())
    assert ">: more than; pages had not loaded at the end of 2 of 6 runs with better." in together
    alone = " ".join(Comparison.of({"better": better}).details().split())
    assert ">: more than; pages had not loaded at the end of 2 of 6 runs." in alone
    once = " ".join(Comparison.of({"better": better[1:2]}).details().split())
    assert ">: more than; pages had not loaded at the end of the run." in once
    assert ">:" not in str(Comparison.of({"today": today}))


def test_a_run_in_which_nobody_asked_for_a_page_is_told() -> None:
    quiet = [*three()["better"]]
    rows = quiet[2].tables["page_histogram"].slice(0, 0)
    quiet[2] = replace(quiet[2], tables={**quiet[2].tables, "page_histogram": rows})
    found = Comparison.of({"today": three()["today"], "quiet": quiet})
    assert found.sentences()[0].startswith(
        "quiet: half of the pages load in 0.50 s instead of 1.0 s (5 seeds"
    )
    assert "Pages were waited for in 5 of 6 runs" in str(found)


def slow_pages_interval() -> tuple[float, float]:
    """95 % of today's pages load within 5.5 s, of six seeds of 100 pages: the interval, by SciPy.

    The scatter over seeds is the greater of that of each seed's own Harrell-Davis quantile and of the
    jackknife's pseudo-values; Student's interval is taken of 1/sqrt(q).
    """
    seeds = [np.repeat(np.array([1.0, 2.0, 5.0, 10.0]) * COMMON[seed], [50, 44, 1, 5]) for seed in SEEDS]

    def smoothed(of_seeds: list[np.ndarray[Any, Any]]) -> float:
        return float(hdquantiles(np.log(np.concatenate(of_seeds)), prob=[0.95])[0])

    without = np.array([smoothed(seeds[:each] + seeds[each + 1 :]) for each in range(6)])
    pseudo = 6.0 * smoothed(seeds) - 5.0 * without
    scatter = max(np.std([smoothed([each]) for each in seeds], ddof=1), pseudo.std(ddof=1))
    reach = float(2.5706 * scatter / math.sqrt(6.0))
    return 5.5 / (1.0 + reach / 2.0) ** 2, 5.5 / (1.0 - reach / 2.0) ** 2


def test_one_alternative_is_told_by_itself() -> None:
    first, second = answer(Comparison.of({"today": three()["today"]}))
    # Student's interval of the logarithms of 0.9, 1.1, 0.95, 1.05, 1, 1: t(5) = 2.571, a factor of 1.077.
    lower, upper = slow_pages_interval()
    assert first == (
        "Half of the pages load within 1.0 s (0.93 to 1.1 s); "
        f"95 % load within 5.5 s ({lower:.1f} to {upper:.1f} s)."
    )
    assert second == "In parentheses: 95 % confidence intervals from 6 runs."


def test_a_bound_of_one_page_load_time_takes_no_interval_from_the_other() -> None:
    today = unseen("today")
    lower, upper = slow_pages_interval()
    assert answer(replace(today, names=("today",))) == [
        f"Half of the pages take more than 6.3 s; 95 % load within 5.5 s ({lower:.1f} to {upper:.1f} s).",
        "In parentheses: 95 % confidence intervals from 6 runs.",
    ]


def unseen(name: str) -> Comparison:
    """In the last of six runs half of the pages take longer than the 20 s for which they were watched."""
    found = compared()
    values = np.array([5.0] * 5 + [math.inf])
    own = {(name, LOADED_MEDIAN.name): Values(np.where(np.isinf(values), 20.0, values), values)}
    return replace(found, _values=own)


def test_what_was_not_seen_to_end_is_a_bound_and_takes_nothing_from_the_others() -> None:
    # The geometric mean of five times 5 s and 20 s is 5 s times the sixth root of 4, 6.3 s.
    assert answer(unseen("better"))[0] == (
        "Half of the pages load in 1.0 s with today, more than 6.3 s with better and 0.95 s with "
        "<b>other</b> (no clear difference)."
    )
    assert answer(unseen("today"))[0].startswith("Half of the pages take more than 6.3 s with today, ")
    (figure,) = of_pages(unseen("better"))
    assert "&gt; 6.3 s" in figure.drawn.svg
    assert "Arrows: at least this" in figure.drawn.caption
    (other,) = of_pages(compared())
    assert "&gt; 1.0 s" not in other.drawn.svg
    assert figure.drawn.scene is not None
    assert not touching(figure.drawn.scene)


def test_bounds_on_both_sides_are_no_matter_of_chance() -> None:
    found = replace(unseen("today"), _values={**unseen("today")._values, **unseen("better")._values})
    assert answer(found)[0] == (
        "Half of the pages take more than 6.3 s with today, more than 6.3 s with better (runs too short to "
        "compare) and 0.95 s with <b>other</b>."
    )


class Outline(HTMLParser):
    """The tags of a page that are left open, and every address in it."""

    VOID = frozenset({"meta", "br", "link", "img", "input", "hr"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.identifiers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [value for name, value in attrs if value and name.endswith(("href", "src"))]
        self.identifiers += [value for name, value in attrs if name == "id" and value]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, self.getpos()


def test_the_page_is_whole_and_fetches_nothing() -> None:
    outline = Outline()
    outline.feed(page())
    assert outline.open == []
    assert all(address.startswith(("#", "data:")) for address in outline.addresses)
    assert len(set(outline.identifiers)) == len(outline.identifiers), "an id stands twice"
    assert "default-src 'none'" in page()


def test_names_cannot_break_the_page() -> None:
    assert "<b>other</b>" not in page()
    assert "&lt;b&gt;other&lt;/b&gt;" in page()
    assert "Three queues &amp; a link" in page()


def test_the_first_screen_knows_no_jargon() -> None:
    header = re.sub(
        r"<(div|figcaption).*?</\1>", "", page().split("<header>")[1].split("</header>")[0], flags=re.DOTALL
    )
    words = re.sub(r"<[^>]+>", " ", header).lower()
    for jargon in (
        "probability",
        "mark",
        "aqm",
        "queue discipline",
        "quantile",
        "replication",
        "bandwidth",
        "seed",
    ):
        assert jargon not in words


def test_the_essentials_stand_without_javascript() -> None:
    still = re.sub(r"<script.*?</script>", "", page(), flags=re.DOTALL)
    charts = still.count('class="chart"')
    assert still.count('<svg role="img"') == still.count("<figure") - charts >= 2
    assert still.count("<noscript>") == charts >= 6
    assert "1.00±0.08" in still
    for words in (
        "Half of the pages load in 1.0\N{NO-BREAK SPACE}s with today, ",
        "better: half of the pages loaded within 0.50 s",
    ):
        assert words in still


def test_the_numbers_behind_a_chart_are_those_that_are_drawn() -> None:
    charts = [json.loads(each) for each in re.findall(r'application/json">(.*?)</script>', page(), re.DOTALL)]
    pages = next(each for each in charts if each["title"] == "Page load times")
    assert pages["x"]["log"]
    today = pages["series"][0]
    shares = dict(zip(pages["x"]["values"], today["y"], strict=True))
    # In every run nothing is there before 0.9 s, half between 1.1 and 1.8 s, 94 % between 2.2 and 4.5 s.
    for least, most, expected in ((0.0, 0.89, 0.0), (1.11, 1.79, 50.0), (2.21, 4.49, 94.0)):
        found = [share for time, share in shares.items() if least < time < most]
        assert found == pytest.approx([expected] * len(found), abs=0.01)
        assert found
    assert all(each["lower"] and each["upper"] for each in pages["series"])


def test_a_chart_is_saved_as_the_table_of_its_numbers() -> None:
    line = Series(
        "a, b", look_at(0), np.array([1.5, np.nan]), np.array([1.0, np.nan]), np.array([2.0, np.nan])
    )
    chart = Chart("t", Axis("time, s"), Axis("packets"), np.array([0.1, 0.2]), (line,))
    rows = list(csv.reader(io.StringIO(to_csv(chart_table(chart)))))
    assert rows == [
        ["time, s", "a, b", "a, b.lower", "a, b.upper"],
        ["0.1", "1.5", "1.0", "2.0"],
        ["0.2", "", "", ""],
    ]
    assert chart.in_words == "t: packets, against time, s. a, b: 1.5 at 0.1."
    with pytest.raises(ValueError, match="t, a, b: 2 values, 3 places"):
        replace(chart, x=np.zeros(3))


def test_a_difference_has_a_band_and_no_line_for_the_first() -> None:
    found = compared()
    times = {name: [run.page_load_times(Pages.FOLLOWED) for run in runs] for name, runs in found.runs.items()}
    grid = times_on_a_log_axis(times)
    levels = shares_within(times, LOOKS, time_s=grid, title="levels")
    chart = differences_within(times, LOOKS, time_s=grid, title="differences")
    assert [each.name for each in chart.series] == ["better", "<b>other</b>"]
    for series, level in zip(chart.series, levels.series[1:], strict=True):
        np.testing.assert_allclose(series.y, level.y - levels.series[0].y, atol=1e-9)
        assert series.lower is not None
        assert series.upper is not None
        assert np.all(series.lower <= series.y)
        assert np.all(series.y <= series.upper)
    assert chart.series[0].look == levels.series[1].look


def test_the_queue_over_time_keeps_its_peaks() -> None:
    run = a_run(1, 1.0, 5.0)
    packets = run.tables["queue"]["packets"].to_numpy()
    whole = link_over_time("queue", {"a": run}, LOOKS[:1], link="left-to-right", title="t")
    np.testing.assert_array_equal(whole.series[0].y, packets)
    long = np.zeros(10_000)
    long[7_777] = 99.0
    table = run.tables["queue"].slice(0, 0)
    table = table.from_pydict(
        {
            "time_s": 0.01 * np.arange(1, 10_001),
            "link": run.tables["queue"]["link"].take([0] * 10_000),
            "packets": long,
        }
    )
    short = link_over_time(
        "queue", {"a": replace(run, tables={"queue": table})}, LOOKS[:1], link="left-to-right", title="t"
    )
    assert short.x.size == 2_000
    assert short.series[0].upper is not None
    assert short.series[0].upper.max() == 99.0
    assert short.series[0].y.max() == pytest.approx(99.0 / 5.0)
    assert short.band == "least and greatest sample in each 0.05 s"


def test_the_median_of_each_size_is_that_of_its_responses() -> None:
    chart = medians_by_size({"a": [a_run(1, 1.0, 5.0)], "b": [a_run(1, 2.0, 5.0)]}, LOOKS[:2], title="t")
    # All responses of a size lie in one cell of times, of which the middle is the median.
    np.testing.assert_allclose(chart.series[0].y, 0.5 * (1.0 / 10.0 + 1.0 / 9.0))
    np.testing.assert_allclose(chart.series[1].y, 0.5 * (2.0 / 10.0 + 2.0 / 9.0))


def test_settings_that_differ_are_named_and_others_are_not() -> None:
    a: dict[str, Any] = {"name": "a", "users": {"left": 5}, "queue": {"scheme": "pi", "q_ref": 24}}
    b = {"name": "b", "users": {"left": 5}, "queue": {"scheme": "red", "limit": None}, "delay_s": 1.0}
    assert differing_settings({"a": a, "b": b}) == {
        "queue": "a: pi (q_ref 24); b: red ()",
        "delay_s": "a: –; b: 1.0",
    }


def test_the_same_runs_give_the_same_page() -> None:
    assert render(page_of(compared(), title="Three queues & a link")) == page()


def test_a_run_in_which_no_page_began_leaves_the_others_their_numbers() -> None:
    runs = {name: list(each) for name, each in three().items()}
    empty = runs["better"][2]
    pages = empty.tables["page_histogram"].slice(0, 0)
    runs["better"][2] = replace(empty, tables={**empty.tables, "page_histogram": pages})
    made = page_of(Comparison.of(runs))
    assert made.answer[0].startswith("Half of the pages load in 1.0 s with today, ")
    (section,) = (each for each in made.sections if each.title == "Waiting for a page")
    texts = [part.words for part in section.parts if isinstance(part, Text)]
    assert texts[0] == "Without 1 seed in which nobody waited for a page."


def test_bars_of_pages_are_as_long_as_people_wait_and_have_their_intervals() -> None:
    (figure,) = of_pages(replace(compared(), names=("today",)))
    scene = figure.drawn.scene
    assert scene is not None
    assert "time after the click" in [each.text for each in scene.words]
    ticks = {int(each.text[:-2]): each.x for each in scene.words if re.fullmatch(r"\d+ s", each.text)}
    least, most = min(ticks), max(ticks)
    a_second = (ticks[most] - ticks[least]) / (most - least)
    ground = ticks[least] - least * a_second
    look = looks_of_names(["today"])["today"]
    bars = [
        each.points[:, 0] for each in scene.items if isinstance(each, Area) and each.colour == look.colour
    ]
    # Bars of 1 and 5.5 s; Student's interval of the logarithms of the medians, and that of slow pages.
    logarithms = np.log([0.9, 1.1, 0.95, 1.05, 1.0, 1.0])
    half = 2.5706 * logarithms.std(ddof=1) / math.sqrt(6.0)
    usual = np.exp(logarithms.mean() + np.array([-half, half]))
    for bar, seconds in zip(bars, (math.exp(logarithms.mean()), 5.5), strict=True):
        assert bar.min() == pytest.approx(ground)
        assert bar.max() == pytest.approx(ground + seconds * a_second, abs=0.5)
    lines = [each.points[:, 0] for each in scene.items if isinstance(each, Stroke) and each.width == 1.2]
    for line, ends in zip(lines, (usual, slow_pages_interval()), strict=True):
        np.testing.assert_allclose(line, ground + np.array(ends) * a_second, atol=0.5)


def test_notebooks_show_runs_and_comparisons() -> None:
    shown = compared()._repr_html_()
    # In each seed half as long: the ratio has no scatter.
    assert "better: half of the pages load in 0.50 s instead of 1.0 s (0.50 to 0.50 s sooner)" in shown
    assert "&lt;b&gt;other&lt;/b&gt;" in shown
    assert "<b>other</b>" not in shown
    runs = three()
    found = compare({"<today>": runs["today"], "better": runs["better"]})
    assert "&lt;today&gt;" in found._repr_html_()
    assert repr(found) == "Comparison(<today>, better; 6 seeds; differences from <today>)"
    result = run_scenario(WEB, overrides={"duration_s": 8.0})._repr_html_()
    for words in ("page loads", "responses", "links", "<table"):
        assert words in result
    for html in (shown, found._repr_html_(), result):
        outline = Outline()
        outline.feed(html)
        assert outline.open == []


@pytest.fixture(name="folder", scope="module")
def compared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `aqmlab compare` leaves, with a run of other people and one of nobody beside it."""
    folder = tmp_path_factory.mktemp("compared")
    (folder / "link.toml").write_text(WEB)
    (folder / "bulk.toml").write_text(BULK)
    made = aqmlab_run("compare", "link.toml", "--schemes", "drop-tail,pie", "--seeds", "1-2", cwd=folder)
    assert made.returncode == 0, made.stderr
    assert "Report: results/compare-web/report.html" in " ".join(made.stdout.split())
    for arguments in (
        ("link.toml", "--set", "users.per_side=9", "--output", "few"),
        ("bulk.toml", "--output", "bulk"),
    ):
        made = aqmlab_run("run", *arguments, "--no-offered-load", cwd=folder)
        assert made.returncode == 0, made.stderr
    return folder


def test_compare_leaves_a_report_and_its_folder_makes_the_same_one(folder: Path) -> None:
    text = (folder / "results/compare-web/report.html").read_text()
    assert "Half of the pages load in" in text
    # Without --baseline: the folder keeps the order of its comparison, though "pie" is the later word.
    made = aqmlab_run("report", "results/compare-web", "--output", "again.html", cwd=folder)
    assert (made.returncode, made.stdout.strip()) == (0, "again.html"), made.stderr
    assert (folder / "again.html").read_text() == text


def test_configurations_of_a_folder_keep_their_names_and_the_baseline_comes_first(folder: Path) -> None:
    kept = folder / "kept"

    def compared(schemes: str) -> list[str]:
        options = ("--seeds", "1", "--output", "kept", "--no-report")
        made = aqmlab_run("compare", "link.toml", "--schemes", schemes, *options, "--quiet", cwd=folder)
        assert made.returncode == 0, made.stderr
        return list(read_configurations([folder / made.stdout.strip()]))

    names = ["pie", "codel:target_ms=20", "codel"]
    assert compared(",".join(names)) == names
    # Another comparison has a folder of its own, and a run of somebody else in it comes last.
    assert compared("codel,drop-tail") == ["codel", "drop-tail"]
    shutil.copytree(folder / "kept-2" / "codel", kept / "a-copy")
    assert list(read_configurations([kept / "pie", kept / "codel"])) == ["pie", "codel"]


def test_seeds_of_one_scenario_are_one_alternative(folder: Path) -> None:
    base = folder / "results/compare-web"
    found = read_configurations([base / "pie/seed-2", base / "drop-tail", base / "pie/seed-1"])
    assert {name: sorted(each.seed for each in made) for name, made in found.items()} == {
        "pie": [1, 2],
        "drop-tail": [1, 2],
    }
    (twice,) = read_configurations([base / "pie", base / "pie/seed-1"]).values()
    assert [each.seed for each in twice] == [1, 2]
    shutil.copytree(base / "pie/seed-1", folder / "copy")
    with pytest.raises(ComparisonError, match="of the same scenario and seed"):
        read_configurations([base / "pie", folder / "copy"])
    with pytest.raises(ResultError, match="there is no such folder"):
        read_configurations([folder / "nowhere"])
    assert isinstance(found["pie"][0], Result)


def test_runs_without_people_say_so(folder: Path) -> None:
    made = aqmlab_run("report", "bulk", "--output", "bulk.html", cwd=folder)
    assert made.returncode == 0, made.stderr
    text = (folder / "bulk.html").read_text()
    assert "The link is busy" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("results/compare-web/pie/seed-1", "few"),
            "who browses and what else sends: users.left",
        ),
        (("results/compare-web/pie", "results/compare-web/drop-tail/seed-1"), "only pie has seed 2"),
        (
            ("results/compare-web", "--baseline", "pi"),
            'no configuration is called "pi"; legal: drop-tail, pie',
        ),
        (("results/compare-web", "--links", "nowhere"), 'no monitored link "nowhere"'),
        (("nowhere",), "nowhere: there is no such folder"),
        ((), "Missing argument"),
    ],
)
def test_what_does_not_belong_together_is_refused(
    folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    made = aqmlab_run("report", *arguments, cwd=folder)
    assert made.returncode == 2
    assert message in " ".join(made.stderr.split()), made.stderr
    assert "Traceback" not in made.stderr


def test_runs_of_another_duration_are_refused() -> None:
    one, other = (a_run(1, 1.0, 5.0) for _ in range(2))
    for run, duration_s in ((one, 160.0), (other, 200.0)):
        run.run["scenario"]["duration_s"] = duration_s
    with pytest.raises(ComparisonError, match=r"what is measured: duration_s 200 instead of 160"):
        Comparison.of({"a": [one], "b": [other]})


def test_the_stars_that_the_caption_explains_stand_in_the_table() -> None:
    found = compared()
    table = comparison_table(found)
    assert "In grey: the difference from today." in table.caption
    changed = {row[0].lines[0].text.strip(): row[2].lines for row in table.rows if len(row[2].lines) == 2}
    median = changed["half arrive in, s"]
    assert found.change("better", RESPONSE_MEDIAN).direction == -1
    assert median[0].text.endswith("*")
    assert not any(line.text.endswith("*") for row in table.rows for line in row[1].lines), "the baseline"
