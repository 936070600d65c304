"""The kernel's side of python/aqmlab/experiments/strangers/kernel.toml: each cell through user-mode Linux, in virtual time.

    python -m tests.crosscheck.ledger                  makes what is missing, and writes python/aqmlab/experiments/strangers/kernel.csv
    python -m tests.crosscheck.ledger --anew           makes all of it again
    python -m tests.crosscheck.ledger --machines 2     with two machines side by side
    python -m tests.crosscheck.ledger --minutes 10     begins no machine after ten minutes; a later call goes on from there

`aqmlab reproduce strangers --source kernel` sets ours beside it. UML names a user-mode Linux with a clock of its own (`make uml-kernel`): in real
time a busy machine would be measured. No privileges are needed. Single runs stand in target/uml/ledger.jsonl. The status is 3 if there is no
such kernel.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from aqmlab.errors import ExperimentError, MissingDataError
from aqmlab.files.reading import read_toml
from aqmlab.files.records import read_as
from aqmlab.papers.strangers import Source, StrangersCell
from aqmlab.runs import Job
from aqmlab.runs.user_mode.running import Asked, summaries

from .measurement import FOLDER
from .user_mode_linux import BUILT, what_is_missing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aqmlab.result import Result

SEEDS = (1, 2)
RUNS_OF_A_MACHINE = 16
MISSING = 3
STRANGERS = FOLDER.parents[1] / "python" / "aqmlab" / "experiments" / "strangers"
STORED = STRANGERS / "kernel.csv"
MADE = BUILT.with_name("ledger.jsonl")
DIGITS = 6
"""Of each number that is kept."""


def declared() -> Source:
    """The set-up, without the table that is to be made."""
    file = STRANGERS / "kernel.toml"
    return replace(read_as(Source, read_toml(file, ExperimentError), file.name, ExperimentError), name="kernel")


def cells(source: Source) -> Iterator[StrangersCell]:
    """Every combination of the factors."""
    for values in itertools.product(*(factor.values for factor in source.factors.values())):
        yield StrangersCell(source, dict(zip(source.factors, values, strict=True)))


def asked_of(cell: StrangersCell, seed: int) -> Asked:
    """The live run of a cell."""
    scenario = cell.scenario(())
    order = Job(scenario, seed).order()
    live = {"hosts": f"linux-{cell.row['controller']}", "replay": False, "program": None, "backend": "tun"}
    return Asked.of(scenario, {**order, "live": {**live, "kernel": True}}, BUILT)


def made() -> dict[tuple[str, int], dict[str, Any]]:
    """The runs that there are, by cell and seed."""
    if not MADE.exists():
        return {}
    rows = [json.loads(line) for line in MADE.read_text(encoding="utf-8").splitlines()]
    return {(row["cell"], row["seed"]): row for row in rows}


def columns(source: Source) -> dict[str, str]:
    """The columns of what is measured, and the quantity of each."""
    found = {}
    for measure in source.measures.values():
        found |= dict(zip(measure.published, measure.ours, strict=True))
    return found


def number(result: Result, name: str) -> float | None:
    """A quantity of a run; none where nothing was left to measure."""
    try:
        return float(f"{result.value(name, links=('left-to-right',)):.{DIGITS}g}")
    except MissingDataError:
        return None


def measure(source: Source, wanted: Sequence[tuple[StrangersCell, int]], until: float) -> None:
    """One machine for these runs, each kept as soon as it has ended; none after `until`."""
    if time.monotonic() > until:
        return
    results = summaries([asked_of(cell, seed) for cell, seed in wanted])
    for (cell, seed), result in zip(wanted, results, strict=True):
        audit = result.live or {}
        row = {
            "cell": cell.name,
            "seed": seed,
            "kernel": audit["kernel"],
            "verdict": audit["verdict"],
            "reasons": audit["reasons"],
            **{column: number(result, name) for column, name in columns(source).items()},
        }
        with MADE.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(row) + "\n")


def store(source: Source) -> int:
    """Writes the table: the cells of which there are all runs; returns how many there are."""
    found, count = made(), 0
    with STORED.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([*source.factors, *columns(source)])
        for cell in cells(source):
            runs = [found.get((cell.name, seed)) for seed in SEEDS]
            kept = [run for run in runs if run is not None and None not in run.values()]
            if kept:
                numbers = (" ".join(f"{run[column]:g}" for run in kept) for column in columns(source))
                writer.writerow([*cell.row.values(), *numbers])
                count += 1
    return count


def main() -> int:
    """Makes what is missing, and writes the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--anew", action="store_true")
    parser.add_argument("--machines", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    arguments = parser.parse_args()
    if missing := what_is_missing():
        print(missing, file=sys.stderr)
        return MISSING
    if arguments.anew:
        MADE.unlink(missing_ok=True)
    MADE.parent.mkdir(parents=True, exist_ok=True)
    source, found, begun = declared(), made(), time.monotonic()
    every = [*cells(source)]
    # In an order of no meaning, so that a table that is not yet whole has something of each.
    random.Random(1).shuffle(every)
    wanted = [(cell, seed) for seed in SEEDS for cell in every if (cell.name, seed) not in found]
    parts = [wanted[at : at + RUNS_OF_A_MACHINE] for at in range(0, len(wanted), RUNS_OF_A_MACHINE)]
    until = begun + 60.0 * arguments.minutes
    with ThreadPoolExecutor(arguments.machines) as pool:
        for _ in pool.map(lambda part: measure(source, part, until), parts):
            print(f"{len(made())} of {len(every) * len(SEEDS)} runs, {time.monotonic() - begun:.0f} s", flush=True)
    print(f"{STORED}: {store(source)} of {len(every)} cells")
    return 0


if __name__ == "__main__":
    sys.exit(main())
