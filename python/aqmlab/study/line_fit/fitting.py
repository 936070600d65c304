"""The numbers of a line, each with a bound, from what was seen while it was idle and full."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.errors import RefusalError
from aqmlab.study.line_fit.queue_fit import VARIES, QueueFit, QueueKind, fitted_queue, variation
from aqmlab.study.line_fit.resampling import Fitted, bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.study.line_fit.framing import Framing
    from aqmlab.study.line_fit.loads import Load, Seen

_SEGMENT_BYTES = (1448.0, 1460.0, 1428.0)
"""What a full packet carries if nothing is known: with TCP's timestamps, without, and over IPv6."""
_SINGLE_FIGURE = 0.1
"""How far a speed may be off that a test printed as one figure: assumed, for it says nothing of it."""
_FLAT, _STEADY = 0.03, 0.005
_BESIDE, _PROBE_BYTES = 0.01, 84
"""The share of a line that others may take beside transfers (assumed), and an echo request of ping."""
_OWN_PORTS_MS, _MISSED = 0.05, 3.0
"""What interfaces at home take (assumed); so many mean gaps the least of n waits may lie above zero."""
_EMPTY, _HELD_BACK = 0.02, 0.05
"""So much a queue that no probe sees may keep transfers below a line's rate, and steadily: assumed."""
_CONTRADICT = 1.5
_LOW, _LOWER = 0.1, 0.25
_ACKNOWLEDGEMENT_BYTES, _PACKETS_AN_ACKNOWLEDGEMENT = 52, 2


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
        low, middle = (float(np.quantile(each.idle_ms, share)) for share in (_LOW, 0.5))
        least = float(np.min(each.idle_ms))
        if each.idle_was_seen:
            # Of the lower ones: something that no file tells of may have used the line now and then.
            upper = bounds(each.idle_ms, lambda values: float(np.quantile(values, _LOWER)))[1]
            rounded = max(_resolution_ms(each.idle_ms), _OWN_PORTS_MS)
            missed = _MISSED / len(each.idle_ms) * (middle - least)
            ends = least - rounded - missed, max(low, upper) + rounded
            found.append(Fitted(low, *ends, f"{len(each.idle_ms)} idle round trips"))
        else:
            found.append(Fitted(least, 0.0, least, "the least round trip; the line was never seen idle"))
    return min(found, key=lambda each: each.value, default=None)


def _resolution_ms(trips: np.ndarray) -> float:
    """Half of the step in which round trips are printed, as far as they show it."""
    steps = np.diff(np.unique(trips))
    return 0.5 * min(float(np.min(steps)) if len(steps) else 0.0, 1.0)


def fitted_way(seen: Sequence[Seen], way: str, framing: Framing) -> FittedWay:
    """What was seen of one way: alone where it was full alone, else beside the other one."""
    loads = [load for each in seen for load in each.loads if load.way == way]
    others = [load.seconds_mbps for each in seen for load in each.loads if load.way != way]
    if not loads:
        short = any(way in each.too_short for each in seen)
        return FittedWay(notes=("transfers too short: 4 s or more are needed",) if short else ())
    both = all(load.both for load in loads)
    rates: dict[tuple[str, ...], Fitted] = {}
    queues: list[QueueFit] = []
    for each in seen:
        own = [load for load in each.loads if load.way == way and load.both == both]
        if own:
            rates[each.sources] = rate = _rate(own, framing)
            other = float(np.median(np.concatenate(others))) if others else None
            queue = fitted_queue(own, each, rate.value, other, framing)
            # Whether a queue is isolated, or the line not full, a steady rate tells, or what transfers wait.
            open_ = queue.kind is QueueKind.ISOLATED and not queue.in_flow and not _steady(own)
            queues.append(replace(queue, kind=QueueKind.QUIET) if open_ else queue)
    rate, notes = _agreed(rates, way)
    # Queues are judged session by session; the one with most round trips speaks.
    queue = max(queues, key=lambda each: each.round_trips)
    if len({each.kind for each in queues if each.round_trips}) > 1:
        notes += ("files show different queues; that with most round trips counts",)
    rate, limited = _unless_limited(rate, queue, [load for load in loads if load.both == both])
    return FittedWay(rate, queue.kind, queue.buffer_ms, queue.kept_ms, (*notes, *limited, *queue.notes))


def _steady(loads: Sequence[Load]) -> bool:
    """Whether transfers carried the same in each second, as on a full line."""
    unknown = [each.single_figure or each.in_jumps for load in loads for each in load.carried]
    return max(map(variation, loads)) <= _STEADY and not any(unknown)


def _unless_limited(rate: Fitted, queue: QueueFit, loads: Sequence[Load]) -> tuple[Fitted, tuple[str, ...]]:
    """The rate without an upper end where something else may have limited transfers, and why."""
    varied = max(map(variation, loads))
    why = ""
    if queue.kind is QueueKind.NONE:
        why = "nothing waited: something else may have limited transfers, and the line carry more"
    elif queue.kind is QueueKind.UNKNOWN and varied > _FLAT:
        why = f"the rate varied by {100 * varied:.0f} %, and no round trip shows whether the line was full"
    elif queue.emptied > _EMPTY and not _steady(loads):
        why = f"nothing waited {100 * queue.emptied:.0f} % of the time: the line may carry more"
    elif queue.kind is QueueKind.QUIET:
        why = "nothing waited, and the rate is not known to be steady: the line may carry more"
    elif queue.kind is QueueKind.ISOLATED:
        return replace(rate, high=rate.high * (1 + _HELD_BACK)), ()
    elif varied > VARIES:
        return rate, (f"the rate varied by {100 * varied:.0f} % from second to second",)
    return (replace(rate, high=math.inf), (why,)) if why else (rate, ())


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
    how += ", both ways full" if loads[0].both else ""
    # What went the other way was acknowledged this way: a packet of two, or each.
    other_mbps = max(load.other_mbps for load in loads)
    acknowledging = other_mbps / usual * framing.on_line(_ACKNOWLEDGEMENT_BYTES)
    beside = probes_mbps + acknowledging / _PACKETS_AN_ACKNOWLEDGEMENT
    return Fitted(value * scale + beside, low * least, high * most + 2 * beside, how)


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
