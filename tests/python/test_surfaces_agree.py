"""One word, one number: run, compare, sweep, data frames, CSV, JSON, summaries and play show the same."""

from __future__ import annotations

import csv
import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import aqmlab
from aqmlab.comparison.change import Inference, Level, Values
from aqmlab.inference.replication import Interval
from aqmlab.show.objects.crossvalidation import crossvalidation_table
from aqmlab.show.objects.sweep import results_table
from aqmlab.show.play.measured import measurement
from aqmlab.show.tables.comparison import comparison_records, comparison_table, level_in_print, notes
from aqmlab.show.tables.render import as_plain_text
from aqmlab.show.tables.results import result_tables
from aqmlab.statistics.catalogue import OF_SEARCHES, headline_of_all, shown_of_all
from aqmlab.statistics.observation import Bound, Observation
from aqmlab.statistics.quantities import Measured, by_name
from aqmlab.statistics.run_summary import figures
from aqmlab.study.crossvalidation import compared
from aqmlab.study.tuning.candidates import Candidate
from aqmlab.tables import save

if TYPE_CHECKING:
    from pathlib import Path

SMALL_HOUSEHOLD = {
    "name": "small household",
    "duration_s": 24.0,
    "warm_up_s": 4.0,
    "cool_down_s": 4.0,
    # Two rates, so that no mean of both directions is taken for a number; a buffer in which calls suffer.
    "dumbbell": {
        "rate_mbps": 8.0,
        "rate_right_to_left_mbps": 1.0,
        "queue": {"scheme": "drop-tail", "limit_packets": 60},
        "queue_right_to_left": {"scheme": "drop-tail", "limit_packets": 40},
    },
    "users": {
        "left": 0,
        "right": 3,
        "model": {"model": "pages", "think_time_median_seconds": 2.0},
        "profile": "linux6-cubic",
    },
    "flows": [{"name": "backup", "count": 2, "direction": "right-to-left", "profile": "linux6-cubic"}],
    "datagrams": [
        {
            "name": "call",
            "count": 1,
            "direction": "right-to-left",
            "packet_bytes": 200,
            "rate_mbps": 0.08,
        }
    ],
}
SEED = 2


@pytest.fixture(scope="module")
def found() -> aqmlab.Comparison:
    """One seed, so that a level is the number of its run."""
    return aqmlab.compare(SMALL_HOUSEHOLD, schemes=["drop-tail", "fq-codel"], seeds=[SEED])


def seen(found: aqmlab.Comparison, name: str) -> dict[str, Observation]:
    """What the run of a configuration says of all that is shown of it, by the quantity."""
    [result] = found.results[name]
    run = Measured(result, found.links)
    shown = {each.name: each for each in shown_of_all([result], found.links)}
    return {each: quantity.observed(run) for each, quantity in shown.items()}


def test_people_calls_flows_and_links_are_shown_and_a_mean_of_two_rates_is_not(
    found: aqmlab.Comparison,
) -> None:
    shown = seen(found, "drop-tail")
    whats = {name.partition("/")[0] for name in shown}
    assert {"page_followed_p50_s", "response_p50_s", "voice_mos", "goodput_mbps", "loss_percent"} <= whats
    both = [name for name in shown if name in {"throughput_mbps", "utilization_percent", "queue_mean_ms"}]
    assert len(found.links) == 1 or both == []


@pytest.mark.parametrize("name", ["drop-tail", "fq-codel"])
def test_data_frames_show_what_compare_shows(found: aqmlab.Comparison, name: str) -> None:
    own = aqmlab.frame(found).to_pylist()
    of_comparison = found.to_arrow().to_pylist()
    expected = {quantity: each for quantity, each in seen(found, name).items() if each.is_known}
    for rows in (own, of_comparison):
        rows_of = {row["quantity"]: row for row in rows if row["configuration"] == name}
        assert expected.keys() <= rows_of.keys()
        for quantity, each in expected.items():
            row = rows_of[quantity]
            assert (row["at_least"], row["at_most"]) == ends(each), quantity
            assert row["value"] == (each.lower if each.is_exact else math.inf), quantity


