"""Congestion controllers of one's own: a class of Python keeps a window, and everybody treats it as one."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import aqmlab
from aqmlab import ComparisonError, Job, RunError, Scenario, ScenarioError, Simulation
from aqmlab.controllers.random_sender import LAWS
from aqmlab.controllers.trial import check, laws_of
from aqmlab.load.controllers import ParametrizedController
from aqmlab.runs.budget import run_time_s
from small import aqmlab_run

if TYPE_CHECKING:
    import pyarrow as pa

EXAMPLES = Path(__file__).parents[2] / "examples"

SCENARIO = """
name = "own controllers"
duration_s = 12.0
warm_up_s = 2.0

[dumbbell]
rate_mbps = 10.0
queue = { scheme = "drop-tail", limit_packets = 30 }

[[flows]]
name = "own"
count = 2
direction = "left-to-right"
base_rtt_ms = 40.0
profile = "linux6-reno"
host = { congestion = "own.py:Own" }

[record]
congestion_window_interval_ms = 100.0
"""

ROUND_TRIP_S, SEGMENT, PACKET = 0.04, 1448, 1500
"""Of the scenario; the bytes of a segment's data, and of its packet with headers of 52 bytes."""


def written(folder: Path, body: str = "", head: str = "") -> None:
    """A controller with this body, in `own.py`."""
    inside = "".join(f"    {line}\n" if line else "\n" for line in body.splitlines())
    text = (
        f'from aqmlab.controllers import *\n{head}\nclass Own(Controller):\n    """An own one."""\n{inside}'
    )
    (folder / "own.py").write_text(text)


def own(folder: Path, body: str = "", *, text: str = SCENARIO, host: str = "") -> Scenario:
    written(folder, body)
    return Scenario.from_toml(text.replace('"own.py:Own"', f'"own.py:Own"{host}'), folder=folder)


CONSTANT = "def start(self, host):\n    self.window = {0}\n" + "".join(
    f"def {method}(self, fact):\n    pass\n"
    for method in (
        "on_established",
        "on_acknowledged",
        "on_loss",
        "on_timeout",
        "on_marks",
        "on_recovered",
        "on_idle",
        "on_unused",
    )
)
"""A window that stays as it is."""


def same(one: pa.Table, other: pa.Table) -> bool:
    """Whether two tables are the same; a number that is absent is the same as another one."""
    return str(one.to_pydict()) == str(other.to_pydict())


# --- what it does ---

PLACES: dict[str, dict[str, object]] = {
    "overflow": {},
    "random losses": {"dumbbell.loss_probability": 0.02},
    "timeouts": {"dumbbell.queue.limit_packets": 3, "dumbbell.loss_probability": 0.1},
    "marks": {
        "dumbbell.queue": {"scheme": "pie", "limit_packets": 100, "ecn": True},
        "flows.0.host.ecn": "on",
    },
    "a slow application": {"flows.0.bytes": 200_000, "flows.0.count": 20, "flows.0.start_spread_s": 8.0},
}


@pytest.mark.parametrize("place", PLACES)
def test_one_that_replaces_nothing_is_reno_whose_window_falls_at_once(place: str, tmp_path: Path) -> None:
    """The controller of the package is written in Rust, and by others' rules; every table is the same."""
    overrides = {**PLACES[place], "flows.0.host.proportional_rate_reduction": False}
    mine = own(tmp_path).with_overrides(overrides)
    reno = mine.with_overrides({"flows.0.host.congestion": "reno"})
    for seed in (1, 2):
        ours, theirs = aqmlab.run(mine, seed=seed), aqmlab.run(reno, seed=seed)
        assert sorted(ours.tables) == sorted(theirs.tables)
        for name, table in ours.tables.items():
            assert same(table, theirs.tables[name]), (name, seed)
        assert ours.tables["congestion_windows"].num_rows > 0 or place == "a slow application"


def test_a_constant_window_carries_what_is_worked_out_by_hand(tmp_path: Path) -> None:
    """Eight segments in a round trip of 40 ms, of which each takes 1.2 ms on the link: nothing waits."""
    overrides = {"flows.0.count": 1, "flows.0.host.acknowledge_every_segments": 1}
    scenario = own(tmp_path, CONSTANT.format(8)).with_overrides(overrides)
    carried = aqmlab.run(scenario, seed=1).value("goodput_mbps/flows.own")
    # A round trip is 40 ms, the packet's 1.2 ms, its 0.12 ms on each of two interfaces of 100 Mbit/s, and
    # what the acknowledgement's 52 bytes take: 0.042 ms on the link.
    shortest, longest = 0.0412, 0.0416
    bits = 8 * 8 * SEGMENT / 1e6
    assert bits / longest < carried < bits / shortest


