"""The whole way once, with the real simulator, as small as it goes."""

from dataclasses import replace
from pathlib import Path

import pytest

from aqmlab import experiment as experiments
from aqmlab.reproduce import Sweep, choose, run_study
from aqmlab.study import Study

SECONDS = 4.0


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store")


def small_study(store: Path) -> Study:
    experiment = experiments.load("le2003")
    scale = choose(experiment, scale="quick", cells=["uncongested", "pi-24"], loads=[90.0], replications=2)
    scale = replace(scale, duration_s=SECONDS + 1.0, warm_up_s=1.0)
    return run_study(experiment, scale, Sweep(workers=2, store=store, progress=False))


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
    comparison = study.comparison("uncongested", "pi-24", 90.0)
    assert comparison.difference.max() > 0.0


def test_a_second_time_nothing_is_run_again(study: Study, store: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in store.iterdir()}
    again = small_study(store)
    assert {path: path.stat().st_mtime_ns for path in store.iterdir()} == before
    assert again.loads[90.0, 2].users_left == study.loads[90.0, 2].users_left
