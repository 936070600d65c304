"""The peer of a kernel that sends: a receiver with selective acknowledgements (RFC 2018, 2883) behind a network that
loses, reorders and duplicates."""

import random
import socket
import struct
import time
from dataclasses import dataclass

from . import wire
from .device import Captured
from .peer import SEGMENT_BYTES, Peer, Stage
from .recording import Recording

_TCP_INFO, _WINDOW, _INFO_BYTES = 11, 80, 104
_DELAY_S = 0.04
"""A delayed acknowledgement waits so long at most."""
_BETWEEN_ACKNOWLEDGEMENTS_S = 0.0014
_DUPLICATE_AFTER_S = 0.003
_TAIL_BYTES = 3 * SEGMENT_BYTES


@dataclass(frozen=True)
class Network:
    """How a conversation's network is drawn."""

    round_trip_s: float
    segment_s: float
    """The time of a segment on the bottleneck."""
    total_bytes: int
    loss: float
    reordering: float
    reordering_by: float
    """How much longer an overtaken segment takes at most, in round trips."""
    acknowledgement_loss: float
    duplicates: float
    acknowledges_every: int
    bursts: bool
    loses_tail: bool
    pauses: bool


def drawn(draw: random.Random) -> Network:
    return Network(
        round_trip_s=draw.choice([0.06, 0.1, 0.1, 0.2]),
        segment_s=draw.choice([0.0015, 0.002, 0.003, 0.005]),
        total_bytes=SEGMENT_BYTES * draw.choice([10, 15, 20, 30, 40, 60, 100]),
        loss=draw.choice([0, 0.01, 0.03, 0.06, 0.12, 0.25]),
        reordering=draw.choice([0, 0, 0, 0.03, 0.1]),
        reordering_by=draw.choice([0.2, 0.5, 0.9]),
        acknowledgement_loss=draw.choice([0, 0, 0.1, 0.3]),
        duplicates=draw.choice([0, 0, 0, 0.05]),
        acknowledges_every=draw.choice([1, 2]),
        bursts=draw.random() < 0.3,
        loses_tail=draw.random() < 0.25,
        pauses=draw.random() < 0.3,
    )


class AcknowledgingPeer(Peer):
    def __init__(self, stage: Stage, recording: Recording, draw: random.Random, network: Network) -> None:
        super().__init__(stage, recording, draw, network.round_trip_s)
        self.network = network
        self.next, self.acknowledged = 1, 1
        self.blocks: list[wire.Block] = []
        self.unacknowledged = 0
        self.delayed_until: float | None = None
        self.bottleneck_free_at = 0.0
        self.last_injection = 0.0
        self.burst_left = 0
        self.highest = 0
        self.window: int | None = None
        for name in ("segments", "lost", "retransmissions"):
            recording.about[name] = 0

    def finished(self) -> bool:
        return self.next > self.network.total_bytes

    def begins(self) -> None:
        if not self.network.pauses:
            self._write(self.network.total_bytes)
            return
        half = self.network.total_bytes // 2
        self._write(half)
        later = time.monotonic() + self.draw.choice([0.3, 0.8, 2.5])
        self.stage.at(later, lambda: self._write(self.network.total_bytes - half))

    def _write(self, count: int) -> None:
        assert self.socket is not None
        self.recording.writes(time.monotonic(), count)
        if self.socket.send(bytes(count)) != count:
            raise OSError(f"the kernel's socket has no room for {count} bytes; raise net.core.wmem_max")

    def receives(self, captured: Captured) -> None:
        segment = captured.segment
        start = wire.relative(segment.sequence, self.kernels_first or 0)
        while (
            left := captured.segment.payload_bytes
            - (start - wire.relative(segment.sequence, self.kernels_first or 0))
        ) > 0:
            self._travels(captured.at, start, start + min(left, SEGMENT_BYTES), segment.stamp)
            start += min(left, SEGMENT_BYTES)

    def _travels(self, at: float, start: int, end: int, stamp: tuple[int, int] | None) -> None:
        self.recording.about["segments"] += 1
        self.recording.about["retransmissions"] += start < self.highest
        self.highest = max(self.highest, end)
        if self._is_lost(end):
            self.recording.about["lost"] += 1
            return
        network, draw = self.network, self.draw
        self.bottleneck_free_at = max(at, self.bottleneck_free_at) + network.segment_s
        arrives = self.bottleneck_free_at + network.round_trip_s / 2
        if draw.random() < network.reordering:
            arrives += network.reordering_by * network.round_trip_s * draw.random()
        value = stamp[0] if stamp else 0
        self.stage.at(arrives, lambda: self._arrives(start, end, value))
        if draw.random() < network.duplicates:
            self.stage.at(arrives + _DUPLICATE_AFTER_S, lambda: self._arrives(start, end, value))

    def _is_lost(self, end: int) -> bool:
        network, draw = self.network, self.draw
        lost = draw.random() < network.loss
        if network.bursts:
            if not self.burst_left and draw.random() < network.loss / 3:
                self.burst_left = draw.randint(2, 7)
            lost = self.burst_left > 0
            self.burst_left -= lost
        return lost or (
            network.loses_tail and end > network.total_bytes - _TAIL_BYTES and draw.random() < 0.5
        )

    def _arrives(self, start: int, end: int, stamp: int) -> None:
        if start <= self.acknowledged:  # RFC 7323 section 4.3
            self.latest_stamp = max(self.latest_stamp, stamp)
        duplicate = end <= self.next or any(a <= start and end <= b for a, b in self.blocks)
        if not duplicate:
            self._joins(start, end)
        self.unacknowledged += 1
        if duplicate or self.blocks or self.unacknowledged >= self.network.acknowledges_every:
            self._acknowledge((start, end) if duplicate else None)
        elif self.delayed_until is None:
            self.delayed_until = until = time.monotonic() + _DELAY_S
            self.stage.at(until, lambda: self._delay_ends(until))

    def _joins(self, start: int, end: int) -> None:
        touching = [block for block in self.blocks if block[0] <= end and start <= block[1]]
        whole = (min([start, *(a for a, _ in touching)]), max([end, *(b for _, b in touching)]))
        rest = [block for block in self.blocks if block not in touching]
        if start <= self.next:
            self.next, self.blocks = whole[1], rest
        else:
            self.blocks = [whole, *rest]

    def _delay_ends(self, until: float) -> None:
        if self.delayed_until == until:
            self._acknowledge(None)

    def _acknowledge(self, duplicate: wire.Block | None) -> None:
        self.unacknowledged, self.delayed_until, self.acknowledged = 0, None, self.next
        blocks = ([duplicate] if duplicate else []) + self.blocks
        blocks = blocks[: 3 if self.recording.timestamps else 4]
        if self.draw.random() < self.network.acknowledgement_loss:
            return
        when = max(
            time.monotonic() + self.round_trip_s / 2, self.last_injection + _BETWEEN_ACKNOWLEDGEMENTS_S
        )
        self.last_injection = when
        number, echo = self.next, self.latest_stamp
        self.stage.at(when, lambda: self._injects(number, tuple(blocks), echo))

    def _injects(self, number: int, blocks: tuple[wire.Block, ...], echo: int) -> None:
        self.inject(wire.ACK, sequence=1, acknowledgement=number, blocks=blocks, echo=echo)
        assert self.socket is not None
        info = self.socket.getsockopt(socket.IPPROTO_TCP, _TCP_INFO, _INFO_BYTES)
        (window,) = struct.unpack_from("I", info, _WINDOW)
        if window != self.window:
            self.window = window
            self.recording.window(time.monotonic(), window * SEGMENT_BYTES)
