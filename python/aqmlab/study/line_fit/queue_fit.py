"""The queue in front of a line, as far as round trips beside a load show it: its kind, and what waits in it.

- Where flows are isolated (FQ-CoDel, RFC 8290; CAKE) a probe waits for the packet that is being sent, and
  for nothing else.
- What fills for longer than a controlled queue allows has a tail-drop queue in front of it.
- A queue that is controlled (PIE, RFC 8033; CoDel, RFC 8289) lets much stand while transfers begin, and
  little later; a tail-drop queue fills to the same edge again and again.
- What is left is a short buffer, or a controlled queue whose first transfers began gently: it is not told.

The bounds were chosen on 120 simulated lines that are none of those of the tests.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.study.line_fit.resampling import Fitted, bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from aqmlab.study.line_fit.framing import Framing
    from aqmlab.study.line_fit.loads import Load, Seen

PEAK = 0.98
"""The quantile of waits that stands for their peak."""
_OVERSHOOT, _OVERSHOOT_MS = 1.6, 5.0
_UNMANAGED_MS, _UNMANAGED_PACKETS = 60.0, 12.0
"""No controlled queue with its usual settings lets more wait, once transfers have begun."""
_QUIET_MS, _QUIET_PACKETS = 1.0, 2.0
_SURE = 8.0
"""Into so many parts goes what round trips vary by in the median of many."""
_LEAST = 5


class QueueKind(Enum):
    """What was seen of a queue."""

    TAIL_DROP = "drop-tail"
    CONTROLLED = "controlled"
    ISOLATED = "flows isolated"
    SHORT = "short"
    QUIET = "flows isolated, or not full"
    NONE = "none seen"
    UNKNOWN = "not known"


def quiet(packet_ms: float, back_ms: float) -> float:
    """What a probe waits at most where none but the packet being sent is in front of it."""
    return _QUIET_MS + _QUIET_PACKETS * packet_ms + back_ms


def queue_kind(
    onset_ms: NDArray[np.float64],
    steady_ms: NDArray[np.float64],
    *,
    packet_ms: float,
    quiet_ms: float,
    spread_ms: float,
    of_flows: bool,
) -> QueueKind:
    """The kind of queue that adds so much to round trips."""
    steady = steady_ms[np.isfinite(steady_ms)]
    if len(steady) < _LEAST:
        return QueueKind.UNKNOWN
    middle, upper, peak = np.quantile(steady, [0.5, 0.9, PEAK])
    if upper <= quiet_ms + spread_ms and middle <= quiet_ms / 2 + spread_ms / _SURE:
        return QueueKind.NONE if of_flows else QueueKind.ISOLATED
    if peak > _UNMANAGED_MS + _UNMANAGED_PACKETS * packet_ms:
        return QueueKind.TAIL_DROP
    first = onset_peak_ms(onset_ms)
    overshot = first > _OVERSHOOT * peak and first > peak + _OVERSHOOT_MS + 2 * packet_ms
    waits = middle > (quiet_ms + spread_ms) / 2
    return QueueKind.CONTROLLED if overshot and waits else QueueKind.SHORT


def onset_peak_ms(onset_ms: NDArray[np.float64]) -> float:
    """The most that waited while transfers began, but for one: the highest may be an accident of Wi-Fi."""
    onset = np.sort(onset_ms[np.isfinite(onset_ms)])
    return float(onset[-2] if len(onset) >= 2 * _LEAST else np.max(onset, initial=0.0))


VARIES = 0.1
"""From this variation between seconds on a rate is said to vary."""
_UNSEEN, _HIGHEST = 0.02, 0.995
"""What may have waited between two probes, and on the way back: assumed, one packet at least."""
_ACKNOWLEDGEMENTS, _ACKNOWLEDGEMENT_BYTES = 4, 52
"""So many may stand before a probe on its way back."""
_FULL_PACKET_BYTES, _SPREAD = 1500, 4.0
_ISOLATED_PACKETS = 3
_DELAYED_MS, _SLOW_MS = 40.0, 5.0
"""Linux' delayed acknowledgements, and from which time of a packet on they may be in round trips of data."""


@dataclass(frozen=True)
class QueueFit:
    """What was fitted of a queue.

    Attributes:
        kind: What was seen of it.
        buffer_ms: How long a full buffer takes to be sent; none where it never filled.
        kept_ms: How much a controlled queue lets stand.
        notes: What else there is to say.
        round_trips: How many round trips it was seen by.
        in_flow: Whether transfers' own packets are known to wait where probes do not.
        emptied: Of these the share that waited for next to nothing; of isolated flows not known, 0.
    """

    kind: QueueKind
    buffer_ms: Fitted | None = None
    kept_ms: Fitted | None = None
    notes: tuple[str, ...] = ()
    round_trips: int = 0
    in_flow: bool = False
    emptied: float = 0.0


