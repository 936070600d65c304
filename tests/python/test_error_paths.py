"""Wrong input to every command: a message with the place and what is legal, never a traceback."""

from __future__ import annotations

import sys
import tomllib
import warnings
from typing import TYPE_CHECKING, Any

import pytest

import aqmlab
from aqmlab import Scenario, ScenarioError, cli
from aqmlab.errors import ComparisonError, ResultError
from aqmlab.terminal.spelling import counted
from small import BULK, WEB

if TYPE_CHECKING:
    from pathlib import Path

MISTAKES = {"missing.toml", "folder.toml", "empty.toml", "binary.toml", "words.toml"}
TAKES_A_FILE = {
    "run": ("run", "FILE", "--output", "out"),
    "live": ("live", "FILE"),
    "crossvalidate": ("crossvalidate", "FILE"),
    "play": ("play", "FILE", "--no-browser"),
    "compare": ("compare", "FILE", "--schemes", "red,pi"),
    "compare two": ("compare", "FILE", "bulk.toml"),
    "report": ("report", "FILE"),
    "plot": ("plot", "FILE", "--what", "queue"),
    "draw": ("draw", "FILE"),
    "sweep": ("sweep", "FILE"),
    "sweep status": ("sweep", "FILE", "--status"),
    "tune": ("tune", "FILE"),
    "tune ranges": ("tune", "web.toml", "--ranges", "FILE"),
    "calibrate": ("calibrate", "FILE"),
    "scorecard": ("scorecard", "FILE"),
    "pages": ("pages", "import", "FILE", "-o", "own.csv"),
    "export": ("export", "flent", "FILE", "-o", "x.flent.gz"),
    "bundle": ("bundle", "FILE", "-o", "x.zip"),
    "scheme check": ("scheme", "check", "FILE:Red"),
    "scheme cost": ("scheme", "cost", "FILE:Red"),
    "model check": ("model", "check", "FILE:Red"),
    "explain": ("explain", "FILE:Red"),
    "schema": ("schema", "FILE:Red"),
}
OTHERS = {
    "unknown scheme, explain": (("explain", "wfq"), 'did you mean "fq"?'),
    "a misspelt host profile, explain": (("explain", "linux-cubic"), 'did you mean "linux6-cubic"?'),
    "a misspelt traffic model, explain": (("explain", "webtref"), 'did you mean "webtraf"?'),
    "unknown scheme, schema": (("schema", "sfq"), "sfq"),
    "unknown scheme, check": (("scheme", "check", "sfq"), "sfq"),
    "unknown scheme, cost": (("scheme", "cost", "sfq"), "sfq"),
    "unknown scheme, compare": (("compare", "bulk.toml", "--schemes", "red,wfq"), 'did you mean "fq"?'),
    "unknown scheme, tune": (("tune", "web.toml", "--scheme", "wfq"), 'did you mean "fq"?'),
    "unknown word of Linux's, compare": (
        ("compare", "bulk.toml", "--schemes", "red,cake bandwith 3Mbit"),
        'did you mean "bandwidth"?',
    ),
    "unknown word of Linux's, tune": (
        ("tune", "web.toml", "--scheme", "codel limt 9"),
        'did you mean "limit"?',
    ),
    "a shaper, bloat": (("bloat", "--down", "9", "--up", "9", "--schemes", "tbf rate 1mbit"), "shaper = {"),
    "unknown scheme, run": (("run", "bulk.toml", "--set", 'dumbbell.queue.scheme="sfq"'), "sfq"),
    "unknown preset": (("new", "building-vdls"), "building-vdsl"),
    "unknown experiment": (("reproduce", "le2004"), "le2003"),
    "unknown design": (("design", "pee"), 'pee: unknown; did you mean "pie"? (legal: arc, pi, pie, sfg)'),
    "unknown command": (("rnu", "bulk.toml"), 'did you mean "run"?'),
    "unknown figure": (("plot", "made", "--what", "cdff"), "cdf"),
    "unknown executor": (("sweep", "sweep.toml", "--executor", "slurm"), "slurm"),
    "unknown link": (("compare", "bulk.toml", "--schemes", "red,pi", "--links", "a-b"), "left-to-right"),
    "unknown objective": (("tune", "web.toml", "--objective", "fast"), "best-response-times"),
    "negative seeds, run": (("run", "bulk.toml", "--seeds", "-3"), "-3"),
    "negative seeds, compare": (("compare", "bulk.toml", "--schemes", "red,pi", "--seeds", "-1-3"), "-1-3"),
    "negative seed, live": (("live", "bulk.toml", "--seed", "-1"), "-1"),
    "descending seeds": (("run", "bulk.toml", "--seeds", "5-1"), "ranges ascending"),
    "no seeds, run": (("run", "bulk.toml", "--seeds", ""), "--seeds"),
    "no seeds, compare": (("compare", "bulk.toml", "--schemes", "red,pi", "--seeds", ""), "--seeds"),
    "no seeds, tune": (("tune", "web.toml", "--seeds", ""), "seeds"),
    "no seeds, calibrate": (("calibrate", "web.toml", "--seeds", ""), "seeds"),
    "seeds of words": (("run", "bulk.toml", "--seeds", "one"), "one"),
    "seeds beyond the largest": (("run", "bulk.toml", "--seeds", "99999999999999999999"), "2^64"),
    "output is a file, run": (("run", "bulk.toml", "--output", "web.toml"), "web.toml"),
    "output is a file, compare": (
        ("compare", "bulk.toml", "--schemes", "red,pi", "--seeds", "1", "--output", "web.toml"), "web.toml",
    ),
    "output is a file, tune": (("tune", "web.toml", "--output", "bulk.toml"), "bulk.toml"),
    "output is a file, calibrate": (("calibrate", "web.toml", "--output", "bulk.toml"), "bulk.toml"),
    "store is a file, sweep": (("sweep", "sweep.toml", "--store", "web.toml"), "web.toml"),
    "output below a file": (("run", "bulk.toml", "--output", "web.toml/out"), "web.toml"),
    "output below a file, plot": (
        ("plot", "made", "--what", "queue", "--output", "web.toml/x.svg"), "web.toml is a file",
    ),
    "output below a file, new": (("new", "home", "-o", "web.toml/x.toml"), "web.toml is a file"),
    "output below a file, design": (
        ("design", "pie", "--rtt-ms", "50", "--plot", "web.toml/a/x.svg"), "web.toml is a file",
    ),
    "output is there, new": (("new", "home", "-o", "web.toml"), "web.toml"),
    "output of no form, plot": (("plot", "made", "--what", "queue", "--output", "x.doc"), ".svg"),
    "output of no form, draw": (("draw", "bulk.toml", "--output", "x.doc"), ".svg"),
    "output of no form, sweep": (("sweep", "sweep.toml", "--export", "x.doc"), "x.doc"),
    "output below a file, export": (("export", "flent", "made", "-o", "web.toml/x.gz"), "web.toml is a file"),
    "no assignment": (("run", "bulk.toml", "--set", "duration_s"), "key=value"),
    "unknown key": (("run", "bulk.toml", "--set", "durations=3"), "duration_s"),
    "no gain": (("design", "pi", "--flows", "0", "--rtt-ms", "1", "--link-mbps", "1"), "--flows"),
}  # fmt: skip


