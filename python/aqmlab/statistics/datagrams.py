"""Delay, delay variation, loss and goodput of a group of datagrams: what a call or a game feels.

A group is a group of `[[datagrams]]`; its sources are alike. Datagrams sent in the measured window count,
whatever became of them later. Delay is one way, from the sender's hand-over to the arrival of the last bit;
of what was sent back (`echo`, the group `NAME-echo`) it is the round trip, from the hand-over of the probe,
and loss is that of either way. Of several sources each number is the mean over those that sent something:
what one of these people feels on average. Goodput counts what arrived in the window, whenever it was sent.

What is under way at the end of a run is what waits longest. It is never left out: percentiles of the delay
and losses lie between two ends, whatever becomes of it (`delay_p50_least_s` and the like of the table), and
are exact only where it cannot decide. A source that sent and of which nothing arrived has the bad end of each
scale: no upper end of its delay, a loss of 100 %.

Delay variation is that of RFC 5481 section 4.2 (packet delay variation), delay less the least delay of the
same source that arrived; here its 99th percentile. A receiver's playout buffer has to be about as long.

A row of `datagram_arrivals` is a datagram that arrived. Of a source that sends at a rate all the time, one
packet each `8 packet_bytes / rate`, what is missing in the row of its instants did not arrive. Other sources
say only how many that were, and not when.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from aqmlab import _core
from aqmlab.errors import MissingDataError, TooLittleDataError
from aqmlab.files.columns import to_numpy
from aqmlab.statistics import loss
from aqmlab.statistics.observation import Observation, mean_of
from aqmlab.statistics.quantity import observed_of_part, of_part
from aqmlab.statistics.recorded import Recorded, has_name, measured_window_s, table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aqmlab.statistics.distribution import FloatArray
    from aqmlab.statistics.quantity import OfPart

    Column = Callable[[str], FloatArray]
    Ends = tuple[FloatArray, FloatArray]

DELAY_PERCENTILES = (50, 95, 99)
_REPORTS = "feedback"
"""The group of what a receiver reports of what it gets, which nobody waits for."""
RESOLUTION = 0.001
"""The relative width of the bins of delays: ends that are no further apart are one number."""
_MILLISECONDS = 1000.0


def datagram_groups(result: Recorded) -> list[str]:
    """The names of the run's groups of datagrams, in the order of the scenario; none where there are none."""
    if "datagrams" not in result.tables:
        return []
    return list(dict.fromkeys(result.tables["datagrams"]["group"].to_pylist()))


def echo_groups(result: Recorded) -> list[str]:
    """The names of the groups of what was sent back, whose delays are round trips."""
    groups = result.run["scenario"].get("datagrams", ())
    return [f"{group['name']}-echo" for group in groups if group.get("echo")]


@cache
def _applications() -> Mapping[str, _core.Application]:
    """The applications over datagrams, by the key of a group that names each."""
    return {each.key: each for each in _core.applications()}


def application_of(group: Mapping[str, Any]) -> _core.Application | None:
    """The application of a group of `[[datagrams]]`, by its keys; none of one that this version lacks."""
    named = [own for key, own in _applications().items() if group.get(key) is not None]
    return named[-1] if named else None


def groups_with_frames(result: Recorded) -> list[str]:
    """The names of the groups whose applications record frames: video calls, cloud games."""
    groups = result.run["scenario"].get("datagrams", ())
    applications = {str(group["name"]): application_of(group) for group in groups}
    return [name for name, own in applications.items() if own is not None and own.viewers is not None]


def feedback_groups(result: Recorded) -> list[str]:
    """The names of the groups of the reports that receivers of video calls send back."""
    groups = result.run["scenario"].get("datagrams", ())
    applications = {str(group["name"]): application_of(group) for group in groups}
    return [
        f"{name}-{_REPORTS}"
        for name, own in applications.items()
        if own is not None and own.receiver == _REPORTS
    ]


