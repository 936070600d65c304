"""Live runs, as their users make them.

Where the machine allows none, the tests say so and are skipped; with AQMLAB_LIVE_REQUIRED they fail instead.
"""

from __future__ import annotations

import hashlib
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

import aqmlab
from aqmlab import Result, RunError, Scenario, ScenarioError, _core
from aqmlab.cli import commands
from aqmlab.errors import FolderError, MissingDataError
from aqmlab.presets.line import Line
from aqmlab.runs import Job
from aqmlab.runs.live.disciplines import in_words, offers
from aqmlab.runs.live.requirements import needs
from aqmlab.runs.live.running import Program, run_live, run_live_in_turn, suspect_reasons
from aqmlab.statistics.quantities import timeouts_per_episode
from aqmlab.study.crossvalidation import compared
from aqmlab.study.responsiveness import Way
from aqmlab.study.responsiveness import measure as measure_responsiveness
from small import BULK
from test_capture import has_tshark, packets_in, tshark

if TYPE_CHECKING:
    from collections.abc import Iterator

NEEDS = needs()
MISSING = [need.name for need in NEEDS if need.needed and not need.found]
UNAVAILABLE = [
    backend
    for backend in ("tun", "af-packet")
    if any(need.name.endswith(f"(--backend {backend})") and not need.found for need in NEEDS)
]
if os.environ.get("AQMLAB_LIVE_REQUIRED"):
    # Who is not root may open no TUN device, as a rule.
    assert not MISSING, MISSING
    assert UNAVAILABLE in ([], ["tun"] if os.geteuid() != 0 else []), UNAVAILABLE
NOBODY = 65_534
UNREADABLE = "nobody but root may read this Python, or this package"
live = pytest.mark.skipif(bool(MISSING), reason=f"no live runs on this machine, which lacks {MISSING}")


CHAIN = """
name = "chain"
duration_s = 2.0
warm_up_s = 0.5

[parking_lot]
hops = 2
rate_mbps = 10.0
queue = { scheme = "red", limit_packets = 50, ecn = true }

[[flows]]
count = 3
direction = "left-to-right"
base_rtt_ms = 40.0
host = { ecn = "on" }

[[flows]]
name = "cross"
count = 1
senders = "servers-1"
receivers = "browsers-2"
base_rtt_ms = 40.0
host = { ecn = "on" }

[[datagrams]]
name = "calls"
count = 1
direction = "left-to-right"
packet_bytes = 200
rate_mbps = 0.8
start_spread_s = 0.0
ecn = "ect1"
"""
HOPS = ("router-0-to-router-1", "router-1-to-router-2")


@live
@pytest.mark.parametrize("backend", ["tun", "af-packet"])
def test_both_bottlenecks_of_a_chain_decide_as_simulated_ones_whatever_brings_the_packets(
    tmp_path: Path, backend: str
) -> None:
    if backend in UNAVAILABLE:
        pytest.skip(f"no live run over {backend} on this machine")
    scenario = Scenario.of(CHAIN)
    made = run_live(scenario, tmp_path / "live", hosts="linux-reno", backend=backend, replay=True, pcap=HOPS)
    kept = Result.load(tmp_path / "live")
    assert kept.live is not None
    assert kept.live == made.live
    assert kept.live["verdict"] in {"valid", "suspect"}
    assert kept.live["backend"] == backend
    assert kept.live["replay"]["events"] > 5_000
    assert kept.live["replay"]["difference"] is None
    assert kept.live["refused_packets"] == {}
    assert kept.content_address != scenario.content_address(1), "no simulation is taken for it"
    assert {invariant["holds"] for invariant in kept.run["invariants"]} == {True}
    assert not {"ecn_reductions", "loss_episodes", "loss_episodes_multiple"} & set(kept.run["tcp"])
    with pytest.raises(MissingDataError, match="`loss_episodes` is not recorded by a live run"):
        timeouts_per_episode.compute(kept)
    first, second = (link for link in kept.run["links"] if link["name"] in HOPS)
    assert second["throughput_frame_mbps"] > first["throughput_frame_mbps"] > 1.0
    assert second["counters"]["marked"]["packets"] > 0
    # One every 2 ms: a window of 1.5 s has 750, but for those that were late at its edges: who sends them may
    # wait a tenth of a second for a processor that builds something else.
    arrived = first["counters"]["by_class"]["datagram"]["arrived_packets"]
    assert arrived == pytest.approx(750, abs=100)
    # Every length and every checksum, those of marked packets too, is asserted by the parser.
    for name in HOPS:
        file = tmp_path / "live" / f"{name}.pcapng"
        packets = packets_in(file, name)
        assert len(packets) > 1_000
        stamps = [packet.at_ns for packet in packets]
        assert stamps == sorted(stamps)
        assert stamps[-1] <= 2_000_000_000
        calls = {packet.ip_bytes for packet in packets if packet.flags is None and packet.traffic_class & 1}
        assert calls == {200}
        complaint_free(file)
    marked = sum(packet.traffic_class & 0b11 == 0b11 for packet in packets)
    assert marked >= second["counters"]["marked"]["packets"]


