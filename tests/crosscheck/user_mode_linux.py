"""The kernel's queues in user-mode Linux: an ordinary process, without privileges, with a clock of its own.

Its clock stands still while anybody computes (`time-travel=inf-cpu`), so a busy machine changes nothing. Debian's package
user-mode-linux is built without that: `uml/build.sh` builds one in minutes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING

from .measurement import FOLDER
from .queue_cases import Case, Figures, case_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

UML = FOLDER / "uml"
BUILT = FOLDER.parents[1] / "target" / "uml" / "linux"
"""Where `make uml-kernel` puts it."""
HOW = "make uml-kernel SOURCE=/usr/src/linux-source-6.1.tar.xz builds one"
WARM_UP_S, SECONDS = 2, 4
CASES_OF_A_MACHINE = 8


def kernel() -> Path:
    """The kernel to run: UML names it, else it is the one that was built."""
    return Path(os.environ.get("UML") or BUILT)


def what_is_missing() -> str:
    """What has to be there before the kernel can be run; empty if nothing."""
    wanted = [name for name in ("ip", "tc", "iperf3", "ethtool") if shutil.which(name) is None]
    own = kernel()
    if not own.is_file():
        return f"no user-mode Linux at {own}: UML names one; {HOW}"
    if not os.access(own, os.X_OK) or b"time-travel" not in own.read_bytes():
        return f"{own} is no user-mode Linux with CONFIG_UML_TIME_TRAVEL_SUPPORT; {HOW}"
    return f"no {', '.join(wanted)}: apt-get install iproute2 iperf3 ethtool" if wanted else ""


def ask(
    wanted: Iterable[Case], repetitions: int, machines: int
) -> Iterator[tuple[str, dict[Case, list[Figures]]]]:
    """Runs every case so many times, `machines` kernels side by side.

    Yields the kernel's release and what has come of each case so far, whenever a machine has ended.
    """
    wanted = list(wanted)
    parts = [wanted[at : at + CASES_OF_A_MACHINE] for at in range(0, len(wanted), CASES_OF_A_MACHINE)]
    found: dict[Case, list[Figures]] = {}
    with ThreadPoolExecutor(machines) as pool:
        for release, answers in pool.map(_booted, parts * repetitions):
            for case, figures in answers.items():
                found.setdefault(case, []).append(figures)
            yield release, found


def asked(program: str, cases: Iterable[str], kinds: tuple[str, ...]) -> tuple[str, list[str]]:
    """Has a program of `uml/` ask the queues of a distribution's kernel about these cases.

    Returns the kernel's release and the lines that begin with one of these kinds.
    """
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder, "cases")
        listed.write_text("".join(f"{case}\n" for case in cases), encoding="utf-8")
        words = {
            "AQMLAB_FOLDER": str(UML),
            "AQMLAB_MODULES": os.environ.get("MODULES", ""),
            "AQMLAB_PROGRAM": program,
            "AQMLAB_CASES": str(listed),
        }
        command = [
            str(kernel()),
            *("mem=256M", "rootfstype=hostfs", "rootflags=/", "ro", f"init={UML / 'cable.sh'}"),
            *("con=null", "con0=fd:0,fd:1", "quiet"),
            *(f"{name}={value}" for name, value in words.items()),
        ]
        made = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False
        )
    lines = made.stdout.splitlines()
    releases = [line.split()[1] for line in lines if line.startswith("KERNEL ")]
    if not releases:
        raise SystemExit(f"user-mode Linux did not start:\n{made.stdout[-2000:]}")
    return releases[0], [line for line in lines if line.split(" ", 1)[0] in kinds]


def _booted(wanted: list[Case]) -> tuple[str, dict[Case, Figures]]:
    """One machine for these cases, one after the other."""
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder, "cases")
        listed.write_text("".join(";".join(map(str, asdict(each).values())) + "\n" for each in wanted))
        printed = _printed(folder, listed)
    release, found = "", {}
    for line in printed.splitlines():
        if line.startswith("KERNEL "):
            release = line.split()[1]
        elif line.startswith("CASE "):
            case, figures = line.removeprefix("CASE ").split(": ")
            row = dict(zip((each.name for each in fields(Case)), case.split(";"), strict=True))
            found[case_of(row)] = Figures(*map(float, figures.split()))
    if len(found) < len(wanted):
        raise SystemExit(f"user-mode Linux answered {len(found)} of {len(wanted)} cases:\n{printed[-2000:]}")
    return release, found


def _printed(folder: str, listed: Path) -> str:
    """What user-mode Linux prints."""
    words = {
        "AQMLAB_FOLDER": str(UML),
        "AQMLAB_CASES": str(listed),
        "AQMLAB_WARM_UP": str(WARM_UP_S),
        "AQMLAB_SECONDS": str(SECONDS),
    }
    command = [
        str(kernel()),
        *("mem=512M", "time-travel=inf-cpu"),
        *("rootfstype=hostfs", "rootflags=/", "ro", f"init={UML / 'init.sh'}"),
        *("con=null", "con0=fd:0,fd:1", "quiet"),
        *(f"{name}={value}" for name, value in words.items()),
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