def delay_ms_of(percentile: int) -> OfPart:
    """A percentile of the one-way delay of a group's datagrams, in milliseconds."""
    which = "median" if percentile == 50 else f"{percentile} %"

    @observed_of_part(
        f"delay_p{percentile}_ms", "ms", f"delay of {{}}, {which}, ms",
        "delay ms" if percentile == 50 else f"delay {which} ms", 1,
        definition=f"{percentile}th percentile of the delay, one way (of `NAME-echo` the round trip); a "
        "bound where those under way at the end decide; mean over the sources",
    )  # fmt: skip
    def delay_ms(result: Recorded, part: str) -> Observation:
        bad_end = Observation.at_least(_MILLISECONDS * measured_window_s(result))
        return observed_of_sources(
            result, part, lambda column: _delay_ends_ms(column, percentile), of_silent=bad_end
        )

    return delay_ms


@observed_of_part(
    "delay_variation_p99_ms", "ms", "delay variation of {}, 99 %, ms", "jitter ms", 1,
    definition="99th percentile of the delay minus the least of those that arrived (RFC 5481); a bound "
    "where those under way at the end decide; mean over the sources",
)  # fmt: skip
def delay_variation_ms_of(result: Recorded, part: str) -> Observation:
    """The 99th percentile of the delay variation of a group's datagrams in milliseconds (RFC 5481)."""

    def ends_ms(column: Column) -> Ends:
        least_ms = _MILLISECONDS * np.nan_to_num(column("delay_minimum_s"))
        lower, upper = _delay_ends_ms(column, 99)
        return np.maximum(0.0, lower - least_ms), upper - least_ms

    bad_end = Observation.at_least(_MILLISECONDS * measured_window_s(result))
    return observed_of_sources(result, part, ends_ms, of_silent=bad_end)


@observed_of_part(
    "loss_percent", "%", "loss of {}, %", "loss %", 2,
    definition="datagrams lost, of those sent in the measured window; what is under way at the end is "
    "lost at most, and not at least",
    denominator=loss.SENT,
    worst=100.0,
)  # fmt: skip
def loss_percent_of_datagrams(result: Recorded, part: str) -> Observation:
    """Datagrams of a group that were lost on the way, per 100 that were sent."""
    column = sources_of(result, part)
    sent, lost, under_way = (float(column(f"{fate}_packets").sum()) for fate in ("sent", "lost", "under_way"))
    if sent == 0:
        return Observation.nothing()
    return Observation(loss.percent(lost, sent), loss.percent(lost + under_way, sent))


@of_part(
    "under_way_percent", "%", "{} under way at the end, %", "under way %", 2,
    definition="datagrams that had neither arrived nor been lost when the run ended, of those sent in "
    "the measured window",
    denominator=loss.SENT,
)  # fmt: skip
def under_way_percent_of_datagrams(result: Recorded, part: str) -> float:
    """Datagrams of a group that were under way at the end of the run, per 100 that were sent."""
    column = sources_of(result, part)
    none = TooLittleDataError(f"{part} sent nothing in the measured window")
    under_way, sent = (float(column(f"{fate}_packets").sum()) for fate in ("under_way", "sent"))
    return loss.percent(under_way, sent, where_none=none)


@of_part(
    "goodput_kbps", "kbit/s", "goodput of {}, kbit/s", "kbit/s", 0,
    definition="IP bytes of datagrams that arrived in the measured window, whenever they were sent, in "
    "bits per second of it",
    worst=0.0,
)  # fmt: skip
def goodput_kbps_of_datagrams(result: Recorded, part: str) -> float:
    """IP bytes of a group's datagrams that arrived, in kbit/s."""
    arrived = float(sources_of(result, part)("arrived_bytes").sum())
    return 8.0 * arrived / 1000.0 / measured_window_s(result)


def observed_of_sources(
    result: Recorded, part: str, ends: Callable[[Column], Ends], *, of_silent: Observation
) -> Observation:
    """The mean over a group's sources of what each says of a number; nothing where none sent anything."""
    column = sources_of(result, part)
    silent = (column("received_packets") == 0) & (column("under_way_packets") == 0)
    sent = column("sent_packets") > 0
    return mean_of(
        of_silent if is_silent else Observation(float(lower), float(upper))
        for lower, upper, is_silent, has_sent in zip(*ends(column), silent, sent, strict=True)
        if has_sent
    )


def delay_ends_s(column: Column, percentile: int) -> Ends:
    """Of each source what a percentile of its delay at least and at most is, in seconds."""
    lower, upper = (column(f"delay_p{percentile}_{end}_s") for end in ("least", "most"))
    return np.where(upper <= lower * (1.0 + RESOLUTION), upper, lower), upper


