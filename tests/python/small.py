"""Scenarios small enough to run in a fraction of a second, and the command line as its users have it."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import aqmlab

if TYPE_CHECKING:
    from pathlib import Path

BULK = """
name = "two flows"
duration_s = 3.0
warm_up_s = 1.0

[dumbbell]
rate_mbps = 10.0
queue = { scheme = "drop-tail", limit_packets = 50 }

[[flows]]
count = 2
direction = "left-to-right"
base_rtt_ms = 40.0
"""

WEB = """
name = "web"
duration_s = 20.0
warm_up_s = 5.0

[dumbbell]
rate_mbps = 2.0
queue = { scheme = "pi", limit_packets = 500 }

[users]
per_side = 150

[record]
arrivals = true
users = true
flows = true
packets = true
"""


def bulk(**overrides: object) -> aqmlab.Scenario:
    """Two long-lived flows through a slow link; keys are dotted keys with `__` for the dots."""
    named = {key.replace("__", "."): value for key, value in overrides.items()}
    return aqmlab.Scenario.from_toml(BULK, overrides=named)


def command(*arguments: str | Path) -> list[str]:
    """`aqmlab` with arguments, as a list for `subprocess`."""
    return [sys.executable, "-m", "aqmlab", *map(str, arguments)]


def aqmlab_run(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs `aqmlab` to its end."""
    return subprocess.run(
        command(*arguments), cwd=cwd, capture_output=True, text=True, timeout=120, check=False
    )


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, hidden ones too, by its name."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
