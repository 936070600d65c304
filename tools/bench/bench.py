"""What a packet costs: `make bench` measures, `make bench-check` refuses a regression (of time: `pairs.py`).

Time is wall-clock noise on shared machines: every time is the median of several processes, and what is
compared (ns-2 and we, with and without recording) runs in turn in one session. Instructions, misses of an
instruction cache of 32 KiB and mispredicted branches are counted by valgrind's callgrind; they repeat, and
are what `bench-check` compares with the last release's.

Standard library only: it must run before anything of ours is installed.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import check
import counting
import ns2
import ns3_bulk
import profile_guided
import programs
import recording
from figures import SCENARIOS, TIMED, Figure, all_figures, event_figure, scenario_figures, step_figures

if TYPE_CHECKING:
    from pathlib import Path

    from counting import Counts


def measure(built: dict[str, Path], runs: int, workers: int, ns3: str | None, *, count: bool) -> None:
    """Prints every table: scenarios, the ratios to ns-2 and ns-3, what measuring costs, steps."""
    scenarios = scenario_figures(built)
    counted = counting.per_step(scenarios, workers) if count else [None] * len(scenarios)
    print(
        f"{'scenario':28} {'ns/packet':>10} {'ns/data+ack':>12} "
        f"{'events/packet':>14} {'peak MiB':>9} {'instr/packet':>13} {'code misses':>12} {'mispredicted':>13}"
    )
    for figure, counts in zip(scenarios, counted, strict=True):
        arguments, seconds, _ = SCENARIOS[figure.name]
        print_scenario(figure.name, figure.program, [*arguments, str(seconds)], runs, counts)
    for name, (arguments, seconds) in TIMED.items():
        print_scenario(name, built["packets"], [*arguments, str(seconds)], runs, None)
    ns2.compare(built["packets"], runs)
    ns2.compare_clouds(built["packets"], runs)
    ns3_bulk.compare(built["packets"], runs, ns3)
    recording.compare(built["packets"], runs, workers, count=count)
    if count:
        print_steps(built, runs, workers)


def print_scenario(name: str, program: Path, arguments: list[str], runs: int, counts: Counts | None) -> None:
    """One line: medians over the processes."""
    finished = [programs.run(program, arguments) for _ in range(runs)]

    def cpu_ns_per(key: str) -> float:
        return statistics.median(run.cpu_s * 1e9 / run.row[key] for run in finished)

    def median(key: str) -> float:
        return statistics.median(run.row[key] for run in finished)

    counted = f"{'-':>13}"
    if counts is not None:
        counted = f"{counts.instructions:13.0f} {counts.code_misses:12.2f} {counts.mispredictions:13.2f}"
    print(
        f"{name:28} {cpu_ns_per('packets'):10.1f} {cpu_ns_per('data_packets'):12.1f} "
        f"{median('events_per_packet'):14.2f} {median('peak_mib'):9.1f} {counted}",
        flush=True,
    )


def print_steps(built: dict[str, Path], runs: int, workers: int) -> None:
    """Instructions and time of every kind of step by itself."""
    figures = [event_figure(built), *step_figures(built)]
    counted = counting.per_step(figures, workers)
    print(f"\n{'per step':68} {'ns':>8} {'instr':>8} {'code misses':>12} {'mispredicted':>13}")
    for figure, counts in zip(figures, counted, strict=True):
        # Only the programs of steps tell the time of one.
        timed = range(runs) if figure.per == "count" else ()
        times = [programs.run(figure.program, [figure.name]).row["ns_per_step"] for _ in timed]
        time = f"{statistics.median(times):.1f}" if times else "-"
        counted_line = f"{counts.instructions:8.1f} {counts.code_misses:12.2f} {counts.mispredictions:13.2f}"
        print(f"{figure!s:68} {time:>8} {counted_line}", flush=True)


def chosen(figures: list[Figure], patterns: list[str] | None) -> list[Figure]:
    """The figures that match a pattern; all without patterns."""
    if patterns is None:
        return figures
    some = [figure for figure in figures if any(fnmatchcase(str(figure), pattern) for pattern in patterns)]
    if not some:
        names = "\n".join(f"  {figure}" for figure in figures)
        raise SystemExit(f"no figure matches {', '.join(patterns)}; there are\n{names}")
    return some


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--check", action="store_true", help="compare what is counted with the committed figures"
    )
    parser.add_argument(
        "--update",
        action="store_true",
        help="with --check: commit to figures that are new, or of a new release to all",
    )
    parser.add_argument(
        "--only",
        metavar="PATTERN",
        action="append",
        help="with --check: these figures alone, such as 'arrival*: pi' (repeatable)",
    )
    parser.add_argument("--runs", type=int, default=5, help="processes per time (default 5)")
    parser.add_argument(
        "--workers",
        type=int,
        default=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        help="processes at a time while counting (default: one per core; counts do not depend on it)",
    )
    parser.add_argument(
        "--profile-guided",
        action="store_true",
        help="without --check: of a build that is optimised for runs like these, as `make release` makes it",
    )
    parser.add_argument(
        "--ns3",
        metavar="FOLDER",
        help="without --check: site-packages/ns3 of a venv with the wheel ns3, to run beside",
    )
    parser.add_argument("--no-instructions", action="store_true", help="without --check: time only")
    return parser.parse_args()


def main() -> int:
    """Runs what the command line asks for."""
    given = parse_arguments()
    has_valgrind = counting.is_installed()
    if given.check and not has_valgrind:
        raise SystemExit("valgrind is not installed: instructions cannot be counted")
    if given.check and given.profile_guided:
        raise SystemExit("--check compares plain builds: leave --profile-guided out")
    if given.check and given.ns3:
        raise SystemExit("--check runs nothing beside: leave --ns3 out")
    if given.ns3:
        ns3_bulk.check(given.ns3)
    built = profile_guided.build() if given.profile_guided else programs.build()
    if not given.check:
        measure(built, given.runs, given.workers, given.ns3, count=has_valgrind and not given.no_instructions)
        return 0
    figures = chosen(all_figures(built), given.only)
    if given.update:
        check.update(figures, given.workers, partly=given.only is not None)
        return 0
    return check.check(figures, given.workers, partly=given.only is not None)


if __name__ == "__main__":
    sys.exit(main())
