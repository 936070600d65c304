"""A TUN device in a network namespace, and a capture of what passes it, with the kernel's own time of each packet.

The capture, not the device, is what is recorded: a program that has to wait for a processor reads it late, and nothing of
it changes.
"""

import fcntl
import os
import socket
import struct
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from . import wire

NAME = "aqmtun0"
KERNEL = "10.77.0.1"
_TUNSETIFF, _IFF_TUN, _IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
_ETH_P_ALL, _SO_TIMESTAMPNS, _SOL_PACKET, _PACKET_STATISTICS, _PACKET_OUTGOING = 3, 35, 263, 6, 4
_HEADERS_BYTES = 160
_SETTINGS = {
    "tcp_no_metrics_save": 1,
    "tcp_ecn": 0,
    "tcp_sack": 1,
    "tcp_dsack": 1,
    "tcp_slow_start_after_idle": 1,
}


@dataclass(frozen=True)
class Captured:
    """A segment, when it passed (CLOCK_MONOTONIC, seconds), and whether the kernel sent it."""

    at: float
    segment: wire.Segment
    from_kernel: bool


class Device:
    """The kernel is `KERNEL`; every other address of 10.77.0.0/16 is a peer that this program plays."""

    def __init__(self, *, timestamps: bool) -> None:
        self._tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(self._tun, _TUNSETIFF, struct.pack("16sH14x", NAME.encode(), _IFF_TUN | _IFF_NO_PI))
        _configure(timestamps=timestamps)
        self._capture = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(_ETH_P_ALL))
        self._capture.bind((NAME, _ETH_P_ALL))
        self._capture.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
        self._capture.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self._capture.setblocking(False)
        self._realtime_ahead = _realtime_ahead()

    def files(self) -> list[int]:
        """What becomes readable when the kernel has sent something."""
        return [self._tun, self._capture.fileno()]

    def inject(self, packet: bytes) -> None:
        """The kernel receives `packet`, and has answered when this returns."""
        os.write(self._tun, packet)

    def captured(self) -> Iterator[Captured]:
        """What has passed since the last call, in its order."""
        self._empty()
        while True:
            try:
                packet, ancillary, _, address = self._capture.recvmsg(_HEADERS_BYTES, 64)
            except BlockingIOError:
                return
            segment = wire.decoded(packet)
            if segment is not None:
                seconds, nanoseconds = struct.unpack("qq", ancillary[0][2][:16])
                at = seconds + nanoseconds / 1e9 - self._realtime_ahead
                yield Captured(at, segment, address[2] == _PACKET_OUTGOING)

    def lost_of_capture(self) -> int:
        """Packets that the capture had no room for."""
        lost: int
        _, lost = struct.unpack("II", self._capture.getsockopt(_SOL_PACKET, _PACKET_STATISTICS, 8))
        return lost

    def _empty(self) -> None:
        """A full queue of the device would tell the kernel of congestion."""
        while True:
            try:
                os.read(self._tun, 1 << 16)
            except BlockingIOError:
                return


def _realtime_ahead() -> float:
    """What the clock of captures is ahead of CLOCK_MONOTONIC: by the reading that nothing interrupted."""
    readings = []
    for _ in range(20):
        before, realtime, after = time.monotonic(), time.time(), time.monotonic()
        readings.append((after - before, realtime - (before + after) / 2))
    return min(readings)[1]


def _configure(*, timestamps: bool) -> None:
    folder = Path("/proc/sys/net/ipv4")
    for name, value in {**_SETTINGS, "tcp_timestamps": int(timestamps)}.items():
        (folder / name).write_text(f"{value}\n")
    for line in (
        f"ip address add {KERNEL}/16 dev {NAME}",
        f"ip link set {NAME} mtu 1500 gso_max_segs 1 up",
        "ip link set lo up",
    ):
        _run(line)
    if " qdisc fq " in _run(f"ip link show dev {NAME}"):
        _run(f"tc qdisc replace dev {NAME} root pfifo limit 1000")  # fq would pace


def _run(line: str) -> str:
    done = subprocess.run(line.split(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"`{line}`: {done.stderr.strip()}")
    return done.stdout
