"""`aqmlab plot`: each kind of figure, each form, and what is refused."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

import aqmlab
from aqmlab.cli.plot import WHAT
from aqmlab.errors import MissingDataError, UnknownLinkError
from aqmlab.show.figures.over_time import OF_SENDERS
from aqmlab.show.figures.plots import BARS, CHARTS, KINDS, OF_DATAGRAMS, chart_of
from aqmlab.statistics import Pages, page_load_times
from people import three
from small import BULK, WEB, aqmlab_run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(name="folder", scope="module")
def two_seeds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plot")
    for seed in (1, 2):
        aqmlab.run(WEB, seed=seed).save(folder / f"web/seed-{seed}")
    aqmlab.run(BULK).save(folder / "bulk")
    aqmlab.run(BULK + "[record]\ncongestion_window_interval_ms = 50.0\n").save(folder / "windows")
    return folder


def test_the_command_offers_what_can_be_drawn() -> None:
    assert tuple(CHARTS) == ("cdf", "ccdf", "pages", "queue", "waiting", "utilization")
    assert WHAT == KINDS == (*CHARTS, *OF_DATAGRAMS, *BARS, *OF_SENDERS, "state")


def test_the_state_of_a_scheme_is_drawn_by_the_name_of_a_quantity(tmp_path: Path) -> None:
    text = BULK + "[record]\nscheme_state_interval_ms = 100.0\n"
    queue = {
        "dumbbell.queue": {"scheme": "red", "limit_packets": 60, "min_th_packets": 5, "max_th_packets": 15}
    }
    result = aqmlab.run(aqmlab.Scenario.from_toml(text, overrides=queue))
    chart = chart_of("state", {"red": [result]}, quantity="average_packets")
    rows = result.tables["scheme_state"].to_pandas()
    rows = rows[(rows["link"] == "left-to-right") & (rows["quantity"] == "average_packets")]
    assert chart.y_axis.label == "average packets"
    np.testing.assert_allclose(chart.series[0].y, rows["value"])
    with pytest.raises(MissingDataError, match=r'has no variable "fame"; legal: .*average_packets'):
        chart_of("state", {"red": [result]}, quantity="fame")
    result.save(tmp_path / "red")
    for words, message in (
        (("--what", "state"), 'has no variable "";'),
        (("--what", "queue", "--quantity", "fame"), "only with --what state"),
    ):
        made = aqmlab_run("plot", "red", *words, cwd=tmp_path)
        assert made.returncode == 2, made.stderr
        assert message in made.stderr


def test_each_kind_draws_what_it_says() -> None:
    results = three()
    labels = {
        "cdf": ("response time, s", "responses complete, %"),
        "ccdf": ("response time, s", "share taking longer"),
        "pages": ("page load time, s", "pages loaded, %"),
        "queue": ("time, s", "queue, packets"),
        "waiting": ("time, s", "waiting time, ms"),
        "utilization": ("time, s", "link busy, %"),
    }
    for what, (x, y) in labels.items():
        chart = chart_of(what, results)
        assert (chart.x_axis.label, chart.y_axis.label) == (x, y)
        assert [each.name for each in chart.series] == list(results)
    pages = chart_of("pages", results)
    runs = [page_load_times(run, Pages.FOLLOWED) for run in results["today"]]
    np.testing.assert_allclose(pages.series[0].y, 100.0 * np.mean([run.cdf(pages.x) for run in runs], axis=0))
    queue = chart_of("queue", results, link="left-to-right")
    assert queue.series[0].y[0] == results["today"][0].tables["queue"]["packets"][0].as_py()
    # Packets of 1,500 bytes with 38 of framing take 0.12304 ms each at 100 Mbit/s.
    waiting = chart_of("waiting", results, link="left-to-right")
    np.testing.assert_allclose(waiting.series[0].y, 0.12304 * queue.series[0].y)
    with pytest.raises(UnknownLinkError, match="nowhere"):
        chart_of("queue", results, link="nowhere")


def test_a_seed_without_a_page_under_one_queue_is_left_out_of_all_and_said() -> None:
    results = {name: list(runs) for name, runs in three().items()}
    bare = results["better"][2]
    histogram = bare.tables["page_histogram"]
    results["better"][2] = replace(bare, tables={**bare.tables, "page_histogram": histogram.slice(0, 0)})
    pages = chart_of("pages", results)
    assert pages.title == "Pages, without 1 seed in which no page began"
    for name, series in zip(results, pages.series, strict=True):
        kept = [page_load_times(run, Pages.FOLLOWED) for place, run in enumerate(results[name]) if place != 2]
        np.testing.assert_allclose(series.y, 100.0 * np.mean([run.cdf(pages.x) for run in kept], axis=0))
    with pytest.raises(MissingDataError, match="today: no seed is left: in each no page began"):
        chart_of("pages", {name: runs[2:3] for name, runs in results.items()})


@pytest.mark.parametrize(
    ("file", "begin"),
    [("a.svg", b"<svg"), ("a.pdf", b"%PDF"), ("a.PNG", b"\x89PNG"), ("a.csv", b'"page load')],
)
def test_the_ending_says_the_form(folder: Path, file: str, begin: bytes) -> None:
    made = aqmlab_run("plot", "web", "--what", "pages", "--output", file, cwd=folder)
    assert (made.returncode, made.stdout.strip()) == (0, file), made.stderr
    assert (folder / file).read_bytes().startswith(begin)


def test_the_numbers_of_a_figure_are_those_of_the_run(folder: Path) -> None:
    made = aqmlab_run("plot", "web/seed-1", "--what", "utilization", "--output", "busy.csv", cwd=folder)
    assert made.returncode == 0, made.stderr
    rows = list(csv.reader(io.StringIO((folder / "busy.csv").read_text())))
    assert rows[0] == ["time, s", "web"]
    link = aqmlab.Result.load(folder / "web/seed-1").link.to_pandas()
    share = link[link["link"] == "left-to-right"]["utilization"].to_numpy(np.float64)
    # Twenty intervals of a second, each of ten samples.
    np.testing.assert_allclose(
        [float(row[1]) for row in rows[1:]], 100.0 * share.reshape(20, 10).mean(axis=1)
    )


def test_congestion_windows_are_those_of_all_flows_at_each_instant(folder: Path) -> None:
    made = aqmlab_run("plot", "windows", "--what", "cwnd", "--output", "cwnd.csv", cwd=folder)
    assert made.returncode == 0, made.stderr
    rows = list(csv.reader(io.StringIO((folder / "cwnd.csv").read_text())))
    assert rows[0][:2] == ["time, s", "two flows"]
    windows = aqmlab.Result.load(folder / "windows").tables["congestion_windows"].to_pandas()
    at_once = windows.groupby("time_s")["congestion_window_bytes"]
    assert set(at_once.size()) <= {1, 2}
    drawn = np.array([[float(number or "nan") for number in row[1:4]] for row in rows[1:]])
    drawn = drawn[~np.isnan(drawn[:, 0])]
    expected = np.column_stack([at_once.mean(), at_once.min(), at_once.max()]) / 1e3
    np.testing.assert_allclose(drawn, expected)


@pytest.mark.parametrize("what", sorted(OF_SENDERS))
def test_what_senders_keep_is_drawn_in_the_units_of_its_axis(folder: Path, what: str) -> None:
    result = aqmlab.Result.load(folder / "windows")
    column, factor, label = OF_SENDERS[what]
    rows = result.tables["congestion_windows"].to_pandas()
    assert {"kB": 1e-3, "ms": 1e3, "s": 1.0}[label.rsplit(" ", 1)[1]] == factor
    known = rows[rows[column].notna()]
    at_once = known.groupby("time_s")[column].max() * factor
    chart = chart_of(what, {"own": [result]})
    assert chart.y_axis.label == label
    (series,) = chart.series
    assert series.upper is not None
    np.testing.assert_allclose(np.nanmax(series.upper), at_once.max())


def test_chosen_flows_have_a_line_each(folder: Path) -> None:
    result = aqmlab.Result.load(folder / "windows")
    rows = result.tables["congestion_windows"].to_pandas()
    (group,) = rows["flow_group"].unique()
    chosen = [f"{group}:0", f"{group}:1"]
    made = aqmlab_run(
        "plot", "windows", "--what", "cwnd", "--flows", ",".join(chosen), "--output", "two.csv", cwd=folder
    )
    assert made.returncode == 0, made.stderr
    drawn = list(csv.DictReader(io.StringIO((folder / "two.csv").read_text())))
    for number, name in enumerate(chosen):
        own = rows[rows["flow"] == number].set_index("time_s")["congestion_window_bytes"] / 1e3
        line = np.array([float(row[name]) for row in drawn if row[name]])
        np.testing.assert_allclose(line[: own.size], own.to_numpy()[: line.size])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("windows", "--what", "cwnd", "--flows", "nobody"), 'no group of flows "nobody"; legal: '),
        (("windows", "--what", "rtt", "--flows", "flows-0:7"), 'flows-0:7"; legal: flows-0:0 to flows-0:1'),
        (("windows", "--what", "queue", "--flows", "nobody"), "only with --what cwnd, ssthresh, rtt, rto"),
        (("web", "--what", "cwnd"), "record.congestion_window_interval_ms"),
        (("web", "--what", "cdf", "--output", "a.jpg"), "legal endings: .svg, .pdf, .png, .pgf, .csv"),
        (("web", "--what", "queue", "--link", "nowhere"), 'no monitored link "nowhere"'),
        (("bulk", "--what", "pages"), "bulk"),
        (("bulk", "--what", "cdf"), "no exchange ended in the measured window"),
        (("web/seed-1", "bulk", "--what", "queue"), "what is measured"),
        (("nowhere", "--what", "cdf"), "nowhere: there is no such folder"),
        (("web",), "Missing option '--what'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    made = aqmlab_run("plot", *arguments, cwd=folder)
    assert made.returncode == 2
    assert message in " ".join(made.stderr.split()), made.stderr
    assert "Traceback" not in made.stderr
