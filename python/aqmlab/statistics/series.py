"""Single series of a run: what happened in each second or step of it, and single round trips.

A row of `responses` (`record.responses = "rows"`) is an exchange that completed in the measured window. One
that was under way when the run ended left none, so counts of what was *requested* are short by those in the
last seconds of a run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from aqmlab.files.columns import to_numpy
from aqmlab.statistics.recorded import has_name, table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from aqmlab.statistics.distribution import FloatArray
    from aqmlab.statistics.recorded import Recorded

_HEADER_BYTES = 52
"""Of a TCP segment with timestamps: 20 of IP, 20 of TCP, 12 of options."""


@dataclass(frozen=True, slots=True)
class Series:
    """Numbers over time."""

    at_s: FloatArray  # instants in seconds from the beginning of the run
    values: FloatArray  # what was measured then, or over the step that ends then

    def between(self, begin_s: float, end_s: float) -> FloatArray:
        """The values after one instant, up to another."""
        return self.values[(self.at_s > begin_s) & (self.at_s <= end_s)]


def data_mbps(result: Recorded, group: str, link: str, *, step_s: float, until_s: float) -> Series:
    """What the data of a group's flows came to on a link in each step, in Mbit/s, without headers.

    Args:
        result: A run with `record.traffic_interval_ms` of one step, and a window from its beginning.
        group: The group of flows.
        link: The link that their data crosses.
        step_s: The length of a step in seconds.
        until_s: The end of the last step.
    """
    rows = table(result, "traffic_series", setting="record.traffic_interval_ms")
    own = has_name(rows, "flow_group", group) & has_name(rows, "link", link)
    steps = np.rint(_column(rows, "from_s", own) / step_s).astype(int)
    data = _column(rows, "sent_bytes", own) - _HEADER_BYTES * _column(rows, "sent_packets", own)
    sent = np.zeros(round(until_s / step_s))
    np.add.at(sent, steps, data)
    ends = step_s * np.arange(1, len(sent) + 1, dtype=np.float64)
    return Series(ends, 8e-6 * np.maximum(sent, 0.0) / step_s)


def round_trips_ms(result: Recorded, group: str, *, each_s: float, behind_ms: float) -> Series:
    """The round trips of a source of datagrams with `echo`, in ms, at the instants at which each was sent.

    What did not come back within the run, lost or late, is infinite.

    Args:
        result: A run with `record.datagrams`, and a window of all of it.
        group: The group that was sent back, of one source that begins with the run.
        each_s: The time from one datagram to the next.
        behind_ms: What a round trip takes beyond the network, where nothing waits.
    """
    rows = table(result, "datagram_arrivals", setting="record.datagrams")
    own = has_name(rows, "group", f"{group}-echo")
    returned_s = _column(rows, "sent_s", own)
    counts = table(result, "datagrams", setting="[[datagrams]]")
    [sent] = _column(counts, "sent_packets", has_name(counts, "group", group)).astype(int)
    # Where time is real a datagram leaves a little late, and may seem to be the next one.
    places = np.setdiff1d(np.arange(sent), np.rint(returned_s / each_s))[: max(0, sent - len(returned_s))]
    at_s = np.concatenate([returned_s, each_s * places])
    took_ms = np.concatenate([1e3 * _column(rows, "delay_s", own) + behind_ms, np.full(len(places), np.inf)])
    order = np.argsort(at_s, kind="stable")
    return Series(at_s[order], took_ms[order])


def smoothed_round_trips_ms(result: Recorded, *, end_s: float, group: str | None = None) -> Series:
    """What long flows take a round trip for, in ms, sample by sample: of each its smoothed round trip.

    A sample of a sender that hears nothing is the time until it hears something, at least: of one that has
    no round trip yet, and of one whose timer has run out since its last one, so that its timeout has doubled.
    It is infinite of a sender that never had a round trip.
    """
    rows = table(result, "congestion_windows", setting="record.congestion_window_interval_ms")
    groups = rows["flow_group"].to_pylist()
    flows = to_numpy(rows["flow"])
    parts = [
        _heard(*(to_numpy(rows[column])[own].astype(np.float64) for column in _OF_SENDERS), end_s=end_s)
        for name in dict.fromkeys(groups)
        if group in {None, name}
        for in_group in [np.array([each == name for each in groups], dtype=np.bool_)]
        for flow in np.unique(flows[in_group])
        for own in [in_group & (flows == flow)]
    ]
    at_s, took_s = (np.concatenate([part[place] for part in parts] or [np.zeros(0)]) for place in (0, 1))
    order = np.argsort(at_s, kind="stable")
    return Series(at_s[order], 1e3 * took_s[order])


_OF_SENDERS = ("time_s", "smoothed_round_trip_s", "retransmission_timeout_s")
_DOUBLED = 1.5
"""A timeout that has grown by this between two measurements has been doubled: nothing else moves it."""


def _heard(
    at_s: FloatArray, smoothed_s: FloatArray, timeout_s: FloatArray, *, end_s: float
) -> tuple[FloatArray, FloatArray]:
    """The samples of one sender, in the order of time; silent ones last until the next measurement."""
    known = np.nan_to_num(smoothed_s, nan=0.0)
    if not known.any():
        return at_s, np.full(len(at_s), np.inf)
    begins = np.concatenate(([0], np.flatnonzero(np.diff(known)) + 1))
    spell = np.repeat(np.arange(len(begins)), np.diff(begins, append=len(known)))
    heard_s = np.append(at_s[begins[1:]], end_s)[spell]
    backed_off = timeout_s > _DOUBLED * timeout_s[begins][spell]
    last_backed_off = np.maximum.accumulate(np.where(backed_off, np.arange(len(known)), -1))
    silent = (last_backed_off >= begins[spell]) | (known == 0.0)
    took_s = np.where(silent, np.maximum(known, heard_s - at_s), known)
    return at_s, took_s


def _column(rows: Any, name: str, own: NDArray[np.bool_]) -> FloatArray:  # noqa: ANN401  (pyarrow has no types)
    return to_numpy(rows[name])[own].astype(np.float64)


def requests_per_second(result: Recorded, *, from_s: float, until_s: float) -> FloatArray:
    """Requests initiated in each second between two times (seconds of the run)."""
    started = _started_s(result)
    return _sums(started, np.ones(started.size), from_s, until_s)


def bytes_requested_per_second(result: Recorded, *, from_s: float, until_s: float) -> FloatArray:
    """Bytes of response asked for in each second between two times (seconds of the run)."""
    asked = _of_responses(result, "response_bytes")
    return _sums(_started_s(result), asked, from_s, until_s)


def mean_response_size(result: Recorded) -> float:
    """Mean bytes of a response."""
    return float(_of_responses(result, "response_bytes").mean())


def mean_response_time_s(
    result: Recorded, *, from_s: float, until_s: float, per_s: float = 1.0
) -> FloatArray:
    """Mean response time of what completed in each stretch of `per_s` seconds; NaN where nothing did."""
    ended = _of_responses(result, "completed_at_s")
    total = _sums(ended, _of_responses(result, "response_time_s"), from_s, until_s, per_s)
    count = _sums(ended, np.ones(ended.size), from_s, until_s, per_s)
    return np.asarray(np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0))


def index_of_dispersion(counts: FloatArray) -> float:
    """Variance over mean: 1 for a Poisson process, more for a burstier one."""
    return float(counts.var(ddof=1) / counts.mean())


def _started_s(result: Recorded) -> FloatArray:
    return np.asarray(_of_responses(result, "completed_at_s") - _of_responses(result, "response_time_s"))


def _of_responses(result: Recorded, name: str) -> FloatArray:
    rows = table(result, "responses", setting='record.responses = "rows"')
    return np.asarray(to_numpy(rows[name]), dtype=np.float64)


def _sums(
    at_s: FloatArray, values: FloatArray, from_s: float, until_s: float, per_s: float = 1.0
) -> FloatArray:
    stretches = int((until_s - from_s) // per_s)
    place = np.floor((at_s - from_s) / per_s)
    inside = (place >= 0) & (place < stretches)
    sums = np.bincount(place[inside].astype(np.int64), weights=values[inside], minlength=stretches)
    return np.asarray(sums, dtype=np.float64)
