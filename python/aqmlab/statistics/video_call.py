"""What the receivers of video calls and cloud games see: bit rate, delay of frames, frozen pictures.

A video call is a source of a group of `[[datagrams]]` with `adaptive_video`; what is said of it holds for
each other application that records frames, such as `cloud_game`. The table `video_call_frames`
has when each frame was captured and when it was shown: when it and all earlier frames that were not given up
had arrived whole.

- A picture is frozen while the next frame is late. This is the freeze of the W3C (Identifiers for WebRTC's
  Statistics API, `freezeCount` and `totalFreezesDuration`): from one shown frame to the next, if the time
  between them reaches max(3 d, d + 150 ms).
- d is 1/`frames_hz` of the scenario. The W3C takes the mean over the last 30 frames shown, which grows with
  the gaps themselves; the same d under every queue discipline makes freezes comparable.
- A call begins with the capture of its first frame, and ends one frame after the capture of its last one, or
  with the last frame shown if that is later. Before the first frame is shown, and after the last one, the
  picture is frozen until the other end of the gap, by the same rule. So a call that never shows a frame is
  frozen 100 % of its time, at a bit rate of 0.
- Times count where they lie in the measured window. Shares and rates are those of a call's time in it, which
  is the whole window for a call that lasts longer.
- A frame that had not been shown when the run ended, behind the last one that was, is still under way: the
  delay of frames lies between two ends whatever becomes of it. Of a call that shows no frame it is at least
  what its frames were watched for. A frame that was passed over has no delay; freezes tell of it.
- Of several calls shares and rates are those of the seconds of all of them together, so that a call which the
  window hardly touches weighs no more than its seconds; delays are means over the calls.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.errors import MissingDataError, TooLittleDataError
from aqmlab.files.columns import to_numpy
from aqmlab.statistics.datagrams import application_of, groups_with_frames
from aqmlab.statistics.observation import Observation, mean_of
from aqmlab.statistics.quantity import observed_of_part, of_part
from aqmlab.statistics.recorded import Recorded, ended_s, has_name, measured_window, overlap_s, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from aqmlab.statistics.distribution import FloatArray
    from aqmlab.statistics.quantity import OfPart


_TABLE = "video_call_frames"
FRAME_DELAY_PERCENTILES = (50, 95)
_FIRST_EDITION = "libwebrtc"
"""Of results from before there were two."""
_FRAMES_OF_FREEZE = 3.0
_LONGER_BY_S = 0.150
_SLACK = 1e-9
"""Numbers of frames that rounding alone tells apart."""


def shortest_freeze_s(frame_s: float) -> float:
    """How long a shown frame stands, at least, in a freeze; `frame_s` is the usual time between frames."""
    return max(_FRAMES_OF_FREEZE * frame_s, frame_s + _LONGER_BY_S)


@dataclass(frozen=True, eq=False)
class Call:
    """The frames of one call in the order of capture, at least one."""

    captured_s: FloatArray  # when the camera took each
    shown_s: FloatArray  # when each was shown; not a number if it never was
    frame_bytes: FloatArray  # bytes of the IP packets of each, each packet counted once
    frame_s: float  # the time from one capture to the next

    @property
    def begin_s(self) -> float:
        """When the first frame was captured."""
        return float(self.captured_s[0])

    @property
    def end_s(self) -> float:
        """One frame after the last capture, or when the last frame was shown if that is later."""
        return float(np.fmax.reduce(self.shown_s, initial=self.captured_s[-1] + self.frame_s))

    @property
    def under_way(self) -> NDArray[np.bool_]:
        """Which frames may yet be shown: those behind the last one that was."""
        shown = np.flatnonzero(~np.isnan(self.shown_s))
        return np.arange(self.shown_s.size) > (shown[-1] if shown.size else -1)

    def freezes(self) -> list[tuple[float, float]]:
        """When each freeze of the call begins and ends; all of it is one where nothing was shown."""
        shown_s = np.sort(self.shown_s[~np.isnan(self.shown_s)])
        if not shown_s.size:
            return [(self.begin_s, self.end_s)]
        edges = np.concatenate(([self.begin_s], shown_s, [self.end_s]))
        frozen = np.flatnonzero(np.diff(edges) >= shortest_freeze_s(self.frame_s))
        return [(float(edges[each]), float(edges[each + 1])) for each in frozen]


def video_call_groups(result: Recorded) -> list[str]:
    """The groups whose frames were recorded, in the order of the scenario: video calls, cloud games."""
    return groups_with_frames(result) if _TABLE in result.tables else []


def editions(result: Recorded) -> list[str]:
    """The texts of Google's congestion control that the video calls of a run follow, each once."""
    if _TABLE not in result.tables:
        return []
    groups = result.run["scenario"]["datagrams"]
    calls = [each["adaptive_video"] for each in groups if each.get("adaptive_video") is not None]
    return list(dict.fromkeys(str(call.get("edition", _FIRST_EDITION)) for call in calls))