def test_a_pace_is_the_rate_of_packets(tmp_path: Path) -> None:
    paced = CONSTANT.format(400).replace("window = 400", "window = 400; self.pacing_bps = 2e6")
    scenario = own(tmp_path, f"paces = True\n{paced}").with_overrides({"flows.0.count": 1})
    carried = aqmlab.run(scenario, seed=1).value("goodput_mbps/flows.own")
    assert carried == pytest.approx(2.0 * SEGMENT / PACKET, rel=0.003)


def test_accurate_ecn_tells_how_many_packets_were_marked(tmp_path: Path) -> None:
    """A class that fails with what it was told says what that was."""
    body = (
        "accurate_ecn = answers_marks = True\ncodepoint = 'ect1'\n"
        "def on_marks(self, marks):\n    raise RuntimeError('a reduction')\n"
        "def on_acknowledged(self, a):\n    super().on_acknowledged(a)\n"
        "    if a.marked: raise RuntimeError(f'{a.marked} of {a.delivered} marked')\n"
    )
    queue = {"scheme": "red", "limit_packets": 100, "ecn": True}
    scenario = own(tmp_path, body).with_overrides({"dumbbell.queue": queue})
    with pytest.raises(RunError, match=r"RuntimeError: \d+ of \d+ marked"):
        aqmlab.run(scenario, seed=1)
    assert scenario.resolved["flows"][0]["host"]["congestion"] == {"controller": "own.py:Own"}


def test_random_numbers_are_those_of_the_seed_and_the_connection(tmp_path: Path) -> None:
    body = "def window_after_loss(self):\n    return self.window * (0.4 + 0.4 * self.coins.uniform())\n"
    scenario = own(tmp_path, body)
    jobs = [Job(scenario, seed) for seed in (1, 2, 1)]
    alone = aqmlab.run_many(jobs, workers=1, progress=False)
    beside = aqmlab.run_many(list(reversed(jobs)), workers=2, progress=False)
    assert [each.run for each in alone] == [each.run for each in reversed(beside)]
    windows = [each.tables["congestion_windows"] for each in alone]
    assert same(windows[0], windows[2])
    assert not same(windows[0], windows[1])


def test_a_copied_simulation_goes_on_by_itself(tmp_path: Path) -> None:
    body = "def window_after_loss(self):\n    return self.window * (0.4 + 0.4 * self.coins.uniform())\n"
    scenario = own(tmp_path, body)
    whole = aqmlab.run(scenario, seed=1)
    original = Simulation(scenario, seed=1)
    original.advance_until(5.0)
    other = copy.deepcopy(original)
    for each in (original, other):
        each.advance_until(7.0)
        windows = each.finish().tables["congestion_windows"]
        assert same(windows, whole.tables["congestion_windows"])


def test_smaller_steps_that_fall_less_far_share_with_reno() -> None:
    """RFC 9438 section 4.3: AIMD that keeps b of its window gets what Reno gets if it adds 3(1 - b)/(1 + b)
    segments a round trip. The windows of both fall at once.
    """
    kept = 0.7
    host = f'congestion = {{ controller = "my_aimd.py:Aimd", left_share = {kept}, increase_segments = '
    text = SCENARIO.replace('congestion = "own.py:Own"', f"{host}{3 * (1 - kept) / (1 + kept)} }}")
    text = text.replace("count = 2", "count = 5").replace("duration_s = 12.0", "duration_s = 120.0")
    text = text.replace("limit_packets = 30", "limit_packets = 100").replace("drop-tail", "red")
    beside = text[text.index("[[flows]]") : text.index("[record]")].replace('name = "own"', 'name = "reno"')
    beside = re.sub(r"congestion = \{.*?\}", 'congestion = "reno"', beside)
    off = "proportional_rate_reduction = false, congestion = "
    text = (text + beside).replace("congestion = ", off).replace(f"{off}100.0", "congestion = 100.0")
    result = aqmlab.run(Scenario.from_toml(text, folder=EXAMPLES), seed=1)
    rates = [result.value(f"goodput_mbps/flows.{name}") for name in ("own", "reno")]
    assert rates[0] / sum(rates) == pytest.approx(0.5, abs=0.08)


