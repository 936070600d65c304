"""Webtraf over two one-way connections for each object: times by hand at 100 ms there and back."""

from __future__ import annotations

import pytest

from aqmlab import Scenario, ScenarioError, run

TEXT = """
name = "two one-way connections"
duration_s = 20.0

[dumbbell]
rate_mbps = 1000.0
interface_rate_mbps = 1000.0
layer2_overhead_bytes = 0
layer2_minimum_frame_bytes = 0
layer2_gap_bytes = 0
queue = { scheme = "drop-tail", limit_packets = 1000 }

[users]
left = 0
right = 1
model = { model = "webtraf", think_time_mean_seconds = 1.0, objects_per_page = 1 }
start = "fresh"
minimum_delay_ms = { low = 100, high = 100 }
profile = "ns2-oneway"

[record]
responses = "rows"
flows = true
traffic = true
"""
SIZES = {
    "users.model.object_bytes_shape": 100.0,  # within a tenth of the mean
    "users.model.packet_bytes": 960,
    "users.model.request_bytes": 960,
}


@pytest.mark.parametrize(
    ("mean_bytes", "packets", "seconds"),
    [
        # SYN, request, the server's SYN and data take 100 ms each with their acknowledgements, as in ns-2.35.
        (500.0, 1, 0.400),
        # The window is of 2 packets, or 3 after the SYN: the others go a round trip later. As in ns-2.35.
        (4500.0, 5, 0.500),
    ],
)
def test_a_response_begins_when_the_request_is_acknowledged(
    mean_bytes: float, packets: int, seconds: float
) -> None:
    scenario = Scenario.from_toml(TEXT, overrides={"users.model.object_bytes_mean": mean_bytes, **SIZES})
    result = run(scenario, seed=1)
    rows = result.tables["responses"].to_pandas()
    assert len(rows) > 3
    assert set(rows.response_bytes) == {packets * 960}
    assert rows.response_time_s.to_numpy() == pytest.approx(seconds, abs=0.001)


def test_each_object_takes_two_connections_and_each_direction_one_syn() -> None:
    overrides = {"users.model.object_bytes_mean": 500.0, **SIZES}
    result = run(Scenario.from_toml(TEXT, overrides=overrides), seed=1)
    objects = len(result.tables["responses"].to_pandas())
    connections = result.tables["flows"].to_pandas()
    assert 2 * objects <= len(connections) <= 2 * objects + 2  # one object may be under way at the end
    ended = connections.closed_s.notna()
    assert ended.sum() >= 2 * objects - 1, "connections are over when all is acknowledged"
    traffic = result.tables["traffic"].to_pandas()
    to_right = traffic[(traffic.link == "left-to-right") & (traffic.population == "right")]
    # Servers acknowledge SYN and request, send a SYN, all of 40 bytes, and a packet of 1,000.
    sent = to_right[to_right.sender == "server"]
    assert int(sent.sent_packets.sum()) in range(4 * objects, 4 * objects + 5)
    assert int(sent.sent_bytes.sum()) in range(1120 * objects, 1120 * objects + 1121)
    assert int(to_right[to_right.sender == "browser"].sent_packets.sum()) == 0


def test_a_session_thinks_from_the_last_acknowledgement_on() -> None:
    overrides = {
        "users.model.object_bytes_mean": 500.0,
        "users.model.think_time_mean_seconds": 0.001,
        **SIZES,
    }
    rows = run(Scenario.from_toml(TEXT, overrides=overrides), seed=1).tables["responses"].to_pandas()
    # Four round trips, and 1 ms in the mean of thinking.
    between = rows.completed_at_s.diff().dropna()
    assert between.min() >= 0.400
    assert between.mean() == pytest.approx(0.401, abs=0.001)


def test_other_models_need_hosts_that_send_both_ways() -> None:
    with pytest.raises(
        ScenarioError, match=r"carry data one way, and users need both \(but those of webtraf\)"
    ):
        Scenario.from_toml(TEXT.replace('model = { model = "webtraf"', 'model = { model = "unc" } #'))
