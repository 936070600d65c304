"""No result is refused its place, and none is replaced by something else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import aqmlab
from aqmlab.comparison.kept import kept_in
from aqmlab.errors import FolderError, ResultError
from aqmlab.files.folders import PARTIAL_PREFIX
from aqmlab.files.own_folders import Holds, own_folder
from aqmlab.runs.store import State, inspect, remove_damaged
from small import BULK, aqmlab_run, command

if TYPE_CHECKING:
    from collections.abc import Callable

SHORT = BULK.replace("duration_s = 3.0", "duration_s = 1.5").replace("warm_up_s = 1.0", "warm_up_s = 0.5")
COMPARED = ("compare", "link.toml", "--schemes", "drop-tail,pie", "--seeds", "1-2")


@pytest.fixture(name="here")
def a_folder_with_a_scenario(tmp_path: Path) -> Path:
    (tmp_path / "link.toml").write_text(SHORT)
    return tmp_path


def faster(here: Path) -> None:
    (here / "link.toml").write_text(SHORT.replace("rate_mbps = 10.0", "rate_mbps = 20.0"))


def told(here: Path, *arguments: str) -> str:
    """The folder that a quiet command names last."""
    done = aqmlab_run(*arguments, "--quiet", cwd=here)
    assert done.returncode == 0, done.stderr
    return str(done.stdout.splitlines()[-1])


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_the_same_is_found_again_and_something_else_goes_beside_it(tmp_path: Path) -> None:
    def holds(mine: str) -> Callable[[Path], Holds | str]:
        def found(folder: Path) -> Holds | str:
            if not folder.exists():
                return Holds.NOTHING
            held = (folder / "whose").read_text()
            return Holds.THE_SAME if held == mine else f"that of {held}"

        return found

    def put(mine: str) -> tuple[str, str]:
        folder, why = own_folder(tmp_path / "a.b", holds(mine))
        folder.mkdir(exist_ok=True)
        (folder / "whose").write_text(mine)
        return folder.name, why

    assert put("one") == ("a.b", "")
    assert put("two") == ("a.b-2", "that of one")
    assert put("three") == ("a.b-3", "that of one")
    assert [put(each) for each in ("one", "two")] == [("a.b", ""), ("a.b-2", "that of one")]
    # Other names are not counted, and a gap is filled.
    for name in ("a.b-01", "a.b-1", "axb-7", "a.b-2x"):
        (tmp_path / name).mkdir()
    (tmp_path / "a.b-2" / "whose").unlink()
    (tmp_path / "a.b-2").rmdir()
    assert put("three") == ("a.b-3", "that of one")
    assert put("four") == ("a.b-2", "that of one")
    (tmp_path / "file").touch()
    with pytest.raises(FolderError, match="is a file"):
        own_folder(tmp_path / "file", holds("one"))


def test_a_folder_that_is_made_meanwhile_is_looked_at_and_not_passed_over(tmp_path: Path) -> None:
    """Somebody makes `a-2` between the list of folders and the look at what each of them holds."""
    for name in ("a", "a-3"):
        (tmp_path / name).mkdir()

    def beside_another_who(makes: str) -> Path:
        """The folder found while somebody makes the second one, with the same or something else in it."""

        def holds(folder: Path) -> Holds | str:
            if folder.name == "a-3":
                (tmp_path / "a-2").mkdir(exist_ok=True)
            if folder.name in {"a", "a-3"}:
                return "something else"
            if folder.name == "a-2":
                return Holds.THE_SAME if makes == "the same" else "something else"
            return Holds.NOTHING

        return own_folder(tmp_path / "a", holds)[0]

    assert beside_another_who("the same").name == "a-2"
    (tmp_path / "a-2").rmdir()
    assert beside_another_who("something else").name == "a-4"


def test_an_edited_scenario_other_seeds_and_other_schemes_leave_a_comparison_as_it_was(here: Path) -> None:
    first = here / told(here, *COMPARED)
    assert first == here / "results" / "compare-two-flows"
    before = contents(first)
    assert {"report.html", "comparison.csv", "comparison.json"} <= before.keys()
    for number, (arguments, why) in enumerate(
        [
            ((*COMPARED, "--seeds", "1"), "of seeds 1-2"),
            ((*COMPARED, "--seeds", "1-3"), "of seeds 1-2"),
            ((*COMPARED[:3], "drop-tail,pie,red", "--seeds", "1-2"), "of drop-tail, pie"),
            ((*COMPARED[:3], "pie,drop-tail", "--seeds", "1-2"), "of drop-tail, pie"),
            ((*COMPARED, "--links", "right-to-left"), "judged by the links that carry data"),
            ((*COMPARED, "--set", "dumbbell.rate_mbps=20"), "dumbbell.rate_mbps 10 instead of 20"),
        ],
        start=2,
    ):
        made = aqmlab_run(*arguments, "--quiet", "--no-report", cwd=here)
        assert made.returncode == 0, made.stderr
        assert made.stdout.strip() == f"results/compare-two-flows-{number}"
        assert why in made.stderr
        # The same command finds its own folder.
        assert told(here, *arguments, "--no-report") == f"results/compare-two-flows-{number}"
        assert contents(first) == before
    faster(here)
    assert told(here, *COMPARED) == "results/compare-two-flows-7"
    assert aqmlab_run("report", str(first), "--output", "again.html", cwd=here).returncode == 0
    assert (here / "again.html").read_bytes() == before["report.html"]


def interrupt(folder: Path, *removed: str) -> None:
    """Leaves a comparison as a kill leaves it: with runs lacking, and one half written."""
    note = folder / "comparison.json"
    note.write_text(json.dumps({"asked": json.loads(note.read_text())["asked"]}))
    half = folder / "pie" / f"{PARTIAL_PREFIX}0123456789abcdef"
    half.mkdir()
    shutil.copy(folder / "pie" / "seed-1" / "run.json", half)
    for each in removed:
        shutil.rmtree(folder / each)


def test_an_interrupted_comparison_is_read_and_said_to_be_unfinished(here: Path) -> None:
    asked = (*COMPARED[:3], "pie,drop-tail,codel", "--seeds", "1-2", "--output", "killed")
    killed = here / told(here, *asked, "--no-report")
    interrupt(killed, "codel")
    completes = "the same aqmlab compare command completes it."
    lacks = f"Unfinished comparison: 4 of 6 runs, none with codel; {completes}"
    reported = aqmlab_run("report", "killed", cwd=here)
    assert reported.stdout == "killed/report.html\n", reported.stderr
    assert reported.stderr == f"aqmlab: warning: {lacks}\n"
    assert lacks in (killed / "report.html").read_text()
    compared = aqmlab_run("compare", "killed", cwd=here)
    assert lacks in " ".join(compared.stdout.split()), compared.stderr
    # The baseline is the one that was asked for, though another comes first in the folder.
    assert aqmlab.compare(killed).names == ("pie", "drop-tail")
    assert aqmlab.compare(killed).cautions() == [lacks]
    shutil.rmtree(killed / "pie" / "seed-2")
    refused = aqmlab_run("report", "killed", cwd=here)
    assert "killed: configurations have different seeds. Unfinished comparison: 3 of 6 runs" in refused.stderr
    assert refused.returncode == 2
    assert told(here, *asked) == "killed"
    assert aqmlab.compare(killed).cautions() == []
    assert "Unfinished" not in (killed / "report.html").read_text()


def test_a_comparison_in_a_folder_that_was_named_follows_the_same_rule(here: Path) -> None:
    assert told(here, *COMPARED, "--output", "mine") == "mine"
    assert told(here, *COMPARED, "--output", "mine", "--seeds", "1") == "mine-2"
    # Without its note the folder is still known by its runs.
    (here / "mine" / "comparison.json").unlink()
    assert told(here, *COMPARED, "--output", "mine", "--no-report") == "mine"
    assert told(here, "run", "link.toml", "--output", "one") == "one"
    assert told(here, *COMPARED, "--output", "one", "--no-report") == "one-2"
    (here / "mine" / "comparison.json").write_text("{")
    assert told(here, *COMPARED, "--output", "mine", "--no-report") == "mine-3"
    found = aqmlab.compare(here / "link.toml", schemes=["drop-tail", "pie"], seeds="1-2", output=here / "api")
    assert found.folder == here / "api"
    with pytest.warns(UserWarning, match=r"api holds another comparison, of seeds 1-2: this one goes to"):
        other = aqmlab.compare(
            here / "link.toml", schemes=["drop-tail", "pie"], seeds=[3], output=here / "api"
        )
    assert other.folder == here / "api-2"
    assert aqmlab.compare(here / "api").seeds == (1, 2)


def test_a_comparison_that_ends_before_its_first_run_leaves_nothing(here: Path) -> None:
    made = aqmlab_run(*COMPARED, "--set", "duration_s=1000000", "--until-width", "1", cwd=here)
    assert made.returncode != 0
    with pytest.raises(aqmlab.RunError):
        aqmlab.compare(
            here / "link.toml",
            schemes=["drop-tail", "pie"],
            seeds=[1],
            output=here / "out",
            executor=Failing(),  # type: ignore[arg-type]
        )
    assert [each.name for each in here.iterdir()] == ["link.toml"]


class Failing:
    """An executor without a run."""

    def compute(self, jobs: object, *, bar: object) -> object:
        del jobs, bar
        raise aqmlab.RunError("no run")


def test_runs_of_an_edited_scenario_go_beside_the_others(here: Path) -> None:
    assert told(here, "run", "link.toml") == "results/two-flows/seed-1"
    assert told(here, "run", "link.toml", "--seeds", "2-3") == "results/two-flows/seed-3"
    before = contents(here / "results" / "two-flows")
    faster(here)
    made = aqmlab_run("run", "link.toml", "--seed", "4", cwd=here)
    assert "kept in results/two-flows-2/seed-4" in made.stdout
    assert "holds a run of another scenario, dumbbell.rate_mbps 10 instead of 20" in made.stderr
    assert told(here, "run", "link.toml", "--seed", "1") == "results/two-flows-2/seed-1"
    assert contents(here / "results" / "two-flows") == before


def test_a_single_result_and_the_packets_of_a_run_are_not_replaced(here: Path) -> None:
    assert told(here, "run", "link.toml", "--output", "one") == "one"
    assert told(here, "run", "link.toml", "--output", "one", "--pcap", "left-to-right") == "one-2"
    assert told(here, "run", "link.toml", "--output", "one", "--seed", "2") == "one-3"
    assert told(here, "run", "link.toml", "--output", "one", "--seeds", "1-2") == "one-4/seed-2"
    # Packets say more, so that a run without them is found there.
    assert told(here, "run", "link.toml", "--output", "one-2") == "one-2"
    (here / "notes").mkdir()
    (here / "notes" / "mine.txt").write_text("mine")
    refused = aqmlab_run("run", "link.toml", "--output", "notes", cwd=here)
    assert (refused.returncode, "is no result; name another folder" in refused.stderr) == (2, True)
    assert contents(here / "notes") == {"mine.txt": b"mine"}


def test_a_damaged_run_is_made_again_in_its_place(here: Path) -> None:
    folder = here / told(here, *COMPARED)
    (folder / "pie" / "seed-1" / "tables.arrow").unlink()
    address = aqmlab.Result.load(folder / "pie" / "seed-2").content_address
    assert told(here, *COMPARED) == str(folder.relative_to(here))
    assert inspect(folder / "pie" / "seed-2", address).state is State.FINISHED
    assert aqmlab.Result.load(folder / "pie" / "seed-1").seed == 1


def test_a_finished_run_stays_in_its_place_when_somebody_looks_for_damage(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process may read it at that moment."""
    result = aqmlab.run(here / "link.toml", seed=1)
    place = result.save(here / "run")
    moved: list[Path] = []
    monkeypatch.setattr(Path, "rename", lambda self, _: moved.append(self))
    remove_damaged(place, result.content_address)
    assert (moved, inspect(place, result.content_address).state) == ([], State.FINISHED)


