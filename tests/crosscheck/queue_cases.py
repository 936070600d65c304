"""What FQ-CoDel and CAKE are asked in the kernel and here: bulk flows, and a stream that answers to nothing.

A flow of these schedulers is new (sparse), old (bulk), empty among those that take turns (sparse-wait), or decaying. Which of these
a stream is follows from its rate against its fair share, from its packets against the quantum, and from its pauses: the cases.
"""

from __future__ import annotations

import csv
from dataclasses import asdict, dataclass, fields
from itertools import product
from typing import TYPE_CHECKING

from .measurement import FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

STORED = FOLDER / "uml" / "queues.csv"
FRAME_BYTES = 14
"""What the kernel counts with each packet: the header of Ethernet."""

CAKE = "cake besteffort flows"
CAKE_BY_HOST = "cake besteffort triple-isolate"
FQ_CODEL = "fq_codel"
"""The kernel's words."""

SAME, OWN = "same", "own"
"""Hosts of the stream: those of the bulk flows, or two of its own."""


@dataclass(frozen=True)
class Case:
    """Bulk flows of CUBIC, and a stream with its rate while it sends; without `off_ms` it always does."""

    queue: str
    rate_mbps: int
    bulk_flows: int
    round_trip_ms: int
    stream_mbps: float
    packet_bytes: int
    on_ms: int = 0
    off_ms: int = 0
    host: str = SAME

    @property
    def fair_mbps(self) -> float:
        """What a flow gets where all have more and equal turns: IP lengths."""
        frame = self.packet_bytes + FRAME_BYTES
        return self.rate_mbps / (self.bulk_flows + 1) * self.packet_bytes / frame

    @property
    def offered_mbps(self) -> float:
        """What the stream sends on average."""
        on, off = self.on_ms, self.off_ms
        return self.stream_mbps * on / (on + off) if off else self.stream_mbps

    @property
    def transmission_ms(self) -> float:
        """How long the link takes for one of its packets."""
        return (self.packet_bytes + FRAME_BYTES) * 8e-3 / self.rate_mbps

    def __str__(self) -> str:
        pause = f", {self.on_ms} ms on and {self.off_ms} off" if self.off_ms else ""
        host = ", hosts of its own" if self.host == OWN else ""
        return (
            f"{self.queue}, {self.rate_mbps} Mbit/s, {self.bulk_flows} bulk flows of {self.round_trip_ms} ms: "
            f"{self.stream_mbps} Mbit/s in {self.packet_bytes} bytes{pause}{host}"
        )


@dataclass(frozen=True)
class Figures:
    """What comes of a case: IP lengths for the stream; delays until a packet's transmission begins.

    The kernel's devices have no rate: what the queue lets go is there.
    """

    stream_goodput_mbps: float
    delay_p50_ms: float
    delay_p95_ms: float
    bulk_mbps: float
    least_bulk_mbps: float
    greatest_bulk_mbps: float


def cases() -> Iterator[Case]:
    """All that are asked."""
    yield from _shares()
    yield from _pauses()
    for queue, packet_bytes in product((FQ_CODEL, CAKE), (1000, 1500)):
        yield Case(queue, 100, 20, 40, 10.0, packet_bytes)
    yield from _hosts()


def _of_shares(
    queue: str, link: tuple[int, int], packets: Iterable[int], shares: Iterable[float]
) -> Iterator[Case]:
    rate, bulk = link
    for packet_bytes, share in product(packets, shares):
        yield Case(queue, rate, bulk, 20, round(share * rate / (bulk + 1), 3), packet_bytes)


def _shares() -> Iterator[Case]:
    """Streams below, at and above their fair share, small and full packets.

    CAKE's quantum is 300 bytes up to 9.8 Mbit/s, 610 at 20, and a full frame from 49.6 on.
    """
    for queue in (FQ_CODEL, CAKE):
        for link in ((10, 4), (50, 10), (100, 20)):
            yield from _of_shares(queue, link, (200, 1000, 1500), (0.5, 1.0, 2.0))
        yield from _of_shares(queue, (2, 2), (200, 1500), (0.5, 2.0))
        yield from _of_shares(queue, (20, 5), (1500,), (0.5, 1.0, 2.0))
        yield from _of_shares(queue, (10, 4), (1500,), (0.9, 1.1))
        yield from _of_shares(queue, (100, 20), (1500,), (0.9, 1.1))


def _pauses() -> Iterator[Case]:
    """Streams that empty their queue: a fifth of the time at four times their share."""
    for queue, link, packet_bytes in product((FQ_CODEL, CAKE), ((10, 4), (100, 20)), (200, 1500)):
        rate, bulk = link
        while_on = round(4.0 * rate / (bulk + 1), 3)
        for on_ms, off_ms in ((20, 80), (200, 800)):
            yield Case(queue, rate, bulk, 20, while_on, packet_bytes, on_ms, off_ms)


def _hosts() -> Iterator[Case]:
    """CAKE's fairness between hosts, which shortens turns by the number of bulk flows."""
    for packet_bytes, (host, fair_mbps) in product((200, 1500), ((SAME, 2.0), (OWN, 5.0))):
        for share in (0.5, 2.0):
            yield Case(CAKE_BY_HOST, 10, 4, 20, share * fair_mbps, packet_bytes, host=host)


def case_of(row: dict[str, str]) -> Case:
    """A case from words, by their names."""
    kinds = {"str": str, "int": int, "float": float}
    return Case(**{each.name: kinds[str(each.type)](row[each.name]) for each in fields(Case)})


def stored() -> dict[Case, list[Figures]]:
    """What the kernel gave when `--store` was called last, each time that it was asked."""
    found: dict[Case, list[Figures]] = {}
    with STORED.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(line for line in stream if not line.startswith("#")):
            figures = Figures(*(float(row[each.name]) for each in fields(Figures)))
            found.setdefault(case_of(row), []).append(figures)
    return found


def store(about: str, found: dict[Case, list[Figures]]) -> None:
    """Writes uml/queues.csv."""
    with STORED.open("w", encoding="utf-8", newline="") as stream:
        stream.write(f"# {about}. How: ../queues.py.\n")
        stream.write("# The stream's goodput counts IP lengths, that of bulk flows what iperf3 receives.\n")
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([each.name for each in (*fields(Case), *fields(Figures))])
        for case, times in found.items():
            for figures in times:
                writer.writerow([*asdict(case).values(), *asdict(figures).values()])
