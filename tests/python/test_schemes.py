"""Schemes of one's own: in Python, compiled by Numba, and in C, run as ours are."""

from __future__ import annotations

import hashlib
import json
import re
import resource
import shutil
import subprocess
from pathlib import Path

import pyarrow as pa
import pytest

import aqmlab
from aqmlab import Job, RunError, Scenario, ScenarioError, _core
from aqmlab.errors import RefusalError, TuneError
from aqmlab.runs.executors import executor_of
from aqmlab.schemes import check, cost_ns
from aqmlab.schemes.described import schema_of_scenarios, schema_of_scheme
from aqmlab.schemes.scheme import Port
from aqmlab.study.tuning.space import space_of
from small import BULK, WEB, aqmlab_run

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
STATM = Path("/proc/self/statm")
INCLUDE = ROOT / "python/aqmlab/schemes"
PYTHON, NUMBA, C = "my_red.py:MyRed", "my_red_compiled.py:MyRed", "my_red.so:my_red"

DROP_TAIL = '{ scheme = "drop-tail", limit_packets = 50 }'
PI = '{ scheme = "pi", limit_packets = 500 }'
TIGHT = "limit_packets = 40, min_th_packets = 5.0, max_th_packets = 15.0"
"""The average stays below the forced region, and bursts overflow."""
STEEP = "limit_packets = 60, min_th_packets = 1.0, max_th_packets = 2.0, w_q = 0.4, ecn = true"
"""The average wanders through the whole curve."""


@pytest.fixture(scope="session")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The examples, with the library that a C compiler makes of one of them."""
    folder = tmp_path_factory.mktemp("schemes")
    for file in EXAMPLES.glob("my_red*"):
        shutil.copy(file, folder)
    compiler = shutil.which("cc")
    if compiler is not None:
        options = ["-O2", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-shared", "-fPIC"]
        files = [folder / "my_red.c", "-o", folder / "my_red.so", "-lm"]
        subprocess.run([compiler, *options, "-I", str(INCLUDE), *map(str, files)], check=True)
    return folder


def required(scheme: str, folder: Path) -> None:
    """Skips the test where what a scheme is compiled with is not installed."""
    if scheme == NUMBA:
        pytest.importorskip("numba")
    if scheme == C and not (folder / "my_red.so").exists():
        pytest.skip("no C compiler")


def scenario(scheme: str, folder: Path, settings: str = TIGHT, text: str = WEB) -> Scenario:
    queue = f'{{ scheme = "{scheme}", {settings} }}'
    return Scenario.from_toml(text.replace(PI, queue).replace(DROP_TAIL, queue), folder=folder)


def happened(result: aqmlab.Result) -> dict[str, int]:
    """What the queues decided: packets by reason, and marks."""
    counters = [link["counters"] for link in result.run["links"]]
    lost = {
        reason: sum(own["discarded"][reason]["packets"] for own in counters)
        for reason in counters[0]["discarded"]
    }
    return {**lost, "marked": sum(own["marked"]["packets"] for own in counters)}


def digests(result: aqmlab.Result) -> dict[str, str]:
    """One for each table: the fate of every packet is in `packets`, the state of the queues in `queue`."""
    found = {}
    for name, table in result.tables.items():
        digest = hashlib.sha256()
        for column in table.columns:
            values = column.combine_chunks()
            if pa.types.is_dictionary(values.type):
                digest.update(repr(values.to_pylist()).encode())
            else:
                digest.update(values.to_numpy(zero_copy_only=False).tobytes())
        found[name] = digest.hexdigest()
    return found


MARKING = WEB.replace("per_side = 150", 'per_side = 150\nhost = { ecn = "on" }')


@pytest.mark.parametrize("scheme", [PYTHON, NUMBA, C])
@pytest.mark.parametrize("settings", [TIGHT, STEEP])
def test_a_red_of_ones_own_decides_as_the_built_in_one_packet_by_packet(
    scheme: str, settings: str, shipped: Path
) -> None:
    required(scheme, shipped)
    ours, theirs = (
        aqmlab.run(scenario(name, shipped, settings, MARKING), seed=3) for name in ("red", scheme)
    )
    decided = happened(ours)
    for reason in ("early", "overflow") if settings == TIGHT else ("early", "forced", "marked"):
        assert decided[reason] > 0, decided
    assert happened(theirs) == decided
    assert "packets" in ours.tables
    assert digests(theirs) == digests(ours)


@pytest.mark.parametrize("scheme", [PYTHON, NUMBA, C])
def test_a_simulation_with_a_red_of_ones_own_is_copied_with_its_state(scheme: str, shipped: Path) -> None:
    required(scheme, shipped)
    own = scenario(scheme, shipped, STEEP, MARKING)
    original = aqmlab.Simulation(own, seed=3)
    original.advance_until(own.duration_s / 2.0)
    kept = original.copy()
    expected = digests(original.finish())
    assert digests(kept.finish()) == expected == digests(aqmlab.run(own, seed=3))


@pytest.mark.parametrize("scheme", [PYTHON, NUMBA, C])
def test_the_shipped_schemes_keep_what_every_scheme_owes(scheme: str, shipped: Path) -> None:
    required(scheme, shipped)
    assert check(scheme, folder=shipped, cases=20) == []
    assert cost_ns(scheme, folder=shipped) > 0.0


def written(folder: Path, body: str, head: str = "") -> Path:
    """A scheme with these methods, in `own.py`."""
    file = folder / "own.py"
    indented = "".join(f"    {line}\n" if line else "\n" for line in body.splitlines())
    file.write_text(f'from aqmlab.schemes import *\n{head}\nclass Own(Scheme):\n    """Own."""\n{indented}')
    return file


def own(folder: Path, body: str, settings: str = "limit_packets = 5", head: str = "") -> Scenario:
    written(folder, body, head)
    return scenario("own.py:Own", folder, settings, BULK)


ARRIVAL = "def on_arrival(self, now_ns, packet, queue, coins):\n    "

FILTER = "return Verdict.DROP_FILTER if coins.uniform() < 0.02 else Verdict.PASS"

TICKS = """due_ns = 0
def next_timer(self):
    return self.due_ns