# --- how a scenario keeps it ---


def test_a_scenario_keeps_the_file_and_its_address_changes_with_it(tmp_path: Path) -> None:
    body = "step = parameter(1.0, 'Segments.', above=0, most=9)"
    scenario = own(tmp_path, body)
    kept = Scenario(scenario.resolved_json)
    (tmp_path / "own.py").unlink()
    assert aqmlab.run(kept, seed=1).run["flows"] == aqmlab.run(scenario, seed=1).run["flows"]
    document = json.loads(scenario.resolved_json)
    assert document["flows"][0]["host"]["congestion"] == {"controller": "own.py:Own", "step": 1.0}
    assert "class Own(Controller)" in document["files"]["own.py"]
    stepped = scenario.with_overrides({"flows.0.host.congestion.step": 2})
    assert json.loads(stepped.resolved_json)["flows"][0]["host"]["congestion"]["step"] == 2.0
    edited = own(tmp_path, f"{body}\n# another text")
    addresses = {each.content_address(1) for each in (scenario, stepped, edited)}
    assert len(addresses) == 3
    assert kept.content_address(1) == scenario.content_address(1)


def test_a_name_and_a_table_mean_the_same(tmp_path: Path) -> None:
    named = own(tmp_path)
    table = SCENARIO.replace('"own.py:Own"', '{ controller = "own.py:Own" }')
    assert Scenario.from_toml(table, folder=tmp_path).resolved_json == named.resolved_json
    built_in = SCENARIO.replace('"own.py:Own"', '{ controller = "cubic" }')
    assert Scenario.from_toml(built_in).resolved["flows"][0]["host"]["congestion"] == "cubic"


# --- what is wrong with it ---

FAILURES = {
    "an exception": (
        "def grow(self, acknowledged):\n    raise KeyError('gone')",
        "own.py, line 6, in grow: KeyError: 'gone'",
    ),
    "a fact that there is not": (
        "def on_acknowledged(self, a):\n    self.window = a.acked",
        "own.py, line 6, in on_acknowledged: AttributeError: 'Acknowledged' object has no attribute 'acked'",
    ),
    "no number": (
        "def grow(self, acknowledged):\n    self.window = float('nan')",
        "own.py:Own, after on_acknowledged: self.window is nan; legal: a number of segments, 1 to 1e9",
    ),
    "no window": (
        "def window_after_loss(self):\n    return 0\ndef on_loss(self, loss):\n    self.window = 0.5",
        "own.py:Own, after on_loss: self.window is 0.5; legal: a number of segments, 1 to 1e9",
    ),
    "no number after a loss": (
        "def window_after_loss(self):\n    return float('nan')",
        "window_after_loss() is nan; legal: a number of segments, 0 or more",
    ),
    "less than nothing after a loss": (
        "def window_after_loss(self):\n    return -3",
        "window_after_loss() is -3; legal: a number of segments, 0 or more",
    ),
    "a word": (
        "def grow(self, acknowledged):\n    self.window = 'wide'",
        "self.window is 'wide'; legal: a number of segments",
    ),
    "a small threshold": (
        "def on_loss(self, loss):\n    self.threshold = 1",
        "own.py:Own, after on_loss: self.threshold is 1; legal: a number of segments, 2 or more",
    ),
    "a pace of nothing": (
        "def grow(self, acknowledged):\n    self.pacing_bps = 0",
        "self.pacing_bps is 0; legal: None, or 1 to 1e15 bit/s",
    ),
    "a start that fails": (
        "def start(self, host):\n    1 / 0",
        "own.py, line 6, in start: ZeroDivisionError",
    ),
    "a start without a window": (
        "def start(self, host):\n    self.window = 0",
        "own.py:Own, after start: self.window is 0; legal",
    ),
}


@pytest.mark.parametrize("what", FAILURES)
def test_a_failure_ends_the_run_and_names_file_and_method(what: str, tmp_path: Path) -> None:
    body, message = FAILURES[what]
    broken = own(tmp_path, body)
    with pytest.raises(RunError) as failed:
        aqmlab.run_many([Job(broken, 1, folder=tmp_path / "result")], progress=False)
    assert message in str(failed.value)
    assert "panicked" not in str(failed.value)
    assert not (tmp_path / "result" / "run.json").exists()
    assert aqmlab.run(own(tmp_path), seed=1).tables["congestion_windows"].num_rows > 0


