"""Whether runs have room in memory, asked before they are made.

A process that asks for more memory than there is gets killed, or dies without a word. What a run will take is
estimated from its scenario (`_core.Scenario.memory_estimate`), and held against what this process may still
take.
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from aqmlab.errors import NotEnoughMemoryError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from aqmlab.runs.job import Job

_MIB = 2**20
_UNLIMITED = 2**60
"""A control group without a limit reports a number near 2⁶³."""


def workers_with_room(jobs: Iterable[Job], workers: int, *, each_bytes: int = 0) -> int:
    """How many of these runs have room at a time: at most `workers`, and a warning if it is fewer."""
    available = available_bytes()
    needs = {job.scenario: job for job in jobs}
    if available is None or not needs:
        return workers
    need, job = max(
        ((each_bytes + scenario.core.memory_estimate(), job) for scenario, job in needs.items()),
        key=lambda pair: pair[0],
    )
    if need > available:
        raise NotEnoughMemoryError(
            f"{job}: takes about {need / _MIB:,.0f} MiB of memory, "
            f"and {available / _MIB:,.0f} MiB are free; "
            "legal: fewer users, a shorter run, or less to record"
        )
    fitting = int(available / need)
    if fitting < workers:
        warnings.warn(
            f"parallel runs: {fitting} instead of {workers}, because one takes up to "
            f"{need / _MIB:,.0f} MiB of memory, and {available / _MIB:,.0f} MiB are free",
            stacklevel=2,
        )
    return min(workers, fitting)


def available_bytes() -> int | None:
    """Memory that this process may still take; none where nothing is known.

    It is the least of what the machine, the limit of the address space and the control groups leave.
    """
    return min(_bounds(), default=None)


def _bounds() -> Iterator[int]:
    for line in _lines(Path("/proc/meminfo")):
        if line.startswith("MemAvailable:"):
            yield int(line.split()[1]) * 1024
    yield from _of_address_space()
    for line in _lines(Path("/proc/self/cgroup")):
        _, controllers, path = line.rstrip().split(":", 2)
        if controllers == "":
            yield from _of_group(Path("/sys/fs/cgroup"), path, "memory.max", "memory.current")
        elif "memory" in controllers.split(","):
            yield from _of_group(
                Path("/sys/fs/cgroup/memory"), path, "memory.limit_in_bytes", "memory.usage_in_bytes"
            )


def _of_address_space() -> Iterator[int]:
    """What the limit of the address space leaves, where the system has one."""
    with suppress(ImportError):  # Windows
        import resource  # noqa: PLC0415

        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        if soft != resource.RLIM_INFINITY:
            taken = [int(line.split()[0]) for line in _lines(Path("/proc/self/statm"))]
            yield max(0, soft - (taken[0] if taken else 0) * resource.getpagesize())


def _of_group(root: Path, path: str, limit_name: str, usage_name: str) -> Iterator[int]:
    """What a control group and those above it leave; within a container its own is the root."""
    inner = root / path.lstrip("/")
    for folder in [inner, *inner.parents]:
        limit, usage = _number(folder / limit_name), _number(folder / usage_name)
        if limit is not None and usage is not None and limit < _UNLIMITED:
            # Pages of files are given back when memory is short.
            cached = sum(
                int(line.split()[1])
                for line in _lines(folder / "memory.stat")
                if line.startswith(("inactive_file ", "total_inactive_file "))
            )
            yield max(0, limit - usage + min(cached, usage))
        if folder == root:
            return


def _number(path: Path) -> int | None:
    text = "".join(_lines(path)).strip()
    return int(text) if text.isdecimal() else None


def _lines(path: Path) -> list[str]:
    """The lines of a file that tells about this process; none where there is no such file."""
    try:
        return path.read_text("utf-8").splitlines()
    except OSError:
        return []
