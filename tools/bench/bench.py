"""What a packet costs: `make bench` measures, `make bench-check` refuses a regression.

Time is wall-clock noise on shared machines: every figure is the median of several processes, and ns-2 (where
it is installed) runs in turn with us on the crosscheck's scenario, so that the ratio comes from one session.
Instructions are counted by valgrind's callgrind as the difference of two run lengths, which cuts the start of
the process out; they repeat to the last digit and are what `bench-check` compares with the committed figures.

Standard library only: it must run before anything of ours is installed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BASELINE = Path(__file__).with_name("instructions.json")
NS2_SCRIPT = ROOT / "tests" / "crosscheck" / "ns2" / "dumbbell.tcl"

# name: arguments of the benchmark program before the length, and the lengths in seconds to time and to count.
SCENARIOS: dict[str, tuple[list[str], int, tuple[int, int]]] = {
    "bulk drop-tail": (["bulk", "drop-tail"], 100, (2, 6)),
    "bulk red": (["bulk", "red"], 100, (2, 6)),
    "web 1,000 users drop-tail": (["web", "1000", "drop-tail"], 300, (10, 40)),
    "web 10,000 users drop-tail": (["web", "10000", "drop-tail"], 60, (4, 10)),
    "web 10,000 users pi": (["web", "10000", "pi"], 60, (4, 10)),
    "web 100,000 users drop-tail": (["web", "100000", "drop-tail"], 20, (2, 4)),
}
ALLOWED_REGRESSION = 0.05


def build() -> Path:
    """The benchmark program, built as released."""
    command = ["cargo", "bench", "--locked", "--package", "aqmlab-sim", "--bench", "packets", "--no-run"]
    made = subprocess.run(
        [*command, "--message-format", "json"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    programs = [json.loads(line) for line in made.stdout.splitlines() if '"executable":"' in line]
    return Path(next(row["executable"] for row in programs if row["target"]["name"] == "packets"))


def run_once(program: Path, arguments: list[str]) -> dict[str, float]:
    """One process: the figures it prints, and its CPU time per packet."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    line = subprocess.run([str(program), *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    row: dict[str, float] = json.loads(line)
    cpu_s = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    row["cpu_ns_per_packet"] = cpu_s * 1e9 / row["packets"]
    row["cpu_ns_per_data_packet"] = cpu_s * 1e9 / row["data_packets"]
    return row


def run_ns2(seed: int) -> float | None:
    """CPU nanoseconds of ns-2 per bottleneck data packet with its acknowledgement; none without ns-2."""
    if shutil.which("ns") is None:
        return None
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = ["ns", str(NS2_SCRIPT), "-scheme", "droptail", "-seed", str(seed)]
    made = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=tempfile.gettempdir())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    packets = re.search(r"packets_whole_run[ ,=:]+(\d+)", made.stdout)
    if packets is None:
        return None
    return (after.ru_utime - before.ru_utime) * 1e9 / int(packets.group(1))


def instructions(program: Path, arguments: list[str], lengths: tuple[int, int]) -> float | None:
    """Instructions per packet between two run lengths; none without valgrind."""
    if shutil.which("valgrind") is None:
        return None
    counted = [count_instructions(program, [*arguments, str(length)]) for length in lengths]
    return (counted[1][0] - counted[0][0]) / (counted[1][1] - counted[0][1])


def count_instructions(program: Path, arguments: list[str]) -> tuple[int, int]:
    """(instructions, packets) of one process under callgrind."""
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={os.devnull}", str(program), *arguments]
    made = subprocess.run(command, check=True, capture_output=True, text=True)
    collected = re.search(r"Collected : (\d+)", made.stderr)
    if collected is None:
        raise SystemExit("valgrind printed no instruction count")
    return int(collected.group(1)), int(json.loads(made.stdout)["packets"])


def measure(names: list[str], runs: int, count: bool) -> None:
    """Prints a table of medians, then the ratio to ns-2."""
    program = build()
    print(
        f"{'scenario':28} {'ns/packet':>10} {'ns/data+ack':>12} "
        f"{'events/packet':>14} {'peak MiB':>9} {'instr/packet':>13}"
    )
    for name in names:
        arguments, seconds, lengths = SCENARIOS[name]
        rows = [run_once(program, [*arguments, str(seconds)]) for _ in range(runs)]
        counted = instructions(program, arguments, lengths) if count else None
        print_row(name, rows, counted)
    compare_with_ns2(program, runs)


def print_row(name: str, rows: list[dict[str, float]], counted: float | None) -> None:
    """One line of the table: medians over the processes."""

    def median(key: str) -> float:
        return statistics.median(row[key] for row in rows)

    instructions_text = "-" if counted is None else f"{counted:.0f}"
    print(
        f"{name:28} {median('cpu_ns_per_packet'):10.1f} {median('cpu_ns_per_data_packet'):12.1f} "
        f"{median('events_per_packet'):14.2f} {median('peak_mib'):9.1f} {instructions_text:>13}",
        flush=True,
    )


def compare_with_ns2(program: Path, runs: int) -> None:
    """CPU per data packet with its acknowledgement, ns-2 and we in turn."""
    ratios = []
    for seed in range(1, runs + 1):
        theirs = run_ns2(seed)
        if theirs is None:
            print("ns-2 is not installed (Debian package ns2): no ratio")
            return
        ours = run_once(program, ["bulk", "drop-tail", "100"])["cpu_ns_per_data_packet"]
        ratios.append(theirs / ours)
        print(f"seed {seed}: ns-2 {theirs:.0f} ns, aqmlab {ours:.0f} ns per data packet with its ACK")
    median = statistics.median(ratios)
    print(f"ns-2 / aqmlab: median {median:.1f}, from {min(ratios):.1f} to {max(ratios):.1f}")


def check(update: bool) -> int:
    """Compares instructions per packet with the committed figures."""
    program = build()
    counted: dict[str, float] = {}
    for name, (arguments, _, lengths) in SCENARIOS.items():
        found = instructions(program, arguments, lengths)
        if found is None:
            raise SystemExit("valgrind is not installed: instructions cannot be counted")
        counted[name] = round(found, 1)
    if update:
        BASELINE.write_text(json.dumps(counted, indent=2) + "\n")
        return 0
    return report_regressions(counted, json.loads(BASELINE.read_text()))


def report_regressions(counted: dict[str, float], committed: dict[str, float]) -> int:
    """Prints each figure beside its committed one; 1 when one grew by more than is allowed."""
    failed = False
    for name, found in counted.items():
        growth = found / committed[name] - 1
        worse = growth > ALLOWED_REGRESSION
        failed |= worse
        print(
            f"{name:28} {found:8.1f} instructions per packet, {growth:+.1%}{'  REGRESSION' if worse else ''}"
        )
    return int(failed)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--check", action="store_true", help="compare instruction counts with the committed figures"
    )
    parser.add_argument(
        "--update", action="store_true", help="with --check: commit to the figures counted now"
    )
    parser.add_argument("--runs", type=int, default=5, help="processes per figure (default 5)")
    parser.add_argument("--no-instructions", action="store_true", help="time only")
    parser.add_argument(
        "--only", choices=sorted(SCENARIOS), action="append", help="this scenario alone (repeatable)"
    )
    given = parser.parse_args()
    if given.check:
        return check(given.update)
    measure(given.only or list(SCENARIOS), given.runs, not given.no_instructions)
    return 0


if __name__ == "__main__":
    sys.exit(main())
