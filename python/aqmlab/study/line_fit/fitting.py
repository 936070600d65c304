"""The numbers of a line, each with a bound, from what was seen while it was idle and full."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.errors import RefusalError
from aqmlab.study.line_fit.queue_kind import PEAK, QueueKind, queue_kind, quiet
from aqmlab.study.line_fit.resampling import bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.study.line_fit.framing import Framing
    from aqmlab.study.line_fit.loads import Load, Seen

_SEGMENT_BYTES = (1448.0, 1460.0, 1428.0)
"""What a full packet carries if nothing is known: with TCP's timestamps, without, and over IPv6."""
_SINGLE_FIGURE = 0.1
"""How far a speed may be off that a test printed as one figure: assumed, for it says nothing of it."""
_VARIES, _FLAT, _STEADY = 0.1, 0.03, 0.005
_BESIDE, _PROBE_BYTES = 0.005, 84
"""The share of a line that others may take beside transfers (assumed), and an echo request of ping."""
_OWN_PORTS_MS, _MISSED = 0.05, 3.0
"""What interfaces at home take (assumed); so many mean gaps the least of n waits may lie above zero."""
_EMPTY = 0.02
_CONTRADICT = 1.5
_UNSEEN = 0.02
"""What may have waited between two probes, and on the way back: assumed, one packet at least."""
_HIGHEST, _LOW = 0.995, 0.1
_ACKNOWLEDGEMENT_BYTES, _PACKETS_AN_ACKNOWLEDGEMENT, _IN_FRONT = 52, 2, 4


@dataclass(frozen=True)
class Fitted:
    """A number with its bound.

    Attributes:
        value: The number.
        low: The lower end of its bound.
        high: The upper end; infinite where only the lower one is known.
        how: What it was taken from, in words.
    """

    value: float
    low: float
    high: float
    how: str


@dataclass(frozen=True)
class FittedWay:
    """What was fitted of one way.

    Attributes:
        rate_mbps: The line's rate, as its technology counts; none where nothing filled this way.
        kind: The kind of queue.
        buffer_ms: How long a full buffer takes to be sent; none where it never filled.
        kept_ms: How much a controlled queue lets stand.
        notes: What else there is to say.
    """

    rate_mbps: Fitted | None = None
    kind: QueueKind = QueueKind.UNKNOWN
    buffer_ms: Fitted | None = None
    kept_ms: Fitted | None = None
    notes: tuple[str, ...] = ()


def fitted_round_trip(seen: Sequence[Seen]) -> Fitted | None:
    """The round trip of the idle line to the nearest server that was probed."""
    found = []
    for each in seen:
        if not len(each.idle_ms):
            continue
        low, middle = np.quantile(each.idle_ms, [_LOW, 0.5])
        least = float(np.min(each.idle_ms))
        if each.idle_was_seen:
            upper = bounds(each.idle_ms, lambda values: float(np.quantile(values, 0.5)))[1]
            rounded = max(_resolution_ms(each.idle_ms), _OWN_PORTS_MS)
            missed = _MISSED / len(each.idle_ms) * (float(middle) - least)
            ends = least - rounded - missed, max(float(middle), upper) + rounded
            found.append(Fitted(float(low), *ends, f"{len(each.idle_ms)} idle round trips"))
        else:
            found.append(Fitted(least, 0.0, least, "the least round trip; the line was never seen idle"))
    return min(found, key=lambda each: each.value, default=None)


def _resolution_ms(trips: np.ndarray) -> float:
    """Half of the step in which round trips are printed, as far as they show it."""
    steps = np.diff(np.unique(trips))
    return 0.5 * min(float(np.min(steps)) if len(steps) else 0.0, 1.0)


