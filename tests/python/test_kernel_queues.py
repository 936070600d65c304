"""CAKE beside what the kernel gave, and the rules of `make crosscheck-queues`, without user-mode Linux."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.crosscheck import queues

FULL_PACKETS = queues.Case("cake besteffort flows", 100, 20, 10.0, 1500)
OF_KERNEL_MBPS = 4.6 * 1500 / 1472
"""What CAKE of Linux 6.1 gave the stream: iperf3 counts payloads, 1,472 bytes of 1,500.

`cake bandwidth 100mbit besteffort flows` in user-mode Linux, twenty flows of CUBIC and 20 ms, on 28 November
2026.
"""


def figures(**changes: float) -> queues.Figures:
    return queues.Figures(
        **{
            "stream_goodput_mbps": 1.0,
            "delay_p50_ms": 1.0,
            "delay_p95_ms": 2.0,
            "bulk_mbps": 8.0,
            "least_bulk_mbps": 1.9,
            "greatest_bulk_mbps": 2.1,
            **changes,
        }
    )


@pytest.mark.parametrize("frames", [True, False])
def test_full_packets_wait_for_their_turn_as_in_the_kernel(frames: bool) -> None:
    # The largest quantum is a full packet in whatever the queue counts. Against IP lengths the kernel's 1514
    # left 14 bytes, with which the flow was new at each packet.
    found = queues.ours(FULL_PACKETS, frames=frames)
    assert found.stream_goodput_mbps == pytest.approx(OF_KERNEL_MBPS, rel=0.1)
    assert found.greatest_bulk_mbps < 1.1 * FULL_PACKETS.fair_mbps


def test_the_kernels_quantum_against_ip_lengths_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = {**queues.SCHEMES[FULL_PACKETS.queue], "quantum_bytes": 1514}
    monkeypatch.setitem(queues.SCHEMES, FULL_PACKETS.queue, ours)
    assert queues.ours(FULL_PACKETS, frames=False).stream_goodput_mbps > 1.5 * OF_KERNEL_MBPS


def test_a_case_differs_by_a_tenth_of_its_share_or_by_turns_of_delay() -> None:
    case = queues.Case("fq_codel", 10, 4, 1.0, 1000)
    assert queues.differences(case, figures(), figures()) == []
    # A fair share is 10/5 of frames, 1,000 bytes of 1,014: 1.97 Mbit/s.
    assert queues.differences(case, figures(stream_goodput_mbps=1.19), figures()) == []
    assert len(queues.differences(case, figures(stream_goodput_mbps=1.21), figures())) == 1
    # Two frames of 1.2112 ms for each of five flows.
    assert queues.differences(case, figures(delay_p50_ms=13.1), figures()) == []
    assert len(queues.differences(case, figures(delay_p50_ms=13.2), figures())) == 1
    assert len(queues.differences(case, figures(bulk_mbps=8.5), figures())) == 1


def test_a_kernel_that_does_not_fill_its_link_is_no_oracle() -> None:
    case = queues.Case("fq_codel", 10, 4, 1.0, 1000)
    assert not queues.is_starved(case, figures())
    assert queues.is_starved(case, figures(bulk_mbps=7.7))


def test_without_user_mode_linux_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("UML", raising=False)
    monkeypatch.setattr(sys, "argv", ["queues"])
    assert queues.main() == queues.SKIPPED
    said = capsys.readouterr().err
    assert said.startswith("skipped: no linux.uml, ip, tc, iperf3, ethtool, insmod. apt-get install")
