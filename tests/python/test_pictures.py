"""Delay under load, who got how much, pages: what is drawn is what a naive reading of the records says."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from matplotlib.backends import backend_pgf

import aqmlab
from aqmlab.comparison import Comparison, read_configurations, running
from aqmlab.errors import MissingDataError, PlotError
from aqmlab.show.figures.chart import Chart
from aqmlab.show.figures.drawn import Drawn, PrintSize
from aqmlab.show.figures.experience import (
    NOTHING_ARRIVES,
    delay_bars,
    delay_over_time,
    delays_beyond,
    heard_group,
    page_bars,
    share_bars,
)
from aqmlab.show.report.comparison import page_of
from aqmlab.show.report.page import render
from aqmlab.statistics.datagrams import delays_of
from small import BULK, WEB, aqmlab_run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from aqmlab.show.figures.bars import BarRow, Bars

HOME = """
name = "home"
duration_s = 30.0
warm_up_s = 4.0
cool_down_s = 6.0

[line]
technology = "cable"
down_mbps = 20
up_mbps = 4

[record]
datagrams = true

[[devices]]
name = "laptop"
kind = "laptop"

[[devices]]
name = "phone"
kind = "phone"

[[flows]]
name = "backup"
count = 1
direction = "up"
device = "laptop"
base_rtt_ms = 20.0
profile = "linux6-cubic"

[[datagrams]]
name = "call-up"
count = 1
direction = "up"
device = "phone"
packet_bytes = 200
rate_mbps = 0.08

