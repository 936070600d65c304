"""Packets a second a core: this program and others on one scenario, in turns (`make packets-per-second`).

A packet is a data packet that leaves the bottleneck, with its acknowledgement: both ends of TCP, access links
and the queue of acknowledgements included. A second is one of CPU time of the whole process, its start
included. The scenario is the crosscheck's: fifty TCP flows, round trips of 10 to 150 ms, 100 Mbit/s,
drop-tail of 240 packets (docs/explanation/performance.md).

Standard library only: it must run before anything of ours is installed.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import htsim
import ns2
import ns3_bulk
import programs

Count = Callable[[int], float]
"""Makes a run of a seed in processes of its own; answers with the number of packets."""

OTHERS = {
    "1,000 web users, drop-tail": ("web", "1000", "drop-tail"),
    "10,000 web users, drop-tail": ("web", "10000", "drop-tail"),
    "household, drop-tail": ("home", "drop-tail"),
    "household, FQ-CoDel": ("home", "fq-codel"),
}
"""What the others have no like of: packets through either direction of the bottleneck."""


@dataclass
class Simulator:
    """A simulator on the scenario.

    Attributes:
        name: With its version, as far as it tells.
        simulated_s: The length of its runs.
        count: Makes a run.
        rates: Packets per second of CPU time, a run each.
    """

    name: str
    simulated_s: float
    count: Count
    rates: list[float] = field(default_factory=list)

    def run(self, seed: int) -> None:
        """One run more."""
        before = _cpu_s()
        packets = self.count(seed)
        self.rates.append(packets / (_cpu_s() - before))


def _cpu_s() -> float:
    """CPU seconds of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _ours(program: Path) -> Simulator:
    def count(_seed: int) -> float:  # always of seed 1
        return programs.run(program, ["bulk", "drop-tail", "100"]).row["data_packets"]

    return Simulator("aqmlab", 100.0, count)


def found(folder: Path, named_ns3: str | None, named_htsim: str | None) -> list[Simulator]:
    """The others that are there; says why one is not."""
    others: list[Simulator] = []
    if ns2.is_installed():
        others.append(Simulator("ns-2", 100.0, ns2.packets))
    else:
        print("ns-2: not installed (Debian package ns2)")
    program = folder / "ns3"
    try:
        ns3_bulk.ns3_program.build(ns3_bulk.ns3_program.find_ns3(named_ns3), program)
        others.append(Simulator("ns-3 (SACK, 128 KiB)", ns3_bulk.SETTINGS["end_s"], _ns3(program)))
    except ns3_bulk.ns3_program.NotInstalledError as reason:
        print(f"ns-3: {reason}")
    program = folder / "htsim"
    try:
        htsim.build(named_htsim, program)
        others.append(Simulator("htsim", 100.0, lambda seed: htsim.run(program, 100.0, seed)))
    except htsim.NotInstalledError as reason:
        print(f"htsim: {reason}")
    return others


def _ns3(program: Path) -> Count:
    return lambda seed: float(
        ns3_bulk.ns3_program.run_ns3(program, {**ns3_bulk.SETTINGS, "seed": seed})["sent_packets"]
    )


def machine() -> str:
    """Processor, load, compiler: what figures depend on."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    model, count = models[0] if models else os.uname().machine, os.cpu_count()
    loads = " ".join(f"{each:.1f}" for each in os.getloadavg())
    return f"{model}, {count} processors, load {loads}; {programs.compiler()}"


def tell(simulators: list[Simulator]) -> None:
    """Medians over the runs, and how many times as many packets the first makes."""
    heads = f"{'packets/s a core':>18} {'least to most':>24} {'ns a packet':>12} {'aqmlab':>10}"
    print(f"{'simulator':24} {'simulated':>10} {heads}")
    ours = simulators[0].rates
    for each in simulators:
        middle = statistics.median(each.rates)
        times = statistics.median(own / other for own, other in zip(ours, each.rates, strict=True))
        reach = f"{min(each.rates):,.0f} to {max(each.rates):,.0f}"
        figures = f"{middle:18,.0f} {reach:>24} {1e9 / middle:12,.0f} {times:8.3g} x"
        print(f"{each.name:24} {each.simulated_s:8g} s {figures}")


def tell_others(program: Path, runs: int) -> None:
    """Packets per second of scenarios that only we have."""
    print("\nin other scenarios, packets through either direction of the bottleneck:")
    for name, arguments in OTHERS.items():
        rates = []
        for _ in range(runs):
            finished = programs.run(program, list(arguments))
            rates.append(finished.row["packets"] / finished.cpu_s)
        print(f"{name:36} {statistics.median(rates):14,.0f}")


def main() -> int:
    """Measures in turns: one run of each, again and again."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="runs of each, in turns")
    parser.add_argument("--ns3", metavar="FOLDER", help="site-packages/ns3 of a venv with ns3==3.44.post0")
    parser.add_argument("--htsim", metavar="FOLDER", help="csg-htsim/sim, after make libhtsim.a there")
    parser.add_argument("--program", type=Path, help="our benchmark of packets, built already")
    given = parser.parse_args()
    program = given.program or programs.build(("packets",))["packets"]
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        simulators = [_ours(program), *found(Path(folder), given.ns3, given.htsim)]
        try:
            for seed in range(1, given.runs + 1):
                for each in simulators:
                    each.run(seed)
        except subprocess.CalledProcessError as error:
            print(f"{error}\n{error.stderr or ''}", file=sys.stderr)
            return 1
        tell(simulators)
    tell_others(program, given.runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