def test_of_many_runs_the_one_that_fails_is_named(tmp_path: Path) -> None:
    """Also where runs are so long that an estimate, which fails alike, comes first."""
    broken = own(tmp_path, "def grow(self, a):\n    1 / 0").with_overrides({"duration_s": 60.0})
    failure = "own.py, line 6, in grow: ZeroDivisionError"
    with pytest.raises(RunError, match=f"^(as it is|pie), seed 1: {failure}"):
        aqmlab.compare(broken, schemes=["pie"], seeds=[1])
    with pytest.raises(RunError, match=f": {failure}"):
        run_time_s(broken)
    controller = f"{tmp_path / 'own.py'}:Own"
    with pytest.raises(RunError, match=rf"^7\.7 reordering, 1 %, .*, seed 1: .*{failure}"):
        aqmlab.evaluate(controller, controllers=["cubic"], only=["7.7"], seeds=[1])


REFUSALS = {
    "no class": ("Owl", "", "", "own.py has no class Owl of aqmlab.controllers.Controller; it has Own"),
    "what is no Python": ("Own", "x = (", "", "own.py, line 5: SyntaxError"),
    "what ends the program": ("Own", "raise SystemExit(3)", "", "own.py, line 5, in Own: SystemExit: 3"),
    "a misspelt method": ("Own", "def on_markss(self, marks):\n    pass", "", 'did you mean "on_marks"?'),
    "an unknown fact": (
        "Own",
        "def on_weather(self, fact):\n    pass",
        "",
        "on_weather: nothing calls this method; legal: on_established",
    ),
    "a codepoint": ("Own", "codepoint = 'ect2'", "", "codepoint is 'ect2'; legal: ect0 or ect1"),
    "an attribute's name": (
        "Own",
        "window = parameter(1, 'x')",
        "",
        "parameter window: every congestion controller has an attribute of this name",
    ),
    "a name of the table": (
        "Own",
        "controller = parameter(1, 'x')",
        "",
        "every congestion controller has it already",
    ),
    "a name of a key of hosts": (
        "Own",
        "pacing = parameter(True, 'x')",
        "",
        "parameter `pacing`: `host` has a key of this name; legal: other names than maximum_segment_bytes, ",
    ),
    "an unknown key": ("Own", "step = parameter(1, 'Step.')", "stop = 3", 'unknown key "stop"'),
    "out of range": (
        "Own",
        "step = parameter(1, 'Step.', most=9)",
        "step = 10",
        "flows.0.host.congestion.step: 10 is out of range; legal: at most 9",
    ),
    "a wrong type": ("Own", "step = parameter(1, 'Step.')", "step = 1.5", "expected a whole number"),
    "a contradiction": (
        "Own",
        "step = parameter(1, 'P.')\ndef check(self):\n    raise IllegalParameter('step', 'below 0')",
        "",
        "step = 1 is not legal; legal: below 0",
    ),
    "a check that fails": (
        "Own",
        "def check(self):\n    1 / 0",
        "",
        "one whose check fails (own.py, line 6, in check: ZeroDivisionError: division by zero) is not legal",
    ),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_what_is_wrong_with_a_controller_is_refused_at_its_place(what: str, tmp_path: Path) -> None:
    name, body, key, message = REFUSALS[what]
    written(tmp_path, body)
    table = f'{{ controller = "own.py:{name}"{", " * bool(key)}{key} }}'
    with pytest.raises(ScenarioError) as refused:
        Scenario.from_toml(SCENARIO.replace('"own.py:Own"', table), folder=tmp_path)
    assert message in str(refused.value)
    assert "flows.0.host.congestion" in str(refused.value)
    assert "FILE.py:CLASS" not in str(refused.value), "the file is named and there"


@pytest.mark.parametrize(
    ("controller", "message"),
    [
        ('"own.py"', 'no class of this file is named; legal: "own.py:CLASS"'),
        ('"own.py:"', '"own.py:": no class of this file is named; legal: "own.py:CLASS"'),
        ('"own.so:"', '"own.so:": no symbol of this library is named; legal: "own.so:SYMBOL"'),
        ('"nowhere.py:Own"', "there is no file "),
        ('"own.so:Own"', "there is no file "),
        (
            '"own.txt:Own"',
            "neither a file of Python nor a library; legal: FILE.py:CLASS or LIBRARY.so:SYMBOL",
        ),
        ('{ controller = "owl" }', 'no controller "owl"; legal: reno, reno-abc, cubic'),
        ('{ controller = "cubic", step = 1 }', 'unknown key "step"'),
        ("{ step = 1 }", 'missing key "controller"'),
        ("7", "expected a string or a table"),
    ],
)
def test_a_name_that_means_no_controller_is_refused(controller: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ScenarioError) as refused:
        Scenario.from_toml(SCENARIO.replace('"own.py:Own"', controller), folder=tmp_path)
    assert message in str(refused.value)


def test_a_classic_host_refuses_it(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="linux6 profiles take one"):
        own(tmp_path).with_overrides({"flows.0.profile": "bsd45"})


# --- who treats it as a controller ---


def test_a_live_run_refuses_it_and_an_agent(tmp_path: Path) -> None:
    core = pytest.importorskip("aqmlab._core")
    with pytest.raises(
        ScenarioError,
        match=r'own: congestion = "own.py:Own": a live run has no congestion controllers in files; legal: ',
    ):
        core.LiveRun(own(tmp_path).core, 1, core.LiveSettings())
    agent = Scenario.from_toml(SCENARIO.replace("own.py:Own", "agent"))
    with pytest.raises(ScenarioError, match='own: congestion = "agent": no agent sets the windows'):
        core.LiveRun(agent.core, 1, core.LiveSettings())


def test_it_is_explained_and_has_a_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)
    told = aqmlab_run("explain", "my_aimd.py:Aimd").stdout
    assert "Congestion controller. Adds `increase_segments` a round trip" in " ".join(told.split())
    assert "left_share" in told
    assert "aqmlab evaluate my_aimd.py:Aimd" in told
    table = json.loads(aqmlab_run("schema", "my_aimd.py:Aimd").stdout)
    assert table["properties"]["increase_segments"]["default"] == 1.0
    assert table["required"] == ["controller"]
    misspelt = aqmlab_run("explain", "my_aimd.py:Aimed")
    assert "it has Aimd" in misspelt.stderr


