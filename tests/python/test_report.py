import csv
import io
import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from rich.console import Console

from aqmlab import shown
from aqmlab.cli.numbers import Numbers
from aqmlab.papers.study import Study
from aqmlab.show.figures.bars import Bar, BarGroup, BarRow, Bars
from aqmlab.show.figures.chart import Axis
from aqmlab.show.figures.distributions import pooled_scatter
from aqmlab.show.figures.drawn import Drawn, PrintSize
from aqmlab.show.figures.printed import chart_figure
from aqmlab.show.figures.scene import Area
from aqmlab.show.papers.figures import ccdf_chart, cdf_chart, draw, line_of, looks_of, queue_trace
from aqmlab.show.papers.report import Parts, page_of, parts_of, render, warnings_of, write_report
from aqmlab.show.papers.reproduce import Reproduction
from aqmlab.show.report.page import Figure, inline_svg
from aqmlab.statistics.tidy import tidy_rows
from aqmlab.tables import Table
from people import a_run
from synthetic_results import LINKS, SyntheticResult, exchange_times, names, synthetic_result, synthetic_study

CELLS = ("uncongested", "drop-tail-240", "pi-24", "pi-24-ecn")
TIMEOUTS = dict(zip(CELLS, (0.0, 0.15, 0.1, 0.02), strict=True))


def queue_table() -> pa.Table:
    time_s = np.arange(30.0, 150.0, 0.5)
    packets = np.concatenate([10 + np.arange(time_s.size) % 5, np.full(time_s.size, 99)])
    return pa.table(
        {
            "time_s": np.concatenate([time_s, time_s]),
            "link": names(np.repeat([0, 1], time_s.size), LINKS),
            "packets": packets.astype(np.uint32),
        }
    )


def scatter(count: int) -> pa.Table:
    return pa.table(
        {
            "bytes_lower": [1000.0, 2000.0],
            "bytes_upper": [1200.0, 2400.0],
            "time_lower_s": [0.1, 1.0],
            "time_upper_s": [0.11, 1.1],
            "count": pa.array([count, 1], type=pa.uint64()),
        }
    )


@cache
def small_study(replications: int = 6) -> Study:
    def make(name: str, _: float, seed: int) -> SyntheticResult | None:
        if name not in CELLS:
            return None
        result = synthetic_result(
            seed=seed,
            times_s=exchange_times(seed, size=1500, timeouts=TIMEOUTS[name]),
            tables={"queue": queue_table(), "response_scatter": scatter(5)},
        )
        result.run["warnings"].append("the <queue> never filled")
        return result

    return synthetic_study(make, replications=replications, loads=(98.0,))


@pytest.fixture(scope="module")
def html() -> str:
    return render(parts_of(small_study()))


def test_the_report_is_one_self_contained_file(html: str) -> None:
    links = re.findall(r'(?:src|href)="([^"]*)"', html)
    assert {link.split(":")[0] for link in links if not link.startswith("#")} == {"data"}
    assert not re.search(r"<script[^>]* src=", html)
    assert "@import" not in html
    assert html.count("<svg") >= 4


def test_the_report_shows_verdicts_table_claims_and_provenance(html: str) -> None:
    for expected in (
        "Table 2: ours and the paper",
        "PI 24 + ECN",
        "better",
        "scale cannot judge",
        "L31",
        "Provenance",
        "synthetic",
        "1, 2, 3, 4, 5, 6",
    ):
        assert expected in html


def test_the_report_says_first_what_people_notice(html: str) -> None:
    # No pages were recorded in these runs: what is left is how long responses take.
    header = html.split("</header>", maxsplit=1)[0]
    assert re.search(r"Of \d+ cells compared with drop-tail 240 by how long responses take: ", header)
    assert html.index("</header>") < html.index("How much of it is reproduced") < html.index("Claims</h2>")


def test_with_pages_the_answer_is_about_pages_at_the_highest_load_that_fits() -> None:
    factors = {"drop-tail-240": 1.0, "pi-24": 0.5}

    def make(name: str, load: float, seed: int) -> SyntheticResult | None:
        return a_run(seed, factors[name] * load / 98.0, 5.0) if name in factors else None

    study = synthetic_study(make, replications=6, loads=(90.0, 98.0, 105.0))
    page = page_of(Parts(study, (), Table.of_records([]), Table.of_records([]), (), (), ()))
    assert page.answer[0] == ("Half of the pages load in 1.0 s with drop-tail 240 and 0.50 s with PI 24.")
    (figure,) = page.first
    assert isinstance(figure, Figure)
    assert figure.drawn.scene is not None
    drawn = {each.colour for each in figure.drawn.scene.items if isinstance(each, Area)}
    assert {line_of(name).colour for name in factors} <= drawn, "as the paper's figures have them"
    assert "Offered load 98 %" in page.under_title