@pytest.mark.parametrize("name", ["drop-tail", "fq-codel"])
def test_csv_and_json_show_the_same_and_no_bound_as_a_mean(
    found: aqmlab.Comparison, name: str, tmp_path: Path
) -> None:
    save(comparison_records(found), tmp_path / "comparison.csv")
    with (tmp_path / "comparison.csv").open() as file:
        in_csv = next(row for row in csv.DictReader(file) if row["configuration"] == name)
    in_json = json.loads(json.dumps(found.to_dict()))["configurations"][name]
    for quantity, each in seen(found, name).items():
        if not each.is_known:
            continue
        level = in_json[quantity]["level"]
        if each.is_exact:
            assert float(in_csv[f"{quantity}.mean"]) == pytest.approx(each.lower), quantity
            assert level["mean"] == pytest.approx(each.lower), quantity
        else:
            assert in_csv[f"{quantity}.mean"] == "", quantity
            assert level["mean"] is None, quantity
            at_least, at_most = ends(each)
            if at_least is not None:
                assert float(in_csv[f"{quantity}.at_least"]) == pytest.approx(at_least), quantity
                assert level["at_least"] == pytest.approx(at_least), quantity
            elif at_most is not None:
                assert float(in_csv[f"{quantity}.at_most"]) == pytest.approx(at_most), quantity


def test_a_sweep_prints_the_numbers_of_its_runs() -> None:
    swept = aqmlab.sweep(SMALL_HOUSEHOLD, grid={"dumbbell.rate_mbps": [8.0, 9.0]}, seeds=[SEED])
    table = results_table(swept.sweep, swept.runs)
    for row, point in zip(table.rows, swept.sweep.points, strict=True):
        [result] = swept.runs[point.index]
        cells = dict(zip([column.name for column in table.columns], row, strict=True))
        for quantity in headline_of_all([result]):
            each = quantity.observed(Measured(result))
            shown = cells[quantity.name].lines[0].text
            if each.is_exact:
                rounded = 0.51 * 10**-quantity.digits
                assert float(shown.replace(",", "")) == pytest.approx(each.lower, abs=rounded)
            elif each.is_known:
                assert shown[0] in "<>~", quantity.name


def test_a_sweep_calls_its_columns_what_compare_calls_its_rows(found: aqmlab.Comparison) -> None:
    swept = aqmlab.sweep(SMALL_HOUSEHOLD, grid={"dumbbell.rate_mbps": [8.0]}, seeds=[SEED])
    table = results_table(swept.sweep, swept.runs)
    heads = [(column.group, column.title) for column in table.columns[2:]]
    assert len(set(heads)) == len(heads), "two columns that nobody can tell apart"
    rows, of = [], ""
    for heading in (row[0].lines[0].text for row in comparison_table(found).rows):
        if heading.startswith("  "):
            rows.append((of, heading.strip()))
        of = of if heading.startswith("  ") else heading
    assert {("call", "voice MOS"), ("pages", "slowest loads in, s")} <= set(heads) & set(rows)
    said = table.caption.splitlines()
    assert "Pages: those that were waited for in the measured 16 s." in said
    assert "Slowest page: of each run; so few pages have no 95th percentile." in said
    assert {*said[:2]} <= {each.replace("; objects: what they are made of", "") for each in notes(found)}


def test_a_point_of_a_sweep_says_in_how_many_runs_there_were_pages() -> None:
    """One run with readers and one without."""
    swept = aqmlab.sweep(SMALL_HOUSEHOLD, grid={"dumbbell.rate_mbps": [8.0]}, seeds=[SEED])
    [point] = swept.sweep.points
    nobody = aqmlab.run(SMALL_HOUSEHOLD | {"users": {"left": 0, "right": 0}}, seed=SEED + 1)
    table = results_table(swept.sweep, {point.index: [*swept.runs[point.index], nobody]})
    cells = dict(zip([column.name for column in table.columns], table.rows[0], strict=True))
    assert cells["page_followed_p50_s"].lines[0].text.endswith(" (1/2)")
    assert "/" not in cells["voice_mos/datagrams.call"].lines[0].text
    assert "(1/2): in 1 of 2 runs; the others have no such number" in table.caption.splitlines()