def on_timer(self, due_ns, queue):
    """

FAILURES = {
    "an exception": (
        ARRIVAL + "if now_ns > 2_000_000_000:\n        raise KeyError('gone')\n    return Verdict.PASS",
        "own.py, line 7, in on_arrival: KeyError: 'gone'",
    ),
    "no verdict": (ARRIVAL + "return 'drop'", "returned drop, which is no Verdict"),
    "a number that is no verdict": (ARRIVAL + "return 7", "own.py:Own: 7 is no verdict"),
    "a packet that does not wait": (
        "evicts = True\n" + ARRIVAL + "return Verdict.DROP_MATCH, [queue.packets]",
        "own.py:Own: no packet at position 0: 0 waiting",
    ),
    "waiting packets discarded unsaid": (
        ARRIVAL + "return (Verdict.EVICT_MATCH, [0]) if queue.packets else Verdict.PASS",
        "own.py:Own: on_arrival discards waiting packets, and nothing says so: `evicts = True` in Python",
    ),
    "a failure at the start": (
        "def start(self, port):\n    self.x = 1 / 0",
        "own.py, line 6, in start: ZeroDivis",
    ),
    "a timer that stands still": (
        "def next_timer(self):\n    return 5\ndef on_timer(self, due_ns, queue):\n    pass",
        "own.py:Own: a timer must move forward",
    ),
    "a timer of a nanosecond": (
        TICKS + "self.due_ns = due_ns + 1",
        "own.py:Own: the timer was due more than 1000 times within 1 ms",
    ),
    "a probability that is none": (
        "def signal_probability(self):\n    return float('nan')",
        "own.py:Own: the signal probability is NaN, not from 0 to 1",
    ),
    "a queue that was kept": (
        ARRIVAL + "self.queue = queue\n    return Verdict.PASS\n"
        "def on_idle(self, now_ns):\n    self.queue.packet(0)",
        "own.py, line 9, in on_idle: RuntimeError: a queue can be asked only while",
    ),
}


def test_a_mistake_that_fails_every_check_is_printed_once(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        'from aqmlab.schemes import Scheme, Verdict\n\n\nclass Own(Scheme):\n    """Has a name wrong."""\n\n'
        "    def on_arrival(self, now_ns, packet, queue, coins):\n        return Verdict.DROP\n"
    )
    shown = aqmlab_run("scheme", "check", f"{tmp_path / 'own.py'}:Own", "--cases", "2")
    assert shown.returncode == 2
    failed, told = (
        sum(words in line for line in shown.stdout.splitlines()) for words in ("fails: ", "has no DROP")
    )
    assert (failed > 5, told) == (True, 1)


def test_a_port_names_what_it_has() -> None:
    port = Port(link_rate_bps=10_000_000, timer_phase=0.25, flow_salt=3)
    with pytest.raises(
        AttributeError, match=r"a port has no rate_mbps; legal: link_rate_bps, timer_phase, flow_salt$"
    ):
        getattr(port, "rate_mbps")  # noqa: B009 (type checkers know that there is none)


@pytest.mark.parametrize("what", FAILURES)
def test_a_failure_in_a_users_code_ends_the_run_and_names_its_line(what: str, tmp_path: Path) -> None:
    body, message = FAILURES[what]
    broken = own(tmp_path, body)
    with pytest.raises(RunError) as failed:
        aqmlab.run_many([Job(broken, 1, folder=tmp_path / "result")], progress=False)
    assert message in str(failed.value)
    assert "panicked" not in str(failed.value)
    assert not (tmp_path / "result" / "run.json").exists()
    # The process goes on, and so does the scheme once it is mended.
    assert aqmlab.run(own(tmp_path, "")).tables["link"].num_rows > 0


REFUSALS = {
    "a name without a class": (
        "Owl",
        "",
        "",
        "own.py has no class Owl of aqmlab.schemes.Scheme, Scheduler or Guard; it has Own",
    ),
    "what is no Python": ("Own", "x = (", "", "own.py, line 5: SyntaxError"),
    "a file that fails": ("Own", "x = nobody", "", "own.py, line 5, in Own: NameError: name 'nobody'"),
    "a neighbouring module": ("Own", "import neighbour", "", "No module named 'neighbour'"),
    "an unknown key": ("Own", "", "target = 3", 'unknown key "target"; legal keys: ecn, limit_bytes, '),
    "a misspelt key": (
        "Own",
        "target_ms = parameter(5.0, 'Target.')",
        "tarket_ms = 3.0",
        'did you mean "target_ms"',
    ),
    "a wrong type": (
        "Own",
        "target = parameter(5, 'Target.')",
        "target = 3.5",
        "target: expected a whole number",
    ),
    "out of range": (
        "Own",
        "target = parameter(5, 'Target.', least=2, most=9)",
        "target = 1",
        "target: 1 is out of range; legal: 2 to 9",
    ),
    "an unknown word": (
        "Own",
        "mode = parameter('fast', 'Mode.', choices=('fast', 'slow'))",
        'mode = "slwo"',
        'unknown mode "slwo"; legal: "fast" or "slow"; did you mean "slow"?',
    ),
    "a contradiction": (
        "Own",
        "target = parameter(5, 'T.')\ndef check(self):\n    raise IllegalParameter('target', 'below 0')",
        "",
        "dumbbell.queue.target: 5 is not legal; legal: below 0",
    ),
    "a default out of range": (
        "Own",
        "target = parameter(5, 'Target.', most=4)",
        "",
        "parameter `target`: its default 5 is not legal",
    ),
    "a key that every scheme has": ("Own", "ecn = parameter(True, 'x')", "", "every scheme has it already"),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_what_is_wrong_with_a_scheme_is_refused_at_its_place(what: str, tmp_path: Path) -> None:
    name, body, settings, message = REFUSALS[what]
    written(tmp_path, body)
    (tmp_path / "neighbour.py").write_text("")
    with pytest.raises(ScenarioError) as refused:
        scenario(f"own.py:{name}", tmp_path, f"limit_packets = 30, {settings}".rstrip(", "), BULK)
    assert message in str(refused.value)
    assert str(refused.value).startswith("scenario:8: dumbbell.queue")
    assert "FILE.py:CLASS" not in str(refused.value), "the file is named and there"


@pytest.mark.parametrize(
    ("scheme", "message"),
    [
        ("nowhere.py:Own", "there is no file "),
        ("own.txt:Own", "neither a file of Python nor a library"),
        ("own.c:own", "C source; compile it first: cc "),
        ("text.so:own", "no library of this machine"),
        ("own.py:Own:more", "neither a file of Python nor a library"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(scheme: str, message: str, tmp_path: Path) -> None:
    written(tmp_path, "")
    (tmp_path / "text.so").write_text("no library")
    with pytest.raises(ScenarioError, match=message) as refused:
        scenario(scheme, tmp_path, "limit_packets = 30", BULK)
    assert str(refused.value).count("legal: ") == 1


def test_a_library_without_the_symbol_is_refused(shipped: Path) -> None:
    required(C, shipped)
    with pytest.raises(ScenarioError, match=r"the library has no symbol her_red; legal: my_red$"):
        scenario("my_red.so:her_red", shipped)
    with pytest.raises(ScenarioError, match=r"max_th_packets: .* is not legal; legal: above min_th_packets"):
        scenario(C, shipped, "limit_packets = 30, max_th_packets = 5")


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_library_cut_short_is_refused(share: float, shipped: Path, tmp_path: Path) -> None:
    """In a process of its own: what is loaded regardless ends it by a bus error."""
    required(C, shipped)
    whole = (shipped / "my_red.so").read_bytes()
    (tmp_path / "cut.so").write_bytes(whole[: int(share * len(whole))])
    checked = aqmlab_run("scheme", "check", "cut.so:my_red", "--cases", "1", cwd=tmp_path)
    assert checked.returncode == 2, checked.stderr
    assert "cut.so:my_red: a library cut short: " in checked.stderr


START = """#include "aqmlab_scheme.h"
static const char *start(void *state, const double *values, const aqmlab_port *port) {
    (void)state; (void)values; (void)port;
    return 0;
}
static const aqmlab_parameter twice[] = {
    {"p", "One.", AQMLAB_NUMBER, 0.5, 0, 1}, {"p", "Another.", AQMLAB_NUMBER, 0.5, 0, 1}};
