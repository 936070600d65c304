"""Parking lots and stars: what comes over them, by closed forms, and the examples."""

from __future__ import annotations

from pathlib import Path

import pytest

import aqmlab

EXAMPLES = Path(__file__).parents[2] / "examples"

LOT = """
name = "lot"
duration_s = 20.0
warm_up_s = 5.0
cool_down_s = 1.0

[parking_lot]
hops = 3
rate_mbps = 10.0
delay_ms = 2.0
queue = { scheme = "drop-tail", limit_packets = 100 }
links = [{ hop = 1, rate_mbps = 5.0 }]
interface_rate_mbps = 20.0
interface_delay_ms = 0.5
layer2_overhead_bytes = 0
layer2_minimum_frame_bytes = 0
layer2_gap_bytes = 0
"""


def datagrams(name: str, senders: str, receivers: str, rate_mbps: float) -> str:
    return f"""
[[datagrams]]
name = "{name}"
count = 1
senders = "{senders}"
receivers = "{receivers}"
packet_bytes = 1000
rate_mbps = {rate_mbps}
"""


def run(text: str) -> aqmlab.Result:
    result = aqmlab.run(aqmlab.Scenario.from_toml(text))
    assert all(law["holds"] for law in result.run["invariants"])
    return result


def test_a_packet_alone_takes_the_sum_of_its_transmissions_and_propagations() -> None:
    # One packet of 1,000 bytes every 80 ms: 0.4 ms at 20 Mbit/s, 0.8 ms at 10, 1.6 ms at 5.
    forward = run(LOT + datagrams("voice", "servers-left", "browsers-right", 0.1)).datagrams
    expected_ms = 2 * (0.4 + 0.5) + 2 * (0.8 + 2.0) + (1.6 + 2.0)
    assert forward["delay_minimum_s"][0].as_py() * 1e3 == pytest.approx(expected_ms, abs=1e-5)
    assert forward["delay_maximum_s"][0].as_py() * 1e3 == pytest.approx(expected_ms, abs=1e-5)
    # Over hop 0 alone, and back.
    back = run(LOT + datagrams("voice", "servers-1", "browsers-0", 0.1)).datagrams
    assert back["delay_mean_s"][0].as_py() * 1e3 == pytest.approx(2 * (0.4 + 0.5) + 0.8 + 2.0, abs=1e-5)


def test_a_hop_carries_what_crosses_it_and_nothing_else() -> None:
    through = datagrams("through", "servers-left", "browsers-right", 1.0)
    across = datagrams("across", "servers-1", "browsers-2", 2.0)
    against = datagrams("against", "servers-3", "browsers-1", 0.5)
    links = {link["name"]: link for link in run(LOT + through + across + against).run["links"]}
    expected = {
        "router-0-to-router-1": 1.0,
        "router-1-to-router-2": 3.0,
        "router-2-to-router-3": 1.0,
        "router-1-to-router-0": 0.0,
        "router-2-to-router-1": 0.5,
        "router-3-to-router-2": 0.5,
    }
    # A packet more or less at either edge of 14 s: 8 kbit of 14,000.
    assert {name: link["throughput_ip_mbps"] for name, link in links.items()} == pytest.approx(
        expected, abs=0.002
    )
    assert links["router-1-to-router-2"]["busy_share"] == pytest.approx(3.0 / 5.0, abs=0.001)


def test_what_crosses_a_full_hop_loses_there_alone() -> None:
    # 4 and 3 Mbit/s meet at 5: 2 of 7 packets are lost, whatever the scheme.
    crowd = datagrams("through", "servers-left", "browsers-right", 4.0)
    crowd += datagrams("across", "servers-1", "browsers-2", 3.0)
    losses = {link["name"]: link["loss_ratio"] for link in run(LOT + crowd).run["links"]}
    assert losses.pop("router-1-to-router-2") == pytest.approx(2.0 / 7.0, abs=0.002)
    assert set(losses.values()) == {0.0}


STAR = """
name = "street"
duration_s = 20.0
warm_up_s = 5.0

[star]
homes = 3
rate_mbps = 8.0
rate_up_mbps = 1.0
queue = { scheme = "drop-tail", limit_packets = 20 }
links = [{ home = 1, rate_up_mbps = 2.0, queue_up = { scheme = "codel", limit_packets = 20 } }]

[[flows]]
name = "uploads"
count = 3
senders = "homes"
receivers = "servers"
base_rtt_ms = 20.0
"""


def test_neighbours_in_a_star_share_nothing_but_the_hub() -> None:
    links = {link["name"]: link for link in run(STAR).run["links"]}
    ups = [links[f"homes-{home}-to-hub"] for home in range(3)]
    assert [link["rate_mbps"] for link in ups] == [1.0, 2.0, 1.0]
    assert [link["scheme"] for link in ups] == ["drop-tail", "codel", "drop-tail"]
    # One upload fills its own line, whatever the others do.
    assert all(link["busy_share"] > 0.95 for link in ups)
    # For every second full packet an acknowledgement: never more than a tenth of a line of 8 Mbit/s down.
    assert all(links[f"hub-to-homes-{home}"]["busy_share"] < 0.1 for home in range(3))


@pytest.mark.parametrize("name", ["parking_lot.toml", "star.toml"])
def test_an_example_runs(name: str) -> None:
    shorter = {"duration_s": 6.0, "warm_up_s": 2.0}
    if name == "parking_lot.toml":
        shorter |= {"users.per_side": 40}
    else:
        shorter |= {"cool_down_s": 0.5}
    result = aqmlab.run(aqmlab.Scenario.from_file(EXAMPLES / name, overrides=shorter))
    assert all(law["holds"] for law in result.run["invariants"])
    carrying = [link for link in result.run["links"] if link["carries_data"]]
    assert carrying
    assert all(link["throughput_mbps"] > 0.0 for link in carrying)


@pytest.mark.parametrize(
    "file",
    [
        EXAMPLES / "parking_lot.toml",
        EXAMPLES.parent / "python/aqmlab/experiments" / "multicl" / "scenario.toml",
    ],
)
def test_sources_and_sinks_of_long_lived_flows_are_machines_of_their_own(file: Path) -> None:
    flows = aqmlab.Scenario.from_file(file).resolved["flows"]
    ends = [group[end] for group in flows for end in ("senders", "receivers")]
    assert len(ends) == len(set(ends)) == 4
