"""FQ-CoDel and CAKE beside the kernel's own, in user-mode Linux: what a stream gets beside bulk flows, and how long it waits.

    python -m tests.crosscheck.queues              asks the kernel, in its own time: a busy machine changes nothing
    python -m tests.crosscheck.queues --store      and writes what it gave to uml/queues.csv
    python -m tests.crosscheck.queues --stored     against that, without a kernel

UML names the kernel; `make uml-kernel SOURCE=/usr/src/linux-source-6.1.tar.xz` builds one. No privileges are needed. The status is 0 if
every figure agrees, 1 if one differs, 3 if there is no such kernel.
"""

from __future__ import annotations

import argparse
import datetime
import statistics
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any

import aqmlab

from . import user_mode_linux
from .queue_cases import (
    CAKE,
    CAKE_BY_HOST,
    FQ_CODEL,
    FRAME_BYTES,
    OWN,
    Case,
    Figures,
    cases,
    store,
    stored,
)
from .user_mode_linux import SECONDS, WARM_UP_S

if TYPE_CHECKING:
    from collections.abc import Sequence

MISSING = 3
SEEDS = 8

SCHEMES: dict[str, dict[str, Any]] = {
    CAKE: {"scheme": "cake", "isolation": "flows"},
    CAKE_BY_HOST: {"scheme": "cake", "isolation": "triple"},
    FQ_CODEL: {
        "scheme": "fq-codel",
        "emptied_new_queue": "becomes_old_behind_others",
        "count_overflows": True,
        "nearly_empty": "all_queues",
        "mtu_bytes": 1514,
    },
}
"""The kernel's words -> ours."""


def scenario_of(case: Case, *, frames: bool) -> dict[str, Any]:
    """The case here: a dumbbell, the queue before its link from left to right."""
    link = {
        "rate_mbps": case.rate_mbps,
        "rate_right_to_left_mbps": 1000.0,
        "delay_ms": 0.0,
        "interface_rate_mbps": 10_000,
        "browser_machines_per_side": 1,
        "server_machines_per_side": 1,
        "layer2_overhead_bytes": FRAME_BYTES,
        "layer2_minimum_frame_bytes": 0,
        "layer2_gap_bytes": 0,
        "layer2_queued_bytes": FRAME_BYTES if frames else 0,
        "queue": SCHEMES[case.queue],
        "queue_right_to_left": {"scheme": "drop-tail", "limit_packets": 10_000},
    }
    bulk = {
        "name": "bulk",
        "count": case.bulk_flows,
        "base_rtt_ms": float(case.round_trip_ms),
        "profile": "linux6-cubic",
        "senders": "servers-left",
        "receivers": "browsers-right",
        # As of iperf3: flows that are in phase lose together, and leave more to the stream.
        "start_spread_s": 0.001,
    }
    stream: dict[str, Any] = {
        "name": "stream",
        "count": 1,
        "packet_bytes": case.packet_bytes,
        "rate_mbps": case.stream_mbps,
        "senders": "browsers-left" if case.host == OWN else "servers-left",
        "receivers": "servers-right" if case.host == OWN else "browsers-right",
        "start_spread_s": 0.01,
    }
    if case.off_ms:
        stream |= {"on_s": case.on_ms / 1000, "off_s": case.off_ms / 1000, "periods": "fixed"}
    return {
        "name": "kernel-queues",
        "duration_s": float(WARM_UP_S + SECONDS),
        "warm_up_s": float(WARM_UP_S),
        "dumbbell": link,
        "flows": [bulk],
        "datagrams": [stream],
    }


def ours(case: Case, seed: int = 1, *, frames: bool = True) -> Figures:
    """Runs our simulator; with `frames` its queues count frames of Ethernet, as the kernel's do."""
    return figures_of(case, aqmlab.run(scenario_of(case, frames=frames), seed=seed))


def figures_of(case: Case, result: aqmlab.Result) -> Figures:
    """What came of a case in one of our runs."""
    run = result.run
    seconds = run["measured_until_s"] - run["measured_from_s"]
    bulk = [8e-6 * delivered / seconds for delivered in run["flows"][0]["delivered_bytes"]]
    stream = result.tables["datagrams"].to_pandas().iloc[0]
    return Figures(
        float(result.value("goodput_mbps/datagrams.stream")),
        1e3 * float(stream.delay_p50_s) - case.transmission_ms,
        1e3 * float(stream.delay_p95_s) - case.transmission_ms,
        sum(bulk),
        min(bulk),
        max(bulk),
    )


def mean(times: Sequence[Figures]) -> Figures:
    """Of each figure."""
    return Figures(
        *(statistics.fmean(getattr(each, field.name) for each in times) for field in fields(Figures))
    )


def spread(times: Sequence[Figures]) -> Figures:
    """The standard deviation of each figure; 0 of one."""
    several = len(times) > 1
    return Figures(
        *(
            statistics.stdev(getattr(each, field.name) for each in times) if several else 0.0
            for field in fields(Figures)
        )
    )


