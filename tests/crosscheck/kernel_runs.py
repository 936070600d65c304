"""Runs of a scenario in a kernel beside ours, seed by seed: what the commands have in common.

    python -m tests.crosscheck.NAME                  makes what is missing, and prints the table
    python -m tests.crosscheck.NAME --machines 2     with two machines side by side
    python -m tests.crosscheck.NAME --minutes 10     begins no run after ten minutes; a later call goes on from there
    python -m tests.crosscheck.NAME --stored         prints the table of what there is

The kernel's side is user-mode Linux, with its TCP and its queues; UML names one, by default that of `make uml-kernel`, else
Debian's, which runs in real time: keep the machine idle then, and leave --machines at 1. A suspect run is made, said and not counted.
Single runs stand in target/uml/NAME.jsonl. The status is 3 if there is no user-mode Linux.
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
from typing import TYPE_CHECKING, Any, Protocol

import aqmlab
from aqmlab.inference.replication import Interval, mean_interval
from aqmlab.runs.user_mode.kernel import NAMED_BY

from .user_mode_linux import kernel, nothing_to_ask

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

SEEDS = 6
MISSING = 3
FORWARD = ("left-to-right",)


class Case(Protocol):
    """A case, whose name is what `str` makes of it."""

    def scenario(self) -> aqmlab.Scenario:
        """The scenario of both sides."""


@dataclass(frozen=True)
class Comparison:
    """Cases and figures of a command.

    Attributes:
        made: Where the kernel's runs are kept.
        hosts: The TCP of the kernel's hosts.
        cases: Its cases.
        titles: What each figure is called.
        figures: Those of a run of either side.
    """

    made: Path
    hosts: str
    cases: Sequence[Case]
    titles: Mapping[str, str]
    figures: Callable[[aqmlab.Result], dict[str, float]]

    def of_kernel(self, case: Case, seed: int) -> dict[str, Any]:
        """A run in a machine of its own."""
        with tempfile.TemporaryDirectory() as folder:
            made = aqmlab.live(
                case.scenario(), seed=seed, kernel="user-mode", hosts=self.hosts, output=Path(folder, "out")
            )
            audit = made.live or {}
            queue = next(each for each in audit["kernel_queues"] if each["link"] in FORWARD)
            about = {"kernel": audit["kernel"], "verdict": audit["verdict"], "reasons": audit["reasons"]}
            return {**about, "queue": queue, **self.figures(made)}

    def kept(self) -> dict[tuple[str, int], dict[str, Any]]:
        """The kernel's runs that there are, by case and seed; of two the later."""
        if not self.made.exists():
            return {}
        rows = [json.loads(line) for line in self.made.read_text(encoding="utf-8").splitlines()]
        return {(row["case"], row["seed"]): row for row in rows}

    def make(self, wanted: Iterable[tuple[Case, int]], machines: int, until: float) -> None:
        """Makes the kernel's runs, each kept as soon as it has ended; begins none after `until`."""

        def one(asked: tuple[Case, int]) -> str:
            case, seed = asked
            if time.monotonic() > until:
                return ""
            row = {"case": str(case), "seed": seed, **self.of_kernel(case, seed)}
            with self.made.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(row) + "\n")
            return f"{case}, seed {seed}: {row['verdict']} {'; '.join(row['reasons'])}"

        self.made.parent.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(machines) as pool:
            for said in pool.map(one, wanted):
                print(said or "no more time", file=sys.stderr, flush=True)

    def beside(self, theirs: list[dict[str, Any]], ours: list[dict[str, float]]) -> Iterator[list[str]]:
        """A row for each figure: the kernel's mean and interval, ours, and that of the differences by seed."""
        for name, title in self.titles.items():
            there, here = ([float(row[name]) for row in rows] for rows in (theirs, ours))
            differences = mean_interval([one - other for one, other in zip(here, there, strict=True)])
            says = ""
            if isinstance(differences, Interval) and not differences.lower <= 0.0 <= differences.upper:
                says = "differs"
            yield [title, _said(there), _said(here), str(differences), says]

    def table(self, seeds: int) -> str:
        """What there is, in Markdown; a case without a valid run of the kernel is left out."""
        found = self.kept()
        lines = ["| case | | kernel | here | here - kernel | |", "| --- | --- | --- | --- | --- | --- |"]
        for case in self.cases:
            runs = {seed: found.get((str(case), seed)) for seed in range(1, seeds + 1)}
            valid = {seed: run for seed, run in runs.items() if run is not None and run["verdict"] == "valid"}
            if valid:
                ours = [self.figures(aqmlab.run(case.scenario(), seed=seed)) for seed in valid]
                for number, cells in enumerate(self.beside([*valid.values()], ours)):
                    first = f"{case} ({len(valid)} seeds)" if number == 0 else ""
                    lines.append(f"| {' | '.join([first, *cells])} |")
        return "\n".join(lines)

    def main(self, description: str | None) -> int:
        """Makes what is missing, and prints the table."""
        parser = argparse.ArgumentParser(
            description=description, formatter_class=argparse.RawDescriptionHelpFormatter
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
            until, found = time.monotonic() + 60.0 * arguments.minutes, self.kept()
            every = [(case, seed) for seed in range(1, arguments.seeds + 1) for case in self.cases]
            wanted = [
                (case, seed)
                for case, seed in every
                if found.get((str(case), seed), {}).get("verdict") != "valid"
            ]
            self.make(wanted, arguments.machines, until)
        print(self.table(arguments.seeds))
        return 0


def _said(values: list[float]) -> str:
    found = mean_interval(values)
    return str(found) if isinstance(found, Interval) else f"{found.mean:.4g} ({found.have} runs)"
