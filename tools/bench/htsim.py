"""htsim on the crosscheck's dumbbell: tests/crosscheck/htsim/dumbbell.cpp with a copy built elsewhere."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import programs

SOURCE = programs.ROOT / "tests" / "crosscheck" / "htsim" / "dumbbell.cpp"


class NotInstalledError(Exception):
    """htsim cannot be run here, and why."""


def build(folder: str | None, program: Path) -> None:
    """Compiles the dumbbell with htsim's own flags.

    Args:
        folder: `sim` of https://github.com/Broadcom/csg-htsim, after `make libhtsim.a` there.
        program: What is written.
    """
    if folder is None:
        raise NotInstalledError("no folder named: csg-htsim/sim, after make libhtsim.a there")
    library = Path(folder) / "libhtsim.a"
    if not library.is_file():
        raise NotInstalledError(f"{library}: there is none; make libhtsim.a in {folder}")
    if shutil.which("c++") is None:
        raise NotInstalledError("there is no C++ compiler, c++")
    command = ["c++", "-std=c++17", "-O3", "-w", f"-I{folder}", str(SOURCE), str(library), "-o", str(program)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        raise NotInstalledError(f"c++ ended with {made.returncode}:\n{made.stderr[-2000:]}")


def run(program: Path, seconds: float, seed: int) -> float:
    """Data packets that left the bottleneck."""
    made = subprocess.run([str(program), str(seconds), str(seed)], capture_output=True, text=True, check=True)
    lines = [line.split() for line in made.stdout.splitlines() if line.startswith("result ")]
    return {name: float(value) for _, name, value in lines}["sent_packets"]
