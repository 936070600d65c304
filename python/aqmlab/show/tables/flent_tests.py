"""A test of Flent's on a line, a row for each queue management, as a table."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from aqmlab.tables.model import Column, Table, TableCell, in_csv, number, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from aqmlab.study.flent_tests import Measured

_WAYS = ("down", "up")


@dataclass(frozen=True)
class _Queue:
    """A queue management, with its runs."""

    name: str
    runs: Sequence[Measured]

    def mean_mbps(self, series: str) -> float:
        return float(np.mean([run.mean_mbps(series) for run in self.runs]))

    def sum_mbps(self, way: str) -> float:
        return float(np.mean([run.sum_mbps(way) for run in self.runs]))

    def lost_percent(self) -> float:
        return float(np.mean([run.lost_percent for run in self.runs]))

    def idle_ms(self, *series: str) -> float:
        return _percentile([run.idle_ms(name) for run in self.runs for name in series], 50)

    def loaded_ms(self, *series: str, percent: int) -> float:
        """Of all probes of these series in all runs together."""
        return _percentile([run.loaded_ms(name) for run in self.runs for name in series], percent)


def _percentile(parts: Sequence[NDArray[np.float64]], percent: int) -> float:
    """A percentile, infinite where so many probes had no answer: these are the slowest."""
    values = np.concatenate(parts)
    if not len(values):
        return float("nan")
    if np.isfinite(values).all():
        return float(np.percentile(values, percent))
    return float(
        np.percentile(values, percent, method="inverted_cdf")
    )  # nothing lies between a time and none


def flent_table(found: Sequence[Measured], *, title: str, caption: str) -> Table:
    """What streams carried and how long probes took; for programs every stream and probe."""
    by_queue = defaultdict(list)
    for run in found:
        by_queue[run.queue].append(run)
    rows = [_Queue(name, runs) for name, runs in by_queue.items()]
    test = found[0].test
    probes = [probe.series for probe in test.probes]
    ways = [way for way in _WAYS if any(stream.way == way for stream in test.streams)]
    columns: list[Column[_Queue]] = [
        Column("queue", lambda row: text(row.name), "queue", words=True),
        *(Column(f"{way}_mbps", partial(_sum, way=way), f"{way}, Mbit/s") for way in ways),
        Column("idle_ms", lambda row: _round_trip(row.idle_ms(*probes)), "idle, ms"),
        Column("loaded_p50_ms", lambda row: _round_trip(row.loaded_ms(*probes, percent=50)), "loaded"),
        Column("loaded_p99_ms", lambda row: _round_trip(row.loaded_ms(*probes, percent=99)), "99 %"),
        Column("lost_percent", lambda row: number(row.lost_percent(), ".1f"), "lost, %"),
        *_of_series(found[0]),
    ]
    return Table.of(rows, columns, title=title, caption=caption)


def _round_trip(took_ms: float) -> TableCell:
    return number(took_ms, ".1f") if math.isfinite(took_ms) else number(None, absent="lost")


def _sum(row: _Queue, *, way: str) -> Any:  # noqa: ANN401  (a cell)
    return number(row.sum_mbps(way), ".1f")


def _of_series(any_run: Measured) -> Iterator[Column[_Queue]]:
    """Each stream and probe, which only programs read."""
    for stream in any_run.test.streams:
        yield in_csv(f"{_key(stream.series)}_mbps", partial(_Queue.mean_mbps, series=stream.series))
    for probe in any_run.test.probes:
        for percent in (50, 95, 99):
            key = f"{_key(probe.series)}_p{percent}_ms"
            yield in_csv(key, partial(_loaded, series=probe.series, percent=percent))


def _key(series: str) -> str:
    """Flent's name of a series as that of a column: `tcp_upload_be`, `ping_udp_ef`."""
    return re.sub(r"[^a-z0-9]+", "_", series.replace("(ms) ", "").lower())


def _loaded(row: _Queue, *, series: str, percent: int) -> float | None:
    """A percentile; none that falls to probes without an answer, which the share of losses tells."""
    took_ms = row.loaded_ms(series, percent=percent)
    return took_ms if math.isfinite(took_ms) else None