def complaint_free(file: Path) -> None:
    """By tshark, where it is."""
    if not has_tshark():
        return
    checking = [f"-o{protocol}.check_checksum:TRUE" for protocol in ("ip", "tcp", "udp")]
    wrong = "_ws.malformed || ip.checksum.status != 1 || tcp.checksum.status != 1 || udp.checksum.status != 1"
    # The kernel writes a zero checksum as 0xffff (net/core/dev.c, `skb_checksum_help`), 1 in 65,536 segments.
    # It is right by RFC 1071, as `packets_in` checks; tshark asks for RFC 1624's form.
    bad = f"({wrong} || _ws.expert.severity == error) && !(tcp.checksum == 0xffff)"
    assert tshark(*checking, "-r", str(file), "-Y", bad) == []


@dataclass(frozen=True)
class Somebody:
    """Who starts a command, and what of Python may be used: root may have one that nobody else may read."""

    interpreter: str
    identity: dict[str, Any]
    environment: dict[str, str]

    def command(self, *words: str) -> list[str]:
        return [self.interpreter, "-m", "aqmlab", *words]


def nobody() -> Somebody:
    """Somebody without privileges."""
    if os.geteuid() != 0:
        return Somebody(sys.executable, {}, dict(os.environ))
    identity: dict[str, Any] = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    system = shutil.which(f"python3.{sys.version_info.minor}", path="/usr/local/bin:/usr/bin")
    for interpreter in filter(None, (sys.executable, system)):
        try:
            subprocess.run(
                [interpreter, "-c", "import aqmlab._core"], check=True, env=environment, cwd="/", **identity
            )
        except (OSError, subprocess.CalledProcessError):
            continue
        return Somebody(interpreter, identity, environment)
    assert not os.environ.get("AQMLAB_LIVE_REQUIRED"), UNREADABLE
    pytest.skip(UNREADABLE)


@pytest.fixture
def common(tmp_path: Path) -> Iterator[Path]:
    """A folder where anybody may write."""
    del tmp_path
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


@live
def test_somebody_without_privileges_has_a_live_run_too(common: Path) -> None:
    who = nobody()
    (common / "link.toml").write_text(BULK.replace("duration_s = 3.0", "duration_s = 2.0"))
    options: dict[str, Any] = {"cwd": common, "env": who.environment, **who.identity}
    options |= {"capture_output": True, "text": True}
    told = subprocess.run(who.command("doctor"), check=False, **options)
    assert told.returncode == 0, told.stdout + told.stderr
    command = who.command("live", "link.toml", "--output", "live", "--quiet")
    made = subprocess.run(command, check=False, **options)
    assert made.returncode == 0, made.stderr
    audit = Result.load(common / "live").live
    assert audit is not None
    device = Path("/dev/net/tun")
    # Some systems let everybody open it, others root alone.
    opens = device.exists() and (
        device.stat().st_mode & 0o002 if who.identity else os.access(device, os.W_OK)
    )
    assert audit["backend"] == ("tun" if opens else "af-packet")
    assert audit["probe_error"]["count"] > 10
    assert audit["lateness"]["count"] > 500, "a run without privileges skips no audit"


