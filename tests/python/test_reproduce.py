"""The whole way once, with the real simulator, as small as it goes."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from altered_experiment import altered_experiment
from aqmlab.papers import experiments
from aqmlab.papers.documents import CalibrationRuns
from aqmlab.papers.reproduction import choose, run_study
from aqmlab.papers.study import Study
from aqmlab.runs import Execution
from aqmlab.runs.executors import Threads
from aqmlab.show.papers.report import parts_of, render, write_report

SECONDS = 4.0


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store")


def small_study(store: Path) -> Study:
    experiment = experiments.load("le2003")
    scale = choose(experiment, scale="quick", cells=["uncongested", "pi-24"], loads=[90.0], replications=2)
    scale = replace(scale, duration_s=SECONDS + 1.0, warm_up_s=1.0, start="steady")
    return run_study(experiment, scale, Execution(Threads(2), store=store, progress=False))


@pytest.fixture(scope="module")
def study(store: Path) -> Study:
    return small_study(store)


def test_every_cell_has_its_replications_with_the_same_users(study: Study) -> None:
    assert set(study.cells) == {("uncongested", 90.0), ("pi-24", 90.0)}
    for seed, (twin, bottleneck) in enumerate(
        zip(study.results("uncongested", 90.0), study.results("pi-24", 90.0), strict=True), start=1
    ):
        assert twin.run["seed"] == bottleneck.run["seed"] == seed
        users = [
            [population["users"] for population in result.run["populations"]] for result in (twin, bottleneck)
        ]
        assert users[0] == users[1]


def test_the_realised_load_is_measured_on_the_twin_and_kept_with_every_run(study: Study) -> None:
    match = study.loads[90.0, 1]
    twin, bottleneck = study.results("uncongested", 90.0)[0], study.results("pi-24", 90.0)[0]
    realised = {link["name"]: link["throughput_mbps"] for link in twin.run["links"]}
    assert match.realised_mbps == realised
    assert bottleneck.run["offered_load"]["realised_mbps"] == realised
    assert bottleneck.run["offered_load"]["nominal_percent"] == 90.0
    assert abs(match.mean_error) <= 0.005 or match.warnings


def test_the_bottleneck_is_slower_than_its_twin(study: Study) -> None:
    comparison = study.curve("uncongested", "pi-24", 90.0)
    assert comparison.difference.max() > 0.0


def test_a_second_time_nothing_is_run_again(study: Study, store: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in store.iterdir()}
    again = small_study(store)
    assert {path: path.stat().st_mtime_ns for path in store.iterdir()} == before
    assert again.loads[90.0, 2].sizes == study.loads[90.0, 2].sizes


# ------------------------------------------------------------------------------------- users on one side only


@pytest.fixture(scope="module")
def one_sided(tmp_path_factory: pytest.TempPathFactory) -> Study:
    experiment = experiments.load("christiansen2000")
    cells = ["uncongested", "red-30-90", "red-30-90-frames", "red-30-90-clip"]
    scale = choose(experiment, scale="standard", cells=cells, loads=[98.0], replications=2)
    scale = replace(
        scale,
        duration_s=21.0,
        warm_up_s=1.0,
        calibration=CalibrationRuns(users_per_side=(700, 3325)),
    )
    return run_study(
        experiment, scale, Execution(Threads(2), tmp_path_factory.mktemp("store"), progress=False)
    )


def test_users_of_a_load_follow_the_papers_count_or_the_configurations(one_sided: Study) -> None:
    counts = {
        name: {tuple(each["users"] for each in result.run["populations"]) for result in results}
        for (name, _), results in one_sided.cells.items()
    }
    assert counts == {
        "uncongested": {(0, 3332)},
        "red-30-90": {(0, 3332)},
        "red-30-90-frames": {(0, 3240)},
        "red-30-90-clip": {(0, 3332)},
    }


def test_a_one_sided_study_is_calibrated_on_its_loaded_link(one_sided: Study) -> None:
    assert one_sided.calibration is not None
    points = one_sided.calibration.tightest.points
    assert [point.size for point in points] == [700, 3325]
    for point, result in zip(points, one_sided.calibration_runs, strict=True):
        loaded = next(link for link in result.run["links"] if link["name"] == "left-to-right")
        assert point.throughput_mbps == loaded["throughput_mbps"]


def test_its_report_has_the_papers_tables(one_sided: Study) -> None:
    parts = parts_of(one_sided)
    assert [filled.published.identifier for filled in parts.filled] == ["2", "3", "3-other-readings"]
    html = render(parts)
    for expected in ("Table 2: ours", "Table 3: ours", "Table 3 under other readings: ours", "KB/s"):
        assert expected in html
    assert "users from the published calibration" in html


def test_a_one_sided_load_is_matched_in_the_loaded_direction(tmp_path: Path) -> None:
    experiment = experiments.load("christiansen2000")
    scale = choose(experiment, scale="quick", cells=["red-30-90"], loads=[50.0], replications=1)
    scale = replace(scale, duration_s=31.0, warm_up_s=1.0, load_matched=True)
    study = run_study(experiment, scale, Execution(Threads(2), tmp_path, progress=False))
    match = study.loads[50.0, 1]
    assert (match.sizes["users.left"], list(match.realised_mbps)) == (0, ["left-to-right"])
    assert abs(match.mean_error) <= 0.005 or match.warnings
    assert study.realised_percent("red-30-90", 50.0) == match.realised_percent


# ----------------------------------------------------------- cells with datagrams beside cells without


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Two cells of the study of filters, a hundred times shorter: TCP alone, and beside a constant source."""
    folder = altered_experiment("sfa", tmp_path_factory.mktemp("shorter"), "200-1600", "2-16")
    shorter = {
        "experiment.toml": {
            "800-1200": "8-12",
            "200-1800": "2-18",
            "0-200+1800-2000": "0-2+18-20",
            "trials = 10_000": "trials = 100",
            "every_s = 200": "every_s = 2",
            "every_s = 20\n": "every_s = 2\n",
            "start_s = 100.0, stop_s = 1700.0": "start_s = 1.0, stop_s = 17.0",
        },
        "scenario.toml": {"each_s = 200.0": "each_s = 2.0", "10_000.0": "100.0", "start_spread_s = 30.0": ""},
    }
    for file, changes in shorter.items():
        text = (folder / file).read_text()
        for old, new in changes.items():
            assert old in text, old
            text = text.replace(old, new)
        (folder / file).write_text(text)
    (folder / "differences.toml").unlink()  # its proofs are of the study's own length
    experiment = experiments.read(folder)
    scale = choose(experiment, scale="quick", cells=["tcp-sfa", "cbr-sfa"])
    execution = Execution(Threads(2), tmp_path_factory.mktemp("store"), progress=False)
    return run_study(experiment, replace(scale, duration_s=20.0), execution)


def test_a_cell_without_a_published_quantity_has_no_entry_among_the_single_runs(
    mixed: Study, tmp_path: Path
) -> None:
    files = write_report(parts_of(mixed), tmp_path)
    rate = "throughput_mbps/datagrams.unresponsive@2-16"
    with files["replications"].open() as file:
        rates = {row["cell"]: row[rate] for row in csv.DictReader(file)}
    assert rates["tcp-sfa"] == ""
    # The source sends 10 Mbit/s from 1 to 17 s into a link of 10 Mbit/s that TCP shares.
    assert 0.0 < float(rates["cbr-sfa"]) <= 10.0
