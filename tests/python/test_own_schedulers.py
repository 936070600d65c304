"""Schedulers and guards of one's own: in Python and in C, run as ours are."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import aqmlab
from aqmlab import Job, RunError, Scenario, ScenarioError
from aqmlab.schemes import check, cost_ns
from aqmlab.schemes.described import schema_of_scheme
from small import BULK, aqmlab_run

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
INCLUDE = ROOT / "python/aqmlab/schemes"
PYTHON, C = "Python", "C"
SLOTS = {PYTHON: "my_slots.py:Slots", C: "my_slots.so:my_slots"}
POLICER = {PYTHON: "my_policer.py:Policer", C: "my_policer.so:my_policer"}

SEVERAL = BULK.replace("count = 2", "count = 6") + "\n[record]\npackets = true\n"
"""Six flows; 1,538 bytes of wire take 1.2304 ms at 10 Mbit/s."""
RATE_BPS = 10e6


def library(folder: Path, source: str, name: str, *options: str) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    (folder / f"{name}.c").write_text(source)
    command = [compiler, *options, "-shared", "-fPIC", "-I", str(INCLUDE), f"{name}.c", "-o", f"{name}.so"]
    subprocess.run(command, check=True, cwd=folder)


@pytest.fixture(scope="session")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The examples, compiled where there is a compiler."""
    folder = tmp_path_factory.mktemp("schedulers")
    for name in ("my_slots.py", "my_policer.py"):
        shutil.copy(EXAMPLES / name, folder)
    for name in ("my_slots.c", "my_policer.c") if shutil.which("cc") else ():
        text = (EXAMPLES / name).read_text()
        library(folder, text, Path(name).stem, "-O2", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off")
    return folder


def needed(language: str) -> None:
    if language == C and shutil.which("cc") is None:
        pytest.skip("no C compiler")


def scenario(queue: str, folder: Path, text: str = SEVERAL) -> Scenario:
    return Scenario.from_toml(
        text.replace('{ scheme = "drop-tail", limit_packets = 50 }', f"{{ {queue} }}"), folder=folder
    )


def packets(result: aqmlab.Result, event: str) -> list[dict[str, Any]]:
    rows = result.tables["packets"].to_pylist()
    return [row for row in rows if row["event"] == event and row["link"] == "left-to-right"]


@pytest.mark.parametrize("language", [PYTHON, C])
def test_each_queue_begins_to_send_in_its_slot_alone(language: str, shipped: Path) -> None:
    needed(language)
    keys = f'scheme = "{SLOTS[language]}", limit_packets = 200, slots = 3, slot_ms = 5.0'
    result = aqmlab.run(scenario(keys, shipped), seed=2)
    slots_of: dict[int, set[int]] = {}
    for row in packets(result, "departure"):
        wire_bytes = max(row["ip_bytes"] + 18, 64) + 20
        begun_s = row["time_s"] - wire_bytes * 8 / RATE_BPS
        # A nanosecond for what the clock rounds.
        slots_of.setdefault(row["connection"], set()).add(int((begun_s + 1e-9) / 5e-3) % 3)
    assert len(slots_of) == 6
    assert all(len(slots) == 1 for slots in slots_of.values()), slots_of
    assert len(set.union(*slots_of.values())) > 1


@pytest.mark.parametrize("examples", [SLOTS, POLICER])
def test_the_same_in_c_decides_alike_packet_by_packet(examples: dict[str, str], shipped: Path) -> None:
    needed(C)
    inner = 'inner = { scheme = "codel", ecn = true }'
    first, second = (
        aqmlab.run(scenario(f'scheme = "{name}", limit_packets = 60, {inner}', shipped), seed=3)
        for name in examples.values()
    )
    assert len(packets(first, "discard")) > 0
    assert first.tables["packets"].equals(second.tables["packets"])


@pytest.mark.parametrize("language", [PYTHON, C])
def test_a_flow_behind_a_policer_gets_its_rate_and_its_burst(language: str, shipped: Path) -> None:
    needed(language)
    text = BULK.split("[[flows]]")[0].replace("warm_up_s = 1.0", "warm_up_s = 0.0") + (
        '[[datagrams]]\ncount = 2\ndirection = "left-to-right"\npacket_bytes = 1000\nrate_mbps = 3.0\n'
        "start_spread_s = 0.0\n[record]\npackets = true\n"
    )
    keys = f'scheme = "{POLICER[language]}", limit_packets = 50, flow_rate_mbps = 0.8, burst_bytes = 20000'
    result = aqmlab.run(scenario(keys, shipped, text))
    sent = [row["ip_bytes"] for row in packets(result, "departure")]
    # Each of two: 20,000 bytes at once, and 100,000 in each of 3 seconds; they do not share a bucket here.
    assert 2 * (20_000 + 300_000) - 4_000 <= sum(sent) <= 2 * (20_000 + 300_000)
    counters = next(link for link in result.run["links"] if link["name"] == "left-to-right")["counters"]
    lost = {reason: own["packets"] for reason, own in counters["discarded"].items() if own["packets"]}
    assert set(lost) == {"filter"}


@pytest.mark.parametrize("language", [PYTHON, C])
@pytest.mark.parametrize("examples", [SLOTS, POLICER])
def test_the_shipped_ones_keep_what_every_scheme_owes(
    language: str, examples: dict[str, str], shipped: Path
) -> None:
    needed(language)
    assert check(examples[language], folder=shipped, cases=12) == []
    assert cost_ns(examples[language], folder=shipped) > 0.0


def written(folder: Path, base: str, body: str) -> None:
    indented = "".join(f"    {line}\n" if line else "\n" for line in body.splitlines())
    (folder / "own.py").write_text(
        f'from aqmlab.schemes import *\n\nclass Own({base}):\n    """Own."""\n{indented}'
    )


SORTS = "def queues(self):\n    return 2\ndef classify(self, now_ns, packet, header, queues):\n    "
FIRST = "return 0\n"
ANY = "return 0 if queues.packets(0) else 1"
NEXT = "def next(self, now_ns, queues):\n    "
ADMITS = "def admits(self, now_ns, packet, header, behind, coins):\n    "

FAILURES = {
    "a queue that there is not": (
        "Scheduler",
        SORTS + "return 2\n" + NEXT + ANY,
        "classify: queue 2: there are 2",
    ),
    "no number of a queue": (
        "Scheduler",
        SORTS + "return 'x'\n" + NEXT + ANY,
        "classify returned x, which is no",
    ),
    "a turn that there is not": (
        "Scheduler",
        SORTS + FIRST + NEXT + "return 9",
        "own.py:Own: queue 9: there are 2",
    ),
    "no turn": (
        "Scheduler",
        SORTS + FIRST + NEXT + "return None",
        "next returned None; legal: the number of a",
    ),
    "an instant that is over": (
        "Scheduler",
        SORTS + FIRST + NEXT + "return At(now_ns)",
        "legal: a later instant",
    ),
    "empty queues for ever": (
        "Scheduler",
        SORTS + FIRST + NEXT + "return 1",
        "next named empty queues 1004 times in a row",
    ),
    "a victim without packets": (
        "Scheduler",
        SORTS + FIRST + NEXT + ANY + "\ndef victim(self, now_ns, queues):\n    return 1",
        "victim: no packet waits in queue 1",
    ),
    "no victim": (
        "Scheduler",
        SORTS + FIRST + NEXT + ANY + "\ndef victim(self, now_ns, queues):\n    return 'x'",
        "victim returned x; legal: the number of a queue, or Victim(",
    ),
    "an exception": (
        "Scheduler",
        SORTS + FIRST + NEXT + "raise KeyError('gone')",
        "in next: KeyError: 'gone'",
    ),
    "queues that were kept": (
        "Scheduler",
        SORTS
        + "self.kept = queues\n    return 0\n"
        + NEXT
        + ANY
        + "\ndef on_sent(self, now_ns, queue, bytes):\n    self.kept.packets(0)",
        "queues can be asked only while",
    ),
    "a queue that is asked for": (
        "Scheduler",
        SORTS + "return queues.packets(5)\n" + NEXT + ANY,
        "IndexError: queue 5: there are 2, from 0 on",
    ),
    "no verdict": ("Guard", ADMITS + "return 'no'", "admits returned no, which is no Verdict"),
    "no verdict of a guard": (
        "Guard",
        ADMITS + "return Verdict.SIGNAL_FORCED",
        "is no verdict of a guard; legal: pass, signal early, drop",
    ),
    "a timer that stands still": (
        "Guard",
        ADMITS
        + "return Verdict.PASS\ndef next_timer(self):\n    return 5\n"
        + "def on_timer(self, due_ns, behind):\n    pass",
        "own.py:Own: a timer must move forward",
    ),
}


@pytest.mark.parametrize("what", FAILURES)
def test_what_may_not_be_answered_ends_the_run_in_words(what: str, tmp_path: Path) -> None:
    base, body, message = FAILURES[what]
    written(tmp_path, base, body)
    broken = scenario('scheme = "own.py:Own", limit_packets = 5', tmp_path)
    with pytest.raises(RunError) as failed:
        aqmlab.run_many([Job(broken, 1, folder=tmp_path / "result")], progress=False)
    assert message in str(failed.value)
    assert "panicked" not in str(failed.value)
    assert not (tmp_path / "result" / "run.json").exists()
    # The suite finds it too.
    assert any(message.split(":")[0] in str(found) for found in check("own.py:Own", folder=tmp_path, cases=8))


REFUSALS = {
    "a scheduler without next": (
        "Scheduler",
        SORTS + FIRST,
        "",
        "own.py: Own: a scheduler needs the method next",
    ),
    "a guard without admits": ("Guard", "", "", "own.py: Own: a guard needs the method admits"),
    "a misspelt method": (
        "Guard",
        ADMITS + "return Verdict.PASS\ndef on_descision(self, now_ns, packet, decision):\n    pass",
        "",
        'nothing calls this method; did you mean "on_decision"?',
    ),
    "both": (
        "Scheduler, Guard",
        ADMITS + "return 0",
        "",
        "own.py has no class Own of aqmlab.schemes.Scheme, Sch",
    ),
    "no queues": (
        "Scheduler",
        (SORTS + FIRST + NEXT + ANY).replace("return 2", "return 0"),
        "",
        "queues returned 0; legal: a whole number from 1 to 65536",
    ),
    "several queues in each": (
        "Scheduler",
        SORTS + FIRST + NEXT + ANY,
        'inner = { scheme = "fq-codel" }',
        'dumbbell.queue.inner.scheme: scheme "fq-codel" cannot stand in another queue',
    ),
    "an unknown key of the scheme within": (
        "Guard",
        ADMITS + "return Verdict.PASS",
        'inner = { scheme = "codel", tarket_ms = 3.0 }',
        'dumbbell.queue.inner: unknown key "tarket_ms"',
    ),
    "a value within that is not legal": (
        "Guard",
        ADMITS + "return Verdict.PASS",
        'inner = { scheme = "codel", target_ms = -3.0 }',
        "dumbbell.queue.inner.target_ms: -3",
    ),
    "ecn of its own": (
        "Guard",
        ADMITS + "return Verdict.PASS",
        "ecn = true",
        'unknown key "ecn"; legal keys: inner, limit_bytes',
    ),
    "a parameter called inner": (
        "Guard",
        ADMITS + "return Verdict.PASS\ninner = parameter(1, 'x')",
        "",
        "parameter `inner`: every scheme has it already",
    ),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_what_is_wrong_with_one_is_refused_at_its_place(what: str, tmp_path: Path) -> None:
    base, body, settings, message = REFUSALS[what]
    written(tmp_path, base, body)
    with pytest.raises(ScenarioError) as refused:
        scenario(f'scheme = "own.py:Own", limit_packets = 30, {settings}'.rstrip(", "), tmp_path)
    assert message in str(refused.value)
    assert str(refused.value).startswith("scenario:8: dumbbell.queue")


HEARS = """
def start(self, port):
    self.heard = {}
def admits(self, now_ns, packet, header, behind, coins):
    assert 0 <= behind.signal_probability() <= 1
    return Verdict.SIGNAL_EARLY if coins.uniform() < 0.01 else Verdict.PASS
def on_decision(self, now_ns, packet, decision):
    self.heard[decision] = self.heard.get(decision, 0) + 1
observed = ("queued", "sent", "overflow")
def observe(self):
    return [float(self.heard.get(word, 0)) for word in self.observed]
"""


def test_a_guard_hears_what_becomes_of_packets(tmp_path: Path) -> None:
    written(tmp_path, "Guard", HEARS)
    text = SEVERAL + "scheme_state_interval_ms = 100.0\n"
    result = aqmlab.run(scenario('scheme = "own.py:Own", limit_packets = 3', tmp_path, text))
    state = result.tables["scheme_state"].to_pylist()
    last = {row["quantity"]: row["value"] for row in state if row["link"] == "left-to-right"}
    counters = next(link for link in result.run["links"] if link["name"] == "left-to-right")
    assert last["sent"] > 0
    assert last["overflow"] > 0
    # What was queued was sent, or waits.
    assert 0 <= last["queued"] - last["sent"] <= 3
    assert counters["counters"]["discarded"]["early"]["packets"] > 0


WITHIN = """
def queues(self):
    return 2
def classify(self, now_ns, packet, header, queues):
    assert len(queues) == 2 and header.dscp == 0
    return header.flow_hash % 2
def on_queued(self, now_ns, queue, packet, queues):
    assert queues.packets(queue) >= 1 and queues.bytes(queue) >= packet.bytes
    assert queues.head(queue) is not None
def next(self, now_ns, queues):
    assert queues.waiting == queues.packets(0) + queues.packets(1) > 0
    return 0 if queues.packets(0) else 1
def on_departure(self, now_ns, queue, packet, queues):
    return Verdict.DROP_FORCED if packet.packet_class == "data" and now_ns % 397 == 0 else Verdict.PASS
def victim(self, now_ns, queues):
    return Victim(0 if queues.packets(0) else 1, from_head=True, packets=3)
"""


def test_a_scheduler_sees_its_queues_and_decides_about_what_leaves(tmp_path: Path) -> None:
    written(tmp_path, "Scheduler", WITHIN)
    queue = 'scheme = "own.py:Own", limit_packets = 8, inner = { scheme = "pie" }'
    result = aqmlab.run(scenario(queue, tmp_path), seed=4)
    counters = next(link for link in result.run["links"] if link["name"] == "left-to-right")["counters"]
    assert counters["discarded"]["forced"]["packets"] > 0
    assert counters["discarded"]["overflow"]["packets"] > 0


def test_explain_and_schema_say_what_stands_within(shipped: Path) -> None:
    said = aqmlab_run("explain", "my_policer.py:Policer", cwd=shipped)
    assert "inner" in said.stdout
    keys = schema_of_scheme("my_slots.py:Slots", shipped)["properties"]
    assert {"slots", "slot_ms", "inner", "limit_packets"} <= set(keys)
    assert "ecn" not in keys


WRONG_C = {
    "no function next": (
        (
            "const aqmlab_scheduler own = {.version = AQMLAB_SCHEDULER_VERSION, .start = start, "
            ".queues = two, .classify = zero};"
        ),
        "own has no function next",
    ),
    "no function admits": (
        'const aqmlab_guard own = {.version = AQMLAB_GUARD_VERSION, .meaning = "x", .start = start};',
        "own has no function admits",
    ),
    "a guard that says it is a scheduler": (
        'const aqmlab_guard own = {.version = AQMLAB_SCHEDULER_VERSION, .meaning = "x", .start = start};',
        "own has 96 bytes, an aqmlab_scheme 128",
    ),
}


@pytest.mark.parametrize("what", WRONG_C)
def test_a_library_that_is_no_scheduler_is_refused(what: str, tmp_path: Path) -> None:
    declared, message = WRONG_C[what]
    source = (
        '#include "aqmlab_scheme.h"\n'
        "static const char *start(void *s, const double *v, const aqmlab_port *p) { return 0; }\n"
        "static uint32_t two(const double *values) { return 2; }\n"
        "static uint32_t zero(void *state, aqmlab_turn *turn) { return 0; }\n" + declared
    )
    library(tmp_path, source, "own", "-w")
    with pytest.raises(ScenarioError) as refused:
        scenario('scheme = "own.so:own", limit_packets = 30', tmp_path)
    assert message in str(refused.value)


LOCKED = {
    "a guard that refuses everything once its queue was empty after the first burst": (
        """
        static int32_t admits(void *state, aqmlab_arrival *arrival) {
            int32_t is_locked = arrival->queue_packets == 0 && arrival->now_ns > 100000000;
            return is_locked ? AQMLAB_DROP_FILTER : AQMLAB_PASS;
        }
        const aqmlab_guard own = {.version = AQMLAB_GUARD_VERSION, .meaning = "x", .state_bytes = 8,
            .start = start, .admits = admits};
        """
    ),
    "a scheduler that holds everything back once its queues were empty after the first burst": (
        """
        static uint32_t queues(const double *values) { return 1; }
        static uint32_t classify(void *state, aqmlab_turn *turn) {
            if (turn->waiting == 0 && turn->now_ns > 100000000)
                *(uint64_t *)state = 1;
            return 0;
        }
        static int64_t next(void *state, aqmlab_turn *turn) {
            turn->at_ns = turn->now_ns + 1000000;
            return *(uint64_t *)state ? AQMLAB_AT : 0;
        }
        const aqmlab_scheduler own = {.version = AQMLAB_SCHEDULER_VERSION, .meaning = "x", .state_bytes = 8,
            .start = start, .queues = queues, .classify = classify, .next = next};
        """
    ),
}


@pytest.mark.parametrize("what", LOCKED)
def test_one_that_locks_its_link_out_is_found(what: str, tmp_path: Path) -> None:
    head = (
        '#include "aqmlab_scheme.h"\n'
        "static const char *start(void *s, const double *v, const aqmlab_port *p) { return 0; }\n"
    )
    library(tmp_path, head + LOCKED[what], "own", "-w", "-O2")
    findings = check("own.so:own", folder=tmp_path, cases=12)
    wrong = [
        finding.wrong
        for finding in findings
        if finding.property.startswith("keeping an overloaded link busy")
    ]
    assert len(wrong) == 1, findings
    assert "the link stays idle, where 0.5 times" in wrong[0]