def fitted_way(seen: Sequence[Seen], way: str, framing: Framing) -> FittedWay:
    """What was seen of one way: alone where it was full alone, else beside the other one.

    Raises:
        RefusalError: Files contradict one another.
    """
    loads = [(load, each) for each in seen for load in each.loads if load.way == way]
    alone = [pair for pair in loads if not pair[0].both]
    loads = alone or loads
    if not loads:
        short = any(way in each.too_short for each in seen)
        return FittedWay(notes=("transfers too short: 4 s or more are needed",) if short else ())
    by_session: dict[tuple[str, ...], list[tuple[Load, Seen]]] = {}
    for pair in loads:
        by_session.setdefault(pair[1].sources, []).append(pair)
    rates = {sources: _rate([load for load, _ in each], framing) for sources, each in by_session.items()}
    rate, notes = _agreed(rates, way)
    # Waits are judged session by session; the one with most round trips speaks.
    echo_ms = _echo_ms(seen, way, framing)
    fits = [_queue(each, rates[sources], framing, echo_ms) for sources, each in by_session.items()]
    best, *_ = max(fits, key=lambda each: each[1])
    kinds = {each.kind for each, count, _ in fits if count and each.kind is not QueueKind.UNKNOWN}
    if len(kinds) > 1:
        notes += ("files show different queues; that with most round trips counts",)
    varied = max(_variation(load) for load, _ in loads)
    known = not any(carried.single_figure for load, _ in loads for carried in load.carried)
    emptied = max(each for *_, each in fits)
    if best.kind is QueueKind.NONE:
        notes += ("nothing waited: something else may have limited transfers, and the line carry more",)
        rate = replace(rate, high=math.inf)
    elif best.kind is QueueKind.UNKNOWN and varied > _FLAT:
        notes += (
            f"the rate varied by {100 * varied:.0f} %, and no round trip shows whether the line was full",
        )
        rate = replace(rate, high=math.inf)
    elif emptied > _EMPTY and (not known or varied > _STEADY):
        notes += (f"nothing waited {100 * emptied:.0f} % of the time: the line may carry more",)
        rate = replace(rate, high=math.inf)
    elif best.kind is QueueKind.ISOLATED and (not known or varied > _STEADY):
        notes += ("the rate varied, or is not known to be steady: the line may carry more",)
        rate = replace(rate, high=math.inf)
    elif varied > _VARIES:
        notes += (f"the rate varied by {100 * varied:.0f} % from second to second",)
    return replace(best, rate_mbps=rate, notes=(*notes, *best.notes))


def _rate(loads: Sequence[Load], framing: Framing) -> Fitted:
    """The rate at which the line sends, from what transfers carried in each second."""
    seconds = np.concatenate([load.seconds_mbps for load in loads])
    segment = loads[0].carried[0].segment_bytes
    usual, longest, shortest = (segment,) * 3 if segment else _SEGMENT_BYTES
    value = float(np.median(seconds))
    ends = [value, float(np.mean(seconds))]
    for statistic in (np.median, np.mean):
        ends += bounds(seconds, lambda values, of=statistic: float(of(values)))  # type: ignore[misc]
    low, high = (1 - _BESIDE) * min(ends), (1 + _BESIDE) * max(ends)
    if any(each.single_figure for load in loads for each in load.carried):
        low, high = value * (1 - _SINGLE_FIGURE), value * (1 + _SINGLE_FIGURE)
        how = "one figure, whose error is assumed to be 10 %"
    else:
        how = f"{len(seconds)} seconds under load"
    probes_mbps = max(load.probes_per_s for load in loads) * framing.on_line(_PROBE_BYTES) * 8e-6
    scale, least, most = (framing.mbps_of(1.0, each) for each in (usual, longest, shortest))
    extra = probes_mbps
    if loads[0].both:
        how += ", both ways full"
        each_mbps = loads[0].other_mbps / usual * framing.on_line(_ACKNOWLEDGEMENT_BYTES)
        extra += each_mbps / _PACKETS_AN_ACKNOWLEDGEMENT
        most += each_mbps / max(high, 1e-9)
    return Fitted(value * scale + extra, low * least, high * most + 2 * probes_mbps, how)


def _agreed(rates: dict[tuple[str, ...], Fitted], way: str) -> tuple[Fitted, tuple[str, ...]]:
    """One rate of several sessions'."""
    low, high = (pick(rates.items(), key=lambda item: item[1].value) for pick in (min, max))
    if high[1].value > _CONTRADICT * low[1].value:
        raise RefusalError(
            f"{', '.join(high[0])} and {', '.join(low[0])} contradict each other: {high[1].value:.3g} and "
            f"{low[1].value:.3g} Mbit/s {way}; legal: files of one line in one state",
            place=low[0][0],
        )
    if len(rates) == 1:
        return low[1], ()
    values = [each.value for each in rates.values()]
    ends = min(each.low for each in rates.values()), max(each.high for each in rates.values())
    agree = max(each.low for each in rates.values()) <= min(each.high for each in rates.values())
    notes = () if agree else ("files differ by more than their bounds, which the bound spans",)
    return Fitted(float(np.median(values)), *ends, f"{len(rates)} recordings"), notes


