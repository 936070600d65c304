"""Functions of the API and commands of the same name: the same numbers, and what functions refuse."""

from __future__ import annotations

import csv
import inspect
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

import click
import pytest

import aqmlab
from aqmlab.cli import commands
from aqmlab.cli.from_api import arguments_in_words
from aqmlab.errors import RefusalError
from small import BULK, aqmlab_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

COLUMNS = ["configuration", "seed", "who", "quantity", "unit", "value", "at_least", "at_most"]
LINE: dict[str, Any] = {"down_mbps": 4, "up_mbps": 1, "schemes": ["fq-codel"], "seeds": "1-2"}
OPTIONS = ("--down", "4", "--up", "1", "--schemes", "fq-codel", "--seeds", "1-2")


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8") as opened:
        return list(csv.DictReader(opened))


@pytest.fixture(name="home")
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


@pytest.mark.parametrize(
    ("command", "made"),
    [
        (("bloat",), lambda: aqmlab.bloat(**LINE)),
        (("rpm", "--load", "up"), lambda: aqmlab.rpm(load=["up"], **LINE)),
        (("flent", "tcp_nup", "--length", "2"), lambda: aqmlab.flent("tcp_nup", length_s=2, **LINE)),
    ],
)
def test_tests_of_a_line_have_the_numbers_of_their_commands(
    command: tuple[str, ...], made: Callable[[], Any], home: Path
) -> None:
    done = aqmlab_run(*command, *OPTIONS, "--output", "x.csv", cwd=home)
    assert done.returncode == 0, done.stderr
    found = made()
    of_command = rows_of(home / "x.csv")
    assert rows_of(found.save("own.csv")) == of_command
    table = found.to_arrow()
    assert table.column_names == COLUMNS
    tidy = table.to_pylist()
    assert {row["seed"] for row in tidy} == {1, 2}
    assert table.to_pandas().shape == found.to_pandas().shape
    # Rates and losses are means over the seeds; of delays too, but not of all probes together.
    compared = 0
    for row in of_command:
        for name, text in row.items():
            values = [
                each["value"]
                for each in tidy
                if each["configuration"] == row["queue"] and each["quantity"] == name
            ]
            if values and name.endswith(("_mbps", "_rpm", "_loss_down_percent")):
                assert fmean(values) == pytest.approx(float(text)), name
                compared += 1
    assert compared >= 2
    # What is printed is the terminal's output, without its first line on the file.
    assert done.stdout.partition("\n")[2].split() == str(found).split()
    assert "<table" in found._repr_html_()
    assert "FQ-CoDel" in found._repr_html_()


def test_tests_of_a_line_have_their_numbers_typed(home: Path) -> None:
    bloat = aqmlab.bloat(**{**LINE, "seeds": [1]})
    phases = bloat["as it is"].phases
    assert bloat["as it is"].by_seed[1] == phases
    (row,) = [
        each
        for each in bloat.to_arrow().to_pylist()
        if (each["configuration"], each["quantity"]) == ("as it is", "upload_delay_up_p50_ms")
    ]
    assert (row["value"], row["unit"]) == (phases[list(phases)[2]].delay_ms["up"][50], "ms")
    with pytest.raises(RefusalError, match='did you mean "fq-codel"'):
        bloat["fq-codle"]
    flent = aqmlab.flent("tcp_nup", BULK, schemes=[], length_s=1, flent="data")
    assert [file.name for file in (home / "data").iterdir()] == ["tcp_nup-as-it-is-seed-1.flent.gz"]
    assert flent.queues["as it is"].sum_mbps("up") == flent.runs[0].sum_mbps("up")


def on(verb: Callable[..., object], *first: object, **given: object) -> Callable[[], object]:
    return lambda: verb(*first, **{**LINE, **given})


