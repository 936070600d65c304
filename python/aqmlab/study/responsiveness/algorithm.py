"""From goodput and probes, interval by interval, to round trips per minute and what they can be trusted.

Source: draft-ietf-ippm-responsiveness-09 of 6 July 2026 ("Responsiveness under Working Conditions"), its
sections "Test Parameters", "Aggregating the Measurements", "Final Algorithm" and "Confidence of
Test-Results", with its defaults.

The draft averages completed probes. Here a probe that never returned counts too, since it is too bad to be
measured and not missing: it is tried again after TCP's first timeout, so that it takes that and a usual round
trip at least. Where none of a kind returned there are no round trips a minute. So a score is a bound from
above wherever probes are lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

MOVING_AVERAGE_DISTANCE = 4
"""MAD: intervals that an average, and a judgement of stability, looks back over."""
INTERVAL_S = 5.0
"""ID: between two looks, and two new connections."""
TRIMMED_MEAN_PERCENT = 95.0
"""TMP: the share of the samples, from the shortest on, that a mean is taken over."""
STANDARD_DEVIATION_TOLERANCE = 0.05
"""SDT: the standard deviation over the latest value, below which values are stable."""
INITIAL_CONNECTIONS, ADDED_CONNECTIONS, MOST_CONNECTIONS = 1, 1, 16
"""INP, INC and MNP: connections that load the line, at first, more with each interval, and in all."""
PROBES_PER_S = 100
"""MPS: probes of both kinds together."""
SHARE_OF_PROBES = 0.05
"""PTC: the share of the line's rate that probes may take."""
FOREIGN_PROBE_BYTES, SELF_PROBE_BYTES = 5000, 1000
"""What a probe of each kind exchanges, as the draft estimates it."""
FIRST_TIMEOUT_MS = 1000.0
"""What a connection waits before it tries again, while it knows no round trip (RFC 6298, section 2.1)."""
EDITION = "draft-ietf-ippm-responsiveness-09"
_MS_PER_MINUTE = 60_000.0
_CLASSES = ((300.0, "poor"), (1000.0, "fair"), (6000.0, "good"))


class Confidence(StrEnum):
    """Whether a number stood still: the draft's words."""

    LOW = "low"
    """Fewer intervals than a judgement needs."""
    MEDIUM = "medium"
    """It was judged, and went on changing until time was up."""
    HIGH = "high"
    """It was stable."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a test ended with.

    Attributes:
        rpm: Round trips per minute.
        goodput_mbps: The moving average of the goodput in the last interval.
        ended_s: When it ended, in seconds from its beginning.
        goodput_confidence: Whether the goodput stood still.
        confidence: Whether the responsiveness did.
    """

    rpm: float
    goodput_mbps: float
    ended_s: float
    goodput_confidence: Confidence
    confidence: Confidence


def class_of(rpm: float) -> str:
    """What so many round trips per minute are called: `poor`, `fair`, `good` or `excellent`."""
    return next((name for below, name in _CLASSES if rpm < below), "excellent")


def trimmed_mean(samples: ArrayLike) -> float:
    """The mean of the shortest 95 % of the samples; infinite of none, and where one of these is."""
    ordered = np.sort(np.asarray(samples, dtype=np.float64))
    kept = ordered[: max(1, round(len(ordered) * TRIMMED_MEAN_PERCENT / 100.0))]
    return float(kept.mean()) if len(kept) else float("inf")


def tried_again(samples_ms: ArrayLike) -> Floats:
    """The samples with what a lost probe takes at least in the place of infinity, if any returned."""
    samples = np.asarray(samples_ms, dtype=np.float64)
    returned = samples[np.isfinite(samples)]
    if not len(returned):
        return samples
    return np.where(np.isfinite(samples), samples, FIRST_TIMEOUT_MS + np.median(returned))


def rounds_per_minute(foreign_ms: Sequence[ArrayLike], self_ms: ArrayLike) -> float:
    """Round trips per minute: the mean of those on connections of their own, and on those that load."""
    foreign = _MS_PER_MINUTE / float(np.mean([trimmed_mean(tried_again(step)) for step in foreign_ms]))
    return (foreign + _MS_PER_MINUTE / trimmed_mean(tried_again(self_ms))) / 2.0


def evaluate(goodput_mbps: Sequence[float], rpm_of: Callable[[int, int], float]) -> Outcome:
    """Follows a test to its end: stable goodput, then stable responsiveness, or the end of its time."""
    averages: list[float] = []
    scores: list[float] = []
    goodput_is_stable = False
    for interval in range(len(goodput_mbps)):
        first = max(0, interval + 1 - MOVING_AVERAGE_DISTANCE)
        averages.append(float(np.mean(goodput_mbps[first : interval + 1])))
        if not goodput_is_stable:
            goodput_is_stable = _is_stable(averages, whole_from=MOVING_AVERAGE_DISTANCE - 1)
            continue
        scores.append(rpm_of(first, interval + 1))
        if _is_stable(scores, whole_from=0):
            break
    last = len(averages)
    return Outcome(
        scores[-1] if scores else rpm_of(max(0, last - MOVING_AVERAGE_DISTANCE), last),
        averages[-1],
        last * INTERVAL_S,
        _confidence(len(averages) - (MOVING_AVERAGE_DISTANCE - 1), is_stable=goodput_is_stable),
        _confidence(len(scores), is_stable=_is_stable(scores, whole_from=0)),
    )


def _is_stable(values: Sequence[float], *, whole_from: int) -> bool:
    """Whether the last values, of those that are over whole stretches, differ little; zeros do not."""
    last = values[whole_from:][-MOVING_AVERAGE_DISTANCE:]
    if len(last) < MOVING_AVERAGE_DISTANCE:
        return False
    return float(np.std(last)) < STANDARD_DEVIATION_TOLERANCE * last[-1] or not any(last)


def _confidence(count: int, *, is_stable: bool) -> Confidence:
    if is_stable:
        return Confidence.HIGH
    return Confidence.MEDIUM if count >= MOVING_AVERAGE_DISTANCE else Confidence.LOW
