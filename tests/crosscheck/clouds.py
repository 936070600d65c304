"""PackMime's clouds beside ns-2's: a dumbbell, and a cell of the parking lot with several congested links.

    python -m tests.crosscheck.clouds              runs ns-2 too if it is installed
    python -m tests.crosscheck.clouds --stored     against ns2/clouds.csv, without the parking lot
    python -m tests.crosscheck.clouds --store      runs ns-2 and writes what it gives

A run of a hundred seconds says little by itself: its largest responses decide what it offers, and losses are steep in that.
On the dumbbell each program draws traffic of its own, and they are compared at equal load. What our runs give is fitted to what
was asked for in them, the bytes and the exchanges of both ways; each run of ns-2 is set beside what the fit says of its own traffic.
On the parking lot the connections of each run of ns-2 are replayed here (`cloud_replay.py`), and pairs of runs are compared.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

import aqmlab
from aqmlab.statistics.quantities import quantity

from . import cloud_replay
from .measurement import FOLDER, ns2_is_installed
from .ratio import CONFIDENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

STORED = FOLDER / "ns2" / "clouds.csv"
UNCONGESTED = FOLDER / "ns2" / "clouds_uncongested.csv"
REPLAYED = "parking lot, replayed here"
"""The rows of ours in the stored file: the connections themselves are too many to store."""
EXCHANGE_TOLERANCE_S = 0.0003
"""By how much an exchange on the uncongested dumbbell may differ: two full packets at the clouds' interfaces, 120 us each, since
packets of several connections meet there in whatever order rounding gives them."""
SCRIPT = FOLDER / "ns2" / "clouds.tcl"
SHARES = {f"response_p{100 * share:g}_s": share for share in (0.5, 0.75, 0.9, 0.95, 0.99)}
TOLERANCE = 0.10
"""How far from 1 the whole interval of a ratio of quantiles may reach, fixed before the first run. That runs are compared at
equal load was chosen after figures as drawn had differed: ns-2 seeds that were not seen then would confirm it."""
LEAST_LOSS_PERCENT = 0.05
"""Added to a loss before its logarithm is taken: a run may lose nothing."""
OUR_SEEDS = range(1, 31)
WAYS = ("forward", "reverse")

Row = dict[str, float]


@dataclass(frozen=True)
class Case:
    """A scenario in both programs.

    Attributes:
        scenario: Ours.
        options: Those of ns2/clouds.tcl.
        ns2_seeds: Seeds of ns-2.
    """

    scenario: aqmlab.Scenario
    options: Mapping[str, float]
    ns2_seeds: range


LOT: Mapping[str, float] = {
    "hops": 7,
    "congested_hops": 1,
    "rate_mbps": 10.0,
    "connections": 47,
    "cross_connections": 47,
    "cloud_mbps": 4.0,
    "long_lived": 10,
    "warmup_s": 40,
    "end_s": 200,
    "server_s": cloud_replay.SERVER_S,
}
"""The cell `dt` of the study of several congested links, 200 s of it: options of ns-2's script."""
LOT_CLOUDS = (*WAYS, "cross-1-forward", "cross-1-reverse")
LOT_SEEDS = range(1, 9)


def dumbbell() -> Case:
    """The dumbbell, on which each program draws traffic of its own."""
    return Case(
        aqmlab.Scenario.from_file(FOLDER / "clouds.toml"),
        {"connections": 110, "warmup_s": 20, "end_s": 100},
        range(1, 7),
    )


# ------------------------------------------------------------------------------------------------------ rows


def row_of(way: str, exchanges: Mapping[str, np.ndarray], seconds: float, loss_percent: float) -> Row:
    """The figures of one way: of each cloud the bytes and seconds of its completed exchanges."""
    own = [each for name, each in exchanges.items() if name.endswith(way)]
    times = exchanges[way][:, 1]
    return {
        "mbps": sum(8e-6 * float(each[:, 0].sum()) for each in own) / seconds,
        "exchanges_per_s": sum(len(each) for each in own) / seconds,
        "loss_percent": loss_percent,
        **{name: float(np.quantile(times, share)) for name, share in SHARES.items()},
    }


def ours(case: Case) -> list[list[Row]]:
    """The rows of both ways of each of our runs."""
    jobs = [aqmlab.Job(case.scenario, seed) for seed in OUR_SEEDS]
    named = {"forward": "right", "reverse": "left"}
    return [_our_rows(result, named, 0) for result in aqmlab.run_many(jobs, progress=False)]


def _our_rows(result: aqmlab.Result, named: Mapping[str, str], hop: int) -> list[Row]:
    """The rows of both ways of a run, whose populations are called so for ns-2's clouds, with the loss of a hop."""
    rows = result.tables["responses"].to_pandas()
    exchanges = {
        name: rows[rows.population == own][["response_bytes", "response_time_s"]].to_numpy(float)
        for name, own in named.items()
    }
    seconds = result.run["measured_until_s"] - result.run["measured_from_s"]
    loss = quantity("loss_percent")
    links = (f"router-{hop}-to-router-{hop + 1}", f"router-{hop + 1}-to-router-{hop}")
    return [
        row_of(way, exchanges, seconds, loss(result, [link])) for way, link in zip(WAYS, links, strict=True)
    ]


