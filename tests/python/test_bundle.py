"""What a bundle has, that its bytes are the same, and that its commands repeat the results."""

from __future__ import annotations

import csv
import hashlib
import io
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

import aqmlab
from aqmlab.errors import FolderError, RefusalError, ResultError
from aqmlab.show.words import citation
from documented import ROOT
from small import BULK, aqmlab_run

LINE = """
name = "a line"
duration_s = 8.0
warm_up_s = 2.0

[dumbbell]
rate_mbps = 2.0
queue = { scheme = "drop-tail", limit_packets = 60 }

[users]
per_side = 10

[[flows]]
count = 1
direction = "left-to-right"
base_rtt_ms = 40.0

[[datagrams]]
name = "call"
direction = "left-to-right"
count = 1
packet_bytes = 200
rate_mbps = 0.08
"""


@pytest.fixture(name="compared", scope="module")
def a_comparison(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small comparison, whose first seed records more than the others."""
    folder = tmp_path_factory.mktemp("compared")
    (folder / "line.toml").write_text(LINE, encoding="utf-8")
    schemes = ["drop-tail", "codel:target_ms=20"]
    aqmlab.compare(folder / "line.toml", schemes=schemes, seeds="1-3", output=folder / "both")
    return folder / "both"


def unpacked(archive: Path, folder: Path) -> Path:
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(folder)
    (place,) = folder.iterdir()
    return place


def commands_of(place: Path) -> list[list[str]]:
    """The commands between the fences of its README."""
    page = (place / "README.md").read_text(encoding="utf-8")
    shown = page.partition("```sh\n")[2].partition("```")[0]
    assert shown.strip() in (place / "repeat.sh").read_text(encoding="utf-8")
    return [shlex.split(line) for line in shown.splitlines()]


def test_the_commands_of_a_bundle_make_the_same_bytes(compared: Path, tmp_path: Path) -> None:
    place = unpacked(aqmlab.bundle(compared, output=tmp_path / "both.zip"), tmp_path / "unpacked")
    for words in commands_of(place):
        if words[0] == "aqmlab":
            assert aqmlab_run(*words[1:], cwd=place).returncode == 0
    listed = [line.split("  ") for line in (place / "runs.sha256").read_text().splitlines()]
    # What was compared, what is in the bundle, and what its commands made.
    assert {name for _, name in listed} == {
        f"{result.relative_to(place / 'runs')}" for result in (place / "runs").rglob("*") if result.is_file()
    }
    for digest, name in listed:
        made = place / "again" / name
        assert hashlib.sha256(made.read_bytes()).hexdigest() == digest, name
        assert made.read_bytes() == (place / "runs" / name).read_bytes()
        # Folders keep the schemes' names, which the colon and the equals sign cannot stand in.
        configuration, _, inside = name.partition("/")
        assert (compared / configuration / inside).read_bytes() == made.read_bytes()


def test_a_bundle_is_the_same_bytes_whenever_it_is_made(compared: Path, tmp_path: Path) -> None:
    first = aqmlab.bundle(compared, output=tmp_path / "one.zip")
    again = """
import sys, aqmlab
print(aqmlab.bundle(sys.argv[1], output=sys.argv[2]))
"""
    made = subprocess.run(
        [sys.executable, "-c", again, compared, tmp_path / "two.zip"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(made.stdout.strip()).read_bytes() == first.read_bytes()


def test_a_bundle_has_what_a_reader_asks_for(compared: Path, tmp_path: Path) -> None:
    place = aqmlab.bundle(compared, output=tmp_path / "both", title="Two queues")
    files = {str(each.relative_to(place)) for each in place.rglob("*") if each.is_file()}
    assert {
        "README.md", "SHA256SUMS", "aqmlab.bib", "repeat.sh", "report.html", "runs.sha256",
        "tables/comparison.csv", "tables/numbers.csv", "scenarios/drop-tail.toml",
        "figures/pages.svg", "figures/pages.csv", "figures/delay.svg", "figures/waiting.svg",
        "runs/drop-tail/seed-1/run.json",
    } <= files  # fmt: skip
    page = (place / "README.md").read_text(encoding="utf-8")
    assert page.startswith("# Two queues\n")
    assert "2 configurations, 3 seeds" in page
    assert aqmlab.__version__ in page
    assert aqmlab.__version__ in (place / "aqmlab.bib").read_text(encoding="utf-8")
    checked = subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"],
        cwd=place,
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(checked.stdout.splitlines()) == len(files) - 1
    # The numbers are those of the results, which anybody reads who opens them.
    rows = list(csv.DictReader(io.StringIO((place / "tables/numbers.csv").read_text(encoding="utf-8"))))
    result = aqmlab.Result.load(compared / "drop-tail" / "seed-2")
    shown = next(
        row
        for row in rows
        if (row["configuration"], row["seed"], row["who"], row["quantity"])
        == ("drop-tail", "2", "left-to-right", "throughput_mbps/links.left-to-right")
    )
    assert float(shown["value"]) == result.run["links"][0]["throughput_mbps"]


def test_without_runs_a_bundle_has_their_digests(compared: Path, tmp_path: Path) -> None:
    place = unpacked(aqmlab.bundle(compared, output=tmp_path / "small.zip", with_runs=False), tmp_path / "in")
    assert not (place / "runs").exists()
    assert "drop-tail/seed-1/run.json" in (place / "runs.sha256").read_text(encoding="utf-8")
    assert "`runs/`" not in (place / "README.md").read_text(encoding="utf-8")


def test_results_in_memory_are_packed_too(tmp_path: Path) -> None:
    scenario = aqmlab.Scenario.from_toml(BULK)
    place = aqmlab.bundle(aqmlab.run(scenario, seed=3), output=tmp_path / "one")
    assert aqmlab.Result.load(place / "runs" / "two-flows" / "seed-3").seed == 3
    (typed, _) = commands_of(place)
    assert typed[:5] == ["aqmlab", "run", "scenarios/two-flows.toml", "--seed", "3"]


def test_what_a_program_changed_is_not_said_to_come_out_the_same(tmp_path: Path) -> None:
    simulation = aqmlab.Simulation(aqmlab.Scenario.from_toml(BULK), seed=1)
    simulation.advance_until(1.0)
    simulation.act("left-to-right", rate_mbps=1.0)
    place = aqmlab.bundle(simulation.finish(), output=tmp_path / "changed")
    page = (place / "README.md").read_text(encoding="utf-8")
    assert "make new runs, which differ from these" in page
    assert "runs.sha256" not in page
    assert not (place / "runs.sha256").exists()


def test_the_commands_of_live_runs_have_their_hosts_and_queues(tmp_path: Path) -> None:
    scenario = aqmlab.Scenario.from_toml(BULK)
    own = {"verdict": "valid", "hosts": "linux-reno"}
    inside = {"verdict": "valid", "hosts": "linux-bbr", "kernel_queues": [{}], "user_mode": {}}
    audits: list[dict[str, Any]] = [own, own, inside]
    runs = [aqmlab.run(scenario, seed=seed).with_live(each) for seed, each in enumerate(audits, start=1)]
    place = aqmlab.bundle(runs, output=tmp_path / "live")
    one, two, three, *_ = commands_of(place)
    assert one[:5] == ["aqmlab", "live", "scenarios/two-flows.toml", "--seed", "1"]
    assert one[5:] == ["--hosts", "linux-reno", "--output", "again/two-flows/seed-1"]
    assert two[5:] == ["--hosts", "linux-reno", "--output", "again/two-flows/seed-2"]
    assert three[5:9] == ["--hosts", "linux-bbr", "--kernel", "user-mode"]


def test_a_bundle_of_an_interrupted_comparison_says_what_is_missing(compared: Path, tmp_path: Path) -> None:
    killed = tmp_path / "killed"
    shutil.copytree(compared, killed)
    for place in killed.glob("codel*"):
        shutil.rmtree(place)
    with pytest.warns(match="Unfinished comparison: 3 of 6 runs, none with codel"):
        place = aqmlab.bundle(killed, output=tmp_path / "half")
    assert "Unfinished comparison: 3 of 6 runs" in (place / "README.md").read_text(encoding="utf-8")


def test_folders_that_hold_no_comparison_are_said_to_be_left_out(compared: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    shutil.copytree(compared, results / "both")
    (results / "tuned").mkdir()
    (results / "tuned" / "search.json").write_text('{"scenario": {"name": "a line"}}', encoding="utf-8")
    (results / "notes").mkdir()
    said = rf"not packed, no runs or comparison: {re.escape(str(results / 'tuned'))} \(search\)$"
    with pytest.warns(match=said):
        place = aqmlab.bundle(results, output=tmp_path / "bundle")
    assert len(list((place / "runs").glob("*/seed-*"))) == 6


def test_a_title_is_one_line(compared: Path, tmp_path: Path) -> None:
    place = aqmlab.bundle(compared, output=tmp_path / "titled", title="Two\n# queues")
    assert (place / "README.md").read_text(encoding="utf-8").startswith("# Two # queues\n\n2 config")


@pytest.mark.parametrize("name", ["office.tar.gz", "office.tgz", "office.7z"])
def test_the_name_of_another_archive_is_no_folder(compared: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(FolderError, match=r"no archive of this kind; legal: a path that ends in \.zip"):
        aqmlab.bundle(compared, output=tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_bundle_refuses_what_it_cannot_pack(compared: Path, tmp_path: Path) -> None:
    with pytest.raises(RefusalError, match=r'baseline "codle"'):
        aqmlab.bundle(compared, output=tmp_path / "x.zip", baseline="codle")
    with pytest.raises(ResultError, match="there is no such folder"):
        aqmlab.bundle(tmp_path / "nothing", output=tmp_path / "x.zip")
    with pytest.raises(FolderError, match="exists already"):
        aqmlab.bundle(compared, output=compared)
    assert not (tmp_path / "x.zip").exists()


def test_what_is_cited_is_what_the_citation_file_says() -> None:
    said = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f'title: "{citation.TITLE}"' in said
    assert f"  - name: {citation.AUTHORS}\n" in said