def variation(load: Load) -> float:
    """How much the rate varied from second to second, as far as the file shows it."""
    mean = float(np.mean(load.seconds_mbps))
    if mean <= 0.0 or any(each.in_jumps for each in load.carried):
        return 0.0
    return float(np.std(load.seconds_mbps)) / mean


def fitted_queue(
    loads: Sequence[Load], seen: Seen, rate_mbps: float, other_mbps: float | None, framing: Framing
) -> QueueFit:
    """The queue of one way, as the loads of a session show it."""
    packet_ms = framing.on_line(_FULL_PACKET_BYTES) * 8e-3 / rate_mbps
    of_flows = loads[0].of_flows
    onset = np.concatenate([load.onset_ms for load in loads])
    steady = np.concatenate([load.steady_ms for load in loads])
    came = steady[np.isfinite(steady)]
    back = framing.on_line(_ACKNOWLEDGEMENT_BYTES) * 8e-3 / other_mbps if other_mbps else 0.0
    # How far slow idle waits go, told from the quick ones (exponential): the slow may not have been idle.
    spread = _SPREAD * (seen.base_ms - float(np.quantile(seen.idle_ms, 0.1))) if seen.idle_was_seen else 0.0
    quiet_ms = quiet(packet_ms, _ACKNOWLEDGEMENTS * back)
    kind = queue_kind(
        onset, steady, packet_ms=packet_ms, quiet_ms=quiet_ms, spread_ms=spread, of_flows=of_flows
    )
    if not loads[0].apart and kind not in (QueueKind.ISOLATED, QueueKind.UNKNOWN):
        waits = f"{np.quantile(came, PEAK):.0f} ms wait in both queues together"
        return QueueFit(
            QueueKind.UNKNOWN,
            notes=(f"both ways were full at once: {waits}, how much in which is not known",),
        )
    how = f"{len(came)} round trips of {'the transfers' if of_flows else 'probes'}"
    buffer = kept = None
    if kind is QueueKind.CONTROLLED:
        kept = Fitted(float(np.median(came)), *bounds(came, lambda each: float(np.median(each))), how)
    elif kind in (QueueKind.TAIL_DROP, QueueKind.SHORT):
        # Segments that come slowly are acknowledged one by one, late.
        late_ms = _DELAYED_MS + 2 * packet_ms if of_flows and packet_ms > _SLOW_MS else 0.0
        buffer = _buffer(loads, onset, steady, how, packet_ms=packet_ms, spread_ms=spread + late_ms)
    isolated = kind is QueueKind.ISOLATED
    emptied = 0.0 if isolated or not len(came) else float(np.mean(came < (quiet_ms + spread) / 2))
    wait_ms = loads[0].in_flow_ms if isolated else None
    in_flow = wait_ms is not None and wait_ms > _ISOLATED_PACKETS * packet_ms
    notes = _notes(seen, len(came) / max(len(steady), 1), wait_ms if in_flow else None)
    return QueueFit(kind, buffer, kept, notes, len(came), in_flow, emptied)


def _buffer(
    loads: Sequence[Load],
    onset: NDArray[np.float64],
    steady: NDArray[np.float64],
    how: str,
    *,
    packet_ms: float,
    spread_ms: float,
) -> Fitted:
    """A full buffer: the peak of what waits. It is at least that, and little more: it ends at an edge.

    Where the rate varies, what stood before a probe is what was carried while it waited. Where it does not,
    the beginning bounds it too: a slow saw may not reach its edge again. `spread_ms`
    may be in the peak: what round trips vary by without a load, and late acknowledgements.
    """
    came = steady[np.isfinite(steady)]
    first = onset_peak_ms(onset)
    if max(map(variation, loads)) > VARIES:
        drained = np.concatenate([load.drained_megabits for load in loads])[np.isfinite(steady)]
        came = 1e3 * drained / float(np.mean(np.concatenate([load.seconds_mbps for load in loads])))
        first, how = 0.0, f"{how}, by what was carried meanwhile"
    peak, highest = (float(each) for each in np.quantile(came, [PEAK, _HIGHEST]))
    low, high = bounds(came, lambda each: float(np.quantile(each, PEAK)))
    margin = max(packet_ms, _UNSEEN * peak)
    return Fitted(peak, max(low - margin - spread_ms, 0.0), max(high, highest, first) + margin, how)


def _notes(seen: Seen, came: float, in_flow_ms: float | None) -> tuple[str, ...]:
    notes = []
    if came < 0.995:
        notes.append(f"{100 * (1 - came):.0f} % of probes lost")
    if in_flow_ms is not None:
        notes.append(f"transfers' own packets wait {in_flow_ms:.0f} ms: flows are isolated")
    if not seen.idle_was_seen and len(seen.idle_ms):
        notes.append("the line was never seen idle: what waits is counted from the least round trip")
    return tuple(notes)
