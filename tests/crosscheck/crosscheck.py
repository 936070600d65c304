"""Our simulator beside ns-2 on the same scenario.

    python -m tests.crosscheck                 runs both if `ns` is installed, else the stored figures of ns-2
    python -m tests.crosscheck --stored        the stored figures (ns2/summary.csv) even then
    python -m tests.crosscheck --ns2           runs ns-2 or fails
    python -m tests.crosscheck --rules         what each single rule is worth (rules.toml)

The status is 0 if every figure agrees, 1 if one differs, 2 if ns-2 was asked for and is not there.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from statistics import fmean
from typing import TYPE_CHECKING, Any

from . import measurement, speed
from .judgement import Comparison, compare_with_enough_seeds
from .measurement import FOLDER, ns2_is_installed, schemes
from .ratio import shown, standard_error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .measurement import Row

LABELS = {
    "loss_percent": ("loss, %", 4),
    "queue_packets_mean": ("mean queue, packets", 2),
    "utilization": ("utilization", 4),
    **{name: (f"kbit/s per flow, fifth {place}", 1) for place, name in enumerate(measurement.FIFTHS, 1)},
    "timeouts": ("timeouts", 1),
}
# What --rules prints: enough to see a rule's effect in one line.
RULE_FIGURES = (
    "loss_percent",
    "queue_packets_mean",
    "throughput_kbps_fifth_1",
    "throughput_kbps_fifth_5",
    "timeouts",
)


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    description, _, epilog = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="python -m tests.crosscheck",
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--ns2", action="store_true", help="run ns-2; it has to be installed")
    source.add_argument("--stored", action="store_true", help="do not run ns-2")
    parser.add_argument("--schemes", default=",".join(schemes()), help="comma-separated (default: all five)")
    parser.add_argument("--seeds", type=int, default=12, help="seeds to begin with (default: 12)")
    parser.add_argument("--most-seeds", type=int, default=48, help="seeds at most (default: 48)")
    parser.add_argument(
        "--speed-pairs", type=int, default=2, help="timed pairs of runs, each scheme (default: 2)"
    )
    parser.add_argument("--rules", action="store_true", help="one rule at a time instead")
    options = parser.parse_args(arguments)
    options.schemes = options.schemes.split(",")
    unknown = [scheme for scheme in options.schemes if scheme not in schemes()]
    if unknown:
        parser.error(f"--schemes {unknown[0]}: one of {', '.join(schemes())}")
    if not 2 <= options.seeds <= options.most_seeds:
        parser.error("--seeds: at least 2, and at most --most-seeds")
    if options.ns2 and not ns2_is_installed():
        parser.error("--ns2: the program 'ns' is not installed (Debian package ns2); --stored needs none")
    options.run_ns2 = ns2_is_installed() and not options.stored
    return options


def their_rows(scheme: str, *, run_ns2: bool) -> Callable[[range], list[Row]]:
    """Where ns-2's rows of some seeds come from."""
    if run_ns2:
        return lambda seeds: measurement.ns2(scheme, seeds)
    # All there are at once: more seeds of ours do not make more of these.
    return lambda seeds: measurement.stored(scheme) if seeds.start == 1 else []


def print_comparisons(scheme: str, comparisons: Sequence[Comparison]) -> None:
    counts = f"{len(comparisons[0].ours)} seeds here, {len(comparisons[0].theirs)} of ns-2"
    print(f"\n{scheme} ({counts})")
    print(f"  {'':26}{'here':>20}{'ns-2':>20}{'ratio':>9}   90 % interval")
    for comparison in comparisons:
        label, digits = LABELS[comparison.figure]
        here, there = (with_error(sample, digits) for sample in (comparison.ours, comparison.theirs))
        ratio = comparison.ratio
        interval = f"{ratio.lower:.4f} to {ratio.upper:.4f}"
        line = f"  {label:26}{here:>20}{there:>20}{ratio.estimate:9.4f}   {interval}   {comparison.verdict}"
        print(line.rstrip())


def with_error(sample: Sequence[float], digits: int) -> str:
    return f"{fmean(sample):.{digits}f} ± {standard_error(sample):.{digits}f}"


def check(options: argparse.Namespace) -> int:
    """Every scheme side by side; answers the exit status."""
    print("ns-2: run now" if options.run_ns2 else "ns-2: stored figures of seeds 1-12 (ns2/summary.csv)")
    differing = []
    for scheme in options.schemes:
        comparisons = compare_with_enough_seeds(
            lambda seeds, scheme=scheme: measurement.ours(scheme, seeds),
            their_rows(scheme, run_ns2=options.run_ns2),
            seeds=options.seeds,
            most=options.most_seeds,
        )
        print_comparisons(scheme, comparisons)
        differing += [f"{scheme}: {LABELS[each.figure][0]}" for each in comparisons if not each.agrees]
    print("\nEvery judged figure agrees." if not differing else "\nThese differ: " + "; ".join(differing))
    if options.run_ns2 and options.speed_pairs > 0:
        print_speed(options.schemes, options.speed_pairs)
    return 1 if differing else 0


def print_speed(names: Sequence[str], pairs: int) -> None:
    found = speed.measure(names, pairs)
    print("\nCPU per bottleneck data packet with its acknowledgement (median; both programs in turn):")
    print(f"  here {found.ours_us:.3f} us")
    for label, theirs_us in (("ns-2", found.ns2_us), ("ns-2 without its start", found.ns2_without_start_us)):
        print(f"  {label} {theirs_us:.3f} us: {theirs_us / found.ours_us:.2f} times ours")


def check_rules(options: argparse.Namespace) -> int:
    """The figures under each single rule, as lines of a Markdown table."""
    rules = tomllib.loads((FOLDER / "rules.toml").read_text(encoding="utf-8"))["rule"]
    print("| rule | program | " + " | ".join(LABELS[figure][0] for figure in RULE_FIGURES) + " |")
    print("| --- | --- |" + " --- |" * len(RULE_FIGURES))
    seeds = range(1, options.seeds + 1)
    for scheme in options.schemes:
        reference = their_rows(scheme, run_ns2=False)(seeds)
        print_rule(f"**{scheme}, as it is**", "here", measurement.ours(scheme, seeds), reference)
        print_rule("", "ns-2", reference, None)
        for rule in (rule for rule in rules if rule["scheme"] == scheme):
            print_one_rule(rule, seeds, reference, run_ns2=options.run_ns2)
    return 0


def print_one_rule(rule: dict[str, Any], seeds: range, reference: list[Row], *, run_ns2: bool) -> None:
    rows = measurement.ours(rule["scheme"], seeds, changes=rule["here"])
    if run_ns2 and "ns2" in rule:
        theirs = measurement.ns2(rule["scheme"], seeds, changes=rule["ns2"])
        print_rule(rule["name"], "here", rows, theirs)
        print_rule("", "ns-2", theirs, None)
    else:
        print_rule(rule["name"], "here; ratio to ns-2 as it is", rows, reference)


def print_rule(name: str, program: str, rows: list[Row], reference: list[Row] | None) -> None:
    """A line of the table; with a reference, each mean is followed by its ratio to that of the reference."""
    cells = []
    for figure in RULE_FIGURES:
        sample = [row[figure] for row in rows]
        cell = f"{fmean(sample):.{LABELS[figure][1]}f}"
        if reference is not None:
            cell += f" ({shown(sample, [row[figure] for row in reference])})"
        cells.append(cell)
    print(f"| {name} | {program} | " + " | ".join(cells) + " |", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse_arguments(arguments)
    return check_rules(options) if options.rules else check(options)


if __name__ == "__main__":
    sys.exit(main())