def test_a_shade_of_a_hue_follows_the_style_of_the_page() -> None:
    look = line_of("pi-24-ecn")
    row = BarRow("a", look, (Bar(1.0),))
    groups = (BarGroup("", (row,)),)
    bars = Bars("t", Axis("time, s"), ("",), groups, str)
    svg = inline_svg(Drawn.of("a", bars, ""))
    assert "var(--shade-0)" in svg
    assert not re.search(r"#[0-9a-f]{6}", svg), "each colour is one of the page's"


def test_points_that_a_paper_prints_stand_beside_our_curve() -> None:
    def make(name: str, load: float, seed: int) -> SyntheticResult | None:
        return a_run(seed, 1.0, 5.0) if (name, load) == ("red-30-90", 90.0) else None

    study = synthetic_study(make, replications=2, loads=(90.0,), name="christiansen2000")
    row = study.published("red-30-90", 90.0)
    assert row is not None
    chart = cdf_chart(study, [("red-30-90", 90.0)], title="t")
    (printed,) = (each for each in chart.series if each.points)
    shown = {x: y for x, y in zip(chart.x, printed.y, strict=True) if np.isfinite(y)}
    within, between = (float(row.text[name]) for name in ("percent_le_1s", "percent_1_to_2s"))
    median_ms = float(row.text["median_response_ms"])
    assert shown == pytest.approx({1000.0: within, 2000.0: within + between, median_ms: 50.0})
    assert printed.name == "RED 30/90, the paper's"
    with_hosts = replace(study, experiment=replace(study.experiment, hosts="linux6-cubic"))
    chart = cdf_chart(with_hosts, [("red-30-90", 90.0)], title="t")
    assert not [each for each in chart.series if each.points], "no number of other hosts is the paper's"


def test_the_terminal_shows_table_and_verdicts() -> None:
    parts = parts_of(small_study(replications=2))
    console = Console(width=180, record=True, file=io.StringIO())
    console.print(Reproduction(parts, {}))
    text = console.export_text()
    assert "table 2: ours and the paper's" in text
    assert "what the paper says" in text
    assert re.search(r"\d+ not run: L\d\d, ", " ".join(text.split()))


def test_a_reproduction_as_json_has_what_the_paper_prints() -> None:
    study = small_study(replications=2)
    found = Reproduction(parts_of(study), {})
    written = Numbers(lambda: tidy_rows(()), lambda: shown.facts(found)).as_json()
    (cell,) = (each for each in study.cells if each[0] == "pi-24")
    row = study.published(*cell)
    assert row is not None
    numbers = [each for each in json.loads(written)["scored"] if each["name"] == study.label(cell)]
    assert [each["published"] for each in numbers] == list(row.values.values())


def test_text_from_runs_cannot_break_the_page(html: str) -> None:
    assert "the &lt;queue&gt; never filled" in html


def test_warnings_are_counted_and_those_of_the_uncongested_twin_left_out() -> None:
    texts = warnings_of(small_study())
    assert len(texts) == len(CELLS) - 1
    assert all(text.endswith("(6 runs)") for text in texts)
    assert not any(text.startswith("uncongested") for text in texts)


def test_the_same_results_give_the_same_bytes() -> None:
    study = small_study(replications=2)
    few = replace(study, experiment=replace(study.experiment, figures=study.experiment.figures[:8]))
    assert render(parts_of(few)) == render(parts_of(few))


def test_everything_is_written_and_nothing_half(tmp_path: Path) -> None:
    files = write_report(parts_of(small_study(replications=2)), tmp_path)
    assert {"report", "table 2", "claims", "figures"} <= files.keys()
    assert all(file.exists() for file in files.values())
    drawn = sorted(path.name for path in files["figures"].iterdir())
    assert {path.split(".")[0] for path in drawn} == {
        "figure-07",
        "figure-12",
        "figure-14",
        "figure-16",
        "figure-22",
        "figure-24",
        "figure-25",
        "figure-26",
        "figure-queue",
    }
    assert not list(tmp_path.glob(".*"))
    claims = list(csv.DictReader(io.StringIO((tmp_path / "claims.csv").read_text())))
    assert len(claims) == 32
    statements = list(csv.DictReader(io.StringIO((tmp_path / "statements.csv").read_text())))
    for claim in claims:
        found = [each["finding"] for each in statements if each["claim"] == claim["id"]]
        counted = [found.count(each) for each in ("holds", "differs", "scale cannot judge", "not run")]
        named = [int(claim[each]) for each in ("hold", "differ", "scale_cannot_judge", "not_run")]
        assert counted == named, claim
        assert len(found) == int(claim["statements"])


