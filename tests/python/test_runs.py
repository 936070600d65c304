"""Running one and many."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

import aqmlab
from aqmlab import FolderError, Job, RunError, ScenarioError
from aqmlab.files.folders import PARTIAL_PREFIX
from aqmlab.runs.executors import active_runs, executor_of
from small import BULK, WEB, bulk, contents

if TYPE_CHECKING:
    from pathlib import Path


class Counted:
    """Counts the runs that the core is asked for."""

    def __init__(self) -> None:
        self.seeds: list[int] = []

    def __call__(self, scenario: aqmlab._core.Scenario, seed: int) -> aqmlab._core.Run:
        self.seeds.append(seed)
        return aqmlab._core.Run(scenario, seed)


@pytest.fixture(name="made")
def counted_runs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The seeds of the runs that are really made."""
    counted = Counted()

    class Core:
        Run = counted

    monkeypatch.setattr(active_runs, "_core", Core)
    return counted.seeds


def jobs(*seeds: int) -> list[Job]:
    return [Job(bulk(), seed) for seed in seeds]


def test_text_a_file_and_a_scenario_run_alike(tmp_path: Path) -> None:
    (tmp_path / "bulk.toml").write_text(BULK)
    runs = [aqmlab.run(source).run for source in (BULK, tmp_path / "bulk.toml", bulk())]
    assert runs[0] == runs[1] == runs[2]


def test_an_override_changes_the_run() -> None:
    result = aqmlab.run(BULK, overrides={"dumbbell.rate_mbps": 5.0})
    assert result.run["links"][0]["rate_mbps"] == 5.0


def test_results_come_in_the_order_of_the_jobs() -> None:
    results = aqmlab.run_many(jobs(3, 1, 2), workers=2, progress=False)
    assert [result.seed for result in results] == [3, 1, 2]


def test_the_number_of_workers_changes_no_byte(tmp_path: Path) -> None:
    for number in (1, 2, 5):
        aqmlab.run_many(jobs(1, 2, 3, 4, 5), workers=number, store=tmp_path / str(number), progress=False)
    assert contents(tmp_path / "1") == contents(tmp_path / "2") == contents(tmp_path / "5")
    assert len(contents(tmp_path / "1")) > 5


def test_a_run_that_several_jobs_ask_for_is_made_once(made: list[int]) -> None:
    one, two, again = aqmlab.run_many(jobs(1, 2, 1), progress=False)
    assert sorted(made) == [1, 2]
    assert one.run == again.run != two.run


def test_what_the_store_holds_is_not_run_again(tmp_path: Path, made: list[int]) -> None:
    aqmlab.run_many(jobs(1, 2), store=tmp_path, progress=False)
    before = contents(tmp_path)
    results = aqmlab.run_many(jobs(1, 2, 3), store=tmp_path, progress=False)
    assert sorted(made) == [1, 2, 3]
    assert [result.seed for result in results] == [1, 2, 3]
    assert {name: contents(tmp_path)[name] for name in before} == before


def test_a_damaged_result_is_named_and_made_again(tmp_path: Path, made: list[int]) -> None:
    (result,) = aqmlab.run_many(jobs(1), store=tmp_path, progress=False)
    before = contents(tmp_path)
    assert result.folder is not None
    (result.folder / "run.json").write_text("{}")
    with pytest.warns(UserWarning, match=f"{result.folder}: damaged: run.json .* computed again"):
        aqmlab.run_many(jobs(1), store=tmp_path, progress=False)
    assert made == [1, 1]
    assert contents(tmp_path) == before


def test_a_folder_with_another_run_is_refused_and_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "result"
    aqmlab.run_many([Job(bulk(), 1, folder=folder)], progress=False)
    before = contents(tmp_path)
    with pytest.raises(FolderError, match=r"holds another run, of seed 1 \(wanted: seed 2\)"):
        aqmlab.run_many([Job(bulk(), 2, folder=folder)], progress=False)
    with pytest.raises(FolderError, match=r"of another scenario \(two flows\)"):
        aqmlab.run_many([Job(bulk(duration_s=2.0), 1, folder=folder)], progress=False)
    assert contents(tmp_path) == before


def test_a_folder_with_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(FolderError, match="is no result; name another folder"):
        aqmlab.run_many([Job(bulk(), 1, folder=tmp_path)], progress=False)
    assert contents(tmp_path) == {"thesis.tex": b"years of work"}


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    folder = tmp_path / "result"
    folder.mkdir()
    (result,) = aqmlab.run_many([Job(bulk(), 1, folder=folder)], progress=False)
    assert result.folder == folder


def test_an_unwritable_folder_is_refused_before_anything_runs(tmp_path: Path, made: list[int]) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FolderError, match="is a file"):
        aqmlab.run_many([*jobs(1), Job(bulk(), 2, folder=tmp_path / "file" / "x")], progress=False)
    assert made == []


