"""The kernel's queues in user-mode Linux: an ordinary process, without privileges, with a clock of its own.

Its clock stands still while anybody computes (`time-travel=inf-cpu`), so a busy machine changes nothing. Debian's package
user-mode-linux is built without that: `uml/build.sh` builds one in minutes. How it is booted stands in `aqmlab.runs.user_mode`.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING

from aqmlab.errors import RunError
from aqmlab.runs.user_mode import machine
from aqmlab.runs.user_mode.kernel import Kernel, installed

from .measurement import FOLDER
from .queue_cases import Case, Figures, case_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

UML = FOLDER / "uml"
BUILT = FOLDER.parents[1] / "target" / "uml" / "linux"
"""Where `make uml-kernel` puts it."""
HOW = "make uml-kernel SOURCE=/usr/src/linux-source-6.1.tar.xz builds one"
WARM_UP_S, SECONDS = 2, 4
CASES_OF_A_MACHINE = 8


def kernel() -> Kernel:
    """The kernel to run: UML names it, else it is the one that was built, else that of a package.

    Raises:
        RunError: There is none.
    """
    return installed(BUILT)


def nothing_to_ask() -> str:
    """Why no kernel can be asked; empty if one can."""
    try:
        kernel()
    except RunError as error:
        return str(error)
    return ""


def what_is_missing() -> str:
    """What has to be there before the kernel can be run in virtual time; empty if nothing."""
    wanted = [name for name in ("iperf3", "ethtool") if shutil.which(name) is None]
    if missing := nothing_to_ask():
        return f"{missing}; {HOW}"
    if not (own := kernel()).virtual_time:
        return f"{own.path} is no user-mode Linux with CONFIG_UML_TIME_TRAVEL_SUPPORT; {HOW}"
    return f"no {', '.join(wanted)}: apt-get install iperf3 ethtool" if wanted else ""


def printed_by(init: str, words: Mapping[str, str], *, memory_mb: int = 512) -> str:
    """What a machine prints whose first process is this script of `uml/`."""
    with tempfile.TemporaryDirectory() as folder:
        given = {"AQMLAB_FOLDER": str(UML), **words}
        command = machine.command(kernel(), UML / init, memory_mb=memory_mb, words=given)
        started = machine.start(command, Path(folder), memory_mb, stdout=subprocess.PIPE)
        printed, _ = started.communicate()
    return printed.decode()


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
        printed = printed_by(
            "cable.sh", {"AQMLAB_PROGRAM": program, "AQMLAB_CASES": str(listed)}, memory_mb=256
        )
    lines = printed.splitlines()
    releases = [line.split()[1] for line in lines if line.startswith("KERNEL ")]
    if not releases:
        raise SystemExit(f"user-mode Linux did not start:\n{printed[-2000:]}")
    return releases[0], [line for line in lines if line.split(" ", 1)[0] in kinds]


def _booted(wanted: list[Case]) -> tuple[str, dict[Case, Figures]]:
    """One machine for these cases, one after the other."""
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder, "cases")
        listed.write_text("".join(";".join(map(str, asdict(each).values())) + "\n" for each in wanted))
        words = {
            "AQMLAB_CASES": str(listed),
            "AQMLAB_WARM_UP": str(WARM_UP_S),
            "AQMLAB_SECONDS": str(SECONDS),
        }
        printed = printed_by("init.sh", words)
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
