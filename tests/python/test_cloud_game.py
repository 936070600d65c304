"""A cloud game from its scenario to what people read of it: closed forms, kind, tables, words."""

from __future__ import annotations

import pytest

import aqmlab
from aqmlab.comparison.comparability import Decides, decided_by
from aqmlab.errors import MissingDataError
from aqmlab.show.tables.results import _video_calls
from aqmlab.show.words.explained import applications, explained
from aqmlab.statistics.experience import CLOUD_GAME, judged_groups
from aqmlab.statistics.video_call import editions, video_call_groups

# 62,500 bytes a frame in 52 packets of 1,240 bytes and one of 140; no framing, 10 ms of propagation.
GAME = """
name = "play"
duration_s = 12.0
warm_up_s = 1.0
cool_down_s = 1.0
[dumbbell]
rate_mbps = 100.0
delay_ms = 10.0
queue = { scheme = "drop-tail", limit_packets = 1000 }
interface_rate_mbps = 1000.0
layer2_overhead_bytes = 0
layer2_minimum_frame_bytes = 0
layer2_gap_bytes = 0
[[datagrams]]
name = "play"
count = 1
direction = "right-to-left"
packet_bytes = 1240
start_spread_s = 0.0
cloud_game = { variation = 0.0 }
"""


@pytest.fixture(scope="module")
def played() -> aqmlab.Result:
    return aqmlab.run(GAME, seed=1)


def test_its_numbers_are_those_of_the_closed_form(played: aqmlab.Result) -> None:
    frame_ms = 1000.0 * (0.01 + 1240 * 8 / 1e9 + 64_620 * 8 / 1e8)
    for percentile in (50, 95):
        delay_ms = played.value(f"call_frame_delay_p{percentile}_ms/datagrams.play")
        assert delay_ms == pytest.approx(frame_ms, rel=1e-6)
    assert played.value("call_frozen_percent/datagrams.play") == 0.0
    assert played.value("call_bitrate_mbps/datagrams.play") == pytest.approx(60 * 64_620 * 8 / 1e6, rel=2e-3)
    assert played.value("goodput_kbps/datagrams.play-input") == pytest.approx(200.0, rel=1e-3)
    assert played.value("loss_percent/datagrams.play-input") == 0.0


def test_it_is_judged_by_its_frames_as_a_game(played: aqmlab.Result) -> None:
    assert judged_groups(played) == {"play": CLOUD_GAME}
    assert video_call_groups(played) == ["play"]
    assert editions(played) == []
    table = _video_calls("play", played, ["play"])
    assert table.title == "play: cloud games"
    with pytest.raises(MissingDataError, match="no rating of a voice call"):
        played.value("voice_mos/datagrams.play")


def test_it_is_listed_and_explained() -> None:
    assert applications() == ["video", "adaptive_video", "cloud_game"]
    said = explained("cloud_game") or ""
    assert said.startswith("cloud_game\n\nApplication over datagrams. A cloud game as 3GPP TR 38.838")
    assert "  input_hz: number, 0.1 to 10000, default 250.0" in said
    assert '"draft-ietf-rmcat-gcc-02": The IETF' in (explained("adaptive_video") or "")


def test_other_games_are_no_fair_comparison() -> None:
    assert decided_by("datagrams.0.cloud_game.input_hz") is Decides.USERS
    assert decided_by("datagrams.0.rate_mbps") is Decides.USERS
    # An application that this version does not know sends something, too: the table decides for its keys.
    assert decided_by("datagrams.0.own_game.input_hz") is Decides.USERS