@pytest.fixture(name="there", scope="module")
def a_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wrong")
    (folder / "bulk.toml").write_text(BULK)
    (folder / "web.toml").write_text(WEB)
    (folder / "sweep.toml").write_text(
        'name = "s"\nscenario = "bulk.toml"\n[grid]\n"dumbbell.queue.limit_packets" = [20, 40]\n'
    )
    (folder / "folder.toml").mkdir()
    (folder / "empty.toml").write_bytes(b"")
    (folder / "binary.toml").write_bytes(bytes(range(256)) * 4)
    (folder / "words.toml").write_text("these are words\n")
    return folder


@pytest.fixture(name="made", scope="module")
def a_result(there: Path) -> Path:
    with pytest.raises(SystemExit) as left:
        cli.main(["run", str(there / "bulk.toml"), "--output", str(there / "made"), "--quiet"])
    assert left.value.code == 0
    return there / "made"


def refused(arguments: tuple[str, ...], capfd: pytest.CaptureFixture[str]) -> str:
    """The message of a command that ends with code 1 or 2; an exception that gets through fails the test."""
    capfd.readouterr()
    with pytest.raises(SystemExit) as left:
        cli.main(list(arguments))
    message = capfd.readouterr().err.strip()
    assert left.value.code in {1, 2}, message
    assert message
    assert "Traceback" not in message
    return " ".join(message.split())


