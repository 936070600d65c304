"""`--json` and `--csv` of every command: one tidy form, the numbers and the verdict that are printed."""

from __future__ import annotations

import csv
import io
import json
import math
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

import aqmlab
import naive_quantities as naive
from aqmlab import shown
from aqmlab.comparison.verdict import verdict
from aqmlab.show.tables.render import to_html
from aqmlab.show.tables.verdict import verdict_table
from aqmlab.statistics.tidy import COLUMNS, who_of
from command_page import every_command
from line_files import LOADED, iperf3, ping_log
from small import aqmlab_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HOME = """
name = "home"
duration_s = 24.0
warm_up_s = 4.0
cool_down_s = 4.0

[dumbbell]
rate_mbps = 8.0
rate_right_to_left_mbps = 1.0
queue = { scheme = "drop-tail", limit_packets = 60 }

[[populations]]
name = "readers"
browsers = "browsers-right"
servers = "servers-left"
count = 2
model = { model = "pages", think_time_median_seconds = 2.0 }
profile = "linux6-cubic"

[[flows]]
name = "backup"
count = 1
direction = "right-to-left"

[[datagrams]]
name = "call-up"
count = 1
direction = "right-to-left"
packet_bytes = 200
rate_mbps = 0.08

[[datagrams]]
name = "game-down"
count = 1
direction = "left-to-right"
packet_bytes = 100
rate_mbps = 0.05
"""
SWEEP = 'scenario = "home.toml"\nseeds = [1, 2]\n[grid]\n"dumbbell.queue.limit_packets" = [20, 60]\n'
SCHEME = """
from aqmlab.schemes import Scheme, Verdict

class Deaf(Scheme):
    def on_arrival(self, packet, queue, coins):
        return Verdict.PASS
"""

PRINT_NO_NUMBERS = {
    "bundle": "an archive of results",
    "doctor": "whether this machine can run it",
    "draw": "a picture",
    "explain": "a text",
    "export flent": "a file in Flent's format",
    "export parquet": "tables as files",
    "list": "names",
    "new": "a scenario",
    "pages import": "a file of pages, and what was left out of it",
    "play": "a page",
    "plot": "a figure; its numbers: --output FILE.csv",
    "report": "a page",
    "results": "folders, as a JSON list of its own",
    "schema": "a JSON schema",
    "controller include": "a folder",
    "scheme include": "a folder",
}
"""Commands without numbers of their own, with what they print."""
TRIED_ELSEWHERE = {
    "live": "needs network namespaces",
    "crossvalidate": "needs network namespaces",
    "reproduce": "minutes",
    "scorecard": "reads what reproduce leaves",
    "model check": "test_own_models.py has its models",
    "controller check": "test_own_controllers.py has its controllers",
}


@cache
def _commands() -> dict[str, Any]:
    found = {" ".join(path.split()[1:]): context.command for path, context in every_command()}
    return {name: each for name, each in found.items() if not hasattr(each, "commands")}


@pytest.fixture(scope="module", name="home")
def folder_with_a_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    (folder / "home.toml").write_text(HOME, encoding="utf-8")
    (folder / "sweep.toml").write_text(SWEEP, encoding="utf-8")
    (folder / "ping.log").write_text(ping_log([*LOADED, *LOADED]), encoding="utf-8")
    (folder / "down.json").write_text(iperf3(9.0, way="down", at_s=10), encoding="utf-8")
    (folder / "up.json").write_text(iperf3(5.0, way="up", at_s=50), encoding="utf-8")
    return folder


def test_every_command_that_prints_numbers_has_both_options() -> None:
    without = {
        name
        for name, command in _commands().items()
        if {"as_json", "csv_file"} - {parameter.name for parameter in command.params}
    }
    assert without == PRINT_NO_NUMBERS.keys()
    tried = {name for name, *_ in TRIED} | TRIED_ELSEWHERE.keys()
    assert tried == _commands().keys() - PRINT_NO_NUMBERS.keys()


def words_are_printed(of: Callable[[dict[str, Any]], list[str]]) -> Callable[[dict[str, Any], str], None]:
    """A check that what the JSON says in words stands on the screen, wherever its lines end."""

    def check(found: dict[str, Any], printed: str) -> None:
        screen = " ".join(printed.split())
        told = of(found)
        assert told
        for words in told:
            assert " ".join(words.split()) in screen, words

    return check


def _fares(found: dict[str, Any]) -> list[str]:
    return [
        fares["words"]
        for application in found["verdict"]["applications"]
        for fares in application["fares"].values()
    ]


