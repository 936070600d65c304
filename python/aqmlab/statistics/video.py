"""What the viewers of videos see: stalls, bit rate, how long a video takes to begin.

The table `video_segments` has when each segment was requested and had arrived; what the player did follows
from that and from its parameters (docs/reference/models/video-streaming.md). Playback of a video begins when
`start_buffer_seconds` of it have arrived, stops while the buffer is empty, and goes on when as much has
arrived again.

A number is that of all viewers of a population together: stalled seconds of all over watched seconds of all.
Times count where they lie in the measured window, a video's beginning where it was requested in it.

A video that had not begun when the run ended takes at least as long to begin as it was watched. A viewer who
waits in the window and sees nothing of any video in it watches a picture that stands still all that time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from aqmlab.errors import MissingDataError, TooLittleDataError
from aqmlab.files.columns import to_numpy
from aqmlab.statistics.observation import Observation
from aqmlab.statistics.quantity import observed_of_part, of_part
from aqmlab.statistics.recorded import (
    Recorded,
    ended_s,
    has_name,
    measured_window,
    overlap_s,
    table,
    traffic_model,
    viewers,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aqmlab.statistics.quantity import OfPart

_TABLE = "video_segments"
_SLACK = 1e-9
"""Numbers of segments that rounding alone tells apart."""


class Segment(NamedTuple):
    """A segment of a video: when it was requested, when it had arrived (none: not in the run), its bytes."""

    requested_s: float
    arrived_s: float | None
    bytes: int


@dataclass(frozen=True)
class Player:
    """The parameters of a player that say what it makes of the segments it gets."""

    segment_s: float  # length of a segment
    segments_per_video: int  # how many a video has
    start_buffer_s: float  # what is in the buffer when playback begins, and goes on after a stall


@dataclass
class Playback:
    """What became of one video."""

    requested_s: float  # when its first segment was requested
    shown_s: list[float] = field(default_factory=list)  # when each segment began to be shown
    stalls: list[tuple[float, float]] = field(default_factory=list)  # when each began and ended


def playback(segments: Sequence[Segment], player: Player, *, end_s: float) -> Playback:
    """Plays a video whose segments arrived at these times, until it ends or the run does, at `end_s`.

    A segment is shown behind the one before it. If it has not arrived by then the picture stands still, until
    there are as many segments as playback begins with, or the last of the video.
    """
    video = Playback(segments[0].requested_s)
    arrivals = [segment.arrived_s for segment in segments if segment.arrived_s is not None]
    needed = math.ceil(player.start_buffer_s / player.segment_s - _SLACK)
    for number in range(player.segments_per_video):
        due_s = video.shown_s[-1] + player.segment_s if number else math.nan
        if number and number < len(arrivals) and arrivals[number] <= due_s:
            video.shown_s.append(due_s)
            continue
        last_needed = min(number + needed, player.segments_per_video) - 1
        goes_on_s = arrivals[last_needed] if last_needed < len(arrivals) else math.inf
        if number and due_s < end_s:
            video.stalls.append((due_s, min(goes_on_s, end_s)))
        if goes_on_s >= end_s:
            break
        video.shown_s.append(goes_on_s)
    return video


def arrived_bytes(result: Recorded, population: str) -> int:
    """Bytes of the segments that had arrived at a population within the measured window."""
    begin_s, end_s = measured_window(result)
    segments = (each for _, video in _videos(result, population) for each in video)
    arrived = (each for each in segments if each.arrived_s is not None and begin_s <= each.arrived_s < end_s)
    return sum(each.bytes for each in arrived)


def _player(result: Recorded, population: str) -> Player:
    model = traffic_model(result, population)
    return Player(
        float(model["segment_seconds"]),
        int(model["segments_per_video"]),
        float(model["start_buffer_seconds"]),
    )


def least_window_s(result: Recorded, population: str) -> float:
    """The shortest measured window in which videos are judged, in seconds.

    As long as the longest buffer of the player: for less it may play what arrived before.
    """
    return float(traffic_model(result, population)["most_buffer_seconds"])


def _videos(result: Recorded, population: str) -> Iterator[tuple[int, list[Segment]]]:
    """The segments of each video of each viewer, with the number of the viewer."""
    rows = table(result, _TABLE, setting='model = "video-streaming" and record.responses other than "none"')
    known = viewers(result)
    if population not in known:
        listed = ", ".join(known) or "none"
        raise MissingDataError(f"nobody of populations.{population} watches videos; those who do: {listed}")
    keep = np.flatnonzero(has_name(rows, "population", population))
    user, segment, requested_s, took_s, arrived, size = (
        to_numpy(rows[name])[keep]
        for name in ("user", "segment", "requested_at_s", "download_time_s", "arrived", "bytes")
    )
    of_video: dict[tuple[int, int], list[Segment]] = {}
    per_video = _player(result, population).segments_per_video
    for row in np.lexsort((segment, user)):
        began_s = float(requested_s[row])
        arrived_s = began_s + float(took_s[row]) if arrived[row] else None
        videos = of_video.setdefault((int(user[row]), int(segment[row]) // per_video), [])
        videos.append(Segment(began_s, arrived_s, int(size[row])))
    yield from ((viewer, segments) for (viewer, _), segments in of_video.items())


@dataclass
class _Watched:
    """What viewers of a population saw in the measured window."""

    shown_s: float = 0.0  # for how long a picture moved
    stalled_s: float = 0.0  # for how long it stood still
    waited_s: float = 0.0  # for how long nothing was shown, because a video had not begun
    stalls: int = 0  # how often it stopped
    bits: float = 0.0  # of what was shown
    # of each video requested in the window how long it took to begin, or was waited for
    waits_s: list[float] = field(default_factory=list)
    not_begun: int = 0  # how many of these had not begun when the run ended

    @property
    def watched_s(self) -> float:
        """For how long a video was playing, stalls included."""
        return self.shown_s + self.stalled_s

    def add(self, other: _Watched) -> None:
        """Adds what another viewer saw; of one who saw nothing, waiting is a picture that stands still."""
        stood_still_s = 0.0 if other.watched_s > 0.0 else other.waited_s
        self.shown_s += other.shown_s
        self.stalled_s += other.stalled_s + stood_still_s
        self.stalls += other.stalls
        self.bits += other.bits
        self.waits_s += other.waits_s
        self.not_begun += other.not_begun


def _watched(result: Recorded, part: str) -> _Watched:
    population = part.partition(".")[2]
    of_viewer: dict[int, _Watched] = {}
    videos = list(_videos(result, population))
    player = _player(result, population)
    for viewer, segments in videos:
        _watch(of_viewer.setdefault(viewer, _Watched()), segments, player, result)
    seen = _Watched()
    for each in of_viewer.values():
        seen.add(each)
    return seen


def _watch(seen: _Watched, segments: Sequence[Segment], player: Player, result: Recorded) -> None:
    window, end_s = measured_window(result), ended_s(result)
    video = playback(segments, player, end_s=end_s)
    begins_s = video.shown_s[0] if video.shown_s else end_s
    for segment, begin_s in zip(segments, video.shown_s, strict=False):
        within_s = overlap_s(begin_s, begin_s + player.segment_s, window)
        seen.shown_s += within_s
        seen.bits += 8.0 * segment.bytes * within_s / player.segment_s
    for begin_s, until_s in video.stalls:
        seen.stalled_s += overlap_s(begin_s, until_s, window)
        seen.stalls += window[0] <= begin_s < window[1]
    seen.waited_s += overlap_s(video.requested_s, begins_s, window)
    if window[0] <= video.requested_s < window[1]:
        seen.waits_s.append(begins_s - video.requested_s)
        seen.not_begun += not video.shown_s


def _of_watching(result: Recorded, part: str) -> _Watched:
    seen = _watched(result, part)
    if seen.watched_s <= 0.0:
        raise TooLittleDataError(f"no video of {part} was playing in the measured window, or waited for")
    return seen


@of_part(
    "video_stalled_percent", "%", "videos of {} stalled, %", "stalled %", 2,
    definition="time in which playback had stopped with an empty buffer, after it had begun; of viewers "
    "who saw nothing in the window all the time that they waited",
    denominator="time from the beginning of playback to its end, stalls included",
    worst=100.0,
)  # fmt: skip
def stalled_percent_of(result: Recorded, part: str) -> float:
    """The share of the time that viewers watch in which the picture stands still, in per cent."""
    seen = _of_watching(result, part)
    return 100.0 * seen.stalled_s / seen.watched_s


@of_part(
    "video_stalls_per_hour", "per hour", "stalls of {} per hour", "stalls per hour", 1,
    definition="stalls that began in the measured window",
    denominator="time from the beginning of playback to its end, stalls included",
)  # fmt: skip
def stalls_per_hour_of(result: Recorded, part: str) -> float:
    """How often playback stops in an hour of watching."""
    seen = _of_watching(result, part)
    return 3600.0 * seen.stalls / seen.watched_s


@of_part(
    "video_bitrate_mbps", "Mbit/s", "bit rate of videos of {}, Mbit/s", "bit rate Mbit/s", 2,
    definition="bits of the segments shown in the measured window, per second of playback; 0 if none was",
    worst=0.0,
)  # fmt: skip
def bitrate_mbps_of(result: Recorded, part: str) -> float:
    """The mean bit rate of what viewers saw, in Mbit/s."""
    seen = _of_watching(result, part)
    return seen.bits / seen.shown_s / 1e6 if seen.shown_s > 0.0 else 0.0


@observed_of_part(
    "video_start_s", "s", "start of videos of {}, s", "start s", 2,
    definition="from the request for the first segment to the beginning of playback, of videos requested "
    "in the measured window; a bound where one had not begun at the end of the run",
)  # fmt: skip
def start_s_of(result: Recorded, part: str) -> Observation:
    """How long a video takes to begin, in seconds, on average."""
    seen = _watched(result, part)
    if not seen.waits_s:
        raise TooLittleDataError(f"no video of {part} was requested in the measured window")
    mean_s = float(np.mean(seen.waits_s))
    return Observation.at_least(mean_s) if seen.not_begun else Observation.exact(mean_s)


OF_VIDEO: Mapping[str, OfPart] = {
    "video_stalled_percent": stalled_percent_of,
    "video_stalls_per_hour": stalls_per_hour_of,
    "video_bitrate_mbps": bitrate_mbps_of,
    "video_start_s": start_s_of,
}
"""The quantities of a population that watches videos."""
