"""Commands in processes of their own: what they have computed, what they come to, and how they end.

What promises an end "within a second" is asked for the processor time that a process still uses: by the clock
a busy machine takes any time.
"""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

from small import command

if TYPE_CHECKING:
    import signal
    from collections.abc import Callable, Iterable

LONG_S = 120.0
"""Longer than anything takes on a machine with ten times as much to do."""


def start(*arguments: str | Path) -> subprocess.Popen[str]:
    """`aqmlab` with these arguments, and what it says in pipes."""
    return subprocess.Popen(command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_until(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Waits for something that a process is to bring about."""
    end = time.monotonic() + LONG_S
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.01)


def wait_for(condition: Callable[[], bool], why: str) -> None:
    """Waits for something that nobody in particular brings about."""
    end = time.monotonic() + LONG_S
    while not condition():
        assert time.monotonic() < end, why
        time.sleep(0.02)


def children_of(pid: int) -> list[int]:
    """Processes that a process has started and that have not been waited for."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def processor_s(*pids: int) -> float:
    """Processor time that processes have used, without those that they started."""
    fields = [Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split() for pid in pids]
    return sum(int(each[11]) + int(each[12]) for each in fields) / os.sysconf("SC_CLK_TCK")


def interrupt(process: subprocess.Popen[str], number: signal.Signals) -> tuple[str, float]:
    """What a process says on standard error after a signal, and the seconds that it and its children use."""
    before = _processor_s_of_the_ended() + processor_s(process.pid, *children_of(process.pid))
    process.send_signal(number)
    _, errors = process.communicate(timeout=LONG_S)
    return errors, _processor_s_of_the_ended() - before


def _processor_s_of_the_ended() -> float:
    """Of all processes that this one and they have waited for."""
    return os.times().children_user + os.times().children_system


def ignores(pid: int, number: signal.Signals) -> bool:
    """Whether a process ignores a signal."""
    status: Iterable[str] = Path(f"/proc/{pid}/status").read_text().splitlines()
    [mask] = [line.split()[1] for line in status if line.startswith("SigIgn:")]
    return bool(int(mask, 16) >> (number - 1) & 1)
