"""CAKE's tins and its filter of acknowledgements on a line, as a user meets them."""

from __future__ import annotations

from typing import Any

import pytest

import aqmlab
from aqmlab.scenario import Scenario

CALL = {"name": "call", "count": 1, "direction": "up", "packet_bytes": 200, "rate_mbps": 0.08}


def line(up: dict[str, Any], **traffic: list[dict[str, Any]]) -> Scenario:
    """An asymmetric line behind a router, whose queue up has these keys."""
    return Scenario.of(
        {
            "name": "line",
            "duration_s": 14.0,
            "warm_up_s": 4.0,
            "record": {"scheme_state_interval_ms": 500.0} if "dscp" in str(traffic) else {},
            "line": {
                "technology": "adsl",
                "down_mbps": 20.0,
                "up_mbps": 0.5,
                "shaped_share_down": 0.95,
                "shaped_share_up": 0.95,
                "router_queue_down": {"scheme": "cake"},
                "router_queue_up": {"scheme": "cake", **up},
            },
            **traffic,
        }
    )


def flow(name: str, way: str, **keys: int) -> dict[str, Any]:
    return {
        "name": name,
        "count": 1,
        "direction": way,
        "base_rtt_ms": 20.0,
        "profile": "linux6-cubic",
        **keys,
    }


def counted(run: aqmlab.Result, link: str) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in run.run["links"] if each["name"] == link)["counters"]
    return found


@pytest.mark.parametrize("word", ["conservative", "aggressive"])
def test_a_filter_leaves_the_uplink_to_what_carries_data(word: str) -> None:
    """Acknowledgements of 19 Mbit/s, 800 a second in two cells each, are more than 0.475 Mbit/s carries."""
    flows = [flow("download", "down", count=2), flow("upload", "up")]
    runs = [aqmlab.run(line({"ack_filter": each}, flows=flows), seed=1) for each in ("none", word)]
    without, filtered = ([sum(group["delivered_bytes"]) for group in run.run["flows"]] for run in runs)
    assert all(more > less for more, less in zip(filtered, without, strict=True))
    up = counted(runs[1], "router-up")
    redundant = up["discarded"]["redundant"]["packets"]
    others = sum(each["packets"] for reason, each in up["discarded"].items() if reason != "redundant")
    assert counted(runs[0], "router-up")["discarded"]["redundant"]["packets"] == 0
    assert redundant > 20 * others
    # What a filter takes out is acknowledgements.
    acknowledgements = up["by_class"]["pure_ack"]
    assert redundant <= acknowledgements["discarded_packets"] < acknowledgements["arrived_packets"]
    assert counted(runs[1], "router-down")["discarded"]["redundant"]["packets"] == 0


def test_tins_hold_floods_to_their_shares() -> None:
    """Each tin wants twice the line: voice has 1/4, bulk 1/16, best effort the rest (tc-cake(8))."""
    floods = [
        {**CALL, "name": name, "packet_bytes": 500, "rate_mbps": 1.0, "dscp": dscp}
        for name, dscp in (("voice", 46), ("bulk", 8), ("rest", 0))
    ]
    quiet = {"tins": "diffserv3", "target_ms": 1e5, "interval_ms": 1e6}
    run = aqmlab.run(line(quiet, datagrams=floods), seed=1)
    got = {name: run.value(f"goodput_mbps/datagrams.{name}") for name in ("voice", "bulk", "rest")}
    shares = {name: mbps / sum(got.values()) for name, mbps in got.items()}
    assert shares == pytest.approx({"voice": 1 / 4, "bulk": 1 / 16, "rest": 11 / 16}, abs=0.01)


def test_a_marked_call_waits_for_no_other_tin() -> None:
    """Beside four uploads a call in its own tin waits for the packet that is being sent, and no more."""
    uploads = [flow("uploads", "up", count=4)]
    waits = {}
    for dscp in (0, 46):
        scenario = line(
            {"tins": "diffserv3", "isolation": "none"}, flows=uploads, datagrams=[{**CALL, "dscp": dscp}]
        )
        run = aqmlab.run(scenario, seed=1)
        waits[dscp] = run.value("delay_p95_ms/datagrams.call")
        if dscp:
            state = run.tables["scheme_state"].to_pandas()
            last = state[state.quantity == "tin_2_sent_packets"].value.max()
            assert last == pytest.approx(14 * 80e3 / 8 / 200, rel=0.1)
    one_packet_ms = 33 * 53 * 8 / 475
    least_ms = scenario.resolved["line"]["delay_ms"] + 5 * 53 * 8 / 475
    assert waits[46] < least_ms + 2 * one_packet_ms
    assert waits[0] > waits[46] + 2 * one_packet_ms