def _of_run(found: dict[str, Any], printed: str) -> None:
    """The numbers of a run are those that plain loops over its rows find."""
    result = aqmlab.Result.load(found["folders"][0])
    traffic: dict[str, Any] = dict(naive.NAIVE_OF_TRAFFIC)
    second = {
        "page_followed_p50_s": naive.NAIVE["page_followed_p50_s"](result),
        "goodput_mbps/flows.backup": traffic["flows"]["goodput_mbps"](result, "flows.backup"),
        "loss_percent/datagrams.call-up": traffic["datagrams"]["loss_percent"](result, "datagrams.call-up"),
    }
    rows = {row["quantity"]: row for row in found["numbers"]}
    for name, value in second.items():
        assert rows[name]["value"] == pytest.approx(value, rel=2e-3), name
    assert rows["loss_percent/datagrams.call-up"]["who"] == "call-up"
    # The call's 95th percentile in the table that is printed.
    delay = rows["delay_p95_ms/datagrams.call-up"]["value"]
    assert f"{delay:.2f}" in printed


def _of_design(found: dict[str, Any], printed: str) -> None:
    rows = {row["quantity"]: row["value"] for row in found["numbers"]}
    assert f"from {rows['alpha_lowest']:.4g} to {rows['alpha_highest']:.4g}" in printed


def _of_cost(found: dict[str, Any], _: str) -> None:
    [row] = found["numbers"]
    assert (row["configuration"], row["unit"]) == ("red", "ns")
    assert 0.0 < row["value"] < 1e6


def _of_checks(found: dict[str, Any], printed: str) -> None:
    passed = [row["value"] for row in found["numbers"]]
    assert passed == [1.0] * len(passed)
    assert printed == f"red: passes all {len(passed)} checks\n"


LINE = ("--down", "8", "--up", "2", "--schemes", "fq-codel", "--seeds", "1")
TRIED: list[tuple[str, tuple[str, ...], Callable[[dict[str, Any], str], None]]] = [
    ("run", ("home.toml", "-o", "one"), _of_run),
    ("compare", ("home.toml", "--seeds", "1-2", "-o", "two", "--no-report"), words_are_printed(_fares)),
    ("bloat", LINE, words_are_printed(lambda found: [each["grade"] for each in found["grades"].values()])),
    (
        "rpm",
        (*LINE, "--load", "up"),
        words_are_printed(
            lambda found: [
                f"{row['value']:,.0f} {found['classes'][row['configuration']]['up']}"
                for row in found["numbers"]
                if row["quantity"] == "up_rpm"
            ]
        ),
    ),
    ("flent", ("tcp_nup", *LINE, "--length", "2"), words_are_printed(lambda found: [found["line"]])),
    (
        "sqm",
        ("home.toml", "--seeds", "1", "--shares", "0.95"),
        words_are_printed(lambda found: [*found["advice"], *found["tc"], *found["openwrt"]]),
    ),
    (
        "sweep",
        ("sweep.toml", "--store", "kept"),
        words_are_printed(
            lambda found: [str(each["dumbbell.queue.limit_packets"]) for each in found["settings"].values()]
        ),
    ),
    (
        "tune",
        (
            "home.toml",
            "--scheme",
            "pie",
            "--trials",
            "1",
            "--seeds",
            "1",
            "--fresh-seeds",
            "2",
            "-o",
            "tuned",
        ),
        words_are_printed(lambda found: found["summary"]),
    ),
    (
        "evaluate",
        ("codel", "--schemes", "pie", "--only", "8.2.2", "--seeds", "1-2"),
        words_are_printed(lambda found: found["sentences"]),
    ),
    (
        "calibrate",
        ("home.toml", "--sizes", "1,3", "-o", "calibrated"),
        words_are_printed(lambda found: found["sentences"]),
    ),
    (
        "line",
        ("--from", "ping.log", "down.json", "up.json"),
        words_are_printed(
            lambda found: [
                f"{row['value']:.4g} Mbit/s" for row in found["numbers"] if row["quantity"] == "down_mbps"
            ]
        ),
    ),
    ("design arc", ("--flows", "60", "--rtt-ms", "500", "--link-mbps", "10"), _of_design),
    (
        "design sfg",
        ("--link-mbps", "10", "--rtt-ms", "300", "--misbehaving", "5"),
        words_are_printed(lambda found: found["sentences"]),
    ),
    (
        "design pi",
        ("--flows", "60", "--rtt-ms", "246", "--link-mbps", "15"),
        words_are_printed(lambda found: found["sentences"]),
    ),
    ("design pie", ("--rtt-ms", "50"), words_are_printed(lambda found: found["sentences"])),
    ("scheme check", ("red", "--cases", "2"), _of_checks),
    ("scheme cost", ("red",), _of_cost),
]


