"""What `aqmlab sqm` prints, typed into a kernel: a router in front of a plain modem, beside the same here.

    python -m tests.crosscheck.router_lines            five technologies, as they are and with what is printed

UML names a user-mode Linux, by default the one that `make uml-kernel` built, else that of Debian's packages user-mode-linux and kmod. No
privileges are needed; it takes five minutes. The status is 1 if the kernel refuses a line, or a call is not as here to within a third and 5 ms; 3 if there is no such kernel.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aqmlab
from aqmlab.scenario import Scenario
from aqmlab.study.sqm.candidates import Candidate, candidates
from aqmlab.study.sqm.typed import tc_lines

from .user_mode_linux import nothing_to_ask, printed_by

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LINES: Mapping[str, tuple[float, float]] = {
    "adsl": (6.0, 0.5),
    "vdsl": (50.0, 10.0),
    "cable": (100.0, 10.0),
    "fibre": (100.0, 20.0),
}
"""Rates down and up in Mbit/s; those of other technologies vary, which no such modem does."""
WARM_UP_S, SECONDS = 5, 15
_ETHERNET_HEADER_BYTES = 14
_PTM = 64 / 65
MISSING = 3


@dataclass(frozen=True)
class Case:
    """A line, and what is typed in front of it.

    Attributes:
        name: What it is called.
        scenario: An upload, a download and a call over it, here.
        typed: The commands; none for the line as it is.
    """

    name: str
    scenario: Scenario
    typed: Sequence[str]

    def row(self, folder: Path) -> str:
        """As the machine reads it."""
        line = self.scenario.resolved["line"]
        share = _PTM if line["framing"] == "ptm" else 1.0
        layer = "atm" if line["framing"] == "atm" else "ethernet"
        mpu = f" mpu {line['minimum_frame_bytes']}" if line["minimum_frame_bytes"] else ""
        framing = f"stab overhead {line['overhead_bytes'] - _ETHERNET_HEADER_BYTES}{mpu} linklayer {layer}"
        file = folder / self.name
        file.write_text("".join(f"{each}\n" for each in self.typed))
        numbers = (
            round(1e3 * share * line["down_mbps"]),
            round(1e3 * share * line["up_mbps"]),
            framing,
            line["provider_queue"]["limit_bytes"],
            line["modem_queue"]["limit_bytes"],
            round(2 * line["delay_ms"] + 10),
        )
        return "|".join(map(str, (self.name, *numbers, file))) + "\n"


def cases() -> list[Case]:
    """Each line as it is, and with CAKE and FQ-CoDel at 95 % in the router."""
    found = []
    for technology, (down, up) in LINES.items():
        own = _scenario(technology, down, up)
        for each in candidates(own, ("cake", "fq-codel"), (0.95,)):
            if each.scheme or each.scenario == own:
                found.append(_case(technology, each))
    return found


def _case(technology: str, each: Candidate) -> Case:
    typed = tc_lines(each.scheme, each.shapers, "wan") if each.scheme else []
    return Case(f"{technology}-{each.scheme or 'as-it-is'}", each.scenario, typed)


def _scenario(technology: str, down: float, up: float) -> Scenario:
    """One computer, as in the machine: an upload, a download, a call up."""
    flow: dict[str, Any] = {"count": 1, "base_rtt_ms": 10.0, "profile": "linux6-cubic"}
    call = {"name": "call", "count": 1, "direction": "up", "packet_bytes": 200, "rate_mbps": 0.08}
    return Scenario.of(
        {
            "name": technology,
            "duration_s": float(WARM_UP_S + SECONDS),
            "warm_up_s": float(WARM_UP_S),
            "line": {"technology": technology, "down_mbps": down, "up_mbps": up},
            "flows": [
                {**flow, "name": "upload", "direction": "up"},
                {**flow, "name": "download", "direction": "down"},
            ],
            "datagrams": [call],
        }
    )


def here(case: Case) -> tuple[float, float]:
    """What the call waits beyond the way itself: half and 95 % of its packets, in ms, mean of four seeds."""
    runs = [aqmlab.run(case.scenario, seed=seed) for seed in range(1, 5)]
    least_ms = case.scenario.resolved["line"]["delay_ms"]
    waits = [
        [run.value(f"delay_p{share}_ms/datagrams.call") - least_ms for run in runs] for share in (50, 95)
    ]
    return tuple(sum(each) / len(each) for each in waits)  # type: ignore[return-value]


def in_the_kernel(wanted: Sequence[Case]) -> tuple[dict[str, list[float]], str]:
    """The figures of each case, and what the machine printed."""
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder, "cases")
        listed.write_text("".join(case.row(Path(folder)) for case in wanted))
        words = {
            "AQMLAB_CASES": str(listed),
            "AQMLAB_WARM_UP": str(WARM_UP_S),
            "AQMLAB_SECONDS": str(SECONDS),
        }
        printed = printed_by("router.sh", words)
    found = {}
    for line in printed.splitlines():
        if line.startswith("CASE "):
            name, figures = line.removeprefix("CASE ").split(": ")
            found[name] = [float(each) for each in figures.split()]
    return found, printed


def main() -> int:
    """The status of the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.parse_args()
    if missing := nothing_to_ask():
        print(missing, file=sys.stderr)
        return MISSING
    wanted = cases()
    found, printed = in_the_kernel(wanted)
    print("\n".join(line for line in printed.splitlines() if line.startswith(("KERNEL", "REFUSED"))))
    print(
        "| case | kernel: 50 %, 95 % ms, up, down Mbit/s | here: 50 %, 95 % ms | |\n| --- | --- | --- | --- |"
    )
    is_off = False
    for case in wanted:
        own = here(case)
        figures = found.get(case.name)
        if figures is None or len(figures) < 10:  # noqa: PLR2004 (one, three, three and three)
            print(f"| {case.name} | no answer | {own[0]:.1f}, {own[1]:.1f} | |")
            is_off = True
            continue
        failed, _, half, most, up, *_, down, _, _ = figures
        differs = bool(failed) or any(
            abs(one - other) > 5.0 + max(one, other) / 3 for one, other in zip((half, most), own, strict=True)
        )
        is_off |= differs
        told = f"{half:.1f}, {most:.1f}, {up:.2f}, {down:.1f}"
        print(f"| {case.name} | {told} | {own[0]:.1f}, {own[1]:.1f} | {'differs' if differs else ''} |")
    return int(is_off)


if __name__ == "__main__":
    sys.exit(main())