def tolerances(case: Case, kernel: Figures) -> dict[str, float]:
    """How far apart figures may be, by their names; what has none is not judged.

    What a flow gets is the schedule's: 10 % of the fair share either way. Where the stream has less than it sends, its delay is
    that of a queue which nobody answers to, and is not judged; else it is within two transmissions of a full frame for each
    flow that may be before it.
    """
    frame_ms = 1.514 * 8 / case.rate_mbps
    judged = {"stream_goodput_mbps": 0.1 * case.fair_mbps, "bulk_mbps": 0.05 * kernel.bulk_mbps}
    if kernel.stream_goodput_mbps > 0.98 * case.offered_mbps:
        turns_ms = 2 * frame_ms * (case.bulk_flows + 1)
        judged |= {"delay_p50_ms": turns_ms, "delay_p95_ms": turns_ms}
    return judged


SAID = {
    "stream_goodput_mbps": "the stream gets {:.3f} Mbit/s, {:.3f} there",
    "delay_p50_ms": "half of it waits {:.3f} ms, {:.3f} there",
    "delay_p95_ms": "95 % of it wait {:.3f} ms, {:.3f} there",
    "bulk_mbps": "bulk flows get {:.2f} Mbit/s, {:.2f} there",
}


def differences(case: Case, found: Figures, kernel: Figures) -> list[str]:
    """In words, where our figures are not the kernel's."""
    said = []
    for name, tolerance in tolerances(case, kernel).items():
        mine, theirs = getattr(found, name), getattr(kernel, name)
        if not abs(mine - theirs) <= tolerance:
            said.append(SAID[name].format(mine, theirs))
    return said


HEADING = """\
| queue | Mbit/s, flows, ms | stream: Mbit/s, bytes | gets, Mbit/s | p50, ms | p95, ms | bulk, Mbit/s | |
| --- | --- | --- | --- | --- | --- | --- | --- |"""


def row(case: Case, found: Sequence[Figures], kernel: Sequence[Figures]) -> str:
    """Kernel / ours, each with its standard deviation where it was asked more than once."""

    def cell(name: str, digits: int) -> str:
        both = []
        for times in (kernel, found):
            deviation = f" ± {getattr(spread(times), name):.{digits}f}" if len(times) > 1 else ""
            both.append(f"{getattr(mean(times), name):.{digits}f}{deviation}")
        return " / ".join(both)

    stream = f"{case.stream_mbps:g}, {case.packet_bytes}"
    if case.off_ms:
        stream += f", {case.on_ms} of {case.on_ms + case.off_ms} ms"
    if case.host == OWN:
        stream += ", own hosts"
    cells = [
        case.queue,
        f"{case.rate_mbps}, {case.bulk_flows}, {case.round_trip_ms}",
        stream,
        cell("stream_goodput_mbps", 3),
        cell("delay_p50_ms", 2),
        cell("delay_p95_ms", 2),
        cell("bulk_mbps", 2),
        "; ".join(differences(case, mean(found), mean(kernel))) or "agrees",
    ]
    return f"| {' | '.join(cells)} |"


def _several(case: Case, seeds: int) -> list[Figures]:
    return [ours(case, seed) for seed in range(1, seeds + 1)]


def _asked(arguments: argparse.Namespace) -> dict[Case, list[Figures]]:
    """What the kernel gives, stored as it comes if that is asked for."""
    wanted = [case for case in cases() if arguments.only in str(case)]
    found: dict[Case, list[Figures]] = {}
    asked = arguments.repetitions * len(wanted)
    for release, found in user_mode_linux.ask(wanted, arguments.repetitions, arguments.workers):
        if arguments.store:
            today = datetime.datetime.now(tz=datetime.UTC).date()
            about = (
                f"Linux {release} in user mode, {today}, in virtual time; {WARM_UP_S} s and then {SECONDS} s"
            )
            store(about, found)
        print(f"Linux {release}: {sum(map(len, found.values()))} of {asked} answers", file=sys.stderr)
    return found


def main() -> int:
    """Compares, prints each case, and answers with the status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--stored", action="store_true")
    parser.add_argument("--store", action="store_true")
    parser.add_argument(
        "--repetitions", type=int, default=1, help="how often the kernel is asked (%(default)s)"
    )
    parser.add_argument("--seeds", type=int, default=SEEDS, help="runs of ours of each case (%(default)s)")
    parser.add_argument("--workers", type=int, default=2, help="processes side by side (%(default)s)")
    parser.add_argument("--only", default="", help="cases whose line holds this")
    arguments = parser.parse_args()
    missing = "" if arguments.stored else user_mode_linux.what_is_missing()
    if missing:
        print(missing, file=sys.stderr)
        return MISSING
    kernel = stored() if arguments.stored else _asked(arguments)
    kernel = {case: times for case, times in kernel.items() if arguments.only in str(case)}
    differing = 0
    print(HEADING)
    with ProcessPoolExecutor(arguments.workers) as pool:
        all_found = pool.map(partial(_several, seeds=arguments.seeds), kernel)
        for (case, theirs), found in zip(kernel.items(), all_found, strict=True):
            said = differences(case, mean(found), mean(theirs))
            differing += bool(said)
            print(row(case, found, theirs), flush=True)
    print(f"{len(kernel) - differing} of {len(kernel)} cases agree")
    return min(differing, 1)


if __name__ == "__main__":
    sys.exit(main())
