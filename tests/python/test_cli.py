"""The command line: what it prints, and with which code it leaves."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner

import aqmlab
from aqmlab import Result, RunError, __version__, _core, cli
from aqmlab.cli import commands
from aqmlab.cli.options import read_names, read_numbers, read_overrides
from aqmlab.inference.verdict import Verdict as BandVerdict
from aqmlab.load.controllers import controller_sources
from aqmlab.papers.claims.outcome import Finding
from aqmlab.papers.claims.outcome import Verdict as ClaimVerdict
from aqmlab.papers.documents import Conclusion
from aqmlab.papers.frame import Agreement
from aqmlab.papers.today import Becomes
from aqmlab.presets.household import household
from aqmlab.show.words.explained import explained
from aqmlab.statistics.experience import Grade
from aqmlab.study.bloat import GRADES
from aqmlab.study.line_fit.queue_fit import QueueKind
from aqmlab.study.responsiveness import Confidence, class_of
from command_page import every_command
from small import BULK, CALLS, WEB, aqmlab_run, contents

if TYPE_CHECKING:
    from collections.abc import Iterable


@pytest.fixture(name="scenario")
def scenario_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "bulk.toml"
    file.write_text(BULK)
    return file


def leave(*arguments: str, capfd: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Runs the command in this process: its exit code, what it printed, and its messages."""
    with pytest.raises(SystemExit) as left:
        cli.main(list(arguments))
    out, err = capfd.readouterr()
    assert isinstance(left.value.code, int)
    return left.value.code, out, err


# --- help that teaches ---


NAMES = commands.list_commands(click.Context(commands))


@pytest.mark.parametrize("name", NAMES)
def test_the_help_of_every_command_has_examples(name: str) -> None:
    shown = CliRunner().invoke(commands, [name, "--help"])
    assert shown.exit_code == 0
    assert f"\n    aqmlab {name}" in shown.output.split("Examples:")[1]


@pytest.mark.parametrize("name", NAMES)
def test_every_option_says_what_it_is_for(name: str) -> None:
    command = commands.get_command(click.Context(commands), name)
    assert command is not None
    for parameter in command.params:
        assert not isinstance(parameter, click.Option) or parameter.help


ALL = {" ".join(path.split()[1:]): context.command for path, context in every_command()}


def test_the_help_lists_every_command_under_a_heading_in_lines_of_80_columns() -> None:
    shown = CliRunner().invoke(commands, ["--help"], env={"COLUMNS": "80"}).output
    assert max(map(len, shown.splitlines())) <= 80
    listed = shown.split("Options:")[1].splitlines()
    for heading, names in commands.sections().items():
        place = listed.index(f"{heading}:")
        assert [line.split()[0] for line in listed[place + 1 : place + 1 + len(names)]] == names
    assert sorted(name for names in commands.sections().values() for name in names) == sorted(NAMES)


@pytest.mark.parametrize("name", ["", *(name for name, each in ALL.items() if isinstance(each, click.Group))])
def test_no_summary_of_a_command_is_cut(name: str) -> None:
    shown = CliRunner().invoke(commands, [*name.split(), "--help"], env={"COLUMNS": "80"}).output
    assert "..." not in shown.split("Show this message and exit.")[1]


@pytest.mark.parametrize("name", ALL)
def test_what_an_option_takes_is_a_plain_word_and_a_range(name: str) -> None:
    shown = CliRunner().invoke(commands, [*name.split(), "--help"]).output
    assert not re.search(r" RANGE|INTEGER|FLOAT|\d\.0[]<;]", shown)