def test_a_cross_validation_shows_what_compare_shows(found: aqmlab.Comparison) -> None:
    """Of one run beside another, as if that were a live one; bounds have their sign and are no mean."""
    [here], [there] = (found.results[name] for name in ("drop-tail", "fq-codel"))
    rows = list(compared([here], [there]))
    assert [row.quantity.name for row in rows] == [
        name
        for name in seen_of(here)
        if seen_of(here)[name].is_known and name in seen_of(there) and seen_of(there)[name].is_known
    ]
    table = crossvalidation_table(rows, title="")
    names = [column.name for column in table.columns]
    for row, cells in zip(rows, table.rows, strict=True):
        quantity = row.quantity
        shown = dict(zip(names, cells, strict=True))
        assert shown["quantity"].lines[0].text == quantity.short
        for column, run in (("simulated", here), ("live", there)):
            each = seen_of(run)[quantity.name]
            told = shown[column]
            if each.is_exact:
                assert told.value == pytest.approx(each.lower), quantity.name
            else:
                assert told.value is None, quantity.name
                assert told.lines[0].text[0] in "<>~", quantity.name


def seen_of(result: aqmlab.Result) -> dict[str, Observation]:
    """What a run says of all that is shown of it, by the quantity."""
    run = Measured(result)
    return {each.name: each.observed(run) for each in shown_of_all([result])}


def test_a_search_shows_what_compare_shows() -> None:
    """Of a candidate that was run with two seeds: geometric means of times, others plain, none of bounds."""
    both = aqmlab.compare(SMALL_HOUSEHOLD, schemes=["drop-tail", "fq-codel"], seeds=[SEED, SEED + 1])
    for name in both.names:
        runs = {run.seed: figures(run, links=both.links) for run in both.results[name]}
        means = Candidate("as given", {}, None, "scenario", fresh=runs).means(fresh=True)
        assert {each.name for each in OF_SEARCHES} <= means.keys()
        for quantity in OF_SEARCHES:
            level, shown = both.level(name, quantity), means[quantity.name]
            if level.bound:
                assert shown is None or math.isinf(shown), quantity.name
            else:
                assert shown == pytest.approx(level.mean), quantity.name


def test_play_draws_the_numbers_of_the_run(found: aqmlab.Comparison) -> None:
    [result] = found.results["fq-codel"]
    link = "right-to-left"
    drawn = measurement(result, link)
    numbers, summary = drawn["numbers"], result.summary.links[link]
    assert numbers["loss_percent"] == summary.loss_percent
    assert numbers["utilization_percent"] == summary.utilization_percent
    of_call: dict[str, Any] = drawn["datagrams"]["call"]
    for key, quantity in {"loss_percent": "loss_percent", "voice_mos": "voice_mos"}.items():
        assert of_call[key] == pytest.approx(result.value(f"{quantity}/datagrams.call"))


def ends(each: Observation) -> tuple[float | None, float | None]:
    """Both ends, none where infinite."""
    return tuple(end if math.isfinite(end) else None for end in (each.lower, each.upper))  # type: ignore[return-value]


# --- between two bounds: calls whose last packets were under way at the end ---


@pytest.fixture(scope="module")
def cut() -> aqmlab.Comparison:
    return aqmlab.compare(
        SMALL_HOUSEHOLD, schemes=["drop-tail", "fq-codel"], seeds="1-2", overrides={"cool_down_s": 0.0}
    )


CALL_MOS = "voice_mos/datagrams.call"


