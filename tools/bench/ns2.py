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


def run(seed: int) -> float | None:
    """CPU nanoseconds of ns-2 per bottleneck data packet with its acknowledgement; none without ns-2."""
    if shutil.which("ns") is None:
        return None
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = ["ns", str(SCRIPT), "-scheme", "droptail", "-seed", str(seed)]
    made = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=tempfile.gettempdir())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    packets = re.search(r"packets_whole_run[ ,=:]+(\d+)", made.stdout)
    if packets is None:
        return None
    return (after.ru_utime - before.ru_utime) * 1e9 / int(packets.group(1))


def compare(program: Path, runs: int) -> None:
    """CPU per data packet with its acknowledgement, ns-2 and we in turn."""
    ratios = []
    for seed in range(1, runs + 1):
        theirs = run(seed)
        if theirs is None:
            print("ns-2 is not installed (Debian package ns2): no ratio")
            return
        finished = programs.run(program, ["bulk", "drop-tail", "100"])
        ours = finished.cpu_s * 1e9 / finished.row["data_packets"]
        ratios.append(theirs / ours)
        print(f"seed {seed}: ns-2 {theirs:.0f} ns, aqmlab {ours:.0f} ns per data packet with its ACK")
    median = statistics.median(ratios)
    print(f"ns-2 / aqmlab: median {median:.1f}, from {min(ratios):.1f} to {max(ratios):.1f}")
