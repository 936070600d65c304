"""What viewers of videos see: by hand, and from a run's segments in steps of a millisecond."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

import aqmlab
from aqmlab.errors import MissingDataError, TooLittleDataError
from aqmlab.statistics.quantities import Measured, quantity
from aqmlab.statistics.recorded import viewers
from aqmlab.statistics.video import Player, Segment, playback

if TYPE_CHECKING:
    from aqmlab.statistics.recorded import Recorded

TEXT = """
name = "viewers"
duration_s = 150.0
warm_up_s = 30.0
[dumbbell]
rate_mbps = 1.0
queue = { scheme = "drop-tail", limit_packets = 60 }
[[populations]]
name = "tv"
browsers = "browsers-right"
servers = "servers-left"
count = 3
model = { model = "video-streaming", segments_per_video = 12, pause_mean_seconds = 3.0 }
profile = "linux6-cubic"
[[flows]]
count = 2
direction = "left-to-right"
profile = "linux6-cubic"
[[populations]]
name = "readers"
browsers = "browsers-right"
servers = "servers-left"
count = 2
model = { model = "fixed-page", objects_per_page = 2 }
"""
PLAYER = Player(segment_s=3.0, segments_per_video=4, start_buffer_s=6.0)


def segments(*arrivals_s: float | None) -> list[Segment]:
    return [Segment(0.0, arrived_s, 1000) for arrived_s in arrivals_s]


def test_a_video_without_stalls_plays_from_its_second_segment_to_its_end() -> None:
    video = playback(segments(1.0, 2.0, 3.0, 4.0), PLAYER, end_s=100.0)
    assert video.shown_s == [2.0, 5.0, 8.0, 11.0]
    assert video.stalls == []


def test_an_empty_buffer_stalls_until_there_is_as_much_as_at_the_beginning() -> None:
    # 6 s from 2 on are played at 8; the third segment alone, at 10, is too little; with the last it goes on.
    video = playback(segments(1.0, 2.0, 10.0, 11.5), PLAYER, end_s=100.0)
    assert video.stalls == [(8.0, 11.5)]
    assert video.shown_s == [2.0, 5.0, 11.5, 14.5]


def test_the_last_segment_plays_whatever_the_buffer_holds() -> None:
    video = playback(segments(1.0, 2.0, 3.0, 20.0), PLAYER, end_s=100.0)
    assert video.stalls == [(11.0, 20.0)]
    assert video.shown_s == [2.0, 5.0, 8.0, 20.0]


def test_a_segment_that_has_not_arrived_leaves_the_picture_standing_to_the_end_of_the_run() -> None:
    video = playback(segments(1.0, 2.0, None), PLAYER, end_s=30.0)
    assert video.stalls == [(8.0, 30.0)]
    never = playback(segments(1.0, None), PLAYER, end_s=30.0)
    assert (never.shown_s, never.stalls) == ([], [])


def value_of(name: str, run: Recorded) -> float:
    return quantity(name).of(Measured(run))


@pytest.fixture(name="run", scope="module")
def run_of_viewers() -> aqmlab.Result:
    return aqmlab.run(aqmlab.Scenario.from_toml(TEXT), seed=2)


def in_steps(run: aqmlab.Result) -> dict[str, float]:
    """The same numbers, a millisecond after the other: what is shown, and of which segment."""
    rows = run.tables["video_segments"].to_pandas()
    played, stalled, stalls, bits, waits = 0, 0, 0, 0.0, []
    for _, of_video in rows.assign(video=rows.segment // 12).groupby(["user", "video"]):
        video = of_video.sort_values("segment")
        arrived = video[video.arrived == 1]
        times = (arrived.requested_at_s + arrived.download_time_s).to_numpy()
        sizes, got, shown_s, plays, began = arrived.bytes.to_numpy(), 0, 0.0, False, None
        requested_s = float(video.requested_at_s.iloc[0])
        for step in range(math.ceil(requested_s * 1000), 150_000):
            now_s = step / 1000
            while got < len(times) and times[got] <= now_s:
                got += 1
            buffer_s = 3.0 * got - shown_s
            if got == 12 and buffer_s <= 5e-4:
                break
            if not plays and (buffer_s >= 3.0 - 1e-3 or got == 12):
                plays, began = True, now_s if began is None else began
            if plays and buffer_s <= 5e-4:
                plays = False
                stalls += now_s >= 30.0
            if now_s >= 30.0 and began is not None:
                played += plays
                stalled += not plays
                bits += 8.0 * sizes[min(int(shown_s / 3.0), len(sizes) - 1)] / 3.0 / 1000 if plays else 0.0
            shown_s += 0.001 if plays else 0.0
        if requested_s >= 30.0:
            waits.append((150.0 if began is None else began) - requested_s)
    return {
        "video_stalled_percent": 100.0 * stalled / (played + stalled),
        "video_stalls_per_hour": 3600.0 * stalls / ((played + stalled) / 1000),
        "video_bitrate_mbps": bits / (played / 1000) / 1e6,
        "video_start_s": float(np.mean(waits)),
    }


def test_the_numbers_of_a_run_are_those_of_a_player_in_steps_of_a_millisecond(run: aqmlab.Result) -> None:
    expected = in_steps(run)
    assert expected["video_stalled_percent"] > 5.0, "the case has stalls"
    assert expected["video_start_s"] > 0.5, "and videos that begin late"
    for name, value in expected.items():
        assert value_of(f"{name}/populations.tv", run) == pytest.approx(value, rel=0.01, abs=0.01), name


def test_goodput_of_viewers_is_that_of_their_segments(run: aqmlab.Result) -> None:
    rows = run.tables["video_segments"].to_pandas()
    arrived_s = rows.requested_at_s + rows.download_time_s
    inside = (rows.arrived == 1) & (arrived_s >= 30.0) & (arrived_s < 150.0)
    expected = rows.bytes[inside].sum() * 8 / 120.0 / 1000.0
    assert value_of("goodput_kbps/populations.tv", run) == pytest.approx(expected)
    assert expected > 100.0


def test_only_those_who_watch_are_viewers(run: aqmlab.Result) -> None:
    assert viewers(run) == ["tv"]
    with pytest.raises(MissingDataError, match=r"populations\.readers watches videos; those who do: tv"):
        value_of("video_stalled_percent/populations.readers", run)


def test_a_window_without_videos_says_so() -> None:
    run = FewVideos()
    with pytest.raises(TooLittleDataError, match=r"no video of populations\.tv was playing"):
        value_of("video_stalled_percent/populations.tv", run)
    with pytest.raises(TooLittleDataError, match="was requested in the measured window"):
        value_of("video_start_s/populations.tv", run)


class FewVideos:
    """A run in whose measured window nobody watches."""

    def __init__(self) -> None:
        names = pa.array(["tv"]).dictionary_encode()
        columns: dict[str, list[Any]] = {
            "user": [0], "segment": [0], "requested_at_s": [1.0], "download_time_s": [1.0],
            "arrived": [1], "failed_requests": [0], "bytes": [1000],
        }  # fmt: skip
        self.tables = {"video_segments": pa.table({"population": names, **columns})}
        model: dict[str, Any] = {"segment_seconds": 3.0, "segments_per_video": 1, "start_buffer_seconds": 3.0}
        model["model"] = "video-streaming"
        scenario = {"duration_s": 20.0, "populations": [{"name": "tv", "model": model}]}
        self.run: dict[str, Any] = {
            "measured_from_s": 10.0, "measured_until_s": 20.0, "populations": [{"name": "tv"}],
            "scenario": scenario,
        }  # fmt: skip


def test_a_comparison_says_at_which_bit_rate_videos_are_shown_and_for_how_long_they_stand_still() -> None:
    found = aqmlab.compare(aqmlab.Scenario.from_toml(TEXT), schemes=["drop-tail", "fq-codel"], seeds=[1, 2])
    (sentence,) = [each for each in found.sentences() if "tv plays" in each]
    assert re.fullmatch(
        r"The tv plays at [\d.]+ Mbit/s with drop-tail, still [\d.]+ % of the time; "
        r"[\d.]+ Mbit/s with FQ-CoDel, still [\d.]+ %\.",
        sentence,
    )
    rates = [found.level(name, "video_bitrate_mbps/populations.tv").mean for name in found.names]
    assert f"{rates[0]:.2f} Mbit/s with drop-tail" in sentence
    assert found.browsing_users == 2, "viewers are no readers"


def test_segments_that_fail_are_no_failed_responses() -> None:
    """Viewers whose servers are away give up; readers beside them get everything."""
    away = aqmlab.run("""
name = "away"
duration_s = 150.0
[dumbbell]
rate_mbps = 50.0
queue = { scheme = "drop-tail", limit_packets = 500 }
[[populations]]
name = "readers"
browsers = "browsers-right"
servers = "servers-left"
count = 1
model = { model = "fixed-page", objects_per_page = 2 }
[[populations]]
name = "tv"
browsers = "browsers-right"
servers = "servers-left"
count = 20
model = { model = "video-streaming" }
profile = "linux6-cubic"
delay_box = { loss_probability = 1.0 }
""")
    failed = {each["name"]: each["failed"] for each in away.run["populations"]}
    assert (failed["readers"], failed["tv"] > 0) == (0, True)
    times = away.responses["response_time_s"].to_numpy()
    median_s = np.quantile(times, 0.5, method="inverted_cdf")
    assert away.value("response_p50_s") == pytest.approx(median_s, rel=2e-3)
    assert away.value("responses_over_3s_or_failed_percent") == 0.0
    assert away.value("failed_exchanges") == failed["tv"], "exchanges are those of everybody"