@pytest.mark.parametrize("mistake", sorted(MISTAKES))
@pytest.mark.parametrize("name", TAKES_A_FILE)
def test_a_file_that_is_none_is_named(
    name: str,
    mistake: str,
    there: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(there)
    assert mistake in refused(tuple(word.replace("FILE", mistake) for word in TAKES_A_FILE[name]), capfd)


@pytest.mark.usefixtures("made")
@pytest.mark.parametrize("name", OTHERS)
def test_wrong_words_are_told_with_what_is_legal(
    name: str, there: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    arguments, place = OTHERS[name]
    monkeypatch.chdir(there)
    before = {file: file.read_bytes() for file in there.glob("*.toml") if file.is_file()}
    assert place in refused(arguments, capfd)
    assert {file: file.read_bytes() for file in before} == before


# --- the same mistakes in Python ---


def test_a_document_is_a_scenario(there: Path) -> None:
    document = tomllib.loads(BULK)
    assert Scenario.of(document) == Scenario.from_file(there / "bulk.toml")
    assert aqmlab.run(document).run["seed"] == 1


@pytest.mark.parametrize("wrong", [[1], 5, None, {"name": object()}, ("a", "b")])
def test_what_is_no_scenario_is_refused_in_words(wrong: Any) -> None:  # noqa: ANN401
    with pytest.raises(ScenarioError, match="a scenario"):
        aqmlab.run(wrong)


@pytest.mark.parametrize("wrong", [{}, {"a": 1}, 5, "results", [1], [{}]])
def test_what_is_no_list_of_results_is_refused_in_words(wrong: Any) -> None:  # noqa: ANN401
    of_name = r"results\['[ab]'\]: a list (of results|such as \[result\]), not "
    with pytest.raises(ComparisonError, match=f"lists of results|nothing to compare|{of_name}"):
        aqmlab.compare(wrong)
    with pytest.raises((ComparisonError, ScenarioError), match=f"{of_name}|no such file"):
        aqmlab.compare({"a": wrong, "b": wrong})


def test_other_wrong_arguments_are_refused_in_words(there: Path) -> None:
    scenario = Scenario.from_file(there / "bulk.toml")
    wrong: Any = [1]
    with pytest.raises(ScenarioError, match="a job is of a Scenario"):
        aqmlab.Job(wrong, 1)
    for seed in (-1, "a", 1.5, None):
        with pytest.raises(ValueError, match="a whole number from 0 to"):
            aqmlab.run(scenario, seed=seed)  # type: ignore[arg-type]
    many: list[Any] = [wrong, 5]
    for jobs in many:
        with pytest.raises(aqmlab.AqmlabError, match=r"a list (of Job|such as .Job)"):
            aqmlab.run_many(jobs)
    with pytest.raises(ScenarioError, match="overrides: a dict"):
        aqmlab.run(scenario, overrides=wrong)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"schemes": "red,pi"}, r"schemes: a list such as \['drop-tail', 'red'\], not 'red,pi'"),
        ({"schemes": [{"scheme": "pie"}, "red"]}, "schemes: names, perhaps with parameters"),
        ({"schemes": ["drop-tail"]}, "schemes: as it is and drop-tail are the same configuration"),
        ({"seeds": 3}, r'seeds: 3 is no list of seeds; legal: a list, "1-8" or .* from 0 to 2\^64 - 1, '),
        ({"seeds": "8-1"}, r"seeds: '8-1' is no list of seeds; legal: .* ranges ascending$"),
        ({"seeds": "one"}, r"seeds: 'one' is no list of seeds; legal: "),
        ({"seeds": []}, "seeds: one or more"),
        ({"links": "left-to-right"}, "links: a list such as"),
        ({"baseline": "rde"}, 'no configuration is called "rde"; there are: red, pi; did you mean "red"?'),
        ({"population": "guests"}, 'no population is called "guests"; there are: none'),
    ],
)
def test_a_comparison_takes_lists_and_names(given: dict[str, Any], message: str) -> None:
    whole: dict[str, Any] = {"schemes": ["red", "pi"], "seeds": [1], **given}
    with pytest.raises(ComparisonError, match=message.replace("?", r"\?")):
        aqmlab.compare(BULK, **whole)