def ns2(options: Mapping[str, float], seed: int, prefix: Path, clouds: Sequence[str] = WAYS) -> list[Row]:
    """The rows of a run of ns-2, which leaves its records at a prefix."""
    given = {"seed": seed, "responses": prefix, "record": prefix, **options}
    words = [word for name, value in given.items() for word in (f"-{name}", str(value))]
    made = subprocess.run(
        ["ns", str(SCRIPT), *words], check=True, stdout=subprocess.PIPE, text=True, cwd=prefix.parent
    )
    return rows_of_ns2(options, made.stdout, prefix, clouds)


def rows_of_ns2(
    options: Mapping[str, float], printed: str, prefix: Path, clouds: Sequence[str] = WAYS
) -> list[Row]:
    """The rows of both ways of a run of ns-2 from what it printed and recorded."""
    exchanges = {}
    for name in clouds:
        lines = prefix.with_name(f"{prefix.name}.{name}").read_text(encoding="ascii").splitlines()
        ended, _, size, took_ms = np.array([line.split()[:4] for line in lines], dtype=float).T
        exchanges[name] = np.column_stack((size, took_ms / 1000.0))[ended >= options["warmup_s"]]
    results = dict(line.split()[1:] for line in printed.splitlines())
    seconds, hop = options["end_s"] - options["warmup_s"], int(options.get("congested_hops", 0))
    return [row_of(way, exchanges, seconds, float(results[f"loss_percent,{hop},{way}"])) for way in WAYS]


def replayed(prefix: Path, seed: int) -> list[Row]:
    """The rows of the parking lot here, of the connections that a run of ns-2 recorded."""
    scenario = cloud_replay.scenario(LOT, cloud_replay.recorded(prefix, LOT_CLOUDS))
    return _our_rows(aqmlab.run(scenario, seed=seed), {name: name for name in LOT_CLOUDS}, 1)


def stored(name: str) -> list[list[Row]]:
    """What ns-2 gave when the data of this repository were made."""
    with STORED.open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["case"] == name]
    numbers = [{key: float(row[key]) for key in row if key not in ("case", "seed", "way")} for row in rows]
    return [numbers[place : place + 2] for place in range(0, len(numbers), 2)]


def store(found: Mapping[str, Sequence[Sequence[Row]]]) -> None:
    """Writes ns2/clouds.csv."""
    with STORED.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["case", "seed", "way", *next(iter(found.values()))[0][0]])
        for name, runs in found.items():
            for seed, run in enumerate(runs, start=1):
                for way, row in zip(WAYS, run, strict=True):
                    writer.writerow([name, seed, way, *(f"{value:.6g}" for value in row.values())])


# ------------------------------------------------------------------------------------------------- judgement


@dataclass(frozen=True)
class AtEqualLoad:
    """How many times ours a figure of ns-2 is where both have the same traffic, with its interval."""

    ratio: float
    lower: float
    upper: float
    raw: float

    @property
    def agrees(self) -> bool:
        """Whether the whole interval lies within the tolerance."""
        return self.lower > 1.0 - TOLERANCE and self.upper < 1.0 + TOLERANCE

    @property
    def holds_one(self) -> bool:
        """Whether the interval holds 1."""
        return self.lower <= 1.0 <= self.upper


def compare(name: str, here: Sequence[Sequence[Row]], there: Sequence[Sequence[Row]]) -> AtEqualLoad:
    """One figure of ns-2's runs beside the fit of ours; the mean of both ways of a run counts once."""
    features = np.concatenate([_traffic(run) for run in here])
    fit, *_ = np.linalg.lstsq(features, _logarithms(name, here).ravel(), rcond=None)
    off = _logarithms(name, there) - np.array([_traffic(run) @ fit for run in there])
    raw = float(_logarithms(name, there).mean() - _logarithms(name, here).mean())
    return _interval(off.mean(axis=1), raw)


def compare_pairs(name: str, here: Sequence[Sequence[Row]], there: Sequence[Sequence[Row]]) -> AtEqualLoad:
    """One figure of ns-2's runs beside ours of the same connections; the mean of both ways of a pair counts once."""
    off = (_logarithms(name, there) - _logarithms(name, here)).mean(axis=1)
    return _interval(off, float(off.mean()))


def _logarithms(name: str, runs: Sequence[Sequence[Row]]) -> np.ndarray:
    extra = LEAST_LOSS_PERCENT if name == "loss_percent" else 0.0
    return np.asarray(np.log([[row[name] + extra for row in run] for run in runs]))


