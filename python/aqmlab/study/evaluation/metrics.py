"""The metrics of RFC 7928, section 2, of one run: which a scenario has follows from its traffic.

The card of a controller has the same.

Most are quantities of the registry (`aqmlab.quantities`). What only the guidelines ask for is here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.errors import MissingDataError, TooLittleDataError
from aqmlab.files.columns import to_numpy
from aqmlab.inference import NotEnoughReplications
from aqmlab.statistics.observation import Observation
from aqmlab.statistics.quantities import quantity
from aqmlab.statistics.quantity import Measured
from aqmlab.statistics.recorded import has_name, table
from aqmlab.statistics.waiting import waiting_ms
from aqmlab.study.evaluation.network import OPENER, PROBE, ROUND_TRIP_MS, VOICE
from aqmlab.tables.model import Column, Table, bounds_in_csv, finite, in_csv

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    import pyarrow as pa
    from numpy.typing import NDArray

    from aqmlab.inference import Interval
    from aqmlab.statistics.recorded import Recorded
    from aqmlab.study.evaluation.evaluation import Evaluation, Figure
    from aqmlab.study.evaluation.guideline import Case

DELAY, GOODPUT = "queue_mean_ms", "goodput_mbps"
"""The axes of the trade-off."""
_WITHIN = ("completion_p50_s", "completion_p95_s")


_MORE_IS_BETTER = {
    GOODPUT,
    "call_bitrate_mbps",
    "goodput_ratio",
    "jain_index",
    "throughput_mbps",
    "utilization_percent",
    "voice_mos",
}
"""By the name without its part. Of all others less is better."""


@dataclass(frozen=True)
class Metric:
    """A number of a scenario for each seed.

    Attributes:
        section: Of RFC 7928, such as 2.6, or of RFC 9743.
        name: What tables call it; as of a quantity, the part of the traffic stands behind a slash.
        unit: Its unit; empty for a ratio or an index.
    """

    section: str
    name: str
    unit: str

    @property
    def more_is_better(self) -> bool:
        """Whether a greater number is the better one."""
        return self.name.partition("/")[0].partition("@")[0] in _MORE_IS_BETTER


@dataclass(frozen=True)
class OfRun(Metric):
    """A metric of one run.

    Attributes:
        observe: What a run says of it: its value, a bound, or nothing.
    """

    observe: Callable[[Recorded], Observation]


def metrics_of(case: Case) -> list[OfRun]:
    """Every metric that the runs of a case have."""
    document = case.document
    return [
        *_of_links(case),
        measured_as("2.5", GOODPUT, "Mbit/s", partial(total_goodput_mbps, document=document)),
        *(metric for flows in document["flows"] for metric in _of_flows(flows, case)),
        *(metric for group in document["datagrams"] for metric in _of_datagrams(group["name"], case)),
        *(metric for group in document["populations"] for metric in _of_users(group["name"])),
        *_of_phases(case),
        *_of_ratio(case),
        *case.counted,
    ]


def total_goodput_mbps(result: Recorded, *, document: Mapping[str, Any]) -> float:
    """What flows, streams and pages carried together in Mbit/s, without those that measure."""
    parts = [f"flows.{each['name']}" for each in document["flows"]]
    parts += [f"datagrams.{each['name']}" for each in document["datagrams"] if each["name"] != PROBE]
    parts += [f"populations.{each['name']}" for each in document["populations"] if each["name"] != OPENER]
    return sum(quantity(f"goodput_mbps/{part}")(result) for part in parts)


def loss_synchronisation_percent(result: Recorded, *, group: str, links: Sequence[str]) -> float:
    """The share of a group's flows that lose data in a loss event, in the mean over events (section 2.4).

    An event begins with a loss and lasts a round trip.
    """
    sent = table(result, "flows", setting="record.flows")
    members = to_numpy(sent["connection"])[has_name(sent, "flow_group", group)]
    rows = table(result, "packets", setting="record.packets")
    time_s, who = to_numpy(rows["time_s"]), to_numpy(rows["connection"])
    lost = has_name(rows, "event", "discard") & has_name(rows, "class", "data") & np.isin(who, members)
    lost &= np.logical_or.reduce([has_name(rows, "link", link) for link in links])
    lost &= _measured(result, rows)
    shares, place = [], 0
    when, whose = time_s[lost], who[lost]
    while place < when.size:
        end = int(np.searchsorted(when, when[place] + ROUND_TRIP_MS / 1e3, side="left"))
        shares.append(np.unique(whose[place:end]).size / members.size)
        place = end
    if not shares:
        raise TooLittleDataError(f"no flow of {group} lost data in the measured window")
    return 100.0 * float(np.mean(shares))


def loss_gap_ms(result: Recorded, *, links: Sequence[str]) -> float:
    """The median time between two losses that follow one another at a link, in milliseconds (section 2.3)."""
    rows = table(result, "packets", setting="record.packets")
    lost, time_s = _measured(result, rows) & has_name(rows, "event", "discard"), to_numpy(rows["time_s"])
    gaps = [np.diff(time_s[lost & has_name(rows, "link", link)]) for link in links]
    if not any(each.size for each in gaps):
        raise TooLittleDataError("fewer than two packets were lost at a link in the measured window")
    return 1e3 * float(np.median(np.concatenate(gaps)))


def sent_packets(result: Recorded, *, link: str) -> float:
    """Packets on their way to a link in the measured window, those that were lost before it among them."""
    [found] = [each for each in result.run["impairments"] if each["link"] == link]
    return float(found["arrived"]["packets"])


def sent_per_round_trip(result: Recorded, *, link: str, round_trip_ms: float) -> float:
    """The same for each round trip of the window."""
    window_ms = 1e3 * (result.run["measured_until_s"] - result.run["measured_from_s"])
    return float(sent_packets(result, link=link) * round_trip_ms / window_ms)


def _measured(result: Recorded, rows: pa.Table) -> NDArray[np.bool_]:
    """Which rows of packets are in the measured window."""
    time_s = to_numpy(rows["time_s"])
    inside: NDArray[np.bool_] = (time_s >= result.run["measured_from_s"]) & (
        time_s < result.run["measured_until_s"]
    )
    return inside


def queueing_delay_ms(result: Recorded, *, link: str, begin_s: float, end_s: float) -> float:
    """How long what waits takes to be sent, the mean of the samples of a stretch, in milliseconds."""
    time_s, delays_ms = waiting_ms(result, link)
    inside = (time_s >= begin_s) & (time_s < end_s)
    return float(delays_ms[inside].mean())


def _of_links(case: Case) -> Iterator[OfRun]:
    for name, unit, section in (
        (DELAY, "ms", "2.6"),
        ("loss_percent", "%", "2.3"),
        ("marked_percent", "%", "2.3"),
        ("utilization_percent", "%", "2.5"),
    ):
        yield OfRun(section, name, unit, partial(_quantity, name=name, links=case.links))
        for link in case.links if len(case.links) > 1 else ():
            yield OfRun(section, f"{name}/links.{link}", unit, partial(_quantity, name=name, links=(link,)))
    if case.document["record"]["packets"]:
        yield measured_as("2.3", "loss_gap_p50_ms", "ms", partial(loss_gap_ms, links=case.links))


def _of_flows(flows: Mapping[str, Any], case: Case) -> Iterator[OfRun]:
    part = f"flows.{flows['name']}"
    yield _named("2.5", f"goodput_mbps/{part}", "Mbit/s", case)
    yield _named("2.3", f"loss_percent/{part}", "%", case)
    if flows["count"] == 1:
        return
    if "bytes" in flows:
        for name in _WITHIN:
            yield _named("2.1", f"{name}/{part}", "s", case)
        return
    yield _named("2.5", f"jain_index/{part}", "", case)
    if not case.document["record"]["packets"]:
        return
    compute = partial(loss_synchronisation_percent, group=flows["name"], links=case.links)
    yield measured_as("2.4", f"loss_synchronisation_percent/{part}", "%", compute)


def _of_datagrams(group: str, case: Case) -> Iterator[OfRun]:
    part = f"datagrams.{group}"
    for name in ("delay_p50_ms", "delay_p95_ms", "delay_p99_ms", "delay_variation_p99_ms"):
        yield _named("2.6", f"{name}/{part}", "ms", case)
    yield _named("2.3", f"loss_percent/{part}", "%", case)
    if group.startswith(VOICE):
        yield _named("2.6", f"voice_mos/{part}", "", case)
    if any("adaptive_video" in each for each in case.document["datagrams"] if each["name"] == group):
        yield _named("2.5", f"call_bitrate_mbps/{part}", "Mbit/s", case)
        yield _named("2.6", f"call_frame_delay_p95_ms/{part}", "ms", case)
        yield _named("2.6", f"call_frozen_percent/{part}", "%", case)
    if group != PROBE:
        yield _named("2.5", f"goodput_mbps/{part}", "Mbit/s", case)


def _of_users(group: str) -> Iterator[OfRun]:
    section, name = ("2.2", "start_up") if group == OPENER else ("2.1", "completion")
    for percentile in (50, 95):
        observe = partial(_of_population, name=f"page_followed_p{percentile}_s", group=group)
        yield OfRun(section, f"{name}_p{percentile}_s/populations.{group}", "s", observe)
    if group != OPENER:
        part = f"goodput_mbps/populations.{group}"
        yield OfRun("2.5", part, "Mbit/s", partial(_quantity, name=part, links=()))


def _of_phases(case: Case) -> Iterator[OfRun]:
    [link] = case.links if case.phases else [""]
    for phase, (begin_s, end_s) in case.phases.items():
        delay = partial(queueing_delay_ms, link=link, begin_s=begin_s, end_s=end_s)
        yield measured_as("2.6", f"queueing_delay_ms@{phase}", "ms", delay)
        name = f"throughput_mbps/links.{link}@{begin_s:g}-{end_s:g}"
        yield OfRun("2.5", f"throughput_mbps@{phase}", "Mbit/s", partial(_quantity, name=name, links=()))


def _of_ratio(case: Case) -> Iterator[OfRun]:
    if case.ratio is None:
        return

    def ratio(result: Recorded) -> float:
        first, second = (quantity(f"goodput_mbps/flows.{name}")(result) for name in case.ratio or ())
        if not first:
            raise TooLittleDataError("the first group delivered nothing")
        return second / first

    yield measured_as("2.5", "goodput_ratio/flows.{1}-to-{0}".format(*case.ratio), "", ratio)


def _named(section: str, name: str, unit: str, case: Case) -> OfRun:
    return OfRun(section, name, unit, partial(_quantity, name=name, links=case.links))


def measured_as(section: str, name: str, unit: str, compute: Callable[[Recorded], float]) -> OfRun:
    """A metric that a run has whole, or not at all."""

    def observe(result: Recorded) -> Observation:
        try:
            return Observation.exact(compute(result))
        except (MissingDataError, TooLittleDataError):
            return Observation.nothing()

    return OfRun(section, name, unit, observe)


def _quantity(result: Recorded, *, name: str, links: Sequence[str]) -> Observation:
    return quantity(name).observed(Measured(result, links))


def _of_population(result: Recorded, *, name: str, group: str) -> Observation:
    return quantity(name).observed(Measured(result, population=group))


def figures_table(evaluation: Evaluation) -> Table:
    """Every metric of every case and subject, a row each: for programs."""
    columns: list[Column[Figure]] = [
        in_csv("section", lambda each: each.trial.guideline.section),
        in_csv("scenario", lambda each: each.trial.guideline.name),
        in_csv("case", lambda each: each.trial.name),
        in_csv(evaluation.method.kind, lambda each: each.trial.subject),
        in_csv("metric_section", lambda each: each.metric.section),
        in_csv("metric", lambda each: each.metric.name),
        in_csv("unit", lambda each: each.metric.unit),
        in_csv("value", lambda each: each.mean.lower if each.mean.is_exact else None),
        in_csv("at_least", lambda each: finite(each.mean.lower)),
        in_csv("at_most", lambda each: finite(each.mean.upper)),
        *bounds_in_csv("low", "high", _interval_of),
        in_csv("seeds", lambda each: len(each.values)),
        in_csv("seeds_with_value", lambda each: sum(map(math.isfinite, each.values))),
    ]
    return Table.of(evaluation.figures, columns)


def _interval_of(figure: Figure) -> Interval | NotEnoughReplications:
    """Its interval; none of ends that differ, which are no sample of a number."""
    found = figure.interval
    return found if figure.mean.is_exact else NotEnoughReplications(len(figure.values))