def test_a_comparison_is_asked_by_names() -> None:
    found = aqmlab.compare({"a": BULK, "b": Scenario.of(BULK)}, seeds=[1, 1])
    assert (found.names, found.seeds, len(found.results["b"])) == (("a", "b"), (1,), 1)
    busy = found.level("b", "utilization_percent").mean
    assert busy == found.level("b", found.of_the_link[0]).mean
    assert found.change("b", "utilization_percent").difference.mean == 0.0
    for asked in (found.values, found.level, found.change):
        with pytest.raises(ComparisonError, match='no configuration is called "c"; there are: a, b'):
            asked("c", "loss_percent")
        with pytest.raises(LookupError, match='no quantity "los_percent"'):
            asked("b", "los_percent")
    for curve in (found.curve, found.page_ratio, found.against):
        with pytest.raises(ComparisonError, match='no configuration is called "c"'):
            curve("c")
    with pytest.raises(ComparisonError, match="a dict of lists of results, by name"):
        aqmlab.Comparison.of([[]])  # type: ignore[arg-type]


def test_files_and_folders_are_paths(there: Path) -> None:
    wrong: Any
    for wrong in ([str(there)], {"x": 1}, 5):
        with pytest.raises(ScenarioError, match="a file is a path, not"):
            Scenario.from_file(wrong)
        with pytest.raises(ScenarioError, match="TOML is text, not"):
            Scenario.from_toml(wrong)
        with pytest.raises(ResultError, match="folder: the path of a file or folder, not"):
            aqmlab.Result.load(wrong)


def test_without_pandas_a_frame_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    found = aqmlab.compare({"a": BULK, "b": BULK}, seeds=[1])
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"needs the package pandas, from PyPI .*: pip install pandas, or"):
        found.to_pandas()


def test_numpy_says_nothing_of_its_own() -> None:
    # One run, a window in which nothing ends, and times of which no run saw the end.
    short = {"duration_s": 0.3, "warm_up_s": 0.1, "users.start": "fresh", "users.start_spread_s": 0.1}
    scenario = Scenario.of(WEB, overrides=short)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = aqmlab.compare(scenario, schemes=["drop-tail", "red"], seeds=[1])
        assert str(found)
        assert found._repr_html_()
        found.to_pandas()


def test_a_comparison_is_short_in_an_interpreter() -> None:
    runs = [aqmlab.run(WEB.replace("per_side = 150", "per_side = 20"), seed=seed) for seed in (1, 2)]
    shown = repr(aqmlab.compare({"a": runs, "b": runs}))
    assert shown == "Comparison(a, b; 2 seeds; differences from a)"


def test_a_misspelt_method_of_a_scheme_is_refused(
    there: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(there)
    own = "from aqmlab.schemes import Scheme\n\nclass Own(Scheme):\n    def {}(self, *_): pass\n"
    for name, place in [
        ("on_arival", 'on_arival: nothing calls this method; did you mean "on_arrival"?'),
        ("on_packet", "on_packet: nothing calls this method; legal: on_arrival, "),
        ("signal_prob", 'nothing calls this method; did you mean "signal_probability"?'),
    ]:
        (there / f"{name}.py").write_text(own.format(name))
        assert place in refused(("scheme", "check", f"{name}.py:Own"), capfd)
    (there / "fine.py").write_text(own.format("average"))
    with pytest.raises(SystemExit) as left:
        cli.main(["scheme", "check", "fine.py:Own", "--cases", "1"])
    assert left.value.code == 0


def test_warnings_of_other_packages_stay_off_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    for category, told in [(UserWarning, True), (RuntimeWarning, False), (DeprecationWarning, False)]:
        cli._show_warning("mean of empty slice", category, "numpy.py", 1)
        assert ("mean of empty slice" in capfd.readouterr().err) == told


def test_one_of_a_thing_is_one() -> None:
    assert [counted(1, "seed"), counted(2, "seed"), counted(2_000, "seed")] == [
        "1 seed",
        "2 seeds",
        "2,000 seeds",
    ]
    assert counted(1, "source of datagrams", "sources of datagrams") == "1 source of datagrams"