def _delay_ends_ms(column: Column, percentile: int) -> Ends:
    lower, upper = delay_ends_s(column, percentile)
    return _MILLISECONDS * lower, _MILLISECONDS * upper


def sources_of(result: Recorded, part: str) -> Column:
    """The numeric columns of a group's sources, by name."""
    name = part.partition(".")[2]
    rows = table(result, "datagrams", setting="[[datagrams]]")
    own = has_name(rows, "group", name)
    if not own.any():
        raise MissingDataError(f"the run has no {part}")
    if "under_way_packets" not in rows.column_names:
        raise MissingDataError(
            f"the run does not say what of {part} was under way at its end: an earlier version recorded it; "
            "run it again"
        )
    return lambda column: to_numpy(rows[column])[own].astype(np.float64)


OF_DATAGRAMS: Mapping[str, OfPart] = {
    **{f"delay_p{percentile}_ms": delay_ms_of(percentile) for percentile in DELAY_PERCENTILES},
    "delay_variation_p99_ms": delay_variation_ms_of,
    "loss_percent": loss_percent_of_datagrams,
    "under_way_percent": under_way_percent_of_datagrams,
    "goodput_kbps": goodput_kbps_of_datagrams,
}
"""The quantities of a group of datagrams."""


@dataclass(frozen=True)
class Delays:
    """What became of the datagrams that a group sent within a stretch of time."""

    sent_s: FloatArray  # when those were sent that arrived, in seconds of the run
    delay_ms: FloatArray  # their delays
    lost_s: FloatArray | None  # when the others were sent; none where that is not known


def delays_of(result: Recorded, group: str, *, from_s: float, until_s: float) -> Delays:
    """The delays of a group's datagrams that were sent between two instants."""
    if group not in datagram_groups(result):
        known = ", ".join(datagram_groups(result)) or "none"
        raise MissingDataError(f'the run has no group of datagrams "{group}"; legal: {known}')
    rows = table(result, "datagram_arrivals", setting="record.datagrams")
    own = has_name(rows, "group", group)
    sent_s, source = to_numpy(rows["sent_s"])[own], to_numpy(rows["source"])[own]
    within = (sent_s >= from_s) & (sent_s < until_s)
    delay_ms = _MILLISECONDS * to_numpy(rows["delay_s"])[own]
    spacing_s = _spacing_s(result, group)
    lost_s = None
    if spacing_s is not None:
        sources = range(int(sources_of(result, f"datagrams.{group}")("source").size))
        own_group = _group(result, group)
        first_s = max(from_s, float(own_group["start_s"]) + float(own_group["start_spread_s"]))
        last_s = min(until_s, float(own_group.get("stop_s") or until_s))
        missing = [_missing(sent_s[source == each], spacing_s, first_s, last_s) for each in sources]
        lost_s = np.sort(np.concatenate([np.zeros(0), *missing]))
    order = np.argsort(sent_s[within], kind="stable")
    return Delays(sent_s[within][order], delay_ms[within][order], lost_s)


def sent_packets(result: Recorded, group: str) -> float:
    """How many datagrams a group sent in the measured window."""
    return float(sources_of(result, f"datagrams.{group}")("sent_packets").sum())


def _group(result: Recorded, name: str) -> Mapping[str, Any]:
    groups = result.run["scenario"].get("datagrams", ())
    return next((each for each in groups if each["name"] == name), {})


def _spacing_s(result: Recorded, name: str) -> float | None:
    """The time from one packet of a source to the next, of those that send at a rate all the time."""
    group = _group(result, name)
    if group.get("rate_mbps") is None or group.get("on_s") is not None:
        return None
    return 8e-6 * float(group["packet_bytes"]) / float(group["rate_mbps"])


def _missing(arrived_s: FloatArray, spacing_s: float, from_s: float, until_s: float) -> FloatArray:
    """Of the instants at which a source sends, those of which nothing arrived."""
    phase_s = float(arrived_s[0]) if arrived_s.size else from_s
    first = np.ceil((from_s - phase_s) / spacing_s - 1e-6)
    last = np.ceil((until_s - phase_s) / spacing_s - 1e-6)
    places = np.arange(first, max(last, first))
    return np.asarray(phase_s + spacing_s * np.setdiff1d(places, np.rint((arrived_s - phase_s) / spacing_s)))
