"""`make bench-pairs`: time beside the last release, in pairs.

Instructions are not time, identical copies of a program differ by up to 15 % by where they lie in memory, and
machines differ more: so this build and the release's (`release.txt`), both built here, run in turns, and each
pair is two fresh copies. What is told is the ratio of user CPU time per packet, this build over the release.

A case is refused where the release wins significantly (sign test, one-sided, below 1 %) and by more than 4 %
in the median, and does so again in twice as many pairs. Load slows both sides of a pair alike; it costs
certainty, and so lets pass rather than refuses.

Standard library only.
"""

from __future__ import annotations

import argparse
import csv
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import programs
import released

CASES: dict[str, list[str]] = {
    "bulk": ["bulk", "drop-tail", "100"],
    "web 10,000": ["web", "10000", "drop-tail", "20"],
    "le2003": ["le2003", "pi", "15"],
    "household drop-tail": ["home", "drop-tail", "120"],
    "household fq-codel": ["home", "fq-codel", "120"],
}
PAIRS = 16
SLOWER = 1.04
SIGNIFICANCE = 0.01
LEDGER = Path(__file__).with_name("ledger.csv")


@dataclass(frozen=True)
class Verdict:
    """One case.

    Attributes:
        ratios: This build's time over the release's, pair by pair.
    """

    ratios: list[float]

    @property
    def median(self) -> float:
        """The ratio in the median."""
        return statistics.median(self.ratios)

    @property
    def chance(self) -> float:
        """How probable so many wins of the release are, or more, of two that are equally fast."""
        wins, pairs = sum(ratio > 1.0 for ratio in self.ratios), len(self.ratios)
        return sum(math.comb(pairs, some) for some in range(wins, pairs + 1)) / 2.0**pairs

    @property
    def is_slower(self) -> bool:
        """Whether the release is faster, by more than is allowed and not by chance."""
        return self.median > SLOWER and self.chance < SIGNIFICANCE

    def __str__(self) -> str:
        wins = sum(ratio > 1.0 for ratio in self.ratios)
        first, _, third = statistics.quantiles(self.ratios, n=4)
        verdict = "  SLOWER" if self.is_slower else ""
        return (
            f"{self.median:6.3f}  ({first:.3f} to {third:.3f})  slower in {wins} of {len(self.ratios)} pairs"
            f" (p = {self.chance:.3f}){verdict}"
        )


def in_turns(own: Path, release: Path, cases: dict[str, list[str]], pairs: int) -> dict[str, Verdict]:
    """The ratios of every case; who begins changes from pair to pair."""
    ratios: dict[str, list[float]] = {name: [] for name in cases}
    for pair in range(pairs):
        for name, arguments in cases.items():
            first, second = (own, release) if pair % 2 else (release, own)
            times = {
                program: _ns_per_packet(program, side, arguments)
                for side, program in enumerate((first, second))
            }
            ratios[name].append(times[own] / times[release])
    return {name: Verdict(each) for name, each in ratios.items()}


def _ns_per_packet(program: Path, side: int, arguments: list[str]) -> float:
    """User CPU time of a copy of a program that has never run."""
    with tempfile.TemporaryDirectory(dir=released.FOLDER) as folder:
        copy = Path(folder) / f"{side}"
        shutil.copy(program, copy)
        finished = programs.run(copy, arguments)
    return finished.user_s * 1e9 / finished.row["packets"]


def machine() -> str:
    """The processor, as Linux calls it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else 'unknown processor'}, {os.cpu_count()} processors"


def note(verdicts: dict[str, Verdict]) -> None:
    """Adds a row to the ledger: what this commit is, and its ratios."""
    head = subprocess.run(
        ["git", "describe", "--always", "--dirty"],
        cwd=programs.ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout.strip()
    is_new = not LEDGER.is_file()
    with LEDGER.open("a", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        if is_new:
            rows.writerow(["date", "commit", "release", "machine", "compiler", "pairs", *CASES])
        pairs = len(next(iter(verdicts.values())).ratios)
        rows.writerow(
            [datetime.now(UTC).date(), head, released.commit(), machine(), programs.compiler(), pairs]
            + [f"{verdicts[name].median:.3f}" for name in CASES]
        )


def compare(own: Path, release: Path, pairs: int, *, ledger: bool) -> int:
    """Runs the pairs and says what they say; 1 where a case is slower, twice."""
    load = f"{os.getloadavg()[0]:.1f}"
    print(
        f"this build over {released.commit()}, user CPU time per packet; {machine()}, load {load}", flush=True
    )
    verdicts = in_turns(own, release, CASES, pairs)
    for name, verdict in verdicts.items():
        print(f"{name:22} {verdict}", flush=True)
    if ledger:
        note(verdicts)
    again = {name: CASES[name] for name, verdict in verdicts.items() if verdict.is_slower}
    if not again:
        return 0
    print(f"once more, {2 * pairs} pairs:", flush=True)
    confirmed = in_turns(own, release, again, 2 * pairs)
    for name, verdict in confirmed.items():
        print(f"{name:22} {verdict}", flush=True)
    return int(any(verdict.is_slower for verdict in confirmed.values()))


def main() -> int:
    """Builds both and compares."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=PAIRS, help=f"pairs of each case (default {PAIRS})")
    parser.add_argument("--ledger", action="store_true", help="add a row to tools/bench/ledger.csv")
    parser.add_argument(
        "--own", type=Path, metavar="PROGRAM", help="a benchmark of packets in place of this build"
    )
    parser.add_argument("--release", type=Path, metavar="PROGRAM", help="one in place of the release's")
    given = parser.parse_args()
    own = given.own or programs.build(("packets",))["packets"]
    release = given.release or released.build()
    released.FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=released.FOLDER) as folder:
        # Two paths, even where both are one program.
        own = Path(shutil.copy(own, Path(folder) / "own"))
        return compare(own, release, given.pairs, ledger=given.ledger)


if __name__ == "__main__":
    sys.exit(main())
