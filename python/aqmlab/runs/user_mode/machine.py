"""Boots a user-mode Linux: an ordinary process whose root is the machine's own, read-only."""

from __future__ import annotations

import os
import shutil
import subprocess
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from aqmlab.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.runs.user_mode.kernel import Kernel

START = Path(str(resources.files(__package__) / "start.sh"))
"""What the first process of a machine reads first."""
_WIDE_REGISTERS = START.with_name("wide_registers.c")
_ENDING = "kill -9 $kernel -$kernel 2>/dev/null"
_SUPERVISED = (
    *("setpriv", "--pdeathsig", "TERM"),
    *("sh", "-c", f"\"$@\" & kernel=$!; trap '{_ENDING}' TERM; wait $kernel; {_ENDING}", "sh"),
)
"""What stands before a kernel: all of its processes end with it, and with whoever started it, whatever that
died of. A kernel makes a session of its own."""
_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108  (user-mode Linux' own choice)


def command(
    kernel: Kernel,
    init: Path,
    *,
    memory_mb: int = 512,
    consoles: Mapping[int, str] | None = None,
    words: Mapping[str, str] | None = None,
) -> list[str]:
    """The command that boots a machine, in virtual time where the kernel has it."""
    given = {
        "AQMLAB_START": str(START),
        "AQMLAB_MODULES": str(kernel.modules or ""),
        **(words or {}),
    }
    places = consoles or {0: "fd:0,fd:1"}
    return [
        str(kernel.path),
        *(f"mem={memory_mb}M", *(["time-travel=inf-cpu"] if kernel.virtual_time else [])),
        *("rootfstype=hostfs", "rootflags=/", "ro", f"init={init}"),
        *("con=null", *(f"con{number}={place}" for number, place in places.items()), "quiet"),
        *(f"{name}={value}" for name, value in given.items()),
    ]


def start(
    command: Sequence[str], folder: Path, memory_mb: int = 512, **ways: object
) -> subprocess.Popen[bytes]:
    """Boots a machine; to end it, `terminate` it, and all of its processes end."""
    return subprocess.Popen(  # noqa: S603  (our own command)
        [*_SUPERVISED, *command],
        env=environment(folder, memory_mb),
        stdin=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for us: we end it
        **cast("dict[str, Any]", ways),
    )


def environment(folder: Path, memory_mb: int = 512) -> dict[str, str]:
    """The environment of a machine: where its memory lies, and what some processors need."""
    # It keeps its socket of control at home.
    found = {**os.environ, "HOME": str(folder), **_wide_registers(folder)}
    if not _has_room(_SHARED_MEMORY, memory_mb):
        found["TMPDIR"] = str(folder)
    return found


def _has_room(folder: Path, memory_mb: int) -> bool:
    """Whether a machine's memory may lie there: containers have small ones, or none that may be executed."""
    try:
        about = os.statvfs(folder)
    except OSError:
        return False
    free = about.f_bavail * about.f_frsize
    return free > memory_mb << 20 and not about.f_flag & os.ST_NOEXEC and os.access(folder, os.W_OK)


def _wide_registers(folder: Path) -> dict[str, str]:
    """What processors with AMX need in front of user-mode Linux 6.1."""
    if " amx_tile" not in Path("/proc/cpuinfo").read_text(encoding="utf-8"):
        return {}
    if shutil.which("cc") is None:
        raise RunError(
            "user-mode Linux needs a C compiler on this processor (AMX): apt-get install gcc libc6-dev"
        )
    library = folder / "wide_registers.so"
    compile_it = ["cc", "-O1", "-shared", "-fPIC", "-o", str(library), str(_WIDE_REGISTERS)]
    subprocess.run(compile_it, check=True)  # noqa: S603  (our own command)
    return {"LD_PRELOAD": str(library)}