[[datagrams]]
name = "call-down"
count = 1
direction = "down"
device = "phone"
packet_bytes = 200
rate_mbps = 0.08
"""
SPACING_S = 0.02
SCHEMES = ("drop-tail", "codel", "fq-codel")


@pytest.fixture(name="home", scope="module")
def a_home() -> Comparison:
    return aqmlab.compare(aqmlab.Scenario.from_toml(HOME), schemes=list(SCHEMES), seeds=[1, 2])


def firsts(found: Comparison) -> dict[str, aqmlab.Result]:
    return {name: runs[0] for name, runs in found.results.items()}


def naive(result: aqmlab.Result, group: str) -> tuple[np.ndarray, np.ndarray]:
    """When each datagram of a group was sent that arrived, and its delay in ms: from the rows themselves."""
    rows = result.tables["datagram_arrivals"].to_pandas()
    rows = rows[rows["group"] == group].sort_values("sent_s")
    return rows["sent_s"].to_numpy(), 1e3 * rows["delay_s"].to_numpy()


def test_the_minute_shown_is_the_delay_of_the_calls_packets(home: Comparison) -> None:
    assert heard_group(home) == "call-up", "the way that is slower before the change"
    chart = delay_over_time(firsts(home), "call-up")
    step_s = float(np.diff(chart.x)[0])
    assert (chart.x[0] - step_s / 2, chart.x[-1] + step_s / 2) == pytest.approx((4.0, 24.0))
    assert [each.name for each in chart.series] == list(home.names)
    for series, result in zip(chart.series, firsts(home).values(), strict=True):
        sent_s, delay_ms = naive(result, "call-up")
        for at, middle in list(enumerate(chart.x))[1::7]:
            inside = (sent_s > middle - step_s / 2) & (sent_s <= middle + step_s / 2)
            assert inside.any()
            assert series.y[at] == pytest.approx(delay_ms[inside].mean())
            assert series.lower is not None
            assert series.upper is not None
            assert (series.lower[at], series.upper[at]) == (delay_ms[inside].min(), delay_ms[inside].max())
    slow, _, quick = (float(np.nanmean(each.y)) for each in chart.series)
    assert slow > 5.0 * quick, "the saw beside the flat line"


def test_what_did_not_arrive_is_shown_as_lost_and_counted_as_the_tables_count_it(home: Comparison) -> None:
    chart = delay_over_time(firsts(home), "call-up")
    for series, (name, result) in zip(chart.series, firsts(home).items(), strict=True):
        rows = result.tables["datagrams"].to_pandas()
        (sent, received) = rows[rows["group"] == "call-up"][["sent_packets", "received_packets"]].iloc[0]
        assert series.lost is not None
        # The window of 20 s is shown whole; a packet at its very edge may be on either side.
        assert series.lost.sum() == pytest.approx(sent - received, abs=1), name
    sent_s, _ = naive(firsts(home)["fq-codel"], "call-up")
    thinned = {"a": with_arrivals(firsts(home)["fq-codel"], lambda at_s: (at_s < 10.0) | (at_s > 12.0))}
    (series,) = delay_over_time(thinned, "call-up").series
    gone = sent_s[(sent_s >= 10.0) & (sent_s <= 12.0)]
    assert series.lost is not None
    assert series.lost.sum() == gone.size == 100
    x = delay_over_time(thinned, "call-up").x
    assert set(x[series.lost > 0.0] // 1.0) == {10.0, 11.0}
    assert np.isnan(series.y[(x > 10.1) & (x < 11.9)]).all()


def with_arrivals(result: aqmlab.Result, kept: Callable[[np.ndarray], np.ndarray]) -> Changed:
    """The run in which only some of the datagrams arrived."""
    rows = result.tables["datagram_arrivals"]
    keep = kept(rows["sent_s"].to_numpy())
    return Changed(result, {"datagram_arrivals": rows.filter(pa.array(keep))})


class Changed:
    """A run with other rows in some of its tables."""

    def __init__(self, result: aqmlab.Result, tables: Mapping[str, pa.Table]) -> None:
        self.run: dict[str, Any] = result.run
        self.tables: Mapping[str, pa.Table] = {**result.tables, **tables}


def test_a_dead_call_is_lost_from_the_first_to_the_last_moment(home: Comparison) -> None:
    dead = with_arrivals(firsts(home)["fq-codel"], lambda at_s: np.zeros(at_s.size, dtype=bool))
    seen = delays_of(dead, "call-up", from_s=4.0, until_s=24.0)
    assert seen.delay_ms.size == 0
    assert seen.lost_s is not None
    assert seen.lost_s.size == round(20.0 / SPACING_S)
    chart = delay_over_time({"dead": dead, "alive": firsts(home)["codel"]}, "call-up")
    assert chart.series[0].lost is not None
    assert (chart.series[0].lost > 0.0).all()
    assert "dead: nothing; 1,000 lost." in chart.in_words
    assert Drawn.of("delay", chart, "").png.startswith(b"\x89PNG")
    beyond = delays_beyond({"dead": dead}, "call-up")
    assert (beyond.series[0].y == 1.0).all(), "all take longer than any time"


def test_the_distribution_counts_what_was_lost_as_longer_than_any_time(home: Comparison) -> None:
    chart = delays_beyond(firsts(home), "call-up")
    for series, result in zip(chart.series, firsts(home).values(), strict=True):
        rows = result.tables["datagrams"].to_pandas()
        (sent, received) = rows[rows["group"] == "call-up"][["sent_packets", "received_packets"]].iloc[0]
        sent_s, delay_ms = naive(result, "call-up")
        measured = delay_ms[(sent_s >= 4.0) & (sent_s < 24.0)]
        for at in range(0, chart.x.size, 20):
            longer = (np.sum(measured > chart.x[at]) + sent - received) / sent
            assert np.nan_to_num(series.y[at]) == pytest.approx(longer, abs=1.0 / sent)


def rows_of(bars: Bars) -> dict[tuple[str, str], BarRow]:
    return {(group.name, row.name): row for group in bars.groups for row in group.rows}


def test_bars_of_delays_are_the_percentiles_of_the_packets(home: Comparison) -> None:
    rows = rows_of(delay_bars(home))
    assert set(rows) == {(group, name) for group in ("call, up", "call, down") for name in home.names}
    for (group, name), row in rows.items():
        each = []
        for result in home.results[name]:
            if "datagram_arrivals" not in result.tables:
                continue
            sent_s, delay_ms = naive(result, group.replace(", ", "-"))
            measured = delay_ms[(sent_s >= 4.0) & (sent_s < 24.0)]
            each.append(np.percentile(measured, [50, 95, 99]))
        drawn = [bar.value for bar in row.bars]
        # Delays are kept in bins a thousandth wide; of a mean over two runs both lie within.
        np.testing.assert_allclose(drawn, np.mean(each, axis=0), rtol=0.02)
        assert drawn == [
            home.level(name, f"delay_p{p}_ms/datagrams.{group.replace(', ', '-')}").mean for p in (50, 95, 99)
        ]


def test_shares_are_what_was_delivered_to_each_device(home: Comparison) -> None:
    rows = rows_of(share_bars(home))
    for name in home.names:
        delivered = [
            8e-6 * sum(flow["delivered_bytes"]) / 20.0
            for result in home.results[name]
            for flow in result.run["flows"]
            if flow["name"] == "backup"
        ]
        up = rows["laptop", name].bars[1]
        assert up.value == pytest.approx(np.mean(delivered))
        assert math.isnan(rows["laptop", name].bars[0].value), "nothing goes down to it"
        of_phone = [bar.value for bar in rows["phone", name].bars]
        assert of_phone == pytest.approx([0.08, 0.08], abs=0.004)


def test_a_comparison_keeps_single_datagrams_of_its_first_seed_alone() -> None:
    scenario = aqmlab.Scenario.from_toml(HOME.replace("datagrams = true", ""), overrides={"duration_s": 12.0})
    found = aqmlab.compare(scenario, schemes=["drop-tail", "pie"], seeds=[3, 4])
    for first, second in found.results.values():
        assert "datagram_arrivals" in first.tables
        assert "datagram_arrivals" not in second.tables


def test_too_many_datagrams_are_not_kept_one_by_one() -> None:
    scenario = aqmlab.Scenario.from_toml(HOME.replace("datagrams = true", ""))
    few, many = (replaced(scenario, rate_mbps) for rate_mbps in (0.08, 200.0))
    assert running._with_single_datagrams(few).resolved["record"]["datagrams"]
    # 200 Mbit/s in packets of 200 bytes are 125,000 a second.
    assert running._with_single_datagrams(many) is many


def replaced(scenario: aqmlab.Scenario, rate_mbps: float) -> aqmlab.Scenario:
    return scenario.with_overrides({"datagrams.0.rate_mbps": rate_mbps})


def test_a_folder_with_single_datagrams_of_one_seed_is_one_comparison(tmp_path: Path) -> None:
    text = HOME.replace("datagrams = true", "").replace("duration_s = 30.0", "duration_s = 12.0")
    (tmp_path / "home.toml").write_text(text)
    arguments = ("home.toml", "--schemes", "drop-tail,pie", "--seeds", "1-2", "--output", "out")
    made = aqmlab_run("compare", *arguments, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert {name: len(runs) for name, runs in read_configurations([tmp_path / "out"]).items()} == {
        "drop-tail": 2,
        "pie": 2,
    }
    text = (tmp_path / "out/report.html").read_text()
    header = text.split("</header>")[0]
    assert header.index("<table") < header.index("Delay under load: call, up")
    for again in (("report", "out"), ("plot", "out", "--what", "delay", "--output", "delay.csv")):
        made = aqmlab_run(*again, cwd=tmp_path)
        assert made.returncode == 0, made.stderr
    assert (tmp_path / "out/report.html").read_text() == text
    rows = list(csv.reader(io.StringIO((tmp_path / "delay.csv").read_text())))
    assert rows[0][:5] == ["time, s", "drop-tail", "drop-tail.lower", "drop-tail.upper", "drop-tail.lost"]


def charts_of(text: str) -> dict[str, dict[str, object]]:
    found = re.findall(r'<script type="application/json">(.*?)</script>', text, re.DOTALL)
    return {each["title"]: each for each in map(json.loads, found)}


def test_charts_of_a_page_that_share_their_places_write_them_once(home: Comparison) -> None:
    charts = charts_of(render(page_of(home))).values()
    grids: dict[object, int] = {}
    for chart in charts:
        x = chart["x"]
        assert isinstance(x, dict)
        grids[x["grid"]] = grids.get(x["grid"], 0) + ("values" in x)
    assert len(grids) < len(charts)
    assert set(grids.values()) == {1}


@pytest.mark.parametrize("queues", [1, 2, 4, 5, 12])
def test_however_many_queues_there_are_each_has_its_look_and_its_name(home: Comparison, queues: int) -> None:
    names = [f"queue {place}" for place in range(queues)]
    result = firsts(home)["drop-tail"]
    chart = delay_over_time(dict.fromkeys(names, result), "call-up")
    looks = {(each.look.colour, each.look.pattern) for each in chart.series}
    assert len(looks) == queues
    assert chart.apart == (queues > 4), "they would hide one another"
    svg = Drawn.of("delay", chart, "").svg
    assert all(f">{name}</text>" in svg for name in names) or queues == 1
    found = Comparison.of(dict.fromkeys(names, home.results["drop-tail"]))
    assert len(render(page_of(found))) > 10_000
    assert len(rows_of(delay_bars(found))) == 2 * queues


def test_a_bad_baseline_and_one_seed_are_drawn(home: Comparison) -> None:
    found = home.against("fq-codel")
    assert found.names[0] == "fq-codel"
    text = render(page_of(found))
    assert "Delay under load: call, " in text
    alone = Comparison.of({name: runs[:1] for name, runs in home.results.items()})
    text = render(page_of(alone))
    assert "Too few runs for confidence intervals" in text
    assert all(bar.ends is None for row in rows_of(share_bars(alone)).values() for bar in row.bars)


def test_without_calls_the_queue_is_shown_and_without_pages_none() -> None:
    web = {
        "a": [aqmlab.run(WEB, seed=1)],
        "b": [aqmlab.run(WEB, seed=1, overrides={"dumbbell.queue.limit_packets": 9})],
    }
    found = Comparison.of(web)
    assert heard_group(found) == ""
    bars = delay_bars(found)
    assert bars.title == "Waiting time in the queue"
    text = render(page_of(found))
    assert "How long people wait for a page" in text.split("</header>")[0]
    assert "Delay under load: " not in text
    with pytest.raises(MissingDataError, match="--what waiting"):
        aqmlab.plot(web, "delay")
    bulk = Comparison.of({"a": [aqmlab.run(BULK)]})
    with pytest.raises(MissingDataError, match="nobody waited for a page"):
        page_bars(bulk)
    assert "Who got how much" in render(page_of(bulk))


def test_a_call_that_is_dead_says_so_at_its_bars(home: Comparison) -> None:
    rows = home.results["codel"][0].tables["datagrams"]
    sent = rows["sent_packets"]
    nothing = pa.array(np.zeros(rows.num_rows), type=pa.uint64())
    unknown = pa.array([None] * rows.num_rows, type=pa.float64())
    for name in rows.column_names:
        place = rows.column_names.index(name)
        if name.startswith(("received_", "arrived_", "under_way_")) and name.endswith(("packets", "bytes")):
            rows = rows.set_column(place, name, nothing)
        elif name == "lost_packets":
            rows = rows.set_column(place, name, sent)
        elif name.startswith("delay_"):
            rows = rows.set_column(place, name, unknown)
    dead = [Changed(each, {"datagrams": rows}) for each in home.results["codel"]]
    found = Comparison.of({"alive": home.results["drop-tail"], "dead": dead})
    bars = delay_bars(found)
    of_dead = [row for (_, name), row in rows_of(bars).items() if name == "dead"]
    assert of_dead
    for row in of_dead:
        assert row.note == NOTHING_ARRIVES
        assert all(math.isnan(bar.value) for bar in row.bars)
    least, most = bars.ends
    assert (least, most < 1000.0) == (0.0, True), "the axis ends where data end"
    assert NOTHING_ARRIVES in render(page_of(found))


def test_a_run_too_short_to_have_a_second_is_drawn(tmp_path: Path) -> None:
    overrides = {"duration_s": 3.0, "warm_up_s": 2.0, "cool_down_s": 0.5}
    scenario = aqmlab.Scenario.from_toml(HOME, overrides=overrides)
    short = {name: [aqmlab.run(scenario, seed=1)] for name in ("a", "b")}
    chart = aqmlab.plot(short, "delay").chart
    assert isinstance(chart, Chart)
    assert chart.x.size == 5, "half a second in tenths"
    for kind in ("delay", "delay-ccdf", "delay-bars", "shares"):
        assert aqmlab.plot(short, kind).save(tmp_path / f"{kind}.png").stat().st_size > 1000
    assert "Delay under load" in render(page_of(Comparison.of(short)))


@pytest.mark.parametrize("what", ["delay", "delay-bars"])
def test_a_figure_is_as_wide_as_is_wanted_with_letters_of_that_size(home: Comparison, what: str) -> None:
    figure = aqmlab.plot(home, what)._drawn._printed(PrintSize.of("3.33in", 8.0))
    assert figure.get_figwidth() == pytest.approx(3.33)
    texts = [each for axes in figure.axes for each in (*axes.texts, *axes.get_xticklabels())]
    sizes = {round(float(each.get_fontsize()), 1) for each in texts if each.get_text()}
    assert max(sizes) <= 9.0, "words that stand at the head are a little larger"
    assert 8.0 in sizes or 7.3 in sizes


@pytest.mark.parametrize(
    ("width", "inches"),
    [("3.33in", 3.33), ("8.5cm", 8.5 / 2.54), ("85mm", 8.5 / 2.54), ("241.3 pt", 3.339), (4.0, 4.0)],
)
def test_widths_are_understood_with_their_units(width: str | float, inches: float) -> None:
    assert PrintSize.of(width).width_inches == pytest.approx(inches, rel=1e-3)


@pytest.mark.parametrize("width", ["wide", "3 furlongs", "0.1in", "3m", "400in"])
def test_other_widths_are_refused(width: str) -> None:
    with pytest.raises(PlotError, match="legal: 2in to 20in, also in cm, mm or pt"):
        PrintSize.of(width)


def test_a_figure_for_latex_is_written_where_there_is_latex_and_else_refused(tmp_path: Path) -> None:
    runs = {"a": [aqmlab.run(WEB, seed=1)]}
    file = tmp_path / "pages.pgf"
    if any(map(shutil.which, ("xelatex", "lualatex", "pdflatex"))):
        assert b"pgfpicture" in aqmlab.plot(runs, "pages").save(file).read_bytes()
    else:
        with pytest.raises(PlotError, match=r"measured by LaTeX, and none of .* is here; legal: a \.pdf"):
            aqmlab.plot(runs, "pages").save(file)
        assert not file.exists()


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here")
@pytest.mark.parametrize("what", ["delay", "delay-bars", "delay-ccdf", "shares", "goodput"])
def test_latex_sets_a_figure_whatever_its_words_are(what: str, home: Comparison, tmp_path: Path) -> None:
    named = {"my_red & more": home.results["codel"], "50 % of #1 {x} ~ ^2": home.results["fq-codel"]}
    aqmlab.plot(named, what, title=r"a_b $x$ \y").save(tmp_path / "figure.pgf", width="3.33in", font_points=8)
    (tmp_path / "paper.tex").write_text(
        r"\documentclass{article}\usepackage{pgf}\begin{document}\input{figure.pgf}\end{document}"
    )
    run = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Output written on paper.pdf (1 page" in done.stdout
    assert "Overfull" not in done.stdout


def test_what_latex_reads_has_its_letters_and_its_words(
    home: Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a LaTeX here another measures the texts; what is written is for LaTeX alone."""

    class Measured:
        def get_width_height_descent(self, text: str, prop: object) -> tuple[float, float, float]:
            del prop
            return 4.0 * len(text), 8.0, 2.0

    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(backend_pgf.LatexManager, "_get_cached_or_new", classmethod(lambda _: Measured()))
    named = {"my_red & more": home.results["codel"], "50 %": home.results["fq-codel"]}
    file = aqmlab.plot(named, "delay").save(tmp_path / "delay.pgf", width="3.33in", font_points=8)
    text = re.sub(r"(?m)^%%.*$", "", file.read_text())
    assert r"\begin{pgfpicture}" in text
    assert r"my\_red \& more" in text
    assert "50 %" in text, "of which Matplotlib sees to the sign"
    assert {float(each) for each in re.findall(r"\\fontsize\{([\d.]+)\}", text)} == {8.0}
    width = float(re.findall(r"\\pgfqpoint\{([\d.]+)in\}\{[\d.]+in\}", text)[0])
    assert width == pytest.approx(3.33)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--what", "delay", "--group", "nobody"),
            'no group of datagrams "nobody"; legal: call-up, call-down',
        ),
        (("--what", "pages", "--group", "call-up"), "only with --what delay or delay-ccdf"),
        (("--what", "delay", "--width", "1in"), "legal: 2in to 20in"),
        (("--what", "delay", "--font", "99"), "legal: 4pt to 24pt"),
        (("--what", "delay", "--tex", "--output", "a.pdf"), "with --tex a .pgf"),
        (("--what", "page-bars"), "nobody waited for a page"),
    ],
)
def test_what_cannot_be_drawn_is_refused(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    overrides = {"duration_s": 3.0, "warm_up_s": 2.0, "cool_down_s": 0.5}
    aqmlab.run(aqmlab.Scenario.from_toml(HOME, overrides=overrides)).save(tmp_path / "home")
    made = aqmlab_run("plot", "home", *arguments, cwd=tmp_path)
    assert made.returncode == 2
    assert message in " ".join(made.stderr.split()), made.stderr


def test_runs_without_single_datagrams_say_what_to_set(home: Comparison) -> None:
    bare = {name: [without_single_datagrams(runs[0])] for name, runs in home.results.items()}
    with pytest.raises(MissingDataError, match=r"record\.datagrams"):
        aqmlab.plot(bare, "delay")
    text = render(page_of(Comparison.of(bare)))
    assert "Delay over time is not shown: " in text


def without_single_datagrams(result: aqmlab.Result) -> Changed:
    changed = Changed(result, {})
    changed.tables = {name: rows for name, rows in changed.tables.items() if name != "datagram_arrivals"}
    return changed
