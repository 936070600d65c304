"""What each packet pays for: instructions per packet by part of the program.

Runs the benchmark program under callgrind for two run lengths and attributes every instruction to the
innermost line of ours that it was compiled from: what the standard library does counts for its caller. Needs
valgrind and binutils. Standard library only.

    python3 tools/bench/budget.py web 10000 drop-tail
    python3 tools/bench/budget.py bulk drop-tail
    python3 tools/bench/budget.py hops 16
    python3 tools/bench/budget.py clouds
"""

from __future__ import annotations

import argparse
import collections
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LENGTHS = {"bulk": (2, 6), "web": (4, 8), "le2003": (4, 8), "hops": (2, 6), "clouds": (20, 60)}

# The first prefix that a source file has names its part.
PARTS = [
    ("crates/sim/src/engine", "scheduling: ends of transmissions, timing wheels"),
    ("crates/sim/src/simulation", "moving packets: event loop, routes, links"),
    ("crates/sim/src/fabric/endpoints", "TCP at both ends: calling it, sending what it says"),
    ("crates/sim/src/fabric/connections", "TCP at both ends: calling it, sending what it says"),
    ("crates/sim/src/fabric/losses", "recording: counters, samples, response times"),
    ("crates/sim/src/fabric/trace", "recording: counters, samples, response times"),
    ("crates/sim/src/fabric", "moving packets: event loop, routes, links"),
    ("crates/units", "moving packets: event loop, routes, links"),
    ("crates/scenario", "moving packets: event loop, routes, links"),
    ("crates/aqm/src/counters", "recording: counters, samples, response times"),
    ("crates/aqm", "queue and scheme"),
    ("crates/tcp", "TCP at both ends: the state machines"),
    ("crates/random", "users: random numbers and laws"),
    ("libm", "users: random numbers and laws"),
    ("crates/web", "users: pages, exchanges, statistics"),
    ("crates/session", "users: pages, exchanges, statistics"),
    ("crates/applications", "users: pages, exchanges, statistics"),
    ("crates/record", "recording: counters, samples, response times"),
    ("crates/driver", "recording: counters, samples, response times"),
    ("crates/sim", "recording: counters, samples, response times"),
]


def build() -> Path:
    """The benchmark program with the line numbers of everything that was inlined."""
    command = ["cargo", "bench", "--locked", "--profile", "profiling", "--package", "aqmlab-sim"]
    command += ["--bench", "packets", "--no-run", "--message-format", "json"]
    made = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    programs = [json.loads(line) for line in made.stdout.splitlines() if '"executable":"' in line]
    return Path(next(row["executable"] for row in programs if row["target"]["name"] == "packets"))


def count(program: Path, arguments: list[str]) -> tuple[collections.Counter[int], int]:
    """Instructions by address, and packets, of one run."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "callgrind"
        command = ["valgrind", "--tool=callgrind", "--dump-instr=yes", f"--callgrind-out-file={file}"]
        made = subprocess.run(
            [*command, str(program), *arguments], check=True, capture_output=True, text=True
        )
        return addresses(file), int(json.loads(made.stdout)["packets"])


def addresses(file: Path) -> collections.Counter[int]:
    """Instructions by address within the program from a callgrind file; other objects count at address 0."""
    costs: collections.Counter[int] = collections.Counter()
    objects: dict[str, str] = {}
    address, ours, is_call = 0, True, False
    with file.open() as lines:
        for line in lines:
            if found := re.match(r"(c?)ob=\((\d+)\)(?: (.*))?", line):
                if found[3]:
                    objects[found[2]] = found[3]
                if not found[1]:
                    ours = "packets-" in objects[found[2]]
            elif line.startswith("calls="):
                is_call = True
            elif found := re.match(r"(0x[0-9a-f]+|\+\d+|-\d+|\*) \S+ (\d+)$", line):
                where = found[1]
                if where.startswith("0x"):
                    address = int(where, 16)
                elif where != "*":
                    address += int(where)
                if not is_call:
                    costs[address if ours else 0] += int(found[2])
                is_call = False
    return costs


def parts_of(program: Path, wanted: list[int]) -> dict[int, str]:
    """The part that each address belongs to."""
    asked = "\n".join(hex(address) for address in wanted)
    command = ["addr2line", "--exe", str(program), "--inlines", "--addresses"]
    answer = subprocess.run(command, input=asked, check=True, capture_output=True, text=True).stdout
    parts: dict[int, str] = {}
    address = 0
    for line in answer.splitlines():
        if re.fullmatch(r"0x[0-9a-f]+", line):
            address = int(line, 16)
            parts[address] = "others: allocation, copying, start and end"
        elif parts[address].startswith("others"):
            parts[address] = next((part for file, part in PARTS if file in line), parts[address])
    return parts


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("scenario", nargs="+", help="as the benchmark program takes it, without the length")
    scenario = parser.parse_args().scenario
    program = build()
    short, long = (count(program, [*scenario, str(length)]) for length in LENGTHS[scenario[0]])
    packets = long[1] - short[1]
    costs = {address: cost - short[0][address] for address, cost in long[0].items()}
    of_part: collections.Counter[str] = collections.Counter()
    parts = parts_of(program, [address for address in costs if address])
    for address, cost in costs.items():
        of_part[parts.get(address, "others: allocation, copying, start and end")] += cost
    total = sum(of_part.values())
    for part, cost in sorted(of_part.items()):
        print(f"{cost / packets:8.0f}  {cost / total:5.1%}  {part}")
    print(f"{total / packets:8.0f}  100.0%  instructions per packet ({' '.join(scenario)})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
