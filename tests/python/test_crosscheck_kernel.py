"""The recorder of `make crosscheck-kernel`, without a kernel: packets, peers, text, what it asks for.

The comparison is tested where it is made, in crates/tcp/tests/kernel.rs.
"""

import itertools
import platform
import random
import shutil
import socket
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.crosscheck.kernel import __main__ as command
from tests.crosscheck.kernel import sending, wire
from tests.crosscheck.kernel.acknowledging import AcknowledgingPeer, Network
from tests.crosscheck.kernel.recording import Recording
from tests.crosscheck.kernel.tick import Tick

QUIET = Network(
    round_trip_s=0.1,
    segment_s=0.001,
    total_bytes=8_000,
    loss=0,
    reordering=0,
    reordering_by=0,
    acknowledgement_loss=0,
    duplicates=0,
    acknowledges_every=1,
    bursts=False,
    loses_tail=False,
    pauses=False,
)


class Agenda:
    """Stands for the recorder: keeps what a peer plans."""

    def __init__(self) -> None:
        self.injections: list[wire.Segment] = []
        self.planned: list[Callable[[], None]] = []

    def at(self, _when: float, action: Callable[[], None]) -> None:
        self.planned.append(action)

    def inject(self, packet: bytes) -> None:
        segment = wire.decoded(packet)
        assert segment is not None
        self.injections.append(segment)

    def accept(self, address: str) -> socket.socket:
        raise NotImplementedError


class Silent:
    """Stands for the kernel's socket."""

    def getsockopt(self, _level: int, _option: int, length: int) -> bytes:
        return bytes(length)


def acknowledgements(starts: list[int], network: Network = QUIET) -> list[tuple[int, list[wire.Block]]]:
    """What a receiver answers to segments of 500 bytes at `starts` (RFC 2018 section 4)."""
    agenda = Agenda()
    draw = random.Random(1)  # noqa: S311
    recording = Recording("cubic", 0, "linux6-cubic", timestamps=False, about={})
    peer = AcknowledgingPeer(agenda, recording, draw, network)
    peer.kernels_first = 4_999
    peer.socket = Silent()  # type: ignore[assignment]
    for start in starts:
        peer._arrives(start - 4_999, start - 4_999 + 500, 0)
    for action in agenda.planned:
        action()
    return [(segment.acknowledgement, list(segment.blocks)) for segment in agenda.injections]


def test_the_worked_cases_of_rfc_2018() -> None:
    assert acknowledgements([5000, 5500, 6000, 6500])[-1] == (7000, [])
    first_lost = acknowledgements([5500, 6000, 6500, 7000, 7500, 8000, 8500])
    assert first_lost == [(5000, [(5500, end)]) for end in range(6000, 9001, 500)]
    every_second = acknowledgements([5000, 6000, 7000, 8000])
    assert every_second == [
        (5500, []),
        (5500, [(6000, 6500)]),
        (5500, [(7000, 7500), (6000, 6500)]),
        (5500, [(8000, 8500), (7000, 7500), (6000, 6500)]),
    ]
    # Its continuation: the fourth segment arrives, then the second.
    assert acknowledgements([5000, 6000, 7000, 8000, 6500, 5500])[-2:] == [
        (5500, [(6000, 7500), (8000, 8500)]),
        (7500, [(8000, 8500)]),
    ]


def test_a_duplicate_is_the_first_block_of_one_report() -> None:
    """RFC 2883 section 4."""
    assert acknowledgements([5000, 6000, 6000])[-1] == (5500, [(6000, 6500), (6000, 6500)])
    assert acknowledgements([5000, 5000])[-1] == (5500, [(5000, 5500)])


def test_every_second_segment_in_order_is_acknowledged_at_once() -> None:
    delaying = Network(**{**vars(QUIET), "acknowledges_every": 2})
    numbers = [number for number, _ in acknowledgements([5000, 5500, 6000], delaying)]
    assert numbers[0] == 6000


@pytest.mark.parametrize("stamp", [None, (7, 9)])
def test_a_packet_says_what_was_put_into_it(stamp: tuple[int, int] | None) -> None:
    blocks = ((2_000, 3_000), ((1 << 32) - 500, 200))
    segment = wire.Segment("10.77.1.1", "10.77.0.1", 20_000, 5555, 1_001, 77, wire.ACK, 0, blocks, stamp)
    packet = wire.encoded(segment)
    assert wire.decoded(packet) == segment
    # RFC 1071: the sum over what a checksum covers, itself included, is all ones.
    pseudo = packet[12:20] + struct.pack("!BBH", 0, 6, len(packet) - 20)
    for covered in (packet[:20], pseudo + packet[20:]):
        total = sum(struct.unpack(f"!{len(covered) // 2}H", covered))
        assert total % 0xFFFF == 0
    assert wire.relative(200, (1 << 32) - 500) == 700


def test_a_recording_counts_from_a_turn_of_the_timer_wheel_and_translates_stamps() -> None:
    recording = Recording("cubic", 3, "linux6-cubic", True, {"loss": 0.03})
    recording.arrives(100.0, "SYN 0:0", (1, 0))
    recording.sends(100.0001, "SYN 0:0 ack 1", (5_000, 1))
    recording.arrives(100.1, "1:1 ack 1", (2, 5_000))
    recording.sends(100.1001, "1:1001 ack 1", (5_100, 2))
    recording.window(100.1002, 10_000)
    # 250 interrupts a second: a turn of 512 is 2.048 s; of those that begin at 0.5 s, one at 98.804.
    lines = recording.text(Tick(250, 0.5, exact=True), watched_until=100.3).splitlines()
    assert lines[:3] == ["conversation cubic 3", "about loss 0.03", "profile linux6-cubic"]
    assert [line for line in lines if line[0].isdigit()] == [
        "1.196000 < SYN 0:0 ts 1696 echo 0",
        "1.196100 > SYN 0:0 ack 1 ts 1196",
        "1.296000 < 1:1 ack 1 ts 1796 echo 1196",
        "1.296100 > 1:1001 ack 1 ts 1296",
        "1.296200 = cwnd 10000",
        "1.496000 end",
    ]


def test_a_stream_arrives_whole() -> None:
    for seed in range(50):
        draw = random.Random(seed)  # noqa: S311
        stream = sending.drawn(draw)
        arrivals = sending.plan(stream, draw)
        found = sorted({(start, end) for _, start, end in arrivals})
        assert [start for start, _ in found] == [1 + n * stream.segment_bytes for n in range(stream.segments)]
        assert all(a[1] == b[0] for a, b in itertools.pairwise(found))


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    with pytest.raises(command.MissingError, match="only Linux"):
        command.namespace_command()
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(shutil, "which", lambda program: None if program == "ip" else program)
    with pytest.raises(command.MissingError, match="install iproute2"):
        command.namespace_command()
    monkeypatch.setattr(shutil, "which", lambda program: program)
    monkeypatch.setattr(Path, "exists", lambda path: str(path) != "/dev/net/tun")
    with pytest.raises(command.MissingError, match="modprobe tun"):
        command.namespace_command()
