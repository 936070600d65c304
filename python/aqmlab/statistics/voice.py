"""The quality of a voice call over the delay and loss of a group of datagrams: the E-model of ITU-T G.107.

The call is G.711 in packets of 20 ms with packet-loss concealment, between handsets without echo, at the
default values of G.107 (06/2015): R = R0 - Is - Idd - Ie,eff with R0 - Is = 93.2, and no advantage factor.

- The play-out buffer is fixed and as long as the 99th percentile of the delay. What comes later, 1 %, is lost
  like what the network loses. So one way, from mouth to ear, takes Ta = 20 ms + the 99th percentile; an idle
  line is rated R = 89.6, MOS 4.33.
- Idd is section 7.4 of G.107 (default delay sensitivity: sT = 1, mT = 100 ms) up to 500 ms, where the range
  of Ta ends (table 2). Beyond it the formula would level off, so that a call with 12 s of delay were as good
  as one with 2 s; here Idd goes on along its tangent.
- Beyond 400 ms from mouth to ear a call is unusable, whatever its R (G.114: the limit for planning
  networks).
- Ie,eff is section 7.5, with Ie = 0 and Bpl = 25.1 of G.711 with concealment (G.113 Appendix I) and losses
  one by one (BurstR = 1). Losses in bursts sound worse than that.
- The mean opinion score is annex B: 1 (bad) to 4.5 (excellent). Below R = 6.5 its curve dips under 1; here it
  is 1.

Above R = 80 users are satisfied, below 60 nearly all are dissatisfied (G.109). Each source is rated by
itself; a group has the mean over its sources. Groups with `adaptive_video` are video calls and have no
rating; their quantities are in `video_call.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab.errors import MissingDataError
from aqmlab.statistics.datagrams import (
    delay_ends_s,
    echo_groups,
    feedback_groups,
    groups_with_frames,
    observed_of_sources,
)
from aqmlab.statistics.observation import Observation
from aqmlab.statistics.quantity import observed_of_part

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aqmlab.statistics.datagrams import Column, Ends
    from aqmlab.statistics.distribution import FloatArray
    from aqmlab.statistics.quantity import OfPart
    from aqmlab.statistics.recorded import Recorded


BEST_R = 93.2
"""R without delay and loss, at the default values of G.107: R0 - Is."""
PACKET_MS = 20.0
"""How much speech a packet holds: it waits so long until it is full."""
LATE_PERCENT = 1.0
"""What comes after its time of play-out."""
_RANGE_MS = 500.0
"""Table 2 of G.107: the longest delay Ta."""
_ENDLESS_S = 1e6
"""Where a delay has no upper end: so long that nobody talks over it."""
_LEAST_HEARD_MS, _ECHO_FREE_STEEPNESS = 100.0, 6.0
_IMPAIRMENT, _ROBUSTNESS_PERCENT, _BURST_RATIO = 0.0, 25.1, 1.0
_GREATEST_IMPAIRMENT = 95.0


def constants() -> dict[str, float]:
    """The numbers of the model, for a program that computes it elsewhere (`tools/browser`)."""
    return {
        "best_r": BEST_R,
        "packet_ms": PACKET_MS,
        "late_percent": LATE_PERCENT,
        "range_ms": _RANGE_MS,
        "endless_s": _ENDLESS_S,
        "least_heard_ms": _LEAST_HEARD_MS,
        "steepness": _ECHO_FREE_STEEPNESS,
        "robustness_percent": _ROBUSTNESS_PERCENT,
        "greatest_impairment": _GREATEST_IMPAIRMENT,
    }


def delay_impairment(mouth_to_ear_ms: FloatArray) -> FloatArray:
    """Idd of G.107: what a delay costs of R, although there is no echo; 0 up to 100 ms, ever more above."""
    beyond_ms = np.maximum(mouth_to_ear_ms - _RANGE_MS, 0.0)
    octaves = np.log2(np.clip(mouth_to_ear_ms, _LEAST_HEARD_MS, _RANGE_MS) / _LEAST_HEARD_MS)
    power = _ECHO_FREE_STEEPNESS
    rise = (1.0 + octaves**power) ** (1.0 / power)
    bend = 3.0 * (1.0 + (octaves / 3.0) ** power) ** (1.0 / power)
    return np.asarray(25.0 * (rise - bend + 2.0) + _slope_at_the_end() * beyond_ms)


def _slope_at_the_end() -> float:
    """Of Idd at the longest delay of its range, per millisecond: the derivative of its two terms."""
    octaves, power = np.log2(_RANGE_MS / _LEAST_HEARD_MS), _ECHO_FREE_STEEPNESS
    rise, bend = ((1.0 + (each / octaves) ** power) ** (1.0 / power - 1.0) for each in (1.0, 3.0))
    return float(25.0 * (rise - bend) / (_RANGE_MS * np.log(2.0)))


def loss_impairment(lost_percent: FloatArray) -> FloatArray:
    """Ie,eff of G.107 for G.711 with packet-loss concealment: what losses of packets cost of R."""
    over = lost_percent / _BURST_RATIO + _ROBUSTNESS_PERCENT
    return np.asarray(_IMPAIRMENT + (_GREATEST_IMPAIRMENT - _IMPAIRMENT) * lost_percent / over)


def rating(delay_p99_ms: FloatArray, lost_percent: FloatArray) -> FloatArray:
    """R of a call, 0 to 89.6; 0 of one of which nothing arrives."""
    unheard = 100.0 - (100.0 - lost_percent) * (1.0 - LATE_PERCENT / 100.0)
    impairments = delay_impairment(PACKET_MS + delay_p99_ms) + loss_impairment(unheard)
    return np.nan_to_num(np.maximum(0.0, BEST_R - impairments), nan=0.0)


def opinion_score(r: FloatArray) -> FloatArray:
    """The mean opinion score of a rating: annex B of G.107, 1 to 4.5."""
    within = np.clip(r, 0.0, 100.0)
    return np.maximum(1.0, 1.0 + 0.035 * within + within * (within - 60.0) * (100.0 - within) * 7e-6)


def _observed(result: Recorded, part: str, of_rating: Callable[[FloatArray], FloatArray]) -> Observation:
    """The mean over the calls of a group of a number that falls with their delay and their loss.

    A call of which nothing arrived has the worst rating; what is under way at the end of the run gives two.
    """
    name = part.partition(".")[2]
    if name in echo_groups(result):
        raise MissingDataError(f"{part} has delays of round trips; a call is rated by those of one way")
    if name in (*groups_with_frames(result), *feedback_groups(result)):
        raise MissingDataError(f"{part} has the packets of frames, which have no rating of a voice call")

    def ends(column: Column) -> Ends:
        sent, lost, under_way = (column(f"{fate}_packets") for fate in ("sent", "lost", "under_way"))
        least_s, most_s = delay_ends_s(column, 99)
        of_sent = np.maximum(sent, 1.0)
        best = rating(1000.0 * least_s, 100.0 * lost / of_sent)
        worst = rating(1000.0 * np.minimum(most_s, _ENDLESS_S), 100.0 * (lost + under_way) / of_sent)
        return of_rating(worst), of_rating(best)

    worst = Observation.exact(float(of_rating(np.zeros(1))[0]))
    return observed_of_sources(result, part, ends, of_silent=worst)


def _over(of_packets: str) -> str:
    return f"{of_packets} of a G.711 call with loss concealment over the delay and loss of each source"


_BUFFER = "a play-out buffer holds 99 % of the packets, the later 1 % counts as lost; mean over the sources"


@observed_of_part(
    "voice_r", "", "R of a voice call over {}", "voice R", 1,
    definition=f"{_over('rating R (ITU-T G.107)')}: {_BUFFER}",
    worst=0.0,
)  # fmt: skip
def voice_r_of(result: Recorded, part: str) -> Observation:
    """The rating R of a voice call over the delay and loss of a group's datagrams."""
    return _observed(result, part, lambda ratings: ratings)


@observed_of_part(
    "voice_mos", "", "MOS of a voice call over {}", "voice MOS", 2,
    definition=f"{_over('mean opinion score, 1 to 4.5 (ITU-T G.107 annex B),')}: {_BUFFER}",
    worst=1.0,
)  # fmt: skip
def voice_mos_of(result: Recorded, part: str) -> Observation:
    """The mean opinion score of a voice call over the delay and loss of a group's datagrams."""
    return _observed(result, part, opinion_score)


OF_VOICE: Mapping[str, OfPart] = {"voice_r": voice_r_of, "voice_mos": voice_mos_of}
"""The quantities of a voice call over a group of datagrams."""
