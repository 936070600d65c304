"""Results of older versions, kept in `older_results`, are opened by this one; others say why not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import aqmlab
from aqmlab.errors import LayoutError
from aqmlab.files.run_shape import FORMAT, OLDEST, as_written_today
from older_layouts import FOLDER, LAYOUTS
from small import aqmlab_run, contents

if TYPE_CHECKING:
    from pathlib import Path

KEPT = sorted(LAYOUTS)


def as_it_stands(place: Path) -> dict[str, Any]:
    """`run.json` without our reader."""
    run: dict[str, Any] = json.loads((place / "run.json").read_text(encoding="utf-8"))
    return run


def tables_in(place: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of each table without our reader: of a Parquet file for each, or of one Arrow file of all."""
    if not (file := place / "tables.arrow").is_file():
        return {each.stem: pq.read_table(each).to_pylist() for each in place.glob("*.parquet")}
    with pa.ipc.open_file(file) as opened:
        (row,) = opened.read_all().to_pylist()
    return dict(row)


def test_the_newest_of_the_kept_results_has_todays_layout() -> None:
    """Who changes the layout keeps a result of it here, and adds a step to the reader."""
    assert as_it_stands(FOLDER / f"layout-{FORMAT}" / "seed-1")["format"] == FORMAT
    assert {as_it_stands(FOLDER / name / "seed-1")["format"] for name in KEPT} == set(
        range(OLDEST, FORMAT + 1)
    )


@pytest.mark.parametrize("name", KEPT)
def test_a_kept_result_has_the_numbers_that_its_files_have(name: str) -> None:
    place = FOLDER / name / "seed-1"
    before = contents(place)
    result, run = aqmlab.Result.load(place), as_it_stands(place)
    assert result.run["format"] == FORMAT
    assert result.seed == run["seed"]
    assert result.version == run["aqmlab_version"]
    for link in run["links"]:
        counters = link["counters"]
        of = counters.get("at_risk", counters["arrived"])["packets"]
        lost = sum(each["packets"] for each in counters["discarded"].values())
        summary = result.summary.links[link["name"]]
        assert summary.loss_percent == pytest.approx(100.0 * lost / of)
        assert summary.loss_percent == pytest.approx(100.0 * link["loss_ratio"])
        assert summary.throughput_mbps == link["throughput_mbps"]
        assert summary.arrived_packets == counters["arrived"]["packets"]
    tables = tables_in(place)
    assert set(result.tables) == set(tables)
    for table, rows in tables.items():
        assert result.tables[table].to_pylist() == rows, table
    assert contents(place) == before


@pytest.mark.parametrize("name", KEPT)
def test_what_reads_results_reads_a_kept_one(name: str, tmp_path: Path) -> None:
    seeds = [FOLDER / name / "seed-1", FOLDER / name / "seed-2"]
    frame = aqmlab.frame(list(map(aqmlab.Result.load, seeds)))
    assert {"throughput_mbps", "loss_percent", "response_p50_s"} <= set(frame["quantity"].to_pylist())
    for command in (
        ("results", str(FOLDER / name)),
        ("report", *map(str, seeds), "--output", "report.html"),
        ("plot", *map(str, seeds), "--what", "waiting"),
        ("plot", *map(str, seeds), "--what", "cdf"),
        ("bundle", *map(str, seeds), "--output", "all.zip"),
    ):
        made = aqmlab_run(*command, cwd=tmp_path)
        assert made.returncode == 0, (command, made.stderr)


@pytest.mark.parametrize("name", KEPT)
def test_every_quantity_of_a_kept_result_is_a_number_or_says_what_is_missing(name: str) -> None:
    result = aqmlab.Result.load(FOLDER / name / "seed-1")
    found = 0
    for quantity in aqmlab.quantities():
        try:
            found += isinstance(result.value(quantity), float)
        except (aqmlab.MissingDataError, aqmlab.UnknownQuantityError):
            continue
    assert found > 20


def test_what_an_older_layout_means_otherwise_is_a_warning() -> None:
    told = {name: aqmlab.Result.load(FOLDER / name / "seed-1").warnings for name in KEPT}
    of_layout_2 = [
        each for each in told["layout-2"] if each.startswith("written in layout 2: shares of lost")
    ]
    assert len(of_layout_2) == 1
    without_capacity = "written before links had a capacity: loads are shares of their rates"
    assert [name for name in KEPT if without_capacity in told[name]] == ["layout-2", "layout-3-first"]
    for name in ("layout-3", "layout-3-arrow"):
        assert told[name] == as_it_stands(FOLDER / name / "seed-1")["warnings"]


def test_results_of_two_versions_are_not_compared() -> None:
    old, new = ([aqmlab.Result.load(FOLDER / name / "seed-1")] for name in ("layout-2", "layout-3"))
    with pytest.raises(aqmlab.ComparisonError, match="version"):
        aqmlab.compare({"old": old, "new": new})


@pytest.mark.parametrize(
    ("layout", "said"),
    [
        (FORMAT + 1, rf"layout {FORMAT + 1} of aqmlab 9, which is newer; .*; open it with a newer aqmlab"),
        (OLDEST - 1, rf"layout {OLDEST - 1} of aqmlab 9, which is too old; .*; run its scenario again"),
        (None, "layout None, which no version of aqmlab wrote"),
        ("3", "layout '3', which no version"),
        (True, "layout True, which no version"),
        (-1, "layout -1, which no version"),
        (2.0, "layout 2.0, which no version"),
    ],
)
def test_a_layout_that_is_not_read_says_what_to_do(layout: object, said: str) -> None:
    with pytest.raises(LayoutError, match=f"results/x: {said}") as refused:
        as_written_today({"format": layout, "aqmlab_version": "9"}, "results/x")
    assert f"reads layouts {OLDEST} to {FORMAT}" in str(refused.value)


@pytest.mark.parametrize(
    "damaged",
    [{}, {"links": 3}, {"links": [4, {"counters": 5}]}, {"links": [{"counters": {"by_class": {"x": 1}}}]}],
)
def test_what_is_no_run_passes_as_it_is_to_be_refused_by_its_shape(damaged: dict[str, Any]) -> None:
    made = as_written_today({"format": 2, **damaged}, "x")
    if isinstance(damaged.get("links"), list):
        assert len(made["links"]) == len(damaged["links"])
