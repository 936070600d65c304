#!/usr/bin/env python3
"""Run the crosscheck scenario with ns-2 and write one CSV row per run.

    python3 run_ns2.py --output summary.csv
    python3 run_ns2.py --schemes red --seeds 1-3 --output -
    python3 run_ns2.py --schemes droptail --set singledup_ 0 --output -

The rows are written in the order of schemes and seeds, whatever finishes
first. Only the standard library is used.
"""

import argparse
import concurrent.futures
import csv
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

SCENARIO = Path(__file__).resolve().with_name("dumbbell.tcl")
SCHEMES = ("droptail", "red", "ared", "pi", "rem")

# These classes can send early drops to a target of their own; a DropTail has
# none to send, and Queue/REM does not tell (its column stays empty).
SCHEMES_WITH_EARLY_DROPS = ("droptail", "red", "ared", "pi")

# Column name -> number of digits after the point (0: an integer).
COLUMNS = {
    "loss_percent": 5,
    "queue_packets_mean": 4,
    "utilization": 6,
    "throughput_kbps_fifth_1": 3,
    "throughput_kbps_fifth_2": 3,
    "throughput_kbps_fifth_3": 3,
    "throughput_kbps_fifth_4": 3,
    "throughput_kbps_fifth_5": 3,
    "timeouts": 0,
    "timeouts_whole_run": 0,
    "window_cuts": 0,
    "packets_arrived": 0,
    "packets_bottleneck": 0,
    "drops": 0,
    "early_drops": 0,
    "forced_drops": 0,
    "sent": 0,
    "resent": 0,
    "packets_whole_run": 0,
    "cpu_s": 2,
    "cpu_setup_s": 2,
}


def parse_seeds(text):
    """Turn "1-3,7" into [1, 2, 3, 7]."""
    seeds = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        seeds.extend(range(int(first), int(last or first) + 1))
    return seeds


def parse_schemes(text):
    schemes = text.split(",")
    unknown = [scheme for scheme in schemes if scheme not in SCHEMES]
    if unknown:
        raise argparse.ArgumentTypeError(f"unknown scheme {unknown[0]} (one of {', '.join(SCHEMES)})")
    return schemes


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--schemes", type=parse_schemes, default=list(SCHEMES), help="comma-separated (default: all five)"
    )
    parser.add_argument(
        "--seeds",
        type=parse_seeds,
        default=parse_seeds("1-12"),
        help="for example 1-12 or 1,4,7 (default: 1-12)",
    )
    parser.add_argument("--jobs", type=int, default=1, help="runs at once (default: 1; more disturbs cpu_s)")
    parser.add_argument(
        "--set",
        dest="overrides",
        nargs=2,
        action="append",
        default=[],
        metavar=("NAME", "VALUE"),
        help="change one ns-2 parameter, see dumbbell.tcl",
    )
    parser.add_argument("--output", default="-", help="CSV file, or - (default)")
    parser.add_argument("--parameters", metavar="FILE", help="also write the effective parameters as CSV")
    return parser.parse_args(arguments)


def find_ns():
    program = shutil.which("ns")
    if program is None:
        sys.exit(
            "run_ns2.py: the program 'ns' is not installed: install the "
            "Debian package ns2 (apt-get install ns2)"
        )
    return program


def run_and_time(command):
    """Run a command; return its output and the user CPU seconds it took."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        output = process.stdout.read()
        # wait4, not wait: only it tells the CPU time of this one child.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"run_ns2.py: ns failed with status {process.returncode}: {' '.join(command)}")
    return output, usage.ru_utime


def parse_output(output):
    """Split the lines of dumbbell.tcl into results and parameters."""
    found = {"result": {}, "parameter": {}}
    for line in output.splitlines():
        kind, _, rest = line.partition(" ")
        if kind in found:
            name, _, value = rest.partition(" ")
            found[kind][name] = value
    return found["result"], found["parameter"]


def split_drops(scheme, results):
    """Add the forced drops, or empty both where ns-2 does not tell."""
    if scheme in SCHEMES_WITH_EARLY_DROPS:
        drops, early = float(results["drops"]), float(results["early_drops"])
        results["forced_drops"] = drops - early
    else:
        results["early_drops"] = results["forced_drops"] = math.nan


def run_once(program, scheme, seed, overrides):
    command = [program, str(SCENARIO), "-scheme", scheme, "-seed", str(seed)]
    for name, value in overrides:
        command += ["-set", name, value]
    output, cpu_seconds = run_and_time(command)
    results, parameters = parse_output(output)
    results["cpu_s"] = cpu_seconds
    split_drops(scheme, results)
    return {"scheme": scheme, "seed": seed, **results}, parameters


def format_value(value, digits):
    number = float(value)
    return "" if math.isnan(number) else f"{number:.{digits}f}"


def write_rows(rows, stream):
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["scheme", "seed", *COLUMNS])
    for row in rows:
        values = [format_value(row[name], digits) for name, digits in COLUMNS.items()]
        writer.writerow([row["scheme"], row["seed"], *values])


def write_parameters(parameters_of_scheme, stream):
    """One row per parameter; the tables of the queues are kept apart."""
    names = {}
    for parameters in parameters_of_scheme.values():
        names.update(parameters)
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["parameter", "value"])
    writer.writerows(sorted(names.items()))


def write_to(path, write, content):
    if path == "-":
        write(content, sys.stdout)
    else:
        with open(path, "w", encoding="utf-8") as stream:
            write(content, stream)


def main(arguments=None):
    options = parse_arguments(arguments)
    program = find_ns()
    runs = [(scheme, seed) for scheme in options.schemes for seed in options.seeds]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        finished = list(pool.map(lambda run: run_once(program, *run, options.overrides), runs))
    write_to(options.output, write_rows, [row for row, _ in finished])
    if options.parameters:
        write_to(
            options.parameters, write_parameters, {row["scheme"]: parameters for row, parameters in finished}
        )


if __name__ == "__main__":
    main()