def test_bands_are_drawn_from_six_replications_on() -> None:
    captions = {n: {d.identifier: d.caption for d in draw(small_study(n))} for n in (5, 6)}
    assert captions[6]["12"] == "Mean of 6 replications; shaded: its 95 % interval at each time."
    assert captions[5]["12"] == "Mean of 5 replications, too few for intervals."


def test_axes_name_their_units() -> None:
    study = small_study(2)
    cells = [("uncongested", 98.0), ("pi-24", 98.0)]
    texts = words_of(Drawn.of("a", cdf_chart(study, cells, title="t"), ""))
    for text in ("response time", "0", "500 ms", "1 s", "2 s", "responses complete", "0 %", "100 %"):
        assert text in texts
    tail = ccdf_chart(study, cells, title="t")
    assert tail.x_axis.log
    assert tail.y_axis.log
    texts = words_of(Drawn.of("a", tail, ""))
    for text in ("response time", "10 ms", "1 s", "100 s", "100 %"):
        assert text in texts


def words_of(drawn: Drawn) -> list[str]:
    """What stands in a printed figure."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", drawn.svg)


def test_a_drawn_curve_is_the_mean_distribution_function() -> None:
    study = small_study(2)
    chart = cdf_chart(study, [("uncongested", 98.0), ("pi-24", 98.0)], title="t")
    line = next(each for each in chart.series if each.name == "PI 24")
    expected = 100.0 * float(np.mean([times.cdf(1.0) for times in study.times("pi-24", 98.0)]))
    assert line.y[np.isclose(chart.x, 1000.0)][0] == pytest.approx(expected)
    # In print it is the same line over the same axis.
    axes = chart_figure(chart, PrintSize()).axes[0]
    (drawn,) = (each for each in axes.lines if each.get_label() == "PI 24")
    np.testing.assert_array_equal(drawn.get_xdata(), chart.x)
    np.testing.assert_array_equal(drawn.get_ydata(), line.y)
    assert axes.get_ylim() == (0.0, 100.0)


def test_a_configuration_looks_alike_everywhere_and_unlike_others() -> None:
    names = (
        "drop-tail-24",
        "drop-tail-240",
        "drop-tail-2400",
        "pi-24",
        "pi-240",
        "pi-24-ecn",
        "rem-24",
        "ared-24",
        "red-24",
        "uncongested",
    )
    looks = [line_of(name) for name in names]
    assert len(set(looks)) == len(looks)
    assert line_of("something else").colour == "#7f7f7f"


def test_settings_of_one_scheme_are_told_apart_by_colour_though_a_scheme_has_one() -> None:
    settings = [("uncongested", 90.0), ("red-30-90", 90.0), ("red-30-90-w512-p4", 90.0), ("red-30-180", 90.0)]
    looks = looks_of(settings)
    assert len({look.colour for look in looks}) == 4
    assert looks[0] == line_of("uncongested")
    schemes = [("pi-24", 90.0), ("rem-24", 90.0)]
    assert looks_of(schemes) == [line_of("pi-24"), line_of("rem-24")]


def test_the_queue_trace_is_of_the_first_link_in_the_middle_of_the_window() -> None:
    time_s, packets = queue_trace(small_study(1).results("pi-24", 98.0)[0])
    assert time_s.min() >= 80.0
    assert time_s.max() <= 100.0
    assert packets.max() <= 14


def test_the_scatter_of_several_replications_is_their_sum() -> None:
    results = [SyntheticResult(synthetic_result().run, {"response_scatter": scatter(n)}) for n in (3, 4)]
    bytes_edges, time_edges, counts = pooled_scatter(results)
    np.testing.assert_array_equal(bytes_edges, [1000.0, 1200.0, 2000.0, 2400.0])
    assert time_edges.size == 4
    assert counts.sum() == 9.0
    assert counts[0, 0] == 7.0
