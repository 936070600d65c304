"""Delay, jitter, loss and goodput of groups of datagrams: by hand, and from the packets recorded."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

import aqmlab
from aqmlab.errors import MissingDataError, TooLittleDataError, UnknownQuantityError
from aqmlab.statistics.datagrams import datagram_groups
from aqmlab.statistics.observation import Observation
from aqmlab.statistics.quantities import Measured, quantity

TEXT = """
name = "call"
duration_s = 20.0
warm_up_s = 5.0
cool_down_s = 5.0
[dumbbell]
rate_mbps = 2.0
queue = { scheme = "codel", limit_packets = 100 }
[[flows]]
count = 1
direction = "left-to-right"
profile = "linux6-cubic"
[[datagrams]]
name = "call"
count = 1
packet_bytes = 200
rate_mbps = 0.08
direction = "left-to-right"
[record]
packets = true
"""


def table_of(rows: dict[str, list[object]]) -> pa.Table:
    columns = {name: pa.array(values) for name, values in rows.items() if name != "group"}
    return pa.table({"group": pa.array(rows["group"]).dictionary_encode(), **columns})


def columns_of(run: Run) -> dict[str, list[object]]:
    columns: dict[str, list[object]] = run.tables["datagrams"].to_pydict()
    return columns


class Run:
    """A run whose tables are given."""

    def __init__(self, rows: dict[str, list[object]]) -> None:
        self.tables = {"datagrams": table_of(rows)}
        self.run = {"measured_from_s": 10.0, "measured_until_s": 20.0, "populations": [], "flows": []}
        self.run["scenario"] = {}


def two_sources(received: tuple[int, int] = (90, 100)) -> Run:
    """Two sources of `call`, one of `game`."""
    return Run(
        with_ends(
            {
                "group": ["call", "call", "game"],
                "sent_packets": [received[0] + 10, received[1], 10],
                "received_packets": [*received, 10],
                "lost_packets": [10, 0, 0],
                "under_way_packets": [0, 0, 0],
                "arrived_bytes": [9_000, 10_000, 1_000],
                "delay_minimum_s": [0.010, 0.020, 0.005],
                "delay_p50_s": [0.030, 0.050, 0.006],
                "delay_p95_s": [0.060, 0.080, 0.007],
                "delay_p99_s": [0.070, 0.100, 0.008],
            }
        )
    )


def with_ends(rows: dict[str, list[object]]) -> dict[str, list[object]]:
    """Percentiles that nothing under way can change; where nothing arrived there are none."""
    ends = {
        name.replace("_s", f"_{end}_s"): [
            value if came else math.nan for value, came in zip(values, rows["received_packets"], strict=True)
        ]
        for name, values in rows.items()
        if name.startswith("delay_p")
        for end in ("least", "most")
    }
    return {**rows, **ends}


def test_numbers_of_a_group_by_hand() -> None:
    run = two_sources()
    assert datagram_groups(run) == ["call", "game"]
    assert quantity("delay_p50_ms/datagrams.call")(run) == pytest.approx(40.0)
    assert quantity("delay_p95_ms/datagrams.call")(run) == pytest.approx(70.0)
    assert quantity("delay_p99_ms/datagrams.call")(run) == pytest.approx(85.0)
    assert quantity("delay_variation_p99_ms/datagrams.call")(run) == pytest.approx((60.0 + 80.0) / 2)
    assert quantity("loss_percent/datagrams.call")(run) == pytest.approx(100.0 * 10 / 200)
    assert quantity("goodput_kbps/datagrams.call")(run) == pytest.approx(19_000 * 8 / 10 / 1000)


def observed(run: Run, name: str) -> Observation:
    return quantity(name).observed(Measured(run))


def test_a_source_of_which_nothing_arrived_has_the_bad_end() -> None:
    """Ten packets sent, all lost, beside a source that loses nothing: the mean has no upper end."""
    run = two_sources(received=(0, 100))
    for percentile, other in ((50, 50.0), (95, 80.0), (99, 100.0)):
        found = observed(run, f"delay_p{percentile}_ms/datagrams.call")
        assert found == Observation.at_least((1000.0 * 10.0 + other) / 2)
        assert quantity(f"delay_p{percentile}_ms/datagrams.call")(run) == math.inf
    assert observed(run, "delay_variation_p99_ms/datagrams.call").upper == math.inf
    assert observed(run, "loss_percent/datagrams.call") == Observation.exact(100.0 * 10 / 110)
    scores = observed(run, "voice_mos/datagrams.call"), observed(two_sources(), "voice_mos/datagrams.call")
    assert scores[0].is_exact
    assert scores[0].value < scores[1].value


def test_what_is_under_way_at_the_end_makes_bounds() -> None:
    run = two_sources()
    columns = columns_of(run)
    columns["under_way_packets"] = [5, 0, 0]
    columns["sent_packets"] = [105, 100, 10]
    columns["delay_p95_least_s"][0], columns["delay_p95_most_s"][0] = 0.055, math.inf
    columns["delay_p50_least_s"][0], columns["delay_p50_most_s"][0] = 0.029, 0.031
    run.tables["datagrams"] = table_of(columns)
    assert observed(run, "delay_p95_ms/datagrams.call") == Observation.at_least((55.0 + 80.0) / 2)
    found = observed(run, "delay_p50_ms/datagrams.call")
    assert (found.lower, found.upper) == pytest.approx(((29.0 + 50.0) / 2, (31.0 + 50.0) / 2))
    lost = observed(run, "loss_percent/datagrams.call")
    assert (lost.lower, lost.upper) == pytest.approx((1000.0 / 205, 1500.0 / 205))
    assert quantity("under_way_percent/datagrams.call")(run) == pytest.approx(500.0 / 205)
    score = observed(run, "voice_mos/datagrams.call")
    assert score.lower < score.upper
    assert observed(run, "loss_percent/datagrams.game").is_exact


def test_what_cannot_be_said_is_refused() -> None:
    run = two_sources()
    columns = columns_of(run)
    silent = {"sent_packets", "received_packets", "lost_packets"}
    run.tables["datagrams"] = table_of(
        {name: [0, 0, 10] if name in silent else values for name, values in columns.items()}
    )
    with pytest.raises(TooLittleDataError, match=r"datagrams\.call sent nothing in the measured window"):
        quantity("delay_p50_ms/datagrams.call")(run)
    assert not observed(run, "loss_percent/datagrams.call").is_known
    with pytest.raises(MissingDataError, match=r"no datagrams\.video"):
        quantity("loss_percent/datagrams.video")(two_sources())
    with pytest.raises(UnknownQuantityError, match=r"delay_p50_ms.* of datagrams\.NAME"):
        quantity("delay_p50_ms/flows.call")
    old = two_sources()
    old.tables["datagrams"] = old.tables["datagrams"].drop_columns(["under_way_packets"])
    with pytest.raises(MissingDataError, match="an earlier version recorded it"):
        quantity("loss_percent/datagrams.call")(old)


def test_delay_and_loss_of_a_run_are_those_of_its_packets() -> None:
    """The naive way: each packet's time at the link, by the record of packets, and the way behind."""
    result = aqmlab.run(aqmlab.Scenario.from_toml(TEXT), seed=1)
    packets = result.tables["packets"].to_pylist()
    own = [row for row in packets if row["class"] == "datagram"]
    came = {row["sequence"]: row["time_s"] for row in own if row["event"] == "arrival"}
    gone = {row["sequence"]: row["time_s"] for row in own if row["event"] == "departure"}
    window = [number for number, at in came.items() if 5.0 <= at < 15.0]
    at_link_ms = np.array([1000.0 * (gone[number] - came[number]) for number in window if number in gone])
    # Before the queue lies the interface, behind it nothing: a constant, taken from the fastest packet.
    constant_ms = 1000.0 * float(result.tables["datagrams"]["delay_minimum_s"][0].as_py()) - at_link_ms.min()
    for percent in (50, 95, 99):
        naive = float(np.percentile(at_link_ms, percent, method="inverted_cdf")) + constant_ms
        assert quantity(f"delay_p{percent}_ms/datagrams.call")(result) == pytest.approx(naive, rel=0.005)
    lost = len(window) - at_link_ms.size
    loss_percent = quantity("loss_percent/datagrams.call")(result)
    assert loss_percent == pytest.approx(100.0 * lost / len(window), abs=0.3)
    assert at_link_ms.max() > 5 * at_link_ms.min()  # the queue had something to say


def test_jain_index_of_flows() -> None:
    run = two_sources()
    run.run["flows"] = [{"name": "bulk", "delivered_bytes": [3_000, 1_000]}]
    assert quantity("jain_index/flows.bulk")(run) == pytest.approx(16 / (2 * 10))
    run.run["flows"] = [{"name": "bulk", "delivered_bytes": [0, 0]}]
    with pytest.raises(TooLittleDataError, match="no byte"):
        quantity("jain_index/flows.bulk")(run)
