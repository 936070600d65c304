"""Senders as environments: windows and bit rates that an agent sets, and what it sees of them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

import aqmlab  # noqa: E402
from aqmlab.environments import CongestionEnvironment, VideoEnvironment, power, shown_without_delay  # noqa: E402
from aqmlab.errors import RefusalError, ScenarioError  # noqa: E402

LINK = "left-to-right"
FLOWS = """
name = "an agent sends"
duration_s = 6.0
warm_up_s = 1.0

[dumbbell]
rate_mbps = 12.0
queue = { scheme = "drop-tail", limit_packets = 100 }

[[flows]]
name = "own"
count = 1
direction = "left-to-right"
base_rtt_ms = 50.0
profile = "linux6-cubic"
host = { congestion = "agent" }
"""
CALL = """
name = "an agent's call"
duration_s = 8.0
warm_up_s = 2.0

[dumbbell]
rate_mbps = 2.0
queue = { scheme = "drop-tail", limit_packets = 50 }

[[datagrams]]
name = "call"
count = 1
direction = "left-to-right"
packet_bytes = 1200
adaptive_video = { minimum_mbps = 0.2, maximum_mbps = 4.0, start_mbps = 1.0, variation = 0.0 }
"""


def congestion(**given: Any) -> CongestionEnvironment:  # noqa: ANN401
    return CongestionEnvironment(FLOWS, **{"group": "own", "window_segments": (2, 400), **given})


def video(**given: Any) -> VideoEnvironment:  # noqa: ANN401
    return VideoEnvironment(CALL, **{"group": "call", "bit_rate_mbps": (0.2, 4.0), **given})


@pytest.mark.parametrize("make", [congestion, video])
def test_they_keep_the_rules_of_gymnasium(make: Any) -> None:  # noqa: ANN401
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # advice on ranges: that of a window is its own
        check_env(make(), skip_render_check=True)


def test_a_window_that_the_path_holds_arrives_once_per_round_trip() -> None:
    """12 Mbit/s and 50 ms hold 50 packets of 1,500 bytes: a window of 20 sends 20 of 1,448 bytes in each
    50 ms and what a packet needs itself, and nothing waits."""
    env = congestion(step_s=1.0)
    env.reset(options={"seed": 1})
    for _ in range(2):
        seen, *_ = env.step(np.array([20.0]))
    found = dict(zip(env.names, seen, strict=True))
    assert found["own.mean_round_trip_s"] == pytest.approx(0.051, abs=0.002)
    assert found["own.delivered_mbps"] == pytest.approx(20 * 1448 * 8e-6 / 0.051, rel=0.05)
    assert found["own.mean_window_bytes"] == 20 * 1448
    assert found["own.retransmitted_segments"] == 0
    assert found[f"{LINK}.queueing_delay_s"] < 0.02


def test_a_window_stays_when_packets_are_lost() -> None:
    """A window of 300 fills the path (50), the buffer (100), and loses the rest again and again."""
    at_once = {"flows.0.host": {"congestion": "agent", "proportional_rate_reduction": False}}
    env = congestion(step_s=1.0, overrides=at_once)
    env.reset(options={"seed": 1})
    lost = 0.0
    for _ in range(3):
        seen, *_ = env.step(np.array([300.0]))
        found = dict(zip(env.names, seen, strict=True))
        lost += found["own.retransmitted_segments"]
    assert lost > 100
    assert found["own.mean_window_bytes"] == 300 * 1448
    result = env.result()
    assert [action["window_segments"] for action in result.actions] == [300] * 3
    assert {action["group"] for action in result.actions} == {"own"}
    assert "own" in result.warnings[-1]


def test_frames_are_as_long_as_the_rate_that_is_set() -> None:
    env = video(step_s=0.5)
    _, facts = env.reset(options={"seed": 1})
    set_from_s = facts["time_s"]
    seen, reward, *_ = env.step(np.array([0.6]))
    found = dict(zip(env.names, seen, strict=True))
    assert found["call.delivered_mbps"] == pytest.approx(0.6, rel=0.15)
    assert found["call.frames_shown"] == pytest.approx(15, abs=1)
    assert (found["call.frames_skipped"], found["call.lost_datagrams"]) == (0, 0)
    assert 0.0 < found["call.mean_frame_delay_s"] < 0.05
    assert reward == pytest.approx(shown_without_delay(env.observed, "call"))
    # Twice what the line carries, until its queue is full and frames come late.
    for _ in range(6):
        seen, reward, *_ = env.step(np.array([4.0]))
    assert reward < 0.0
    frames = env.result().tables["video_call_frames"].to_pandas()
    own = frames[(frames.captured_s > set_from_s + 0.04) & (frames.captured_s < set_from_s + 0.49)]
    assert len(own) > 10
    assert set(own.target_mbps.round(9)) == {0.6}


@pytest.mark.parametrize(("make", "actions"), [(congestion, (8.0, 90.0)), (video, (0.3, 1.8))])
def test_an_episode_goes_back_and_seeds_repeat(make: Any, actions: tuple[float, float]) -> None:  # noqa: ANN401
    env, low, high = make(), *actions
    env.reset(options={"seed": 3})
    env.step(np.array([low]))
    here = env.state()

    def ahead(value: float) -> list[tuple[Any, ...]]:
        env.rewind(here)
        steps = (env.step(np.array([value])) for _ in range(8))
        return [(seen.tobytes(), reward) for seen, reward, *_ in steps]

    first, other, again = ahead(low), ahead(high), ahead(low)
    assert first == again
    assert first != other
    straight = make()
    straight.reset(options={"seed": 3})
    straight.step(np.array([low]))
    steps = (straight.step(np.array([low])) for _ in range(8))
    assert first == [(seen.tobytes(), reward) for seen, reward, *_ in steps]


@pytest.mark.parametrize("make", [congestion, video])
def test_several_at_once_see_what_each_sees_alone(make: Any) -> None:  # noqa: ANN401
    several = gymnasium.vector.SyncVectorEnv([make, make])
    several.reset(seed=[1, 2])
    seen, reward, *_ = several.step(np.array([[2.5], [3.5]], dtype=np.float32))
    for place, (seed, value) in enumerate([(1, 2.5), (2, 3.5)]):
        alone = make()
        alone.reset(seed=seed)
        expected, earned, *_ = alone.step(np.array([value], dtype=np.float32))
        assert seen[place].tobytes() == expected.tobytes()
        assert reward[place] == earned
    several.close()


def test_power_is_what_arrives_over_the_round_trip() -> None:
    env = congestion()
    env.reset(options={"seed": 1})
    _, reward, *_ = env.step(np.array([30.0]))
    own = env.observed.groups["own"]
    assert own.mean_round_trip_s is not None
    assert reward == power(env.observed, "own")
    assert reward == pytest.approx(own.delivered_bytes * 8e-6 / 0.1 / own.mean_round_trip_s)


def test_nobody_steers_without_a_trace() -> None:
    """A step that sets what is set already leaves the tables of the run."""
    alone = aqmlab.Simulation(FLOWS, seed=2)
    alone.advance_until(0.5)
    alone.steer("own", window_segments=24)
    again = alone.copy()
    for time_s in (1.0, 2.5, 4.0):
        again.advance_until(time_s)
        again.steer("own", window_segments=24)
    one, other = alone.finish(), again.finish()
    assert len(other.actions) == 4
    for name, table in one.tables.items():
        assert other.tables[name].equals(table), name


@pytest.mark.parametrize(
    ("make", "given", "said"),
    [
        (congestion, {"group": "other"}, 'no group of traffic is called "other"'),
        (congestion, {"window_segments": (1, 10)}, "window_segments: .* 2"),
        (congestion, {"overrides": {"flows.0.host": {}}}, "own: window_segments is for flows with host"),
        (video, {"bit_rate_mbps": (0.1, 1.0)}, "call: bit_rate_mbps is 0.1: it must be from 0.2 to 4 Mbit/s"),
        (video, {"group": "call-feedback"}, "call-feedback: bit_rate_mbps is for calls with adaptive_video"),
        (video, {"step_s": 0.0}, "step_s"),
    ],
)
def test_what_cannot_be_steered_is_refused_when_they_are_made(
    make: Any,  # noqa: ANN401
    given: dict[str, Any],
    said: str,
) -> None:
    with pytest.raises((RefusalError, ScenarioError), match=said):
        make(**given)
