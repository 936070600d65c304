"""CoDel and FQ-CoDel beside ns-3's.

    python -m tests.crosscheck.codel --ns3 FOLDER   runs ns-3 too: FOLDER is site-packages/ns3 of a venv with its wheel
    python -m tests.crosscheck.codel                against ns3/codel.csv
    python -m tests.crosscheck.codel --ns3 FOLDER --store   runs ns-3 and writes ns3/codel.csv

ns-3 comes from the registry (`pip install ns3==3.44.post0`, in a venv of its own); a C++ compiler builds ns3/dumbbell.cc
against its headers. First a stream of 12 Mbit/s that does not respond, where the scheme alone decides and each drop can be
counted; then ten TCP flows, under drop-tail too, which tells how much of a difference is TCP's. The status is 0 if what is
judged agrees, 1 if not.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import aqmlab
from aqmlab.runs.executors import available_cores

from .measurement import FOLDER, link_of
from .ns3_program import NotInstalledError, build, find_ns3, run_ns3
from .ratio import ratio_of_means

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SCENARIO = FOLDER / "codel.toml"
STORED = FOLDER / "ns3" / "codel.csv"
QUEUE = "topology.links.2.queue"
SEEDS = range(1, 7)

CODEL = {"scheme": "codel", "limit_packets": 1000}
CLOSED: Mapping[str, tuple[dict[str, object], dict[str, object]]] = {
    "drop-tail": ({"scheme": "drop-tail", "limit_packets": 60}, {"scheme": "fifo", "limit_packets": 60}),
    "codel": (CODEL, {"scheme": "codel"}),
    "codel-ecn": ({**CODEL, "ecn": True}, {"scheme": "codel", "ecn": 1}),
    "fq-codel": ({"scheme": "fq-codel", "limit_packets": 1000, "ecn": False}, {"scheme": "fq-codel"}),
}
"""Case -> the queue here, and what dumbbell.cc is told."""
STREAM: Mapping[str, object] = {
    "flows": 0,
    "streams": 1,
    "stream_mbps": 12,
    "stream_bytes": 1000,
    "start_spread_s": 0,
    "warm_up_s": 0.0001,
    "limit_packets": 100_000,
}
OPEN_S = (1, 2, 5, 7)
"""While the queue stands: it is longest after 5 s, and has drained after 10, where the law of drops ends."""
JUDGED = {"throughput_mbps": 0.02, "stream_delay_ms": 0.02}
"""Of closed loops, as far as TCP does not decide: how far from 1 the interval of a ratio may reach; of delay under FQ-CoDel alone."""

Row = dict[str, float]


# -------------------------------------------------------------------------------------------------------- ours


def ours(case: str, seeds: range = SEEDS) -> list[Row]:
    """Ten flows and a stream of small datagrams."""
    queue = CLOSED[case][0]
    changes: dict[str, object] = {QUEUE: queue}
    if queue.get("ecn"):
        changes["flows.0.host.ecn"] = "on"
    scenario = aqmlab.Scenario.from_file(SCENARIO, overrides=changes)
    jobs = [aqmlab.Job(scenario, seed) for seed in seeds]
    return [_row(result) for result in aqmlab.run_many(jobs, progress=False)]


def _row(result: aqmlab.Result) -> Row:
    link = link_of(result.run)
    return {
        "loss_percent": 100.0 * link["loss_ratio"],
        "mark_percent": 100.0 * link["mark_ratio"],
        "queue_packets_mean": link["queue_packets_mean"],
        "throughput_mbps": link["throughput_ip_mbps"],
        "stream_delay_ms": 1e3 * float(result.tables["datagrams"].to_pandas()["delay_mean_s"].iloc[0]),
    }


def our_drops(until_s: float) -> int:
    """What CoDel drops of a stream of 12 Mbit/s."""
    text = SCENARIO.read_text(encoding="utf-8")
    text = text[: text.index("[[flows]]")] + text[text.index("[[datagrams]]") :]
    changes: dict[str, object] = {
        QUEUE: {"scheme": "codel", "limit_packets": STREAM["limit_packets"]},
        "warm_up_s": 0.0,
        "duration_s": float(until_s),
        "datagrams.0.packet_bytes": 1000,
        "datagrams.0.rate_mbps": 12.0,
        "datagrams.0.start_spread_s": 0.0,
    }
    run = aqmlab.run(aqmlab.Scenario.from_toml(text, overrides=changes)).run
    return int(sum(each["packets"] for each in link_of(run)["counters"]["discarded"].values()))


def drops_by_law(until_s: float, *, newton: bool) -> int:
    """Drops from the first on that fit into a time: gaps of 100 ms/√n, or by one Newton step each on a root of 16 bits.

    Linux's way of reckoning the root (`codel_impl.h`), which ns-3 took over: from n to n + 1 the reciprocal root r becomes
    r·(3 - n·r²)/2, cut to 16 bits, and begins at the largest that these hold.
    """
    time_s, drops, root = 0.0, 1, 2**16 - 1
    while True:
        if newton:
            square = (root << 16) ** 2 >> 32
            root = (((3 << 32) - drops * square >> 2) * (root << 16) >> 31) >> 16
            time_s += 0.1 * root / 2**16
        else:
            time_s += 0.1 / math.sqrt(drops)
        if time_s > until_s:
            return drops
        drops += 1


# -------------------------------------------------------------------------------------------------------- ns-3


def rows_of_ns3(program: Path) -> dict[str, list[Row]]:
    """Every case; of the stream alone the drops until each instant."""
    settings: list[dict[str, object]] = [
        {"streams": 1, "sack": 1, **theirs, "seed": seed} for _, theirs in CLOSED.values() for seed in SEEDS
    ]
    settings += [{**STREAM, "scheme": "codel", "end_s": until_s} for until_s in OPEN_S]
    with ThreadPoolExecutor(available_cores()) as pool:
        rows = list(pool.map(lambda each: run_ns3(program, each), settings))
    found = {case: rows[len(SEEDS) * place : len(SEEDS) * (place + 1)] for place, case in enumerate(CLOSED)}
    return {
        **found,
        **{f"stream-{end_s}": [row] for end_s, row in zip(OPEN_S, rows[-len(OPEN_S) :], strict=True)},
    }


def stored() -> dict[str, list[Row]]:
    """What ns-3 gave when the data of this repository were made."""
    found: dict[str, list[Row]] = {}
    with STORED.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            numbers = {
                name: float(value) for name, value in row.items() if value and name not in ("case", "seed")
            }
            found.setdefault(row["case"], []).append(numbers)
    return found


def store(found: Mapping[str, Sequence[Row]]) -> None:
    """Writes ns3/codel.csv."""
    columns = (
        "drops",
        "loss_percent",
        "mark_percent",
        "queue_packets_mean",
        "throughput_mbps",
        "stream_delay_ms",
    )
    with STORED.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["case", "seed", *columns])
        for case, rows in found.items():
            for seed, row in enumerate(rows, start=1):
                writer.writerow([case, seed, *(f"{row[name]:.8g}" for name in columns)])


# -------------------------------------------------------------------------------------------------------- both


def check_stream(there: Mapping[str, Sequence[Row]]) -> int:
    """Drops of a stream that does not respond: how many instants differ by more than the two laws do."""
    print("\nA stream of 12 Mbit/s under CoDel: packets dropped")
    print(f"  {'until':>8}{'here':>8}{'ns-3':>8}{'ns-3 more':>11}{'by its root':>13}")
    differing = 0
    for until_s in OPEN_S:
        here, ns3 = our_drops(until_s), round(there[f"stream-{until_s}"][0]["drops"])
        expected = more_by_newton(until_s)
        differs = abs(ns3 - here - expected) > 2
        differing += differs
        verdict = "differs" if differs else "agrees"
        print(f"  {until_s:>6} s{here:>8}{ns3:>8}{ns3 - here:>11}{expected:>13}   {verdict}")
    return differing


def more_by_newton(until_s: float) -> int:
    """How many more are dropped until an instant for the way in which ns-3 reckons roots.

    The queue exceeds 5 ms of waiting when 37.5 packets more have come than gone, after 30 ms; the first drop is an interval later.
    """
    began = 0.130
    return drops_by_law(until_s - began, newton=True) - drops_by_law(until_s - began, newton=False)


def check_flows(there: Mapping[str, Sequence[Row]]) -> int:
    """Ten TCP flows: ratios with their intervals, of which throughput and the delay of a thin stream under FQ-CoDel are judged."""
    print(f"\nTen TCP flows and a thin stream ({len(SEEDS)} seeds each): ratio here/ns-3, 90 % interval")
    differing = 0
    for case in CLOSED:
        here = ours(case)
        for name in (
            "loss_percent",
            "mark_percent",
            "queue_packets_mean",
            "throughput_mbps",
            "stream_delay_ms",
        ):
            both = [[row[name] for row in rows] for rows in (here, there[case])]
            if not (any(both[0]) and any(both[1])):
                continue
            ratio = ratio_of_means(*both)
            judged = name == "throughput_mbps" or (name == "stream_delay_ms" and case == "fq-codel")
            differs = judged and not ratio.lies_within(JUDGED[name])
            differing += differs
            verdict = ("differs" if differs else "agrees") if judged else ""
            means = f"{np.mean(both[0]):10.3f}{np.mean(both[1]):10.3f}"
            interval = f"{ratio.lower:.3f} to {ratio.upper:.3f}"
            print(f"  {case:10}{name:20}{means}{ratio.estimate:8.3f}   {interval}   {verdict}".rstrip())
    return differing


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints both programs side by side."""
    description, _, epilog = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="python -m tests.crosscheck.codel",
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--ns3", metavar="FOLDER", help="site-packages/ns3 of a venv with the wheel ns3")
    parser.add_argument("--store", action="store_true", help="write what ns-3 gives to ns3/codel.csv")
    options = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "dumbbell"
            build(find_ns3(options.ns3), program)
            there = rows_of_ns3(program)
    except NotInstalledError as reason:
        if options.ns3 or options.store:
            parser.error(f"--ns3: {reason}")
        print(
            f"SKIPPED: ns-3 is not run, because {reason}.\nIts stored figures (ns3/codel.csv) stand beside ours."
        )
        there = stored()
    if options.store:
        store(there)
    return int(check_stream(there) + check_flows(there) > 0)


if __name__ == "__main__":
    sys.exit(main())
