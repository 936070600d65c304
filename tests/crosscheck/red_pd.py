"""RED-PD beside its authors' in ns-2: losses, shares of the link, and flows that are found.

    python -m tests.crosscheck.red_pd              runs ns-2 too if it and its examples are installed
    python -m tests.crosscheck.red_pd --stored     against ns2/red_pd.csv
    python -m tests.crosscheck.red_pd --store      runs ns-2 and writes ns2/red_pd.csv

ns-2 has the queue; the search for flows is a script of its authors, which Debian's package ns2-examples holds. The status
is 0 if every figure agrees, 1 if one differs.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import aqmlab
from aqmlab.runs.executors import available_cores

from .measurement import FOLDER, link_of, ns2_is_installed
from .ratio import Ratio, ratio_of_means

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

SCENARIO = FOLDER / "red_pd.toml"
STORED = FOLDER / "ns2" / "red_pd.csv"
SCRIPT = FOLDER / "ns2" / "red_pd.tcl"
AUTHORS_SCRIPTS = Path("/usr/share/doc/ns2/examples/tcl/ex/red-pd")
SEEDS = range(1, 25)

TOLERANCES = {
    "loss_percent": 0.10,
    "filter_percent": 0.10,
    "queue_packets_mean": 0.10,
    "utilization": 0.01,
    "tcp_mbps": 0.10,
    "stream_0_mbps": 0.10,
    "stream_1_mbps": 0.10,
    "stream_2_mbps": 0.10,
    "monitored_flows": 0.10,
    "unresponsive_flows": 0.10,
}
"""Figure -> how far from 1 the whole 90 % interval of the ratio may reach: those of the crosscheck of queues."""

Row = dict[str, float]


def row_of(result: aqmlab.Result) -> Row:
    """The figures of one of our runs."""
    run: Mapping[str, Any] = result.run
    link = link_of(run)
    counters = link["counters"]
    arrived = counters["arrived"]["packets"]
    seconds = run["measured_until_s"] - run["measured_from_s"]
    state = result.tables["scheme_state"].to_pandas()
    state = state[state.time_s > run["measured_from_s"]]
    means = state[state.link == link["name"]].groupby("quantity", observed=True).value.mean()
    received = result.tables["datagrams"].to_pandas().set_index("group").received_bytes
    # ns-2's sinks count the bytes of packets, headers included.
    delivered = sum(run["flows"][0]["delivered_bytes"]) * 1000.0 / 960.0
    return {
        "loss_percent": 100.0 * link["loss_ratio"],
        "filter_percent": 100.0 * counters["discarded"]["filter"]["packets"] / arrived,
        "queue_packets_mean": link["queue_packets_mean"],
        "utilization": link["throughput_ip_mbps"] / link["rate_mbps"],
        "tcp_mbps": 8e-6 * delivered / seconds,
        **{f"stream_{number}_mbps": 8e-6 * received[f"stream-{number}"] / seconds for number in range(3)},
        "monitored_flows": float(means["monitored_flows"]),
        "unresponsive_flows": float(means["unresponsive_flows"]),
    }


def ours(seeds: Iterable[int], changes: Mapping[str, object] | None = None) -> list[Row]:
    """Runs our simulator."""
    scenario = aqmlab.Scenario.from_file(SCENARIO, overrides=dict(changes or {}))
    jobs = [aqmlab.Job(scenario, seed) for seed in seeds]
    return [row_of(result) for result in aqmlab.run_many(jobs, progress=False)]


def stored() -> list[Row]:
    """What ns-2 gave when the data of this repository were made."""
    with STORED.open(encoding="utf-8", newline="") as stream:
        return [
            {name: float(value) for name, value in row.items() if name != "seed"}
            for row in csv.DictReader(stream)
        ]


def is_installed() -> bool:
    """Whether there are ns-2 and the scripts of RED-PD's authors."""
    return ns2_is_installed() and (AUTHORS_SCRIPTS / "monitoring.tcl").is_file()


def ns2(seeds: Iterable[int], changes: Mapping[str, object] | None = None) -> list[Row]:
    """Runs ns-2."""
    with ThreadPoolExecutor(available_cores()) as pool:
        return list(pool.map(lambda seed: _ns2(seed, changes or {}), seeds))


def _ns2(seed: int, changes: Mapping[str, object]) -> Row:
    words = [word for name, value in changes.items() for word in ("-set", name, str(value))]
    command = ["ns", str(SCRIPT), "-seed", str(seed), "-scripts", str(AUTHORS_SCRIPTS), *words]
    made = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    printed = dict(line.split()[1:] for line in made.stdout.splitlines() if line.startswith("result "))
    return {name: float(printed[name]) for name in TOLERANCES}


def store(rows: Sequence[Row]) -> None:
    """Writes ns2/red_pd.csv."""
    with STORED.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["seed", *TOLERANCES])
        for seed, row in zip(SEEDS, rows, strict=True):
            writer.writerow([seed, *(f"{row[name]:.6g}" for name in TOLERANCES)])


def compare(here: Sequence[Row], there: Sequence[Row]) -> dict[str, Ratio]:
    """The ratio of the means, ours over ns-2's, of each figure."""
    return {
        name: ratio_of_means([row[name] for row in here], [row[name] for row in there]) for name in TOLERANCES
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints both programs side by side."""
    parser = argparse.ArgumentParser(prog="python -m tests.crosscheck.red_pd", description=__doc__)
    parser.add_argument("--stored", action="store_true", help="do not run ns-2")
    parser.add_argument("--store", action="store_true", help="write what ns-2 gives to ns2/red_pd.csv")
    options = parser.parse_args(arguments)
    runs_ns2 = is_installed() and not options.stored
    if options.store and not runs_ns2:
        needed = (
            f"--store: needs the Debian packages ns2 and ns2-examples ({AUTHORS_SCRIPTS}), and not --stored"
        )
        parser.error(needed)
    there = ns2(SEEDS) if runs_ns2 else stored()
    if options.store:
        store(there)
    here = ours(SEEDS)
    print(f"\nRED-PD ({len(here)} seeds here, {len(there)} of ns-2, {'run now' if runs_ns2 else 'stored'})")
    print(f"  {'':22}{'here':>10}{'ns-2':>10}{'ratio':>9}   90 % interval")
    differing = 0
    for name, ratio in compare(here, there).items():
        means = [float(np.mean([row[name] for row in rows])) for rows in (here, there)]
        agrees = ratio.lies_within(TOLERANCES[name])
        differing += not agrees
        interval = f"{ratio.lower:.4f} to {ratio.upper:.4f}"
        verdict = "agrees" if agrees else "differs"
        print(f"  {name:22}{means[0]:10.4f}{means[1]:10.4f}{ratio.estimate:9.4f}   {interval}   {verdict}")
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())