def test_a_number_between_two_bounds_has_both_of_them_everywhere_and_no_value(
    cut: aqmlab.Comparison, tmp_path: Path
) -> None:
    results = cut.results["drop-tail"]
    each = [by_name(CALL_MOS).observed(Measured(result)) for result in results]
    lower, upper = (sum(getattr(one, end) for one in each) / 2.0 for end in ("lower", "upper"))
    assert lower + 0.05 < upper < 4.5, "the last packets are lost, or arrive"
    rows = [row for row in aqmlab.frame(cut, [CALL_MOS]).to_pylist() if row["configuration"] == "drop-tail"]
    assert [(row["value"], row["at_least"], row["at_most"]) for row in rows] == [
        (None, one.lower, one.upper) for one in each
    ]
    assert [result.value(CALL_MOS) for result in results] == [one.lower for one in each]
    save(comparison_records(cut), tmp_path / "comparison.csv")
    with (tmp_path / "comparison.csv").open() as file:
        [in_csv] = [row for row in csv.DictReader(file) if row["configuration"] == "drop-tail"]
    assert in_csv[f"{CALL_MOS}.mean"] == ""
    assert float(in_csv[f"{CALL_MOS}.at_least"]) == pytest.approx(lower)
    assert float(in_csv[f"{CALL_MOS}.at_most"]) == pytest.approx(upper)
    assert float(in_csv[f"{CALL_MOS}.minus_first.mean"]) == 0.0
    level = cut.to_dict()["configurations"]["drop-tail"][CALL_MOS]["level"]
    assert (level["mean"], level["at_least"], level["at_most"]) == (
        None, pytest.approx(lower), pytest.approx(upper),
    )  # fmt: skip
    printed = " ".join(cut.details().split())
    assert f"voice MOS {lower:.2f} to {upper:.2f}" in printed
    assert "a to b: between: what was under way at the end of a run leaves it open." in printed
    alone = " ".join(as_plain_text(table) for table in result_tables(results[0]))
    assert "a to b: between, as some were under way at the end" in " ".join(alone.split())
    assert "~" not in printed + alone


def test_where_all_arrived_nothing_is_said_of_bounds(found: aqmlab.Comparison) -> None:
    assert "a to b" not in str(found)
    alone = " ".join(as_plain_text(table) for table in result_tables(found.results["drop-tail"][0]))
    assert "under way at the end;" in " ".join(alone.split())
    assert "a to b" not in alone


@pytest.mark.parametrize(
    ("lower", "upper", "written"),
    [
        (3.9, 3.9, "3.9"),
        (1.0, math.inf, ">1.0"),
        (-math.inf, 3.9, "<3.9"),
        (1.0, 3.9, "1.0 to 3.9"),
        (3.92, 3.94, "3.9"),
        (math.nan, math.nan, "–"),
    ],
)
def test_an_observation_is_written_in_one_way(lower: float, upper: float, written: str) -> None:
    assert Observation(lower, upper).written(lambda value: f"{value:.1f}") == written


def test_six_runs_between_two_bounds_have_an_interval_around_both() -> None:
    # Ends 1 and 3 plus -1, 0, 1, -1, 0, 1: means 1 and 3, standard deviations of sqrt(4 / 5); Student's
    # 2.5706 for 5 degrees of freedom times sqrt(0.8 / 6) is 0.9387.
    off = np.array([-1.0, 0.0, 1.0, -1.0, 0.0, 1.0])
    level = Level.of(Values(1.0 + off, 3.0 + off), Inference(0.95))
    assert (level.bound, level.beyond, level.observed) == (Bound.BETWEEN, 6, Observation(1.0, 3.0))
    assert isinstance(level.estimate, Interval)
    assert level.estimate.lower == pytest.approx(0.0613, abs=1e-4)
    assert level.estimate.upper == pytest.approx(3.9387, abs=1e-4)
    assert level_in_print(level, by_name(CALL_MOS)) == "0.06 to 3.94"
