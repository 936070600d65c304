"""ns-3 on a dumbbell like the crosscheck's, in turn with us, so that the ratio comes from one session.

The flows have SACK, because without it most of what ns-3's NewReno sends into this queue is sent again, and
buffers of 128 KiB, because ns-3 walks through what waits in them: with 16 MiB it would be slower still. The
wheel is not ns-3's fastest build: its checks and its logs are compiled in.
"""

from __future__ import annotations

import resource
import statistics
import sys
import tempfile
from pathlib import Path

import programs

sys.path.append(str(programs.ROOT))

from tests.crosscheck import ns3_program

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


def compare(program: Path, runs: int, named: str | None) -> None:
    """CPU per data packet with its acknowledgement, ns-3 and we in turn."""
    try:
        found = ns3_program.find_ns3(named)
    except ns3_program.NotInstalledError as reason:
        print(f"ns-3: {reason}: no ratio")
        return
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        dumbbell = Path(folder) / "dumbbell"
        ns3_program.build(found, dumbbell)
        for seed in range(1, runs + 1):
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            printed = ns3_program.run_ns3(dumbbell, {**SETTINGS, "seed": seed})
            cpu_s = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
            theirs = cpu_s * 1e9 / printed["sent_packets"]
            finished = programs.run(program, ["bulk", "drop-tail", "100"])
            ours = finished.cpu_s * 1e9 / finished.row["data_packets"]
            ratios.append(theirs / ours)
            print(f"seed {seed}: ns-3 {theirs:.0f} ns, aqmlab {ours:.0f} ns per data packet with its ACK")
    print(
        f"ns-3 / aqmlab: median {statistics.median(ratios):.0f}, from {min(ratios):.0f} to {max(ratios):.0f}"
    )