def _calls(result: Recorded, part: str) -> Iterator[Call]:
    """The calls of a group, each of which captured a frame in the run."""
    name = part.partition(".")[2]
    known = groups_with_frames(result)
    if name not in known:
        listed = ", ".join(known) or "none"
        raise MissingDataError(f"{part} records no frames; groups of datagrams that do: {listed}")
    rows = table(result, _TABLE, setting="adaptive_video in a group of [[datagrams]]")
    keep = np.flatnonzero(has_name(rows, "group", name))
    source, frame, captured_s, shown_s, frame_bytes = (
        to_numpy(rows[column])[keep] for column in ("source", "frame", "captured_s", "shown_s", "bytes")
    )
    frame_s = 1.0 / _frames_hz(result, name)
    order = np.lexsort((frame, source))
    firsts = np.flatnonzero(np.diff(source[order])) + 1
    for own in np.split(order, firsts):
        if own.size:
            yield Call(captured_s[own], shown_s[own], frame_bytes[own].astype(np.float64), frame_s)


def _frames_hz(result: Recorded, name: str) -> float:
    [frames_hz] = [
        group[own.key]["frames_hz"]
        for group in result.run["scenario"]["datagrams"]
        if group["name"] == name and (own := application_of(group)) is not None
    ]
    return float(frames_hz)


def _inside(times_s: FloatArray, window: tuple[float, float]) -> NDArray[np.bool_]:
    """Which times lie in the window; what is not a number does not."""
    return np.asarray((times_s >= window[0]) & (times_s < window[1]))


def _per_second_of_calls(
    result: Recorded, part: str, amount: Callable[[Call, tuple[float, float]], float]
) -> float:
    """An amount of each call in the window, summed over the calls, per second that they are in it."""
    window = measured_window(result)
    timed = [(call, overlap_s(call.begin_s, call.end_s, window)) for call in _calls(result, part)]
    present = [(call, length_s) for call, length_s in timed if length_s > 0.0]
    if not present:
        raise TooLittleDataError(f"no video call of {part} took place in the measured window")
    amounts = sum(amount(call, window) for call, _ in present)
    return float(amounts / sum(length_s for _, length_s in present))


@of_part(
    "call_bitrate_mbps", "Mbit/s", "bit rate of video calls of {}, Mbit/s", "video Mbit/s", 2,
    definition="bits of the frames shown in the measured window, in IP packets without those sent again, "
    "per second of the calls in it",
    worst=0.0,
)  # fmt: skip
def call_bitrate_mbps_of(result: Recorded, part: str) -> float:
    """The bit rate of the picture that is shown, in Mbit/s."""

    def of_call(call: Call, window: tuple[float, float]) -> float:
        return 8.0 * float(call.frame_bytes[_inside(call.shown_s, window)].sum()) / 1e6

    return _per_second_of_calls(result, part, of_call)


