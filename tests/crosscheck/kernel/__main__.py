"""`make crosscheck-kernel`: records conversations with this machine's kernel, and holds our endpoint against them.

usage: python -m tests.crosscheck.kernel [--seed S] [--conversations N] [--keep FILE] [--differences D]
"""

import argparse
import datetime as dt
import gzip
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from . import tick
from .groups import GROUPS

_ROOT = Path(__file__).parents[3]
_REPLAY = "cargo run --quiet --locked --profile test --package aqmlab-tcp --example replay_kernel --".split()


class MissingError(Exception):
    """This machine cannot do it, and why."""


def namespace_command() -> list[str]:
    """The command that runs another one in a network namespace of its own."""
    if platform.system() != "Linux":
        raise MissingError(f"only Linux has a kernel to ask, and this is {platform.system()}")
    for program, package in (("ip", "iproute2"), ("unshare", "util-linux")):
        if shutil.which(program) is None:
            raise MissingError(f"the program `{program}` is missing: install {package}")
    if not Path("/dev/net/tun").exists():
        raise MissingError("there is no /dev/net/tun: load the kernel's module `tun` (modprobe tun)")
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        raise MissingError("/dev/net/tun may not be opened: become root")
    command = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--net"]
    tried = subprocess.run([*command, "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        raise MissingError(
            f"`{' '.join(command)}` is refused ({tried.stderr.strip()}): become root, or allow unprivileged user namespaces"
            " (sysctl kernel.unprivileged_userns_clone=1, or kernel.apparmor_restrict_unprivileged_userns=0)"
        )
    return command


def record(seed: int, conversations: int, folder: Path) -> str:
    """The text of all groups, which are recorded at once."""
    command = namespace_command()
    recorder = [sys.executable, "-m", "tests.crosscheck.kernel.record"]
    running = {
        name: subprocess.Popen(
            [*command, *recorder, name, str(seed), str(conversations), str(folder / name)],
            cwd=_ROOT,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in GROUPS
    }
    for name, process in running.items():
        _, error = process.communicate()
        if process.returncode:
            raise MissingError(f"the group {name} could not be recorded: {error.strip()}")
    return heading(seed, conversations) + "".join((folder / name).read_text() for name in GROUPS)


def heading(seed: int, conversations: int) -> str:
    interrupts = tick.read()
    slots = (
        "slots of timers known"
        if interrupts.exact
        else "slots of timers not known (/proc/timer_list is for root)"
    )
    return (
        f"# Linux {platform.release()}, {interrupts.hz} interrupts a second, {slots}; seed {seed}, {conversations}"
        f" conversations of each kind; recorded on {dt.datetime.now(tz=dt.UTC).date()} by make crosscheck-kernel\n"
    )


def _write(file: Path, text: str) -> None:
    """Compressed, without a name or time of its own, where the file's name says so."""
    file.write_bytes(gzip.compress(text.encode(), mtime=0) if file.suffix == ".gz" else text.encode())


def main() -> int:
    parser = argparse.ArgumentParser(prog="make crosscheck-kernel", description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=44)
    parser.add_argument("--conversations", type=int, default=60, help="of each group, at most 10,000")
    parser.add_argument(
        "--keep", type=Path, help="write the recordings to this file too, compressed if it ends in .gz"
    )
    parser.add_argument("--differences", type=int, default=5, help="how many first differences are printed")
    asked = parser.parse_args()
    if not 1 <= asked.conversations <= 10_000:
        parser.error("--conversations: 1 to 10,000")
    with tempfile.TemporaryDirectory() as folder:
        try:
            text = record(asked.seed, asked.conversations, Path(folder))
        except MissingError as missing:
            print(f"make crosscheck-kernel: {missing}", file=sys.stderr)
            return 2
        file = asked.keep or Path(folder) / "recordings.txt"
        _write(file, text)
        words = [*_REPLAY, str(file.resolve()), "--differences", str(asked.differences)]
        return subprocess.run(words, cwd=_ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
