"""FQ-CoDel and CAKE beside the kernel's own, in user-mode Linux: what a stream gets beside bulk flows, and how long it waits.

    python -m tests.crosscheck.queues              runs the kernel too if user-mode Linux is installed
    python -m tests.crosscheck.queues --store      and writes what the kernel gave to uml/queues.csv
    python -m tests.crosscheck.queues --stored     against that

It needs neither privileges nor virtualisation: Debian's packages user-mode-linux, kmod, iproute2, iperf3 and ethtool, and a C
compiler on processors with AMX. UML=... names another kernel, built with ARCH=um and with these queues in it; one with
CONFIG_UML_TIME_TRAVEL_SUPPORT has a clock of its own, which a busy machine does not disturb. The status is 0 if every figure agrees,
1 if one differs, 3 if there is no user-mode Linux.
"""

from __future__ import annotations

import argparse
import csv
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aqmlab

from .measurement import FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

UML = FOLDER / "uml"
STORED = UML / "queues.csv"
WARM_UP_S, SECONDS = 2, 4
SKIPPED = 3
LEAST_CARRIED = 0.88
"""The share of a link that payloads and the stream have at least where the kernel keeps up."""
FRAME_BYTES = 14
"""What the kernel counts with each packet: the header of Ethernet."""

SCHEMES: dict[str, dict[str, Any]] = {
    "cake besteffort flows": {"scheme": "cake", "isolation": "flows"},
    "fq_codel": {
        "scheme": "fq-codel",
        "emptied_new_queue": "becomes_old_behind_others",
        "count_overflows": True,
    },
}
"""The kernel's words -> ours."""


@dataclass(frozen=True)
class Case:
    """Bulk flows of CUBIC, and a stream that answers to nothing."""

    queue: str
    rate_mbps: int
    bulk_flows: int
    stream_mbps: float
    packet_bytes: int

    @property
    def fair_mbps(self) -> float:
        """What the stream gets where it has more, and every flow has its turns: IP lengths."""
        frame = self.packet_bytes + FRAME_BYTES
        return self.rate_mbps / (self.bulk_flows + 1) * self.packet_bytes / frame


@dataclass(frozen=True)
class Figures:
    """What comes of a case: IP lengths for the stream, delays of what arrives."""

    stream_goodput_mbps: float
    delay_p50_ms: float
    delay_p95_ms: float
    bulk_mbps: float
    least_bulk_mbps: float
    greatest_bulk_mbps: float


def cases() -> Iterator[Case]:
    """Streams below, at and above their fair share, small and full packets, three rates."""
    for queue in SCHEMES:
        for rate, bulk in ((10, 4), (50, 10), (100, 20)):
            for packet_bytes in (200, 1000, 1500):
                for share in (0.5, 1.0, 2.0):
                    yield Case(queue, rate, bulk, round(share * rate / (bulk + 1), 3), packet_bytes)


def scenario_of(case: Case, *, frames: bool) -> dict[str, Any]:
    """The case here: a dumbbell, the queue before its link from left to right."""
    link = {
        "rate_mbps": case.rate_mbps,
        "rate_right_to_left_mbps": 1000.0,
        "delay_ms": 0.0,
        "interface_rate_mbps": 10_000,
        "layer2_overhead_bytes": FRAME_BYTES,
        "layer2_minimum_frame_bytes": 0,
        "layer2_gap_bytes": 0,
        "layer2_queued_bytes": FRAME_BYTES if frames else 0,
        "queue": SCHEMES[case.queue],
        "queue_right_to_left": {"scheme": "drop-tail", "limit_packets": 10_000},
    }
    ends = {"direction": "left-to-right"}
    return {
        "name": "kernel-queues",
        "duration_s": float(WARM_UP_S + SECONDS),
        "warm_up_s": float(WARM_UP_S),
        "dumbbell": link,
        "flows": [
            {"name": "bulk", "count": case.bulk_flows, "base_rtt_ms": 20.0, "profile": "linux6-cubic", **ends}
        ],
        "datagrams": [
            {
                "name": "stream",
                "count": 1,
                "packet_bytes": case.packet_bytes,
                "rate_mbps": case.stream_mbps,
                **ends,
            }
        ],
    }


