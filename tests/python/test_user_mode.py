"""Live runs in a user-mode Linux: what is refused before a boot, and one run with a bound worked out by hand.

Without a user-mode Linux (`apt-get install user-mode-linux kmod`, or UML) the run is skipped.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

import aqmlab
from aqmlab import RunError, Scenario, ScenarioError
from aqmlab.cli import commands
from aqmlab.runs.live.requirements import needs
from aqmlab.runs.user_mode.kernel import HOW, installed
from aqmlab.show.words import live as words

if TYPE_CHECKING:
    from pathlib import Path

LIMIT_PACKETS = 20
RATE_MBPS = 2.0
PACKET_MS = (1500 + 38) * 8e-3 / RATE_MBPS
"""A full packet on the wire: Ethernet adds 38 bytes with preamble and gap."""
FULL = f"""
name = "full"
duration_s = 4.0
warm_up_s = 2.0

[dumbbell]
rate_mbps = {RATE_MBPS}
queue = {{ scheme = "drop-tail", limit_packets = {LIMIT_PACKETS} }}

[[datagrams]]
name = "flood"
count = 1
direction = "left-to-right"
packet_bytes = 1500
rate_mbps = {2 * RATE_MBPS}
start_spread_s = 0.0
"""


def missing() -> str:
    """Why there is no user-mode Linux here; empty if there is one."""
    try:
        installed()
    except RunError as error:
        return str(error)
    return ""


MISSING = missing()
user_mode = pytest.mark.skipif(bool(MISSING), reason=MISSING)


@pytest.fixture
def pretended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that says it is Linux 6.1 and ends when it is booted; its modules are none but RED."""
    kernel = tmp_path / "linux"
    kernel.write_text('#!/bin/sh\ntest "$1" = --version && echo 6.1.176 && exit\necho Kernel panic\n')
    kernel.chmod(0o755)
    modules = tmp_path / "modules"
    (modules / "net" / "sched").mkdir(parents=True)
    (modules / "net" / "sched" / "sch_red.ko").touch()
    for command in ("ip", "tc", "insmod"):
        (tmp_path / command).touch(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("UML", str(kernel))
    monkeypatch.setenv("MODULES", str(modules))
    return kernel


@pytest.mark.parametrize("content", [None, "#!/bin/sh\necho coreutils 9\n"])
def test_a_kernel_that_is_none_is_refused_with_what_to_type(
    content: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = tmp_path / "vmlinux"
    if content is not None:
        named.write_text(content)
        named.chmod(0o755)
    monkeypatch.setenv("UML", str(named))
    with pytest.raises(RunError) as refused:
        aqmlab.live(FULL, kernel="user-mode", output=tmp_path / "out")
    assert str(named) in str(refused.value)
    assert HOW in str(refused.value)
    assert not (tmp_path / "out").exists()
    (need,) = (each for each in needs() if "user-mode" in each.name)
    assert not need.found
    assert not need.needed
    assert HOW in str(need)


def test_without_the_package_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UML", raising=False)
    monkeypatch.setattr("aqmlab.runs.user_mode.kernel._INSTALLED", "linux.uml-that-nobody-has")
    with pytest.raises(RunError, match="apt-get install user-mode-linux"):
        aqmlab.live(FULL, kernel="user-mode", output=tmp_path / "out")


QUEUE = "dumbbell.queue={ scheme = "


@pytest.mark.usefixtures("pretended")
@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--hosts", "papers2003"], "Linux 6.11"),
        (["--hosts", "windows"], "linux-bbr"),
        (["--replay"], "replay"),
        (["--set", f'{QUEUE}"cake" }}'], "cake: mtu_bytes = 1500: legal in the kernel is 1514"),
        (["--set", f'{QUEUE}"choke", limit_packets = 99, gentle = false, w_q = 0.125 }}'], "lacks choke"),
        (["--set", f'{QUEUE}"codel", limit_packets = 100, mtu_bytes = 1514 }}'], "6.1.176 lacks codel"),
        (["--set", f'{QUEUE}"codel", limit_packets = 100 }}'], "1514"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_boots(
    options: list[str], told: str, tmp_path: Path
) -> None:
    file = tmp_path / "full.toml"
    file.write_text(FULL)
    output = ["--output", str(tmp_path / "out")]
    result = CliRunner().invoke(commands, ["live", "--kernel", "user-mode", str(file), *options, *output])
    said = f"{result.output}{result.exception}"
    assert result.exit_code != 0
    assert told in said
    assert "panic" not in said
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("pretended")
@pytest.mark.parametrize(
    ("controller", "told"),
    [
        ("own.py:Own", "taught: .*: a live run has no congestion controllers in files; legal: "),
        ("agent", 'taught: congestion = "agent": no agent sets the windows of a live run; legal: '),
    ],
)
def test_a_congestion_control_that_no_kernel_has_is_refused_before_anything_boots(
    controller: str, told: str, tmp_path: Path
) -> None:
    (tmp_path / "own.py").write_text(
        'from aqmlab.controllers import Controller\n\n\nclass Own(Controller):\n    """An own one."""\n'
    )
    flows = (
        '[[flows]]\nname = "taught"\ncount = 1\ndirection = "left-to-right"\nbase_rtt_ms = 40.0\n'
        f'profile = "linux6-reno"\nhost = {{ congestion = "{controller}" }}\n'
    )
    scenario = Scenario.from_toml(FULL + flows, folder=tmp_path)
    with pytest.raises(ScenarioError, match=told):
        aqmlab.live(scenario, kernel="user-mode", output=tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("pretended")
def test_a_machine_that_ends_without_a_result_is_quoted(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"6\.1\.176 ended without a result:\nKernel panic"):
        aqmlab.live(FULL, kernel="user-mode", output=tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--kernel", "user", "full.toml"], "'this-machine', 'user-mode'"),
        (["--kernel", "full.toml", "--hosts", "windows"], "windows"),
        (["full.toml", "--kernel", "--hosts", "windows"], "windows"),
    ],
)
def test_kernel_alone_is_the_machines_own_also_in_front_of_the_scenario(
    given: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "full.toml").write_text(FULL)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(commands, ["live", *given])
    assert result.exit_code != 0
    assert told in f"{result.output}{result.exception}"


def test_another_word_for_a_kernel_is_refused() -> None:
    with pytest.raises(ScenarioError, match="kernel: true, false, 'user-mode', not"):
        aqmlab.live(FULL, kernel="user")


@user_mode
@pytest.mark.exhaustive
def test_packets_wait_for_a_full_queue_of_the_kernel_as_long_as_it_takes_to_send_it(tmp_path: Path) -> None:
    made = aqmlab.live(Scenario.of(FULL), kernel="user-mode", output=tmp_path / "out", hosts="linux-cubic")
    audit = made.live or {}
    kernel = installed()
    assert audit["kernel"] == kernel.release
    assert audit["user_mode"] == {"virtual_time": kernel.virtual_time}
    (queue,) = (each for each in audit["kernel_queues"] if each["link"] == "left-to-right")
    assert queue["discipline"] == f"pfifo limit {LIMIT_PACKETS}"
    assert queue["sent"] + queue["dropped"] + queue["waiting"] == queue["router_arrived"]
    told = [*words.timing(audit)]
    assert any(f"user-mode Linux {kernel.release}" in line for line in told)
    if audit["verdict"] != "valid":
        assert not kernel.virtual_time, "nothing is late there"
        pytest.skip(f"in real time on a busy machine, whose queue nobody could keep full: {audit['reasons']}")
    assert queue["dropped"] > 100
    # Twice as many come as leave. A place is free when a packet leaves, and taken within half the time that
    # one takes; from then on 19 packets are in front, and the packet leaves with the twentieth transmission.
    # What the kernel's rate may send ahead is 1 ms of it.
    assert wait_ms(made) == pytest.approx((LIMIT_PACKETS - 0.25) * PACKET_MS, abs=0.25 * PACKET_MS + 1.0)


FLOOD_MBPS = 2 * RATE_MBPS
SHAPED = 'scheme = "cake", rate_mbps = 1.0, overhead_bytes = 200, mtu_bytes = 1514'
MATCHED = (
    'scheme = "choke", limit_packets = 60, min_th_packets = 10.0, max_th_packets = 30.0, w_q = 0.0625, '
    "gentle = false"
)
IN_BINS = (
    'scheme = "sfb", limit_packets = 200, levels = 8, bins = 16, bin_packets = 19, full_bins = "all_drop", '
    "freeze_ms = 0.0, threshold = 1.0, increment = 0.0005035, decrement = 4.5777e-5, drop_above_half = true, "
    "ecn = true, rehash_ms = 600000.0, warm_up_ms = 60000.0, "
    "penalty = { tokens = { rate_hz = 10.0, burst = 20 } }"
)
"""Linux's, as `tc` sets it."""


def flooded(queue: str, folder: Path, within_ms: float = PACKET_MS) -> tuple[aqmlab.Result, dict[str, int]]:
    """A flood of twice the link's rate through a queue of the kernel, and what that counted, where packets
    wait as long as in the simulation; skips a run in real time that is suspect."""
    scenario = Scenario.of(FULL).with_overrides(
        {"dumbbell.queue": tomllib.loads(f"queue = {{ {queue} }}")["queue"]}
    )
    made = aqmlab.live(scenario, kernel="user-mode", output=folder / "out", hosts="linux-cubic")
    audit = made.live or {}
    (counted,) = (each for each in audit["kernel_queues"] if each["link"] == "left-to-right")
    assert counted["sent"] + counted["dropped"] + counted["waiting"] == counted["router_arrived"]
    if audit["verdict"] != "valid":
        assert not installed().virtual_time, "nothing is late there"
        pytest.skip(f"in real time on a busy machine: {audit['reasons']}")
    simulated = aqmlab.run(scenario)
    assert wait_ms(made) == pytest.approx(wait_ms(simulated), abs=within_ms)
    return made, counted


def wait_ms(made: aqmlab.Result) -> float:
    """How long the packets waited that the flooded link sent."""
    return made.value("queue_mean_ms", links=("left-to-right",))


@user_mode
@pytest.mark.exhaustive
def test_cake_of_the_kernel_shapes_frames_of_the_length_that_the_scenario_has(tmp_path: Path) -> None:
    # Linux waits no interval before a queue's first drop (sch_cake.c, cobalt_vars_init), and is ahead of the
    # simulation by one: of 113 ms, as a frame takes 13.6. With a drop in each 113 ms / sqrt(count) it has
    # dropped 4 s / (2 * 113 ms) more at the end.
    _, counted = flooded(SHAPED, tmp_path, within_ms=4_000 / (2 * 113) * 13.6)
    # A megabit per second in frames of 1,700 bytes, of a flood of 4 Mbit/s in packets of 1,500.
    share = (1.0 / 1_700) / (FLOOD_MBPS / 1_500)
    assert counted["sent"] == pytest.approx(share * counted["router_arrived"], rel=0.03)


@user_mode
@pytest.mark.exhaustive
def test_choke_of_the_kernel_keeps_a_single_flow_at_its_lower_threshold(tmp_path: Path) -> None:
    made, counted = flooded(MATCHED, tmp_path)
    # Above it each arrival meets a packet of its own flow: both go, and the queue shrinks by three packets in
    # the time of one. Below it all stay, and it grows by one.
    assert wait_ms(made) == pytest.approx(10 * PACKET_MS, abs=4 * PACKET_MS)
    assert counted["dropped"] > 100


@user_mode
@pytest.mark.exhaustive
def test_sfb_of_the_kernel_drops_a_flow_whose_bins_are_all_full(tmp_path: Path) -> None:
    made, counted = flooded(IN_BINS, tmp_path)
    # With 20 packets. Each of 333 arrivals a second that finds so many makes one more in 2,000 be dropped
    # beside those: less than half of all in the 4 s, so that the bins are soon full again.
    assert 16 * PACKET_MS < wait_ms(made) < 21 * PACKET_MS + 1.0
    # One of two arrivals is dropped, also of those behind the packet that left last, of which the router has
    # not heard: as many as wait.
    unheard = counted["dropped"] - counted["router_discarded"]
    assert unheard == pytest.approx(counted["waiting"], abs=5)
    assert counted["dropped"] > 100
    assert counted["router_marked"] == 0, "of packets that cannot be marked"


@user_mode
@pytest.mark.exhaustive
def test_a_program_runs_inside_and_its_output_and_status_come_out(tmp_path: Path) -> None:
    scenario = (
        FULL + '[[flows]]\nname = "f"\ncount = 1\ndirection = "left-to-right"\nprofile = "linux6-cubic"\n'
    )
    file = tmp_path / "full.toml"
    file.write_text(scenario)
    command = ["sh", "-c", "uname -r; cat; exit 3"]
    given = ["live", str(file), "--kernel", "user-mode", "--quiet", "--output", str(tmp_path / "out")]
    made = subprocess.run(
        [sys.executable, "-m", "aqmlab", *given, "--set", "duration_s=30", "--", *command],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.stdout == f"{installed().release}\n"
    assert made.returncode == 3


@pytest.mark.parametrize("death", [signal.SIGTERM, signal.SIGKILL])
def test_a_machine_ends_with_whoever_started_it(death: signal.Signals, tmp_path: Path) -> None:
    # Two processes of a pretended kernel hold the pipe open; who boots them is killed.
    kernel = tmp_path / "linux"
    kernel.write_text(
        '#!/bin/sh\ntest "$1" || exec setsid "$0" in-its-session\nsleep 100 &\necho booted\nsleep 100\n'
    )
    kernel.chmod(0o755)
    starts = (
        "import os, sys, time; from pathlib import Path; from aqmlab.runs.user_mode import machine\n"
        "machine.start([sys.argv[1]], Path(sys.argv[2]), stdout=1); time.sleep(100)"
    )
    command = [sys.executable, "-c", starts, str(kernel), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"booted\n"
        process.send_signal(death)
        assert process.stdout.read() == b"", "it ends when the last of them has"
