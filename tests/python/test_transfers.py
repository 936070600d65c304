"""Transfers of a number of bytes: when they start, and how long they take."""

from __future__ import annotations

import math

import numpy as np
import pytest

import aqmlab
from aqmlab.errors import TableError

FAST = """
name = "transfers"
duration_s = 40.0

[dumbbell]
rate_mbps = 1000.0
interface_rate_mbps = 1000.0
queue = { scheme = "drop-tail", limit_packets = 1000 }

[[flows]]
name = "short"
profile = "rfc5681"
direction = "left-to-right"
base_rtt_ms = 80.0
"""


def transfers(keys: str, seed: int = 1) -> dict[str, np.ndarray]:
    table = aqmlab.run(aqmlab.Scenario.from_toml(FAST + keys), seed=seed).transfers
    return {
        name: table[name].to_numpy()
        for name in ("flow", "bytes", "started_s", "completed_s", "transfer_time_s")
    }


def test_a_segment_takes_a_round_trip_and_a_half() -> None:
    # SYN, SYN/ACK, then the segment: half a round trip each; transmissions at 1 Gbit/s take 30 us in all.
    told = transfers("count = 1\nbytes = 1000\nstarts_s = [3.0]\n")
    assert told["started_s"].tolist() == [3.0]
    assert told["transfer_time_s"][0] == pytest.approx(0.120, abs=1e-4)
    assert told["completed_s"][0] - told["started_s"][0] == pytest.approx(
        told["transfer_time_s"][0], abs=1e-9
    )


def test_twenty_segments_take_the_rounds_of_slow_start() -> None:
    # With ten segments at first and every second acknowledged: 10, then all the other ten a round trip later.
    keys = "count = 1\nbytes = 29200\nstarts_s = [1.0]\nhost = { initial_window_segments = 10 }\n"
    assert transfers(keys)["transfer_time_s"][0] == pytest.approx(0.200, abs=2e-3)


def test_flows_start_at_the_instants_that_are_listed_or_behind_start_s() -> None:
    told = transfers("count = 3\nbytes = 1000\nstarts_s = [7.5, 0.0, 3.0]\n")
    assert told["started_s"].tolist() == [7.5, 0.0, 3.0]
    assert told["flow"].tolist() == [0, 1, 2]
    late = transfers("count = 50\nbytes = 1000\nstart_s = 10.0\nstart_spread_s = 5.0\n")["started_s"]
    assert late.min() >= 10.0
    assert 14.0 < late.max() < 15.0


def test_arrivals_are_a_poisson_process() -> None:
    keys = "count = 400\nbytes = 1000\narrivals_hz = 20.0\nstart_s = 5.0\n"
    starts = transfers(keys)["started_s"]
    intervals = np.diff(starts, prepend=5.0)
    assert (intervals > 0.0).all()
    # Mean and standard deviation of an exponential law are the same; four standard errors of 400.
    assert intervals.mean() == pytest.approx(0.05, rel=4.0 / math.sqrt(400))
    assert intervals.std() == pytest.approx(0.05, rel=4.0 * math.sqrt(2.0 / 400))
    assert (transfers(keys)["started_s"] == starts).all()
    assert (transfers(keys, seed=2)["started_s"] != starts).any()


def test_a_transfer_that_never_starts_is_not_told_and_one_under_way_has_no_end() -> None:
    # In the mean four of a hundred start within 40 s.
    told = transfers("count = 100\nbytes = 1000\narrivals_hz = 0.1\n")
    assert 1 <= len(told["flow"]) <= 15
    assert told["started_s"].max() <= 40.0
    large = transfers("count = 1\nbytes = 1000000000000\nstarts_s = [1.0]\n")
    assert math.isnan(large["completed_s"][0])
    assert math.isnan(large["transfer_time_s"][0])


def test_without_a_number_of_bytes_there_is_no_table() -> None:
    result = aqmlab.run(aqmlab.Scenario.from_toml(FAST + "count = 1\n", overrides={"duration_s": 2.0}))
    with pytest.raises(TableError, match="bytes"):
        _ = result.transfers