def ours(case: Case, seed: int = 1, *, frames: bool = True) -> Figures:
    """Runs our simulator; with `frames` its queues count frames of Ethernet, as the kernel's do."""
    result = aqmlab.run(scenario_of(case, frames=frames), seed=seed)
    run = result.run
    seconds = run["measured_until_s"] - run["measured_from_s"]
    bulk = [8e-6 * delivered / seconds for delivered in run["flows"][0]["delivered_bytes"]]
    stream = result.tables["datagrams"].to_pandas().iloc[0]
    # The table of datagrams counts what was sent in the window; the kernel's receiver, what arrives in it.
    all_queues = result.tables["queues"].to_pandas()
    left_to_right = all_queues[all_queues.link == "left-to-right"]
    comes_bytes = 1e6 / 8 * case.stream_mbps * seconds
    its_queue = left_to_right.loc[(left_to_right.arrived_bytes - comes_bytes).abs().idxmin()]
    return Figures(
        8e-6 * float(its_queue.sent_bytes) / seconds,
        1e3 * float(stream.delay_p50_s),
        1e3 * float(stream.delay_p95_s),
        sum(bulk),
        min(bulk),
        max(bulk),
    )


def differences(case: Case, found: Figures, kernel: Figures) -> list[str]:
    """In words, where our figures are not the kernel's.

    What a flow gets is the schedule's: 10 % of the fair share either way. Where the stream has less than it sends, its delay is
    that of a queue which nobody answers to, and is not judged; else it is within two transmissions of a full frame for each
    flow that may be before it.
    """
    frame_ms = 1.514 * 8 / case.rate_mbps
    said = []
    apart = abs(found.stream_goodput_mbps - kernel.stream_goodput_mbps)
    if apart > 0.1 * case.fair_mbps:
        said.append(
            f"the stream gets {found.stream_goodput_mbps:.3f} Mbit/s, {kernel.stream_goodput_mbps:.3f} there"
        )
    whole = min(found.stream_goodput_mbps, kernel.stream_goodput_mbps) > 0.98 * case.stream_mbps
    for name in ("delay_p50_ms", "delay_p95_ms"):
        mine, theirs = getattr(found, name), getattr(kernel, name)
        if whole and abs(mine - theirs) > 2 * frame_ms * (case.bulk_flows + 1):
            said.append(f"its {name} is {mine:.2f}, {theirs:.2f} there")
    if abs(found.bulk_mbps / kernel.bulk_mbps - 1) > 0.05:
        said.append(f"bulk flows get {found.bulk_mbps:.2f} Mbit/s, {kernel.bulk_mbps:.2f} there")
    return said


def stored() -> dict[Case, Figures]:
    """What the kernel gave when `--store` was called last."""
    with STORED.open(encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(line for line in stream if not line.startswith("#"))
        return {_case_of(row): Figures(*(float(row[each.name]) for each in fields(Figures))) for row in rows}


def _case_of(row: dict[str, str]) -> Case:
    return Case(
        row["queue"],
        int(row["rate_mbps"]),
        int(row["bulk_flows"]),
        float(row["stream_mbps"]),
        int(row["packet_bytes"]),
    )


def is_starved(case: Case, figures: Figures) -> bool:
    """Whether the kernel did not fill its link: a clock of the machine's goes on while others have the processor."""
    return figures.stream_goodput_mbps + figures.bulk_mbps < LEAST_CARRIED * case.rate_mbps


def what_is_missing() -> str:
    """What has to be installed before the kernel can be run; empty if nothing."""
    kernel = os.environ.get("UML", "linux.uml")
    missing = [name for name in (kernel, "ip", "tc", "iperf3", "ethtool") if shutil.which(name) is None]
    if not os.environ.get("UML") and shutil.which("insmod") is None:
        missing.append("insmod")
    return ", ".join(missing)


def kernels(wanted: Iterable[Case]) -> tuple[str, dict[Case, Figures]]:
    """Runs the kernel's queues; answers with its release and what came of the cases, one after the other."""
    wanted = list(wanted)
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder, "cases")
        listed.write_text("".join(";".join(map(str, asdict(each).values())) + "\n" for each in wanted))
        printed = _booted(folder, listed)
    release, found = "", {}
    for line in printed.splitlines():
        if line.startswith("KERNEL "):
            release = line.split()[1]
        elif line.startswith("CASE "):
            case, figures = line.removeprefix("CASE ").split(": ")
            numbers = figures.split()
            if len(numbers) == len(fields(Figures)):
                row = dict(zip((each.name for each in fields(Case)), case.split(";"), strict=True))
                found[_case_of(row)] = Figures(*map(float, numbers))
    starved = [case for case, figures in found.items() if is_starved(case, figures)]
    if starved:
        raise SystemExit(
            f"this machine is too busy for {len(starved)} cases, {starved[0]} first: see UML in --help"
        )
    if len(found) < len(wanted):
        raise SystemExit(f"user-mode Linux answered {len(found)} of {len(wanted)} cases:\n{printed[-2000:]}")
    return release, found