@pytest.mark.parametrize(("command", "options", "holds"), TRIED, ids=[name for name, *_ in TRIED])
def test_json_and_csv_have_what_is_printed(
    command: str,
    options: tuple[str, ...],
    holds: Callable[[dict[str, Any], str], None],
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(home)
    words = (*command.split(), *options)
    printed, as_json, as_csv = (
        aqmlab_run(*words, *more, cwd=home) for more in ((), ("--json",), ("--csv", "-"))
    )
    for done in (printed, as_json, as_csv):
        assert done.returncode == 0, done.stderr
    found = json.loads(as_json.stdout, parse_constant=_refuse)  # the object alone, without NaN or Infinity
    rows = found["numbers"]
    assert rows
    assert {tuple(row) for row in rows} == {tuple(COLUMNS.names)}
    in_csv = list(csv.DictReader(io.StringIO(as_csv.stdout)))
    if command != "scheme cost":  # which is measured anew
        assert [{name: _written(value) for name, value in row.items()} for row in rows] == in_csv
    for row in rows:
        assert row["who"] == who_of(row["quantity"])
        ends = [each for each in (row["at_least"], row["at_most"]) if each is not None]
        assert row["value"] is None or all(map(math.isfinite, ends))
    holds(found, printed.stdout)
    # What is to be typed is not broken.
    longest = max(map(len, printed.stdout.splitlines()))
    assert longest <= 80 or command == "sqm"


def _refuse(constant: str) -> None:
    raise AssertionError(constant)


def _written(value: object) -> str:
    return "" if value is None else str(value)


def test_a_file_of_numbers_stands_beside_what_is_printed(home: Path) -> None:
    words = ("bloat", *LINE)
    done = aqmlab_run(*words, "--csv", "numbers.csv", cwd=home)
    assert "grade" in done.stdout
    assert done.stdout.endswith("written: numbers.csv\n")
    assert (home / "numbers.csv").read_text() == aqmlab_run(*words, "--csv", "-", cwd=home).stdout
    both = aqmlab_run(*words, "--json", "--csv", "-", cwd=home)
    assert (both.returncode, both.stdout) == (2, "")
    assert "legal: one of them" in both.stderr
    nowhere = aqmlab_run(*words, "--csv", "none/such/numbers.csv", cwd=home)
    assert (nowhere.returncode, nowhere.stdout) in {(0, ""), (2, ""), (1, "")} or "written" in nowhere.stdout


def test_the_verdict_is_the_same_in_the_api_as_json_and_in_the_report(home: Path) -> None:
    found = aqmlab.compare(home / "home.toml", schemes=["drop-tail", "fq-codel"], seeds="1-6")
    facts = found.to_dict()["verdict"]
    assert facts == shown.facts(found)["verdict"]
    page, screen = to_html(verdict_table(found)), str(found)
    applications = {each.name: each for each in found.verdict()}
    assert [each["application"] for each in facts["applications"]] == list(applications)
    for each in facts["applications"]:
        for name, fares in each["fares"].items():
            own = applications[each["application"]].fares[name]
            assert fares["grade"] == (None if own.grade is None else own.grade.word)
            assert fares["quantity"] == own.quantity.name
            mark = "*" if fares["differs"] else ""
            assert f"{fares['words']}{mark}" in screen
            assert f"{fares['words']}{mark}".replace(">", "&gt;") in page.replace("\N{NO-BREAK SPACE}", " ")
    limits = {(each["kind"], each["quantity"]): each for each in facts["thresholds"]}
    assert [limits["call", "delay_p95_ms"][of] for of in ("good", "fair")] == [150.0, 400.0]  # ITU-T G.114
    assert facts["sentence"] in " ".join(screen.split())


def test_what_cannot_be_told_says_what_could_have_been(home: Path) -> None:
    """The same scheme twice, with a parameter that is never reached, differs in nothing."""
    found = aqmlab.compare(
        home / "home.toml", schemes=["pie:target_ms=15", "pie:target_ms=15.5"], seeds="1-6"
    )
    unseen = {
        each.name: fares
        for each in verdict(found)
        if each.name == "call" and not (fares := each.fares["pie:target_ms=15.5"]).differs
    }
    for fares in unseen.values():
        change = found.change("pie:target_ms=15.5", fares.quantity)
        assert fares.visible == change.visible
        assert "would have shown from" in " ".join(str(found).split())
    assert unseen or all(each.fares["pie:target_ms=15.5"].differs for each in verdict(found))
