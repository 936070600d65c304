"""`aqmlab reproduce --artifact`: what it has for an evaluation, and that its commands do what it says."""

from __future__ import annotations

import hashlib
import shlex
from typing import TYPE_CHECKING

import pytest

import aqmlab
from altered_experiment import altered_experiment
from aqmlab.errors import ExperimentError, FolderError
from aqmlab.papers import experiments, shipped
from small import aqmlab_run

if TYPE_CHECKING:
    from pathlib import Path

TINY = """
[scales.tiny]
description = "A second."
duration_s = 62.0
warm_up_s = 61.0
replications = 1
load_matched = false
start = "steady"
users_from = "scenario"
cells = ["dt"]
"""


@pytest.fixture(name="study", autouse=True)
def a_study_of_a_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A shipped study with a scale of one run of a second, alone among the shipped ones."""
    root = tmp_path / "studies"
    copy = altered_experiment("multicl", root, "title", "title")
    file = copy / "experiment.toml"
    file.write_text(file.read_text(encoding="utf-8") + TINY, encoding="utf-8")
    monkeypatch.setattr(shipped, "root", lambda: root)
    monkeypatch.chdir(tmp_path)
    return copy


def test_the_commands_of_an_artifact_make_what_it_expects(study: Path, tmp_path: Path) -> None:
    made = aqmlab_run(
        "reproduce", "multicl", "--scale", "tiny", "--output", "first", "--artifact", "art", cwd=tmp_path
    )
    assert made.returncode == 0, made.stderr
    assert made.stdout.splitlines()[-1] == "artifact: art"
    place = tmp_path / "art"
    page = (place / "README.md").read_text(encoding="utf-8")
    typed = [line for line in page.splitlines() if line.startswith("aqmlab reproduce")]
    assert [shlex.split(line)[:5] for line in typed] == [
        ["aqmlab", "reproduce", "multicl", "--scale", "tiny"]
    ] * 2
    assert aqmlab_run(*shlex.split(typed[1])[1:], cwd=place).returncode == 0
    listed = [line.split("  ") for line in (place / "expected.sha256").read_text().splitlines()]
    assert {"claims.csv", "scorecard.csv", "tableI.csv"} <= {name for _, name in listed}
    for digest, name in listed:
        again = (place / "again" / name).read_bytes()
        assert hashlib.sha256(again).hexdigest() == digest, name
        assert again == (place / "expected" / name).read_bytes()
    for name in ("experiment.toml", "scenario.toml", "claims.toml", "published_table1.csv", "notes.md"):
        assert (place / "study" / name).read_bytes() == (study / name).read_bytes()


def test_an_artifact_names_every_claim_scale_and_badge(tmp_path: Path) -> None:
    found = aqmlab.reproduce("multicl", scale="tiny", output=tmp_path / "out", artifact=tmp_path / "art.zip")
    assert found.files["artifact"] == tmp_path / "art.zip"
    again = aqmlab.reproduce("multicl", scale="tiny", output=tmp_path / "out", artifact=tmp_path / "art")
    page = (again.files["artifact"] / "README.md").read_text(encoding="utf-8")
    own = experiments.load("multicl")
    for claim in own.published_claims:
        assert f"| {claim.identifier} | {claim.where} |" in page
    for name in own.scales:
        assert f"\n| {name} |" in page
    for badge in ("available", "functional", "reusable", "reproduced"):
        assert f"\n| {badge} |" in page
    assert aqmlab.__version__ in page


def test_an_artifact_is_refused_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match="artifact: with other hosts nothing is reproduced"):
        aqmlab.reproduce("multicl", scale="tiny", hosts="linux6-cubic", artifact=tmp_path / "art")
    (tmp_path / "there").mkdir()
    with pytest.raises(FolderError, match="there: exists already"):
        aqmlab.reproduce("multicl", scale="tiny", output=tmp_path / "out", artifact=tmp_path / "there")
    assert not (tmp_path / "out").exists()
    refused = aqmlab_run("reproduce", "all", "--scale", "tiny", "--artifact", "art", cwd=tmp_path)
    assert refused.returncode == 2
    assert "--artifact is of one study that is run" in refused.stderr
