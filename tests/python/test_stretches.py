"""Numbers of a part of a run, from tables whose sums are known by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from aqmlab.errors import MissingDataError, TooLittleDataError, UnknownQuantityError
from aqmlab.statistics.quantities import quantity

LINK = "forward"
_ROWS = [
    # from_s, link, population, flow_group, datagram_group, sender, packets and bytes sent, and discarded
    (0.0, LINK, None, "bulk", None, "browser", 100, 100_000, 0, 0),
    (10.0, LINK, None, "bulk", None, "browser", 150, 150_000, 50, 50_000),
    (10.0, LINK, "right", None, None, "server", 30, 12_000, 10, 8_000),
    (10.0, LINK, None, None, "video", "browser", 20, 20_000, 0, 0),
    (10.0, LINK, None, None, None, "server", 5, 200, 0, 0),
    (20.0, LINK, None, None, "video", "browser", 40, 40_000, 60, 60_000),
    (20.0, "back", None, "bulk", None, "server", 90, 3_600, 10, 400),
]


def _names(values: list[str | None]) -> pa.Array:
    return pa.array(values, pa.string()).dictionary_encode()


def _run() -> Any:  # noqa: ANN401
    columns = list(zip(*_ROWS, strict=True))
    series = {"from_s": pa.array(columns[0], pa.float64())}
    for place, name in enumerate(("link", "population", "flow_group", "datagram_group", "sender"), start=1):
        series[name] = _names(list(columns[place]))
    counts = ("sent_packets", "sent_bytes", "discarded_packets", "discarded_bytes")
    for place, name in enumerate(counts, start=6):
        series[name] = pa.array(columns[place], pa.uint64())
    series["marked_packets"] = pa.array([0] * len(_ROWS), pa.uint64())
    queue = {
        "time_s": pa.array([5.0, 12.0, 18.0, 18.0], pa.float64()),
        "link": _names([LINK, LINK, LINK, "back"]),
        # Packets of 1,000 bytes; those that samples meet are not all that were there between them.
        "packets": pa.array([9, 2, 4, 70], pa.uint32()),
        "mean_packets": pa.array([9.0, 4.0, 6.0, 70.0], pa.float32()),
        "bytes": pa.array([9_000, 2_000, 4_000, 70_000], pa.uint64()),
    }
    responses = {
        "completed_at_s": pa.array([9.9, 10.0, 19.9, 20.0], pa.float64()),
        "response_time_s": pa.array([8.0, 1.0, 2.0, 4.0], pa.float64()),
        "population": _names(["right"] * 4),
    }
    state = {
        "time_s": pa.array([2.0, 2.0, 12.0, 18.0, 12.0], pa.float64()),
        "link": _names([LINK, LINK, LINK, LINK, "back"]),
        "quantity": _names(
            ["notification_rate", "filter_is_on", "notification_rate", "notification_rate", "count"]
        ),
        "value": pa.array([0.5, 1.0, 0.01, 0.03, 9.0], pa.float64()),
    }
    run = {
        "measured_from_s": 0.0,
        "measured_until_s": 30.0,
        "links": [{"name": LINK}, {"name": "back"}],
        "scenario": {"record": {"traffic_interval_ms": 10_000.0}},
    }
    tables = {"traffic_series": series, "queue": queue, "responses": responses, "scheme_state": state}
    return SimpleNamespace(run=run, tables={name: pa.table(columns) for name, columns in tables.items()})


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("throughput_mbps/flows.bulk@0-10", 0.08),
        ("throughput_mbps/flows.bulk@0-20", 0.1),
        # 60,000 bytes in twenty seconds.
        ("throughput_mbps/datagrams.video@10-30", 0.024),
        ("throughput_mbps/populations.right@10-20", 0.0096),
        # What nobody owns counts for the link: 182,200 bytes.
        ("throughput_mbps/links.forward@10-20", 0.14576),
        # Two stretches: 100,000 bytes of the first, 40,000 of the last.
        ("throughput_mbps/links.forward@0-10+20-30", 0.056),
        ("packet_loss_percent/flows.bulk@10-20", 25.0),
        ("packet_loss_percent/datagrams.video@0-30", 50.0),
        ("packet_loss_percent/links.back@20-30", 10.0),
        ("notification_rate_percent/links.forward@10-20", 2.0),
        ("filter_on_percent/links.forward@0-10", 100.0),
        ("byte_loss_percent/populations.right@10-20", 40.0),
        # 58,000 of 240,200.
        ("byte_loss_percent/links.forward@10-20", 100.0 * 58_000 / 240_200),
        ("queue_mean_kilobytes/links.forward@10-20", 5.0),
        # The time before a sample: what the one at 12 s saw is behind 10 to 11 s, and that of 5 s before.
        ("queue_mean_kilobytes/links.forward@12-20", 6.0),
        ("queue_deviation_kilobytes/links.forward@10-20", 1.0),
        ("queue_mean_kilobytes/links.back@0-30", 70.0),
        # From 10 s on and before 20: one and two seconds.
        ("response_mean_s/populations.right@10-20", 1.5),
    ],
)
def test_parts_of_a_run_have_the_numbers_of_their_rows(name: str, expected: float) -> None:
    number = quantity(name)
    assert number(_run()) == pytest.approx(expected)
    assert number.name == name


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "throughput_mbps/links.forward@5-20",
            r"5 to 20 s does not consist of whole intervals of 10 s from 0 s on",
        ),
        ("throughput_mbps/links.forward@20-40", r"20 to 40 s lies outside the measured window, 0 to 30 s"),
        ("throughput_mbps/links.forward@20-20", r"20 to 20 s lies outside"),
        ("throughput_mbps/links.forward@0-20+10-30", r"10 to 30 s overlaps another stretch.*20 s"),
        ("throughput_mbps/links.sideways@0-10", "the run has no monitored link sideways"),
        ("throughput_mbps/flows.other@0-10", "no packet of flows.other came to a monitored link"),
    ],
)
def test_what_was_not_counted_is_not_answered(name: str, message: str) -> None:
    with pytest.raises(MissingDataError, match=message):
        quantity(name)(_run())


def test_a_stretch_in_which_nothing_happened_is_too_little_to_tell() -> None:
    for name in ("packet_loss_percent/datagrams.video@0-10", "response_mean_s/populations.right@0-5"):
        with pytest.raises(TooLittleDataError):
            quantity(name)(_run())


@pytest.mark.parametrize(
    "name",
    [
        "queue_mean_kilobytes/flows.bulk@0-10",
        "response_mean_s/links.forward@0-10",
        "throughput_mbps/links.forward",
        "throughput_mbps/links.forward@10",
        "loss_percent/flows.bulk@0-10",
    ],
)
def test_names_of_no_number_are_refused_with_those_that_there_are(name: str) -> None:
    with pytest.raises(UnknownQuantityError, match=r"such as throughput_mbps/links.NAME@200-400"):
        quantity(name)
