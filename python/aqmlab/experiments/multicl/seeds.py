"""Which seeds are closest to the paper's run, by what it prints of its traffic where nothing is congested.

The paper's numbers are of single runs, and a few responses of megabytes decide what a run carries. What the
paper prints of its traffic can be held against every seed without a look at its table I. `seeds.csv` has the
facts of sixty seeds on the uncongested network (the cell `offered`); this command makes it again:

    python -m aqmlab.experiments.multicl.seeds --output seeds.csv

The criterion was fixed before the first run of table I with these seeds. A fact deviates by what it lies
outside of the range that rounds to the printed number, in standard deviations of the seeds. The distance of a
seed is the root of the mean square of its deviations. The six seeds of the least distance are `chosen`; seeds
1 to 6, which nothing was looked at for, are `blind`.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.experiments.multicl.claims.traffic import offered_percent_of_run
from aqmlab.statistics.recorded import has_name, table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aqmlab.statistics import Recorded

CELL = "offered"
SEEDS = range(1, 61)
CHOSEN = 6
BLIND = range(1, 7)
TAIL_BYTES = 50_000
HOPS = (1, 3, 5)


@dataclass(frozen=True, slots=True)
class Fact:
    """What the paper prints of its traffic.

    Attributes:
        name: The column of `seeds.csv`.
        least: The lowest value that the printed words allow.
        most: The highest.
        of: The fact of a run.
        scale: What deviations are counted in.
    """

    name: str
    least: float
    most: float
    of: Callable[[Recorded], float]
    scale: Callable[[float], float] = float

    def outside(self, value: float) -> float:
        """How far a value lies outside of what is printed; 0 within."""
        least, most, found = (self.scale(each) for each in (self.least, self.most, value))
        return max(least - found, found - most, 0.0)


def _responses(result: Recorded) -> np.ndarray:
    """The lengths of the responses that were complete on the forward path from end to end."""
    rows = table(result, "responses", setting='record.responses = "rows"')
    return np.asarray(rows["response_bytes"].to_numpy()[has_name(rows, "population", "right")])


def _offered(link: str, *populations: str) -> Callable[[Recorded], float]:
    return lambda result: offered_percent_of_run(result, link, populations)


def _forward(hop: int) -> str:
    return f"router-{hop}-to-router-{hop + 1}"


FACTS = (
    # "About 35 %" for HTTP from end to end in each direction, and for cross traffic forward (III.C).
    Fact("http_percent", 34.5, 35.5, _offered(_forward(1), "right")),
    Fact("http_reverse_percent", 34.5, 35.5, _offered("router-2-to-router-1", "left")),
    *(
        Fact(f"cross_{hop}_percent", 34.5, 35.5, _offered(_forward(hop), f"cross-{hop}-forward"))
        for hop in HOPS
    ),
    # "The total offered load on the forward path was almost 100 %" (III.C), as claim M02 reads it.
    *(Fact(f"all_{hop}_percent", 95.0, 100.0, _offered(_forward(hop))) for hop in HOPS),
    # "From 4 bytes to 9 MB with a mean of 6700 bytes", "almost 700 responses from the tail" (III.B).
    Fact("mean_bytes", 6_650.0, 6_750.0, lambda result: float(_responses(result).mean())),
    Fact("largest_bytes", 8.5e6, 9.5e6, lambda result: float(_responses(result).max()), scale=math.log),
    Fact("above_50_kb", 650.0, 700.0, lambda result: float((_responses(result) > TAIL_BYTES).sum())),
    # "At least 820 seconds" for 50,000 request-response pairs (III.C).
    Fact("seconds", 820.0, math.inf, lambda result: float(result.run["measured_until_s"])),
)


def facts_of(result: Recorded) -> dict[str, float]:
    """The facts of a run of the uncongested network that all traffic crosses."""
    return {fact.name: fact.of(result) for fact in FACTS}


def distances(found: Mapping[int, Mapping[str, float]]) -> dict[int, float]:
    """How far each seed lies from what is printed, in standard deviations of the seeds."""
    squares = dict.fromkeys(found, 0.0)
    for fact in FACTS:
        deviation = float(np.std([fact.scale(each[fact.name]) for each in found.values()], ddof=1))
        for seed, each in found.items():
            squares[seed] += (fact.outside(each[fact.name]) / deviation) ** 2
    return {seed: math.sqrt(sum_ / len(FACTS)) for seed, sum_ in squares.items()}


def closest(found: Mapping[int, Mapping[str, float]]) -> list[int]:
    """The seeds of the least distance, in order of their numbers."""
    apart = distances(found)
    return sorted(sorted(apart, key=lambda seed: (apart[seed], seed))[:CHOSEN])


# ----------------------------------------------------------------------------------- as a command

_COLUMNS = ("seed", *(fact.name for fact in FACTS))


def read_facts(file: Path) -> dict[int, dict[str, float]]:
    """The facts of the seeds in a file of this command."""
    with file.open(newline="", encoding="utf-8") as rows:
        return {
            int(row["seed"]): {fact.name: float(row[fact.name]) for fact in FACTS}
            for row in csv.DictReader(rows)
        }


def _write(file: Path, found: Mapping[int, Mapping[str, float]]) -> None:
    apart, chosen = distances(found), closest(found)
    with file.open("w", newline="", encoding="utf-8") as written:
        rows = csv.writer(written, lineterminator="\n")
        rows.writerow((*_COLUMNS, "distance", "chosen", "blind"))
        for seed in sorted(found):
            values = (f"{found[seed][fact.name]:.8g}" for fact in FACTS)
            rows.writerow((seed, *values, f"{apart[seed]:.4f}", int(seed in chosen), int(seed in BLIND)))


def _run(seeds: Sequence[int], workers: int | None, kept: Path) -> dict[int, dict[str, float]]:
    """Runs the seeds whose facts are not kept yet."""
    from aqmlab.papers import experiments  # noqa: PLC0415 - only the command runs anything
    from aqmlab.papers.reproduction import base_scenario, cell_scenario  # noqa: PLC0415
    from aqmlab.runs import Job, run_each  # noqa: PLC0415

    found = read_facts(kept) if kept.is_file() else {}
    experiment = experiments.load("multicl")
    scenario = cell_scenario(
        base_scenario(experiment, experiment.scale("full")), experiment.configuration(CELL)
    )
    missing = [seed for seed in seeds if seed not in found]
    with kept.open("a", newline="", encoding="utf-8") as written:
        rows = csv.writer(written, lineterminator="\n")
        if not found:
            rows.writerow(_COLUMNS)
        jobs = [Job(scenario, seed) for seed in missing]
        for place, result in run_each(jobs, workers=workers, progress=True, label="seeds"):
            found[missing[place]] = facts_of(result)
            rows.writerow((missing[place], *(f"{found[missing[place]][name]:.8g}" for name in _COLUMNS[1:])))
            written.flush()
    return found


def main() -> None:
    """Runs sixty seeds, writes their facts, and says which are chosen; resumes from FILE.partial."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--output", type=Path, default=Path("seeds.csv"))
    parser.add_argument("--seeds", type=int, default=len(SEEDS), help="how many, from 1 on")
    parser.add_argument("--workers", type=int)
    asked = parser.parse_args()
    partial = asked.output.with_suffix(".partial")
    found = _run(range(1, asked.seeds + 1), asked.workers, partial)
    _write(asked.output, found)
    sys.stdout.write(f"chosen: {' '.join(map(str, closest(found)))}\n")


if __name__ == "__main__":
    main()
