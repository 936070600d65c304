"""The words that the page of `aqmlab play` shows, from measurements whose numbers are known by hand."""

from __future__ import annotations

from typing import Any

import pytest

from aqmlab.load.queue_place import PLACES
from aqmlab.show.play.measured import SHARES
from aqmlab.show.words import play
from aqmlab.show.words.amounts import percent

SLOW_PAGES = {"share": list(SHARES), "seconds": [share * 10.0 if share < 0.9 else None for share in SHARES]}

LONG = "pi compared with red, 8 seeds of 20 simulated seconds each"


def measured(**changed: Any) -> dict[str, Any]:  # noqa: ANN401
    """A run of 20 s, measured from 4 s to 18 s."""
    return {
        "warm_up_s": 4.0,
        "measured_s": 14.0,
        "pages": SLOW_PAGES,
        "responses": {"share": list(SHARES), "seconds": [share / 10.0 for share in SHARES]},
        "datagrams": {},
        "numbers": {
            "utilization_percent": 71.6,
            "loss_percent": 0.0034,
            "marked_percent": None,
            "wait_ms": 30.0,
            "pages_begun": 1234,
            "pages_unfinished": 12,
        },
        **changed,
    }


def test_the_headline_says_how_long_people_and_packets_wait() -> None:
    words = play.of_run(measured(), simulated_s=20.0)
    assert words["headline"] == (
        "Half of the pages load within 5.0 s, 5 % take longer than the run. "
        "A packet waits 30 ms in the queue on average; the link is busy 72 % of the time."
    )
    assert words["before"] == "Before the change: 5.0 s and longer than the run."
    assert words["scope"].startswith("This is one run of 20 s, measured for 14 s: ")


def test_the_rows_have_units_and_dashes_where_there_is_nothing() -> None:
    rows = dict(play.of_run(measured(), simulated_s=20.0)["rows"])
    assert rows == {
        "half of the pages load within": "5.0 s",
        "95 % of the pages load within": "longer than the run",
        "pages waited for": "1,234",
        "of these not loaded at the end": "12",
        "half of the objects load within": "50 ms",
        "mean wait in the queue": "30 ms",
        "link busy": "72 %",
        "packets lost": "0.0034 %",
        "packets marked (ECN)": "–",
    }
    nobody = measured(pages=None, responses=None, numbers={**measured()["numbers"], "pages_begun": None})
    words = play.of_run(nobody, simulated_s=20.0)
    assert words["headline"].startswith("A packet waits 30 ms")
    assert words["before"] == ""
    assert dict(words["rows"])["pages waited for"] == "–"
    stuck = measured(numbers={**measured()["numbers"], "wait_ms": None})
    assert dict(play.of_run(stuck, simulated_s=20.0)["rows"])["mean wait in the queue"] == "–"


def packets(
    median_ms: float | None,
    slow_ms: float | None,
    *,
    jitter_ms: float | None,
    loss: float = 0.1,
    kind: str | None,
) -> dict[str, Any]:
    """What a group felt, of which something arrived."""
    return {
        "kind": kind,
        "delay_p50_ms": median_ms,
        "delay_p95_ms": slow_ms,
        "delay_variation_p99_ms": jitter_ms,
        "loss_percent": loss,
        "goodput_kbps": 80.0,
    }


def test_a_dead_call_is_told_first_and_a_delay_without_end_as_one() -> None:
    """A short delay beside it does not count, and neither does one that no run is long enough for."""
    dead = packets(None, None, jitter_ms=None, loss=100.0, kind="call")
    dead |= {"voice_mos": 1.0, "goodput_kbps": 0.0}
    game = packets(300.0, 700.0, jitter_ms=600.0, kind="game")
    words = play.of_run(measured(pages=None, datagrams={"game": game, "call": dead}), simulated_s=20.0)
    assert words["headline"].startswith("Nothing of call arrives. ")
    assert dict(words["rows"])["call: delay (95 %)"] == "longer than the run"
    slow = {"call": {**dead, "goodput_kbps": 20.0}, "game": game}
    words = play.of_run(measured(pages=None, datagrams=slow), simulated_s=20.0)
    assert words["headline"].startswith(
        "The call that suffers most is unusable (call: delay longer than the run"
    )
    unjudged = {"probe": packets(300.0, 700.0, jitter_ms=600.0, kind=None)}
    words = play.of_run(measured(pages=None, datagrams=unjudged), simulated_s=20.0)
    assert words["headline"].startswith("A packet waits 30 ms")