@pytest.mark.parametrize(
    ("call", "place", "value"),
    [
        (on(aqmlab.bloat, down_mbps=None), "line", None),
        (on(aqmlab.bloat, BULK), "line", None),
        (on(aqmlab.bloat, overrides={"duration_s": 3}), "overrides", None),
        (on(aqmlab.bloat, down_mbps=-1), "down_mbps", -1),
        (on(aqmlab.bloat, up_mbps="1"), "up_mbps", "1"),
        (on(aqmlab.bloat, rtt_ms=0), "rtt_ms", 0),
        (on(aqmlab.bloat, seeds="x"), "seeds", "x"),
        (on(aqmlab.bloat, schemes="pie"), "schemes", "pie"),
        (on(aqmlab.bloat, output="x.txt"), "output", "x.txt"),
        (on(aqmlab.bloat, executor="grid"), "executor", "grid"),
        (on(aqmlab.rpm, load=["sideways"]), "load", "sideways"),
        (on(aqmlab.rpm, load=[]), "load", []),
        (on(aqmlab.rpm, load="up"), "load", "up"),
        (on(aqmlab.rpm, workers=0), "workers", 0),
        (on(aqmlab.flent, "rrull"), "test", "rrull"),
        (on(aqmlab.flent, "rrul", length_s=0), "length_s", 0),
        (on(aqmlab.flent, "rrul", flent=3), "flent", 3),
    ],
)
def test_what_no_verb_takes_is_refused_with_its_place(
    call: Callable[[], object], place: str, value: object, home: Path
) -> None:
    with pytest.raises(aqmlab.AqmlabError) as refused:
        call()
    assert isinstance(refused.value, ValueError)
    assert (refused.value.place, refused.value.value) == (place, value)
    assert refused.value.legal
    assert list(home.iterdir()) == []


WEB = """
name = "web"
duration_s = 40.0
warm_up_s = 5.0
[dumbbell]
rate_mbps = 4.0
queue = { scheme = "drop-tail", limit_packets = 50 }
[users]
left = 5
right = 5
"""


def test_a_calibration_has_the_lines_and_sizes_of_its_command(home: Path) -> None:
    (home / "web.toml").write_text(WEB)
    done = aqmlab_run("calibrate", "web.toml", "--sizes", "20,60", "--loads", "50", "--quiet", cwd=home)
    assert done.returncode == 0, done.stderr
    found = aqmlab.calibrate("web.toml", sizes=[20, 60], loads=[50])
    assert (found.file, found.loads_percent) == (None, (50,))
    kept = aqmlab.calibrate(WEB, sizes=[20, 60], loads=[50], output="results/calibration")
    assert kept.file == home.joinpath("results/calibration/calibration.json").relative_to(home)
    held = type(found.calibration).load(kept.file)
    assert held.bottlenecks == found.calibration.bottlenecks
    assert f"{found}\nkept in {kept.file}\n" == done.stdout
    sizes = found.size(50)
    assert f"{sizes['users.left']:,} users.left" in str(found)
    rows = found.to_arrow().to_pylist()
    assert {(row["configuration"], row["quantity"]) for row in rows} == {
        (size, f"throughput_mbps/links.{link}")
        for size in ("20", "60")
        for link in ("left-to-right", "right-to-left")
    }
    assert rows[0]["value"] == held.bottlenecks[0].points[0].throughput_mbps_by_link["left-to-right"]
    assert "throughput of left-to-right" in found._repr_html_()


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({"sizes": [10]}, "sizes"),
        ({"sizes": [0, 3]}, "sizes"),
        ({"sizes": 3}, "sizes"),
        ({"sizes": ["a", "b"]}, "sizes"),
        ({"loads": [-1]}, "loads"),
        ({"seeds": []}, "seeds"),
        ({"output": 3}, "output"),
        ({"demand": ["flow"]}, "demand flow"),
        ({"links": ["up"]}, "links: up"),
    ],
)
def test_a_calibration_refuses_what_it_cannot_take(given: dict[str, Any], place: str, home: Path) -> None:
    with pytest.raises(aqmlab.AqmlabError) as refused:
        aqmlab.calibrate(WEB, **given)
    assert refused.value.place == place
    assert list(home.iterdir()) == []


# ------------------------------------------------------------------------------- what is printed, and frames


QUEUE = "dumbbell.queue.limit_packets"