def test_every_command_is_there() -> None:
    assert sorted(NAMES) == [
        "bloat",
        "bundle",
        "calibrate",
        "compare",
        "controller",
        "crossvalidate",
        "design",
        "doctor",
        "draw",
        "evaluate",
        "explain",
        "export",
        "flent",
        "line",
        "list",
        "live",
        "model",
        "new",
        "pages",
        "play",
        "plot",
        "report",
        "reproduce",
        "results",
        "rpm",
        "run",
        "schema",
        "scheme",
        "scorecard",
        "sqm",
        "sweep",
        "tune",
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--version",),
        ("--help",),
        ("run", "--help"),
        ("explain", "red"),
        ("list",),
        ("schema",),
        ("new", "home"),
        ("new", "campus-2000"),
    ],
    ids=" ".join,
)
def test_what_computes_nothing_needs_neither_statistics_nor_tables(arguments: tuple[str, ...]) -> None:
    """It answers at once, as a mistake in a command's name does: SciPy and Arrow alone take longer."""
    command = [sys.executable, "-X", "importtime", "-m", "aqmlab", *arguments]
    made = subprocess.run(command, capture_output=True, text=True, check=True)
    imported = {line.rpartition("|")[2].strip() for line in made.stderr.splitlines()}
    assert "click" in imported
    assert not imported & {"scipy", "pyarrow", "matplotlib", "numpy", "jinja2", "tornado"}


@pytest.mark.parametrize("command", ["run", "sweep", "plot", "compare", "report"])
def test_a_command_does_not_wait_for_scipy(command: str) -> None:
    told = f"import sys, aqmlab.cli.{command}; print('scipy' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


@pytest.mark.parametrize(
    "arguments",
    [("run", "web.toml"), ("compare", "web.toml", "--schemes", "drop-tail,pie", "--seeds", "1-2")],
    ids=["run", "compare"],
)
def test_nobody_waits_for_pandas_who_asked_for_no_data_frame(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "web.toml").write_text(WEB)
    command = [sys.executable, "-X", "importtime", "-m", "aqmlab", *arguments, "--quiet"]
    for _ in ("made", "stored"):
        made = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
        imported = {line.rpartition("|")[2].strip() for line in made.stderr.splitlines()}
        assert "pyarrow.lib" in imported
        assert not imported & {"pandas", "pyarrow.parquet"}


