"""The data file of Flent, the FLExible Network Tester.

Source of the format: Flent's documentation, "The Data File Format" (https://flent.org), and the version
number and the keys of `raw_values` as Flent 2.3 reads them.
"""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from aqmlab.errors import RefusalError
from aqmlab.files.folders import whole_file
from aqmlab.files.line_records.record import Carried, LineRecord, Probes
from aqmlab.files.shape import ANY, NUMBER, ListOf, Table, TableOf, conform

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

FORMAT_VERSION = 4
_BEGINNING = "1970-01-01T00:00:00.000000Z"
"""Simulated time has no date: a run begins when clocks do."""
_CONTENT = Table(
    {"metadata": ANY, "x_values": ListOf(NUMBER, shortest=2), "results": TableOf(ListOf(ANY))}, {}, open=True
)
_ONE_STREAM = re.compile(r"TCP (up|down)load(?! (?:avg|sum)$)(?:(?!::tcp_)[^\n])*")
_FLOW_ROUND_TRIP = re.compile(r"TCP (up|down)load.*::tcp_rtt")
_PREFERRED_PROBES = ("Ping (ms) ICMP", "Ping (ms) UDP BE", "Ping (ms) UDP BE1", "Ping (ms)UDP 0 (0)")
_UNUSED = ("BATCH_NAME", "BATCH_TIME", "BATCH_TITLE", "BATCH_UUID", "HTTP_GETTER_DNS", "HTTP_GETTER_URLLIST")


@dataclass(frozen=True, slots=True)
class Heading:
    """What a file says of its test.

    Attributes:
        test: Flent's name of the test.
        title: What tells this file from others.
        note: How its numbers were made.
        version: Of aqmlab.
        host: The machine at the other end.
        length_s: How long the streams lasted.
        total_s: How long the test lasted.
        step_s: From sample to sample.
    """

    test: str
    title: str
    note: str
    version: str
    host: str
    length_s: float
    total_s: float
    step_s: float


def document(
    heading: Heading,
    at_s: NDArray[np.float64],
    series: Mapping[str, NDArray[np.float64]],
    of_series: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    """The content of a file: a value of each series at each instant, not a number where there is none."""
    return {
        "version": FORMAT_VERSION,
        "metadata": _metadata(heading) | {"SERIES_META": of_series},
        "x_values": at_s.tolist(),
        "results": {
            name: [None if np.isnan(value) else value for value in values.tolist()]
            for name, values in series.items()
        },
        "raw_values": {
            name: [
                {"t": t, "val": value}
                for t, value in zip(at_s.tolist(), values.tolist(), strict=True)
                if not np.isnan(value)
            ]
            for name, values in series.items()
        },
    }


def write(content: dict[str, Any], file: Path) -> None:
    """Writes the content of a file, which by Flent's custom is named `*.flent.gz`."""
    named = content | {"metadata": content["metadata"] | {"DATA_FILENAME": file.name}}
    packed = gzip.compress(json.dumps(named, allow_nan=False).encode(), mtime=0)
    with whole_file(file) as partial:
        partial.write_bytes(packed)


def read_flent(name: str, content: dict[str, Any]) -> LineRecord:
    """Round trips and streams of a data file: `results`, values at the instants `x_values`."""
    conform(content, _CONTENT, name, RefusalError)
    at_s = np.array(content["x_values"], dtype=np.float64)
    steps = np.diff(at_s)
    if (steps <= 0.0).any():
        raise RefusalError(f"{name}.x_values: times go back", place=f"{name}.x_values")
    series = {each: _values(name, each, content, len(at_s)) for each in content["results"]}
    begins = at_s - np.median(steps)
    carried = {}
    for way in ("down", "up"):
        own = [of for each, of in series.items() if (m := _ONE_STREAM.fullmatch(each)) and m[1] == way]
        if own:
            carried[way] = (Carried.of_rates(begins, at_s, np.nansum(own, axis=0)),)
    flows = {
        m[1]: Probes.of(at_s, of) for each, of in series.items() if (m := _FLOW_ROUND_TRIP.fullmatch(each))
    }
    pings = [each for each in series if each.startswith("Ping (ms)") and not each.endswith("avg")]
    chosen = next((each for each in (*_PREFERRED_PROBES, *pings) if each in series), None)
    if chosen is None and not carried:
        raise RefusalError(f"{name}: neither round trips nor TCP streams: which test is it?", place=name)
    probes = None if chosen is None else Probes.of(begins, series[chosen])
    return LineRecord(name, "a data file of Flent", probes, carried, flows)


def _values(name: str, series: str, content: dict[str, Any], length: int) -> NDArray[np.float64]:
    """A series with no number where the file has none."""
    given = content["results"][series]
    place = f"{name}.results.{series}"
    if len(given) != length:
        raise RefusalError(f"{place}: {len(given)} values at {length} instants", place=place)
    try:
        return np.array([np.nan if each is None else float(each) for each in given], dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise RefusalError(f"{place}: numbers or null", place=place) from None


def _metadata(heading: Heading) -> dict[str, Any]:
    unused: dict[str, Any] = dict.fromkeys(_UNUSED)
    return {
        **unused,
        "NAME": heading.test,
        "TITLE": heading.title,
        "NOTE": heading.note,
        "TIME": _BEGINNING,
        "T0": _BEGINNING,
        "HOST": heading.host,
        "HOSTS": [heading.host],
        "LOCAL_HOST": "aqmlab",
        "LENGTH": heading.length_s,
        "TOTAL_LENGTH": heading.total_s,
        "STEP_SIZE": heading.step_s,
        "IP_VERSION": 4,
        "TEST_PARAMETERS": {},
        "FLENT_VERSION": f"aqmlab {heading.version}",
    }