def test_a_sweep_prints_the_table_of_its_command(home: Path) -> None:
    (home / "bulk.toml").write_text(BULK)
    (home / "sweep.toml").write_text(
        f'scenario = "bulk.toml"\nseeds = [1, 2]\n[grid]\n"{QUEUE}" = [5, 20]\n', encoding="utf-8"
    )
    done = aqmlab_run("sweep", "sweep.toml", "--executor", "threads", cwd=home)
    assert done.returncode == 0, done.stderr
    swept = aqmlab.sweep(BULK, grid={QUEUE: [5, 20]}, seeds=[1, 2])
    printed = str(swept).replace("two flows: ", "").split()
    kept = done.stdout.rpartition("kept in")[0]
    assert printed[-20:] == kept.split()[-20:]
    assert swept.to_pandas(["loss_percent"]).value.tolist() == [
        run.value("loss_percent") for packets in (5, 20) for run in swept.at({QUEUE: packets})
    ]


def test_a_search_prints_what_its_command_does_and_is_a_frame_of_candidates(home: Path) -> None:
    (home / "bulk.toml").write_text(BULK)
    options = ("--scheme", "codel", "--objective", "lowest-drop-rate", "--trials", "2", "--seeds", "1")
    done = aqmlab_run(
        "tune", "bulk.toml", *options, "--fresh-seeds", "2-3", "--executor", "threads", cwd=home
    )
    assert done.returncode == 0, done.stderr
    outcome = aqmlab.tune(
        BULK, scheme="codel", objective="lowest-drop-rate", trials=2, seeds=[1], fresh_seeds=[2, 3]
    )
    assert str(outcome).split() == done.stdout.partition("trials.parquet:")[0].split()
    assert "<table" in outcome._repr_html_()
    assert repr(outcome).startswith("Outcome('two flows', codel for lowest-drop-rate: ")
    frame = outcome.to_pandas()
    fresh = frame[(frame.candidate == outcome.winner.label) & frame.fresh]
    lost = [run["loss_percent"] for run in outcome.winner.fresh.values()]
    assert fresh.seed.tolist() == [2, 3]
    assert fresh.cost.tolist() == [pytest.approx(float(each or 0.0) / 100) for each in lost]
    assert set(outcome.best_settings) <= set(frame.columns)


def test_a_result_is_a_frame_of_what_compare_shows() -> None:
    run = aqmlab.run(BULK)
    assert run.to_arrow().equals(aqmlab.frame(run))
    assert run.to_pandas(["loss_percent"]).value.tolist() == [run.value("loss_percent")]
    with pytest.raises(aqmlab.UnknownQuantityError):
        run.to_pandas(["loss"])


# ------------------------------------------------------------------------------------- new and crossvalidate


@pytest.mark.parametrize(
    ("given", "options"),
    [
        ({}, ()),
        (
            {"down_mbps": 50, "up_mbps": 10, "technology": "vdsl"},
            ("--down", "50", "--up", "10", "--technology", "vdsl"),
        ),
    ],
)
def test_a_preset_is_the_text_of_its_command_and_runs(
    given: dict[str, Any], options: tuple[str, ...], home: Path
) -> None:
    done = aqmlab_run("new", "home", *options, cwd=home)
    made = aqmlab.new("home", **given)
    assert str(made) == done.stdout
    assert aqmlab.Scenario.of(made) == made.scenario
    assert "<svg" in made._repr_html_()
    aqmlab.new("home", **given, output="own.toml")
    aqmlab_run("new", "home", *options, "-o", "of-command.toml", cwd=home)
    assert (home / "own.toml").read_bytes() == (home / "of-command.toml").read_bytes() == made.encode()