def test_calls_and_games_are_told_with_the_worst_quality_first() -> None:
    calls = {
        "up": packets(190.0, 240.0, jitter_ms=181.0, loss=0.1, kind="call") | {"voice_mos": 3.917},
        "down": packets(26.0, 40.0, jitter_ms=89.0, kind="call") | {"voice_mos": 4.33},
    }
    words = play.of_run(measured(pages=None, datagrams=calls), simulated_s=20.0)
    assert words["headline"].startswith(
        "The call that suffers most is fair (up: delay 240 ms, loss 0.10 %, MOS 3.9). A packet waits 30 ms"
    )
    rows = dict(words["rows"])
    assert rows["up: jitter (99 %)"] == "181 ms"
    assert rows["down: delay (median, one way)"] == "26 ms"
    assert rows["up: packets lost"] == "0.10 %"
    assert rows["up: a voice call there (MOS, 1 to 4.3)"] == "3.92"


def test_a_video_call_is_told_by_its_picture() -> None:
    own = packets(190.0, 240.0, jitter_ms=181.0, kind="video call")
    picture = {
        "call_bitrate_mbps": 0.853,
        "call_frame_delay_p50_ms": 240.0,
        "call_frame_delay_p95_ms": 400.0,
        "call_frozen_percent": 12.3,
        "call_freezes_per_hour": 40.0,
    }
    rows = dict(play.of_run(measured(datagrams={"up": {**own, **picture}}), simulated_s=20.0)["rows"])
    assert rows["up: picture frozen"] == "12 %"
    assert rows["up: bit rate of the picture"] == "0.85 Mbit/s"
    assert rows["up: from camera to screen (median)"] == "240 ms"
    assert not [title for title in rows if "voice" in title]
    black = {**own, "call_bitrate_mbps": 0.0, "call_frozen_percent": 100.0, "call_freezes_per_hour": 0.0}
    rows = dict(play.of_run(measured(datagrams={"up": black}), simulated_s=20.0)["rows"])
    assert (rows["up: picture frozen"], rows["up: bit rate of the picture"]) == ("100 %", "0 Mbit/s")
    assert not [title for title in rows if "camera" in title]


def test_the_page_is_called_by_its_scenario() -> None:
    assert play.of_page("home", home=True)["title"].startswith("home: ")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"state": "none"}, ""),
        ({"state": "failed", "refused": "out of memory"}, "The comparison failed: out of memory"),
        ({"simulated_s": None}, "pi compared with red, 8 seeds: measuring the time of a run …"),
        ({}, f"{LONG}: 3 of 16 runs"),
        ({"state": "done"}, f"{LONG}: done."),
        ({"state": "cancelled"}, "pi compared with red, 8 seeds: cancelled."),
        (
            {"shortened": True},
            f"{LONG} (shorter than the scenario, to end within about a minute): 3 of 16 runs",
        ),
    ],
)
def test_a_comparison_says_how_far_it_is(changed: dict[str, Any], said: str) -> None:
    status = {
        "state": "running",
        "names": ["red", "pi"],
        "seeds": 8,
        "simulated_s": 20.0,
        "shortened": False,
        "finished": 3,
        "runs": 16,
    }
    assert play.of_comparison({**status, **changed}) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [(None, "–"), (0.0, "0.0 %"), (0.0034, "0.0034 %"), (0.12, "0.12 %"), (4.56, "4.6 %"), (71.6, "72 %")],
)
def test_shares_have_two_digits(value: float | None, said: str) -> None:
    assert percent(value) == said


def test_the_verdict_stands_beside_the_one_before() -> None:
    words = play.of_verdict("The game is worst off: poor.", all_good=False)
    assert words == {
        "now": "The game is worst off: poor.",
        "before": "Before: the game is worst off: poor.",
    }
    assert play.of_verdict("", all_good=False) == {"now": "", "before": ""}
    assert play.of_verdict("The call is worst off: good.", all_good=True)["now"].startswith("Everybody")


def test_a_setting_of_a_household_is_called_by_what_differs() -> None:
    router = PLACES["router"]
    assert play.of_setting("as it is", None, off=(), rates_mbps=()) == "as it is"
    assert play.of_setting("fq-codel", router, off=("call", "game"), rates_mbps=(50.0, 7.5)) == (
        "FQ-CoDel in your router, which shapes; without call and game; 50 Mbit/s down and 7.5 up"
    )
    assert {play.of_place(place) for place in PLACES.values()} == {
        "in your router, which shapes", "in your router, unshaped", "in the modem, up alone",
        "at the provider's, down alone", "in the modem and at the provider's",
    }  # fmt: skip
