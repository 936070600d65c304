"""A stream of datagrams at a constant pace within user-mode Linux: one kernel, one clock, so a delay is a difference."""

from __future__ import annotations

import json
import socket
import struct
import sys
import time
from pathlib import Path

PORT = 7777
HEADER_BYTES = 28
"""IPv4 and UDP."""
_STAMP = struct.Struct("!qB")


def send(address: str, mbps: float, ip_bytes: int, warm_up_s: float, seconds: float) -> None:
    """Sends for both times, and marks what belongs to the second."""
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    gap_ns = ip_bytes * 8000.0 / mbps
    begun = time.monotonic_ns()
    padding = bytes(ip_bytes - HEADER_BYTES - _STAMP.size)
    number = 0
    while True:
        due = begun + round(number * gap_ns)
        pause = (due - time.monotonic_ns()) * 1e-9
        if pause > 0:
            time.sleep(pause)
        now = time.monotonic_ns()
        passed_s = (now - begun) * 1e-9
        if passed_s > warm_up_s + seconds:
            break
        out.sendto(_STAMP.pack(now, passed_s > warm_up_s) + padding, (address, PORT))
        number += 1
    time.sleep(0.5)
    for _ in range(20):
        out.sendto(_STAMP.pack(0, 0), (address, PORT))
        time.sleep(0.1)


def receive() -> None:
    """Prints bytes per second and quantiles of the delay, of what came and was marked."""
    into = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    into.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    into.bind(("", PORT))
    arrived, total, delays_ms = [], 0, []
    while True:
        data = into.recv(2048)
        now = time.monotonic_ns()
        sent, measured = _STAMP.unpack_from(data)
        if not sent:
            break
        if measured:
            arrived.append(now)
            total += len(data) + HEADER_BYTES
            delays_ms.append((now - sent) * 1e-6)
    delays_ms.sort()
    seconds = (arrived[-1] - arrived[0]) * 1e-9
    at = lambda share: round(delays_ms[int(share * (len(delays_ms) - 1))], 3)  # noqa: E731
    print(round(8e-6 * total / seconds, 3), at(0.5), at(0.95))


def bulk(path: str) -> None:
    """Prints what the flows of an iperf3 received: their sum, the least and the greatest, in Mbit/s."""
    streams = json.loads(Path(path).read_text(encoding="utf-8"))["end"]["streams"]
    rates = [1e-6 * each["receiver"]["bits_per_second"] for each in streams]
    print(round(sum(rates), 3), round(min(rates), 3), round(max(rates), 3))


if __name__ == "__main__":
    what, *words = sys.argv[1:]
    if what == "send":
        send(words[0], float(words[1]), int(words[2]), float(words[3]), float(words[4]))
    elif what == "receive":
        receive()
    else:
        bulk(*words)