def test_a_failed_run_is_named_and_ends_the_sweep_but_not_what_had_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken:
        class Run:
            def __init__(self, scenario: aqmlab._core.Scenario, seed: int) -> None:
                self._run = aqmlab._core.Run(scenario, seed)
                self._seed = seed

            def execute(self) -> None:
                if self._seed == 2:
                    raise RunError("the simulator broke")
                self._run.execute()

            def __getattr__(self, name: str) -> object:
                return getattr(self._run, name)

    monkeypatch.setattr(active_runs, "_core", Broken)
    with pytest.raises(RunError, match="two flows, seed 2: the simulator broke"):
        aqmlab.run_many(jobs(1, 2, 3), workers=1, store=tmp_path, progress=False)
    finished = [aqmlab.Result.load(folder).seed for folder in tmp_path.iterdir()]
    assert 1 in finished
    assert 2 not in finished


def test_leaving_early_stops_the_rest(tmp_path: Path) -> None:
    long = bulk(duration_s=100_000.0)
    with closing(
        aqmlab.run_each([*jobs(1), Job(long, 2)], workers=2, store=tmp_path, progress=False)
    ) as stream:
        position, result = next(stream)
    assert (position, result.seed) == (0, 1)
    assert len(list(tmp_path.iterdir())) == 1
    assert not list(tmp_path.glob(PARTIAL_PREFIX + "*"))


def test_what_is_known_of_the_load_is_kept_with_the_result(tmp_path: Path) -> None:
    load = {"nominal_percent": 90.0}
    job = Job(bulk(), 1, offered_load=load)
    (result,) = aqmlab.run_many([job], store=tmp_path, progress=False)
    assert result.offered_load == load
    (bare,) = aqmlab.run_many([Job(bulk(), 1, offered_load={"nominal_percent": 80.0})], store=tmp_path)
    assert bare.offered_load == {"nominal_percent": 80.0}


def test_the_offered_load_is_the_throughput_of_the_twin_with_the_same_seed() -> None:
    scenario = aqmlab.Scenario.from_toml(WEB)
    load = aqmlab.run(scenario, seed=3, measure_offered_load=True).offered_load
    assert load is not None
    twin = aqmlab.run(scenario.uncongested_twin(), seed=3)
    right, left = (link["throughput_mbps"] for link in twin.run["links"])
    assert load["realised_mbps"] == {"left-to-right": right, "right-to-left": left}
    assert load["realised_percent"] == pytest.approx(100 * max(right, left) / 2.0)  # of 2 Mbit/s
    assert load["bottleneck"] == ["left-to-right" if right > left else "right-to-left"]


def test_long_lived_flows_have_no_offered_load() -> None:
    assert aqmlab.run(bulk(), measure_offered_load=True).offered_load is None


@pytest.mark.parametrize("number", [0, -1])
def test_no_worker_is_no_sweep(number: int) -> None:
    with pytest.raises(ValueError, match=f"workers: a whole number of at least 1, not {number}"):
        aqmlab.run_many(jobs(1), workers=number)


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_a_seed_beyond_64_bits_is_refused(seed: int) -> None:
    with pytest.raises(ValueError, match=rf"seed: a whole number from 0 to 2\^64 - 1, not {seed}"):
        Job(bulk(), seed)


def test_nothing_to_run_is_no_result() -> None:
    assert aqmlab.run_many([]) == []


def test_a_cancelled_run_says_so_and_keeps_nothing() -> None:
    run = aqmlab._core.Run(bulk().core, 1)
    run.cancel()
    with pytest.raises(aqmlab.Cancelled):
        run.execute()
    with pytest.raises(RuntimeError, match="not been executed to its end"):
        run.summary()
    with pytest.raises(RuntimeError, match="executes once"):
        run.execute()


def test_a_run_tells_how_far_it_is() -> None:
    run = aqmlab._core.Run(bulk().core, 1)
    assert run.progress() == 0.0
    run.execute()
    assert run.progress() == 1.0


def test_the_core_refuses_what_is_no_resolved_scenario() -> None:
    with pytest.raises(ScenarioError):
        aqmlab._core.Scenario.from_json("{}")


def test_the_seed_changes_what_happens() -> None:
    one, other = aqmlab.run_many(jobs(1, 2), progress=False)
    assert one.run["links"] != other.run["links"]


@pytest.mark.parametrize("executor", ["threads", "local"])
def test_every_executor_makes_the_bytes_of_a_run(executor: str, tmp_path: Path) -> None:
    given = aqmlab.run_many(jobs(1, 2), store=tmp_path / "given", progress=False)
    made = aqmlab.run_many(
        jobs(1, 2), store=tmp_path / "made", progress=False, executor=executor_of(executor, workers=2)
    )
    assert [result.seed for result in made] == [result.seed for result in given] == [1, 2]
    assert contents(tmp_path / "made") == contents(tmp_path / "given")


def test_a_job_survives_the_way_to_another_process_and_another_version_is_refused(tmp_path: Path) -> None:
    job = Job(bulk(), 3, folder=tmp_path / "run", offered_load={"nominal_percent": 90.0}, label="point 1")
    order = json.loads(json.dumps(job.order()))
    there = Job.from_order(order)
    assert there == job
    assert (there.offered_load, there.label, there.address) == (job.offered_load, job.label, job.address)
    with pytest.raises(RunError, match=r"point 1, seed 3: the worker .* has another version"):
        Job.from_order({**order, "address": "0" * 40})
