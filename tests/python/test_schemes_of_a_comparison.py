"""What a scheme gets that takes the place of another: parameters, a buffer, cautions; and warnings."""

from __future__ import annotations

import json
import math
import re
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import aqmlab
from aqmlab import _core
from aqmlab.comparison import configurations
from aqmlab.comparison.link_queues import buffers_in_words, default_cautions, queues_of
from aqmlab.comparison.run_warnings import warnings_in_words
from aqmlab.errors import ComparisonError, ScenarioError
from aqmlab.files.folders import folder_names
from aqmlab.load.parametrized_scheme import ParametrizedScheme, split_outside_brackets
from aqmlab.load.queues import Queues
from small import BULK, WEB, aqmlab_run

if TYPE_CHECKING:
    from collections.abc import Mapping

PRESETS = Path(aqmlab.__file__).parent / "presets"
MY_RED = Path(__file__).parents[2] / "examples" / "my_red.py"
HAVE_ROOMS = {"prio", "htb", "linux-fq"}
"""Each class or flow has a room of its own: how long the whole takes to empty says nothing of any."""
KEEP_TO_A_TARGET = {"codel", "pie", "fq", "fq-codel", "pi2", "dualpi2", "cobalt", "cake"}
"""Schemes with a target of waiting time; fair queueing has CoDel in each queue."""


def under(queue: str, **dumbbell: object) -> aqmlab.Scenario:
    """Two flows over a link with this queue, whose frames add nothing."""
    bare = {f"layer2_{name}_bytes": 0 for name in ("overhead", "minimum_frame", "gap")}
    text = BULK.replace('{ scheme = "drop-tail", limit_packets = 50 }', queue)
    return aqmlab.Scenario.from_toml(
        text, overrides={f"dumbbell.{key}": value for key, value in {**bare, **dumbbell}.items()}
    )


def queue_of(scenario: aqmlab.Scenario, scheme: str) -> dict[str, Any]:
    made = Queues.of(scenario).with_scheme(scenario, scheme)
    return {key: value for key, value in made.resolved["dumbbell"]["queue"].items() if value is not None}


# --- parameters on one line ---


@pytest.mark.parametrize(
    ("text", "name", "parameters"),
    [
        ("red", "red", {}),
        ("codel:target_ms=20", "codel", {"target_ms": "20"}),
        ("red:min_th_packets=20:max_th_packets=60", "red", {"min_th_packets": "20", "max_th_packets": "60"}),
        ('fq:inner={ scheme = "a.py:B" }:flows=8', "fq", {"inner": '{ scheme = "a.py:B" }', "flows": "8"}),
        ("my_red.py:MyRed", "my_red.py:MyRed", {}),
        ("a b/c=d/my_red.py:MyRed:max_p=0.2", "a b/c=d/my_red.py:MyRed", {"max_p": "0.2"}),
        ("./x.so:my_red:max_p=0.2", "./x.so:my_red", {"max_p": "0.2"}),
        ("pi:gains.designed.flows=60", "pi", {"gains.designed.flows": "60"}),
    ],
)
def test_a_scheme_is_read_with_its_parameters(text: str, name: str, parameters: Mapping[str, str]) -> None:
    assert ParametrizedScheme.of(text) == ParametrizedScheme(name, parameters)  # type: ignore[arg-type]


def test_commas_and_colons_in_brackets_and_quotation_marks_separate_nothing() -> None:
    assert split_outside_brackets("a,b={c,d=[1,2]},'e,f'", ",") == ["a", "b={c,d=[1,2]}", "'e,f'"]