@pytest.mark.parametrize(
    ("preset", "given", "place"),
    [
        ("hoem", {}, "preset"),
        (3, {}, "preset"),
        ("building-docsis", {"up_mbps": 3}, "up_mbps"),
        ("home", {"up_mbps": "3"}, "up_mbps"),
        ("home", {"down_mbps": 0.1}, "down_mbps"),
        ("home", {"technology": "wifi"}, "technology"),
        ("home", {"output": 3}, "output"),
    ],
)
def test_a_preset_that_is_none_is_refused(
    preset: Any,  # noqa: ANN401
    given: dict[str, Any],
    place: str,
    home: Path,
) -> None:
    with pytest.raises(RefusalError) as refused:
        aqmlab.new(preset, **given)
    assert (refused.value.place, bool(refused.value.legal)) == (place, True)
    assert list(home.iterdir()) == []


def test_no_file_is_replaced_by_a_preset(home: Path) -> None:
    (home / "home.toml").write_text("mine")
    with pytest.raises(aqmlab.FolderError, match="exists already"):
        aqmlab.new("home", output="home.toml")
    assert (home / "home.toml").read_text() == "mine"


def test_a_cross_validation_has_the_numbers_of_both_kinds_of_runs(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With simulations of other seeds in the place of live runs."""

    def lived(scenario: aqmlab.Scenario, folder: Path, *, seed: int, **_: Any) -> aqmlab.Result:  # noqa: ANN401
        run = aqmlab.run(scenario, seed=seed + 10)
        facts = {"seed": seed, "content_address": scenario.content_address(seed)}
        own = replace(run, run={**run.run, **facts}).with_live({"verdict": "valid", "reasons": []})
        return aqmlab.Result.load(own.save(folder))

    monkeypatch.setattr("aqmlab.study.crossvalidation.run_live", lived)
    monkeypatch.setattr("aqmlab.study.crossvalidation.offers", lambda _: [])
    monkeypatch.setattr("aqmlab.show.objects.crossvalidation.verdict", lambda which, _: f"{which}: valid")
    monkeypatch.setenv("COLUMNS", "120")
    (home / "bulk.toml").write_text(BULK)
    found = aqmlab.crossvalidate("bulk.toml", seeds="1-2", output="own")
    done = aqmlab_run("crossvalidate", "bulk.toml", "--seeds", "1-2", "--output", "own", cwd=home)
    assert done.returncode == 0, done.stderr
    assert f"{found}\nkept in own".split() == done.stdout.split()
    rows = {
        (row["configuration"], row["seed"]): row["value"]
        for row in found.to_arrow().to_pylist()
        if row["quantity"] == "loss_percent/links.left-to-right" or row["quantity"] == "loss_percent"
    }
    for seed in (1, 2):
        for kind, other in (("simulated", seed), ("live", seed + 10)):
            assert rows[kind, seed] == aqmlab.run(BULK, seed=other).value("loss_percent")
    assert found.seeds == (1, 2)
    assert "live less simulated" in found._repr_html_()


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({"seeds": []}, "seeds"),
        ({"hosts": 3}, "hosts"),
        ({"output": 3}, "output"),
        ({"overrides": 3}, "overrides"),
    ],
)
def test_a_cross_validation_refuses_what_it_cannot_take(given: dict[str, Any], place: str) -> None:
    with pytest.raises(aqmlab.ScenarioError) as refused:
        aqmlab.crossvalidate(BULK, **given)
    assert refused.value.place == place


# --------------------------------------------------------------------------------------- options, said once


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("bloat", set()),
        ("calibrate", set()),
        ("compare", {"output"}),  # the command writes more
        ("crossvalidate", set()),
        ("evaluate", set()),
        ("flent", set()),
        ("new", set()),
        ("reproduce", set()),
        ("rpm", set()),
        ("tune", set()),
    ],
)
def test_an_option_has_the_words_of_the_argument(name: str, own: set[str]) -> None:
    command = commands.get_command(click.Context(commands), name)
    assert command is not None
    told = arguments_in_words(getattr(aqmlab, name))
    given = set(inspect.signature(getattr(aqmlab, name)).parameters)
    assert told.keys() == given, "every argument stands in the docstring"
    helps = {each.name: each.help for each in command.params if isinstance(each, click.Option)}
    shared = helps.keys() & given - {"overrides", "workers", "executor"} - own
    assert len(shared) > 2
    assert {each: helps[each] for each in shared} == {each: told[each] for each in shared}
