"""What `iperf3 --json` wrote.

Source: iperf3 3.x: `start`, `intervals[].sum` (and `sum_bidir_reverse` of `--bidir`), whose `sender` says
which end sent; `streams[].rtt` is the sender's smoothed round trip in microseconds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aqmlab.errors import RefusalError
from aqmlab.files.line_records.record import Carried, LineRecord, Probes
from aqmlab.files.shape import NUMBER, TEXT, WHOLE, ListOf, Table, conform

_SUM = Table({"start": NUMBER, "end": NUMBER, "bytes": NUMBER}, {}, open=True)
_STREAM = Table({"end": NUMBER}, {"rtt": NUMBER}, open=True)
_START = Table(
    {},
    {
        "timestamp": Table({"timesecs": WHOLE}, {}, open=True),
        "test_start": Table({}, {"protocol": TEXT}, open=True),
        "tcp_mss": WHOLE,
        "tcp_mss_default": WHOLE,
    },
    open=True,
)
_INTERVAL = Table({"sum": _SUM}, {"sum_bidir_reverse": _SUM, "streams": ListOf(_STREAM)}, open=True)
_RESULT = Table(
    {"start": _START, "intervals": ListOf(_INTERVAL, shortest=1)},
    {"error": TEXT},
    open=True,
)


_SEGMENTS = range(500, 9000)
"""What full packets may carry; other numbers are passed over."""


def read_iperf3(name: str, document: dict[str, Any]) -> LineRecord:
    """What was carried, second by second; the home is the client's end."""
    if document.get("error"):
        raise RefusalError(f"{name}: iperf3 failed: {document['error']}", place=name)
    conform(document, _RESULT, name, RefusalError)
    start = document["start"]
    test = start.get("test_start", {})
    if test.get("protocol", "TCP") != "TCP":
        raise RefusalError(
            f"{name}: a test of {test['protocol']}, which is sent at a rate of its own; legal: TCP",
            place=name,
        )
    began_s = float(start.get("timestamp", {}).get("timesecs", 0))
    segment = start.get("tcp_mss_default") or start.get("tcp_mss") or 0
    segment = segment if segment in _SEGMENTS else None
    of_server = "accepted_connection" in start
    carried: dict[str, tuple[Carried, ...]] = {}
    for key in ("sum", "sum_bidir_reverse"):
        sums = [each[key] for each in document["intervals"] if key in each]
        if not sums:
            continue
        sent = sums[0].get("sender", not test.get("reverse", 0))
        begins, ends, size = (np.array([each[of] for each in sums]) for of in ("start", "end", "bytes"))
        if (ends <= begins).any() or (np.diff(begins) < 0.0).any():
            raise RefusalError(f"{name}: intervals go back in time, or last no time", place=name)
        mbps = size * 8e-6 / (ends - begins)
        way = "up" if sent != of_server else "down"
        carried[way] = (Carried.of_rates(began_s + begins, began_s + ends, mbps, segment_bytes=segment),)
    return LineRecord(
        name,
        "a result of iperf3",
        carried=carried,
        flow_probes={} if of_server else _own_round_trips(document["intervals"], began_s),
        dated=began_s > 0.0,
    )


def _own_round_trips(intervals: list[dict[str, Any]], began_s: float) -> dict[str, Probes]:
    found = [
        (began_s + stream["end"], stream["rtt"] / 1e3)
        for interval in intervals
        for stream in interval.get("streams", ())
        if stream.get("sender", True) and stream.get("rtt", 0) > 0
    ]
    return {"up": Probes.of(*zip(*found, strict=True))} if found else {}
