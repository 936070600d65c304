"""Which kind of queue stands in front of a line, as far as round trips beside a load show it.

- Where flows are isolated (FQ-CoDel, RFC 8290; CAKE) a probe waits for the packet that is being sent, and
  for nothing else.
- What fills for longer than a controlled queue allows has a tail-drop queue in front of it.
- A queue that is controlled (PIE, RFC 8033; CoDel, RFC 8289) lets much stand while transfers begin, and
  little later; a tail-drop queue fills to the same edge again and again.
- What is left is a short buffer, or a controlled queue whose first transfers began gently: it is not told.

The bounds were chosen on 120 simulated lines that are none of those of the tests.
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
