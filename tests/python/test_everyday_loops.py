"""What is typed every day: a time to do it in, estimates, another scheme, short options, catalogues."""

from __future__ import annotations

import json
from importlib import import_module
from threading import Barrier
from types import SimpleNamespace
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

import aqmlab
from aqmlab.cli import commands
from aqmlab.cli.options import read_time
from aqmlab.errors import RefusalError, ScenarioError, TuneError
from aqmlab.runs import budget
from aqmlab.runs.budget import affordable, announce, in_words, run_time_s
from aqmlab.runs.executors import Threads
from aqmlab.runs.job import Job
from aqmlab.study.tuning.objectives import NAMES, Objective
from aqmlab.study.tuning.running import Plan
from command_page import every_command
from small import BULK, CALLS, TWO_HOPS, WEB, aqmlab_run, bulk

if TYPE_CHECKING:
    from pathlib import Path

# ------------------------------------------------------------------------------------------------------ time


@pytest.fixture(name="costs")
def a_run_takes_two_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "mean_run_time_s", lambda *_: 2.0)


@pytest.mark.usefixtures("costs")
@pytest.mark.parametrize(
    ("within_s", "seeds"),
    # Three scenarios of 2 s on one core are 6 s a seed; of a time nine tenths are planned with.
    [(None, 8), (60.0, 8), (53.4, 8), (53.0, 7), (13.4, 2), (6.7, 1), (1e308, 8)],
)
def test_a_time_has_room_for_so_many_seeds(within_s: float | None, seeds: int) -> None:
    found = [bulk()] * 3
    if seeds == 8:
        room = affordable(found, range(1, 9), within_s, Threads(1))
    else:
        with pytest.warns(UserWarning, match=rf"{seeds} of 8 seeds \(1"):
            room = affordable(found, range(1, 9), within_s, Threads(1))
    assert room.seeds == tuple(range(1, seeds + 1))
    assert room.duration_s is None
    assert room.of({"a": found[0]}) == {"a": found[0]}


