"""`aqmlab reproduce all`: each study in its folder, resumed after an interruption, a scorecard at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

import aqmlab
from altered_experiment import altered_experiment
from aqmlab.cli import commands
from aqmlab.errors import Cancelled, ExperimentError
from aqmlab.files.reading import read_table
from aqmlab.papers import experiments, shipped
from aqmlab.papers.reproduction import run_study
from aqmlab.show.papers import reproduce

if TYPE_CHECKING:
    from pathlib import Path

    from aqmlab.papers.documents import Scale
    from aqmlab.papers.experiment import Experiment
    from aqmlab.papers.study import Study
    from aqmlab.runs import Execution

TINY = """
[scales.tiny]
description = "A second."
duration_s = DURATION
warm_up_s = WARM_UP
replications = 1
load_matched = false
start = "steady"
cells = ["CELL"]
"""
STUDIES = {
    "christiansen2000": ("uncongested", 1.0, "loads_percent = [50.0]\n"),
    "multicl": ("dt", 61.0, 'users_from = "scenario"\n'),  # its long-lived flows start after a minute
}
"""A cell of each study, the seconds before the measured one, and what else its scale has."""


@pytest.fixture(name="studies", autouse=True)
def two_studies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of two shipped experiments, each with a scale of one run of a second."""
    root = tmp_path / "experiments"
    for name, (cell, warm_up_s, more) in STUDIES.items():
        copy = altered_experiment(name, root, "title", "title")
        file = copy / "experiment.toml"
        tiny = TINY.replace("CELL", cell).replace("DURATION", str(warm_up_s + 1.0))
        text = file.read_text(encoding="utf-8") + tiny.replace("WARM_UP", str(warm_up_s)) + more
        file.write_text(text, encoding="utf-8")
    monkeypatch.setattr(shipped, "root", lambda: root)
    monkeypatch.chdir(tmp_path)
    return root


