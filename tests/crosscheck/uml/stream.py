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
_STAMP = struct.Struct("!qq")
"""When the stream began, and when this datagram was sent."""


def send(address: str, mbps: float, ip_bytes: int, on_s: float, off_s: float, until_s: float) -> None:
    """Sends, with pauses of `off_s` after each `on_s` if both are positive, and then says that it is over."""
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    gap_s = ip_bytes * 8e-6 / mbps
    each = max(round(on_s / gap_s), 1) if off_s else 1
    period_s = on_s + off_s if off_s else gap_s
    begun = time.monotonic_ns()
    padding = bytes(ip_bytes - HEADER_BYTES - _STAMP.size)
    number = 0
    while (due_s := number // each * period_s + number % each * gap_s) < until_s:
        pause_s = due_s - (time.monotonic_ns() - begun) * 1e-9
        if pause_s > 0:
            time.sleep(pause_s)
        out.sendto(_STAMP.pack(begun, time.monotonic_ns()) + padding, (address, PORT))
        number += 1
    time.sleep(0.5)
    for _ in range(20):
        out.sendto(_STAMP.pack(0, 0), (address, PORT))
        time.sleep(0.1)


def receive(from_s: float, until_s: float) -> None:
    """Prints bytes per second and quantiles of the delay, of what came in this time of the stream."""
    into = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    into.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    into.bind(("", PORT))
    total, delays_ms = 0, []
    while True:
        data = into.recv(2048)
        now = time.monotonic_ns()
        begun, sent = _STAMP.unpack_from(data)
        if not begun:
            break
        if from_s <= (now - begun) * 1e-9 < until_s:
            total += len(data) + HEADER_BYTES
            delays_ms.append((now - sent) * 1e-6)
    delays_ms.sort()
    at = lambda share: round(delays_ms[int(share * (len(delays_ms) - 1))], 4)  # noqa: E731
    print(round(8e-6 * total / (until_s - from_s), 4), at(0.5), at(0.95))


def bulk(path: str) -> None:
    """Prints what the flows of an iperf3 received: their sum, the least and the greatest, in Mbit/s."""
    streams = json.loads(Path(path).read_text(encoding="utf-8"))["end"]["streams"]
    rates = [1e-6 * each["receiver"]["bits_per_second"] for each in streams]
    print(round(sum(rates), 4), round(min(rates), 4), round(max(rates), 4))


if __name__ == "__main__":
    what, *words = sys.argv[1:]
    if what == "send":
        send(words[0], float(words[1]), int(words[2]), *map(float, words[3:]))
    elif what == "receive":
        receive(*map(float, words))
    else:
        bulk(*words)