def _interval(each: np.ndarray, raw: float) -> AtEqualLoad:
    """Of the logarithms of the ratios of runs, or pairs, their mean and its interval."""
    quantile = float(special.stdtrit(len(each) - 1, (1.0 + CONFIDENCE) / 2.0))
    half = quantile * float(each.std(ddof=1) / np.sqrt(len(each)))
    centre = float(each.mean())
    return AtEqualLoad(*map(float, np.exp([centre, centre - half, centre + half, raw])))


def verdict(name: str, found: AtEqualLoad) -> str:
    """What is said of a figure: it `agrees` if the whole interval lies within the tolerance. Where it does not but holds 1, loss is
    `within its spread`, and of a quantile the `spread is too wide` to tell. All else `differs`."""
    if found.agrees:
        return "agrees"
    if not found.holds_one:
        return "differs"
    return "within its spread" if name == "loss_percent" else "spread too wide"


def _traffic(run: Sequence[Row]) -> np.ndarray:
    """Of each way: 1, bytes and exchanges of its own and of the other, and the squares of the bytes."""
    own = np.array([[row["mbps"], row["exchanges_per_s"]] for row in run])
    other = own[::-1]
    return np.column_stack((np.ones(len(run)), own, other, own[:, 0] ** 2, other[:, 0] ** 2))


def main(arguments: Sequence[str] | None = None) -> int:
    """Compares all cases; the status is 1 if a quantile differs, or loss is not within the spread, or an exchange on the
    uncongested dumbbell takes another time than in ns-2."""
    parser = argparse.ArgumentParser(prog="python -m tests.crosscheck.clouds", description=__doc__)
    parser.add_argument("--stored", action="store_true", help="do not run ns-2")
    parser.add_argument("--store", action="store_true", help="write what ns-2 gives to ns2/clouds.csv")
    options = parser.parse_args(arguments)
    if ns2_is_installed() and not options.stored:
        refused = _beside_ns2(keep=options.store)
    else:
        refused = _print("dumbbell", compare, ours(dumbbell()), stored("dumbbell"))
        refused += _print("parking lot, both stored", compare_pairs, stored(REPLAYED), stored("parking lot"))
        refused += _print_differences(cloud_replay.stored(UNCONGESTED))
    return int(refused > 0)


def _beside_ns2(*, keep: bool) -> int:
    """Runs ns-2 and compares; writes what it gave if that is wanted. How many figures differ."""
    with tempfile.TemporaryDirectory() as folder:
        prefix = Path(folder) / "of-ns2"
        case, here = dumbbell(), []
        of_dumbbell = [ns2(case.options, seed, prefix) for seed in case.ns2_seeds]
        ns2({**cloud_replay.EMPTY, "server_s": cloud_replay.SERVER_S}, 3, prefix)
        uncongested = cloud_replay.recorded(prefix, WAYS)
        there = []
        for seed in LOT_SEEDS:
            there.append(ns2(LOT, seed, prefix, LOT_CLOUDS))
            here.append(replayed(prefix, seed))
    if keep:
        store({"dumbbell": of_dumbbell, "parking lot": there, REPLAYED: here})
        cloud_replay.store(UNCONGESTED, uncongested)
    refused = _print("dumbbell", compare, ours(case), of_dumbbell)
    refused += _print("parking lot", compare_pairs, here, there)
    return refused + _print_differences(uncongested)


def _print(
    name: str,
    comparison: Callable[[str, Sequence[Sequence[Row]], Sequence[Sequence[Row]]], AtEqualLoad],
    here: Sequence[Sequence[Row]],
    there: Sequence[Sequence[Row]],
) -> int:
    """Prints the figures of a case; how many differ."""
    print(f"\n{name} ({len(here)} runs here, {len(there)} of ns-2, both ways of each)")
    print(f"  {'':20}{'ns-2/here':>10}{'equal traffic':>15}   90 % interval")
    verdicts = []
    for figure in ("loss_percent", *SHARES):
        found = comparison(figure, here, there)
        verdicts.append(verdict(figure, found))
        interval = f"{found.lower:.3f} to {found.upper:.3f}"
        print(f"  {figure:20}{found.raw:10.3f}{found.ratio:15.3f}   {interval}   {verdicts[-1]}")
    return verdicts.count("differs")


def _print_differences(clouds: Mapping[str, Sequence[cloud_replay.Connection]]) -> int:
    """Prints by how much exchanges on the uncongested dumbbell differ; 1 if one differs by more than it may."""
    off_ms = 1000.0 * np.abs(cloud_replay.differences(clouds))
    print(f"\nuncongested dumbbell, exchange by exchange: {len(off_ms)} exchanges of ns-2's, replayed here")
    print(f"  differ by {off_ms.mean():.4f} ms on average and by {off_ms.max():.3f} ms at most")
    return int(off_ms.max() > 1000.0 * EXCHANGE_TOLERANCE_S)


if __name__ == "__main__":
    sys.exit(main())
