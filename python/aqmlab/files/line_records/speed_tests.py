"""Results of tests that load a line: crusader and Waveform's bufferbloat test, which probe it, and iperf3.

Sources: `crusader export` of crusader 0.3 (the fields of its `RawResult`: bytes of each stream since its
begin, probes with the way up apart, durations as `secs` and `nanos`); the CSV that Waveform's page offers;
`iperf3 --json` of iperf3 3.x: `start`, `intervals[].sum` (and `sum_bidir_reverse` of `--bidir`), whose
`sender` says which end sent; `streams[].rtt` is the sender's smoothed round trip in microseconds.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from aqmlab.errors import RefusalError
from aqmlab.files.line_records.record import Carried, LineRecord, Probes
from aqmlab.files.shape import ANY, FLAG, NUMBER, TEXT, WHOLE, ListOf, Table, conform

_DURATION = Table({"secs": NUMBER, "nanos": NUMBER}, {})
_LATENCY = Table({"total": _DURATION, "up": _DURATION}, {}, open=True)
_POINT = Table({"time": _DURATION, "bytes": NUMBER}, {}, open=True)
_GROUP = Table(
    {"download": FLAG, "streams": ListOf(Table({"data": ListOf(_POINT)}, {}, open=True))}, {}, open=True
)
_CRUSADER = Table(
    {
        "stream_groups": ListOf(_GROUP),
        "pings": ListOf(Table({"sent": _DURATION, "latency": ANY}, {}, open=True)),
    },
    {},
    open=True,
)
_STAGE = re.compile(r"^=+ (UNLOADED|DOWNLOAD|UPLOAD)\b.*LATENCY MEASUREMENTS")
_SPEED = re.compile(r"^(Download|Upload) speed \(Mbps\)\s*[,;]\s*\"?(\d+(?:[.,]\d+)?)", re.IGNORECASE)
_NUMBER = re.compile(r"\"?(\d+(?:[.,]\d+)?)\"?\s*[,;]*\s*")
_STEP_S, _GAP_S = 0.5, 5.0
"""Waveform's numbers have no times: they are laid out in a row, with gaps between the stages."""


def read_crusader(name: str, document: dict[str, Any]) -> LineRecord:
    """What crusader measured."""
    conform(document, _CRUSADER, name, RefusalError)
    carried: dict[str, tuple[Carried, ...]] = {}
    for group in document["stream_groups"]:
        streams = [_stream(each["data"]) for each in group["streams"] if each["data"]]
        if not streams:
            continue
        way = "down" if group["download"] else "up"
        at_s = np.unique(np.concatenate([at for at, _ in streams]))
        megabits = np.sum([np.interp(at_s, at, sent) for at, sent in streams], axis=0)
        carried[way] = (*carried.get(way, ()), Carried(at_s, megabits))
    trips = [
        (_seconds(each["sent"]), *_latency_ms(each["latency"], f"{name}.pings[{number}].latency"))
        for number, each in enumerate(document["pings"], start=1)
    ]
    probes = Probes.of(*zip(*trips, strict=True)) if trips else None
    return LineRecord(name, "a result of crusader", probes, carried)


def _stream(points: list[dict[str, Any]]) -> tuple[np.ndarray, np.ndarray]:
    at_s = np.array([_seconds(each["time"]) for each in points])
    return at_s, np.array([each["bytes"] for each in points]) * 8e-6


def _seconds(duration: dict[str, float]) -> float:
    return duration["secs"] + duration["nanos"] * 1e-9


def _latency_ms(latency: Any, place: str) -> tuple[float, float]:  # noqa: ANN401
    """The round trip and the way up; not a number where one is not known."""
    nothing = float("nan")
    if latency is None or (isinstance(latency, dict) and latency.get("total") is None):
        return nothing, nothing
    conform(latency, _LATENCY, place, RefusalError)
    total, up = (1e3 * _seconds(latency[key]) for key in ("total", "up"))
    return total, up if up > 0.0 else nothing


def read_waveform(name: str, text: str) -> LineRecord:
    """What Waveform's test measured: latencies by stage, and one speed each way."""
    stages: dict[str, list[float]] = {}
    speeds: dict[str, float] = {}
    stage = ""
    for line in map(str.strip, text.splitlines()):
        if heading := _STAGE.match(line):
            stage = heading[1]
        elif line.startswith("="):
            stage = ""
        elif speed := _SPEED.match(line):
            speeds[speed[1].lower()] = float(speed[2].replace(",", "."))
        elif stage and (number := _NUMBER.fullmatch(line)):
            stages.setdefault(stage, []).append(float(number[1].replace(",", ".")))
    if "UNLOADED" not in stages:
        raise RefusalError(f"{name}: no unloaded latencies: is the file whole?", place=name)
    at_s: list[float] = []
    carried: dict[str, tuple[Carried, ...]] = {}
    begin_s = 0.0
    for stage, trips in stages.items():
        end_s = begin_s + _STEP_S * len(trips)
        at_s += (begin_s + _STEP_S * (0.5 + np.arange(len(trips)))).tolist()
        way = {"DOWNLOAD": "down", "UPLOAD": "up"}.get(stage)
        mbps = speeds.get(stage.lower())
        if way and mbps:
            sums = np.array([0.0, mbps * (end_s - begin_s)])
            carried[way] = (Carried(np.array([begin_s, end_s]), sums, single_figure=True),)
        begin_s = end_s + _GAP_S
    trips = [each for stage in stages.values() for each in stage]
    return LineRecord(name, "a result of Waveform's test", Probes.of(at_s, trips), carried)


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