def reproduced(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(commands, ["reproduce", "all", "--scale", "tiny", "--quiet", *arguments])
    return done.exit_code, done.output


def runs_of(results: Path) -> dict[str, int]:
    """When each finished run was written."""
    files = results.glob("*-tiny/runs/**/run.json")
    return {str(file): file.stat().st_mtime_ns for file in files}


def test_each_study_has_its_folder_and_one_page_has_all(tmp_path: Path) -> None:
    code, output = reproduced("--output", "out")
    assert code == 0, output
    assert all((tmp_path / "out" / f"{name}-tiny" / "scorecard.csv").is_file() for name in STUDIES)
    page = (tmp_path / "out" / "scorecard-tiny.md").read_text(encoding="utf-8")
    assert [line for line in page.splitlines() if line.startswith("## ")] == [
        "## Every number and claim",
        "## All studies",
        "## christiansen2000, scale tiny",
        "## multicl, scale tiny",
        "## Repeat it",
    ]
    assert output.splitlines() == ["out/christiansen2000-tiny", "out/multicl-tiny", "out/scorecard-tiny.md"]
    command = ["reproduce", "all", "--scale", "tiny", "--output", "out"]
    told = CliRunner().invoke(commands, command).output
    assert "study 2 of 2: multicl, in out/multicl-tiny" in told
    assert "Scorecard" in told


def test_with_other_hosts_nothing_is_called_reproduced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["reproduce", "all", "--scale", "tiny", "--hosts", "linux6-cubic", "--output", "out"]
    done = CliRunner().invoke(commands, command)
    assert done.exit_code == 0, done.output
    folders = {name: tmp_path / "out" / f"{name}-tiny-linux6-cubic" for name in STUDIES}
    for name, folder in folders.items():
        assert f"{name} with linux6-cubic hosts (scale tiny)\n" in done.output
        written = {each.name for each in folder.iterdir()}
        assert {"report.html", "today.csv", "runs"} <= written
        assert written.isdisjoint(
            {"scorecard.csv", "claims.csv", "statements.csv", "table2.csv", "tableI.csv"}
        )
        report = (folder / "report.html").read_text(encoding="utf-8")
        rows = read_table(folder / "today.csv", ExperimentError)
        told = ("experiment", "scale", "loads_percent", "hosts", "version", "seeds")
        ran = {tuple(row[key] for key in told) for row in rows}
        load = "50" if name == "christiansen2000" else "100"
        assert ran == {(name, "tiny", load, "linux6-cubic", aqmlab.__version__, "1")}
        title = experiments.load(name).title
        assert f"<h1>{title}, with linux6-cubic hosts</h1>" in report
        assert "ours" not in report.split("Provenance")[0]
    assert [each.name for each in (tmp_path / "out").glob("scorecard*")] == []
    assert "reproduced." not in done.output
    assert "ours" not in done.output
    monkeypatch.setenv("COLUMNS", "122")  # a part of the table less
    listed = CliRunner().invoke(commands, ["results", "out"]).output
    assert listed.count("reproduction") == len(STUDIES)


def test_after_an_interruption_finished_runs_are_kept_and_the_rest_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run_study

    def interrupted(experiment: Experiment, scale: Scale, execution: Execution) -> Study:
        if experiment.name == "multicl":
            raise Cancelled("interrupted")
        return whole(experiment, scale, execution)

    with monkeypatch.context() as patched:
        patched.setattr(reproduce, "run_study", interrupted)
        code, _ = reproduced()
    assert code != 0
    kept = runs_of(tmp_path / "results")
    assert len(kept) == 1
    assert not (tmp_path / "results" / "scorecard-tiny.md").exists()
    code, output = reproduced()
    assert code == 0, output
    after = runs_of(tmp_path / "results")
    assert len(after) == 2
    assert kept.items() <= after.items(), "nothing was run twice"
    assert (tmp_path / "results" / "scorecard-tiny.md").is_file()


def test_a_scale_that_one_of_them_lacks_is_refused_before_anything_runs(tmp_path: Path) -> None:
    done = CliRunner().invoke(commands, ["reproduce", "all", "--scale", "standard", "--quiet"])
    assert done.exit_code == 2
    assert 'multicl has no scale "standard"' in done.output
    assert not (tmp_path / "results").exists()


def test_the_function_of_one_study_has_what_its_command_prints_and_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "122")
    done = CliRunner().invoke(commands, ["reproduce", "multicl", "--scale", "tiny", "--output", "out"])
    assert done.exit_code == 0, done.output
    found = aqmlab.reproduce("multicl", scale="tiny", output="own")
    assert str(found).split() == done.stdout.partition("report: out")[0].split()[-len(str(found).split()) :]
    assert {name: file.name for name, file in found.files.items()} == {
        name: file.name for name, file in found.files.items() if (tmp_path / "out" / file.name).exists()
    }
    for file in found.files.values():
        if file.suffix == ".csv":
            assert file.read_bytes() == (tmp_path / "out" / file.name).read_bytes()
    ((cell, load),) = found.study.cells
    (run,) = found.study.results(cell, load)
    rows = [row for row in found.to_arrow().to_pylist() if row["quantity"] == "loss_percent/links.b-to-c"]
    rows = rows or found.to_arrow().to_pylist()
    assert {row["configuration"] for row in rows} == {f"dt at {load:g} %"}
    assert {row["seed"] for row in rows} == {run.run["seed"]}
    assert "<table" in found._repr_html_()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"experiment": "multicle"}, "multicle"),
        ({"scale": "huge"}, "huge"),
        ({"cells": ["nowhere"]}, "nowhere"),
        ({"cells": "dt"}, "cells: a list"),
        ({"loads": [3]}, "loads"),
        ({"replications": 0}, "replications: a whole number of at least 1"),
        ({"seeds": "x"}, "seeds"),
        ({"hosts": "windows95"}, "windows95"),
        ({"output": 3}, "output: the path"),
        ({"executor": "grid"}, "grid"),
    ],
)
def test_what_the_function_does_not_take_is_refused_before_anything_runs(
    given: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(aqmlab.AqmlabError, match=said) as refused:
        aqmlab.reproduce(**{"experiment": "multicl", "scale": "tiny", **given})
    assert isinstance(refused.value, ValueError)
    assert [each.name for each in tmp_path.iterdir()] == ["experiments"]
