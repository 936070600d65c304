"""Senders as environments: an agent sets the window of flows, or the bit rate of calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aqmlab import arguments
from aqmlab.environments.episodes import (
    Episodes,
    marked_and_dropped,
    power,
    received_mbps,
    shown_without_delay,
)
from aqmlab.errors import RefusalError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aqmlab.scenario import ScenarioLike
    from aqmlab.simulation import GroupObservation, Observation, Simulation

OF_FLOWS = ("delivered_mbps", "mean_round_trip_s", "mean_window_bytes", "retransmitted_segments")
"""What an agent sees of its group of flows, in this order; a round trip of 0 is none."""
OF_A_CALL = (
    "delivered_mbps", "lost_datagrams", "frames_shown", "frames_skipped", "mean_frame_delay_s",
)  # fmt: skip
"""What it sees of its group of calls; a delay of 0 where no frame was shown."""
OF_EACH_LINK = ("queueing_delay_s", "utilization", "marked_share", "dropped_share")
"""What it sees of each monitored link behind that."""
_KINDS: dict[str, arguments.Kind] = {
    "group": arguments.text,
    "step_s": arguments.above_zero,
    "start_s": arguments.optional(arguments.number),
    "overrides": arguments.optional(arguments.mapping),
}


class _Senders(Episodes):
    """An agent in place of what decides at the senders of one group."""

    _of_group: tuple[str, ...]

    def _act(self, simulation: Simulation, given: dict[str, Any]) -> None:
        simulation.steer(self._place, **given)

    def _names(self, seen: Observation) -> tuple[str, ...]:
        return (
            *(f"{self._place}.{name}" for name in self._of_group),
            *(f"{link}.{name}" for link in seen.links for name in OF_EACH_LINK),
        )

    def _numbers(self, seen: Observation) -> list[float]:
        of_links = (
            number
            for link in seen.links.values()
            for number in (link.queueing_delay_s, link.utilization, *marked_and_dropped(link))
        )
        group = seen.groups[self._place]
        return [received_mbps(group, seen), *self._numbers_of(group), *of_links]

    def _numbers_of(self, group: GroupObservation) -> tuple[float, ...]:
        raise NotImplementedError


class CongestionEnvironment(_Senders):
    """A scenario in which an agent is the congestion controller of a group of flows.

    The flows have `host = { congestion = "agent" }`: their window is what the agent sets, whatever is lost
    or marked; losses are found and repaired as by every Linux sender. A step sets the window, simulates
    `step_s`, and observes. An episode is a run, as of `QueueEnvironment`.

    Attributes:
        names: What each number of an observation is, such as `flows-0.mean_round_trip_s`.
        keys: `window_segments`, what the number of an action sets.
        observation_space: As many numbers from 0 on.
        action_space: The range of the window.

    Args:
        scenario: A scenario, the path of a TOML file, TOML text or a dict.
        group: The name of the group of flows.
        window_segments: The least and the largest window, in segments.
        step_s: Simulated time of a step, in seconds, above 0.
        start_s: Simulated time before the first observation, in seconds; by default the scenario's
            `warm_up_s`.
        reward: What a step is worth, from what was observed at its end and the name of the group; by default
            `power`.
        overrides: Dotted keys with the values that replace the scenario's.

    Raises:
        ScenarioError: The scenario or the group is refused; the message names the legal ones.
        RefusalError: A range or a time is refused.
    """

    _of_group = OF_FLOWS

    @arguments.checked(RefusalError, **_KINDS)
    def __init__(
        self,
        scenario: ScenarioLike,
        *,
        group: str,
        window_segments: tuple[int, int] = (2, 1000),
        step_s: float = 0.1,
        start_s: float | None = None,
        reward: Callable[[Observation, str], float] = power,
        overrides: Mapping[str, object] | None = None,
    ) -> None:
        self._begin(scenario, overrides, (step_s, start_s), (reward, group))
        self._take_actions({"window_segments": window_segments})

    def _numbers_of(self, group: GroupObservation) -> tuple[float, ...]:
        return (group.mean_round_trip_s or 0.0, group.mean_window_bytes or 0.0, group.retransmitted_segments)


class VideoEnvironment(_Senders):
    """A scenario in which an agent sets the bit rate of calls, in place of their congestion control.

    The calls are a group of datagrams with `adaptive_video`. A step sets the bit rate from the next frame on,
    simulates `step_s`, and observes. An episode is a run, as of `QueueEnvironment`.

    Attributes:
        names: What each number of an observation is, such as `call.mean_frame_delay_s`.
        keys: `bit_rate_mbps`, what the number of an action sets.
        observation_space: As many numbers from 0 on.
        action_space: The range of the bit rate.

    Args:
        scenario: A scenario, the path of a TOML file, TOML text or a dict.
        group: The name of the group of datagrams.
        bit_rate_mbps: The least and the largest bit rate, in Mbit/s of IP packets, within the call's
            `minimum_mbps` and `maximum_mbps`.
        step_s: Simulated time of a step, in seconds, above 0.
        start_s: Simulated time before the first observation, in seconds; by default the scenario's
            `warm_up_s`.
        reward: What a step is worth, from what was observed at its end and the name of the group; by default
            `shown_without_delay`.
        overrides: Dotted keys with the values that replace the scenario's.

    Raises:
        ScenarioError: The scenario, the group or the bit rate is refused; the message names the legal ones.
        RefusalError: A range or a time is refused.
    """

    _of_group = OF_A_CALL

    @arguments.checked(RefusalError, **_KINDS)
    def __init__(
        self,
        scenario: ScenarioLike,
        *,
        group: str,
        bit_rate_mbps: tuple[float, float],
        step_s: float = 0.1,
        start_s: float | None = None,
        reward: Callable[[Observation, str], float] = shown_without_delay,
        overrides: Mapping[str, object] | None = None,
    ) -> None:
        self._begin(scenario, overrides, (step_s, start_s), (reward, group))
        self._take_actions({"bit_rate_mbps": bit_rate_mbps})

    def _numbers_of(self, group: GroupObservation) -> tuple[float, ...]:
        return (group.failed, group.frames_shown, group.frames_skipped, group.mean_frame_delay_s or 0.0)