"""
SCHEME = 'const aqmlab_scheme own = {.version = AQMLAB_VERSION, .meaning = "Own.", .start = start, %s};'
NO_SCHEMES = {
    "a function": ("int own(void) { return 1; }", "own is a function or the like; legal: "),
    "a number": ("int own = AQMLAB_VERSION;", "own has 4 bytes, an aqmlab_scheme "),
    "more parameters than it has": (
        SCHEME % ".parameters = twice, .parameter_count = 4000000000u", "4000000000 parameters: at most 1000"
    ),
    "parameters nowhere": (SCHEME % ".parameter_count = 3", "3 parameters, and no table of them"),
    "a parameter twice": (
        SCHEME % ".parameters = twice, .parameter_count = 2", "parameter `p` is declared twice"
    ),
    "observed nowhere": (SCHEME % ".observed_count = 2", "2 observed, and no table of them"),
}  # fmt: skip
"""What a C compiler takes for the variable of a scheme, and what is said of it."""


@pytest.mark.parametrize("what", NO_SCHEMES)
def test_a_library_that_declares_what_cannot_be_is_refused(what: str, tmp_path: Path) -> None:
    """In a process of its own, which these ended, or passed."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    text, message = NO_SCHEMES[what]
    (tmp_path / "own.c").write_text(START + text)
    command = [compiler, "-w", "-shared", "-fPIC", "-I", str(INCLUDE), "own.c", "-o", "own.so"]
    subprocess.run(command, check=True, cwd=tmp_path)
    checked = aqmlab_run("scheme", "check", "own.so:own", "--cases", "1", cwd=tmp_path)
    assert checked.returncode == 2, checked.stderr
    assert f"own.so:own: {message}" in checked.stderr