def test_as_many_runs_are_tried_at_a_time_as_are_going_to_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two runs that wait for each other would never end one after the other."""
    together, tried = Barrier(2, timeout=10.0), []

    def waits_for_another(scenario: aqmlab.Scenario) -> float:
        together.wait()
        tried.append(scenario)
        return 3.0

    monkeypatch.setattr(budget, "run_time_s", waits_for_another)
    assert budget.mean_run_time_s([bulk()], 2) == 3.0
    assert len(tried) == 2


@pytest.mark.usefixtures("costs")
def test_where_there_is_no_room_for_a_seed_runs_are_shorter_or_nothing_is_run() -> None:
    long = bulk(duration_s=100.0, warm_up_s=10.0, cool_down_s=10.0)
    with pytest.warns(UserWarning, match=r"one seed, of runs of 45 s instead of 100 s, which measure 25 s"):
        room = affordable([long], [5, 6], 1.0, Threads(1), may_shorten=True)
    assert (room.seeds, room.duration_s) == ((5,), 45.0)  # 2 s for 100 s, and nine tenths of 1 s
    assert room.of({"a": long})["a"].duration_s == 45.0
    # 30 s at the least, of which 10 are measured: 0.67 s.
    with pytest.raises(RefusalError, match=r"within 0.5 s there is no time for one seed.*legal: 1 s or more"):
        affordable([long], [5, 6], 0.5, Threads(1), may_shorten=True)
    with pytest.raises(RefusalError, match=r"legal: 2 s or more") as refused:
        affordable([long], [5, 6], 1.0, Threads(1))
    assert refused.value.place == "within_s"


def test_a_search_has_as_many_candidates_as_there_is_time_for() -> None:
    plan = Plan(trials=40, seeds=(1, 2), fresh_seeds=(3, 4, 5, 6))
    assert plan.most_runs == 41 * 2 + 5 * 4
    # Of 36 planned runs of a second 20 are of what is shown and 2 of the start: seven candidates of two.
    with pytest.warns(UserWarning, match="within 40 s: 7 of 40 candidates"):
        assert plan.within(40.0, 1.0).trials == 7
    assert plan.within(1e9, 1.0).trials == 40
    with pytest.raises(TuneError, match="no time for one candidate; legal: 27 s or more"):
        plan.within(20.0, 1.0)


class Paced:
    """A run whose start takes half a second, its first simulated second 50 ms, and each further one 10 ms."""

    def __init__(self, *_: object) -> None:
        self.time_s, self.clock_s = 0.0, 0.5

    def advance_until(self, time_s: float) -> None:
        for second in range(int(self.time_s), int(time_s)):
            self.clock_s += 0.01 if second else 0.05
        self.time_s = time_s


def test_the_time_of_a_run_goes_on_at_the_pace_of_its_last_step(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Paced()
    began = iter([0.0])  # the clock stands at 0 until there is a run
    clock = SimpleNamespace(perf_counter=lambda: next(began, run.clock_s))
    monkeypatch.setattr(budget, "time", clock)
    monkeypatch.setattr(budget, "_core", SimpleNamespace(Simulation=lambda *_: run))
    # A start of 0.5 s, longer than what a run is tried for; then steps of 1, 2 and 4 s, until 0.11 s have
    # gone by, and 193 s that go on at 10 ms each.
    assert run_time_s(bulk(duration_s=200.0)) == pytest.approx(0.5 + 0.05 + 0.06 + 1.93)


def test_nobody_knows_how_long_a_run_takes_that_ends_when_something_has_happened(
    capsys: pytest.CaptureFixture[str],
) -> None:
    scenario = aqmlab.Scenario.from_toml(WEB + '[end_after]\npopulation = "right"\nexchanges = 100\n')
    with pytest.raises(RefusalError, match="not known before"):
        run_time_s(scenario)
    announce([Job(scenario, seed) for seed in range(1, 9)], Threads(1))
    assert capsys.readouterr() == ("", "")


def test_what_takes_long_begins_with_its_estimate(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    jobs = [Job(bulk(duration_s=30.0), seed) for seed in range(1, 11)]
    for each_s, said in ((4.0, "10 runs: about 20 s on 2 cores\n"), (0.5, "")):
        monkeypatch.setattr(budget, "mean_run_time_s", lambda *_, each_s=each_s: each_s)
        announce(jobs, Threads(2))
        assert capsys.readouterr() == ("", said)
    announce(jobs[:1], Threads(2))  # 30 simulated seconds are not worth a try
    assert capsys.readouterr().err == ""
    assert [in_words(each) for each in (0.5, 12.3, 300.0, 7200.0)] == ["0.5 s", "12 s", "5 min", "2.0 h"]


TIMES = [("30", 30.0), ("30s", 30.0), (" 1.5 min", 90.0), ("5min", 300.0), ("2h", 7200.0)]


@pytest.mark.parametrize(("typed", "seconds"), TIMES)
def test_a_time_is_typed_with_its_unit(typed: str, seconds: float) -> None:
    option = click.Option(["--within"])
    assert read_time(click.Context(commands), option, typed) == seconds
    assert read_time(click.Context(commands), option, None) is None


@pytest.mark.parametrize("typed", ["0", "-3s", "soon", "5 days", ""])
def test_what_is_no_time_is_refused(typed: str) -> None:
    done = aqmlab_run("bloat", "--down", "8", "--up", "2", "--within", typed)
    assert done.returncode == 2
    assert "legal: such as 30s, 5min or 1h" in done.stderr


def test_a_comparison_within_a_time_runs_fewer_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "mean_run_time_s", lambda *_: 1.0)
    with pytest.warns(UserWarning, match="within 5 s: 2 of 8 seeds"):
        found = aqmlab.compare(BULK, schemes=["drop-tail", "codel"], within_s=5.0, workers=1)
    assert found.seeds == (1, 2)
    with pytest.raises(aqmlab.ComparisonError, match="within_s: excludes until_width_s"):
        aqmlab.compare(BULK, schemes=["drop-tail", "codel"], within_s=5.0, until_width_s=1.0)


def test_a_sweep_within_a_time_runs_every_point(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "mean_run_time_s", lambda *_: 1.0)
    with pytest.warns(UserWarning, match="within 5 s: 2 of 3 seeds"):
        swept = aqmlab.sweep(
            BULK, grid={"dumbbell.queue.limit_packets": [10, 20]}, seeds="1-3", within_s=5.0, workers=1
        )
    assert [len(each) for each in swept.runs.values()] == [2, 2]


# -------------------------------------------------------------------------------------------------- --scheme


def test_a_run_under_another_scheme_is_that_of_a_comparison(tmp_path: Path) -> None:
    (tmp_path / "bulk.toml").write_text(BULK, encoding="utf-8")
    done = aqmlab_run("run", "bulk.toml", "--scheme", "codel:target_ms=20", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    [folder] = json.loads(done.stdout)["folders"]
    result = aqmlab.Result.load(tmp_path / folder)
    assert result.scenario["name"] == "two flows, codel:target_ms=20"
    found = aqmlab.compare(BULK, schemes=["drop-tail", "codel:target_ms=20"], seeds=[1])
    [same] = found.results["codel:target_ms=20"]
    assert result.content_address == same.content_address
    wrong = aqmlab_run("run", "bulk.toml", "--scheme", "codell", cwd=tmp_path)
    assert wrong.returncode == 2
    assert 'did you mean "codel"' in wrong.stderr


def test_the_page_begins_with_the_scheme_that_was_named() -> None:
    from aqmlab.cli.play import _queues_of
    from aqmlab.show.play import PlayedLink

    scenario = aqmlab.Scenario.from_toml(WEB)
    settings = _queues_of(scenario, "codel")
    assert [table["scheme"] for table in settings.values()] == ["codel"]
    link = PlayedLink(scenario.with_overrides(settings), settings=settings, simulated_s=10.0)
    assert link.start.scheme == "codel"
    assert "codel" in link.command(link.start, "web.toml")
    assert _queues_of(scenario, None) == {}


# ------------------------------------------------------------------------------------------------ catalogues


def test_o_is_short_for_output_everywhere() -> None:
    for path, context in every_command():
        for parameter in context.command.params:
            if isinstance(parameter, click.Option) and "--output" in parameter.opts:
                assert "-o" in parameter.opts, path


def test_list_says_in_a_line_or_two_what_each_name_is() -> None:
    listed = CliRunner().invoke(commands, ["list"]).output.splitlines()
    assert max(map(len, listed)) <= 80
    headings = [line for line in listed if not line.startswith(" ")]
    assert len(headings) == 8
    named = {line.split()[0]: line.split()[1:] for line in listed if line.startswith("  ") and line[2] != " "}
    assert {
        "drop-tail",
        "cake",
        "bbr-linux-v3",
        "linux6-cubic",
        "quic",
        "pages",
        "cloud_game",
        "home",
        "le2003",
        "strangers",
    } <= named.keys()
    for name, words in named.items():
        assert words, name


def test_help_tells_how_a_shell_completes_commands() -> None:
    said = CliRunner().invoke(commands, ["--help"]).output
    assert "_AQMLAB_COMPLETE=bash_source aqmlab" in said
    completed = CliRunner().invoke(
        commands,
        [],
        prog_name="aqmlab",
        env={"_AQMLAB_COMPLETE": "bash_complete", "COMP_WORDS": "aqmlab compare --wi", "COMP_CWORD": "2"},
    )
    assert "--within" in completed.output


# ------------------------------------------------------------------------------------------------ objectives


def test_what_calls_feel_is_that_of_the_worse_one() -> None:
    both = CALLS + CALLS.split("[[datagrams]]")[1].join(["[[datagrams]]", ""]).replace(
        '"calls"', '"others"'
    ).replace("left-to-right", "right-to-left")
    scenario = aqmlab.Scenario.from_toml(both)
    result = aqmlab.run(scenario)
    expected = {
        "call-delay-p95": max(result.value(f"delay_p95_ms/datagrams.{name}") for name in ("calls", "others")),
        "call-loss": max(result.value(f"loss_percent/datagrams.{name}") for name in ("calls", "others")),
        "mos": 4.5 - min(result.value(f"voice_mos/datagrams.{name}") for name in ("calls", "others")),
    }
    for name, cost in expected.items():
        objective = Objective(name)
        objective.require_in(scenario)
        assert objective.cost(objective.figures_of(result, scenario)) == pytest.approx(cost), name
    # The worst of three criteria, each up to 1 where it is good: 150 ms, 1 % and 4.0 (best 4.5).
    worst = Objective("worst-off")
    by_hand = max(expected["call-delay-p95"] / 150.0, expected["call-loss"] / 1.0, expected["mos"] / 0.5)
    assert by_hand < 1.0
    assert worst.cost(worst.figures_of(result, scenario)) == pytest.approx(by_hand)


def test_an_objective_that_nobody_is_there_for_is_refused_before_any_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = import_module("aqmlab.study.tuning.search")
    monkeypatch.setattr(search, "run_each", lambda *_, **__: pytest.fail("was run"))
    with pytest.raises(TuneError) as refused:
        aqmlab.tune(CALLS, scheme="codel", objective="game-delay-p95", store=tmp_path)
    assert "two flows has no games; legal here: highest-utilization, lowest-drop-rate, call-delay-p95" in str(
        refused.value
    )
    assert refused.value.place == "objective"
    with pytest.raises(TuneError, match="has no users"):
        aqmlab.tune(BULK, scheme="codel", objective="page", store=tmp_path)
    for name in NAMES:
        assert Objective(name).unit
    with pytest.raises((TuneError, ScenarioError), match="did you mean"):
        aqmlab.tune(BULK, scheme="codel", objective="moss", store=tmp_path)


def test_responsiveness_is_sought_on_the_line_of_a_scenario_as_the_command_measures_it(
    tmp_path: Path,
) -> None:
    line = bulk(dumbbell__rate_mbps=5.0, dumbbell__queue={"scheme": "codel", "limit_packets": 100})
    found = aqmlab.tune(
        line, scheme="codel", objective="rpm", trials=1, seeds=[1], fresh_seeds=[2], store=tmp_path
    )
    measured = aqmlab.rpm(line, load=["both"], schemes=["codel"], seeds=[2]).rpm("as it is", "both")
    assert found.given.fresh_costs(found.objective)[2] == pytest.approx(60_000.0 / measured)
    assert found.objective.unit == "ms a round trip"
    # The winner is the scenario with its own people, not the test.
    assert found.best.duration_s == line.duration_s
    shown = str(found)
    assert "RPM" in shown
    assert "min(t, 2)" not in shown, "nobody waits for a response there"


def test_a_line_that_returns_nothing_has_the_cost_of_the_whole_test() -> None:
    assert Objective("rpm").cost({"rpm": 0.0}) == 80_000.0
    assert Objective("rpm").cost({"rpm": 1200.0}) == 50.0


def test_responsiveness_is_that_of_a_line(tmp_path: Path) -> None:
    with pytest.raises(TuneError, match=r"objective rpm: .* has no \[line\] or \[dumbbell\]; legal here"):
        aqmlab.tune(TWO_HOPS, scheme="codel", objective="rpm", store=tmp_path)
