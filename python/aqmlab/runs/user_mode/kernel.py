"""Which user-mode Linux there is on this machine, and what it has."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from aqmlab.errors import RunError

USER_MODE = "user-mode"
"""What `--kernel` calls it."""
NAMED_BY, MODULES_NAMED_BY = "UML", "MODULES"
"""The variables of the environment that name a kernel, and the folder of its modules."""
HOW = (
    "apt-get install user-mode-linux kmod (Debian, Ubuntu), or name a kernel of your own: UML=/path/to/linux"
)
_INSTALLED = "linux.uml"
_MODULES = Path("/usr/lib/uml/modules")
_TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Kernel:
    """A user-mode Linux.

    Attributes:
        path: The program.
        release: Its version, such as 6.1.176.
    """

    path: Path
    release: str

    @cached_property
    def virtual_time(self) -> bool:
        """Whether its clock stands still while anybody computes: CONFIG_UML_TIME_TRAVEL_SUPPORT."""
        return b"time-travel" in self.path.read_bytes()

    @property
    def version(self) -> tuple[int, int]:
        """The first two numbers of its release."""
        major, minor, *_ = self.release.split(".")
        return int(major), int(minor)

    @property
    def modules(self) -> Path | None:
        """The folder of its modules; none where all is built in."""
        named = os.environ.get(MODULES_NAMED_BY)
        folder = Path(named) if named else _MODULES / self.release / "kernel"
        return folder if folder.is_dir() else None

    def lacks(self, discipline: str) -> bool:
        """Whether it surely lacks a queue discipline; without modules the kernel has to be asked."""
        if self.modules is None or discipline in _BUILT_IN:
            return False
        return not (self.modules / "net" / "sched" / f"sch_{discipline}.ko").exists()


_BUILT_IN = ("pfifo", "bfifo")


def installed(default: Path | None = None) -> Kernel:
    """The user-mode Linux of this machine: UML names one, else `default` or the package's."""
    if sys.platform != "linux":
        raise RunError("user-mode Linux needs Linux")
    named = os.environ.get(NAMED_BY)
    path = Path(named) if named else default if default and default.is_file() else _of_package()
    if not path.is_file() or not os.access(path, os.X_OK):
        raise RunError(f"no user-mode Linux at {path} ({NAMED_BY} names it): {HOW}")
    release = _release(path)
    wanted = {"ip": "iproute2", "tc": "iproute2", "setpriv": "util-linux", "insmod": "kmod"}
    missing = [package for command, package in wanted.items() if _where(command) is None]
    if missing:
        packages = " ".join(dict.fromkeys(missing))
        raise RunError(f"user-mode Linux needs programs that are missing: apt-get install {packages}")
    return Kernel(path, release)


def _of_package() -> Path:
    found = _where(_INSTALLED)
    if found is None:
        raise RunError(f"no user-mode Linux ({_INSTALLED}) on this machine: {HOW}")
    return Path(found)


def _where(command: str) -> str | None:
    """Where a program is; users without privileges often lack the folders of administrators in PATH."""
    return shutil.which(command, path=f"{os.environ.get('PATH', '')}:/usr/local/sbin:/usr/sbin:/sbin")


def _release(path: Path) -> str:
    try:
        asked = subprocess.run(  # noqa: S603  (the kernel that the user named)
            [path, "--version"], capture_output=True, text=True, check=False, timeout=_TIMEOUT_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RunError(f"{path} does not run on this machine: {error}") from None
    release = asked.stdout.strip()
    if asked.returncode or not release[:1].isdigit() or release.count(".") < 1:
        raise RunError(f"{path} is no user-mode Linux: --version printed {release[:80]!r}; {HOW}")
    return release
