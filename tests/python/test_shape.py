"""Experiments, calibrations and results whose files are not of the shape they should have are refused."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import feather

import aqmlab
from altered_experiment import altered_experiment
from aqmlab import Result, ResultError
from aqmlab.errors import CalibrationError, ExperimentError
from aqmlab.load import Calibration, Line, LoadLine, Point
from aqmlab.papers import experiments
from aqmlab.statistics.run_summary import figures
from small import bulk
from test_result import made_up

if TYPE_CHECKING:
    from pathlib import Path

SLIPS = {
    "a misspelt key": (
        "warm_up_s = 30.0",
        "warm_upp_s = 15.0",
        "experiment.toml.scales.quick.warm_upp_s: unknown; did you mean",
    ),
    "a text for a number": (
        "duration_s = 180.0",
        'duration_s = "66"',
        "scales.quick.duration_s: a number, not '66'",
    ),
    "no number": ("duration_s = 180.0", "duration_s = nan", "scales.quick.duration_s: a number, not nan"),
    "half a replication": (
        "replications = 6",
        "replications = 0.5",
        "replications: a whole number from 1, not 0.5",
    ),
    "a table for a list": (
        "loads_percent = [80.0, 90.0, 98.0, 105.0]",
        "loads_percent = {}",
        "loads_percent: a list",
    ),
    "an unknown figure": ('kind = "calibration"', 'kind = "pie"', "figures[1].kind: "),
    "a cell twice": (
        'name = "drop-tail-24"',
        'name = "uncongested"',
        "configurations: 'uncongested' appears twice",
    ),
    "a variant of nothing": (
        'of = ["drop-tail-240"]',
        'of = ["drop-tail-241"]',
        'variant updates-each-segment: there is no configuration "drop-tail-241"; did you mean',
    ),
    "a variant twice": (
        'suffix = "ring-256"',
        'suffix = "no-ring"',
        "configurations and variants: 'drop-tail-24-no-ring' appears twice",
    ),
    "an unknown tolerance": ('tolerance = "loss_percent"', 'tolerance = "loss"', 'no tolerance "loss"'),
    "another file": (
        'file = "published_table2.csv"',
        'file = "nowhere.csv"',
        "nowhere.csv: there is no such file",
    ),
}


@pytest.mark.parametrize("what", SLIPS)
def test_a_slip_in_an_experiment_is_told_with_its_key(what: str, tmp_path: Path) -> None:
    old, new, message = SLIPS[what]
    folder = altered_experiment("le2003", tmp_path, old, new)
    with pytest.raises(ExperimentError) as refused:
        experiments.read(folder)
    assert str(refused.value).startswith("le2003: ")
    assert message in str(refused.value)


TABLES = {
    "a text for a number": ("13.2", "[bold]", "a number, not '[bold]'"),
    "no number": ("13.2", "nan", "a number, not 'nan'"),
    "a cell too many": ("13.2", "13.2,1", "cells under"),
    "a column twice": ("loss_percent", "ecn", "must name all columns, with different names"),
    "an open quote": ("13.2", '"13.2', "unexpected end of data"),
}


@pytest.mark.parametrize("what", TABLES)
def test_a_slip_in_a_published_table_is_told(what: str, tmp_path: Path) -> None:
    old, new, message = TABLES[what]
    folder = altered_experiment("le2003", tmp_path, old, new, file="published_table2.csv")
    with pytest.raises(ExperimentError) as refused:
        experiments.read(folder)
    assert str(refused.value).startswith("le2003: ")
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("line", []),
        ("points", []),
        ("points", ["x"]),
        ("r_squared", None),
        ("lines_by_seed", {"one": {}}),
        ("x", 1),
    ],
)
def test_a_calibration_of_another_shape_is_refused(key: str, value: object, tmp_path: Path) -> None:
    line = Line(10_000.0, 0.4)
    points = tuple(Point(1, users, users / 100.0, {"a": 1.0}) for users in (100, 200))
    own = LoadLine(points, line, 1.0, {1: line}, 10.0)
    file = Calibration((own,), "1").save(tmp_path / "calibration.json")
    assert Calibration.load(file) == Calibration((own,), "1")
    document = json.loads(file.read_text())
    inner = document["bottlenecks"][0]
    place = document if key in document or key == "x" else inner
    place[key] = value
    file.write_text(json.dumps(document))
    with pytest.raises(CalibrationError, match=rf"calibration\.json.*{key}"):
        Calibration.load(file)


def sign(folder: Path) -> None:
    """Writes checksums that hold for what is in the folder now."""
    sums = folder / "SHA256SUMS"
    sums.unlink()
    files = sorted(folder.iterdir())
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    sums.write_text("".join(lines))


@pytest.mark.parametrize(("key", "value"), [("seed", "x"), ("seed", -1), ("warnings", 3), ("scenario", None)])
def test_a_result_of_another_shape_is_refused_though_its_checksums_hold(
    key: str, value: object, tmp_path: Path
) -> None:
    folder = made_up().save(tmp_path / "result")
    run = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**run, key: value}))
    sign(folder)
    with pytest.raises(ResultError, match=rf"run\.json\.{key}: "):
        Result.load(folder)


def _without(document: dict[str, Any], path: str) -> dict[str, Any]:
    """A copy of a document without the last key of a dotted path; a number counts the elements of a list."""
    copy: Any = json.loads(json.dumps(document))
    *above, last = path.split(".")
    inner = copy
    for key in above:
        inner = inner[int(key) if key.isdigit() else key]
    del inner[last]
    return copy  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("links", r"run\.json: links is missing"),
        ("links.0.carries_data", r"run\.json\.links\[1\]: carries_data is missing"),
        ("links.1.throughput_mbps", r"run\.json\.links\[2\]: throughput_mbps is missing"),
        ("links.0.counters", r"run\.json\.links\[1\]: counters is missing"),
        ("links.0.counters.at_risk.packets", r"links\[1\]\.counters\.at_risk: packets is missing"),
        ("links.0.counters.by_class.data.discarded_packets", r"by_class\.data: discarded_packets is missing"),
        ("measured_from_s", r"run\.json: measured_from_s is missing"),
        ("tcp", r"run\.json: tcp is missing"),
        ("flows.0.name", r"run\.json\.flows\[1\]: name is missing"),
    ],
)
def test_what_figures_are_taken_from_is_there_or_the_result_is_refused(
    path: str, said: str, tmp_path: Path
) -> None:
    result = aqmlab.run(bulk(duration_s=1.0, warm_up_s=0.0))
    folder = result.save(tmp_path / "result")
    assert figures(Result.load(folder))
    document = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(_without(document, path)))
    sign(folder)
    with pytest.raises(ResultError, match=said):
        Result.load(folder)


def test_a_file_that_holds_no_tables_is_refused(tmp_path: Path) -> None:
    folder = made_up().save(tmp_path / "result")
    (folder / "tables.arrow").write_bytes(b"ARROW1 and nothing else")
    sign(folder)
    with pytest.raises(ResultError, match=r"tables\.arrow: holds no tables"):
        Result.load(folder)


def test_a_file_of_tables_that_are_none_is_refused_when_one_is_read(tmp_path: Path) -> None:
    folder = made_up().save(tmp_path / "result")
    feather.write_feather(pa.table({"queue": [1, 2]}), str(folder / "tables.arrow"))
    sign(folder)
    with pytest.raises(ResultError, match=r"tables\.arrow: is no table"):
        Result.load(folder).queue  # noqa: B018


def test_a_table_that_is_none_is_refused_when_it_is_read(tmp_path: Path) -> None:
    folder = made_up().save_parquet(tmp_path / "result")
    (folder / "queue.parquet").write_bytes(b"PAR1 and nothing else")
    sign(folder)
    with pytest.raises(ResultError, match=r"queue\.parquet: is no table"):
        Result.load(folder).queue  # noqa: B018


def test_a_calibration_whose_seeds_have_one_point_each_has_no_slope_of_a_seed() -> None:
    points = tuple(Point(seed, 100 * seed, float(seed), {"a": 1.0}) for seed in (1, 2))
    with pytest.raises(CalibrationError, match="no seed was run with two different numbers of users"):
        LoadLine(points, Line(10_000.0, 0.0), 1.0, {}, 10.0).slope_interval  # noqa: B018
