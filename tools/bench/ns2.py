"""ns-2 on the crosscheck's scenario, in turn with us, so that the ratio comes from one session."""

from __future__ import annotations

import re
import resource
import shutil
import statistics
import subprocess
import tempfile
from typing import TYPE_CHECKING

import programs

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = programs.ROOT / "tests" / "crosscheck" / "ns2" / "dumbbell.tcl"
CLOUDS = programs.ROOT / "tests" / "crosscheck" / "ns2" / "clouds.tcl"
CLOUDS_OPTIONS = ("-connections", "110", "-warmup_s", "20", "-end_s", "100")
"""As tests/crosscheck/clouds.toml has it."""


def is_installed() -> bool:
    """Whether there is an ns-2."""
    return shutil.which("ns") is not None


def packets(seed: int) -> float:
    """Data packets through the bottleneck, of a run of that seed."""
    _, printed = _cpu_s(str(SCRIPT), "-scheme", "droptail", "-seed", str(seed))
    count = _packets(printed)
    if count is None:
        raise SystemExit(f"{SCRIPT} printed no packets_whole_run")
    return count


def _packets(printed: str) -> int | None:
    found = re.search(r"packets_whole_run[ ,=:]+(\d+)", printed)
    return int(found.group(1)) if found else None


def run(seed: int) -> tuple[float, float] | None:
    """CPU nanoseconds of ns-2 per bottleneck data packet with its acknowledgement; none without ns-2.

    The second figure leaves out what a process of ns-2 takes that simulates nothing.
    """
    if not is_installed():
        return None
    start_up_s, _ = _cpu_s("/dev/stdin", given="new Simulator\nexit 0\n")
    cpu_s, printed = _cpu_s(str(SCRIPT), "-scheme", "droptail", "-seed", str(seed))
    count = _packets(printed)
    if count is None:
        return None
    return cpu_s * 1e9 / count, (cpu_s - start_up_s) * 1e9 / count


def _cpu_s(*arguments: str, given: str = "") -> tuple[float, str]:
    """CPU seconds of a process of ns-2, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    made = subprocess.run(
        ["ns", *arguments],
        check=True,
        input=given,
        stdout=subprocess.PIPE,
        text=True,
        cwd=tempfile.gettempdir(),
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime, made.stdout


def compare(program: Path, runs: int) -> None:
    """CPU per data packet with its acknowledgement, ns-2 and we in turn."""
    ratios, without_start_up = [], []
    for seed in range(1, runs + 1):
        theirs = run(seed)
        if theirs is None:
            print("ns-2 is not installed (Debian package ns2): no ratio")
            return
        finished = programs.run(program, ["bulk", "drop-tail", "100"])
        ours = finished.cpu_s * 1e9 / finished.row["data_packets"]
        whole, simulating = theirs
        ratios.append(whole / ours)
        without_start_up.append(simulating / ours)
        print(
            f"seed {seed}: ns-2 {whole:.0f} ns ({simulating:.0f} without its start-up), aqmlab {ours:.0f} ns"
            " per data packet with its ACK"
        )
    for name, each in ("ns-2 / aqmlab", ratios), ("the same without ns-2's start-up", without_start_up):
        print(f"{name}: median {statistics.median(each):.2f}, from {min(each):.2f} to {max(each):.2f}")


def compare_clouds(program: Path, runs: int) -> None:
    """CPU per bottleneck packet of the dumbbell of PackMime's clouds, ns-2 and we in turn."""
    if not is_installed():
        return
    ratios = []
    for seed in range(1, runs + 1):
        cpu_s, printed = _cpu_s(str(CLOUDS), "-seed", str(seed), *CLOUDS_OPTIONS)
        packets = re.search(r"packets_whole_run (\d+)", printed)
        if packets is None:
            raise SystemExit(f"{CLOUDS} printed no packets_whole_run")
        finished = programs.run(program, ["clouds", "100"])
        ours, theirs = (
            1e6 * seconds / count
            for seconds, count in ((finished.cpu_s, finished.row["packets"]), (cpu_s, int(packets.group(1))))
        )
        ratios.append(theirs / ours)
        print(f"PackMime, seed {seed}: ns-2 {theirs:.1f} us, aqmlab {ours:.2f} us per bottleneck packet")
    print(f"ns-2 / aqmlab, PackMime dumbbell: median {statistics.median(ratios):.0f}")