def _booted(folder: str, listed: Path) -> str:
    """What user-mode Linux prints."""
    own = os.environ.get("UML")
    modules = "" if own else str(next(Path("/usr/lib/uml/modules").iterdir()) / "kernel")
    words = {
        "AQMLAB_MODULES": modules,
        "AQMLAB_FOLDER": str(UML),
        "AQMLAB_CASES": str(listed),
        "AQMLAB_WARM_UP": str(WARM_UP_S),
        "AQMLAB_SECONDS": str(SECONDS),
    }
    command = [
        own or "linux.uml",
        "mem=512M",
        *(["time-travel=inf-cpu"] if own and b"time-travel" in Path(own).read_bytes() else []),
        *("rootfstype=hostfs", "rootflags=/", "ro", f"init={UML / 'init.sh'}"),
        *("con=null", "con0=fd:0,fd:1", "quiet"),
        *(f"{name}={value}" for name, value in words.items() if value),
    ]
    environment = {**os.environ, **_wide_registers(folder)}
    made = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False
    )
    return made.stdout


def _wide_registers(folder: str) -> dict[str, str]:
    """What processors with AMX need in front of user-mode Linux 6.1."""
    if " amx_tile" not in Path("/proc/cpuinfo").read_text():
        return {}
    library = Path(folder, "wide_registers.so")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, UML / "wide_registers.c"], check=True)
    return {"LD_PRELOAD": str(library)}


def store(release: str, found: dict[Case, Figures]) -> None:
    """Writes uml/queues.csv."""
    with STORED.open("w", encoding="utf-8", newline="") as stream:
        stream.write(
            f"# Linux {release}, user-mode; {WARM_UP_S} s and then {SECONDS} s of each case. How: ../queues.py.\n"
        )
        stream.write("# The stream's goodput counts IP lengths, that of bulk flows what iperf3 receives.\n")
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([each.name for each in (*fields(Case), *fields(Figures))])
        for case, figures in found.items():
            writer.writerow([*asdict(case).values(), *asdict(figures).values()])


def main() -> int:
    """Compares, prints a line for each case, and answers with the status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--stored", action="store_true")
    parser.add_argument("--store", action="store_true")
    arguments = parser.parse_args()
    missing = "" if arguments.stored else what_is_missing()
    if missing:
        print(
            f"skipped: no {missing}. apt-get install user-mode-linux kmod iproute2 iperf3 ethtool",
            file=sys.stderr,
        )
        return SKIPPED
    release, kernel = ("", stored()) if arguments.stored else kernels(cases())
    if arguments.store:
        store(release, kernel)
    differing = 0
    for case, theirs in kernel.items():
        said = differences(case, ours(case), theirs)
        differing += bool(said)
        print(f"{'; '.join(map(str, asdict(case).values()))}: {'; '.join(said) or 'agrees'}", flush=True)
    print(f"{len(kernel) - differing} of {len(kernel)} cases agree")
    return min(differing, 1)


if __name__ == "__main__":
    sys.exit(main())
