"""The interrupts of this machine's kernel: how many a second, and when the wheel of its timers begins anew."""

import re
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

_COARSE = 6
"""Linux's CLOCK_MONOTONIC_COARSE: moves with each interrupt, but tells whole steps of its own, which lie before it."""
_TIMERS = Path("/proc/timer_list")
_TURN = 512
"""Interrupts after which slots of the wheel's lowest three levels (1, 8 and 64 interrupts) fall together."""
_ATTEMPTS = 200
_STEPS = 25
"""Steps of that clock by which is measured how long before an interrupt they lie."""


@dataclass(frozen=True)
class Tick:
    """`turn_s`: a time (CLOCK_MONOTONIC) at which a turn of the wheel began. `exact`: its number was read; otherwise
    only the phase of an interrupt is known, and a timer of a longer wait may fire another slot earlier or later."""

    hz: int
    turn_s: float
    exact: bool

    def origin(self, before_s: float) -> float:
        """The last beginning of a turn that is not later than `before_s`."""
        length = _TURN / self.hz
        return self.turn_s + (before_s - self.turn_s) // length * length


def _behind_s() -> float:
    """How long after the time that the coarse clock tells an interrupt comes: the median over some, because a busy
    machine sees a step late."""
    behind = []
    for _ in range(_STEPS):
        before = after = time.clock_gettime_ns(_COARSE)
        while after == before:
            after = time.clock_gettime_ns(_COARSE)
        behind.append(time.monotonic_ns() - after)
    return statistics.median(behind) / 1e9


def read() -> Tick:
    hz = round(1 / time.clock_getres(_COARSE))
    behind_s = _behind_s()
    for _ in range(_ATTEMPTS):
        before = time.clock_gettime_ns(_COARSE)
        try:
            text = _TIMERS.read_text()
        except OSError:
            return Tick(hz, before / 1e9 + behind_s, exact=False)
        found = re.search(r"^jiffies: (\d+)", text, re.MULTILINE)
        if found and time.clock_gettime_ns(_COARSE) == before:
            return Tick(hz, before / 1e9 + behind_s - int(found.group(1)) % _TURN / hz, exact=True)
    return Tick(hz, time.clock_gettime_ns(_COARSE) / 1e9 + behind_s, exact=False)
