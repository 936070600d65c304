"""How good a call or a game is: limits of recommendations, the worst criterion, what is judged as what."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from aqmlab.statistics.experience import (
    CALL,
    GAME,
    VIDEO_CALL,
    Criterion,
    Experience,
    Grade,
    Kind,
    experience,
    kind_of,
    worst,
)
from aqmlab.statistics.observation import Observation

if TYPE_CHECKING:
    from aqmlab.statistics.quantity import OfRun


def felt(kind: Kind, **numbers: float | None) -> Experience:
    """A group that feels these numbers, by the names of quantities."""
    known = {"goodput_kbps": 80.0, **numbers}

    def observed(quantity: OfRun) -> Observation:
        value = known.get(quantity.base)
        return Observation.nothing() if value is None else Observation.exact(value)

    found = experience("own", kind, observed)
    assert found is not None
    return found


GOOD_CALL = {"delay_p95_ms": 40.0, "loss_percent": 0.0, "voice_mos": 4.3}


@pytest.mark.parametrize(
    ("number", "value", "grade"),
    [
        # ITU-T G.114: 150 ms and 400 ms; above, no call.
        ("delay_p95_ms", 150.0, Grade.GOOD), ("delay_p95_ms", 151.0, Grade.FAIR),
        ("delay_p95_ms", 400.0, Grade.FAIR), ("delay_p95_ms", 401.0, Grade.UNUSABLE),
        ("delay_p95_ms", 12_000.0, Grade.UNUSABLE), ("delay_p95_ms", math.inf, Grade.UNUSABLE),
        ("loss_percent", 1.0, Grade.GOOD), ("loss_percent", 1.1, Grade.FAIR),
        ("loss_percent", 5.1, Grade.POOR), ("loss_percent", 20.1, Grade.UNUSABLE),
        # G.109: R = 80, 70 and 50 are MOS 4.03, 3.60 and 2.58.
        ("voice_mos", 4.03, Grade.GOOD), ("voice_mos", 3.9, Grade.FAIR), ("voice_mos", 3.6, Grade.FAIR),
        ("voice_mos", 3.1, Grade.POOR),
        ("voice_mos", 2.58, Grade.UNUSABLE), ("voice_mos", 1.0, Grade.UNUSABLE),
    ],
)  # fmt: skip
def test_one_bad_number_decides_whatever_the_others_are(number: str, value: float, grade: Grade) -> None:
    assert felt(CALL, **{**GOOD_CALL, number: value}).grade is grade


def test_a_game_is_judged_by_its_jitter_and_never_by_a_score_of_speech() -> None:
    game = {"delay_p95_ms": 30.0, "delay_variation_p99_ms": 10.0, "loss_percent": 0.0}
    assert felt(GAME, **game, voice_mos=1.0).grade is Grade.GOOD
    assert felt(GAME, **{**game, "delay_variation_p99_ms": 120.0}).grade is Grade.POOR
    assert felt(GAME, **{**game, "delay_p95_ms": 201.0}).grade is Grade.UNUSABLE
    assert felt(VIDEO_CALL, call_frame_delay_p95_ms=90.0, call_frozen_percent=6.0).grade is Grade.POOR


def test_badness_never_falls_where_a_number_gets_worse() -> None:
    for kind in (CALL, GAME, VIDEO_CALL):
        for criterion in kind.criteria:
            steps = [
                criterion.best + (criterion.limits[2] - criterion.best) * step / 50.0 for step in range(80)
            ]
            badness = [criterion.badness(value) for value in steps]
            assert badness == sorted(badness)
            assert badness[0] == 0.0
            assert criterion.badness(criterion.worst) == 4.0
            assert [criterion.badness(limit) for limit in criterion.limits] == sorted(
                criterion.badness(limit) for limit in criterion.limits
            )


def test_a_group_of_which_nothing_arrives_suffers_most() -> None:
    dead = felt(CALL, **GOOD_CALL, goodput_kbps=0.0)
    slow = felt(CALL, **{**GOOD_CALL, "delay_p95_ms": 60_000.0})
    assert dead.is_dead
    assert dead.grade is Grade.UNUSABLE
    assert worst([slow, dead]) is dead
    assert worst([dead, slow]) is dead
    assert worst([felt(CALL, **GOOD_CALL), slow]) is slow
    assert worst([]) is None


def test_what_has_no_number_is_not_judged() -> None:
    assert experience("own", CALL, lambda _: Observation.nothing()) is None
    assert felt(CALL, **{**GOOD_CALL, "voice_mos": None}).grade is Grade.GOOD


def test_of_a_number_between_two_ends_the_better_one_decides() -> None:
    """One packet under way at the end makes no call unusable."""
    seen = {
        "delay_p95_ms": Observation.at_least(151.0),
        "loss_percent": Observation(0.0, 2.0),
        "voice_mos": Observation(1.0, 4.2),
        "goodput_kbps": Observation.exact(80.0),
    }
    found = experience("own", CALL, lambda quantity: seen[quantity.base])
    assert found is not None
    assert found.grade is Grade.FAIR
    assert list(found.values.values()) == [151.0, 0.0, 4.2]


@pytest.mark.parametrize(
    ("group", "kind"),
    [
        ({"name": "call-up", "rate_mbps": 0.08}, CALL),
        ({"name": "anything", "rate_mbps": 1.5}, CALL),
        ({"name": "game-up", "rate_mbps": 0.031}, GAME),
        ({"name": "Games", "rate_mbps": 0.1}, GAME),
        ({"name": "gamelan", "rate_mbps": 0.1}, CALL),
        ({"name": "game", "adaptive_video": {"frames_hz": 30.0}}, VIDEO_CALL),
        ({"name": "flood", "rate_mbps": 2.1}, None),
        ({"name": "ping", "rate_mbps": 0.01}, None),
        ({"name": "stream", "video": {"frames_hz": 25.0}}, None),
    ],
)
def test_what_a_group_is_follows_from_its_keys(group: dict[str, object], kind: Kind | None) -> None:
    assert kind_of(group) is kind


def test_limits_rise_or_fall_as_one() -> None:
    def falls(criterion: Criterion) -> bool:
        return criterion.best > criterion.limits[0] >= criterion.limits[1] >= criterion.limits[2]

    for kind in (CALL, GAME, VIDEO_CALL):
        for criterion in kind.criteria:
            rising = criterion.best < criterion.limits[0] <= criterion.limits[1] <= criterion.limits[2]
            assert rising != falls(criterion)
            assert criterion.greater_is_better == falls(criterion)
