"""What both kinds of peers of the kernel share: addresses, numbers, the opening, and what is recorded."""

import random
import socket
import time
from collections.abc import Callable
from typing import Protocol

from . import wire
from .device import KERNEL, Captured
from .recording import Recording, blocks_text

PORT = 5555
FIRST = 1000
"""The number of a peer's SYN."""
SEGMENT_BYTES = 1000


class Stage(Protocol):
    """What a peer may do."""

    def at(self, when: float, action: Callable[[], None], /) -> None: ...

    def inject(self, packet: bytes) -> None: ...

    def accept(self, address: str) -> socket.socket: ...


class Peer:
    """One end of a conversation, the other being the kernel."""

    def __init__(self, stage: Stage, recording: Recording, draw: random.Random, round_trip_s: float) -> None:
        self.stage, self.recording, self.draw, self.round_trip_s = stage, recording, draw, round_trip_s
        self.address = f"10.77.{1 + recording.number // 250}.{1 + recording.number % 250}"
        self.port = 20_000 + recording.number
        self.socket: socket.socket | None = None
        self.kernels_first: int | None = None
        self.latest_stamp = 0

    def open(self) -> None:
        self.inject(wire.SYN, sequence=0, acknowledgement=0)

    def captured(self, captured: Captured) -> None:
        """A segment of this conversation has passed the device."""
        segment = captured.segment
        if not captured.from_kernel:
            text = (
                "SYN 0:0" if segment.flags & wire.SYN else self._text(segment, FIRST, self.kernels_first or 0)
            )
            self.recording.arrives(captured.at, text, segment.stamp)
        elif segment.flags & wire.SYN:
            if self.kernels_first is None:
                self.kernels_first = segment.sequence
                self.latest_stamp = segment.stamp[0] if segment.stamp else 0
                self.stage.at(captured.at + self.round_trip_s, self._complete)
            self.recording.sends(captured.at, "SYN 0:0 ack 1", segment.stamp)
        elif not segment.flags & wire.RST:
            text = self._text(segment, self.kernels_first or 0, FIRST)
            self.recording.sends(captured.at, text, segment.stamp)
            self.receives(captured)

    def receives(self, captured: Captured) -> None:
        """The kernel has sent a segment that is no SYN."""
        raise NotImplementedError

    def begins(self) -> None:
        """The connection is open."""
        raise NotImplementedError

    def inject(
        self,
        flags: int,
        *,
        sequence: int,
        acknowledgement: int,
        payload_bytes: int = 0,
        blocks: tuple[wire.Block, ...] = (),
        echo: int | None = None,
    ) -> None:
        kernels_first = self.kernels_first or 0
        stamp = None
        if self.recording.timestamps:
            stamp = (int(1000 * time.monotonic()) & 0x7FFFFFFF, self.latest_stamp if echo is None else echo)
        segment = wire.Segment(
            self.address,
            KERNEL,
            self.port,
            PORT,
            FIRST + sequence,
            kernels_first + acknowledgement if flags & wire.ACK else 0,
            flags,
            payload_bytes,
            tuple((kernels_first + start, kernels_first + end) for start, end in blocks),
            stamp,
        )
        room = 12 if self.recording.timestamps else 0
        self.stage.inject(
            wire.encoded(segment, maximum_segment=SEGMENT_BYTES + room if flags & wire.SYN else None)
        )

    def _complete(self) -> None:
        self.inject(wire.ACK, sequence=1, acknowledgement=1)
        self.socket = self.stage.accept(self.address)
        self.begins()

    @staticmethod
    def _text(segment: wire.Segment, first: int, first_of_other: int) -> str:
        start = wire.relative(segment.sequence, first)
        acknowledged = wire.relative(segment.acknowledgement, first_of_other)
        blocks = [
            (wire.relative(a, first_of_other), wire.relative(b, first_of_other)) for a, b in segment.blocks
        ]
        return f"{start}:{start + segment.payload_bytes} ack {acknowledged}{blocks_text(blocks)}"