@live
def test_classes_of_the_kernel_have_their_ceilings_and_bands_their_order(tmp_path: Path) -> None:
    """Two flows to one machine at 10 Mbit/s: a class holds each to its own, and nobody lends."""
    queue = (
        '{ scheme = "htb", classes = [{ rate_mbps = 3.0, dscp = [8], queue = { scheme = "drop-tail", '
        'limit_packets = 20 } }, { rate_mbps = 1.5, queue = { scheme = "drop-tail", limit_packets = 20 } }] }'
    )
    groups = [
        f'[[flows]]\nname = "{name}"\ncount = 1\ndirection = "left-to-right"\n'
        f"base_rtt_ms = 40.0\ndscp = {dscp}\n"
        for name, dscp in {"bulk": 8, "rest": 0}.items()
    ]
    link = BULK.partition("[[flows]]")[0].replace('{ scheme = "drop-tail", limit_packets = 50 }', queue)
    scenario = Scenario.of(link + "".join(groups))
    if any(offer.problem for offer in offers(scenario)):
        pytest.skip(in_words(offers(scenario)))
    made = run_live(scenario, tmp_path / "live", kernel=True)
    window_s = made.run["measured_until_s"] - made.run["measured_from_s"]
    by_group = {group["name"]: 8e-6 * sum(group["delivered_bytes"]) / window_s for group in made.run["flows"]}
    # Packets of 1500 bytes carry 1448 of data. A machine that is late may carry less: then the audit says so.
    assert 0.0 < by_group["bulk"] <= 3.0
    assert 0.0 < by_group["rest"] <= 1.5
    if (made.live or {})["verdict"] == "valid":
        assert by_group["bulk"] > 2.3
        assert by_group["rest"] > 1.1
    assert (made.live or {})["kernel_queues"][0]["discipline"].startswith("htb default 2; class add dev")


