"""Goodput and fairness by class of traffic."""

from __future__ import annotations

import pytest

import aqmlab
from aqmlab.show.tables.results import result_tables
from aqmlab.statistics.classes import jain_index, traffic_classes
from small import BULK, CALLS, WEB


def test_jain_index_of_known_allocations() -> None:
    assert jain_index([5.0, 5.0, 5.0]) == 1.0
    assert jain_index([1.0, 0.0, 0.0, 0.0]) == 0.25
    # Half of them get equal shares, the others nothing.
    assert jain_index([1.0] * 10 + [0.0] * 10) == 0.5
    assert jain_index([1.0, 2.0, 3.0]) == pytest.approx(36.0 / 42.0)
    # It does not depend on the unit.
    assert jain_index([8e6, 16e6, 24e6]) == pytest.approx(36.0 / 42.0)
    assert jain_index([0.0, 0.0]) is None
    assert jain_index([]) is None


def test_flows_share_what_the_link_carried() -> None:
    result = aqmlab.run(BULK, seed=1)
    [flows] = traffic_classes(result)
    assert (flows.name, flows.unit, flows.members) == ("flows-0", "flows", 2)
    [link] = [each for each in result.run["links"] if each["carries_data"]]
    # 1,460 of the 1,500 bytes of each IP packet are the application's; what waits at the edges is little.
    assert flows.goodput_mbps == pytest.approx(link["throughput_ip_mbps"] * 1460 / 1500, rel=0.02)
    assert flows.fairness is not None
    assert 0.5 < flows.fairness <= 1.0


def test_datagrams_of_one_rate_get_the_same() -> None:
    flows, calls = traffic_classes(aqmlab.run(CALLS, seed=1))
    assert (flows.unit, calls.name, calls.unit, calls.members) == ("flows", "calls", "sources", 21)
    # 21 sources of 0.08 Mbit/s each, which a queue of their own for each lets through.
    assert calls.goodput_mbps == pytest.approx(21 * 0.08, rel=0.02)
    assert calls.fairness == pytest.approx(1.0, abs=1e-3)


def test_a_flow_alone_has_no_fairness_in_print() -> None:
    for text, is_shown in ((BULK.replace("count = 2", "count = 1"), False), (BULK, True)):
        tables = result_tables(aqmlab.run(text, seed=1))
        [goodput] = [each for each in tables if each.title.endswith(": goodput")]
        assert ("fairness" in [each.name for each in goodput.columns]) is is_shown
        assert ("fairness" in goodput.caption) is is_shown


def test_users_are_no_class() -> None:
    assert traffic_classes(aqmlab.run(WEB, seed=1)) == []
