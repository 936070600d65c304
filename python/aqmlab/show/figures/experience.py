"""What people get under each configuration, drawn: delay under load, page load times, and who got how much.

Of delay there is a minute, its distribution and its percentiles; of pages and goodput the levels as bars.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.errors import MissingDataError
from aqmlab.show.figures.bars import Bar, BarGroup, BarRow, Bars
from aqmlab.show.figures.chart import Axis, Chart, Series
from aqmlab.show.figures.looks import looks_of_names
from aqmlab.show.figures.over_time import in_intervals, places_in
from aqmlab.show.words.amounts import bit_rate, delay, duration, share_of_time
from aqmlab.statistics.datagrams import (
    DELAY_PERCENTILES,
    datagram_groups,
    delay_ms_of,
    delay_variation_ms_of,
    delays_of,
    goodput_kbps_of_datagrams,
    loss_percent_of_datagrams,
    sent_packets,
)
from aqmlab.statistics.experience import CALL, GAME
from aqmlab.statistics.recorded import measured_window
from aqmlab.statistics.traffic import OF_TRAFFIC, WAYS, devices, goodput_mbps_of
from aqmlab.statistics.voice import voice_mos_of
from aqmlab.statistics.waiting import waiting_ms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.comparison import Comparison, Level
    from aqmlab.show.figures.looks import Line
    from aqmlab.statistics import Recorded
    from aqmlab.statistics.distribution import FloatArray
    from aqmlab.statistics.quantity import OfPart, OfRun


SHOWN_S = 60.0
"""So long a stretch of the measured window is shown, from its beginning."""
MOST_INTERVALS, LEAST_INTERVAL_S = 200, 0.1
SIDE_BY_SIDE = 4
"""More lines than these stand one above another."""
PLANNED_MS = (150.0, 400.0)
"""ITU-T G.114: below the first people in a call notice nothing, above the second no network is planned."""
_POINTS = 161
_LEAST_TOLD_PERCENT = 0.1
NOTHING_ARRIVES = "nothing arrives"


def heard_group(found: Comparison) -> str:
    """Whose delay is shown: the call's, else the game's, else that of any datagrams; none without these.

    Of both ways it is the one that takes longer under the baseline.
    """
    judged = found.judged_groups
    for kind in (CALL, GAME, None):
        groups = [each for each in _groups(found) if kind is None or judged.get(each) is kind]
        if groups:
            return max(groups, key=lambda group: _slowest(found, group))
    return ""


def _slowest(found: Comparison, group: str) -> float:
    seen = found.level(found.baseline, delay_ms_of(95)(f"datagrams.{group}")).observed
    return math.inf if math.isinf(seen.upper) else np.nan_to_num(seen.upper, nan=-1.0)


def group_in_words(group: str) -> str:
    """A group at the head of a figure: call, up."""
    name, _, way = group.rpartition("-")
    return f"{name}, {way}" if name and way in {"up", "down"} else group


def delay_over_time(results: Mapping[str, Recorded], group: str) -> Chart:
    """A minute of the delay of a group's packets under each configuration, and when packets were lost."""
    from_s, until_s = _shown(results)
    edges = np.linspace(from_s, until_s, _intervals(until_s - from_s) + 1)
    looks, series = looks_of_names(results), []
    for name, result in results.items():
        seen = delays_of(result, group, from_s=from_s, until_s=until_s)
        mean, least, greatest = in_intervals(seen.sent_s, seen.delay_ms, edges)
        lost = None if seen.lost_s is None else _counts(seen.lost_s, edges)
        series.append(Series(name, looks[name], mean, least, greatest, lost=lost))
    slowest = [
        np.nanmax(each.upper) for each in series if each.upper is not None and np.isfinite(each.y).any()
    ]
    reach = float(max(slowest, default=0.0))
    return Chart(
        f"Delay under load: {group_in_words(group)}",
        Axis("time, s"),
        Axis("delay one way, ms", limits=(0.0, None)),
        (edges[:-1] + edges[1:]) / 2.0,
        tuple(series),
        levels=tuple(level for level in PLANNED_MS if level < reach),
        apart=len(series) > SIDE_BY_SIDE,
        band=f"least and greatest in each {edges[1] - edges[0]:.3g} s",
    )


def _shown(results: Mapping[str, Recorded]) -> tuple[float, float]:
    begins_s, ends_s = zip(*map(measured_window, results.values()), strict=True)
    from_s, until_s = max(begins_s), min(ends_s)
    return from_s, max(min(until_s, from_s + SHOWN_S), from_s + LEAST_INTERVAL_S)


def _intervals(length_s: float) -> int:
    return max(1, min(MOST_INTERVALS, round(length_s / LEAST_INTERVAL_S)))


