"""CAKE's isolation beside measurements by others: who shares a queue, and who shares the link.

P. Heist, cake-flowiso (2021), Linux 5.10.31 with the fix of CAKE's host modes: one CUBIC flow of one host
beside two Reno flows of another, over CAKE at 50 Mbit/s, in namespaces of one machine (a round trip of 1 ms
is assumed); hosts that send ("up") or that receive ("down"). Goodput in Mbit/s. Left out are the modes that
put all three flows into one queue, where their TCP decides and not CAKE.
"""

from __future__ import annotations

import pytest

import aqmlab

RATE_MBPS = 50.0
PUBLISHED = {
    ("flows", "up"): (16.0, 31.8),
    ("hosts", "up"): (23.9, 23.9),
    ("source", "up"): (23.9, 23.9),
    ("dual_source", "up"): (23.9, 24.0),
    ("dual_destination", "up"): (16.0, 31.8),
    ("flows", "down"): (15.9, 31.8),
    ("hosts", "down"): (23.9, 23.9),
    ("destination", "down"): (23.9, 24.0),
    ("dual_source", "down"): (16.0, 31.8),
    ("dual_destination", "down"): (23.9, 24.0),
}


def goodput_mbps(isolation: str, way: str) -> tuple[float, float]:
    """Of the host with one flow, and of the one with two."""
    flow = {"direction": way, "base_rtt_ms": 1.0, "start_spread_s": 0.5}
    result = aqmlab.run(
        {
            "name": isolation,
            "duration_s": 40.0,
            "warm_up_s": 10.0,
            "line": {
                "technology": "other",
                "delay_ms": 0.0,
                "down_mbps": 900.0,
                "up_mbps": 900.0,
                "server_machines": 1,
                f"router_queue_{way}": {"scheme": "cake", "isolation": isolation, "rate_mbps": RATE_MBPS},
            },
            "devices": [{"name": "one"}, {"name": "two"}],
            "flows": [
                {**flow, "name": "cubic", "count": 1, "device": "one", "profile": "linux6-cubic"},
                {**flow, "name": "reno", "count": 2, "device": "two", "profile": "linux6-reno"},
            ],
        },
        seed=1,
    )
    return result.value("goodput_mbps/flows.cubic"), result.value("goodput_mbps/flows.reno")


@pytest.mark.parametrize(("isolation", "way"), PUBLISHED)
def test_hosts_and_flows_get_the_shares_that_were_measured(isolation: str, way: str) -> None:
    """Within 0.007, as six of these were by hand before there was a `[line]`."""
    one, two = goodput_mbps(isolation, way)
    published = PUBLISHED[isolation, way]
    assert one / (one + two) == pytest.approx(published[0] / sum(published), abs=0.007)