NERVOUS = """
static uint64_t next_timer(const void *state) {
    return *(const uint64_t *)state;
}
static void on_timer(void *state, const aqmlab_call *call) {
    *(uint64_t *)state = call->now_ns + 1;
}
"""
NERVOUS_TABLE = ".state_bytes = 8, .next_timer = next_timer, .on_timer = on_timer"
"""A timer of one nanosecond in C."""


def test_a_timer_of_a_nanosecond_in_c_ends_the_run(tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    (tmp_path / "own.c").write_text(START + NERVOUS + SCHEME % NERVOUS_TABLE)
    command = [compiler, "-w", "-shared", "-fPIC", "-I", str(INCLUDE), "own.c", "-o", "own.so"]
    subprocess.run(command, check=True, cwd=tmp_path)
    with pytest.raises(RunError, match=r"own.so:own: the timer was due more than 1000 times within 1 ms"):
        aqmlab.run(scenario("own.so:own", tmp_path, "limit_packets = 5", BULK))
    found = [str(finding) for finding in check("own.so:own", folder=tmp_path, cases=3)]
    assert "own.so:own: the timer was due more than 1000 times within 1 ms" in found[0]


LATE = """
static int32_t on_departure(void *state, aqmlab_call *call) {
    (void)state;
    return call->now_ns - call->arrived_ns > 5000000 ? AQMLAB_DROP_EARLY : AQMLAB_PASS;
}
"""
"""Drops what waited for more than 5 ms, in C."""


@pytest.mark.parametrize(("flags", "is_found"), [("0", True), ("AQMLAB_NEEDS_ARRIVAL_INSTANTS", False)])
def test_instants_that_a_library_reads_without_asking_for_them_are_found(
    flags: str, is_found: bool, tmp_path: Path
) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    table = f".state_bytes = 8, .on_departure = on_departure, .flags = {flags}"
    (tmp_path / "own.c").write_text(START + LATE + SCHEME % table)
    command = [compiler, "-w", "-shared", "-fPIC", "-I", str(INCLUDE), "own.c", "-o", "own.so"]
    subprocess.run(command, check=True, cwd=tmp_path)
    found = check("own.so:own", folder=tmp_path, cases=20)
    properties = {finding.property for finding in found}
    # Without instants it takes every packet for one that waited for ever, and shuts the link as well.
    assert ("declaring the arrival instants it reads" in properties) == is_found
    assert is_found or not properties


@pytest.mark.parametrize("percent", [2, 100])
def test_what_a_scheme_costs_that_drops_whatever_happens_is_measured(percent: int, tmp_path: Path) -> None:
    """No source slows down without end, or its instants would leave the clock."""
    written(
        tmp_path,
        f"""
def on_arrival(self, now_ns, packet, queue, coins):
    return Verdict.DROP_EARLY if coins.uniform() < {percent / 100} else Verdict.PASS
""",
    )
    cost = aqmlab_run("scheme", "cost", "own.py:Own", cwd=tmp_path)
    assert cost.returncode == 0, cost.stderr
    assert re.fullmatch(r"own.py:Own: [\d,]+ ns per packet\n", cost.stdout)


@pytest.mark.skipif(not STATM.exists(), reason="the memory of a process is read from /proc")
def test_the_names_of_what_a_scheme_observes_are_kept_once(tmp_path: Path) -> None:
    """A name of 100,000 letters in 1,000 schemes: 100 MB if each kept its own."""
    written(tmp_path, "observed = ('x' * 100_000,)\ndef observe(self):\n    return [1.0]")
    registered = _core.load_scheme(tmp_path, "own.py:Own")

    def build(count: int) -> int:
        """Builds so many schemes; returns the resident bytes behind them."""
        for _ in range(count):
            _core.scheme_cost(registered, 1)
        return int(STATM.read_text().split()[1]) * resource.getpagesize()

    before = build(10)
    assert build(1_000) - before < 30e6


def test_what_a_file_says_is_part_of_the_address_of_its_runs(tmp_path: Path, shipped: Path) -> None:
    first = own(tmp_path, ARRIVAL + "return Verdict.PASS")
    again = own(tmp_path, ARRIVAL + "return Verdict.PASS")
    other = own(tmp_path, ARRIVAL + "return Verdict.PASS  # or not")
    assert first.content_address(1) == again.content_address(1) != other.content_address(1)
    assert first.resolved["files"]["own.py"] != other.resolved["files"]["own.py"]
    if (shipped / "my_red.so").exists():
        library = scenario(C, shipped)
        shutil.copy(shipped / "my_red.so", tmp_path)
        with (tmp_path / "my_red.so").open("ab") as file:
            file.write(b"\0")
        assert library.content_address(1) != scenario(C, tmp_path).content_address(1)


def test_two_texts_of_one_file_live_side_by_side(tmp_path: Path) -> None:
    dropping = own(tmp_path, ARRIVAL + FILTER)
    passing = own(tmp_path, ARRIVAL + "return Verdict.PASS")
    lost = [happened(aqmlab.run(one))["filter"] > 0 for one in (dropping, passing, dropping)]
    assert lost == [True, False, True]


def test_a_resolved_scenario_needs_no_file(tmp_path: Path) -> None:
    before = own(tmp_path, ARRIVAL + FILTER)
    (tmp_path / "own.py").unlink()
    after = Scenario(before.resolved_json).with_overrides({"dumbbell.queue.limit_packets": 31})
    assert after.resolved["dumbbell"]["queue"]["scheme"] == "own.py:Own"
    assert happened(aqmlab.run(after))["filter"] > 0


def test_worker_processes_run_it_with_the_same_results(tmp_path: Path) -> None:
    jobs = [Job(scenario(PYTHON, EXAMPLES, TIGHT, BULK), seed) for seed in (1, 2)]
    here = aqmlab.run_many(jobs, workers=2, progress=False)
    there = aqmlab.run_many(jobs, executor=executor_of("local", workers=2), store=tmp_path, progress=False)
    assert [one.tables["queue"] for one in here] == [one.tables["queue"] for one in there]
    broken = own(tmp_path, FAILURES["an exception"][0])
    with pytest.raises(RunError, match=r"own\.py, line 7, in on_arrival: KeyError"):
        aqmlab.run_many(
            [Job(broken, 1)], executor=executor_of("local", workers=1), store=tmp_path, progress=False
        )


def test_it_evicts_asks_for_instants_and_runs_in_each_queue_of_a_fair_queue(tmp_path: Path) -> None:
    body = (
        """needs_arrival_instants = True
evicts = True
observed = ("oldest_ms",)
def start(self, port):
    self.oldest_ms = 0.0
"""
        + ARRIVAL
        + """if queue.packets < 5:
        return Verdict.PASS
    self.oldest_ms = (now_ns - queue.packet(0).arrived_ns) / 1e6
    assert queue.packet(4).bytes <= 1500 and queue.has_room_for(1500)
    return Verdict.EVICT_MATCH, [0]
def on_departure(self, now_ns, packet, queue, coins):
    assert packet.arrived_ns <= now_ns and packet.packet_class
    return Verdict.PASS
def observe(self):
    return [self.oldest_ms]"""
    )
    written(tmp_path, body)
    result = aqmlab.run(scenario("own.py:Own", tmp_path, "limit_packets = 6"))
    decided = happened(result)
    assert decided["match"] > 0
    assert decided["overflow"] == 0
    inner = 'scheme = "fq", inner = { scheme = "own.py:Own" }, limit_packets = 60'
    fair = WEB.replace(PI, f"{{ {inner} }}")
    assert happened(aqmlab.run(Scenario.from_toml(fair, folder=tmp_path)))["match"] > 0


@pytest.mark.exhaustive
def test_the_suite_finds_what_is_wrong(tmp_path: Path) -> None:
    def findings(body: str, head: str = "") -> list[str]:
        written(tmp_path, body, head)
        return [str(finding) for finding in check("own.py:Own", folder=tmp_path, cases=20)]

    assert findings("") == []
    coin = ARRIVAL + "return Verdict.DROP_EARLY if random() < 0.3 else Verdict.PASS"
    elsewhere = findings(coin, "from random import random")
    assert any("the same seed gave other verdicts" in finding for finding in elsewhere), elsewhere
    evicting = findings(ARRIVAL + "return (Verdict.EVICT_MATCH, [0]) if queue.packets else 0")
    assert "on_arrival discards waiting packets, and nothing says so: `evicts = True`" in evicting[0]
    large = findings(ARRIVAL + "return Verdict.PASS if packet.bytes < 60_000 else 1 // 0")
    assert ["packets from 1 byte to 64 KiB" in finding for finding in large] == [True, False]
    assert "stress traffic" in large[1]
    assert all("own.py, line 6, in on_arrival: ZeroDivisionError" in finding for finding in large)
    nan = findings("def signal_probability(self):\n    return float('nan')")
    assert "the signal probability is NaN" in nan[0]
    nervous = findings(TICKS + "self.due_ns = due_ns + 999")
    assert "the timer was due more than 1000 times within 1 ms" in nervous[0]
    assert findings(TICKS + "self.due_ns = due_ns + 1_000_000") == []


def test_the_command_line_knows_it(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "my_red.py", tmp_path)
    (tmp_path / "link.toml").write_text(BULK)
    explained = aqmlab_run("explain", PYTHON, cwd=tmp_path)
    assert explained.returncode == 0, explained.stderr
    assert explained.stdout.startswith("my_red.py:MyRed\n\nRED in Python: signals with")
    assert (
        "max_p: number, above 0 and at most 1, default 0.1\n      Probability at max_th_packets."
        in explained.stdout
    )
    assert "min_th_packets: number, at least 0, default 5.0\n" in explained.stdout
    assert "limit_packets: integer, unset unless given\n" in explained.stdout
    described = aqmlab_run("schema", PYTHON, cwd=tmp_path)
    assert described.returncode == 0, described.stderr
    properties = json.loads(described.stdout)["properties"]
    assert properties["scheme"]["const"] == PYTHON
    assert properties["max_p"] == {
        "type": "number", "default": 0.1, "description": "Probability at max_th_packets.",
        "exclusiveMinimum": 0, "maximum": 1,
    }  # fmt: skip
    nobody = aqmlab_run("schema", "my_red.py:HerRed", cwd=tmp_path)
    assert (nobody.returncode, "has no class HerRed" in nobody.stderr) == (2, True), nobody.stderr
    checked = aqmlab_run("scheme", "check", PYTHON, "--cases", "3", cwd=tmp_path)
    assert (checked.returncode, checked.stdout) == (0, f"{PYTHON}: passes all 9 checks\n"), checked.stderr
    compared = aqmlab_run(
        *("compare", "link.toml", "--schemes", f"drop-tail,{PYTHON}", "--seeds", "1-2", "--output", "out"),
        "--no-report",
        cwd=tmp_path,
    )
    assert compared.returncode == 0, compared.stderr
    assert "my_red.py:MyRed" in (tmp_path / "out/comparison.csv").read_text()
    grid = '[grid]\n"dumbbell.queue.scheme" = ["red", "my_red.py:MyRed"]\n'
    swept = f'scenario = "link.toml"\nreplications = 1\n{grid}'
    (tmp_path / "sweep.toml").write_text(swept)
    ran = aqmlab_run("sweep", "sweep.toml", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr


def test_the_schema_of_scenarios_takes_the_form_and_exactly_one_alternative_of_it() -> None:
    alternatives = schema_of_scenarios()["$defs"]["Scheme"]["oneOf"]
    form = re.compile(alternatives[-1]["properties"]["scheme"]["pattern"])
    consts = [each["properties"]["scheme"]["const"] for each in alternatives[:-1]]
    assert consts == aqmlab._core.scheme_names()
    for name in (PYTHON, NUMBA, C, "../a folder/own.py:Own", "/abs/lib.dylib:red", "C:/own.py:Own"):
        assert form.search(name), name
        assert name not in consts
    for name in (*consts, "own.txt:Own", "own.py", "own.py:", ":Own", "own.py:Own@0123"):
        assert not form.search(name), name


def test_the_schema_of_a_built_in_scheme_stands_by_itself() -> None:
    for name in aqmlab._core.scheme_names():
        schema = schema_of_scheme(name)
        assert schema["properties"]["scheme"]["const"] == name
        referred = set(re.findall(r"#/\$defs/(\w+)", json.dumps(schema)))
        assert referred == set(schema.get("$defs", {})), name
    with pytest.raises(RefusalError, match='did you mean "pi"'):
        schema_of_scheme("pei")


def test_a_scheme_of_ones_own_is_searched_where_it_declares_that_it_is_legal(tmp_path: Path) -> None:
    written(
        tmp_path,
        """share = parameter(0.1, "Above 0, to 1.", above=0, most=1)
packets = parameter(7, "Whole.", least=4, below=10)
level = parameter(5.0, "Both ends.", least=-1, most=1e3)
one_sided = parameter(3, "No end.", least=1)
fixed = parameter(0.5, "Nothing said.")
mode = parameter("fast", "A word.", choices=("fast", "slow"))
on = parameter(False, "A switch.")""",
    )
    space = space_of("own.py:Own", folder=tmp_path)
    assert {each.name: str(each).partition(": ")[2] for each in space.parameters} == {
        "share": "0.001 to 1 (log)",
        "packets": "4 to 9",
        "level": "-1 to 1000",
        "mode": "one of fast, slow",
        "on": "one of False, True",
    }
    assert [each.name for each in space.parameters if each.integer] == ["packets"]
    given = {"share": {"low": 0.2, "high": 0.3}, "level": 5.0, "one_sided": {"low": 1, "high": 6}}
    given = {each.name: str(each) for each in space_of("own.py:Own", given, folder=tmp_path).parameters}
    assert (given["share"], given["level"]) == ("share: 0.2 to 0.3", "level: one of 5.0")
    assert given["one_sided"] == "one_sided: 1 to 6"
    written(tmp_path, "one_sided = parameter(3, 'No end.', least=1)")
    with pytest.raises(TuneError, match="no parameter declares both of its ends; give a table"):
        space_of("own.py:Own", folder=tmp_path)


@pytest.mark.exhaustive
def test_it_is_tuned_as_ours_are(tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    shutil.copy(EXAMPLES / "my_red.py", tmp_path)
    (tmp_path / "link.toml").write_text(WEB.replace("20.0", "8.0"))
    tuned = aqmlab_run(
        *("tune", "link.toml", "--scheme", PYTHON),
        *(
            "--objective",
            "lowest-drop-rate",
            "--trials",
            "2",
            "--seeds",
            "1-2",
            "--fresh-seeds",
            "3-4",
            "--output",
            "tuned",
        ),
        cwd=tmp_path,
    )
    assert tuned.returncode == 0, tuned.stderr
