"""BBRv1 of a kernel beside ours, on three lines and in two buffers: goodput, delay, losses, segments sent again.

    python -m tests.crosscheck.bbr                  makes what is missing, and prints the table
    python -m tests.crosscheck.bbr --machines 2     with two machines side by side
    python -m tests.crosscheck.bbr --minutes 10     begins no run after ten minutes; a later call goes on from there
    python -m tests.crosscheck.bbr --stored         prints the table of what there is

The kernel's side is user-mode Linux, with its `tcp_bbr` and its `pfifo`; UML names one, by default that of `make uml-kernel`, else
Debian's, which runs in real time: keep the machine idle then, and leave --machines at 1. A suspect run is made, said and not counted. Single
runs stand in target/uml/bbr.jsonl. The status is 3 if there is no user-mode Linux.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aqmlab
from aqmlab.inference.replication import Interval, mean_interval
from aqmlab.runs.user_mode.kernel import NAMED_BY

from .user_mode_linux import BUILT, kernel, nothing_to_ask

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SEEDS = 6
MISSING = 3
MADE = BUILT.with_name("bbr.jsonl")
DURATION_S, WARM_UP_S = 30.0, 10.0
PACKET_BYTES = 1_500
FIGURES = {
    "goodput_mbps": "goodput, Mbit/s",
    "delay_p50_ms": "delay of the stream, half, ms",
    "delay_p95_ms": "95 %, ms",
    "loss_percent": "lost in the queue, %",
    "sent_again": "segments sent again in 20 s",
}


@dataclass(frozen=True)
class Case:
    """A line with a buffer of so many bandwidth-delay products, and a download that never ends beside a small stream."""

    rate_mbps: float
    round_trip_ms: float
    products: int

    def __str__(self) -> str:
        return f"{self.rate_mbps:g} Mbit/s, {self.round_trip_ms:g} ms, {self.products} BDP"

    @property
    def limit_packets(self) -> int:
        """The buffer in packets."""
        return round(self.products * self.rate_mbps * self.round_trip_ms * 1e3 / 8 / PACKET_BYTES)

    def scenario(self) -> aqmlab.Scenario:
        """The scenario of both sides; ticks as user-mode Linux has them."""
        return aqmlab.Scenario.of(
            {
                "name": "bbr",
                "duration_s": DURATION_S,
                "warm_up_s": WARM_UP_S,
                "dumbbell": {
                    "rate_mbps": self.rate_mbps,
                    "queue": {"scheme": "drop-tail", "limit_packets": self.limit_packets},
                    "queue_right_to_left": {"scheme": "drop-tail", "limit_packets": 1_000},
                },
                "flows": [
                    {
                        "name": "bulk",
                        "count": 1,
                        "direction": "left-to-right",
                        "base_rtt_ms": self.round_trip_ms,
                        "start_spread_s": 0.5,
                        "profile": "linux6-cubic",
                        "host": {"congestion": "bbr-linux-v1", "timer_hz": 100},
                    }
                ],
                "datagrams": [
                    {
                        "name": "stream",
                        "count": 1,
                        "direction": "left-to-right",
                        "packet_bytes": 100,
                        "rate_mbps": 0.04,
                    }
                ],
            }
        )


def cases() -> Iterator[Case]:
    """Every line with every buffer."""
    for rate_mbps, round_trip_ms in [(10.0, 20.0), (50.0, 40.0), (2.0, 80.0)]:
        for products in (1, 4):
            yield Case(rate_mbps, round_trip_ms, products)


def figures(result: aqmlab.Result) -> dict[str, float]:
    """What is compared, of a run of either side."""
    stream = result.tables["datagrams"].to_pandas().iloc[0]
    forward = ("left-to-right",)
    return {
        "goodput_mbps": result.value("goodput_mbps/flows.bulk"),
        "delay_p50_ms": 1e3 * float(stream.delay_p50_s),
        "delay_p95_ms": 1e3 * float(stream.delay_p95_s),
        "loss_percent": result.value("loss_percent", links=forward),
        "sent_again": float(result.run["tcp"]["retransmitted_segments"]),
    }


def of_kernel(case: Case, seed: int) -> dict[str, Any]:
    """A run in a machine of its own."""
    with tempfile.TemporaryDirectory() as folder:
        made = aqmlab.live(
            case.scenario(), seed=seed, kernel="user-mode", hosts="linux-bbr", output=Path(folder, "out")
        )
        audit = made.live or {}
        about = {"kernel": audit["kernel"], "verdict": audit["verdict"], "reasons": audit["reasons"]}
        return {**about, **figures(made)}


def kept() -> dict[tuple[str, int], dict[str, Any]]:
    """The kernel's runs that there are, by case and seed; of two the later."""
    if not MADE.exists():
        return {}
    rows = [json.loads(line) for line in MADE.read_text(encoding="utf-8").splitlines()]
    return {(row["case"], row["seed"]): row for row in rows}


