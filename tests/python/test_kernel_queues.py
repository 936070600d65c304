"""FQ-CoDel and CAKE beside what the kernel gave, and the rules of `make crosscheck-queues`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import aqmlab

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.crosscheck import queue_cases, queues, user_mode_linux
from tests.crosscheck.queue_cases import CAKE, Case, Figures

KERNEL = queue_cases.stored()
"""What Linux 6.1 gave (tests/crosscheck/uml/queues.csv)."""
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


def late(case: Case, **queue: object) -> Figures:
    """Ours of a case whose stream begins when the bulk flows have been there for two seconds."""
    scenario = queues.scenario_of(case, frames=not queue)
    scenario["duration_s"], scenario["warm_up_s"] = 8.0, 4.0
    scenario["datagrams"][0]["start_s"] = 2.0
    scenario["dumbbell"]["queue"] |= queue
    return queues.figures_of(case, aqmlab.run(scenario, seed=1))


def test_the_kernels_quantum_against_ip_lengths_differs() -> None:
    # Ours of before: the flow of a stream that comes late was new at each packet.
    assert late(FULL_PACKETS, quantum_bytes=1514).stream_goodput_mbps > 1.5 * OF_KERNEL_MBPS


@pytest.mark.parametrize(("round_trip_ms", "stream_mbps"), [(20, 9.524), (40, 10.0)])
def test_packets_below_the_quantum_stay_first_at_any_rate_as_in_the_kernel(
    round_trip_ms: int, stream_mbps: float
) -> None:
    # Linux 6.1.192, the stream 2 s behind the bulk flows: all of it arrives, half of it within 0.065 and
    # 0.069 ms, 95 % within 0.121 and 0.122. A frame of a bulk flow takes 0.121 ms, a round of all 2.5.
    found = late(Case(CAKE, 100, 20, round_trip_ms, stream_mbps, 1000))
    assert found.stream_goodput_mbps == pytest.approx(stream_mbps, rel=0.01)
    assert found.delay_p50_ms == pytest.approx(0.067, abs=0.121)
    assert found.delay_p95_ms == pytest.approx(0.1215, abs=0.121)


@pytest.mark.parametrize(
    ("nearly_empty", "agrees"), [("all_queues", True), ("own_queue", False)], ids=["Linux", "RFC"]
)
def test_packets_that_wait_alone_are_dropped_as_in_the_kernel(nearly_empty: str, agrees: bool) -> None:
    # Five streams of full packets share 2 Mbit/s and send 2.04: FQ-CoDel of Linux 6.1.192 let half of the
    # packets wait 8.1 ms and 95 % of them 33.8. A round of five frames takes 30.3 ms: with one packet in each
    # queue nobody waits longer, and what every queue keeps beyond that takes a round each.
    scenario = queues.scenario_of(Case(queue_cases.FQ_CODEL, 2, 1, 20, 2.04 / 5, 1500), frames=True)
    del scenario["flows"]
    scenario["duration_s"], scenario["warm_up_s"] = 20.0, 4.0
    scenario["datagrams"][0] |= {"count": 5, "start_spread_s": 0.0294}
    scenario["dumbbell"]["queue"] |= {"nearly_empty": nearly_empty}
    stream = aqmlab.run(scenario, seed=3).tables["datagrams"].to_pandas()
    half_ms = 1e3 * stream.delay_p50_s.mean() - 1514 * 8e-3 / 2
    assert (abs(half_ms - 8.1) < 30.3) == agrees


def _is_short(case: Case) -> bool:
    return case.rate_mbps == 10 and case.packet_bytes == 1500


def _is_decided_by_chance(case: Case) -> bool:
    """Packets below CAKE's quantum beyond their share: new for ever, or old, by how they met the others."""
    return case.queue == CAKE and case.rate_mbps >= 50 and case.packet_bytes < 1500 and not case.off_ms


def _met_in_a_queue(times: list[Figures]) -> bool:
    """Whether the hash put two flows into one queue: one has half of what another has."""
    return any(each.least_bulk_mbps < 0.6 * each.greatest_bulk_mbps for each in times)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=() if _is_short(case) else pytest.mark.exhaustive, id=str(case))
        for case, times in KERNEL.items()
        if not _is_decided_by_chance(case) and not _met_in_a_queue(times)
    ],
)
def test_a_stream_gets_what_the_kernel_gave(case: Case) -> None:
    each_seed = (queues.ours(case, seed) for seed in range(1, 9))
    found = next(each for each in each_seed if not _met_in_a_queue([each]))
    assert queues.differences(case, found, queues.mean(KERNEL[case])) == []


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