def _variation(load: Load) -> float:
    """How much the rate varied from second to second, as far as the file shows it."""
    mean = float(np.mean(load.seconds_mbps))
    if mean <= 0.0 or any(each.in_jumps for each in load.carried):
        return 0.0
    return float(np.std(load.seconds_mbps)) / mean


def _echo_ms(seen: Sequence[Seen], way: str, framing: Framing) -> float:
    """How long the other way takes for the acknowledgements that a probe finds before it."""
    other = [load.seconds_mbps for each in seen for load in each.loads if load.way != way]
    if not other:
        return 0.0
    return (
        _IN_FRONT * framing.on_line(_ACKNOWLEDGEMENT_BYTES) * 8e-3 / float(np.median(np.concatenate(other)))
    )


def _queue(
    pairs: Sequence[tuple[Load, Seen]], rate: Fitted, framing: Framing, echo_ms: float
) -> tuple[FittedWay, int, float]:
    """The queue that the round trips of a session show, how many they are, and how often nothing waited."""
    onset = np.concatenate([load.onset_ms for load, _ in pairs])
    steady = np.concatenate([load.steady_ms for load, _ in pairs])
    came = steady[np.isfinite(steady)]
    load, seen = pairs[0]
    packet_ms = framing.on_line(1500) * 8e-3 / rate.value
    spread = float(np.quantile(seen.idle_ms, 0.95) - np.median(seen.idle_ms)) if seen.idle_was_seen else 0.0
    quiet_ms = quiet(packet_ms, spread + echo_ms)
    kind = queue_kind(onset, steady, packet_ms=packet_ms, quiet_ms=quiet_ms, of_flows=load.of_flows)
    # An isolated queue is seen by none but its own flow.
    emptied = 0.0 if kind is QueueKind.ISOLATED or not len(came) else float(np.mean(came < quiet_ms / 2))
    lost = f"{100 * (1 - len(came) / len(steady)):.0f} % of probes lost" if len(came) < len(steady) else ""
    notes: tuple[str, ...] = (lost,) if lost and not lost.startswith("0 %") else ()
    if kind is QueueKind.UNKNOWN:
        both = load.both and not len(steady)
        why = "both ways were full at once: how much waited in which is not known" if both else ""
        return FittedWay(kind=kind, notes=(why,) if why else notes), len(came), 0.0
    if kind is QueueKind.ISOLATED and (load.in_flow_ms or 0.0) > 3 * packet_ms:
        notes += (f"transfers' own packets wait {load.in_flow_ms:.0f} ms: flows are isolated",)
    if not seen.idle_was_seen:
        notes += ("the line was never seen idle: what waits is counted from the least round trip",)
    how = f"{len(came)} round trips of {'the transfers' if load.of_flows else 'probes'}"
    if kind is QueueKind.CONTROLLED:
        ends = bounds(came, lambda values: float(np.median(values)))
        kept = Fitted(float(np.median(came)), *ends, how)
        return FittedWay(kind=kind, kept_ms=kept, notes=notes), len(came), emptied
    buffer = None
    if kind in (QueueKind.TAIL_DROP, QueueKind.SHORT):
        if max(_variation(load) for load, _ in pairs) > _VARIES:
            drained = np.concatenate([load.drained_megabits for load, _ in pairs])
            mean_mbps = float(np.mean(np.concatenate([load.seconds_mbps for load, _ in pairs])))
            came = 1e3 * drained[np.isfinite(steady)] / mean_mbps
            how += ", by what was carried meanwhile"
        buffer = _buffer(came, packet_ms, how)
    return FittedWay(kind=kind, buffer_ms=buffer, notes=notes), len(came), emptied


def _buffer(came: np.ndarray, packet_ms: float, how: str) -> Fitted:
    """A full buffer: the peak of what waits. It is at least that, and little more: the saw has an edge."""
    peak, highest = np.quantile(came, [PEAK, _HIGHEST])
    low, high = bounds(came, lambda values: float(np.quantile(values, PEAK)))
    margin = max(packet_ms, _UNSEEN * peak)
    return Fitted(float(peak), float(max(low - margin, 0.0)), float(max(high, highest) + margin), how)
