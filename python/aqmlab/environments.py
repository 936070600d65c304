"""A queue as an environment of Gymnasium: an agent sets its parameters, and is paid for what it sees.

Needs the package gymnasium (`aqmlab[agents]`). An episode can be rewound: the simulation is copied
whole, packets under way included.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from aqmlab import arguments
from aqmlab.errors import RefusalError
from aqmlab.scenario import Scenario
from aqmlab.seeds import seed_of
from aqmlab.simulation import Simulation
from aqmlab.terminal.spelling import quoted

try:
    import gymnasium
except ImportError as missing:
    raise RefusalError(
        f"aqmlab.environments needs the package gymnasium, from PyPI ({missing}): pip install gymnasium, "
        "or pip install '.[agents]' in the source folder"
    ) from None

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aqmlab.result import Result
    from aqmlab.scenario import ScenarioLike
    from aqmlab.simulation import GroupObservation, LinkObservation, Observation

OF_A_LINK = (
    "queueing_delay_s", "mean_backlog_packets", "utilization", "arrived_mbps", "marked_share",
    "dropped_share", "signal_probability",
)  # fmt: skip
"""What an agent sees of a link, in this order."""
OF_A_GROUP = ("delivered_mbps", "mean_response_time_s")
"""What it sees of a population or group of traffic behind that."""
_RESPONSIVE_S = 0.1


def utilization_without_delay(observation: Observation, link: str) -> float:
    """The share of the time in which the link sends, less its queueing delay in tenths of a second."""
    found = observation.links[link]
    return found.utilization - found.queueing_delay_s / _RESPONSIVE_S


class QueueEnvironment(gymnasium.Env[np.ndarray[Any, Any], np.ndarray[Any, Any]]):  # type: ignore[misc]
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
        step_s: Simulated time of a step, in seconds, above 0.
        start_s: Simulated time before the first observation, in seconds; by default the scenario's
            `warm_up_s`.
        reward: What a step is worth, from what was observed at its end and the name of the link; by default
            `utilization_without_delay`.
        overrides: Dotted keys with the values that replace the scenario's.

    Raises:
        ScenarioError: The scenario, the link or a parameter is refused; the message names the legal ones.
        RefusalError: A range or a time is refused.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (as Gymnasium has it)

    @arguments.checked(
        RefusalError,
        link=arguments.text,
        actions=arguments.mapping,
        step_s=arguments.above_zero,
        start_s=arguments.optional(arguments.number),
        overrides=arguments.optional(arguments.mapping),
    )
    def __init__(
        self,
        scenario: ScenarioLike,
        *,
        link: str,
        actions: Mapping[str, Sequence[float]],
        step_s: float = 0.1,
        start_s: float | None = None,
        reward: Callable[[Observation, str], float] = utilization_without_delay,
        overrides: Mapping[str, object] | None = None,
    ) -> None:
        self._scenario = Scenario.of(scenario, overrides=overrides)
        self._link, self._step_s, self._reward = link, step_s, reward
        self._start_s = float(self._scenario.resolved["warm_up_s"]) if start_s is None else start_s
        if not 0.0 <= self._start_s < self._scenario.duration_s:
            legal = f"from 0 to below {self._scenario.duration_s:g} (the scenario's duration)"
            raise RefusalError(f"start_s: {legal}, not {self._start_s:g}", place="start_s", legal=legal)
        ranges = {key: _range(key, ends) for key, ends in actions.items()}
        if not ranges:
            raise RefusalError("actions: one parameter or more, with its range", place="actions")
        self.keys = tuple(ranges)
        self._whole = [all(map(_is_whole, actions[key])) for key in self.keys]
        self._simulation = self._tried(ranges)
        seen = self._simulation.observe()
        self.names = (
            *(f"{link}.{name}" for name in OF_A_LINK),
            *(f"{group}.{name}" for group in seen.groups for name in OF_A_GROUP),
        )
        self._observed = seen
        low, high = (np.array(ends, dtype=np.float32) for ends in zip(*ranges.values(), strict=True))
        self.action_space = gymnasium.spaces.Box(low, high, dtype=np.float32)
        self.observation_space = gymnasium.spaces.Box(0.0, np.inf, (len(self.names),), dtype=np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray[Any, Any], dict[str, Any]]:
        """Begins an episode.

        Args:
            seed: Of the generator that the seeds of this and later episodes are drawn from, as Gymnasium has
                it.
            options: `{"seed": N}` is the seed of the episode's run itself, as `aqmlab.run` takes it.

        Returns:
            The observation at `start_s`, and `seed` and `time_s` of the run.
        """
        super().reset(seed=seed)
        chosen = (options or {}).get("seed")
        own = int(self.np_random.integers(2**63)) if chosen is None else seed_of(chosen)
        self._simulation = Simulation(self._scenario, seed=own)
        self._seed = own
        self._simulation.advance_until(self._start_s)
        return self._observe(), self._facts()

    def step(
        self, action: np.ndarray[Any, Any]
    ) -> tuple[np.ndarray[Any, Any], float, bool, bool, dict[str, Any]]:
        """Sets the parameters, simulates a step and observes.

        Returns:
            The observation, the reward, never whether it ended by itself, whether the scenario is over, and
            `seed` and `time_s`.
        """
        values = np.clip(np.asarray(action, dtype=float), self.action_space.low, self.action_space.high)
        self._act(self._simulation, values)
        now_s = self._simulation.time_s
        self._simulation.advance_until(now_s + self._step_s)
        observation = self._observe()
        over = self._simulation.time_s >= self._simulation.duration_s
        return observation, float(self._reward(self._observed, self._link)), False, over, self._facts()

    @property
    def observed(self) -> Observation:
        """The last observation, with everything that `Simulation.observe` has."""
        return self._observed

    def state(self) -> Simulation:
        """The episode as it stands, for `rewind`; later steps do not change it."""
        return self._simulation.copy()

    def rewind(self, state: Simulation) -> None:
        """Goes back, or on, to where the episode was; the same state can be gone back to again.

        The next observation counts from the last one before `state()`.
        """
        self._simulation = state.copy()

    def result(self) -> Result:
        """What is left of the scenario is simulated; the result of the run, with the actions in it."""
        return self._simulation.finish()

    def _tried(self, ranges: Mapping[str, tuple[float, float]]) -> Simulation:
        """A simulation that has taken both ends of each range: what it refuses is told before an episode."""
        simulation = Simulation(self._scenario, seed=1)
        for ends in zip(*ranges.values(), strict=True):
            self._act(simulation, np.array(ends))
        return Simulation(self._scenario, seed=1)

    def _act(self, simulation: Simulation, values: np.ndarray[Any, Any]) -> None:
        each = zip(self.keys, values, self._whole, strict=True)
        given = {key: round(float(value)) if whole else float(value) for key, value, whole in each}
        simulation.act(self._link, **cast("dict[str, Any]", given))

    def _observe(self) -> np.ndarray[Any, Any]:
        self._observed = seen = self._simulation.observe()
        since_s = seen.time_s - seen.since_s
        numbers = [
            *_of_link(seen.links[self._link], since_s),
            *(number for group in seen.groups.values() for number in _of_group(group, since_s)),
        ]
        return np.array(numbers, dtype=np.float32)

    def _facts(self) -> dict[str, Any]:
        return {"seed": self._seed, "time_s": self._simulation.time_s}


def _of_link(link: LinkObservation, since_s: float) -> tuple[float, ...]:
    arrived = link.arrived_packets
    return (
        link.queueing_delay_s,
        link.mean_backlog_packets,
        link.utilization,
        _mbps(link.arrived_bytes, since_s),
        link.marked_packets / arrived if arrived else 0.0,
        link.dropped_packets / arrived if arrived else 0.0,
        link.signal_probability,
    )


def _of_group(group: GroupObservation, since_s: float) -> tuple[float, float]:
    return _mbps(group.delivered_bytes, since_s), group.mean_response_time_s or 0.0


def _mbps(sent_bytes: int, since_s: float) -> float:
    return sent_bytes * 8.0 / since_s / 1e6 if since_s > 0.0 else 0.0


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _range(key: str, ends: object) -> tuple[float, float]:
    try:
        low, high = (float(end) for end in cast("Sequence[float]", ends))
    except (TypeError, ValueError):
        low, high = math.nan, math.nan
    if not -math.inf < low < high < math.inf:
        legal = "the least and the largest value, such as (0.01, 1.0)"
        raise RefusalError(f"actions: {key}: {legal}, not {quoted(ends)}", place=key, value=ends, legal=legal)
    return low, high
