"""Congestion controllers of one's own in C: a variable of a library, treated as a class in a file is."""

from __future__ import annotations

import copy
import json
import math
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import aqmlab
from aqmlab import RunError, Scenario, ScenarioError, Simulation, _core
from aqmlab.controllers import Acknowledged, Loss, Marks, Opening, Timeout
from aqmlab.controllers.loading import load
from aqmlab.controllers.trial import check
from small import aqmlab_run

ROOT = Path(__file__).parents[2]
EXAMPLES, INCLUDE = ROOT / "examples", ROOT / "python" / "aqmlab" / "controllers"

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
host = { congestion = "own.so:own" }

[record]
congestion_window_interval_ms = 100.0
packets = true
"""

START = """
#include "aqmlab_controller.h"
#include <math.h>
static const char *start(void *own, const double *values, const aqmlab_host *host, aqmlab_answers *answers) {
    (void)own; (void)values; (void)host; (void)answers;
    return 0;
}
"""
TABLE = (
    "const aqmlab_controller own = {.version = AQMLAB_CONTROLLER_VERSION, "
    '.meaning = "An own one.", .start = start, %s};'
)


def library(folder: Path, source: str, name: str = "own", *options: str) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    (folder / f"{name}.c").write_text(source)
    command = [compiler, *options, "-shared", "-fPIC", "-I", str(INCLUDE), f"{name}.c", "-o", f"{name}.so"]
    subprocess.run(command, check=True, cwd=folder)


def own(folder: Path, functions: str, table: str, *, text: str = SCENARIO) -> Scenario:
    library(folder, f"{START}{functions}{TABLE % table}")
    return Scenario.from_toml(text, folder=folder)


@pytest.fixture(scope="session")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example in both languages, compiled as its first line says."""
    folder = tmp_path_factory.mktemp("controllers")
    shutil.copy(EXAMPLES / "my_aimd.py", folder)
    text = (EXAMPLES / "my_aimd.c").read_text()
    library(folder, text, "my_aimd", "-O2", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off")
    return folder


def aimd(
    folder: Path, name: str = "my_aimd.so:my_aimd", parameters: str = "", *, text: str = SCENARIO
) -> Scenario:
    """A scenario with the example, with `KEY = VALUE` behind its name."""
    table = f'{{ controller = "{name}"{", " * bool(parameters)}{parameters} }}'
    return Scenario.from_toml(text.replace('"own.so:own"', table), folder=folder)


def rows(result: aqmlab.Result) -> dict[str, Any]:
    """Everything that a result has, as text: a number that is absent is the same as another one."""
    return {name: str(table.to_pydict()) for name, table in result.tables.items()}


# --- what it does ---

PLACES: dict[str, dict[str, object]] = {
    "overflow": {},
    "random losses": {"dumbbell.loss_probability": 0.02},
    "timeouts": {"dumbbell.queue.limit_packets": 3, "dumbbell.loss_probability": 0.1},
    "marks": {
        "dumbbell.queue": {"scheme": "pie", "limit_packets": 100, "ecn": True},
        "flows.0.host.ecn": "on",
    },
    "marks that are lost as well": {
        "dumbbell.queue": {"scheme": "red", "limit_packets": 20, "ecn": True},
        "dumbbell.loss_probability": 0.01,
        "flows.0.host.ecn": "accurate",
    },
    "a slow application": {"flows.0.bytes": 200_000, "flows.0.count": 20, "flows.0.start_spread_s": 8.0},
    "every kind of timeout, and lost SYNs": {
        "dumbbell.loss_probability": 0.3,
        "flows.0.bytes": 60_000,
        "flows.0.count": 30,
        "flows.0.start_spread_s": 6.0,
    },
    "pauses, and windows that are not used": {"dumbbell.loss_probability": 0.02, "duration_s": 30.0},
}
READERS = """
[users]
per_side = 10
profile = "linux6-cubic"
host = { congestion = "own.so:own", window_validation = true }

[record]"""
"""Beside the flows of the last place."""


@pytest.mark.parametrize("place", PLACES)
def test_the_example_in_c_and_in_python_give_the_same_tables(place: str, shipped: Path) -> None:
    parameters = "left_share = 0.7, increase_segments = 0.6"
    text = SCENARIO.replace("\n[record]", READERS) if "pauses" in place else SCENARIO
    scenarios = [
        aimd(shipped, name, parameters, text=text).with_overrides(PLACES[place])
        for name in ("my_aimd.so:my_aimd", "my_aimd.py:Aimd")
    ]
    for seed in (1, 2):
        compiled, interpreted = (rows(aqmlab.run(scenario, seed=seed)) for scenario in scenarios)
        assert compiled.keys() >= {"congestion_windows", "packets"}
        assert compiled == interpreted


def any_fact(numbers: random.Random, now_ns: int, *, ends: bool) -> tuple[str, object]:
    """A method, and a fact that it may be told; `ends`: whether a reduction may end as it should."""
    phase = numbers.choice(("open", "reducing", "recovery", "loss"))
    delivered, in_flight = numbers.randrange(20), numbers.randrange(100)
    flags = [numbers.random() < 0.5 for _ in range(4)]
    acknowledged = Acknowledged(
        now_ns,
        delivered,
        1000,
        0,
        0,
        in_flight,
        flags[0],
        flags[1],
        None,
        None,
        flags[2],
        flags[3],
        False,
        phase,
    )
    how = ("mistaken", "after-timeout", "complete")[: 3 if ends else 2]
    told = [("on_acknowledged", acknowledged)] * 8
    return numbers.choice(
        [
            *told,
            ("on_loss", Loss(now_ns, in_flight, flags[0], flags[1])),
            ("on_timeout", Timeout(now_ns, in_flight, flags[0])),
            ("on_marks", Marks(now_ns, 3)),
            ("on_recovered", numbers.choice(how)),
            ("on_idle", numbers.choice((1, 2, 1000))),
            ("on_unused", numbers.randrange(50)),
        ]
    )


def test_the_example_in_c_answers_every_fact_as_python_does(shipped: Path) -> None:
    """Also what no run above has: reductions that were a mistake."""
    compiled = _core.load_controller_library(shipped, "my_aimd.so:my_aimd")
    interpreted = load("my_aimd.py", "Aimd", (shipped / "my_aimd.py").read_text())
    for case in range(100):
        numbers = random.Random(case)  # noqa: S311 (no secret)
        values = json.dumps(
            {"increase_segments": numbers.uniform(0.1, 1), "left_share": numbers.uniform(0.1, 0.9)}
        )
        host = (numbers.choice((1, 2, 10, 100)), 1500, False)
        both = (compiled.make(values, host), interpreted.make(values, host))
        opening = Opening(0, None, True, True, numbers.random() < 0.2, "classic")
        for each in both:
            each.on_established(opening)
        for now_ns in range(200):
            method, fact = any_fact(numbers, now_ns, ends=both[0].threshold < math.inf)
            for each in both:
                getattr(each, method)(fact)
            mine, theirs = ((each.window, each.threshold) for each in both)
            assert mine == theirs, (case, now_ns, method, fact)


DRAWN = {
    "my_aimd.py": (
        "return self.left_share * self.window",
        "return self.window * (0.4 + 0.4 * self.coins.uniform())",
    ),
    "my_aimd.c": (
        "return own->left_share * answers->window;",
        "return (void)own, answers->window * (0.4 + 0.4 * aqmlab_uniform_for(answers));",
    ),
}
"""The examples with a share that is drawn anew at each loss."""


def test_random_numbers_are_those_of_python(shipped: Path, tmp_path: Path) -> None:
    for file, (share, drawn) in DRAWN.items():
        text = (shipped / file).read_text()
        assert share in text
        (tmp_path / file).write_text(text.replace(share, drawn))
    library(tmp_path, (tmp_path / "my_aimd.c").read_text(), "my_aimd", "-O2", "-ffp-contract=off")
    names = ("my_aimd.so:my_aimd", "my_aimd.py:Aimd")
    compiled, interpreted = (rows(aqmlab.run(aimd(tmp_path, name), seed=3)) for name in names)
    assert compiled == interpreted
    assert compiled != rows(aqmlab.run(aimd(shipped), seed=3))


def test_a_copied_simulation_goes_on_by_itself(shipped: Path) -> None:
    scenario = aimd(shipped)
    whole = rows(aqmlab.run(scenario, seed=1))
    original = Simulation(scenario, seed=1)
    original.advance_until(5.0)
    other = copy.deepcopy(original)
    for each in (original, other):
        each.advance_until(7.0)
        assert rows(each.finish())["congestion_windows"] == whole["congestion_windows"]


MARKED = """
static void on_acknowledged(void *state, const aqmlab_acknowledged *told, aqmlab_answers *answers) {
    (void)state;
    answers->window += told->delivered;
    if (told->marked)
        answers->window = -(double)told->marked;
}
"""


def test_accurate_ecn_tells_how_many_packets_were_marked(tmp_path: Path) -> None:
    """A window that is not legal says what was told; `on_marks` would have been called before."""
    flags = "AQMLAB_ACCURATE_ECN | AQMLAB_ANSWERS_MARKS | AQMLAB_SENDS_ECT1"
    table = f".on_acknowledged = on_acknowledged, .on_marks = on_marks, .flags = {flags}"
    marks = (
        "static void on_marks(void *state, const aqmlab_marks *marks, aqmlab_answers *answers)"
        "{ (void)state; (void)marks; answers->window = 0; }"
    )
    scenario = own(tmp_path, MARKED + marks, table)
    queue = {"scheme": "red", "limit_packets": 100, "ecn": True}
    with pytest.raises(RunError, match=r"own.so:own, after on_acknowledged: window is -\d+; legal"):
        aqmlab.run(scenario.with_overrides({"dumbbell.queue": queue}), seed=1)


def test_a_pace_is_the_rate_of_packets(tmp_path: Path) -> None:
    """2 Mbit/s in packets of 1,500 bytes, of which 1,448 are data."""
    paced = """
    static void on_established(void *state, const aqmlab_opening *opening, aqmlab_answers *answers) {
        (void)state; (void)opening;
        answers->window = 400;
        answers->pacing_bps = 2e6;
    }
    """
    scenario = own(tmp_path, paced, ".on_established = on_established, .flags = AQMLAB_PACES")
    carried = aqmlab.run(scenario.with_overrides({"flows.0.count": 1}), seed=1).value(
        "goodput_mbps/flows.own"
    )
    assert carried == pytest.approx(2.0 * 1448 / 1500, rel=0.003)


# --- how a scenario keeps it ---


def test_a_scenario_keeps_the_library_and_its_address_changes_with_it(shipped: Path, tmp_path: Path) -> None:
    shutil.copy(shipped / "my_aimd.so", tmp_path)
    scenario = aimd(tmp_path)
    kept = Scenario(scenario.resolved_json)
    (tmp_path / "my_aimd.so").unlink()
    assert rows(aqmlab.run(kept, seed=1)) == rows(aqmlab.run(scenario, seed=1))
    document = json.loads(scenario.resolved_json)
    told = {"controller": "my_aimd.so:my_aimd", "increase_segments": 1.0, "left_share": 0.5}
    assert document["flows"][0]["host"]["congestion"] == told
    library(tmp_path, (shipped / "my_aimd.c").read_text(), "my_aimd", "-O1", "-ffp-contract=off")
    other = aimd(tmp_path)
    addresses = {
        each.content_address(1)
        for each in (scenario, kept, other, aimd(tmp_path, parameters="left_share = 0.7"))
    }
    assert len(addresses) == 3
    named = SCENARIO.replace("own.so:own", "my_aimd.so:my_aimd")
    assert Scenario.from_toml(named, folder=tmp_path).resolved_json == other.resolved_json


# --- what is wrong with it ---

FAILURES = {
    "no number": ("answers->window = NAN;", "window is NaN; legal: a number of segments, 1 to 1e9"),
    "no window": ("answers->window = 0.5;", "window is 0.5; legal: a number of segments, 1 to 1e9"),
    "a small threshold": (
        "answers->threshold = 1;",
        "threshold is 1; legal: a number of segments, 2 or more",
    ),
    "a pace of nothing": ("answers->pacing_bps = 0;", "pacing_bps is 0; legal: infinite, or 1 to 1e15 bit/s"),
    "no quantum": ("answers->send_quantum = 0;", "send_quantum is 0; legal: a number of segments, 1 to 1e9"),
    "numbers drawn again": ("answers->coins_next -= 2;", "the random stream was set back"),
}


@pytest.mark.parametrize("what", FAILURES)
def test_an_answer_that_is_not_legal_ends_the_run_and_names_the_function(what: str, tmp_path: Path) -> None:
    body, message = FAILURES[what]
    function = (
        "static void on_sent(void *state, const aqmlab_sent *sent, aqmlab_answers *answers)"
        "{ (void)state; (void)aqmlab_uniform_for(answers); "
        f"if (sent->now_ns > 1000000000u) {{ {body} }} }}"
    )
    scenario = own(tmp_path, function, ".on_sent = on_sent")
    with pytest.raises(RunError) as failed:
        aqmlab.run(scenario, seed=1)
    assert f"own.so:own, after on_sent: {message}" in str(failed.value)
    assert "panicked" not in str(failed.value)


def test_a_start_without_a_window_ends_the_run(tmp_path: Path) -> None:
    text = START.replace("(void)answers;", "answers->window = 0;") + TABLE % ".flags = 0"
    library(tmp_path, text)
    with pytest.raises(RunError, match=r"own.so:own, after start: window is 0; legal"):
        aqmlab.run(Scenario.from_toml(SCENARIO, folder=tmp_path), seed=1)


PARAMETER = 'static const aqmlab_parameter own_keys[] = {{"step", "Step.", AQMLAB_NUMBER, %s, 0, 9}};'
KEYS = ".parameters = own_keys, .parameter_count = 1"
NO_CONTROLLERS = {
    "a function": (
        "int own(void) { return 1; }",
        "own is a function or the like; legal: the name of a variable of type aqmlab_controller",
    ),
    "a word": ("unsigned own = AQMLAB_CONTROLLER_VERSION;", "own has 4 bytes, an aqmlab_controller "),
    "no such symbol": (
        "int other;",
        "the library has no symbol own; legal: the name of a variable of type aqmlab_controller",
    ),
    "others of the same kind": (
        "const int other = 7; const aqmlab_scheme red = {.version = AQMLAB_VERSION};"
        + (TABLE % ".flags = 0").replace(" own =", " second =")
        + (TABLE % ".flags = 0").replace(" own =", " first ="),
        "the library has no symbol own; legal: first, second",
    ),
    "a table cut short": (
        "const struct { uint32_t version, flags; const char *text; } own = {AQMLAB_CONTROLLER_VERSION};",
        "own has 16 bytes, an aqmlab_controller ",
    ),
    "of another version": (
        TABLE.replace("AQMLAB_CONTROLLER_VERSION", "0x30002u") % ".flags = 0",
        "own has version 0x30002 of aqmlab_controller.h: 0x30001 is legal",
    ),
    "a scheme": (
        "const aqmlab_scheme own = {.version = AQMLAB_VERSION};",
        "own is an aqmlab_scheme; legal: an aqmlab_controller",
    ),
    "no start": (TABLE.replace(".start = start, ", "") % ".flags = 0", "own has no function start"),
    "flags that mean nothing": (TABLE % ".flags = 0x13", "own has flags 0x10 that mean nothing: up to 0xf"),
    "a state beyond reason": (
        TABLE % ".state_bytes = 1ull << 40",
        "own has a state of 1099511627776 bytes: at most 67108864",
    ),
    "parameters nowhere": (TABLE % ".parameter_count = 3", "3 parameters, and no table of them"),
    "a default out of range": (
        PARAMETER % "10" + TABLE % KEYS,
        "parameter `step`: its default 10.0 is not legal",
    ),
    "the name of the table's key": (
        (PARAMETER % "1").replace('"step"', '"controller"') + TABLE % KEYS,
        "parameter `controller`: every congestion controller has it already",
    ),
    "the name of a key of hosts": (
        (PARAMETER % "1").replace('"step"', '"pacing"') + TABLE % KEYS,
        "parameter `pacing`: `host` has a key of this name; legal: other names than maximum_segment_bytes, ",
    ),
}
"""What a C compiler takes for the variable of a controller, and what is said of it."""


@pytest.mark.parametrize("what", NO_CONTROLLERS)
def test_a_library_without_such_a_controller_is_refused_at_its_place(what: str, tmp_path: Path) -> None:
    """In a process of its own, which a wrong use of memory would end."""
    text, message = NO_CONTROLLERS[what]
    library(tmp_path, START + text, "own", "-w")
    (tmp_path / "own.toml").write_text(SCENARIO)
    ran = aqmlab_run("run", "own.toml", cwd=tmp_path)
    assert ran.returncode == 2, ran.stderr
    assert f'flows.0.host.congestion: "own.so:own": {message}' in ran.stderr
    assert "FILE.py" not in ran.stderr, "its name is spelt well"
    assert ran.stderr.count("legal: ") <= 1


REFUSALS = {
    "no file": ('"nowhere.so:own"', "there is no file "),
    "no library": ('"text.so:own"', "no library of this machine"),
    "no symbol": (
        '"my_aimd.so"',
        '"my_aimd.so": no symbol of this library is named; legal: "my_aimd.so:SYMBOL"',
    ),
    "no class": ('"my_aimd.py"', '"my_aimd.py": no class of this file is named; legal: "my_aimd.py:CLASS"'),
    "C source": (
        '"own.c:own"',
        'compile it first: cc -O2 -ffp-contract=off -shared -fPIC -I "$(aqmlab controller include)" own.c',
    ),
    "an unknown key": ('{ controller = "my_aimd.so:my_aimd", stop = 3 }', 'unknown key "stop"'),
    "out of range": (
        '{ controller = "my_aimd.so:my_aimd", increase_segments = 2 }',
        "congestion.increase_segments: 2 is out of range; legal: 0.001 to 1",
    ),
    "what start refuses": (
        '{ controller = "my_aimd.so:my_aimd", left_share = 1 }',
        "left_share = 1.0 is not legal; legal: below 1",
    ),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_what_a_scenario_says_wrongly_is_refused_at_its_place(what: str, shipped: Path) -> None:
    named, message = REFUSALS[what]
    (shipped / "text.so").write_text("a text")
    with pytest.raises(ScenarioError) as refused:
        Scenario.from_toml(SCENARIO.replace('"own.so:own"', named), folder=shipped)
    assert message in str(refused.value)
    assert "flows.0.host.congestion" in str(refused.value)


def test_a_controller_is_no_scheme(shipped: Path) -> None:
    with pytest.raises(ScenarioError, match=r"my_aimd is an aqmlab_controller; legal: an aqmlab_scheme"):
        aimd(shipped).with_overrides({"dumbbell.queue.scheme": "my_aimd.so:my_aimd"})


# --- who treats it as a controller ---


def test_it_is_explained_and_has_a_schema(shipped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shipped)
    told = aqmlab_run("explain", "my_aimd.so:my_aimd").stdout
    assert "Congestion controller. AIMD in C: adds `increase_segments` a round trip" in " ".join(told.split())
    assert "left_share" in told
    table = json.loads(aqmlab_run("schema", "my_aimd.so:my_aimd").stdout)
    assert table["properties"]["increase_segments"]["default"] == 1.0
    assert table["required"] == ["controller"]
    misspelt = aqmlab_run("explain", "my_aimd.so:my_aimed").stderr
    assert "the library has no symbol my_aimed; legal: my_aimd\n" in misspelt
    for asked in [("explain",), ("schema",), ("controller", "check"), ("scheme", "check")]:
        alone = aqmlab_run(*asked, "my_aimd.so")
        said = "my_aimd.so: no symbol of this library is named; legal: my_aimd.so:SYMBOL"
        assert (alone.returncode, said in " ".join(alone.stderr.split())) == (2, True), alone.stderr


def test_it_is_evaluated_beside_others(shipped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shipped)
    name = "my_aimd.so:my_aimd:left_share=0.8"
    found = aqmlab.evaluate(name, controllers=["cubic"], only=["7.7"], seeds=[1])
    assert {row["controller"] for row in found.to_arrow().to_pylist()} >= {name, "cubic"}
    with pytest.raises(ScenarioError, match=r"my_aimd.so:my_aimd: key .left_shares."):
        aqmlab.evaluate("my_aimd.so:my_aimd:left_shares=1", seeds=[1])


def test_it_is_a_sender_among_others(shipped: Path) -> None:
    scenario = aimd(shipped).with_overrides({"duration_s": 4.0, "record.packets": False})
    name = f"{shipped / 'my_aimd.so'}:my_aimd:left_share=0.7"
    found = aqmlab.senders(scenario, ["reno", name], schemes=["fq-codel"], seeds=[1])
    assert (found.alone("fq-codel", name).mean("first_mbps") or 0.0) > 5


def test_the_header_is_where_the_command_says(tmp_path: Path) -> None:
    printed = aqmlab_run("controller", "include", cwd=tmp_path).stdout.strip()
    assert (Path(printed) / "aqmlab_controller.h").is_file()


# --- the rules of controllers ---


def test_the_example_keeps_all_rules(shipped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shipped)
    told = aqmlab_run("controller", "check", "my_aimd.so:my_aimd", "my_aimd.py:Aimd").stdout
    assert "my_aimd.so:my_aimd: keeps all 10 rules" in told
    assert "my_aimd.py:Aimd: keeps all 10 rules" in told


BREACHES = {
    "answers->window += timeouts;": "a pause opens no window",
    "answers->window = 0;": "a window is at least 1 segment",
    "answers->window = 1 + fmod((double)calls++, 2);": "the same facts give the same answers",
}


@pytest.mark.parametrize("body", BREACHES)
def test_a_broken_rule_is_found(body: str, shipped: Path, tmp_path: Path) -> None:
    """The example with another answer to a pause."""
    text = (shipped / "my_aimd.c").read_text()
    begin = text.index("    double initial = ")
    end = text.index("}\n", begin)
    declared = "#include <math.h>\nstatic unsigned calls;\nstatic double larger("
    text = f"{text[:begin]}    (void)state, (void)timeouts;\n    {body}\n{text[end:]}"
    library(tmp_path, text.replace("static double larger(", declared, 1), "own", "-O2", "-w")
    broken = check("own.so:my_aimd", folder=tmp_path)
    assert any(BREACHES[body] in each.law for each in broken)


def test_a_trial_refuses_what_no_scenario_takes(shipped: Path, tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="the library has no symbol my_aimed"):
        check("my_aimd.so:my_aimed", folder=shipped)
    text = (shipped / "my_aimd.c").read_text().replace("AQMLAB_NUMBER, 0.5", "AQMLAB_NUMBER, 1")
    library(tmp_path, text, "own")
    with pytest.raises(ScenarioError, match=r"default of left_share: 1.0 is not legal; legal: below 1"):
        check("own.so:my_aimd", folder=tmp_path)
