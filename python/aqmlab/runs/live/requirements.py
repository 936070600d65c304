"""What live runs need of a machine: whether it is there, and how to get it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from aqmlab.errors import RunError
from aqmlab.runs.live.probe import BACKENDS
from aqmlab.runs.user_mode.kernel import installed

_DESCRIPTORS = 20_000
_TUN = Path("/dev/net/tun")
_LATENCY = Path("/dev/cpu_dma_latency")
_AFTER = "not tried: it lies in the namespaces"


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

    def __str__(self) -> str:
        mark = "present" if self.found else "MISSING" if self.needed else "absent"
        return f"{mark:8} {self.name}{'' if self.found else f': {self.remedy}'}"


def needs() -> list[Need]:
    """What live runs need here, in the order in which they ask for it: tried, and not guessed."""
    if sys.platform != "linux":
        return [Need("Linux", found=False, needed=True, remedy="run it on Linux, or in a virtual machine")]
    import resource  # noqa: PLC0415 (Windows has none)

    refused = _refused()
    namespaces = next((text for text in refused.values() if text and "namespace:" in text), None)
    ways = {backend: namespaces is None and refused.get(backend) is None for backend in BACKENDS}
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return [
        Need("Linux", found=True, needed=True, remedy=""),
        Need(
            "network namespaces" if os.geteuid() == 0 else "user namespaces with network namespaces",
            found=namespaces is None,
            needed=True,
            remedy=_namespace_remedy(namespaces or ""),
        ),
        Need("the command ip", found=_has("ip"), needed=True, remedy="install iproute2"),
        Need("the command tc (--kernel)", found=_has("tc"), needed=False, remedy="install iproute2"),
        Need(
            "packet sockets at veth devices (--backend af-packet)",
            found=ways["af-packet"],
            needed=not ways["tun"],
            remedy=f"modprobe veth af_packet ({refused.get('af-packet')})" if namespaces is None else _AFTER,
        ),
        Need(
            "the device /dev/net/tun (--backend tun)",
            found=ways["tun"],
            needed=not ways["af-packet"],
            remedy=_tun_remedy() if namespaces is None else _AFTER,
        ),
        *_of_hosts(refused),
        _user_mode(),
        Need(
            "the real-time class SCHED_FIFO",
            found=_succeeds(["chrt", "--fifo", "10", "true"]),
            needed=False,
            remedy=_real_time_remedy(),
        ),
        Need(
            f"processors that stay awake ({_LATENCY})",
            found=_opens(_LATENCY),
            needed=False,
            remedy=_awake_remedy(),
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


def _of_hosts(refused: dict[str, str | None]) -> list[Need]:
    return [
        Need(f"host settings {name}", found=text is None, needed=False, remedy=f"another kernel ({text})")
        for name, text in refused.items()
        if name not in {"process", *BACKENDS}
    ]


def _refused() -> dict[str, str | None]:
    command = [sys.executable, "-m", "aqmlab.runs.live.probe"]
    made = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603  (our own command)
    try:
        refused: dict[str, str | None] = json.loads(made.stdout)
    except ValueError:
        lines = made.stderr.splitlines() or ["it ended without a message"]
        refused = dict.fromkeys(("process", *BACKENDS), lines[-1])
    return {name: text and text.partition("; `aqmlab doctor`")[0] for name, text in refused.items()}


def _user_mode() -> Need:
    """A kernel that needs none of the others."""
    name = "user-mode Linux (--kernel user-mode)"
    try:
        found = installed()
    except RunError as error:
        return Need(name, found=False, needed=False, remedy=str(error))
    clock = "virtual" if found.virtual_time else "real"
    return Need(f"{name}, {found.release} in {clock} time", found=True, needed=False, remedy="")


def _has(command: str) -> bool:
    return shutil.which(command) is not None


def _tun_remedy() -> str:
    if not _TUN.exists():
        return "modprobe tun, or give the container the device: --device /dev/net/tun"
    return "run as root, or let others open it: chmod 0666 /dev/net/tun (a udev rule keeps it so)"


def _opens(device: Path) -> bool:
    """Whether it may be written to: a container's root may see a device that it is refused."""
    try:
        os.close(os.open(device, os.O_WRONLY))
    except OSError:
        return False
    return True


def _awake_remedy() -> str:
    if os.geteuid() == 0 or not _LATENCY.exists():
        return f"give the container the device, --device {_LATENCY}, or boot the kernel with idle=poll"
    return f"run as root, or let others open it: chmod 0666 {_LATENCY} (a udev rule keeps it so)"


def _real_time_remedy() -> str:
    if not _has("chrt"):
        return "install util-linux, which has the command chrt"
    if os.geteuid() == 0:
        return "give the container the capability: --cap-add SYS_NICE"
    return (
        f"run as root, or add the line `{_user_name(os.getuid())} - rtprio 10` to "
        "/etc/security/limits.conf and log in again; "
        "without it the router waits for its turn"
    )


def _user_name(user: int) -> str:
    """A user's name; the number of one without."""
    import pwd  # noqa: PLC0415 (Windows has none)

    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)


def _namespace_remedy(said: str) -> str:
    forbidding = (
        ("user.max_user_namespaces", "0", "10000"),
        ("user.max_net_namespaces", "0", "10000"),
        ("kernel.unprivileged_userns_clone", "0", "1"),
        ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),
    )
    for name, forbids, allows in forbidding:
        file = Path("/proc/sys") / name.replace(".", "/")
        if file.exists() and file.read_text().strip() == forbids:
            return f"as root, sysctl -w {name}={allows} ({said})"
    if os.geteuid() == 0:
        return f"start the container with --cap-add SYS_ADMIN --cap-add NET_ADMIN ({said})"
    return (
        "run as root; in a container also with --security-opt seccomp=unconfined, or "
        f"--cap-add SYS_ADMIN --cap-add NET_ADMIN ({said})"
    )


def _succeeds(command: list[str]) -> bool:
    try:
        found = subprocess.run(command, check=False, capture_output=True)  # noqa: S603  (our own command)
    except OSError:
        return False
    return found.returncode == 0