def _counts(at_s: FloatArray, edges: FloatArray) -> FloatArray:
    return np.bincount(places_in(at_s, edges), minlength=edges.size - 1).astype(np.float64)


def delays_beyond(results: Mapping[str, Recorded], group: str) -> Chart:
    """Share of a group's packets that take longer than a time, of all sent in the measured window.

    What did not arrive takes longer than any time: with losses a line ends at their share.
    """
    seen: dict[str, tuple[FloatArray, float]] = {}
    for name, result in results.items():
        begin_s, end_s = measured_window(result)
        delays = delays_of(result, group, from_s=begin_s, until_s=end_s)
        if not (sent := sent_packets(result, group)):
            raise MissingDataError(f"{name}: {group} sent nothing in the measured window")
        seen[name] = (np.sort(delays.delay_ms), sent)
    arrived = np.concatenate([delay_ms for delay_ms, _ in seen.values()])
    least, most = (float(arrived.min()), float(arrived.max())) if arrived.size else (1.0, 10.0)
    grid = np.geomspace(max(least, 1e-3), max(most, 1.01 * max(least, 1e-3)), _POINTS)
    looks, series = looks_of_names(results), []
    for name, (delay_ms, sent) in seen.items():
        beyond = (sent - np.searchsorted(delay_ms, grid, side="right")) / sent
        series.append(Series(name, looks[name], np.where(beyond > 0.0, beyond, np.nan)))
    return Chart(
        f"Packets that take longer: {group_in_words(group)}",
        Axis("delay one way, ms", log=True),
        Axis("share taking longer", log=True),
        grid,
        tuple(series),
    )


def delay_bars(found: Comparison) -> Bars:
    """Median, 95th and 99th percentile of the delay of each group of datagrams; without any, of the queue."""
    axis, keys = Axis("delay one way, ms"), ("half within", "95 % within", "99 % within")
    if not (groups := _groups(found)):
        return _of_queues(found, keys)
    made = [delay_ms_of(percentile) for percentile in DELAY_PERCENTILES]
    rows = tuple(BarGroup(group_in_words(each), _rows(found, each, made)) for each in groups)
    return Bars(
        "Delay of each application's packets", axis, keys, rows, delay, nested=True, levels=PLANNED_MS
    )


def jitter_bars(found: Comparison) -> Bars:
    """How much longer than the fastest packet 99 of 100 packets take at most, of each group."""
    rows = tuple(
        BarGroup(group_in_words(each), _rows(found, each, [delay_variation_ms_of]))
        for each in _needed(_groups(found))
    )
    return Bars("Jitter of each application's packets", Axis("jitter (99 %), ms"), ("",), rows, delay)


def mos_bars(found: Comparison) -> Bars:
    """The quality of each call: mean opinion score, 1 to 4.5."""
    calls = [each for each in _groups(found) if found.judged_groups.get(each) is CALL]
    if not calls:
        raise MissingDataError("no group of datagrams is a call: packets of one length, 0.02 to 2 Mbit/s")
    rows = tuple(BarGroup(group_in_words(each), _rows(found, each, [voice_mos_of])) for each in calls)
    axis, levels = Axis("mean opinion score", limits=(1.0, 4.5)), CALL.criteria[2].limits[1:2]
    return Bars("Quality of the calls", axis, ("",), rows, lambda score: f"{score:.1f}", levels=levels)


def _groups(found: Comparison) -> list[str]:
    apart = {*found.feedback_groups, *found.echo_groups}
    return [each for each in found.datagram_groups if each not in apart]


def _needed(groups: list[str]) -> list[str]:
    if not groups:
        raise MissingDataError("the scenario has no [[datagrams]]: no call, no game")
    return groups


def _rows(found: Comparison, group: str, quantities: Sequence[OfPart]) -> tuple[BarRow, ...]:
    part, looks, rows = f"datagrams.{group}", looks_of_names(found.names), []
    for name in found.names:
        if found.level(name, goodput_kbps_of_datagrams(part)).observed.upper == 0.0:
            bars, note = tuple(Bar(math.nan) for _ in quantities), NOTHING_ARRIVES
        else:
            bars = tuple(bar_of(found.level(name, each(part))) for each in quantities)
            if len(bars) > 1:  # which lie in one another, and have no room for intervals
                bars = tuple(replace(bar, ends=None) for bar in bars)
            lost = found.level(name, loss_percent_of_datagrams(part)).observed
            # Of what is under way at the end nobody knows whether it was lost.
            note = f"lost {share_of_time(lost.lower)}" if lost.lower >= _LEAST_TOLD_PERCENT else ""
        rows.append(BarRow(name, looks[name], bars, note))
    return tuple(rows)


