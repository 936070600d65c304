"""What is counted: every figure of instructions, and how it is made from two runs.

A figure is the difference of two runs of one program, in instructions over steps (packets, arrivals, draws).
The runs differ in their length, so that the start of the process is cut out, or in one setting, so that all
but this setting is. Schemes, host profiles and laws are taken from what the programs list: a new one is
counted without a line here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import programs

if TYPE_CHECKING:
    from pathlib import Path

# Name: arguments before the length, seconds to time, and two lengths in seconds to count.
SCENARIOS: dict[str, tuple[list[str], int, tuple[int, int]]] = {
    "bulk drop-tail": (["bulk", "drop-tail"], 100, (2, 6)),
    "bulk red": (["bulk", "red"], 100, (2, 6)),
    "web 1,000 users drop-tail": (["web", "1000", "drop-tail"], 300, (10, 40)),
    "web 10,000 users drop-tail": (["web", "10000", "drop-tail"], 60, (4, 10)),
    "web 10,000 users pi": (["web", "10000", "pi"], 60, (4, 10)),
    "web 100,000 users drop-tail": (["web", "100000", "drop-tail"], 20, (2, 4)),
    "household drop-tail": (["home", "drop-tail"], 60, (4, 12)),
    "household fq-codel": (["home", "fq-codel"], 60, (4, 12)),
    "household cake": (["home", "cake"], 60, (4, 12)),
}

# Without instructions: name, arguments before the length, seconds to time. A packet counts at each hop.
TIMED: dict[str, tuple[list[str], int]] = {
    "1 hop": (["hops", "1"], 40),
    "3 hops": (["hops", "3"], 40),
    "16 hops": (["hops", "16"], 20),
    "packmime dumbbell": (["clouds"], 400),
    "1 Gbit/s, 20,000 packets": (["deep", "1000", "20000"], 12),
    "4 Gbit/s, 80,000 packets": (["deep", "4000", "80000"], 12),
    "10 Gbit/s, 83,333 packets": (["deep", "10000", "83333"], 12),
    "1,000,000 users": (["web", "1000000", "drop-tail"], 4),
    "two hours of 1,000 users behind fq-codel": (["web", "1000", "fq-codel"], 7200),
    "100,000 flows through one port, fq-codel": (["flows", "100000", "fq-codel", "linux6-cubic"], 10),
    "100,000 flows whose timers share instants": (["flows", "100000", "drop-tail", "bsd45"], 10),
    "65,000 links": (["links", "65000"], 4),
}

# Program: what one step of its cases is, and two numbers of steps to count.
STEPS: dict[str, tuple[str, tuple[int, int]]] = {
    "port": ("arrival with its departure", (50_000, 250_000)),
    "table": ("arrival with its departure, RED twice", (50_000, 250_000)),
    "segments": ("step of TCP", (2_000, 10_000)),
    "draws": ("draw", (10_000, 50_000)),
    "exchange": ("step of a user", (2_000, 10_000)),
    "responses": ("record", (10_000, 50_000)),
}

# The wheels of the scheduler are private. A sample is the event that does least beside being scheduled: two
# of these runs differ in nothing but how often the queues are sampled.
SAMPLING = ["web", "1000", "drop-tail", "10", 'record.responses="none"']

PACKET = "packet of a scenario"
EVENT = "event"


@dataclass(frozen=True)
class Figure:
    """Instructions per step.

    Attributes:
        step: What one step is; figures are listed by it.
        name: Which case.
        program: The program that is run.
        arguments: Of both runs.
        per: The key of the program's answer that holds the number of steps.
    """

    step: str
    name: str
    program: Path
    arguments: tuple[list[str], list[str]]
    per: str

    def __str__(self) -> str:
        return f"{self.step}: {self.name}"


def all_figures(built: dict[str, Path]) -> list[Figure]:
    """Every figure that is counted and compared."""
    return [*scenario_figures(built), event_figure(built), *step_figures(built)]


def scenario_figures(built: dict[str, Path]) -> list[Figure]:
    """Instructions per packet through the bottlenecks of whole scenarios."""
    return [
        Figure(PACKET, name, built["packets"], _lengths(arguments, lengths), per="packets")
        for name, (arguments, _, lengths) in SCENARIOS.items()
    ]


def event_figure(built: dict[str, Path]) -> Figure:
    """Instructions per sampling event, from the same run with few and with many of them."""
    few, many = ([*SAMPLING, f"record.queue_interval_ms={interval}"] for interval in ("100.0", "0.1"))
    return Figure(EVENT, "sample of two queues", built["packets"], (few, many), per="events")


def step_figures(built: dict[str, Path]) -> list[Figure]:
    """Instructions per step of every case that the programs list."""
    return [
        Figure(step, case, built[name], _lengths([case], lengths), per="count")
        for name, (step, lengths) in STEPS.items()
        for case in programs.cases(built[name])
    ]


def _lengths(arguments: list[str], lengths: tuple[int, int]) -> tuple[list[str], list[str]]:
    shorter, longer = lengths
    return [*arguments, str(shorter)], [*arguments, str(longer)]
