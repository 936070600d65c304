"""The second computation of what viewers of videos and people in video calls see (`naive_quantities.py`)."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from naive_rows import NoNumberError, rows, window

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aqmlab.statistics import Recorded

    Row = Mapping[str, Any]


def video_calls_of(result: Recorded) -> dict[str, float]:
    """The groups of video calls, each with the frames per second of its cameras."""
    groups = result.run["scenario"].get("datagrams", [])
    return {
        f"datagrams.{group['name']}": group["adaptive_video"]["frames_hz"]
        for group in groups
        if "adaptive_video" in group
    }


class NaiveCall:
    """One call: its frames in their order, and how long a frame stands if nothing is late."""

    def __init__(self, frames: Sequence[Row], frame_s: float) -> None:
        """Takes the rows of a source."""
        self.frames = sorted(frames, key=lambda row: row["frame"])
        self.shown = [row for row in self.frames if row["shown_s"] == row["shown_s"]]
        self.begin = self.frames[0]["captured_s"]
        self.end = self.frames[-1]["captured_s"] + frame_s
        for row in self.shown:
            self.end = max(self.end, row["shown_s"])
        self.longest = 3.0 * frame_s if frame_s > 0.075 else frame_s + 0.15
        """From 75 ms on three frames are the longer of the two."""

    def frozen(self) -> list[tuple[float, float]]:
        """When each freeze began and ended: a picture that changes late, frame after frame."""
        found, since = [], self.begin
        if not self.shown:
            return [(self.begin, self.end)]
        for instant in [*(row["shown_s"] for row in self.shown), self.end]:
            if instant - since >= self.longest:
                found.append((since, instant))
            since = instant
        return found

    def seconds_until(self, instant: float) -> tuple[float, float]:
        """How long the call had lasted, and its picture had been frozen, up to an instant."""
        lasted = min(max(instant - self.begin, 0.0), self.end - self.begin)
        frozen = sum(max(min(end, instant) - begin, 0.0) for begin, end in self.frozen())
        return lasted, frozen


def calls_of(result: Recorded, part: str) -> list[NaiveCall]:
    """The calls of a group that take place in the window."""
    if part not in video_calls_of(result):
        raise NoNumberError(part)
    sources: dict[int, list[Row]] = defaultdict(list)
    for row in rows(result, "video_call_frames"):
        if f"datagrams.{row['group']}" == part:
            sources[row["source"]].append(row)
    calls = [NaiveCall(frames, 1.0 / video_calls_of(result)[part]) for frames in sources.values()]
    begin, end = window(result)
    found = [call for call in calls if call.begin < end and call.end > begin]
    if not found:
        raise NoNumberError(part)
    return found


def call_seconds(result: Recorded, call: NaiveCall) -> tuple[float, float]:
    """How long a call lasts in the window, and how much of it its picture is frozen."""
    before, after = (call.seconds_until(edge) for edge in window(result))
    return after[0] - before[0], after[1] - before[1]


def call_bitrate_mbps(result: Recorded, part: str) -> float:
    """Megabits shown in the window on a second of the calls."""
    (begin, end), bits, lasted = window(result), 0, 0.0
    for call in calls_of(result, part):
        for row in call.shown:
            if begin <= row["shown_s"] < end:
                bits += 8 * row["bytes"]
        lasted += call_seconds(result, call)[0]
    return bits / 1e6 / lasted


def percentile(values: Sequence[float], share: Fraction) -> float:
    """The least of these that so many of them do not exceed."""
    in_order = sorted(values)
    return next(
        each for number, each in enumerate(in_order, start=1) if Fraction(number, len(in_order)) >= share
    )


def call_frame_delay_ms(share: Fraction) -> Callable[[Recorded, str], float]:
    """The least delay within which so many of the frames of a call are shown, whatever becomes of the rest.

    Infinite where it has no upper end, which is that of all that wait coming last; else the least that comes
    of any number of those that wait being shown now, and the others never.
    """

    def of_call(result: Recorded, call: NaiveCall) -> float | None:
        begin, end = window(result)
        run_end = result.run["scenario"]["duration_s"]
        captured = [row for row in call.frames if begin <= row["captured_s"] < end]
        took = [row["shown_s"] - row["captured_s"] for row in captured if row in call.shown]
        last = max((row["frame"] for row in call.shown), default=-1)
        waits = sorted(run_end - row["captured_s"] for row in captured if row["frame"] > last)
        if not captured:
            return None
        if not took or percentile([*took, *(math.inf for _ in waits)], share) == math.inf:
            return math.inf
        return min(percentile([*took, *waits[:come]], share) for come in range(len(waits) + 1))

    def delay_ms(result: Recorded, part: str) -> float:
        delays = [of_call(result, call) for call in calls_of(result, part)]
        known = [1000.0 * each for each in delays if each is not None]
        if not known:
            raise NoNumberError(part)
        return sum(known) / len(known)

    return delay_ms


def call_frozen_percent(result: Recorded, part: str) -> float:
    """Frozen seconds of 100 seconds of the calls."""
    seconds_of_calls = [call_seconds(result, call) for call in calls_of(result, part)]
    return (
        100.0 * sum(frozen for _, frozen in seconds_of_calls) / sum(lasted for lasted, _ in seconds_of_calls)
    )


def call_freezes_per_hour(result: Recorded, part: str) -> float:
    """Freezes that began before the end of the window, less those before its beginning."""
    begin, end = window(result)
    freezes, lasted = 0, 0.0
    for call in calls_of(result, part):
        begun = [since for since, _ in call.frozen()]
        freezes += sum(since < end for since in begun) - sum(since < begin for since in begun)
        lasted += call_seconds(result, call)[0]
    return freezes / (lasted / 3600.0)


def videos_of(result: Recorded, part: str) -> tuple[Mapping[str, Any], list[list[Row]]]:
    """The parameters of a population's player, and the segments of each video in their order."""
    population = part.split(".", 1)[1]
    own = [row for row in rows(result, "video_segments") if row["population"] == population]
    if not own:
        raise NoNumberError(part)
    model = next(
        each["model"] for each in result.run["scenario"]["populations"] if each["name"] == population
    )
    videos: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for row in sorted(own, key=lambda row: row["segment"]):
        videos[row["user"], row["segment"] // model["segments_per_video"]].append(row)
    return model, list(videos.values())


def played(video: Sequence[Row], model: Mapping[str, Any], end_s: float) -> list[tuple[float, float, float]]:
    """What a buffer makes of a video, arrival by arrival: from, until, and bits a second; 0 is a stall."""
    length, count = model["segment_seconds"], model["segments_per_video"]
    stretches: list[tuple[float, float, float]] = []
    buffered: list[float] = []
    now, plays, had_begun, shown = 0.0, False, False, 0.0
    arrivals = [
        (row["requested_at_s"] + row["download_time_s"], row["bytes"]) for row in video if row["arrived"]
    ]
    for number, (at, size) in enumerate([*arrivals, (end_s, None)]):
        while plays and now < at:
            if not buffered:
                plays = False
                break
            until = min(at, now + length - shown)
            stretches.append((now, until, buffered[0]))
            shown += until - now
            now = until
            if shown >= length - 1e-9:
                buffered.pop(0)
                shown = 0.0
        is_over = len(arrivals) == count and size is None
        if had_begun and not plays and now < at and not is_over:
            stretches.append((now, at, 0.0))
        now = at
        if size is not None:
            buffered.append(8.0 * size / length)
            there = len(buffered) * length - shown
            plays = plays or there >= model["start_buffer_seconds"] - 1e-9 or number + 1 == count
            had_begun = had_begun or plays
    return stretches


def watched(result: Recorded, part: str) -> list[tuple[float, float, float]]:
    """The stretches of all videos of a population within the window; of who saw nothing what was waited."""
    begin, end = window(result)
    run_end = result.run["scenario"]["duration_s"]
    model, videos = videos_of(result, part)

    def inside(stretches: list[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
        cut = [(max(since, begin), min(until, end), rate) for since, until, rate in stretches]
        return [(since, until, rate) for since, until, rate in cut if until > since]

    found = []
    for user in {video[0]["user"] for video in videos}:
        saw, waited = [], []
        for video in videos:
            if video[0]["user"] == user:
                stretches = played(video, model, run_end)
                saw += inside(stretches)
                first = min((since for since, _, rate in stretches if rate), default=run_end)
                waited += inside([(video[0]["requested_at_s"], first, 0.0)])
        found += saw or waited
    if not found:
        raise NoNumberError(part)
    return found


def video_stalled_percent(result: Recorded, part: str) -> float:
    """Stalled seconds of all viewers' seconds."""
    found = watched(result, part)
    stalled = sum(until - since for since, until, rate in found if not rate)
    return 100.0 * stalled / sum(until - since for since, until, _ in found)


def video_stalls_per_hour(result: Recorded, part: str) -> float:
    """Stalls that began in the window, on an hour of watching: those of one video follow no other stall."""
    begin, end = window(result)
    model, videos = videos_of(result, part)
    stalls = 0
    for video in videos:
        before = 1.0
        for since, _, rate in played(video, model, result.run["scenario"]["duration_s"]):
            stalls += rate == 0.0 and before > 0.0 and begin <= since < end
            before = rate
    return 3600.0 * stalls / sum(until - since for since, until, _ in watched(result, part))


def video_bitrate_mbps(result: Recorded, part: str) -> float:
    """Bits shown on a second of playback."""
    shown = [(until - since, rate) for since, until, rate in watched(result, part) if rate]
    if not shown:
        return 0.0
    return sum(span * rate for span, rate in shown) / sum(span for span, _ in shown) / 1e6


def video_start_s(result: Recorded, part: str) -> float:
    """From the request for a video to the first picture."""
    begin, end = window(result)
    run_end = result.run["scenario"]["duration_s"]
    model, videos = videos_of(result, part)
    waits = []
    for video in videos:
        requested = video[0]["requested_at_s"]
        if begin <= requested < end:
            first = [since for since, _, rate in played(video, model, run_end) if rate]
            waits.append(min(first, default=math.inf) - requested)
    if not waits:
        raise NoNumberError(part)
    return float(sum(waits) / len(waits))
