"""PackMime's clouds beside ns-2's: a dumbbell, and a cell of the parking lot with several congested links.

    python -m tests.crosscheck.clouds              runs ns-2 too if it is installed
    python -m tests.crosscheck.clouds --stored     against ns2/clouds.csv
    python -m tests.crosscheck.clouds --store      runs ns-2 and writes ns2/clouds.csv

A run of a hundred seconds says little by itself: its largest responses decide what it offers, and losses are steep in that.
So programs are compared at equal load. What our runs give is fitted to what was asked for in them, the bytes and the
exchanges of both ways; each run of ns-2 is set beside what the fit says of its own traffic.
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
from aqmlab.reproduce import experiment
from aqmlab.reproduce.reproduction import base_scenario, cell_scenario
from aqmlab.statistics.quantities import quantity

from .measurement import FOLDER, ns2_is_installed
from .ratio import CONFIDENCE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

STORED = FOLDER / "ns2" / "clouds.csv"
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
        hop: The congested hop.
        populations: Ours by ns-2's name of a cloud.
    """

    scenario: aqmlab.Scenario
    options: Mapping[str, object]
    ns2_seeds: range
    hop: int
    populations: Mapping[str, str]

    def link(self, way: str) -> str:
        """The congested link of a way."""
        ends = (self.hop, self.hop + 1) if way == "forward" else (self.hop + 1, self.hop)
        return f"router-{ends[0]}-to-router-{ends[1]}"


def cases() -> dict[str, Case]:
    """The dumbbell, and the cell of one congested link with drop-tail."""
    both = {"forward": "right", "reverse": "left"}
    study = experiment.load("multicl")
    cell = cell_scenario(base_scenario(study, study.scale("full")), study.configuration("dt"))
    lot = {"duration_s": 200.0, "warm_up_s": 40.0, "record.responses": "rows"}
    return {
        "dumbbell": Case(
            aqmlab.Scenario.from_file(FOLDER / "clouds.toml"),
            {"connections": 110, "warmup_s": 20, "end_s": 100},
            range(1, 7),
            0,
            both,
        ),
        "parking lot": Case(
            cell.with_overrides(lot),
            {"hops": 7, "congested_hops": 1, "connections": 47, "cross_connections": 47, "cloud_mbps": 4}
            | {"long_lived": 10, "warmup_s": 40, "end_s": 200},
            range(1, 4),
            1,
            {**both, **{f"cross-1-{way}": f"cross-1-{way}" for way in WAYS}},
        ),
    }


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
    return [_our_rows(case, result) for result in aqmlab.run_many(jobs, progress=False)]


def _our_rows(case: Case, result: aqmlab.Result) -> list[Row]:
    rows = result.tables["responses"].to_pandas()
    exchanges = {
        name: rows[rows.population == own][["response_bytes", "response_time_s"]].to_numpy(float)
        for name, own in case.populations.items()
    }
    seconds = result.run["measured_until_s"] - result.run["measured_from_s"]
    loss = quantity("loss_percent")
    return [row_of(way, exchanges, seconds, loss(result, [case.link(way)])) for way in WAYS]


def ns2(case: Case, seed: int) -> list[Row]:
    """The same of a run of ns-2."""
    warm_up_s, end_s = float(str(case.options["warmup_s"])), float(str(case.options["end_s"]))
    with tempfile.TemporaryDirectory() as folder:
        options = {"seed": seed, "responses": f"{folder}/responses", **case.options}
        words = [word for name, value in options.items() for word in (f"-{name}", str(value))]
        command = ["ns", str(SCRIPT), *words]
        made = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=folder)
        exchanges = {}
        for name in case.populations:
            lines = Path(f"{folder}/responses.{name}").read_text(encoding="ascii").splitlines()
            ended, _, size, took_ms = np.array([line.split()[:4] for line in lines], dtype=float).T
            exchanges[name] = np.column_stack((size, took_ms / 1000.0))[ended >= warm_up_s]
    printed = dict(line.split()[1:] for line in made.stdout.splitlines())
    return [
        row_of(way, exchanges, end_s - warm_up_s, float(printed[f"loss_percent,{case.hop},{way}"]))
        for way in WAYS
    ]


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
    extra = LEAST_LOSS_PERCENT if name == "loss_percent" else 0.0

    def logarithms(runs: Sequence[Sequence[Row]]) -> np.ndarray:
        return np.asarray(np.log([[row[name] + extra for row in run] for run in runs]))

    features = np.concatenate([_traffic(run) for run in here])
    fit, *_ = np.linalg.lstsq(features, logarithms(here).ravel(), rcond=None)
    off = logarithms(there) - np.array([_traffic(run) @ fit for run in there])
    each = off.mean(axis=1)
    half = float(special.stdtrit(len(each) - 1, (1.0 + CONFIDENCE) / 2.0)) * float(
        each.std(ddof=1) / np.sqrt(len(each))
    )
    centre, raw = float(each.mean()), float(logarithms(there).mean() - logarithms(here).mean())
    return AtEqualLoad(*map(float, np.exp([centre, centre - half, centre + half, raw])))


def _traffic(run: Sequence[Row]) -> np.ndarray:
    """Of each way: 1, bytes and exchanges of its own and of the other, and the squares of the bytes."""
    own = np.array([[row["mbps"], row["exchanges_per_s"]] for row in run])
    other = own[::-1]
    return np.column_stack((np.ones(len(run)), own, other, own[:, 0] ** 2, other[:, 0] ** 2))


def main(arguments: Sequence[str] | None = None) -> int:
    """Compares both cases; the status is 1 if a quantile differs or loss is not within the spread."""
    parser = argparse.ArgumentParser(prog="python -m tests.crosscheck.clouds", description=__doc__)
    parser.add_argument("--stored", action="store_true", help="do not run ns-2")
    parser.add_argument("--store", action="store_true", help="write what ns-2 gives to ns2/clouds.csv")
    options = parser.parse_args(arguments)
    runs_ns2 = ns2_is_installed() and not options.stored
    there = {
        name: [ns2(case, seed) for seed in case.ns2_seeds] if runs_ns2 else stored(name)
        for name, case in cases().items()
    }
    if options.store and runs_ns2:
        store(there)
    refused = 0
    for name, case in cases().items():
        refused += _print(name, ours(case), there[name])
    return int(refused > 0)


def _print(name: str, here: Sequence[Sequence[Row]], there: Sequence[Sequence[Row]]) -> int:
    print(f"\n{name} ({len(here)} seeds here, {len(there)} of ns-2, both ways of each)")
    print(f"  {'':20}{'ns-2/here':>10}{'at equal load':>15}   90 % interval")
    refused = 0
    for figure in ("loss_percent", *SHARES):
        found = compare(figure, here, there)
        if figure == "loss_percent":
            verdict = "within its spread" if found.holds_one else "differs"
        else:
            verdict = "agrees" if found.agrees else "spread too wide" if found.holds_one else "differs"
        refused += verdict == "differs"
        interval = f"{found.lower:.3f} to {found.upper:.3f}"
        print(f"  {figure:20}{found.raw:10.3f}{found.ratio:15.3f}   {interval}   {verdict}")
    return refused


if __name__ == "__main__":
    sys.exit(main())
