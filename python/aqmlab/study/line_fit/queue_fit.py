"""The queue that the round trips of a session show: its kind, and how much waits in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.study.line_fit.queue_kind import PEAK, QueueKind, onset_peak_ms, queue_kind, quiet
from aqmlab.study.line_fit.resampling import Fitted, bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from aqmlab.study.line_fit.framing import Framing
    from aqmlab.study.line_fit.loads import Load, Seen

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
