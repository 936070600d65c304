"""The kernel's own queue disciplines: which of a scenario's schemes this kernel has.

They are asked for in a network namespace of their own, which ends with the question.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_OF_SCHEMES: Mapping[str, tuple[str, ...]] = {
    "drop-tail": ("pfifo", "limit", "100"),
    "red": ("red", "limit", "100000", "min", "10000", "max", "30000", "avpkt", "1000", "bandwidth", "10mbit"),
    "codel": ("codel",),
    "pie": ("pie",),
    "fq-codel": ("fq_codel",),
    "choke": ("choke", "limit", "100", "min", "10", "max", "30", "bandwidth", "10mbit"),
    "sfb": ("sfb",),
    "cake": ("cake",),
    "dualpi2": ("dualpi2",),
}
"""The kernel's discipline that has the name of a scheme, with arguments that it takes (tc(8))."""


def in_words(schemes: Iterable[str]) -> str:
    """Of each scheme whether the kernel has a discipline of that name."""
    return "; ".join(_of(scheme) for scheme in sorted(set(schemes)))


def _of(scheme: str) -> str:
    words = _OF_SCHEMES.get(scheme)
    if words is None:
        return f"Linux has no discipline {scheme}"
    found = {True: "this kernel has", False: "this kernel lacks", None: "the kernel could not be asked for"}
    return f"{found[_has(words)]} {words[0]} (for {scheme})"


def _has(words: tuple[str, ...]) -> bool | None:
    namespace = ["--net"] if os.geteuid() == 0 else ["--user", "--map-root-user", "--net"]
    command = ["unshare", *namespace, "tc", "qdisc", "add", "dev", "lo", "root", *words]
    try:
        asked = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603  (our own)
    except OSError:
        return None
    if asked.returncode != 0 and "unknown" not in asked.stderr.lower():
        return None
    return asked.returncode == 0