@live
@pytest.mark.parametrize("backend", ["tun", "af-packet"])
def test_queues_of_the_kernel_hold_what_they_are_told_and_count_what_the_router_counts(
    tmp_path: Path, backend: str
) -> None:
    if backend in UNAVAILABLE:
        pytest.skip(f"no live run over {backend} on this machine")
    scenario = Scenario.of(BULK.replace("limit_packets = 50", "limit_packets = 20"))
    if any(offer.problem for offer in offers(scenario)):
        pytest.skip(in_words(offers(scenario)))
    made = run_live(scenario, tmp_path / "live", hosts="linux-reno", backend=backend, kernel=True)
    audit = made.live or {}
    there, back = audit["kernel_queues"]
    assert {queue["discipline"] for queue in (there, back)} == {"pfifo limit 20"}
    assert there["link"] == "left-to-right"
    for queue in (there, back):
        assert queue["sent"] + queue["dropped"] + queue["waiting"] == queue["router_arrived"]
        assert queue["dropped"] == queue["router_discarded"]
    assert there["dropped"] > 10, "two flows fill 20 packets"
    assert there["sent"] > 1_500
    link = next(link for link in made.run["links"] if link["name"] == "left-to-right")
    assert {invariant["holds"] for invariant in made.run["invariants"]} == {True}
    # Of what the kernel's timers are late more than 1 ms is lost to the link, and nothing is won.
    assert 5.0 < link["throughput_frame_mbps"] <= 10.0
    # Packets that the kernel has let go and a late router has not fetched are among those that wait.
    rows = zip(made.queue["link"].to_pylist(), made.queue["packets"].to_pylist(), strict=True)
    waiting = sorted(packets for name, packets in rows if name == "left-to-right")
    assert waiting[-1] > 10, "the queue was never half full"
    assert waiting[9 * len(waiting) // 10] <= 20
    assert all(math.isnan(probability) for probability in made.queue["signal_probability"].to_pylist())
    simulated = run_live(scenario, tmp_path / "ours", hosts="linux-reno", backend=backend)
    assert "kernel_queues" not in (simulated.live or {})
    assert simulated.content_address != made.content_address


@live
def test_a_live_run_through_queues_of_the_kernel_that_is_killed_leaves_nothing_behind(common: Path) -> None:
    if any(offer.problem for offer in offers(Scenario.of(BULK))):
        pytest.skip(in_words(offers(Scenario.of(BULK))))
    (common / "long.toml").write_text(BULK.replace("duration_s = 3.0", "duration_s = 60.0"))
    killed = Somebody(sys.executable, {}, dict(os.environ))
    _leaves_nothing(
        killed, killed.command("live", "long.toml", "--output", "live", "--quiet", "--kernel"), common
    )


@live
@pytest.mark.parametrize("who", ["we", "nobody"])
def test_a_live_run_that_is_killed_leaves_nothing_behind(common: Path, who: str) -> None:
    somebody = nobody() if who == "nobody" else Somebody(sys.executable, {}, dict(os.environ))
    (common / "long.toml").write_text(BULK.replace("duration_s = 3.0", "duration_s = 60.0"))
    _leaves_nothing(somebody, somebody.command("live", "long.toml", "--output", "live", "--quiet"), common)


def _leaves_nothing(somebody: Somebody, command: list[str], common: Path) -> None:
    before = _devices()
    with subprocess.Popen(command, cwd=common, env=somebody.environment, **somebody.identity) as made:
        deadline = time.monotonic() + 120.0
        while not (workers := _workers_of(made.pid)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert workers
        time.sleep(0.5)
        made.kill()
    while any(_alive(worker) for worker in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(_alive(worker) for worker in workers)
    assert _devices() == before
    assert not (common / "live").exists()


def test_what_a_live_run_cannot_do_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    scenario = Scenario.of(BULK + "\n[record]\npackets = true\n")
    with pytest.raises((ScenarioError, RunError), match=r"record.packets|Linux"):
        run_live(scenario, tmp_path / "live")
    with pytest.raises((ScenarioError, RunError), match=r"there are papers2003|Linux"):
        run_live(Scenario.of(BULK), tmp_path / "live", hosts="linux-vegas")
    assert not (tmp_path / "live").exists()


def test_what_is_compared_with_itself_does_not_differ_and_a_longer_way_does() -> None:
    def made(text: str) -> list[Result]:
        return [aqmlab.run(text, seed=seed) for seed in range(1, 7)]

    near, far = made(BULK), made(BULK.replace("base_rtt_ms = 40.0", "base_rtt_ms = 400.0"))
    assert {row.change.direction for row in compared(near, near)} == {0}
    carried = next(row for row in compared(near, far) if row.quantity.name == "utilization_percent")
    assert carried.change.direction == -1
    assert carried.kernel_change is None
    three = next(row for row in compared(near, near, far) if row.quantity.name == "utilization_percent")
    assert three.kernel_change is not None
    assert (three.change.direction, three.kernel_change.direction) == (0, -1)
    assert three.kernel_change.after == carried.change.after


def test_the_doctor_says_what_is_there_and_how_to_get_the_rest() -> None:
    told = CliRunner().invoke(commands, ["doctor"])
    assert told.exit_code == (1 if MISSING else 0)
    for need in NEEDS:
        assert need.name in told.output
        assert need.found or need.remedy


def _devices() -> int:
    return Path("/proc/self/net/dev").read_text().count(":")


def _workers_of(parent: int) -> list[int]:
    children = Path(f"/proc/{parent}/task/{parent}/children")
    return [int(child) for child in children.read_text().split()] if children.exists() else []


def _alive(process: int) -> bool:
    status = Path(f"/proc/{process}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] not in "ZX"


FETCH = """
import hashlib, socket, sys, time, urllib.request
# As netperf does: it finds nothing where no device has an address.
socket.getaddrinfo("10.128.0.1", 8000, socket.AF_INET, flags=socket.AI_ADDRCONFIG)
for left in reversed(range(200)):
    try:
        begun = time.monotonic()
        socket.create_connection(("10.128.0.1", 8000)).close()
        break
    except ConnectionRefusedError:
        time.sleep(0.05)
connected = time.monotonic() - begun
page = urllib.request.urlopen("http://10.128.0.1:8000/page").read()
print(hashlib.sha256(page).hexdigest(), connected)
sys.exit(7)
"""


@live
def test_a_command_runs_behind_the_bottleneck_and_hands_on_what_it_says(tmp_path: Path) -> None:
    page = bytes(range(256)) * 400
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "page").write_bytes(page)
    file = tmp_path / "link.toml"
    # Seconds to spare for a busy machine, which takes a second to begin a program.
    file.write_text(BULK.replace("duration_s = 3.0", "duration_s = 12.0"))
    ours = ["live", str(file), "--output", str(tmp_path / "live"), "--quiet", "--hosts", "linux-cubic"]
    ours += ["--serve", str(tmp_path / "site"), "--rtt-ms", "120"]
    command = [sys.executable, "-m", "aqmlab", *ours, "--", sys.executable, "-c", FETCH]
    made = subprocess.run(command, check=False, capture_output=True, text=True)
    assert made.returncode == 7, made.stderr
    digest, connected = made.stdout.split()
    assert digest == hashlib.sha256(page).hexdigest()
    assert float(connected) >= 0.12, "no handshake is shorter than the round trip"
    program = (Result.load(tmp_path / "live").live or {})["program"]
    assert (program["exit_code"], program["round_trip_ms"]) == (7, 120.0)
    assert program["started_s"] >= 1.0, "not before the measured window"
    there, back = program["packets"]["from_command"], program["packets"]["from_server"]
    # At least as many segments of 1,448 bytes (a timestamp in each) as the page fills, and their headers.
    assert back["handed_over"] >= -(-len(page) // 1448)
    assert back["sent_bytes"] >= len(page) + 52 * back["handed_over"] - 52 * back["discarded"]
    for way in (there, back):
        assert way["sent"] >= way["handed_over"] + way["discarded"]
        assert way["marked"] == 0, "the hosts negotiate no ECN"


@live
def test_a_command_that_outlasts_the_run_is_killed_with_all_that_it_started(tmp_path: Path) -> None:
    program = Program(("sh", "-c", f"{sys.executable} -c 'import time; time.sleep(61.5)' & sleep 60.5"))
    made = run_live(
        Scenario.of(BULK.replace("duration_s = 3.0", "duration_s = 1.6")), tmp_path / "live", program=program
    )
    assert (made.live or {})["program"]["exit_code"] is None
    deadline = time.monotonic() + 120.0
    while _running("sleep(61.5)") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _running("sleep(61.5)")


@live
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_leaves_no_command_behind(number: signal.Signals, tmp_path: Path) -> None:
    file = tmp_path / "long.toml"
    file.write_text(BULK.replace("duration_s = 3.0", "duration_s = 60.0").replace("warm_up_s = 1.0", ""))
    ours = [sys.executable, "-m", "aqmlab", "live", str(file), "--output", str(tmp_path / "live")]
    ours += ["--server", "sleep 62.25", "--", "sleep", "61.25"]
    with subprocess.Popen(ours, stderr=subprocess.PIPE, text=True) as made:
        deadline = time.monotonic() + 120.0
        while not (_running("sleep 62.25") and _running("sleep 61.25")) and time.monotonic() < deadline:
            time.sleep(0.05)
        made.send_signal(number)
        _, errors = made.communicate()
    assert made.returncode == 128 + number
    assert errors.splitlines()[-1].startswith("aqmlab: interrupted"), errors
    assert sorted(path.name for path in tmp_path.iterdir()) == ["long.toml"]
    while (_running("sleep 62.25") or _running("sleep 61.25")) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _running("sleep 62.25")
    assert not _running("sleep 61.25")


def test_a_command_that_cannot_be_run_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    file = tmp_path / "link.toml"
    file.write_text(BULK)

    def refused(*words: str) -> str:
        told = CliRunner().invoke(commands, ["live", str(file), "--output", str(tmp_path / "live"), *words])
        assert told.exit_code != 0
        return told.output + str(told.exception)

    assert "command not found: 'no-such-program'" in refused("--", "no-such-program")
    assert "command not found: 'no-such-server'" in refused("--server", "no-such-server -v", "--", "true")
    assert "need a COMMAND after --" in refused("--rtt-ms", "10")
    assert "exclude each other" in refused("--serve", str(tmp_path), "--server", "true", "--", "true")
    assert "No closing quotation" in refused("--server", "it's", "--", "true")
    for wrong in ("-3.0", "60001.0", "nan"):
        said = f"rtt_ms: a number from 0 to 60,000, not {wrong}"
        assert said in refused("--rtt-ms", wrong, "--", "true")
    taken = [Program.of(["true"], rtt_ms=each) for each in (0, 60_000)]
    assert [each and each.rtt_ms for each in taken] == [0.0, 60_000.0]
    far = refused("--rtt-ms", "10", "--set", "dumbbell.delay_ms=30", "--", "true")
    assert "the links alone take 60 ms" in far or "Linux" in far
    assert not (tmp_path / "live").exists()


def _running(words: str) -> bool:
    """Whether any process has these words in its command line."""
    wanted = words.replace(" ", "\0").encode()
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = file.read_bytes()
        except OSError:
            continue
        if line.startswith(wanted) or (words.encode() in line and b"aqmlab" not in line):
            return True
    return False


def _with_queue(queue: str) -> Scenario:
    return Scenario.of(BULK.replace('{ scheme = "drop-tail", limit_packets = 50 }', queue))


# As the manual pages of tc have them (tests of the words: crates/live/src/kernel_queue/words.rs).
IN_THE_KERNEL = {
    "pfifo": '{ scheme = "drop-tail", limit_packets = 50 }',
    "bfifo": '{ scheme = "drop-tail", limit_bytes = 50000 }',
    "codel": '{ scheme = "codel", limit_packets = 50, mtu_bytes = 1514 }',
    "pie": '{ scheme = "pie", limit_packets = 50, derandomize = true, cap_adjustment = true }',
    "fq_codel": '{ scheme = "fq-codel", mtu_bytes = 1514, count_overflows = true, '
    'nearly_empty = "all_queues", emptied_new_queue = "becomes_old_behind_others" }',
    "prio": '{ scheme = "prio", bands = [{ dscp = [46] }, {}] }',
    "htb": '{ scheme = "htb", classes = [{ name = "site", rate_mbps = 8 }, '
    '{ parent = "site", rate_mbps = 2, ceil_mbps = 8, dscp = [46] }, { parent = "site", rate_mbps = 6 }] }',
    "red": '{ scheme = "red", limit_bytes = 60000, min_th_packets = 20, max_th_packets = 60, gentle = false, '
    'measure = "bytes", w_q = 0.001953125, ecn = true }',
}


@pytest.mark.skipif(not hasattr(_core, "kernel_disciplines"), reason="live runs need Linux")
@pytest.mark.parametrize("name", sorted(IN_THE_KERNEL))
def test_the_kernel_is_asked_for_disciplines_of_its_own_and_tc_takes_every_word(name: str) -> None:
    found = offers(_with_queue(IN_THE_KERNEL[name]))
    assert [offer.link for offer in found] == ["left-to-right", "right-to-left"]
    for offer in found:
        assert offer.words[0] == name
        if MISSING or shutil.which("tc") is None:
            continue
        # What tc does not understand it says in other words than a kernel that lacks a discipline.
        lacks = f"this kernel lacks {name}{' or pfifo' if name in {'prio', 'htb'} else ''}"
        assert offer.problem in {"", lacks}
        if name in {"pfifo", "bfifo", "htb"}:
            assert not offer.problem, "every kernel with traffic control has it"


def test_what_the_kernel_cannot_express_is_refused_by_name_before_anything_is_made(tmp_path: Path) -> None:
    found = _with_queue('{ scheme = "pi", limit_packets = 50 }')
    assert "no discipline pi" in in_words(offers(found)) or not hasattr(_core, "kernel_disciplines")
    with pytest.raises((ScenarioError, RunError), match=r"no discipline pi|Linux"):
        run_live(found, tmp_path / "live", kernel=True)
    plain = Scenario.of(BULK)
    with pytest.raises((ScenarioError, RunError), match=r"a replay: the kernel's|Linux"):
        run_live(plain, tmp_path / "live", kernel=True, replay=True)
    file = tmp_path / "link.toml"
    file.write_text(BULK)
    ours = ["crossvalidate", str(file), "--kernel", "--set", 'dumbbell.queue.scheme="codel"']
    told = CliRunner().invoke(commands, [*ours, "--output", str(tmp_path / "live")])
    assert told.exit_code != 0
    assert "mtu_bytes = 1500: legal in the kernel is 1514" in str(told.exception) or "Linux" in str(
        told.exception
    )
    assert not (tmp_path / "live").exists()


@pytest.mark.parametrize("name", ["live_10mbps", "live_100mbps"])
def test_the_examples_of_live_runs_ask_for_what_a_live_run_can_do(name: str) -> None:
    scenario = Scenario.from_file(Path(__file__).parents[2] / "examples" / f"{name}.toml")
    if hasattr(_core, "LiveRun"):
        _core.LiveRun(scenario.core, 1, _core.LiveSettings())


def test_a_run_whose_folder_exists_is_refused_before_it_is_made(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    minute = Scenario.from_toml(BULK, overrides={"duration_s": 60.0})
    before = time.monotonic()
    with pytest.raises(FolderError, match="kept: exists already"):
        run_live(minute, tmp_path / "kept")
    assert time.monotonic() - before < 55.0


@live
def test_several_runs_end_in_memory_and_leave_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    calls = """
        [[datagrams]]
        name = "call"
        count = 1
        direction = "left-to-right"
        packet_bytes = 200
        rate_mbps = 0.08
    """
    scenario = Scenario.from_toml(BULK.replace("duration_s = 3.0", "duration_s = 2.0") + calls)
    results = run_live_in_turn([Job(scenario, seed) for seed in (1, 2)])
    assert [result.seed for result in results] == [1, 2]
    assert not list(tmp_path.iterdir())
    for result in results:
        # Fifty packets a second, for a second; they queue behind those of two flows.
        assert 30 < result.tables["datagrams"].to_pylist()[0]["received_packets"] < 55
        assert 0.0 < result.value("delay_p50_ms/datagrams.call") < 200.0
    audits = [result.live or {} for result in results]
    assert len(suspect_reasons(results)) == sum(audit["verdict"] != "valid" for audit in audits)


@live
def test_what_links_sent_of_each_group_is_all_that_they_sent_and_senders_know_their_round_trips() -> None:
    more = """
        [[datagrams]]
        name = "call"
        count = 1
        direction = "right-to-left"
        packet_bytes = 200
        rate_mbps = 0.08
        [record]
        traffic = true
        traffic_interval_ms = 500.0
        congestion_window_interval_ms = 50.0
    """
    (result,) = run_live_in_turn([Job(Scenario.from_toml(BULK + more), 1)])
    series = result.tables["traffic_series"].to_pandas()
    for link in result.run["links"]:
        rows = series[series.link == link["name"]]
        departed = link["counters"]["departed"]["packets"]
        # One may lie between the queue and the end of its transmission at either edge of the window.
        assert abs(int(rows.sent_packets.sum()) - departed) <= 1, link["name"]
        assert not rows[["flow_group", "datagram_group"]].isna().all(axis=None)
        nobody = rows.flow_group.isna() & rows.datagram_group.isna()
        assert rows[nobody].sent_packets.sum() == 0, "every packet is somebody's"
    whole = result.tables["traffic"].to_pandas()
    assert whole.sent_packets.sum() == series[~series.flow_group.isna()].sent_packets.sum()
    windows = result.tables["congestion_windows"].to_pandas()
    assert set(windows.flow) == {0, 1}
    known = windows.smoothed_round_trip_s.dropna()
    base_s = 1e-3 * float(result.run["scenario"]["flows"][0]["base_rtt_ms"])
    assert len(known) > 20
    assert known.between(base_s, 1.0).all(), "no round trip is shorter than the way"
    assert (windows.congestion_window_bytes > 0.0).all()
    assert (windows.retransmission_timeout_s >= windows.smoothed_round_trip_s.fillna(0.0)).all()


@live
@pytest.mark.exhaustive  # a minute
def test_responsiveness_over_linux_tells_a_good_queue_from_a_long_one() -> None:
    line = Line.of_rates(20.0, 5.0)
    as_it_is, fq_codel = measure_responsiveness(line, ["fq-codel"], ways=[Way.DOWN], run=run_live_in_turn)
    # 20 ms idle, and 120 ms with 100 ms of buffer: 3,000 and 500 at best.
    assert as_it_is.outcome.rpm < 900.0
    assert as_it_is.outcome.rpm * 2 < fq_codel.outcome.rpm <= 3_000.0
    for each in (as_it_is, fq_codel):
        assert 15.0 < each.outcome.goodput_mbps < 20.0, each.queue


FOLLOWED = """
name = "followed"
duration_s = 16.0
warm_up_s = 2.0

[line]
technology = "other"
conditions_file = "line.csv"
shaped_share_down = 0.8
shaped_share_up = 0.8
cake_autorate = { minimum_share = 0.3 }

[[devices]]
name = "computer"

[[flows]]
name = "download"
count = 2
direction = "down"
base_rtt_ms = 20.0
profile = "linux6-reno"

[files]
"line.csv" = "t_s,down_mbps,up_mbps\\n0,20,5\\n6,8,5\\n11,20,5\\n"
"""


@live
def test_shapers_follow_a_line_live_as_in_the_simulation(tmp_path: Path) -> None:
    ran = run_live(Scenario.from_toml(FOLLOWED), tmp_path / "live", hosts="linux-reno")
    simulated = aqmlab.run(FOLLOWED)
    for there, here in zip(ran.run["shapers"], simulated.run["shapers"], strict=True):
        assert there["link"] == here["link"]
        assert there["changes"] > 10
        # A machine that is late delays pings, and shapers obey them: then the audit says so.
        if (ran.live or {})["verdict"] == "valid":
            assert there["mean_mbps"] == pytest.approx(here["mean_mbps"], rel=0.25), (there, here)
    down = ran.run["shapers"][0]
    # 0.3 of the mean rate, 15.5 Mbit/s, is the least that is allowed.
    assert 4.6 < down["minimum_mbps"] < down["maximum_mbps"]
    assert ran.run["invariants"]
