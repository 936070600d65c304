"""A queue as an environment: an agent sets its parameters, and is paid for what it sees."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from aqmlab import arguments
from aqmlab.environments.episodes import (
    Episodes,
    marked_and_dropped,
    mbps,
    received_mbps,
    utilization_without_delay,
)
from aqmlab.errors import RefusalError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aqmlab.scenario import ScenarioLike
    from aqmlab.simulation import Observation, Simulation

OF_A_LINK = (
    "queueing_delay_s", "mean_backlog_packets", "utilization", "arrived_mbps", "marked_share",
    "dropped_share", "signal_probability",
)  # fmt: skip
"""What an agent sees of a link, in this order."""
OF_A_GROUP = ("delivered_mbps", "mean_response_time_s")
"""What it sees of a population or group of traffic behind that."""


class QueueEnvironment(Episodes):
    """A scenario in which an agent sets parameters of the queue of one link.

    A step acts, simulates `step_s`, and observes. An episode is a run: it is truncated at the end of the
    scenario, and `result()` is that run's. The same seed and the same actions make the same episode.

    Attributes:
        names: What each number of an observation is, such as `left-to-right.queueing_delay_s`.
        keys: The parameter that each number of an action sets.
        observation_space: As many numbers from 0 on.
        action_space: The ranges of the parameters.

    Args:
        scenario: A scenario, the path of a TOML file, TOML text or a dict.
        link: The monitored link whose queue is set.
        actions: The parameters, by their scenario keys (`rate_mbps` is the link's rate), with the least and
            the largest value of each. `Simulation.act` says which may change. Whole numbers are rounded.
        step_s: Simulated time of a step, in seconds, above 0. None: a step ends when a timer of the queue's
            scheme is due, such as PIE's update.
        start_s: Simulated time before the first observation, in seconds; by default the scenario's
            `warm_up_s`.
        reward: What a step is worth, from what was observed at its end and the name of the link; by default
            `utilization_without_delay`.
        overrides: Dotted keys with the values that replace the scenario's.

    Raises:
        ScenarioError: The scenario, the link or a parameter is refused; the message names the legal ones.
        RefusalError: A range or a time is refused.
    """

    @arguments.checked(
        RefusalError,
        link=arguments.text,
        actions=arguments.mapping,
        step_s=arguments.optional(arguments.above_zero),
        start_s=arguments.optional(arguments.number),
        overrides=arguments.optional(arguments.mapping),
    )
    def __init__(
        self,
        scenario: ScenarioLike,
        *,
        link: str,
        actions: Mapping[str, Sequence[float]],
        step_s: float | None = 0.1,
        start_s: float | None = None,
        reward: Callable[[Observation, str], float] = utilization_without_delay,
        overrides: Mapping[str, object] | None = None,
    ) -> None:
        self._link = link
        self._begin(scenario, overrides, (step_s, start_s), (reward, link))
        seen = self._take_actions(actions)
        if step_s is None and seen.links[link].next_timer_s is None:
            legal = "a number of seconds above 0: this queue has no timer"
            raise RefusalError(f"step_s: {legal}, not None", place="step_s", legal=legal)

    def rewind(self, state: Simulation) -> None:
        """Goes back, or on, to where the episode was; the same state can be gone back to again.

        `observed` is what it was there, and the next observation counts from that one.

        Raises:
            RefusalError: It is no state of an episode of this scenario; nothing has changed.
        """
        super().rewind(state)
        if self._step_s is None:
            # Looked at in a copy: a look begins the counts of the next observation.
            self._due_s = state.copy().observe().links[self._link].next_timer_s

    def _end_of_step_s(self, simulation: Simulation) -> float:
        if self._step_s is not None:
            return super()._end_of_step_s(simulation)
        return math.inf if self._due_s is None else self._due_s

    def _act(self, simulation: Simulation, given: dict[str, Any]) -> None:
        simulation.act(self._link, **given)

    def _names(self, seen: Observation) -> tuple[str, ...]:
        return (
            *(f"{self._link}.{name}" for name in OF_A_LINK),
            *(f"{group}.{name}" for group in seen.groups for name in OF_A_GROUP),
        )

    def _numbers(self, seen: Observation) -> list[float]:
        link = seen.links[self._link]
        self._due_s = link.next_timer_s
        of_link = (
            link.queueing_delay_s,
            link.mean_backlog_packets,
            link.utilization,
            mbps(link.arrived_bytes, seen),
            *marked_and_dropped(link),
            link.signal_probability,
        )
        of_groups = (
            number
            for group in seen.groups.values()
            for number in (received_mbps(group, seen), group.mean_response_time_s or 0.0)
        )
        return [*of_link, *of_groups]