def test_it_is_evaluated_beside_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)
    name = "my_aimd.py:Aimd:left_share=0.8:pacing=true"
    assert ParametrizedController.of(name).host == {"congestion.left_share": "0.8", "pacing": "true"}
    found = aqmlab.evaluate(name, controllers=["cubic"], only=["7.7"], seeds=[1])
    assert {row["controller"] for row in found.to_arrow().to_pylist()} >= {name, "cubic"}
    with pytest.raises(ScenarioError, match=r"my_aimd.py:Aimd: key .left_shares."):
        aqmlab.evaluate("my_aimd.py:Aimd:left_shares=1", seeds=[1])
    with pytest.raises(ScenarioError, match="out of range"):
        aqmlab.evaluate("my_aimd.py:Aimd:left_share=2", seeds=[1])
    with pytest.raises(ScenarioError, match="it has Aimd"):
        aqmlab.evaluate("my_aimd.py:Aimed", seeds=[1])


def test_it_is_a_sender_among_others(tmp_path: Path) -> None:
    written(tmp_path, "step = parameter(1, 'Step.', most=9)")
    scenario = own(tmp_path, "step = parameter(1, 'Step.', most=9)").with_overrides({"duration_s": 4.0})
    name = f"{tmp_path / 'own.py'}:Own:step=2"
    found = aqmlab.senders(scenario, ["reno", name], schemes=["fq-codel"], seeds=[1])
    assert (found.alone("fq-codel", name).mean("first_mbps") or 0.0) > 5
    for wrong, message in (
        (f"{name}:step=3", "step is given twice"),
        (name.replace("=2", "=99"), "out of range"),
    ):
        with pytest.raises(ComparisonError, match=message):
            aqmlab.senders(scenario, [wrong], schemes=["fq-codel"], seeds=[1])


# --- the rules of controllers ---

