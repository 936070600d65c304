"""Counts instructions with valgrind's callgrind: they repeat on noisy machines, where time does not."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from figures import Figure


@dataclass(frozen=True)
class Counted:
    """Instructions of one process, and what it printed."""

    instructions: int
    row: dict[str, float]


def is_installed() -> bool:
    """Whether instructions can be counted."""
    return shutil.which("valgrind") is not None


def count(program: Path, arguments: list[str]) -> Counted:
    """One process under callgrind."""
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={os.devnull}", str(program), *arguments]
    made = subprocess.run(command, check=False, capture_output=True, text=True)
    collected = re.search(r"Collected : (\d+)", made.stderr)
    if made.returncode != 0 or collected is None:
        raise SystemExit(f"{' '.join(command)}\nfailed:\n{made.stderr}")
    return Counted(int(collected.group(1)), json.loads(made.stdout))


def per_step(figures: Sequence[Figure], workers: int) -> list[float]:
    """Instructions per step of each figure; so many processes at a time, which changes no count."""
    with ThreadPoolExecutor(workers) as pool:
        counted = pool.map(
            lambda run: count(*run), [(f.program, run) for f in figures for run in f.arguments]
        )
    pairs = zip(*[iter(counted)] * 2, strict=True)
    return [_difference(figure, *pair) for figure, pair in zip(figures, pairs, strict=True)]


def _difference(figure: Figure, first: Counted, second: Counted) -> float:
    steps = second.row[figure.per] - first.row[figure.per]
    return (second.instructions - first.instructions) / steps