def make(wanted: Iterable[tuple[Case, int]], machines: int, until: float) -> None:
    """Makes the kernel's runs, each kept as soon as it has ended; begins none after `until`."""

    def one(asked: tuple[Case, int]) -> str:
        case, seed = asked
        if time.monotonic() > until:
            return ""
        row = {"case": str(case), "seed": seed, **of_kernel(case, seed)}
        with MADE.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(row) + "\n")
        return f"{case}, seed {seed}: {row['verdict']} {'; '.join(row['reasons'])}"

    MADE.parent.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(machines) as pool:
        for said in pool.map(one, wanted):
            print(said or "no more time", file=sys.stderr, flush=True)


def beside(theirs: list[dict[str, Any]], ours: list[dict[str, float]]) -> Iterator[list[str]]:
    """A row for each figure: the kernel's mean and interval, ours, and the interval of the differences by seed."""
    for name, title in FIGURES.items():
        there, here = ([float(row[name]) for row in rows] for rows in (theirs, ours))
        differences = mean_interval([one - other for one, other in zip(here, there, strict=True)])
        says = ""
        if isinstance(differences, Interval) and not differences.lower <= 0.0 <= differences.upper:
            says = "differs"
        yield [title, _said(there), _said(here), str(differences), says]


def _said(values: list[float]) -> str:
    found = mean_interval(values)
    return str(found) if isinstance(found, Interval) else f"{found.mean:.4g} ({found.have} runs)"


def table(seeds: int) -> str:
    """What there is, in Markdown; a case without a valid run of the kernel is left out."""
    found = kept()
    lines = ["| line, buffer | | kernel | here | here - kernel | |", "| --- | --- | --- | --- | --- | --- |"]
    for case in cases():
        runs = {seed: found.get((str(case), seed)) for seed in range(1, seeds + 1)}
        valid = {seed: run for seed, run in runs.items() if run is not None and run["verdict"] == "valid"}
        if valid:
            ours = [figures(aqmlab.run(case.scenario(), seed=seed)) for seed in valid]
            for number, cells in enumerate(beside([*valid.values()], ours)):
                first = f"{case} ({len(valid)} seeds)" if number == 0 else ""
                lines.append(f"| {' | '.join([first, *cells])} |")
    return "\n".join(lines)


def main() -> int:
    """Makes what is missing, and prints the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--machines", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--stored", action="store_true")
    arguments = parser.parse_args()
    if not arguments.stored:
        if missing := nothing_to_ask():
            print(missing, file=sys.stderr)
            return MISSING
        os.environ[NAMED_BY] = str(kernel().path)
        until, found = time.monotonic() + 60.0 * arguments.minutes, kept()
        every = [(case, seed) for seed in range(1, arguments.seeds + 1) for case in cases()]
        wanted = [
            (case, seed) for case, seed in every if found.get((str(case), seed), {}).get("verdict") != "valid"
        ]
        make(wanted, arguments.machines, until)
    print(table(arguments.seeds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