DSL = ("--technology", "adsl", "--down", "6", "--up", "0.5")
SHORT = ("--set", "duration_s=42")


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "line.toml", "--schemes", "drop-tail,pie", "--seeds", "1-6", *SHORT),
        ("compare", "line.toml", "--schemes", "drop-tail,pie", "--seeds", "1-2", "--no-report", *SHORT),
        ("run", "line.toml", *SHORT),
        ("bloat", *DSL, "--seeds", "1", "--schemes", "pie"),
        ("rpm", *DSL, "--seeds", "1", "--schemes", "pie", "--load", "both"),
        ("sqm", "line.toml", "--seeds", "1", "--schemes", "cake", "--shares", "0.9", *SHORT),
    ],
    ids=lambda arguments: str(arguments[0]),
)
def test_what_judges_a_line_waits_for_no_large_library(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """Each takes as long to import as several runs of a household, here and in the processes of the runs."""
    (tmp_path / "line.toml").write_text(household(6.0, 0.5, "adsl"))
    command = [sys.executable, "-X", "importtime", "-m", "aqmlab", *arguments, "--quiet"]
    made = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    imported = {line.rpartition("|")[2].strip() for line in made.stderr.splitlines()}
    assert "pyarrow" in imported
    assert not imported & {"scipy", "matplotlib", "pandas", "tornado", "optuna", "pyarrow.parquet"}
    assert ("jinja2" in imported) == (arguments[0] == "compare" and "--no-report" not in arguments)


def test_the_version_names_the_sources(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = leave("--version", capfd=capfd)
    assert code == 0
    assert __version__ in out


# --- run ---


def test_a_run_prints_what_came_of_it_and_where_it_is(
    scenario: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = leave("run", str(scenario), capfd=capfd)
    assert code == 0
    assert "left-to-right" in out
    assert out.splitlines()[-1] == "kept in results/two-flows/seed-1"
    assert Result.load("results/two-flows/seed-1").seed == 1


def test_users_get_their_response_times(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "web.toml").write_text(WEB)
    code, out, _ = leave("run", str(tmp_path / "web.toml"), "--output", str(tmp_path / "out"), capfd=capfd)
    assert code == 0
    assert "responses" in out
    (population, _) = Result.load(tmp_path / "out").run["populations"]
    assert f"{population['completed']:,}" in out


def test_sources_of_datagrams_are_told_up_to_the_twentieth(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "calls.toml").write_text(CALLS)
    code, out, _ = leave("run", str(tmp_path / "calls.toml"), "--output", str(tmp_path / "out"), capfd=capfd)
    assert code == 0
    rows = [line.split() for line in out.splitlines() if line.strip().startswith("calls ")]
    # 200 bytes at 0.08 Mbit/s: a packet every 20 ms of the 2 s that are measured.
    assert [row[1:3] for row in rows[:-1]] == [[str(source), "100"] for source in range(20)]
    assert rows[-1][:3] == ["calls", "21", "sources"]  # their goodput, all together
    assert "the first 20 of 21 sources" in " ".join(out.split())


def test_overrides_seeds_and_folders_are_obeyed(scenario: Path, capfd: pytest.CaptureFixture[str]) -> None:
    arguments = ("--seeds", "2,4-5", "--set", "dumbbell.queue.limit_packets=9", "--output", "out", "--quiet")
    code, out, err = leave("run", str(scenario), *arguments, capfd=capfd)
    assert (code, err) == (0, "")
    assert sorted(out.splitlines()) == ["out/seed-2", "out/seed-4", "out/seed-5"]
    assert Result.load("out/seed-4").scenario["dumbbell"]["queue"]["limit_packets"] == 9


def test_one_seed_takes_the_folder_itself(scenario: Path, capfd: pytest.CaptureFixture[str]) -> None:
    leave("run", str(scenario), "--seed", "0", "--output", "deep/out", "--quiet", capfd=capfd)
    assert Result.load("deep/out").seed == 0


# --- what there is ---


def test_the_list_names_schemes_profiles_models_and_experiments(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = leave("list", capfd=capfd)
    assert code == 0
    words = out.split()
    assert {
        "drop-tail",
        "red",
        "ared",
        "pi",
        "rem",
        "bsd45",
        "rfc5681",
        "ns2-oneway",
        "unc",
        "le2003",
    } <= set(words)


@pytest.mark.parametrize("scheme", _core.scheme_names())
def test_every_scheme_is_explained_with_its_parameters(
    scheme: str, capfd: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = leave("explain", scheme, capfd=capfd)
    assert code == 0
    assert "limit_packets" in out
    assert len(out) > 500


@pytest.mark.parametrize("scheme", _core.scheme_names())
def test_a_paragraph_is_broken_only_where_the_next_word_has_no_room(
    scheme: str, capfd: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = leave("explain", scheme, capfd=capfd)
    for line, following in pairwise(out.partition("Parameters:")[0].splitlines()):
        if line and following:
            assert len(f"{line} {following.split()[0]}") > 80, line


def test_a_name_in_capitals_is_near(capfd: pytest.CaptureFixture[str]) -> None:
    _, _, err = leave("evaluate", "CUBIC", capfd=capfd)
    assert 'did you mean "cubic"?' in err


@pytest.mark.parametrize("profile", _core.profile_names())
def test_every_host_profile_is_explained_by_settings_that_are_its_own(
    profile: str, capfd: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = leave("explain", profile, capfd=capfd)
    assert code == 0
    settings = dict(re.findall(r"^  ([a-z_]+): (.+)$", out, flags=re.MULTILINE))
    assert {"initial_window_segments", "minimum_rto_ms", "delayed_ack_ms", "ecn"} <= settings.keys()
    # Given as overrides they change nothing.
    plain = f'{BULK}profile = "{profile}"\n'
    table = ", ".join(f"{key} = {value}" for key, value in settings.items())
    own, same = (
        aqmlab.run(text, overrides={"record.packets": True})
        for text in (plain, f"{plain}host = {{ {table} }}\n")
    )
    assert own.tables["packets"].num_rows > 500
    assert own.tables["packets"].equals(same.tables["packets"])


@pytest.mark.parametrize("controller", controller_sources())
def test_every_controller_is_explained_and_listed(controller: str, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = leave("explain", controller, capfd=capfd)
    assert code == 0
    assert out.startswith(f"{controller}\n\nCongestion controller. ")
    told = " ".join(out.split())
    assert f"Source: {controller_sources()[controller]}" in told
    assert f'host = {{ congestion = "{controller}" }}' in told
    code, out, _ = leave("list", capfd=capfd)
    assert controller in out.split("Congestion controllers")[1].split("Host profiles")[0].split()


@pytest.mark.parametrize(
    ("transport", "keys"),
    [("tcp", {}), ("quic", {"congestion": '"cubic" or "reno"', "ecn": '"off" or "on"'})],
)
def test_every_transport_is_explained_and_listed(
    transport: str, keys: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert _core.transport_names() == ["tcp", "quic"]
    code, out, _ = leave("explain", transport, capfd=capfd)
    assert code == 0
    assert out.startswith(f"{transport}\n\nTransport. ")
    assert dict(re.findall(r"^  ([a-z]+): (.+)$", out, flags=re.MULTILINE)) == keys
    assert f'transport = "{transport}"' in out
    assert (Path(__file__).parents[2] / f"docs/reference/{transport}.md").is_file()
    assert f"More: docs/reference/{transport}.md." in out
    _, out, _ = leave("list", capfd=capfd)
    assert transport in out.split("Transports")[1].split("Traffic models")[0].split()


@pytest.mark.parametrize(
    "command",
    [
        ("explain",),
        ("schema",),
        ("scheme", "check"),
        ("controller", "check"),
        ("model", "check"),
        ("evaluate",),
        ("compare", "link.toml", "--schemes"),
        ("compare", "link.toml", "--senders"),
    ],
)
def test_a_file_alone_is_refused_with_what_is_missing(
    command: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.toml").write_text(BULK)
    for name, told in (
        ("own.py", "own.py: no class of this file is named; legal: own.py:CLASS"),
        ("own.py:", "own.py: no class of this file is named; legal: own.py:CLASS"),
        ("own.so:", "own.so: no symbol of this library is named; legal: own.so:SYMBOL"),
    ):
        code, _, err = leave(*command, name, capfd=capfd)
        assert (code, told in " ".join(err.split())) == (2, True), err


def test_a_name_of_several_controllers_is_refused_with_all(capfd: pytest.CaptureFixture[str]) -> None:
    code, _, err = leave("explain", "bbr", capfd=capfd)
    assert (code, "legal: bbr-linux-v1, bbr-linux-v2, bbr-l4s-v2, " in err) == (2, True)


@pytest.mark.parametrize("name", ["cubic:pacing=true", "pie:target_ms=5"])
def test_a_name_with_settings_is_refused_with_the_name_alone(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    code, _, err = leave("explain", name, capfd=capfd)
    assert (code, f"legal: the name alone, {name.partition(':')[0]}" in err) == (2, True)


def test_what_is_no_file_is_not_taken_for_one_that_has_settings(capfd: pytest.CaptureFixture[str]) -> None:
    code, _, err = leave("explain", "bbr:pacing=true", capfd=capfd)
    assert (code, "legal: bbr-linux-v1, bbr-linux-v2, " in err) == (2, True)
    code, _, err = leave("explain", "cubik:pacing=true", capfd=capfd)
    assert (code, 'is called "cubik"' in err, 'did you mean "cubic"?' in err) == (2, True, True)
    code, _, err = leave("explain", "mine.txt:Own", capfd=capfd)
    assert (code, "legal: FILE.py:CLASS or LIBRARY.so:SYMBOL" in err) == (2, True)


@pytest.mark.parametrize("command", ["evaluate", "schema"])
def test_the_help_says_that_own_controllers_are_legal(
    command: str, capfd: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = leave(command, "--help", capfd=capfd)
    own = "your own (my_aimd.py:Aimd" if command == "evaluate" else "traffic model or congestion controller"
    assert own in " ".join(out.split())


def test_traffic_models_are_explained_with_their_parameters(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = leave("explain", "pages", capfd=capfd)
    assert code == 0
    assert "  think_time_median_seconds: number, default " in out
    assert "HTTP/2" in out


def test_a_design_prints_the_gains_that_are_stable(capfd: pytest.CaptureFixture[str]) -> None:
    """Chung et al. 2004, equation (1), by a separate program in complex numbers: 5.706e-6 to 1.681e-5."""
    asked = ("design", "arc", "--flows", "60", "--rtt-ms", "500", "--link-mbps", "10")
    code, out, _ = leave(*asked, capfd=capfd)
    assert code == 0
    assert "from 5.706e-06 to 1.681e-05 per packet" in out
    _, out, _ = leave(*asked, "--interval-ms", "2000", capfd=capfd)
    assert "from 1.141e-05 to 3.363e-05 per packet" in out
    asked_sfg = ("design", "sfg", "--link-mbps", "10", "--rtt-ms", "300", "--misbehaving", "5")
    _, out, _ = leave(*asked_sfg, capfd=capfd)
    # Its section 4: 0.5 Mbit/s, 20 bins, and about one per cent with three levels.
    assert "0.49 Mbit/s; bins = 20" in out
    assert "levels = 3: 1.16% of flows" in out
    code, _, err = leave(*asked[:-1], "-1", capfd=capfd)
    assert code == 2
    assert "0<x<=" in err
    code, _, err = leave(*asked[:-1], "nan", capfd=capfd)
    assert code == 2
    assert "no gain keeps 60 flows" in err


def test_a_quantity_is_explained_by_its_definition(capfd: pytest.CaptureFixture[str]) -> None:
    """Words of docs/reference/quantities.md."""
    for name in ("delay_p95_ms", "delay_p95_ms/datagrams.calls"):
        code, out, _ = leave("explain", name, capfd=capfd)
        assert (code, "delay_p95_ms/datagrams.NAME, in ms" in out) == (0, True)
    code, out, _ = leave("explain", "throughput_mbps", capfd=capfd)
    assert (code, "throughput_mbps/PART@FROM-UNTIL, in Mbit/s" in out) == (0, True)
    assert "bits of IP packets that the link sent, per second of the stretch" in " ".join(out.split())


@pytest.mark.parametrize(
    "words",
    [
        Grade,
        GRADES,
        Confidence,
        Conclusion,
        ClaimVerdict,
        Finding,
        Agreement,
        Becomes,
        BandVerdict,
        [each for each in QueueKind if each is not QueueKind.TAIL_DROP],
        [class_of(rpm) for rpm in (0.0, 500.0, 5000.0, 9000.0)],
        # The audit of live runs (crates/live/src/audit.rs), the ledger of measurements by others, bounds.
        ["valid", "suspect", "inside", "not modelled", "too short", "or worse", "may be chance"],
    ],
)
def test_every_word_that_results_print_as_a_verdict_is_explained(words: Iterable[Any]) -> None:
    for each in words:
        word = getattr(each, "word", None) or str(
            each.name if words is GRADES else getattr(each, "value", each)
        )
        assert (explained(word) or "").startswith(f"{word}\n\nWord of a result.\n\n  "), word


def test_a_word_of_a_result_may_be_several(capfd: pytest.CaptureFixture[str]) -> None:
    """RPM of the draft: poor below 300. Whoever mistypes a word is told the nearest one."""
    code, out, _ = leave("explain", "not", "identifiable", capfd=capfd)
    assert (code, out.splitlines()[0]) == (0, "not identifiable")
    _, out, _ = leave("explain", "Poor", capfd=capfd)
    assert "rpm\n      below 300 round trips per minute." in out
    code, _, err = leave("explain", "suspekt", capfd=capfd)
    assert (code, 'did you mean "suspect"?' in err) == (2, True)


def test_the_beginning_of_host_profiles_is_refused_with_all(capfd: pytest.CaptureFixture[str]) -> None:
    code, _, err = leave("explain", "linux6", capfd=capfd)
    assert (code, "linux6 has host profiles; legal: linux6-" in " ".join(err.split())) == (2, True)


def test_an_unknown_scheme_is_refused_with_the_nearest_name(capfd: pytest.CaptureFixture[str]) -> None:
    code, _, err = leave("explain", "drop-tial", capfd=capfd)
    assert code == 2
    assert "drop-tial" in err
    assert 'did you mean "drop-tail"?' in err
    assert "rem" in err


def test_the_schema_is_a_json_schema_of_scenarios(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = leave("schema", capfd=capfd)
    assert code == 0
    assert json.loads(out)["properties"]["duration_s"]["type"] == "number"


# --- bad input: one message, the place, the remedy, code 2, nothing left behind ---

MISTAKES = {
    "an unknown key": (["--set", "dumbbell.rate_mpbs=3"], ["rate_mpbs", 'did you mean "rate_mbps"?']),
    "an unknown key in a queue": (
        ["--set", "dumbbell.queue.limit_pakets=3"],
        ["dumbbell.queue", "limit_pakets", 'did you mean "limit_packets"?'],
    ),
    "another unit": (["--set", "dumbbell.rate_kbps=3"], ["rate_kbps", 'did you mean "rate_mbps"?']),
    "a wrong type": (["--set", "dumbbell.rate_mbps=fast"], ["dumbbell.rate_mbps", "number"]),
    "a negative rate": (["--set", "dumbbell.rate_mbps=-1.0"], ["dumbbell.rate_mbps", "-1"]),
    "a zero rate": (["--set", "dumbbell.rate_mbps=0"], ["dumbbell.rate_mbps"]),
    "a minimum threshold above the maximum": (
        ["--set", 'dumbbell.queue={scheme="red", limit_packets=99, min_th_packets=50, max_th_packets=20}'],
        ["dumbbell.queue", "min_th"],
    ),
    "no users and no flows": (["--set", "flows=[]"], ["users", "flows"]),
    "zero users": (["--set", "flows=[]", "--set", "users.per_side=0"], ["users", "0"]),
    "an unknown scheme": (
        ["--set", 'dumbbell.queue={scheme="blu", limit_packets=9}'],
        ["dumbbell.queue", "blu", "drop-tail"],
    ),
    "an unknown profile": (["--set", "flows.0.profile=bsd"], ["flows.0.profile", "bsd", "bsd45"]),
    "a window that is all warm-up": (["--set", "warm_up_s=3"], ["warm_up_s"]),
    "no value": (["--set", "warm_up_s"], ["key=value"]),
    "a seed that is no number": (["--seed", "one"], ["--seed"]),
    "a range that descends": (["--seeds", "8-1"], ["8-1"]),
    "two ways to say the seed": (["--seed", "1", "--seeds", "1-2"], ["--seed", "--seeds"]),
    "no worker": (["--workers", "0"], ["--workers"]),
    "a folder below a file": (["--output", "bulk.toml/out"], ["bulk.toml/out", "is a file"]),
    "a folder that nobody may write": (["--output", "/proc/out"], ["/proc/out", "cannot write in /proc"]),
    "an option that does not exist": (["--sed", "1"], ["--sed", "--seed"]),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_once_with_its_place_and_leaves_nothing(
    mistake: str, scenario: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    arguments, expected = MISTAKES[mistake]
    code, out, err = leave("run", str(scenario), *arguments, capfd=capfd)
    assert code == 2, err
    assert out == ""
    for words in expected:
        assert words in err
    assert "Traceback" not in err
    assert sorted(contents(Path())) == ["bulk.toml"]


@pytest.mark.parametrize("command", [["new", "home"], ["play"], ["bloat", "--up", "5"]])
def test_a_rate_that_is_no_number_is_refused_with_its_unit(
    command: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    code, _, err = leave(*command, "--down", "50Mbit", capfd=capfd)
    assert (code, "50Mbit is no number; legal: Mbit/s, such as 10" in err) == (2, True)


def test_rates_are_of_the_household_alone(capfd: pytest.CaptureFixture[str]) -> None:
    code, _, err = leave("new", "building-docsis", "--down", "0", capfd=capfd)
    assert (code, "are of home" in err) == (2, True)


def test_a_mistake_in_the_file_is_told_with_its_line(
    scenario: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    scenario.write_text(BULK.replace("rate_mbps", "rate_mpbs"))
    line = BULK.splitlines().index("rate_mbps = 10.0") + 1
    code, _, err = leave("run", "bulk.toml", capfd=capfd)
    assert code == 2
    assert f"bulk.toml:{line}: " in err


def test_text_that_is_no_toml_is_told_with_its_line(
    scenario: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    scenario.write_text('name = "x"\nduration_s = = 3\n')
    code, _, err = leave("run", "bulk.toml", capfd=capfd)
    assert code == 2
    assert "bulk.toml:2:" in err


def test_a_missing_file_is_told(scenario: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, _, err = leave("run", "nowhere.toml", capfd=capfd)
    assert (code, err) == (2, "aqmlab: nowhere.toml: there is no such file\n")
    assert sorted(contents(Path())) == [scenario.name]


def test_an_unknown_experiment_is_told_with_those_that_exist(
    scenario: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, _, err = leave("reproduce", "le2030", capfd=capfd)
    assert code == 2
    assert "le2003" in err
    assert sorted(contents(Path())) == [scenario.name]


@pytest.mark.parametrize(
    ("option", "value", "word"),
    [
        ("--cells", "pi-25", "pi-24"),
        ("--loads", "91", "90"),
        ("--replications", "0", "--replications"),
        ("--seeds", "3,x", "--seeds"),
    ],
)
def test_an_unknown_part_of_an_experiment_is_told_with_what_exists(
    option: str, value: str, word: str, scenario: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, _, err = leave("reproduce", "le2003", option, value, capfd=capfd)
    assert code == 2
    assert word in err
    assert sorted(contents(Path())) == [scenario.name]


def test_calibration_needs_two_points(scenario: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, _, err = leave("calibrate", str(scenario), "--sizes", "100", capfd=capfd)
    assert code == 2
    assert "two different sizes" in err


def test_a_failed_run_is_our_fault(
    scenario: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> None:
        raise RunError("the simulator failed a consistency check (a bug): no packet vanishes")

    monkeypatch.setattr("aqmlab.runs.executors.active_runs.ActiveRuns.perform", lambda _, task: broken(task))
    code, _, err = leave("run", str(scenario), capfd=capfd)
    assert code == 1
    assert err.endswith("a bug): no packet vanishes\n")


def test_the_module_is_the_command(tmp_path: Path) -> None:
    done = aqmlab_run("list", cwd=tmp_path)
    assert done.returncode == 0
    assert "pi" in done.stdout.split()


# --- how values of options are written ---


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("1", (1,)), ("1-4", (1, 2, 3, 4)), ("5,1,5-6", (5, 1, 6)), (" 2 , 3", (2, 3)), (None, ())],
)
def test_numbers_are_lists_of_numbers_and_ranges(text: str | None, numbers: tuple[int, ...]) -> None:
    assert read_numbers(click.Context(commands), click.Option(["--x"]), text) == numbers


@pytest.mark.parametrize(
    "text",
    [
        *("a", "1-", "-1", "2-1", "1-1000000000", "18446744073709551616", "1,,2", "٣"),
        *("9" * 5000, "1-" + "9" * 5000, "1-100000,100001-100002", "0-18446744073709551615"),
    ],
)
def test_what_is_no_list_of_numbers_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter):
        read_numbers(click.Context(commands), click.Option(["--x"]), text)


def test_names_are_separated_by_commas() -> None:
    assert read_names(click.Context(commands), click.Option(["--x"]), "a, b,,c") == ("a", "b", "c")


def test_overrides_keep_what_stands_after_the_first_equals_sign() -> None:
    assert read_overrides(click.Context(commands), click.Option(["--x"]), ("a.b = 'c=d'",)) == {
        "a.b": "'c=d'"
    }
