"""Scenarios small enough to run in a fraction of a second, and the command line as its users have it."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import traceback
import warnings
from pathlib import Path

import aqmlab
from aqmlab import cli

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

CALLS = (
    BULK.replace('{ scheme = "drop-tail", limit_packets = 50 }', '{ scheme = "fq-codel" }')
    + """
[[datagrams]]
name = "calls"
count = 21
direction = "left-to-right"
packet_bytes = 200
rate_mbps = 0.08
start_spread_s = 0.0
"""
)

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

TWO_HOPS = """
name = "two hops"
duration_s = 12.0
warm_up_s = 4.0

[topology]
nodes = [
    { name = "a", kind = "router" },
    { name = "b", kind = "router" },
    { name = "c", kind = "router" },
    { name = "far-site", kind = "host", count = 2 },
    { name = "near-site", kind = "host" },
    { name = "browsers", kind = "host", count = 3 },
    { name = "sinks", kind = "host" },
]

[[topology.links]]
from = "a"
to = "b"
rate_mbps = 2.0
delay_ms = 5.0
queue = { scheme = "drop-tail", limit_packets = 40 }
uncongested_rate_mbps = 100.0

[[topology.links]]
from = "b"
to = "c"
rate_mbps = 3.0
delay_ms = 5.0
queue = { scheme = "red", limit_packets = 60 }
uncongested_rate_mbps = 100.0

[[topology.links]]
from = "far-site"
to = "a"
rate_mbps = 100.0

[[topology.links]]
from = "near-site"
to = "b"
rate_mbps = 100.0

[[topology.links]]
from = "b"
to = "sinks"

[[topology.links]]
from = "c"
to = "browsers"

[[populations]]
name = "readers"
browsers = "browsers"
servers = "far-site"
count = 80

[[populations]]
name = "locals"
browsers = "browsers"
servers = "near-site"
count = 40

[[flows]]
name = "cross-traffic"
count = 2
senders = "far-site"
receivers = "sinks"
base_rtt_ms = 40.0
"""
"""Two bottlenecks in a chain: some users cross both, some the second alone, endless flows the first alone."""


HOME_ON_A_DUMBBELL = Path(__file__).parents[1].joinpath("household.toml").read_text(encoding="utf-8")
"""A household on one machine behind a dumbbell."""


def bulk(**overrides: object) -> aqmlab.Scenario:
    """Two long-lived flows through a slow link; keys are dotted keys with `__` for the dots."""
    named = {key.replace("__", "."): value for key, value in overrides.items()}
    return aqmlab.Scenario.from_toml(BULK, overrides=named)


def command(*arguments: str | Path) -> list[str]:
    """`aqmlab` with arguments, as a list for `subprocess`."""
    return [sys.executable, "-m", "aqmlab", *map(str, arguments)]


def buffering() -> dict[str, str]:
    """The environment in which Python buffers what it writes, as it does for most users."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


def aqmlab_run(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs `aqmlab` to its end, in this process: most commands take less time than a new one needs to start.

    What is about the process itself (signals, limits, what is imported) calls `aqmlab_process`.
    """
    words = [*map(str, arguments)]
    printed, said = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(cwd or Path.cwd()),
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(said),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("default")
        try:
            code = cli._exit_code(words)
        except Exception:  # noqa: BLE001  (as a process would end)
            traceback.print_exc()
            code = 1
    return subprocess.CompletedProcess(words, code, printed.getvalue(), said.getvalue())


def aqmlab_process(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs `aqmlab` to its end in a process of its own."""
    return subprocess.run(
        command(*arguments), cwd=cwd, capture_output=True, text=True, timeout=120, check=False
    )


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, hidden ones too, by its name."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
