"""What live runs need of a machine: whether it is there, and how to get it."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_DESCRIPTORS = 20_000
_TUN = Path("/dev/net/tun")


@dataclass(frozen=True, slots=True)
class Need:
    """Something that live runs need.

    Attributes:
        name: What it is.
        found: Whether it is there.
        needed: Whether there is no live run without it; otherwise runs are only likelier to be suspect.
        remedy: How to get it.
    """

    name: str
    found: bool
    needed: bool
    remedy: str


def needs() -> list[Need]:
    """What live runs need here, in the order in which they ask for it."""
    if sys.platform != "linux":
        return [Need("Linux", found=False, needed=True, remedy="run it on Linux, or in a virtual machine")]
    root = os.geteuid() == 0
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return [
        Need("Linux", found=True, needed=True, remedy=""),
        Need(
            "network namespaces" if root else "user namespaces with network namespaces",
            found=_namespaces(root=root),
            needed=True,
            remedy=_namespace_remedy(),
        ),
        Need("the device /dev/net/tun", found=_tun(), needed=True, remedy=_tun_remedy()),
        Need("the command ip", found=_has("ip"), needed=True, remedy="install iproute2"),
        Need(
            "the real-time class SCHED_FIFO",
            found=root and _has("chrt") and _fifo(),
            needed=False,
            remedy="run as root, with chrt of util-linux; without it the router waits for its turn",
        ),
        Need(
            f"{_DESCRIPTORS:,} open files",
            found=most >= _DESCRIPTORS,
            needed=False,
            remedy=f"raise the hard limit, now {most:,}: ulimit -Hn, or /etc/security/limits.conf",
        ),
        Need(
            "two cores",
            found=len(os.sched_getaffinity(0)) > 1,
            needed=False,
            remedy="give the machine a second core: one is for the router",
        ),
    ]


def _has(command: str) -> bool:
    return shutil.which(command) is not None


def _namespaces(*, root: bool) -> bool:
    flags = ["--net"] if root else ["--user", "--map-root-user", "--net"]
    return _succeeds(["unshare", *flags, "true"])


def _fifo() -> bool:
    return _succeeds(["chrt", "--fifo", "10", "true"])


def _tun() -> bool:
    try:
        os.close(os.open(_TUN, os.O_RDWR | os.O_CLOEXEC))
    except OSError:
        return False
    return True


def _tun_remedy() -> str:
    if not _TUN.exists():
        return "modprobe tun, or give the container the device: --device /dev/net/tun"
    return "run as root, or let others open it: chmod 0666 /dev/net/tun (a udev rule keeps it so)"


def _namespace_remedy() -> str:
    for name, value in (
        ("kernel.apparmor_restrict_unprivileged_userns", "0"),
        ("kernel.unprivileged_userns_clone", "1"),
    ):
        file = Path("/proc/sys") / name.replace(".", "/")
        if file.exists() and file.read_text().strip() != value:
            return f"sysctl -w {name}={value}, or run as root"
    return "run as root; in a container, with --cap-add SYS_ADMIN --cap-add NET_ADMIN"


def _succeeds(command: list[str]) -> bool:
    try:
        found = subprocess.run(command, check=False, capture_output=True)  # noqa: S603  (our own command)
    except OSError:
        return False
    return found.returncode == 0
