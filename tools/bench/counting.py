"""Counts instructions, cache misses of code and mispredicted branches with valgrind's callgrind.

Counts repeat on noisy machines, where time does not. Instructions alone miss half of a web packet's time: a
loop that no longer fits the instruction cache executes as many of them, and waits.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from figures import Figure


# First-level caches as most processors of users have them: 32 KiB, 8 ways, lines of 64 bytes. Without these,
# valgrind takes those of the machine that counts.
CACHES = ("--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64")
MODELLED = ("--cache-sim=yes", "--branch-sim=yes", *CACHES)


@dataclass(frozen=True)
class Counts:
    """What is counted, of a process or per step.

    Attributes:
        instructions: Executed instructions.
        code_misses: Fetches of instructions that missed a first-level cache of 32 KiB.
        mispredictions: Conditional and indirect branches that callgrind's predictor took wrongly.
    """

    instructions: float
    code_misses: float
    mispredictions: float


@dataclass(frozen=True)
class Counted:
    """The counts of one process, and what it printed."""

    counts: Counts
    row: dict[str, float]


def is_installed() -> bool:
    """Whether anything can be counted."""
    return shutil.which("valgrind") is not None


def count(program: Path, arguments: list[str]) -> Counted:
    """One process under callgrind."""
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={os.devnull}", *MODELLED]
    made = subprocess.run([*command, str(program), *arguments], check=False, capture_output=True, text=True)
    events = re.search(r"Events +: (.+)", made.stderr)
    collected = re.search(r"Collected : (.+)", made.stderr)
    if made.returncode != 0 or events is None or collected is None:
        raise SystemExit(f"{' '.join([*command, str(program), *arguments])}\nfailed:\n{made.stderr}")
    found = dict(zip(events.group(1).split(), map(int, collected.group(1).split()), strict=True))
    counts = Counts(found["Ir"], found["I1mr"], found["Bcm"] + found["Bim"])
    return Counted(counts, json.loads(made.stdout))


def per_step(figures: Sequence[Figure], workers: int) -> list[Counts]:
    """Counts per step of each figure; so many processes at a time, which changes no count."""
    with ThreadPoolExecutor(workers) as pool:
        counted = pool.map(
            lambda run: count(*run), [(f.program, run) for f in figures for run in f.arguments]
        )
    pairs = zip(*[iter(counted)] * 2, strict=True)
    return [_difference(figure, *pair) for figure, pair in zip(figures, pairs, strict=True)]


def _difference(figure: Figure, first: Counted, second: Counted) -> Counts:
    steps = second.row[figure.per] - first.row[figure.per]
    return Counts(
        **{
            field.name: (getattr(second.counts, field.name) - getattr(first.counts, field.name)) / steps
            for field in fields(Counts)
        }
    )
