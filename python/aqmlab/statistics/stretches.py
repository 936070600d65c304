"""Numbers of a part of a run, such as one phase of its traffic: `WHAT/PART@FROM-UNTIL`.

A part is `links.NAME`, a monitored link with all that passes it; or `populations.NAME`, `flows.NAME` or
`datagrams.NAME`, whose senders' packets are meant (servers send to users); of times it takes to answer, a
population. Stretches are in seconds of the run; several, as in `@400-600+1400-1600`, are taken together. A
stretch has to begin and end with intervals of the table it is taken from, and to lie within the measured
window: what is asked for is what is counted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.errors import MissingDataError, TooLittleDataError
from aqmlab.files.columns import of_numbers, to_numpy
from aqmlab.statistics import loss
from aqmlab.statistics.quantity import OfRun
from aqmlab.statistics.recorded import Recorded, has_name, measured_window, table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

    BoolArray = NDArray[np.bool_]

_STRETCH = re.compile(r"(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)")
_NAME = re.compile(
    rf"(?P<what>\w+)/(?P<part>\w+\..+)@(?P<stretches>{_STRETCH.pattern}(?:\+{_STRETCH.pattern})*)"
)
_SLACK_S = 1e-6
_COLUMNS = {"populations": ("population", "server"), "flows": ("flow_group", "browser"),
            "datagrams": ("datagram_group", "browser")}  # fmt: skip


@dataclass(frozen=True)
class Stretches:
    """Parts of a run: pairs of instants in seconds."""

    pairs: tuple[tuple[float, float], ...]

    @property
    def seconds(self) -> float:
        """Their length together."""
        return sum(until - begin for begin, until in self.pairs)

    def hold(self, at_s: NDArray[np.float64]) -> BoolArray:
        """Of each instant whether it lies in one of them, the beginning included and the end not."""
        within = [(at_s >= begin - _SLACK_S) & (at_s < until - _SLACK_S) for begin, until in self.pairs]
        return np.asarray(np.logical_or.reduce(within), dtype=np.bool_)

    def hold_before(self, at_s: NDArray[np.float64]) -> BoolArray:
        """Of each instant whether the time before it lies in one of them."""
        within = [(at_s > begin + _SLACK_S) & (at_s <= until + _SLACK_S) for begin, until in self.pairs]
        return np.asarray(np.logical_or.reduce(within), dtype=np.bool_)

    def check(self, result: Recorded, interval_s: float = 0.0) -> None:
        """Whether they lie within the measured window, and begin and end with intervals from its start on."""
        in_order = sorted(self.pairs)
        for (_, before), (begin, until) in pairwise(in_order):
            if begin < before - _SLACK_S:
                raise MissingDataError(
                    f"{begin:g} to {until:g} s overlaps another stretch, which ends at {before:g} s"
                )
        start, end = measured_window(result)
        for begin, until in self.pairs:
            if not start - _SLACK_S <= begin < until <= end + _SLACK_S:
                raise MissingDataError(
                    f"{begin:g} to {until:g} s lies outside the measured window, {start:g} to {end:g} s"
                )
            for instant in (begin, until) if interval_s else ():
                place = (instant - start) / interval_s
                if abs(place - round(place)) * interval_s > _SLACK_S:
                    raise MissingDataError(
                        f"{begin:g} to {until:g} s does not consist of whole intervals of {interval_s:g} s "
                        f"from {start:g} s on"
                    )


def of_stretches(name: str) -> OfRun | None:
    """The quantity of a part of a run with this name, if it has the form of one and its number is known."""
    found = _NAME.fullmatch(name)
    if found is None or found["what"] not in OF_STRETCHES:
        return None
    kind = found["part"].split(".", 1)[0]
    numbers = OF_STRETCHES[found["what"]]
    if kind not in numbers.kinds:
        return None
    pairs = tuple((float(begin), float(until)) for begin, until in _STRETCH.findall(found["stretches"]))
    stretches, part = Stretches(pairs), found["part"]
    title = f"{numbers.title} of {part}, {found['stretches']} s, {numbers.unit}"
    return OfRun(
        name, numbers.unit, title, numbers.unit, numbers.digits,
        lambda result: numbers.compute(result, part, stretches),
        definition=numbers.definition,
        denominator=numbers.denominator,
    )  # fmt: skip


# ------------------------------------------------------------------------------------------------ of traffic


def _sums(result: Recorded, part: str, stretches: Stretches) -> dict[str, int]:
    """What monitored links sent and discarded of a part: its only link."""
    rows = table(result, "traffic_series", setting="record.traffic_interval_ms")
    interval_s = float(result.run["scenario"]["record"]["traffic_interval_ms"]) / 1000.0
    stretches.check(result, interval_s)
    wanted = _rows_of(rows, part, result) & stretches.hold(to_numpy(rows["from_s"]))
    counts = ("sent_packets", "sent_bytes", "marked_packets", "discarded_packets", "discarded_bytes")
    return {name: int(to_numpy(rows[name])[wanted].sum()) for name in counts}


def _rows_of(rows: pa.Table, part: str, result: Recorded) -> BoolArray:
    kind, name = part.split(".", 1)
    if kind == "links":
        if name not in [link["name"] for link in result.run["links"]]:
            raise MissingDataError(f"the run has no monitored link {name}")
        return has_name(rows, "link", name)
    column, sender = _COLUMNS[kind]
    own = has_name(rows, column, name) & has_name(rows, "sender", sender)
    links = set(rows["link"].filter(of_numbers(own)).to_pylist())
    if not links:
        raise MissingDataError(f"no packet of {part} came to a monitored link")
    if len(links) > 1:
        raise MissingDataError(f"{part} passes several monitored links: {', '.join(sorted(links))}")
    return own


def _throughput_mbps(result: Recorded, part: str, stretches: Stretches) -> float:
    return 8.0 * _sums(result, part, stretches)["sent_bytes"] / 1e6 / stretches.seconds


def _lost_percent(unit: str) -> Callable[[Recorded, str, Stretches], float]:
    def percent(result: Recorded, part: str, stretches: Stretches) -> float:
        sums = _sums(result, part, stretches)
        lost = sums[f"discarded_{unit}"]
        none = TooLittleDataError(f"nothing of {part} came to a monitored link then")
        return loss.percent(lost, sums[f"sent_{unit}"] + lost, where_none=none)

    return percent


# ------------------------------------------------------------------------------------------------- of queues


def _queue_samples(
    result: Recorded, part: str, stretches: Stretches, hold: Callable[[NDArray[np.float64]], BoolArray]
) -> pa.Table:
    rows = table(result, "queue", setting="a monitored queue")
    stretches.check(result)
    wanted = has_name(rows, "link", part.split(".", 1)[1]) & hold(to_numpy(rows["time_s"]))
    if not wanted.any():
        raise TooLittleDataError(f"the queue of {part} was not sampled then")
    return rows.filter(of_numbers(wanted))


def _queue_mean(result: Recorded, part: str, stretches: Stretches) -> float:
    """The mean queue in kilobytes: packets averaged over time, of the mean size of those that samples met.

    Samples alone alias with traffic of a constant period. Where no sample met a packet, the mean size is that
    of the packets that the link sent in the measured window.
    """
    rows = _queue_samples(result, part, stretches, stretches.hold_before)
    packets, mean_packets, sizes = (
        to_numpy(rows[name]).astype(np.float64) for name in ("packets", "mean_packets", "bytes")
    )
    met = float(packets.sum())
    if not met:
        link = next(each for each in result.run["links"] if each["name"] == part.split(".", 1)[1])
        sent, frames = float(link["throughput_ip_mbps"]), float(link["throughput_frame_mbps"])
        each_bytes = float(link["mean_frame_bytes"]) * (sent / frames if frames else 0.0)
    else:
        each_bytes = float(sizes.sum()) / met
    return float(mean_packets.mean()) * each_bytes / 1000.0


def _queue_deviation(result: Recorded, part: str, stretches: Stretches) -> float:
    rows = _queue_samples(result, part, stretches, stretches.hold)
    return float((to_numpy(rows["bytes"]).astype(np.float64) / 1000.0).std())


# ------------------------------------------------------------------------------------------------ of schemes


def _state_percent(quantity: str) -> Callable[[Recorded, str, Stretches], float]:
    def mean(result: Recorded, part: str, stretches: Stretches) -> float:
        rows = table(result, "scheme_state", setting="record.scheme_state_interval_ms")
        stretches.check(result)
        told = has_name(rows, "link", part.split(".", 1)[1]) & has_name(rows, "quantity", quantity)
        if not told.any():
            raise MissingDataError(f"the scheme at {part} has no variable {quantity}")
        wanted = told & stretches.hold(to_numpy(rows["time_s"]))
        if not wanted.any():
            raise TooLittleDataError(f"the scheme at {part} was not sampled then")
        return 100.0 * float(to_numpy(rows["value"])[wanted].mean())

    return mean


# ---------------------------------------------------------------------------------------- of response times


def _response_mean(result: Recorded, part: str, stretches: Stretches) -> float:
    rows = table(result, "responses", setting='record.responses = "rows"')
    stretches.check(result)
    ended = stretches.hold(to_numpy(rows["completed_at_s"]))
    wanted = has_name(rows, "population", part.split(".", 1)[1]) & ended
    if not wanted.any():
        raise TooLittleDataError(f"no response of {part} completed in that time")
    return float(to_numpy(rows["response_time_s"])[wanted].mean())


@dataclass(frozen=True)
class _Numbers:
    """A number of parts of a run."""

    title: str
    unit: str
    digits: int
    kinds: tuple[str, ...]
    compute: Callable[[Recorded, str, Stretches], float]
    definition: str
    denominator: str = ""


_TRAFFIC = ("links", *_COLUMNS)
OF_STRETCHES: Mapping[str, _Numbers] = {
    "throughput_mbps": _Numbers(
        "throughput (IP)", "Mbit/s", 2, _TRAFFIC, _throughput_mbps,
        "bits of IP packets that the link sent, per second of the stretch",
    ),
    "packet_loss_percent": _Numbers(
        "packets lost", "%", 2, _TRAFFIC, _lost_percent("packets"),
        "packets discarded, of those that the link sent or discarded in the stretch",
        loss.OFFERED,
    ),
    "byte_loss_percent": _Numbers(
        "bytes lost", "%", 2, _TRAFFIC, _lost_percent("bytes"),
        "bytes discarded, of those that the link sent or discarded in the stretch",
        loss.OFFERED_BYTES,
    ),
    "queue_mean_kilobytes": _Numbers(
        "mean queue", "kB", 0, ("links",), _queue_mean, "mean of the samples of the queue, in 1,000 bytes"
    ),
    "queue_deviation_kilobytes": _Numbers(
        "standard deviation of the queue", "kB", 0, ("links",), _queue_deviation,
        "standard deviation of the samples of the queue, in 1,000 bytes",
    ),
    "notification_rate_percent": _Numbers(
        "average notification rate", "%", 2, ("links",), _state_percent("notification_rate"),
        "mean of the samples of SFG's average notification rate",
    ),
    "filter_on_percent": _Numbers(
        "time with the filter on", "%", 0, ("links",), _state_percent("filter_is_on"),
        "share of the samples in which SFG's filter is on",
    ),
    "response_mean_s": _Numbers(
        "mean response", "s", 2, ("populations",), _response_mean,
        "mean response time of the responses that completed in the stretch",
    ),
}  # fmt: skip
"""Numbers of parts of a run; of response times, the mean over those that were complete in the stretch."""