def test_runs_below_results_are_shared_and_each_folder_stands_alone(here: Path) -> None:
    told(here, *COMPARED)
    store = here / "results" / "store"
    assert len(list(store.iterdir())) == 4
    made = {place: place.stat().st_mtime_ns for place in store.iterdir()}
    other = here / told(here, *COMPARED, "--seeds", "2-3")
    assert len(list(store.iterdir())) == 6, "seed 2 was there"
    assert {place: place.stat().st_mtime_ns for place in made} == made
    shared = aqmlab.Result.load(other / "pie" / "seed-2")
    mine, stored = other / "pie" / "seed-2" / "run.json", store / shared.content_address / "run.json"
    assert mine.samefile(stored)
    for place in store.iterdir():
        for file in place.iterdir():
            file.unlink()
    assert aqmlab_run("report", str(other), cwd=here).returncode == 0
    # A folder elsewhere brings no store.
    told(here, *COMPARED, "--output", "elsewhere/mine")
    assert [each.name for each in (here / "elsewhere").iterdir()] == ["mine"]


def test_what_a_run_of_the_store_does_not_say_is_measured(here: Path) -> None:
    users = "[users]\nper_side = 3\n"
    (here / "link.toml").write_text(SHORT.replace("[[flows]]", f"{users}\n[[flows]]").replace("1.5", "3.0"))
    told(here, "run", "link.toml", "--no-offered-load", "--output", "results/plain")
    told(here, "run", "link.toml", "--output", "results/loaded")
    assert aqmlab.Result.load(here / "results" / "plain").offered_load is None
    loaded = aqmlab.Result.load(here / "results" / "loaded")
    assert loaded.offered_load == aqmlab.run(here / "link.toml", measure_offered_load=True).offered_load


