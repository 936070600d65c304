"""`aqmlab sweep`: its file, its store, its status and its table."""

from __future__ import annotations

import resource
import shutil
import tracemalloc
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest

import aqmlab
from aqmlab import Result, ScenarioError, cli
from aqmlab.errors import FolderError, StorageError, SweepError
from aqmlab.runs.store import State
from aqmlab.show.objects.sweep import sweep_table
from aqmlab.show.tables.render import to_terminal
from aqmlab.statistics import response_times
from aqmlab.study import sweeps
from aqmlab.study.sweeps.status import export
from aqmlab.tables.stored import require_form
from aqmlab.terminal.console import console
from small import aqmlab_run, contents
from sweeping import SWEEP, reference, write


@pytest.fixture(name="made", scope="module")
def finished_sweep(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A sweep file and the store with its twelve runs, not to be changed."""
    folder = tmp_path_factory.mktemp("sweep")
    file = write(folder)
    return file, reference(file, folder / "store")


@pytest.fixture(name="own")
def own_copy(made: tuple[Path, Path], tmp_path: Path) -> tuple[sweeps.Sweep, Path]:
    """The sweep and a copy of its store, to be spoilt."""
    shutil.copytree(made[1], tmp_path / "store")
    return sweeps.read(made[0]), tmp_path / "store"


def read(text: str, folder: Path) -> sweeps.Sweep:
    return sweeps.read(write(folder, text))


SLIPS = {
    "a date in the scenario": (
        "scenario = {{ name = 1979-05-27 }}\n{grid}",
        "scenario: a scenario holds numbers",
    ),
    "a date in the overrides": (
        '{bulk}overrides = {{ "name" = 07:32:00 }}\n{grid}',
        "overrides: name: a scenario holds",
    ),
    "a list for the scale": ('{bulk}[grid]\n"x" = {{ low = 1, high = 2, scale = [] }}', "scale: "),
    "a NUL in the store": ('{bulk}store = "a\\u0000b"\n{grid}', "store: the name of a folder holds no NUL"),
    "a NUL in a file's name": ('scenario = "a\\u0000b"\n{grid}', "cannot be read"),
    "a number of 16,000 bits": ("{bulk}replications = 0x{many}\n{grid}", "not a whole number of 15998 bits"),
    "a bound of 16,000 bits": (
        '{bulk}[grid]\n"x" = {{ low = 0x{many}, high = 2 }}',
        "low: a number, not a whole",
    ),
    "a value of 16,000 bits": ('{bulk}[grid]\n"duration_s" = [0x{many}]', "a whole number of 15998 bits"),
    "seeds of 5,000 digits": ('{bulk}seeds = "1-{nines}"\n{grid}', "seeds: '1-999"),
}


@pytest.mark.parametrize("what", SLIPS)
def test_what_no_sweep_can_hold_is_told_with_its_place(what: str, tmp_path: Path) -> None:
    text, message = SLIPS[what]
    grid = '[grid]\n"dumbbell.queue.limit_packets" = [20]\n'
    filled = text.format(bulk='scenario = "bulk.toml"\n', grid=grid, many="2" * 4000, nines="9" * 5000)
    with pytest.raises((SweepError, ScenarioError)) as refused:
        read(filled, tmp_path)
    assert message in str(refused.value)
    assert "toml" in str(refused.value) or "\\x00" in str(refused.value)
    assert len(str(refused.value)) < 2000


LARGE = {
    "a grid of four ranges": "[grid]\n"
    + "".join(
        f'"{key}" = {{ low = 1.0, high = 2.0, points = 1000 }}\n' for key in ("a.b", "c.d", "e.f", "g.h")
    ),
    "a grid beside a list": '[[list]]\n"a.b" = 1\n[[list]]\n"a.b" = 2\n[grid]\n"c.d" = '
    "{ low = 1.0, high = 2.0, points = 100_000 }\n",
    "draws beside draws": "".join(
        f'[{name}]\npoints = 50_000\n[{name}.keys]\n"{key}" = {{ low = 1.0, high = 2.0 }}\n'
        for name, key in (("random", "a.b"), ("latin-hypercube", "c.d"))
    ),
    "draws of many keys": "[random]\npoints = 100_000\n[random.keys]\n"
    + "".join(f'"a.k{number}" = [1]\n' for number in range(200)),
    "many seeds": '[grid]\n"a.b" = { low = 1.0, high = 2.0, points = 1001 }\n',
}


@pytest.mark.parametrize("what", LARGE)
def test_a_size_is_refused_before_anything_of_that_size_is_made(what: str, tmp_path: Path) -> None:
    file = write(tmp_path, f'scenario = "bulk.toml"\nreplications = 1000\n{LARGE[what]}')
    tracemalloc.start()
    try:
        with pytest.raises(SweepError, match=r"at most 1(00,000 points and 1,000,000 runs|0,000,000 values)"):
            sweeps.read(file)
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()


def test_a_full_disk_leaves_the_table_that_was_there(made: tuple[Path, Path], tmp_path: Path) -> None:
    found = sweeps.status(sweeps.read(made[0]), made[1])
    for name in ("table.csv", "table.parquet"):
        table = tmp_path / name
        table.write_text("what was there")
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
        try:
            with pytest.raises(StorageError, match=f"{name}: the file was not written: no space left"):
                sweeps.export(found, table)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert table.read_text() == "what was there"
        table.unlink()
        assert list(tmp_path.iterdir()) == []


def test_a_table_is_written_where_a_link_leads(made: tuple[Path, Path], tmp_path: Path) -> None:
    found = sweeps.status(sweeps.read(made[0]), made[1])
    (tmp_path / "link.csv").symlink_to(tmp_path / "deep/table.csv")
    assert sweeps.export(found, tmp_path / "link.csv") == 12
    assert (tmp_path / "link.csv").is_symlink()
    assert len((tmp_path / "deep/table.csv").read_text().splitlines()) == 13


def test_a_table_that_cannot_be_written_is_refused_before_the_store_is_read() -> None:
    with pytest.raises(FolderError, match="cannot write in /proc"):
        require_form(Path("/proc/table.csv"))


def test_every_point_has_the_same_seeds(made: tuple[Path, Path]) -> None:
    jobs = sweeps.read(made[0]).jobs()
    seeds: dict[str, list[int]] = {}
    for job in jobs:
        seeds.setdefault(job.scenario.resolved_json, []).append(job.seed)
    assert len(seeds) == 4
    assert all(own == [1, 2, 3] for own in seeds.values())
    assert [job.seed for job in jobs] == [1] * 4 + [2] * 4 + [3] * 4


def test_designs_set_any_key_to_any_value(tmp_path: Path) -> None:
    text = """
        scenario = "bulk.toml"
        seeds = "5,7-8"
        overrides = { "dumbbell.rate_mbps" = 5.0 }
        [[list]]
        "dumbbell.queue.max_p" = 0.2
        "dumbbell.queue" = { scheme = "red", limit_packets = 60 }
        [[list]]
        "dumbbell.queue" = { scheme = "pi", limit_packets = 60 }
        [latin-hypercube]
        points = 3
        [latin-hypercube.keys]
        "flows" = [[{ count = 1, direction = "left-to-right" }]]
        "dumbbell.delay_ms" = { low = 1, high = 9 }
    """
    checked = read(text, tmp_path)
    assert checked.seeds == (5, 7, 8)
    assert len(checked.points) == 6
    queues = [point.scenario.resolved["dumbbell"]["queue"] for point in checked.points]
    assert [queue["scheme"] for queue in queues] == ["red"] * 3 + ["pi"] * 3
    assert queues[0]["max_p"] == 0.2
    assert {point.scenario.resolved["dumbbell"]["rate_mbps"] for point in checked.points} == {5.0}
    delays = [point.scenario.resolved["dumbbell"]["delay_ms"] for point in checked.points]
    assert delays[:3] == delays[3:]
    assert len(set(delays)) == 3


def test_the_scenario_may_stand_in_the_sweep_file(tmp_path: Path) -> None:
    base = aqmlab.Scenario.from_file(write(tmp_path).parent / "web.toml")
    inline = """
        [scenario]
        name = "web"
        duration_s = 8.0
        warm_up_s = 5.0
        dumbbell = { rate_mbps = 2.0, queue = { scheme = "pi", limit_packets = 500 } }
        users = { per_side = 150 }
        record = { arrivals = true, users = true, flows = true, packets = true }
        [grid]
        "users.per_side" = [150, 20]
    """
    first, second = read(inline, tmp_path).points
    assert first.scenario == base
    assert second.scenario == base.with_overrides({"users.per_side": 20})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("replications = 3", "replication = 3"), r'replication: unknown; did you mean "replications"\?'),
        (("[grid]", "[gird]"), r'gird: unknown; did you mean "grid"\?'),
        (("replications = 3", "replications = 0"), "replications: a whole number from 1"),
        (("replications = 3", "replications = true"), "replications: a whole number from 1"),
        (("replications = 3", 'seeds = "3-1"'), "seeds: '3-1' is no list of seeds"),
        (("replications = 3", "seeds = [1]\nreplications = 2"), "seeds: excludes replications"),
        (('"bulk.toml"', "7"), "scenario: required; the path"),
        (("[20, 40]", "[]"), 'grid."dumbbell.queue.limit_packets": an empty list'),
        (("[20, 40]", "20"), 'grid."dumbbell.queue.limit_packets": a list of values, or a range'),
        (("[20, 40]", "{ low = 1, high = 9 }"), r"limit_packets\"\.points: required"),
        (("[20, 40]", "{ low = 9, high = 9, points = 2 }"), r"low \(9\) has to be below high \(9\)"),
        (("[20, 40]", "{ low = 0, high = 9, points = 2, scale = 'log' }"), "a log scale starts above 0"),
        (("[20, 40]", "{ low = 1, high = 9, step = 2 }"), r"step: unknown \(legal: low, high"),
        (("[20, 40]", "{ low = 1.5, high = 9, points = 2, integer = true }"), "low and high are whole"),
        (("[20, 40]", "[20, 40.5]"), r"point 3 \(limit_packets = 40.5, .*limit_packets"),
        (("limit_packets", "limit_packet"), r"point 1 .*did you mean \"limit_packets\""),
        (('"dumbbell.queue.limit_packets"', "dumbbell.queue.limit_packets"), "write dotted keys in quotes"),
        (
            ("[grid]", '[random]\npoints = 2\n[random.keys]\n"flows" = [1]\n[grid]'),
            "grid sets it already",
        ),
        (
            ("[grid]", '[random]\npoints = 2\nkeys = { "a.b" = [] }\n[grid]'),
            r'random.keys."a.b": an empty list',
        ),
        (("[grid]", "store = 3\n[grid]"), "store: a text, not 3"),
        (("[grid]", "[grid"), r"sweep.toml: .*line 6"),
        (("[grid]", "set = { duration_s = 9 }\n[grid]"), r'toml:6: set: unknown; did you mean "overrides"\?'),
        (("[grid]", '[[points]]\n"duration_s" = 9\n[grid]'), r'toml:6: points: .*did you mean "list"\?'),
        (("[20, 40]", "[\n20,\n40.5,\n]"), r"toml:7: point 3 \("),
        (
            ("[20, 40]", "{ low = 1, high = 9, step = 2 }"),
            r'toml:7: grid\."dumbbell.*"\.step',
        ),
        ((SWEEP.partition("[grid]")[2], ""), "grid: a table of dotted keys"),
    ],
)
def test_a_mistake_is_refused_with_its_place(change: tuple[str, str], message: str, tmp_path: Path) -> None:
    assert change[0] in SWEEP
    with pytest.raises(SweepError, match=message) as refused:
        read(SWEEP.replace(*change), tmp_path)
    assert str(refused.value).startswith(str(tmp_path / "sweep.toml"))


def test_a_point_is_named_by_the_beginning_of_its_settings(tmp_path: Path) -> None:
    groups = ", ".join(["{ colour = 1 }"] * 1000)
    with pytest.raises(SweepError) as refused:
        read(f'scenario = "bulk.toml"\n[[list]]\n"flows" = [{groups}]\n', tmp_path)
    label = str(refused.value).partition("point 1 (")[2].partition("): ")[0]
    # Two hundred characters, the last of them for what is left out; the settings have 16,000.
    assert label.startswith('flows = [{"colour": 1}, {"colour": 1}')
    assert label.endswith("…")
    assert len(label) == 200
    # And twenty mistakes of fewer than 500 each.
    assert len(str(refused.value)) < 11_000


def test_a_sweep_without_a_design_or_a_scenario_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SweepError, match="no design; give at least one of grid, list"):
        read('scenario = "bulk.toml"', tmp_path)
    with pytest.raises(ScenarioError, match=r"nowhere\.toml: there is no such file"):
        read('scenario = "nowhere.toml"', tmp_path)
    with pytest.raises(SweepError, match=r"absent\.toml: there is no such file"):
        sweeps.read(tmp_path / "absent.toml")


def test_the_table_has_a_row_for_every_run_and_opens_in_pandas(
    made: tuple[Path, Path], tmp_path: Path
) -> None:
    found = sweeps.status(sweeps.read(made[0]), made[1])
    for name in ("table.parquet", "table.csv"):
        assert export(found, tmp_path / name) == 12
    table = pd.read_parquet(tmp_path / "table.parquet")
    assert list(table["point"]) == [point for point in (1, 2, 3, 4) for _ in range(3)]
    assert list(table["seed"]) == [1, 2, 3] * 4
    assert list(table["dumbbell.queue.limit_packets"]) == [20] * 6 + [40] * 6
    assert table["flows"][0] == '[{"count": 1, "direction": "left-to-right"}]'
    pd.testing.assert_frame_equal(
        pd.read_csv(tmp_path / "table.csv"), table, check_dtype=False, check_exact=False, rtol=1e-12
    )
    for _, row in table.iterrows():
        link = Result.load(made[1] / row["content_address"]).run["links"][0]
        assert row["left-to-right.throughput_mbps"] == link["throughput_mbps"]
        assert row["left-to-right.loss_percent"] == pytest.approx(100 * link["loss_ratio"], rel=1e-12)
        assert row["left-to-right.queue_mean_packets"] == link["queue_packets_mean"]


def test_links_that_no_run_could_have_are_refused_before_anything_runs(tmp_path: Path) -> None:
    file = write(tmp_path)
    refused = aqmlab_run("sweep", file, "--store", tmp_path / "store", "--links", "left-to-rihgt")
    assert refused.returncode == 2
    assert "left-to-rihgt" in refused.stderr
    assert 'did you mean "left-to-right"?' in refused.stderr
    assert not (tmp_path / "store").exists()


def test_figures_are_of_the_links_that_carry_data_or_of_those_chosen(made: tuple[Path, Path]) -> None:
    found = sweeps.status(sweeps.read(made[0]), made[1])
    for names in ((), ("right-to-left",), ("right-to-left", "left-to-right")):
        for row in sweeps.rows(found, links=names):
            judged = names or ("left-to-right",)  # all flows go that way
            assert row["judged_links"] == ", ".join(judged)
            each = [row[f"{name}.throughput_mbps"] for name in judged]
            assert row["throughput_mbps"] == pytest.approx(sum(each) / len(each))
    with pytest.raises(SweepError, match='no monitored link "left"; there are: left-to-right, right-to-left'):
        sweeps.rows(found, links=["left"])
    assert "links judged: left-to-right" in shown(to_terminal(sweep_table(found)))
    several = sweep_table(found, links=("right-to-left", "left-to-right"))
    assert "of several links: means" in shown(to_terminal(several))


def shown(table: object) -> str:
    screen = console()
    screen.width = 200
    with screen.capture() as captured:
        screen.print(table)
    return captured.get()


def test_the_figures_of_responses_are_those_of_the_rows(tmp_path: Path) -> None:
    text = """
        scenario = "web.toml"
        overrides = { duration_s = 20.0 }
        measure_offered_load = true
        [grid]
        "record.responses" = ["rows", "none"]
    """
    file = write(tmp_path, text)
    store = reference(file, tmp_path / "store")
    first, second = sweeps.rows(sweeps.status(sweeps.read(file), store))
    result = Result.load(store / first["content_address"])
    times_s = result.responses.to_pandas()["response_time_s"]
    completed, failed = first["completed_exchanges"], first["failed_exchanges"]
    assert completed == len(times_s) > 100
    assert failed == response_times(result).failed == 0
    assert first["response_mean_s"] == pytest.approx(times_s.mean(), rel=1e-3)
    assert first["response_p50_s"] == pytest.approx(times_s.median(), rel=0.02)
    assert first["response_restricted_mean_2s_s"] == pytest.approx(times_s.clip(upper=2.0).mean(), rel=1e-3)
    shares = [first[name] for name in first if name.startswith("responses_")]
    bounds = pd.cut(times_s, [0.0, 1.0, 2.0, 3.0, float("inf")])
    assert shares == pytest.approx(list(100 * bounds.value_counts(sort=False) / completed), abs=0.2)
    assert sum(shares) == pytest.approx(100.0)
    assert (
        first["offered_load_percent"] == result.offered_load["realised_percent"]
        if result.offered_load
        else False
    )
    assert second["response_p50_s"] is None
    assert second["loss_percent"] == first["loss_percent"]


def test_nothing_finished_is_nothing_to_export(made: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(SweepError, match="limits: no run has finished"):
        export(sweeps.status(sweeps.read(made[0]), tmp_path / "empty"), tmp_path / "t.csv")


def test_a_finished_sweep_is_finished(own: tuple[sweeps.Sweep, Path]) -> None:
    found = sweeps.status(*own)
    assert (found.finished, found.count(State.MISSING), found.others) == (12, 0, ())
    assert found.complaints() == []


def spoil(store: Path) -> dict[str, Path]:
    """Damages some results and puts strange things into the store."""
    truncated, flipped, renamed, swapped, short, untouched, *_ = sorted(store.iterdir())
    tables = truncated / "tables.arrow"
    tables.write_bytes(tables.read_bytes()[:-10])
    data = bytearray((flipped / "run.json").read_bytes())
    data[100] ^= 1
    (flipped / "run.json").write_bytes(data)
    shutil.copytree(untouched, store / ("0" * 40))
    shutil.rmtree(swapped)
    shutil.copytree(untouched, swapped)
    sums = (short / "SHA256SUMS").read_text().splitlines(keepends=True)
    (short / "SHA256SUMS").write_text("".join(line for line in sums if "tables" not in line))
    (untouched / "notes.txt").write_text("mine")
    (store / "thesis.tex").write_text("years of work")
    shutil.rmtree(renamed)
    renamed.mkdir()
    (renamed / "cat.jpg").write_bytes(b"cat")
    return {"truncated": truncated, "flipped": flipped, "swapped": swapped, "short": short, "cat": renamed}


def test_what_is_damaged_or_foreign_is_counted_named_and_not_used(own: tuple[sweeps.Sweep, Path]) -> None:
    checked, store = own
    places = spoil(store)
    found = sweeps.status(checked, store)
    counts = {state: found.count(state) for state in State}
    assert counts == {State.FINISHED: 7, State.MISSING: 0, State.DAMAGED: 3, State.FOREIGN: 2}
    complaints = "\n".join(found.complaints())
    for message in (
        f"{places['truncated']}: damaged: tables.arrow is not what was written",
        f"{places['flipped']}: damaged: run.json is not what was written",
        f"{places['short']}: damaged: SHA256SUMS does not list tables.arrow",
        f"{places['swapped']}: holds another run, ",
        f"{places['cat']}: is no result",
        f"{store / ('0' * 40)}: holds another run, ",
        f"{store / 'thesis.tex'}: is no result of this store",
        "notes.txt: was not written with the result; it is not used",
    ):
        assert message in complaints
    exported = {row["content_address"] for row in sweeps.rows(found)}
    assert len(exported) == 7
    assert not exported & {place.name for place in places.values()}


def test_damaged_results_are_made_again_and_foreign_ones_never_touched(
    own: tuple[sweeps.Sweep, Path], made: tuple[Path, Path]
) -> None:
    checked, store = own
    places = spoil(store)
    arguments = ("sweep", made[0], "--store", store, "--quiet")
    refused = aqmlab_run(*arguments)
    assert refused.returncode == 2
    assert "name another folder or remove" in refused.stderr
    assert (places["cat"] / "cat.jpg").read_bytes() == b"cat"
    for name in ("cat", "swapped"):
        shutil.rmtree(places[name])
    done = aqmlab_run(*arguments)
    assert done.returncode == 0, done.stderr
    assert "damaged: tables.arrow is not what was written; it is computed again" in done.stderr
    assert sweeps.status(checked, store).finished == 12
    again = {name: data for name, data in contents(store).items() if name in contents(made[1])}
    assert again == contents(made[1])
    assert (store / "thesis.tex").read_text() == "years of work"


def test_the_command_runs_tells_its_status_and_exports(tmp_path: Path) -> None:
    file = write(tmp_path)
    done = aqmlab_run("sweep", file, "--resume", "--workers", "2", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "warning: results/store has no run of limits to go on from: it starts" in done.stderr
    assert "limits: 4 points × 3 seeds = 12 runs" in done.stderr
    assert "12/12 runs" in done.stderr
    assert "kept in results/store" in done.stdout
    status = aqmlab_run("sweep", file, "--status", cwd=tmp_path)
    assert "12 runs: 12 finished, 0 missing, 0 damaged, 0 foreign" in status.stdout
    table = aqmlab_run("sweep", file, "--export", "out/table.parquet", cwd=tmp_path)
    assert table.stdout == "out/table.parquet: 12 of 12 runs\n"
    assert pq.read_table(tmp_path / "out/table.parquet").num_rows == 12


def test_what_was_added_to_the_file_is_run_and_the_rest_is_not(
    own: tuple[sweeps.Sweep, Path], tmp_path: Path
) -> None:
    _, store = own
    before = {place: place.stat().st_mtime_ns for place in store.rglob("run.json")}
    more = write(tmp_path, SWEEP.replace("[20, 40]", "[20, 40, 60]"))
    done = aqmlab_run("sweep", more, "--store", store)
    assert "6 points × 3 seeds = 18 runs, 12 of them finished" in done.stderr
    assert "6/6 runs" in done.stderr
    assert {place: place.stat().st_mtime_ns for place in before} == before
    assert sweeps.status(sweeps.read(more), store).finished == 18


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--executor", "slurm"), "there are threads, local, dask and dask://HOST:PORT"),
        (("--executor", "dask://"), "there are threads, local, dask and dask://HOST:PORT"),
        (("--executor", "dask://h:1", "--workers", "2"), "leave out the number of workers"),
        (("--status", "--resume"), "exclude each other"),
        (("--export", "table.xlsx"), "table.xlsx: a table ends in .parquet or .csv"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    options: tuple[str, ...],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    with pytest.raises(SystemExit) as left:
        cli.main(["sweep", str(write(tmp_path)), *options])
    assert left.value.code == 2
    assert message in capsys.readouterr().err


def test_a_scenario_survives_the_way_through_toml() -> None:
    from aqmlab.files.toml_text import to_toml
    from small import WEB

    for scenario in (aqmlab.Scenario.from_toml(WEB), aqmlab.Scenario.from_toml(WEB).uncongested_twin()):
        resolved: dict[str, Any] = scenario.resolved
        assert aqmlab.Scenario.from_toml(to_toml(resolved)) == scenario
