"""What measuring costs: web users with queues, links and responses recorded, against the same run without.

Recording changes nothing in a run, so both sides send the same packets. Instructions decide; CPU time is
noise where others use the machine, and is taken in turn, as medians.
"""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

import counting
import programs
from figures import Figure

if TYPE_CHECKING:
    from pathlib import Path

SCENARIO = ["web", "10000", "drop-tail"]
TIMED_S = 300
COUNTED_S = (4, 10)

# The longest legal sampling intervals: one sample in the whole run.
NOTHING = ['record.responses="none"', "record.queue_interval_ms=1e7", "record.link_interval_ms=1e7"]
SETTINGS: dict[str, list[str]] = {
    "nothing": NOTHING,
    "queues and links": ['record.responses="none"'],
    "and response histograms": ['record.responses="histogram"'],
    "and a row per response": ['record.responses="rows"'],
}


def compare(program: Path, runs: int, workers: int, *, count: bool) -> None:
    """Prints a line for each setting: CPU time and instructions as ratios to recording nothing."""
    times = _cpu_per_packet(program, runs)
    counted = _instructions(program, workers) if count else {}
    print(f"\n{'recorded':28} {'ns/packet':>10} {'ratio':>7} {'instr/packet':>13} {'ratio':>7}")
    for name in SETTINGS:
        time_ratio = statistics.median(
            with_it / without for with_it, without in zip(times[name], times["nothing"], strict=True)
        )
        line = f"{name:28} {statistics.median(times[name]):10.1f} {time_ratio:7.3f}"
        if counted:
            line += f" {counted[name]:13.1f} {counted[name] / counted['nothing']:7.3f}"
        print(line, flush=True)


def _cpu_per_packet(program: Path, runs: int) -> dict[str, list[float]]:
    """CPU nanoseconds per packet of every run; the settings take turns."""
    times: dict[str, list[float]] = {name: [] for name in SETTINGS}
    for _ in range(runs):
        for name, overrides in SETTINGS.items():
            finished = programs.run(program, [*SCENARIO, str(TIMED_S), *overrides])
            times[name].append(finished.cpu_s * 1e9 / finished.row["packets"])
    return times


def _instructions(program: Path, workers: int) -> dict[str, float]:
    shorter, longer = COUNTED_S
    figures = [
        Figure(
            step="packet",
            name=name,
            program=program,
            arguments=([*SCENARIO, str(shorter), *overrides], [*SCENARIO, str(longer), *overrides]),
            per="packets",
        )
        for name, overrides in SETTINGS.items()
    ]
    counted = [counts.instructions for counts in counting.per_step(figures, workers)]
    return dict(zip(SETTINGS, counted, strict=True))