def call_frame_delay_ms_of(percentile: int) -> OfPart:
    """A percentile of the time from the capture of a frame to its showing, in milliseconds."""
    which = "median" if percentile == 50 else f"{percentile} %"

    @observed_of_part(
        f"call_frame_delay_p{percentile}_ms", "ms", f"delay of video frames of {{}}, {which}, ms",
        "frame delay ms" if percentile == 50 else f"frame delay {which} ms", 1,
        nothing="no frame of {} was captured in the measured window",
        definition=f"{percentile}th percentile of the time from capture to showing, of frames captured "
        "in the measured window that were shown; a bound where those under way at the end decide; mean "
        "over the calls",
    )  # fmt: skip
    def delay_ms(result: Recorded, part: str) -> Observation:
        return mean_of(_frame_delays_ms(result, part, percentile))

    return delay_ms


def _frame_delays_ms(result: Recorded, part: str, percentile: int) -> Iterator[Observation]:
    """The percentile of each call: the delay within which this share of its frames was shown."""
    window, end_s = measured_window(result), ended_s(result)
    for call in _calls(result, part):
        captured = _inside(call.captured_s, window)
        if captured.any():
            delays_s = np.sort((call.shown_s - call.captured_s)[captured & ~np.isnan(call.shown_s)])
            watched_s = np.sort(end_s - call.captured_s[captured & call.under_way])
            found = _percentile(delays_s, watched_s, percentile / 100.0)
            yield Observation(1000.0 * found.lower, 1000.0 * found.upper)


def _percentile(delays_s: FloatArray, watched_s: FloatArray, share: float) -> Observation:
    """Between what a percentile lies of delays, and of times for which those under way were watched.

    It is least if those come now that were watched no longer than it, and the others never; it is greatest if
    all come later than any that has. Where none has come it is at least that of what was watched.
    """
    if not delays_s.size:
        return Observation.at_least(
            float(watched_s[_place(share, watched_s.size)]) if watched_s.size else 0.0
        )
    times_s = np.concatenate((delays_s, watched_s))
    is_watched = np.repeat([False, True], [delays_s.size, watched_s.size])
    order = np.argsort(times_s, kind="stable")
    come = np.cumsum(is_watched[order])
    reached = np.arange(1, times_s.size + 1) >= np.ceil(share * (delays_s.size + come) - _SLACK)
    lower = float(times_s[order][np.argmax(reached)])
    last = _place(share, times_s.size)
    return Observation(lower, float(delays_s[last]) if last < delays_s.size else np.inf)


def _place(share: float, of: int) -> int:
    return max(0, int(np.ceil(share * of - _SLACK)) - 1)


@of_part(
    "call_frozen_percent", "%", "picture of video calls of {} frozen, %", "frozen %", 2,
    definition="time between frames shown one after the other, if it reaches max(3 d, d + 150 ms) with "
    "d = 1/`frames_hz` (a freeze of the W3C's webrtc-stats); 100 if no frame is shown",
    denominator="the calls' time in the measured window",
    worst=100.0,
)  # fmt: skip
def call_frozen_percent_of(result: Recorded, part: str) -> float:
    """The share of the time in which the picture is frozen, in per cent."""

    def of_call(call: Call, window: tuple[float, float]) -> float:
        return 100.0 * sum(overlap_s(*freeze, window) for freeze in call.freezes())

    return _per_second_of_calls(result, part, of_call)


@of_part(
    "call_freezes_per_hour", "per hour", "freezes of video calls of {} per hour", "freezes per hour", 1,
    definition="freezes (as in `call_frozen_percent`) that began in the measured window",
    denominator="the calls' time in the measured window",
)  # fmt: skip
def call_freezes_per_hour_of(result: Recorded, part: str) -> float:
    """How often the picture freezes in an hour of a call."""

    def of_call(call: Call, window: tuple[float, float]) -> float:
        return 3600.0 * sum(window[0] <= begin_s < window[1] for begin_s, _ in call.freezes())

    return _per_second_of_calls(result, part, of_call)


OF_VIDEO_CALLS: Mapping[str, OfPart] = {
    "call_bitrate_mbps": call_bitrate_mbps_of,
    **{
        f"call_frame_delay_p{percentile}_ms": call_frame_delay_ms_of(percentile)
        for percentile in FRAME_DELAY_PERCENTILES
    },
    "call_frozen_percent": call_frozen_percent_of,
    "call_freezes_per_hour": call_freezes_per_hour_of,
}
"""The quantities of a group of video calls."""
