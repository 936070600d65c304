"""ns-3 from its wheel: where it is, ns3/dumbbell.cc compiled against it, and runs of that. Standard library only."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

SOURCE = Path(__file__).resolve().parent / "ns3" / "dumbbell.cc"
MODULES = ("applications", "internet", "network", "point-to-point", "traffic-control", "core")


class NotInstalledError(Exception):
    """ns-3 cannot be run here, and why."""


def find_ns3(named: str | None) -> Path:
    """The folder with ns-3's headers and libraries."""
    found = importlib.util.find_spec("ns3")
    places = [Path(place) for place in (found.submodule_search_locations if found else None) or ()]
    folder = Path(named) if named else (places[0] if places else None)
    if folder is None:
        raise NotInstalledError(
            "no package ns3 in this Python; pip install ns3==3.44.post0 elsewhere, and --ns3 FOLDER"
        )
    if not (folder / "include" / "ns3" / "codel-queue-disc.h").is_file():
        raise NotInstalledError(
            f"{folder} has no include/ns3/codel-queue-disc.h: name site-packages/ns3 of a venv"
        )
    if shutil.which("c++") is None:
        raise NotInstalledError("there is no C++ compiler, c++")
    return folder


def build(ns3: Path, program: Path) -> None:
    """Compiles ns3/dumbbell.cc."""
    libraries = ns3 / "lib64"
    found = {module: next(libraries.glob(f"libns3*-{module}.so"), None) for module in MODULES}
    names = [library.name for library in found.values() if library is not None]
    if len(names) < len(MODULES):
        missing = ", ".join(module for module, library in found.items() if library is None)
        raise NotInstalledError(f"{libraries} has no libraries of ns-3's {missing}")
    command = ["c++", "-std=c++20", "-O1", f"-I{ns3 / 'include'}", str(SOURCE), "-o", str(program)]
    command += [f"-L{libraries}", *(f"-l:{name}" for name in names)]
    command += [f"-Wl,-rpath,{libraries}", "-Wl,--allow-shlib-undefined"]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        raise NotInstalledError(f"c++ ended with {made.returncode}:\n{made.stderr[-2000:]}")


def run_ns3(program: Path, settings: Mapping[str, object]) -> dict[str, float]:
    """One run of ns-3."""
    command = [str(program), *(f"{name}={value}" for name, value in settings.items())]
    made = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, "NS_LOG": ""}
    )
    lines = [line.split() for line in made.stdout.splitlines()]
    return {name: float(value) for kind, name, value in lines if kind == "result"}
