"""Records one group of conversations with the kernel of this machine, inside a network namespace of its own.

usage: python -m tests.crosscheck.kernel.record GROUP SEED CONVERSATIONS FILE
"""

import contextlib
import heapq
import itertools
import os
import random
import select
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from . import acknowledging, sending, tick
from .device import KERNEL, Device
from .groups import GROUPS, Group
from .peer import PORT
from .recording import Recording

_BETWEEN_S = 0.02
"""Conversations begin so long after each other."""
_LONGEST_S = 16.0
"""No conversation is watched for longer, whatever its timers wait for."""
_AFTER_S = 0.4
_TCP_CONGESTION = 13

Peer = acknowledging.AcknowledgingPeer | sending.SendingPeer


def _go_first() -> None:
    """Some percent of a processor, at once: peers of a recorder that waits answer late and in bursts, which is legal, and
    not what was drawn. Where that is not allowed, nothing changes."""
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))


class Recorder:
    """The device, the kernel's listening socket, and what is to be done when."""

    def __init__(self, group: Group, seed: int, conversations: int) -> None:
        self._device = Device(timestamps=group.timestamps)
        self._listener = _listener(group)
        self._agenda: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()
        peers = [self._peer(group, seed, number) for number in range(conversations)]
        self._peers: dict[str, Peer] = {peer.address: peer for peer in peers}

    def _peer(self, group: Group, seed: int, number: int) -> Peer:
        draw = random.Random(f"{seed} {group.name} {number}")
        if group.congestion is None:
            stream = sending.drawn(draw)
            recording = Recording(group.name, number, group.profile, group.timestamps, asdict(stream))
            return sending.SendingPeer(self, recording, draw, stream)
        network = acknowledging.drawn(draw)
        recording = Recording(group.name, number, group.profile, group.timestamps, asdict(network))
        return acknowledging.AcknowledgingPeer(self, recording, draw, network)

    def at(self, when: float, action: Callable[[], None]) -> None:
        heapq.heappush(self._agenda, (when, next(self._order), action))

    def inject(self, packet: bytes) -> None:
        self._device.inject(packet)

    def accept(self, address: str) -> socket.socket:
        accepted, (source, _) = self._listener.accept()
        if source != address:
            raise OSError(f"the kernel accepted {source} and not {address}")
        accepted.setblocking(False)
        return accepted

    def run(self) -> list[Recording]:
        begin = time.monotonic()
        for place, peer in enumerate(self._peers.values()):
            self.at(begin + place * _BETWEEN_S, peer.open)
        last = begin + len(self._peers) * _BETWEEN_S + _LONGEST_S
        while time.monotonic() < last and not all(peer.finished() for peer in self._peers.values()):
            self._step()
        self._until(min(last, time.monotonic() + _AFTER_S))
        if lost := self._device.lost_of_capture():
            raise OSError(f"the capture lost {lost} packets: too many conversations for this machine")
        return [peer.recording for peer in self._peers.values()]

    def _until(self, when: float) -> None:
        while time.monotonic() < when:
            self._step()

    def _step(self) -> None:
        waits = self._agenda[0][0] - time.monotonic() if self._agenda else 0.05
        if waits > 0:
            select.select(self._device.files(), [], [], min(waits, 0.05))
        self._read()
        while self._agenda and self._agenda[0][0] <= time.monotonic():
            heapq.heappop(self._agenda)[2]()
            self._read()

    def _read(self) -> None:
        for captured in self._device.captured():
            segment = captured.segment
            peer = self._peers.get(segment.destination if captured.from_kernel else segment.source)
            if peer is not None:
                peer.captured(captured)


def _listener(group: Group) -> socket.socket:
    listener = socket.socket()
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if group.congestion is not None:
        try:
            listener.setsockopt(socket.IPPROTO_TCP, _TCP_CONGESTION, group.congestion.encode())
        except OSError as error:
            raise OSError(f"this kernel has no congestion control {group.congestion}: {error}") from error
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_000_000)
    listener.bind((KERNEL, PORT))
    listener.listen(1000)
    return listener


def main(words: list[str]) -> int:
    name, seed, conversations, file = words
    _go_first()
    recorder = Recorder(GROUPS[name], int(seed), int(conversations))
    interrupts = tick.read()
    recordings = recorder.run()
    until = time.monotonic()
    Path(file).write_text("".join(recording.text(interrupts, until) for recording in recordings))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except OSError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
