"""The sound of a call: what arrives in time is what was said; every other packet is a gap."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import aqmlab
from aqmlab.statistics.call_sound import HeardCall, call_packets, heard, played

if TYPE_CHECKING:
    from numpy.typing import NDArray

FULL = {"duration_s": 30.0, "warm_up_s": 10.0, "cool_down_s": 5.0, "record.datagrams": True}
PACKET = 160
"""Samples in a packet of 20 ms, 8,000 a second: 200 bytes of IP at 80 kbit/s."""


def speech(packets: int, *, seed: int = 1) -> NDArray[np.float64]:
    """Noise that is nowhere zero."""
    draw = np.random.default_rng(seed)
    noise = draw.uniform(0.1, 1.0, packets * PACKET) * draw.choice([-1.0, 1.0], packets * PACKET)
    return np.asarray(noise, dtype=np.float64)


def of_delays(delays_ms: list[float], said: NDArray[np.float64], *, buffer_ms: float = 60.0) -> HeardCall:
    delay_s = np.array(delays_ms, dtype=np.float64) / 1000.0
    return played(
        said, np.arange(0.0, 0.02 * delay_s.size - 1e-9, 0.02), delay_s, packet_s=0.02, buffer_ms=buffer_ms
    )


def test_a_call_without_loss_gives_back_the_same_samples() -> None:
    said = speech(50)
    sound = of_delays([20.0, 79.9] * 25, said)
    assert_array_equal(sound.samples, said)
    assert sound.gap_percent == 0.0


@pytest.mark.parametrize("seed", range(20))
def test_every_packet_that_is_lost_or_late_is_exactly_its_gap(seed: int) -> None:
    draw = np.random.default_rng(seed)
    said = speech(100, seed=seed)
    delays = np.where(draw.random(100) < 0.2, np.inf, draw.uniform(20.0, 120.0, 100))
    delays[draw.integers(100)] = 20.0
    sound = of_delays(list(delays), said)
    for packet, delay_ms in enumerate(delays):
        piece = slice(packet * PACKET, (packet + 1) * PACKET)
        # The fastest packet takes 20 ms, and the buffer adds 60.
        expected = said[piece] if delay_ms <= 80.0 else np.zeros(PACKET)
        assert_array_equal(sound.samples[piece], expected)
    assert_array_equal(sound.lost, np.isinf(delays))
    assert_array_equal(sound.late, np.isfinite(delays) & (delays > 80.0))
    assert sound.gap_percent == pytest.approx(np.mean(delays > 80.0) * 100.0)


def test_a_longer_buffer_has_fewer_gaps_and_plays_later() -> None:
    delays = [20.0, 90.0, 200.0, math.inf]
    short, long = (of_delays(delays, speech(4), buffer_ms=each) for each in (60.0, 200.0))
    assert (short.gap_percent, long.gap_percent) == (75.0, 25.0)
    assert (short.play_out_s, long.play_out_s) == pytest.approx((0.08, 0.22))


def test_a_call_of_which_nothing_comes_is_silence() -> None:
    sound = of_delays([math.inf] * 3, speech(3))
    assert_array_equal(sound.samples, np.zeros(3 * PACKET))


def test_speech_without_packets_and_packets_without_speech_are_left_out() -> None:
    assert of_delays([20.0] * 5, speech(3)).samples.size == 3 * PACKET
    assert of_delays([20.0] * 3, speech(5)).samples.size == 3 * PACKET
    part = speech(2)[: PACKET + 1]
    assert of_delays([20.0] * 5, part).samples.size == PACKET


@pytest.fixture(name="home", scope="module")
def a_household_with_an_upload() -> aqmlab.Result:
    lossy = {**FULL, "line.loss_probability_up": 0.05}
    return aqmlab.run(aqmlab.new("home"), seed=3, overrides=lossy)


def test_the_packets_of_a_run_are_those_that_it_counts(home: aqmlab.Result) -> None:
    sent_s, delay_s = call_packets(home, "call-up", 10.0, 25.0)
    row = next(each for each in home.datagrams.to_pylist() if each["group"] == "call-up")
    assert sent_s.size == row["sent_packets"] == 750
    assert np.isinf(delay_s).sum() == row["lost_packets"] > 10
    assert np.diff(sent_s) == pytest.approx(np.full(749, 0.02))
    came = delay_s[np.isfinite(delay_s)]
    assert (came.min(), came.max()) == pytest.approx((row["delay_minimum_s"], row["delay_maximum_s"]))
    assert came.mean() == pytest.approx(row["delay_mean_s"])


def test_a_call_is_heard_as_its_packets_arrived(home: aqmlab.Result) -> None:
    said = speech(500)
    sound = heard(home, "call-up", said, buffer_ms=10_000.0)
    assert sound.sent_s[0] == pytest.approx(10.0, abs=0.02)
    assert sound.samples.size == said.size
    # A buffer of ten seconds leaves the losses alone.
    silent = sound.samples.reshape(-1, PACKET) == 0.0
    assert_array_equal(silent.all(axis=1), sound.lost)
    assert_array_equal(silent.any(axis=1), sound.lost)
    assert 1.0 < sound.gap_percent < 12.0


def test_an_idle_line_is_heard_whole_and_a_call_ends_with_its_run() -> None:
    idle = aqmlab.new("home").partition("# A backup that fills")[0] + CALL
    result = aqmlab.run(idle, seed=1, overrides=FULL)
    said = speech(500)
    sound = heard(result, "call", said)
    assert_array_equal(sound.samples, said)
    last = heard(result, "call", said, begin_s=28.0)
    assert last.samples.size / PACKET == pytest.approx(100, abs=1)
    stopped = aqmlab.run(idle + "stop_s = 20.0\n", seed=1, overrides=FULL)
    assert heard(stopped, "call", said).samples.size / PACKET == pytest.approx(500, abs=1)
    assert heard(stopped, "call", said, begin_s=15.0).samples.size / PACKET == pytest.approx(250, abs=1)


CALL = """
[[datagrams]]
name = "call"
count = 1
direction = "up"
device = "phone"
packet_bytes = 200
rate_mbps = 0.08
"""


def test_what_is_no_call_is_refused(home: aqmlab.Result) -> None:
    said = speech(1)
    with pytest.raises(aqmlab.RefusalError, match=r'no group of .*did you mean "call-up"') as unknown:
        heard(home, "call-upp", said)
    assert "call-down" in unknown.value.legal
    with pytest.raises(aqmlab.RefusalError, match="uneven distances; legal: a group"):
        heard(home, "meeting-up", said)
    with pytest.raises(aqmlab.RefusalError, match="buffer_ms: -1; legal: 0 or more"):
        heard(home, "call-up", said, buffer_ms=-1)
    with pytest.raises(aqmlab.MissingDataError, match="source 7, arrived"):
        heard(home, "call-up", said, source=7)
    unrecorded = aqmlab.run(aqmlab.new("home"), seed=3, overrides={**FULL, "record.datagrams": False})
    with pytest.raises(aqmlab.MissingDataError, match=r"record\.datagrams = true"):
        heard(unrecorded, "call-up", said)