def test_two_comparisons_at_once_keep_their_folders(here: Path) -> None:
    """Whoever comes second to a free folder goes beside it; the same twice share one."""
    asked = ["drop-tail,pie", "drop-tail,red", "drop-tail,pie"]
    begun = [
        subprocess.Popen(
            command("compare", "link.toml", "--schemes", schemes, "--seeds", "1-2", "--no-report", "--quiet"),
            cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for schemes in asked
    ]  # fmt: skip
    folders = []
    for process in begun:
        said, complaints = process.communicate(timeout=120)
        assert process.returncode == 0, complaints
        folders.append(said.strip())
    assert folders[0] == folders[2]
    assert {*folders} == {"results/compare-two-flows", "results/compare-two-flows-2"}
    for schemes, folder in zip(asked, folders, strict=True):
        assert list(aqmlab.compare(here / folder).names) == schemes.split(",")


def test_results_are_listed(here: Path) -> None:
    assert "nothing in results" in aqmlab_run("results", cwd=here).stdout
    told(here, *COMPARED)
    told(here, "run", "link.toml", "--seeds", "1-3")
    told(here, "run", "link.toml", "--output", "results/deep/one")
    claimed = here / "results" / "begun"
    claimed.mkdir()
    note = json.loads((here / "results" / "compare-two-flows" / "comparison.json").read_text())
    (claimed / "comparison.json").write_text(json.dumps({"asked": note["asked"]}))
    (here / "results" / "broken").mkdir()
    (here / "results" / "broken" / "run.json").write_text("{")
    done = aqmlab_run("results", "--json", cwd=here)
    assert done.returncode == 0, done.stderr
    rows = {row["folder"]: row for row in json.loads(done.stdout)}
    compared = rows["results/compare-two-flows"]
    assert (compared["what"], compared["scenario"]) == ("comparison", "two flows")
    assert (compared["schemes"], compared["seeds"], compared["runs"]) == (["drop-tail", "pie"], [1, 2], 4)
    assert (compared["finished"], compared["report"]) == (True, "results/compare-two-flows/report.html")
    assert (rows["results/begun"]["finished"], rows["results/begun"]["seeds"]) == (False, [1, 2])
    assert (rows["results/two-flows"]["what"], rows["results/two-flows"]["seeds"]) == ("runs", [1, 2, 3])
    assert rows["results/deep/one"]["schemes"] == ["drop-tail"]
    assert (rows["results/store"]["what"], rows["results/store"]["runs"]) == ("store", 5)
    assert rows.keys() == {
        *("results/compare-two-flows", "results/begun", "results/two-flows"),
        *("results/deep/one", "results/store"),
    }
    printed = aqmlab_run("results", cwd=here).stdout
    assert "comparison, begun" in printed
    assert all(folder in printed for folder in rows)
    assert not any(row["differs"] for row in rows.values())
    assert [each.folder.name for each in kept_in(here / "results" / "deep")] == ["one"]
    with pytest.raises(ResultError, match="there is no such folder"):
        kept_in(here / "nowhere")


def test_results_that_look_the_same_are_listed_with_what_differs(here: Path) -> None:
    told(here, *COMPARED)
    told(here, *COMPARED, "--set", "dumbbell.rate_mbps=20")
    told(here, *COMPARED, "--links", "right-to-left")
    told(here, "run", "link.toml", "--seeds", "1-2")
    told(here, "run", "link.toml", "--seeds", "1-2", "--set", "duration_s=6")
    differs = {
        row["folder"]: row["differs"] for row in json.loads(aqmlab_run("results", "--json", cwd=here).stdout)
    }
    assert differs["results/compare-two-flows"] is None
    assert differs["results/compare-two-flows-2"] == "dumbbell.rate_mbps 20 instead of 10"
    assert differs["results/compare-two-flows-3"] == "links right-to-left instead of absent"
    assert differs["results/two-flows"] is None
    assert differs["results/two-flows-2"].startswith("duration_s 6 instead of ")
    assert "differs in" in aqmlab_run("results", cwd=here).stdout


def test_another_calibration_goes_beside_the_one_that_is_there(here: Path) -> None:
    ending = ("--set", "flows.0.bytes=100000", "--set", "warm_up_s=0")
    few = ("calibrate", "link.toml", "--demand", "flows", "--sizes", "1,2", *ending, "--quiet")
    place = here / "results" / "calibration"
    told(here, *few)
    before = (place / "calibration.json").read_bytes()
    for number, (option, value, why) in enumerate(
        [
            ("--seeds", "2", "of seeds 1"),
            ("--sizes", "1,3", "of sizes 1, 2"),
            ("--set", "dumbbell.rate_mbps=20", "of another scenario"),
        ],
        start=2,
    ):
        done = aqmlab_run(*few, option, value, cwd=here)
        assert done.returncode == 0, done.stderr
        assert f"holds a calibration {why}: this one goes to results/calibration-{number}" in done.stderr
        assert f"kept in results/calibration-{number}/calibration.json" in done.stdout
    assert told(here, *few).endswith("results/calibration/calibration.json")
    assert (place / "calibration.json").read_bytes() == before
    (place / "calibration.json").write_text("{}")
    assert told(here, *few).endswith("results/calibration-5/calibration.json")


@pytest.mark.parametrize("arguments", [COMPARED, ("run", "link.toml", "--seeds", "1-2"), ("--help",)])
def test_nobody_who_reads_on_costs_no_result_and_ends_quietly(here: Path, arguments: tuple[str, ...]) -> None:
    """As behind `| head`, of which nothing more than a line is read."""
    ours, its = os.pipe()
    os.close(ours)
    with os.fdopen(its, "wb") as closed:
        done = subprocess.run(
            command(*arguments),
            cwd=here,
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
    assert done.returncode == 141
    assert not {"Traceback", "Broken pipe", "Exception"} & {*done.stderr.replace(":", " ").split()}
    if arguments == COMPARED:
        there = {each.name for each in (here / "results" / "compare-two-flows").iterdir()}
        assert there == {"report.html", "comparison.csv", "comparison.json", "drop-tail", "pie"}
    elif arguments[0] == "run":
        assert len(list((here / "results" / "two-flows").glob("seed-*/run.json"))) == 2


def test_a_run_on_whose_link_nothing_left_prints_its_tables(here: Path) -> None:
    text = SHORT.split("[[flows]]")[0].replace(
        "rate_mbps = 10.0", "rate_mbps = 1.0\nmedium = { slots = { cycle_ms = 20000.0, slot_ms = 400.0 } }"
    )
    text += '[[datagrams]]\ncount = 1\ndirection = "left-to-right"\npacket_bytes = 200\nrate_mbps = 0.3\n'
    (here / "link.toml").write_text(text)
    done = aqmlab_run("run", "link.toml", cwd=here)
    assert done.returncode == 0, done.stderr
    assert "seed 1: links" in done.stdout
    assert "kept in results/two-flows/seed-1" in done.stdout
    with pytest.raises(aqmlab.MissingDataError, match="nothing left on left-to-right"):
        aqmlab.Result.load(here / "results" / "two-flows" / "seed-1").value("queue_mean_ms")
