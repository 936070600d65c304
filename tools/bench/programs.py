"""The benchmark programs: built as released, asked for their cases, and run."""

from __future__ import annotations

import json
import os
import resource
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Name of the program: the package it belongs to.
PACKAGES = {
    "packets": "aqmlab-sim",
    "port": "aqmlab-aqm",
    "table": "aqmlab-plugin",
    "segments": "aqmlab-tcp",
    "draws": "aqmlab-random",
    "exchange": "aqmlab-web",
    "responses": "aqmlab-record",
}


@dataclass(frozen=True)
class Finished:
    """One process: the figures that it printed, and its CPU time in seconds, of all and of its own code."""

    row: dict[str, float]
    cpu_s: float
    user_s: float


def build(
    names: tuple[str, ...] = tuple(PACKAGES),
    target: Path | None = None,
    flags: str | None = None,
    sources: Path = ROOT,
) -> dict[str, Path]:
    """Programs by name; all of them, unless some are named, in the usual folder and with the usual flags."""
    command = ["cargo", "bench", "--locked", "--no-run", "--message-format", "json"]
    for name in names:
        command += ["--package", PACKAGES[name], "--bench", name]
    if target is not None:
        command += ["--target-dir", str(target)]
    environment = os.environ if flags is None else os.environ | {"RUSTFLAGS": flags}
    made = subprocess.run(
        command, cwd=sources, check=True, stdout=subprocess.PIPE, text=True, env=environment
    )
    rows = [json.loads(line) for line in made.stdout.splitlines() if '"executable":"' in line]
    return {row["target"]["name"]: Path(row["executable"]) for row in rows}


def cases(program: Path) -> list[str]:
    """The names of a program's cases."""
    made = subprocess.run([str(program), "--list"], check=True, stdout=subprocess.PIPE, text=True)
    return made.stdout.splitlines()


def run(program: Path, arguments: list[str]) -> Finished:
    """One process, alone."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    line = subprocess.run([str(program), *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    user_s = after.ru_utime - before.ru_utime
    cpu_s = user_s + after.ru_stime - before.ru_stime
    return Finished(json.loads(line), cpu_s, user_s)


def compiler() -> str:
    """Version and host of the compiler, on which instruction counts depend."""
    made = subprocess.run(["rustc", "--version", "--verbose"], check=True, stdout=subprocess.PIPE, text=True)
    facts = dict(line.split(": ", 1) for line in made.stdout.splitlines() if ": " in line)
    return f"rustc {facts['release']} {facts['host']}"
