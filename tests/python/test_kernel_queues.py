"""FQ-CoDel and CAKE beside what the kernel gave, and the rules of `make crosscheck-queues`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.crosscheck import queue_cases, queues, user_mode_linux
from tests.crosscheck.queue_cases import CAKE, Case, Figures

FULL_PACKETS = Case(CAKE, 100, 20, 20, 9.524, 1500)
OF_KERNEL_MBPS = 4.6 * 1500 / 1472
"""What CAKE of Linux 6.1 gave the stream: iperf3 counts payloads, 1,472 bytes of 1,500.

`cake bandwidth 100mbit besteffort flows` in user-mode Linux, twenty flows of CUBIC and 20 ms, on 28 November
2026.
"""


def figures(**changes: float) -> Figures:
    return Figures(
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
    case = Case("fq_codel", 10, 4, 20, 1.0, 1000)
    assert queues.differences(case, figures(), figures()) == []
    # A fair share is 10/5 of frames, 1,000 bytes of 1,014: 1.97 Mbit/s.
    assert queues.differences(case, figures(stream_goodput_mbps=1.19), figures()) == []
    assert len(queues.differences(case, figures(stream_goodput_mbps=1.21), figures())) == 1
    # Two frames of 1.2112 ms for each of five flows.
    assert queues.differences(case, figures(delay_p50_ms=13.1), figures()) == []
    assert len(queues.differences(case, figures(delay_p50_ms=13.2), figures())) == 1
    assert len(queues.differences(case, figures(bulk_mbps=8.5), figures())) == 1


def test_a_figure_that_is_missing_differs() -> None:
    case = Case("fq_codel", 10, 4, 20, 1.0, 1000)
    assert len(queues.differences(case, figures(delay_p50_ms=float("nan")), figures())) == 1


def test_a_stream_that_gets_less_than_it_sends_is_not_judged_by_its_delay() -> None:
    case = Case("fq_codel", 10, 4, 20, 4.0, 1000)
    assert queues.differences(case, figures(delay_p50_ms=100.0), figures()) == []
    # A fifth of the time at 5 Mbit/s: 1 Mbit/s is all of it.
    paused = Case("fq_codel", 10, 4, 20, 5.0, 1000, 20, 80)
    assert len(queues.differences(paused, figures(delay_p50_ms=100.0), figures())) == 1


def test_cases_are_asked_once_each_and_go_through_a_file_unchanged(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wanted = list(queue_cases.cases())
    assert len(set(wanted)) == len(wanted)
    monkeypatch.setattr(queue_cases, "STORED", tmp_path / "queues.csv")
    queue_cases.store("Linux", {case: [figures(), figures(delay_p50_ms=3.5)] for case in wanted})
    assert queue_cases.stored() == {case: [figures(), figures(delay_p50_ms=3.5)] for case in wanted}


@pytest.mark.parametrize("content", [None, b"a kernel with the clock of the machine"])
def test_without_a_kernel_that_has_a_clock_of_its_own_it_says_how_to_build_one(
    content: bytes | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "linux"
    if content is not None:
        own.write_bytes(content)
        own.chmod(0o755)
    monkeypatch.setenv("UML", str(own))
    monkeypatch.setattr(sys, "argv", ["queues"])
    assert queues.main() == queues.MISSING
    said = capsys.readouterr().err
    assert str(own) in said
    assert user_mode_linux.HOW in said