def bar_of(level: Level) -> Bar:
    """A level as a bar: with its interval, or as a bound."""
    seen = level.observed
    if not seen.is_known:
        return Bar(math.nan)
    if math.isinf(seen.upper):
        return Bar(seen.lower, is_bound=True)
    lower, upper = (getattr(level.estimate, end, None) for end in ("lower", "upper"))
    return Bar(seen.value, None if lower is None or upper is None else (float(lower), float(upper)))


def _of_queues(found: Comparison, keys: tuple[str, ...]) -> Bars:
    """Percentiles of the waiting time of each judged link's queue, as means over the runs."""
    looks, groups = looks_of_names(found.names), []
    for link in found.links:
        rows = []
        for name, runs in found.runs.items():
            each = [_percentiles(run.result, link) for run in runs]
            bars = tuple(Bar(float(value)) for value in np.mean(each, axis=0))
            rows.append(BarRow(name, looks[name], bars))
        groups.append(BarGroup(link if len(found.links) > 1 else "", tuple(rows)))
    title, axis = "Waiting time in the queue", Axis("waiting time, ms")
    return Bars(title, axis, keys, tuple(groups), delay, nested=True, levels=PLANNED_MS)


def _percentiles(result: Recorded, link: str) -> FloatArray:
    at_s, waited_ms = waiting_ms(result, link)
    begin_s, end_s = measured_window(result)
    inside = (at_s > begin_s) & (at_s <= end_s)
    if not inside.any():
        raise MissingDataError(f"the queue at {link} was not sampled in the measured window")
    return np.percentile(waited_ms[inside], DELAY_PERCENTILES)


USUAL, SLOW = "half of the pages loaded within", "19 of 20 within"
NO_PAGE = "no page"


def page_bars(found: Comparison, looks: Mapping[str, Line] | None = None) -> Bars:
    """How long people wait for a page under each configuration: half of them, and 19 of 20."""
    if not found.tells_pages:
        raise MissingDataError("nobody waited for a page in the measured window")
    looks = looks or looks_of_names(found.names)
    rows = []
    for name in found.names:
        bars = tuple(bar_of(found.level(name, each)) for each in found.of_people)
        unknown = all(math.isnan(bar.value) for bar in bars)
        rows.append(BarRow(name, looks[name], bars, NO_PAGE if unknown else ""))
    title, axis = "How long people wait for a page", Axis("time after the click, s")
    return Bars(title, axis, (USUAL, SLOW), (BarGroup("", tuple(rows)),), duration)


def share_bars(found: Comparison) -> Bars:
    """What each device got, down and up; without devices what each group of flows did."""
    names = devices(next(iter(found.runs.values()))[0].result)
    if not names:
        return goodput_bars(found)
    of = OF_TRAFFIC["devices"]
    groups = {device: [of[f"goodput_{way}_mbps"](f"devices.{device}") for way in WAYS] for device in names}
    return _goodput(found, "Goodput of each device", WAYS, groups)


def goodput_bars(found: Comparison) -> Bars:
    groups = {each: [goodput_mbps_of(f"flows.{each}")] for each in found.flow_groups}
    if not groups:
        result = next(iter(found.runs.values()))[0].result
        own = OF_TRAFFIC["datagrams"]["goodput_mbps"]
        groups = {group_in_words(each): [own(f"datagrams.{each}")] for each in datagram_groups(result)}
    if not groups:
        raise MissingDataError("the scenario has no devices, no flows and no datagrams")
    return _goodput(found, "Goodput", ("",), groups)


def _goodput(
    found: Comparison, title: str, keys: Sequence[str], groups: Mapping[str, Sequence[OfRun]]
) -> Bars:
    looks, made = looks_of_names(found.names), []
    for group, quantities in groups.items():
        rows = []
        for name in found.names:
            bars = tuple(_known(found, name, each) for each in quantities)
            rows.append(BarRow(name, looks[name], bars))
        # A way on which nobody gets anything is none that the device uses.
        used = [any(row.bars[place].value > 0.0 for row in rows) for place in range(len(keys))]
        if any(used):
            made.append(BarGroup(group, tuple(_of_used(row, used) for row in rows)))
    if not made:
        raise MissingDataError("what devices got was not recorded")
    return Bars(title, Axis("goodput, Mbit/s"), tuple(keys), tuple(made), bit_rate)


def _of_used(row: BarRow, used: Sequence[bool]) -> BarRow:
    bars = (bar if is_used else Bar(math.nan) for bar, is_used in zip(row.bars, used, strict=True))
    return replace(row, bars=tuple(bars))


def _known(found: Comparison, name: str, quantity: OfRun) -> Bar:
    try:
        return bar_of(found.level(name, quantity))
    except MissingDataError:
        return Bar(math.nan)
