"""A line whose rate varies, as a program that pings it sees it: stands in the place of fping.

Two ways, each a fluid queue in front of a rate that changes in steps. What is offered is what the shaper lets through of what somebody wants to send. Every
`PERIOD_S` it answers one ping, as `fping --loop --timestamp` prints it, and writes the bytes that passed the shapers, as the kernel counts them.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

PERIOD_S = 0.047
"""No multiple of it lies near the periods in which the rule waits."""
BASE_S, BUFFER_S = 0.02, 0.6
STEPS: tuple[tuple[float, tuple[float, float], tuple[float, float]], ...] = (
    (0, (30, 8), (0, 0)),
    (4, (30, 8), (100, 0)),
    (16, (14, 8), (100, 0)),
    (26, (40, 8), (100, 0)),
    (36, (40, 8), (0, 0)),
    (42, (20, 6), (100, 100)),
    (54, (20, 2.5), (100, 100)),
    (64, (20, 8), (5, 100)),
    (74, (20, 8), (0, 0)),
)
"""From this second on: what the line carries down and up, and what is wanted, in Mbit/s."""
SECONDS = 80.0
COUNTED = ("ifb4sqm", "wan")
"""The interfaces down and up."""


def shaped_mbps(folder: Path, interface: str) -> float:
    """What `tc` set last."""
    return float((folder / interface).read_text()) / 1e3


def run(folder: Path, reflectors: list[str]) -> None:
    """Pings the reflectors in turn until the end."""
    waiting_bits, passed_bits = [0.0, 0.0], [0.0, 0.0]
    began = before = time.monotonic()
    numbers = dict.fromkeys(reflectors, 0)
    pings = 0
    while before - began < SECONDS:
        time.sleep(max(0.0, began + pings * PERIOD_S - time.monotonic()))
        now = time.monotonic()
        passed_s = now - before
        _, carried, wanted = [step for step in STEPS if step[0] <= now - began][-1]
        delay_s = BASE_S
        for way, interface in enumerate(COUNTED):
            offered_mbps = min(wanted[way], shaped_mbps(folder, interface))
            passed_bits[way] += offered_mbps * 1e6 * passed_s
            waiting = waiting_bits[way] + (offered_mbps - carried[way]) * 1e6 * passed_s
            waiting_bits[way] = min(max(waiting, 0.0), BUFFER_S * carried[way] * 1e6)
            delay_s += waiting_bits[way] / (carried[way] * 1e6)
            statistics = Path("/sys/class/net") / interface / "statistics" / "tx_bytes"
            statistics.write_text(f"{passed_bits[way] / 8:.0f}\n")
        reflector = reflectors[pings % len(reflectors)]
        number, numbers[reflector] = numbers[reflector], numbers[reflector] + 1
        took = 1e3 * delay_s
        print(
            f"[{time.time():.5f}] {reflector} : [{number}], 64 bytes, {took:.3f} ms ({took:.2f} avg, 0% loss)",
            flush=True,
        )
        before, pings = now, pings + 1
    (folder / "over").touch()


if __name__ == "__main__":
    run(Path(os.environ["AUTORATE_LINE"]), [word for word in sys.argv[1:] if word.count(".") == 3])