BREACHES = {
    "def on_idle(self, timeouts):\n    self.window += 1": "a pause opens no window",
    "def grow(self, a):\n    self.window += 2 * a.delivered": "opens the window by no more than it covers",
    "def window_after_loss(self):\n    return 1.5 * self.window": "leaves a threshold within the window",
    "def on_timeout(self, timeout):\n    self.window = 5": "after a timeout the window lets one",
    "def on_recovered(self, how):\n    self.window = 1": "a mistake that is taken back",
    "def grow(self, a):\n    self.window += a.acked": "no method raises an exception",
    "import random\ndef window_after_loss(self):\n    return 2 + self.random.random()": "the same facts",
    "def on_acknowledged(self, a):\n    self.window += 1": "what the application limits opens no window",
    "def on_sent(self, sent):\n    self.window = 0": "a window is at least 1 segment",
    "def start(self, host):\n    self.window = 0": "a window is at least 1 segment",
    "def on_unused(self, used):\n    self.window += 1": "a pause opens no window",
    "def on_recovered(self, how):\n    self.threshold = float('inf')": "the end of a reduction leaves",
    "def on_established(self, opening):\n    opening.round_trip_ns + 1": "no method raises an exception",
    "def on_established(self, opening):\n    assert not opening.syn_lost": "no method raises an exception",
    **{
        f"def on_established(self, opening):\n    assert opening.feedback != {feedback!r}": "no method raises"
        for feedback in ("none", "classic", "accurate")
    },
    "def grow(self, a):\n    raise SystemExit(0)": "no method raises an exception",
    **{
        f"def {method}\n    self.{answer} = {value}": "a window is at least 1 segment, a threshold 2"
        for method in ("on_sent(self, sent):", "grow(self, a):")
        for answer, values in {
            "window": ("float('nan')", "float('inf')", "'wide'", "None", "10 ** 400"),
            "threshold": ("float('nan')", "-float('inf')"),
            "send_quantum": ("float('nan')", "float('inf')"),
            "pacing_bps": ("float('nan')", "float('inf')", "0.5"),
        }.items()
        for value in values
    },
}


@pytest.mark.parametrize("body", BREACHES)
def test_a_broken_rule_is_found(body: str, tmp_path: Path) -> None:
    written(tmp_path, body)
    broken = check("own.py:Own", folder=tmp_path)
    assert any(BREACHES[body] in each.law for each in broken)
    assert [each.law for each in check("own.py:Own", folder=tmp_path)] == [each.law for each in broken]


def test_marks_are_told_as_the_peer_tells_them(tmp_path: Path) -> None:
    """Nobody hears of marks without ECN, nor of how many there were without accurate ECN (RFC 9768)."""
    body = (
        "def on_established(self, opening):\n    super().on_established(opening)\n"
        "    self.feedback = opening.feedback\n"
        "def on_marks(self, marks):\n    super().on_marks(marks)\n"
        "    assert self.feedback == 'accurate' or self.feedback == 'classic' and marks.marked == 1\n"
        "def on_acknowledged(self, a):\n    super().on_acknowledged(a)\n"
        "    assert self.feedback == 'accurate' or not a.marked\n"
    )
    written(tmp_path, body)
    assert check("own.py:Own", folder=tmp_path) == []
    written(tmp_path, body.replace("== 'accurate' or not", "!= 'accurate' or not"))
    assert [each.law for each in check("own.py:Own", folder=tmp_path)] == [LAWS[0]]


DEFAULTS = {
    "step = parameter(10, 'Step.', most=9)": "parameter `step`: its default 10 is not legal",
    "step = parameter(1, 'P.')\ndef check(self):\n    raise IllegalParameter('step', 'below 0')": (
        "step = 1 is not legal; legal: below 0"
    ),
    "def check(self):\n    1 / 0": (
        "one whose check fails (own.py, line 6, in check: ZeroDivisionError: division by zero) is not legal; "
        "legal: one whose `check` works"
    ),
}


@pytest.mark.parametrize("body", DEFAULTS)
def test_defaults_that_no_run_takes_are_refused(body: str, tmp_path: Path) -> None:
    with pytest.raises(ScenarioError) as by_a_run:
        own(tmp_path, body)
    assert DEFAULTS[body] in str(by_a_run.value)
    for asked in (check, laws_of):
        with pytest.raises(ScenarioError) as refused:
            asked("own.py:Own", folder=tmp_path)
        assert str(refused.value) == f"own.py:Own: {DEFAULTS[body]}"


def test_the_command_says_how_many_rules_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path)
    assert "own.py:Own: keeps all 10 rules" in aqmlab_run("controller", "check", "own.py:Own").stdout
    written(tmp_path, "def on_idle(self, timeouts):\n    self.window += 1")
    broken = aqmlab_run("controller", "check", "own.py:Own")
    assert broken.returncode == 2
    assert "breaks 1 of 10 rules" in broken.stdout
    written(tmp_path, "def on_lost(self, lost):\n    pass")
    assert "keeps all 6 rules" in aqmlab_run("controller", "check", "own.py:Own").stdout
