"""Which kind of queue stands in front of a line, as far as round trips beside a load show it.

- A tail-drop queue fills to its end, again and again, and never above: a saw with an edge.
- A queue that is controlled (PIE, RFC 8033; CoDel, RFC 8289) lets much stand while transfers begin, little
  later; the peak at the beginning is far above all that follow.
- Where flows are isolated (FQ-CoDel, RFC 8290; CAKE) a probe waits for the packet that is being sent, and
  for nothing else.

The bounds were chosen on 24 simulated lines that are none of those of the tests.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

PEAK = 0.98
"""The quantile of waits that stands for their peak."""
_OVERSHOOT, _OVERSHOOT_MS = 1.6, 5.0
_EDGE = 0.1
_UNMANAGED_MS, _UNMANAGED_PACKETS = 60.0, 4.0
"""No controlled queue with its usual settings lets more wait, at the worst of times."""
_QUIET_MS, _QUIET_PACKETS = 1.0, 2.0
_LEAST = 5


class QueueKind(Enum):
    """What was seen of a queue."""

    TAIL_DROP = "drop-tail"
    CONTROLLED = "controlled"
    ISOLATED = "flows isolated"
    SHORT = "short"
    NONE = "none seen"
    UNKNOWN = "not known"


def quiet(packet_ms: float, own_ms: float) -> float:
    """What a probe takes longer at most where none but the packet being sent is in front of it.

    Args:
        packet_ms: How long the line takes for a full packet.
        own_ms: How far round trips vary without a load, and what waits on the way back.
    """
    return _QUIET_MS + _QUIET_PACKETS * packet_ms + own_ms


def queue_kind(
    onset_ms: NDArray[np.float64],
    steady_ms: NDArray[np.float64],
    *,
    packet_ms: float,
    quiet_ms: float,
    of_flows: bool,
) -> QueueKind:
    """The kind of queue that adds so much to round trips.

    Args:
        onset_ms: What is added while transfers begin.
        steady_ms: What is added later.
        packet_ms: How long the line takes for a full packet.
        quiet_ms: What a probe takes longer at most where none but the packet being sent is in front of it.
        of_flows: Whether these are round trips of the transfers' own packets, which are never isolated.
    """
    onset, steady = (each[np.isfinite(each)] for each in (onset_ms, steady_ms))
    if len(steady) < _LEAST:
        return QueueKind.UNKNOWN
    low, upper, peak = np.quantile(steady, [1 - PEAK, 0.9, PEAK])
    if upper <= quiet_ms:
        return QueueKind.NONE if of_flows else QueueKind.ISOLATED
    # The highest may be an accident, of a machine or of Wi-Fi; the second is not.
    first = float(np.sort(onset)[-2]) if len(onset) >= 2 * _LEAST else float(np.max(onset, initial=0.0))
    if first > _OVERSHOOT * peak and first > peak + _OVERSHOOT_MS + 2 * packet_ms:
        return QueueKind.CONTROLLED
    if peak > _UNMANAGED_MS + _UNMANAGED_PACKETS * packet_ms or (peak - upper) < _EDGE * (peak - low):
        return QueueKind.TAIL_DROP
    return QueueKind.SHORT
