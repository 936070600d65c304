"""ns-3 on a dumbbell like the crosscheck's, in turn with us, so that the ratio comes from one session.

The flows have SACK, because without it most of what ns-3's NewReno sends into this queue is sent again, and
buffers of 128 KiB, because ns-3 walks through what waits in them: with 16 MiB it would be slower still. The
wheel is not ns-3's fastest build: its checks and its logs are compiled in.
"""

from __future__ import annotations

import importlib.util
import resource
import statistics
import tempfile
from pathlib import Path

import programs

# By its file: with its folder on the path, the folder `ns3` there would be found in place of the package.
PROGRAM = programs.ROOT / "tests" / "crosscheck" / "ns3_program.py"
specification = importlib.util.spec_from_file_location("ns3_program", PROGRAM)
if specification is None or specification.loader is None:
    raise SystemExit(f"{PROGRAM} cannot be read")
ns3_program = importlib.util.module_from_spec(specification)
specification.loader.exec_module(ns3_program)

SETTINGS = {
    "scheme": "fifo",
    "flows": 50,
    "first_rtt_ms": 10,
    "last_rtt_ms": 150,
    "rate_mbps": 100,
    "limit_packets": 240,
    "sack": 1,
    "buffer_bytes": 131072,
    "warm_up_s": 0,
    "end_s": 20,
}


def check(named: str) -> None:
    """Refuses a folder without ns-3."""
    try:
        ns3_program.find_ns3(named)
    except ns3_program.NotInstalledError as reason:
        raise SystemExit(f"--ns3: {reason}") from None


def compare(program: Path, runs: int, named: str | None) -> None:
    """CPU per data packet with its acknowledgement, ns-3 and we in turn."""
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        dumbbell = Path(folder) / "dumbbell"
        try:
            ns3_program.build(ns3_program.find_ns3(named), dumbbell)
        except ns3_program.NotInstalledError as reason:
            print(f"ns-3: {reason}: no ratio")
            return
        for seed in range(1, runs + 1):
            before = _cpu_s()
            printed = ns3_program.run_ns3(dumbbell, {**SETTINGS, "seed": seed})
            theirs = (_cpu_s() - before) * 1e9 / printed["sent_packets"]
            finished = programs.run(program, ["bulk", "drop-tail", "100"])
            ours = finished.cpu_s * 1e9 / finished.row["data_packets"]
            ratios.append(theirs / ours)
            print(f"seed {seed}: ns-3 {theirs:.0f} ns, aqmlab {ours:.0f} ns per data packet with its ACK")
    median = statistics.median(ratios)
    print(f"ns-3 / aqmlab: median {median:.0f}, from {min(ratios):.0f} to {max(ratios):.0f}")


def _cpu_s() -> float:
    """CPU seconds of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