@pytest.mark.parametrize(
    ("scheme", "message"),
    [
        ("codel:target_ms", "'target_ms' is not of the form parameter=value; legal: scheme:parameter=value"),
        ("codel:target_ms=1:target_ms=2", "target_ms is given twice"),
        (
            "codel:targt_ms=1",
            r"parameter 'targt_ms': unknown; did you mean \"target_ms\"\? \(legal: ce_threshold_ecn,",
        ),
        ("codel:target_ms=-3", "scheme codel: dumbbell.queue.target_ms: -3 is not legal; legal: from 0.001"),
        ("cdel:target_ms=3", r"scheme 'cdel': unknown; did you mean \"codel\"\? \(legal: drop-tail, red,"),
        ("red:max_th_packets=9", "max_th_packets: 9 is not legal; legal: given together with min_th_packets"),
        (f"{MY_RED}:MyRed:max_q=0.2", 'unknown key "max_q".*did you mean "max_p"'),
    ],
)
def test_what_is_wrong_with_a_parameter_is_named(scheme: str, message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        queue_of(under('{ scheme = "drop-tail", limit_packets = 50 }'), scheme)


def test_parameters_reach_the_queue_of_any_scheme() -> None:
    plain = under('{ scheme = "drop-tail", limit_packets = 50 }')
    assert queue_of(plain, "codel:target_ms=20")["target_ms"] == 20.0
    assert queue_of(plain, "red:measure=bytes")["measure"] == "bytes"
    assert queue_of(plain, "pi:gains.designed.flows=9:gains.designed.rtt_ms=99")["gains"] == {
        "designed": {"flows": 9.0, "rtt_ms": 99.0}
    }
    assert queue_of(plain, "fq:inner.scheme=red")["inner"]["scheme"] == "red"
    own = queue_of(plain, f"{MY_RED}:MyRed:max_p=0.25")
    assert (own["max_p"], own["limit_packets"]) == (0.25, 50)
    # A limit that is given stands alone.
    assert queue_of(plain, "drop-tail:limit_bytes=6000")["limit_bytes"] == 6000
    assert "limit_packets" not in queue_of(plain, "drop-tail:limit_bytes=6000")


def test_parameters_of_the_scenarios_own_scheme_stay_beside_those_given() -> None:
    own = under('{ scheme = "codel", limit_packets = 50, interval_ms = 70.0 }')
    queue = queue_of(own, "codel:target_ms=20")
    assert (queue["interval_ms"], queue["target_ms"], queue["limit_packets"]) == (70.0, 20.0, 50)


def test_a_configuration_is_compared_once() -> None:
    own = under('{ scheme = "codel", limit_packets = 50 }')
    both = configurations(own, ["codel", "codel:target_ms=20"])
    assert list(both) == ["codel", "codel:target_ms=20"]
    assert len(set(folder_names(both).values())) == 2
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+", place) for place in folder_names(both).values())
    for twice, message in (
        (["codel", "codel:target_ms=5"], "codel and codel:target_ms=5 are the same configuration"),
        (["red", "pi", "red"], "red is given twice"),
    ):
        with pytest.raises(ComparisonError, match=message):
            configurations(own, twice)


def test_python_compares_schemes_with_parameters() -> None:
    scenario = aqmlab.Scenario.from_toml(WEB, overrides={"duration_s": 8.0})
    found = aqmlab.compare(scenario, schemes=["codel", "codel:target_ms=50"], seeds=[1])
    targets = [
        found.runs[name][0].result.run["scenario"]["dumbbell"]["queue"]["target_ms"] for name in found.names
    ]
    assert (found.names, targets) == (("codel", "codel:target_ms=50"), [5.0, 50.0])


# --- buffers ---


def test_a_limit_that_guards_memory_becomes_no_buffer() -> None:
    # 10 Mbit/s send 833.3 packets of 1,500 bytes a second: 83.3 in 100 ms.
    fair = under('{ scheme = "fq-codel" }')
    assert queue_of(fair, "drop-tail")["limit_packets"] == 84
    assert queue_of(fair, "pie")["limit_packets"] == 10_240
    assert queue_of(fair, "drop-tail:limit_packets=600")["limit_packets"] == 600
    # 0.5 Mbit/s send 4.2 packets in 100 ms; two first windows are 20.
    assert queue_of(under('{ scheme = "cake" }', rate_mbps=0.5), "red")["limit_packets"] == 20
    # A buffer that people feel stays, whatever comes.
    short = under('{ scheme = "drop-tail", limit_packets = 60 }')
    assert all(queue_of(short, scheme)["limit_packets"] == 60 for scheme in ("red", "fq-codel", "codel"))
    # Without a scheme that keeps to a target within, fair queueing is one that people feel.
    bulky = under('{ scheme = "fq", limit_packets = 600, inner = { scheme = "drop-tail" } }')
    assert queue_of(bulky, "red")["limit_packets"] == 600


def test_each_way_gets_a_buffer_for_its_own_rate() -> None:
    both_ways = aqmlab.Scenario.from_toml(
        BULK.replace('{ scheme = "drop-tail", limit_packets = 50 }', '{ scheme = "fq-codel" }'),
        overrides={"dumbbell.rate_mbps": 100.0, "dumbbell.rate_right_to_left_mbps": 10.0},
    )
    made = Queues.of(both_ways).with_scheme(both_ways, "drop-tail").resolved["dumbbell"]
    # Frames of 1,538 bytes: 812.7 and 81.3 of them.
    assert (made["queue"]["limit_packets"], made["queue_right_to_left"]["limit_packets"]) == (813, 82)
    assert made["queue_right_to_left"]["scheme"] == "drop-tail"


@pytest.mark.parametrize(
    "preset",
    [
        pytest.param(file, id=file.stem, marks=() if file.stem == "home" else pytest.mark.exhaustive)
        for file in sorted(PRESETS.glob("*.toml"))
    ],
)
def test_every_scheme_can_take_the_place_of_every_other_without_a_deep_buffer(preset: Path) -> None:
    given = aqmlab.Scenario.from_file(preset)
    links = Queues.of(given).links
    of_preset = given.core.buffers()
    names = [name for name in _core.scheme_names() if ":" not in name]
    bases = {name: Queues.of(given).with_scheme(given, name) for name in names}
    of_bases = {name: base.core.buffers() for name, base in bases.items()}
    queues = {name: Queues.of(base) for name, base in bases.items()}
    for own, other in product(names, names):
        made = queues[own].with_scheme(bases[own], other)
        buffers = made.core.buffers()
        for link in links:
            felt, before = buffers[link].wait_s, of_bases[own][link].wait_s
            assert (felt is None) == (other in KEEP_TO_A_TARGET | HAVE_ROOMS), (own, other)
            if felt is not None and before is None:
                # Presets of homes add no frames; others have Ethernet's 38 bytes.
                rate = next(each.rate_mbps for each in made.core.monitored_links() if each.name == link)
                shortest, longest = 0.1, max(0.1 + 1_538 * 8e-6 / rate, 20 * 1_538 * 8e-6 / rate)
                assert shortest <= felt <= longest < 1.0, (own, other)
            elif felt is not None:
                # The preset's own, which of one mobile line is 1.0 s in two digits.
                assert felt <= max(of_preset[link].wait_s or 0.0, 1.0) < 1.05, (own, other)


def test_buffers_are_told_where_they_are_not_the_scenarios_own() -> None:
    fair = under('{ scheme = "fq-codel" }')

    def told(*schemes: str) -> list[str]:
        made = configurations(fair, schemes)
        return buffers_in_words(
            {name: queues_of(own.resolved, ["left-to-right"]) for name, own in made.items()}
        )

    assert told("fq-codel", "drop-tail") == ["drop-tail: 84-packet buffer, 100 ms at 10 Mbit/s."]
    assert told("drop-tail", "red") == [
        "drop-tail: 84-packet buffer, 100 ms at 10 Mbit/s.",
        "RED: 84-packet buffer, 100 ms at 10 Mbit/s.",
    ]
    assert told("fq-codel", "codel") == []
    # One buffer that was given is no news; 500 packets of 1,500 bytes take 600 ms, 1,250,000 bytes a second.
    assert told("fq-codel", "drop-tail:limit_packets=500") == []
    assert told("drop-tail:limit_packets=500", "red:limit_bytes=1250000") == [
        "drop-tail:limit_packets=500: 500-packet buffer, 600 ms at 10 Mbit/s.",
        "red:limit_bytes=1250000: 1,250,000-byte buffer, 1 s at 10 Mbit/s.",
    ]


# --- defaults for another link ---


def cautions(scenario: aqmlab.Scenario, scheme: str) -> list[str]:
    made = Queues.of(scenario).with_scheme(scenario, scheme)
    return default_cautions({scheme: queues_of(made.resolved, ["left-to-right"])})


def test_red_with_thresholds_of_1993_is_named_with_better_ones() -> None:
    deep = under('{ scheme = "drop-tail", limit_packets = 256 }')
    (caution,) = cautions(deep, "red")
    # max_th is three times min_th, and twice max_th is the buffer: min_th is 256/6 = 42.7.
    assert caution == (
        "RED runs with its default thresholds of 1993 (5 and 15 packets); the buffer at left-to-right takes "
        "256 packets: compare red:min_th_packets=42:max_th_packets=126, or ared"
    )
    for fitting in (
        "red:min_th_packets=42:max_th_packets=126",
        "ared",
        "red:target_delay_ms=50",
        "drop-tail",
    ):
        assert cautions(deep, fitting) == [], fitting
    # 15 packets are right where 35 fit: twice max_th is 30.
    assert cautions(under('{ scheme = "drop-tail", limit_packets = 35 }'), "red") == []


def test_pi_with_gains_for_another_link_is_named_with_designed_ones() -> None:
    slow = under('{ scheme = "drop-tail", limit_packets = 256 }')
    (caution,) = cautions(slow, "pi")
    designed = "pi:gains.designed.flows=60:gains.designed.rtt_ms=246:q_ref_packets=64"
    assert f"designed for 15 Mbit/s, 60 flows and 246 ms, at 10 Mbit/s: compare {designed}, with" in caution
    assert cautions(slow, designed) == []
    (kept,) = cautions(slow, "pi:q_ref_packets=30")
    assert "compare pi:gains.designed.flows=60:gains.designed.rtt_ms=246, with" in kept
    # What the authors designed them for.
    assert cautions(under('{ scheme = "drop-tail", limit_packets = 800 }', rate_mbps=15.0), "pi") == []


@pytest.mark.parametrize("rate_mbps", [0.1, 0.5, 2.0, 10.0, 100.0, 1000.0])
@pytest.mark.parametrize("scheme", ["red", "choke", "red-pd", "pi"])
def test_what_a_caution_proposes_can_be_run_and_needs_no_caution(scheme: str, rate_mbps: float) -> None:
    fair = under('{ scheme = "fq-codel" }', rate_mbps=rate_mbps)
    for caution in cautions(fair, scheme):
        (proposed,) = re.findall(rf"compare ({scheme}:[^ ,]+),", caution)
        assert cautions(fair, proposed) == []
    assert scheme != "pi" or cautions(fair, scheme)


# --- warnings ---


def test_a_warning_stands_once_however_many_seeds_and_configurations() -> None:
    few = [[f"too few samples: {count} exchanges completed, tails need 10000"] for count in (812, 790, 1203)]
    said = "too few samples: 812 exchanges completed, tails need 10000 (numbers of the first run)"
    assert warnings_in_words({"red": few}) == [said]
    assert warnings_in_words({"red": few, "pi": few[::-1]}) == [f"RED, PI: {said}"]
    # In some runs only, and in all of one configuration.
    assert warnings_in_words({"red": [["deep"], [], ["deep"]]}) == ["deep (in 2 of 3 runs)"]
    assert warnings_in_words({"red": [["deep"]] * 3, "pi": [[]] * 3}) == ["RED: deep"]
    # Settings are no figures: what does not change from seed to seed is of its own configuration.
    two = {name: [[f"signals from q_ref_packets = {name} on"]] * 2 for name in ("24", "240")}
    assert warnings_in_words(two) == [f"{name}: signals from q_ref_packets = {name} on" for name in two]
    # A number in a name is none.
    assert len(warnings_in_words({"red": [["pi at hop-1 never acted", "pi at hop-2 never acted"]]})) == 2


def test_compare_prints_buffers_cautions_and_each_warning_once(tmp_path: Path) -> None:
    text = WEB.replace('{ scheme = "pi", limit_packets = 500 }', '{ scheme = "fq-codel" }')
    file = tmp_path / "line.toml"
    file.write_text(text.replace("duration_s = 20.0", "duration_s = 8.0"))
    schemes = "fq-codel,drop-tail,pi,drop-tail:limit_packets=300"
    asked = ("compare", file.name, "--schemes", schemes, "--seeds", "1-2", "--output", "out")
    made = aqmlab_run(*asked, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    said = " ".join(made.stdout.split())
    # 2 Mbit/s and frames of 1,538 bytes: 16.3 in 100 ms, so 20, which take 123 ms; 300 take 1.85 s.
    assert "drop-tail: 20-packet buffer, 120 ms at 2 Mbit/s" in said
    assert said.count("PI runs with its default gains of 2001") == 1
    assert said.count("pi at left-to-right signals from q_ref_packets = 200 on, but its buffer") == 1
    assert said.count("drop-tail at left-to-right has a deep buffer: packets wait 1.8 s") == 1
    # Of single runs the report warns.
    assert "too few samples" not in said
    page = (tmp_path / "out" / "report.html").read_text().replace("\N{NO-BREAK SPACE}", " ")
    assert page.count("PI runs with its default gains of 2001") == 1
    assert "drop-tail: 20-packet buffer, 120 ms at 2 Mbit/s" in page
    assert page.count("too few samples") == 1
    folders = sorted(each.name for each in (tmp_path / "out").iterdir() if each.is_dir())
    assert folders == ["drop-tail", "drop-tail-limit_packets-300", "fq-codel", "pi"]
    run = json.loads((tmp_path / "out" / "drop-tail-limit_packets-300" / "seed-1" / "run.json").read_text())
    assert run["scenario"]["dumbbell"]["queue"]["limit_packets"] == 300
    assert math.isclose(300 * 1_538 * 8 / 2e6, 1.8456)
