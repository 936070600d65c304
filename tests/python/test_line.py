"""A line carries what the tests of delay under load say, over the round trip that they print."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import aqmlab
from aqmlab.errors import RefusalError
from aqmlab.presets.line import Line
from aqmlab.study.bloat import Phase, line_under
from aqmlab.study.flent_tests import TESTS
from aqmlab.study.flent_tests import measuring as flent_measuring
from aqmlab.study.responsiveness import Way
from aqmlab.study.responsiveness import measuring as responsiveness_measuring

if TYPE_CHECKING:
    from collections.abc import Callable

    from aqmlab import Scenario

LOADS: dict[str, Callable[[Line], Scenario]] = {
    "bloat": lambda line: line_under(line, Phase.BOTH),
    "rpm": lambda line: responsiveness_measuring.scenario_of(line, Way.BOTH),
    "flent": lambda line: flent_measuring.scenario_of(TESTS["rrul"], line),
}


@pytest.mark.parametrize("load", LOADS.values(), ids=LOADS)
@pytest.mark.parametrize("round_trip_ms", [20.0, 80.0])
def test_flows_take_the_round_trip_that_is_said(
    round_trip_ms: float, load: Callable[[Line], Scenario]
) -> None:
    """One of them alone, with a single segment: a handshake, then half a round trip to the receiver."""
    line = Line.of_rates(1000.0, 1000.0, round_trip_ms=round_trip_ms)
    for flow in load(line).resolved["flows"]:
        own = {key: flow[key] for key in ("name", "direction", "base_rtt_ms", "profile")}
        alone = line.carrying("alone", duration_s=5.0, flows=[{**own, "count": 1, "bytes": 1_000}])
        [row] = aqmlab.run(alone).tables["transfers"].to_pylist()
        # Three packets at 1 Gbit/s: 12 us each at the most.
        assert 1e3 * row["transfer_time_s"] == pytest.approx(1.5 * round_trip_ms, abs=0.05), flow["name"]


def test_buffers_hold_their_time_whatever_waits_in_them() -> None:
    """Of acknowledgements among the packets of uploads too: 100 ms down, 250 ms up."""
    line = Line.of_rates(20.0, 5.0)
    (result,) = aqmlab.run_many([aqmlab.Job(line_under(line, Phase.BOTH), 1)], progress=False)
    longest_ms = {
        row["group"]: 1e3 * row["delay_maximum_s"] for row in result.tables["datagrams"].to_pylist()
    }
    # Behind a full buffer: 5 ms of the line, and a packet of 1,500 bytes on the wire.
    for way, buffer_ms, mbps in (("down", 100.0, 20.0), ("up", 250.0, 5.0)):
        most_ms = buffer_ms + 5.0 + 2 * 12_000 / (mbps * 1e3)
        assert 0.9 * most_ms < longest_ms[way] <= most_ms, way


def test_a_round_trip_below_the_lines_own_is_refused() -> None:
    own = Line.of_rates(20.0, 5.0, round_trip_ms=40.0)
    with pytest.raises(RefusalError, match="legal: 20 ms or more") as refused:
        Line(own.network, 19.0)
    assert (refused.value.place, refused.value.value) == ("rtt_ms", 19.0)
    assert Line(own.network, 20.0).behind_ms == 0.0
