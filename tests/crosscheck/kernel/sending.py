"""The peer of a kernel that receives: a sender of data that arrive late, twice, or in another order."""

import functools
import random
import time
from dataclasses import dataclass

from . import wire
from .device import Captured
from .peer import FIRST, Peer, Stage
from .recording import Recording

_ROUND_TRIP_S = 0.05


@dataclass(frozen=True)
class Stream:
    """How a conversation's data are drawn."""

    segment_s: float
    """Between two segments."""
    segments: int
    segment_bytes: int
    late: float
    """Share of the segments that are lost and sent again."""
    reordering: float
    duplicates: float
    pauses: bool


def drawn(draw: random.Random) -> Stream:
    return Stream(
        segment_s=draw.choice([0.0003, 0.001, 0.003, 0.008, 0.02, 0.045]),
        segments=draw.choice([6, 20, 40, 60]),
        segment_bytes=draw.choice([1000, 1000, 400]),
        late=draw.choice([0, 0, 0.05, 0.15]),
        reordering=draw.choice([0, 0, 0.1]),
        duplicates=draw.choice([0, 0, 0.05]),
        pauses=draw.random() < 0.3,
    )


def plan(stream: Stream, draw: random.Random) -> list[tuple[float, int, int]]:
    """When which bytes arrive, in seconds from now."""
    at, start, arrivals = 0.05, 1, []
    for _ in range(stream.segments):
        at += stream.segment_s * draw.uniform(0.7, 1.3)
        if stream.pauses and draw.random() < 0.07:
            at += draw.choice([0.06, 0.25, 0.6])
        end = start + stream.segment_bytes
        if draw.random() < stream.late:
            arrivals.append((at + draw.uniform(0.03, 0.2), start, end))
        else:
            overtaken = draw.uniform(0, 6) * stream.segment_s if draw.random() < stream.reordering else 0
            arrivals.append((at + overtaken, start, end))
            if draw.random() < stream.duplicates:
                arrivals.append((at + draw.uniform(0.001, 0.08), start, end))
        start = end
    return arrivals


class SendingPeer(Peer):
    def __init__(self, stage: Stage, recording: Recording, draw: random.Random, stream: Stream) -> None:
        super().__init__(stage, recording, draw, _ROUND_TRIP_S)
        self.stream = stream
        self.next = 1

    def finished(self) -> bool:
        return self.next > self.stream.segments * self.stream.segment_bytes

    def begins(self) -> None:
        now = time.monotonic()
        for after, start, end in plan(self.stream, self.draw):
            self.stage.at(now + after, functools.partial(self._injects, start, end))

    def receives(self, captured: Captured) -> None:
        self.next = wire.relative(captured.segment.acknowledgement, FIRST)

    def _injects(self, start: int, end: int) -> None:
        self.inject(wire.ACK, sequence=start, acknowledgement=1, payload_bytes=end - start)
        assert self.socket is not None
        try:
            self.socket.recv(1 << 20)
        except BlockingIOError:
            return
