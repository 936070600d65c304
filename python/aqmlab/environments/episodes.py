"""What the environments share: an episode is a run, taken step by step, and may go back."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, cast

import gymnasium
import numpy as np

from aqmlab.errors import RefusalError
from aqmlab.scenario import Scenario
from aqmlab.seeds import seed_of
from aqmlab.simulation import Simulation
from aqmlab.terminal.spelling import counted, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aqmlab.result import Result
    from aqmlab.scenario import ScenarioLike
    from aqmlab.simulation import GroupObservation, LinkObservation, Observation

_RESPONSIVE_S = 0.1


def utilization_without_delay(observation: Observation, link: str) -> float:
    """The share of the time in which the link sends, less its queueing delay in tenths of a second."""
    found = observation.links[link]
    return found.utilization - found.queueing_delay_s / _RESPONSIVE_S


def power(observation: Observation, group: str) -> float:
    """What a group of flows received, in Mbit/s, over its round trip in seconds; 0 before the first.

    Source: L. Kleinrock, "Power and deterministic rules of thumb for probabilistic problems in computer
    communications", ICC 1979.
    """
    found = observation.groups[group]
    round_trip_s = found.mean_round_trip_s
    return received_mbps(found, observation) / round_trip_s if round_trip_s else 0.0


def shown_without_delay(observation: Observation, group: str) -> float:
    """What a call received, in Mbit/s, less the delay of its frames in tenths of a second.

    Where no frame was shown the picture stood still: the delay is the time since the last observation.
    """
    found = observation.groups[group]
    since_s = observation.time_s - observation.since_s
    delay_s = since_s if found.mean_frame_delay_s is None else found.mean_frame_delay_s
    return received_mbps(found, observation) - delay_s / _RESPONSIVE_S


def received_mbps(group: GroupObservation, observation: Observation) -> float:
    """What a group received since the last observation, in Mbit/s."""
    return mbps(group.delivered_bytes, observation)


def mbps(sent_bytes: int, observation: Observation) -> float:
    """So many bytes since the last observation, in Mbit/s; 0 where no time has passed."""
    since_s = observation.time_s - observation.since_s
    return sent_bytes * 8.0 / since_s / 1e6 if since_s > 0.0 else 0.0


def marked_and_dropped(link: LinkObservation) -> tuple[float, float]:
    """The shares of what came to a queue that were marked and dropped."""
    arrived = link.arrived_packets
    return (link.marked_packets / arrived, link.dropped_packets / arrived) if arrived else (0.0, 0.0)


class Episodes(gymnasium.Env[np.ndarray[Any, Any], np.ndarray[Any, Any]]):  # type: ignore[misc]
    """What `QueueEnvironment`, `CongestionEnvironment` and `VideoEnvironment` share.

    A step acts, simulates and observes. An episode is a run: it is truncated at the end of the scenario,
    and `result()` is that run's. The same seed and the same actions make the same episode.

    Attributes:
        names: What each number of an observation is.
        keys: What each number of an action sets.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (as Gymnasium has it)
    names: tuple[str, ...]
    keys: tuple[str, ...]

    def _begin(
        self,
        scenario: ScenarioLike,
        overrides: Mapping[str, object] | None,
        times_s: tuple[float | None, float | None],
        reward: tuple[Callable[[Observation, str], float], str],
    ) -> None:
        """Takes the scenario, the length of a step with the beginning, and the reward with its place."""
        self._scenario = Scenario.of(scenario, overrides=overrides)
        self._simulation: Simulation | None = None
        self._observed: Observation | None = None
        self._step_s, start_s = times_s
        self._reward, self._place = reward
        self._start_s = float(self._scenario.resolved["warm_up_s"]) if start_s is None else start_s
        if not 0.0 <= self._start_s < self._scenario.duration_s:
            legal = f"from 0 to below {self._scenario.duration_s:g} (the scenario's duration)"
            raise RefusalError(f"start_s: {legal}, not {self._start_s:g}", place="start_s", legal=legal)

    def _take_actions(self, actions: Mapping[str, Sequence[float]]) -> Observation:
        """Tries both ends of each range, and sets the spaces: what is refused is told before an episode.

        Returns what is seen before anything happens.
        """
        ranges = {key: _range(key, ends) for key, ends in actions.items()}
        if not ranges:
            raise RefusalError("actions: one parameter or more, with its range", place="actions")
        self.keys = tuple(ranges)
        self._whole = [all(map(_is_whole, actions[key])) for key in self.keys]
        tried = Simulation(self._scenario, seed=1)
        for ends in zip(*ranges.values(), strict=True):
            self._act(tried, self._given(np.array(ends)))
        simulation = Simulation(self._scenario, seed=1)
        self._scenario, seen = simulation.scenario, simulation.observe()
        self.names = self._names(seen)
        low, high = (np.array(ends, dtype=np.float32) for ends in zip(*ranges.values(), strict=True))
        self.action_space = gymnasium.spaces.Box(low, high, dtype=np.float32)
        self.observation_space = gymnasium.spaces.Box(0.0, np.inf, (len(self.names),), dtype=np.float32)
        return seen

    @abstractmethod
    def _act(self, simulation: Simulation, given: dict[str, Any]) -> None:
        """Sets these values."""

    @abstractmethod
    def _names(self, seen: Observation) -> tuple[str, ...]:
        """What the numbers of an observation are."""

    @abstractmethod
    def _numbers(self, seen: Observation) -> list[float]:
        """The numbers of an observation."""

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
        self._simulation = simulation = Simulation(self._scenario, seed=own)
        simulation.advance_until(self._start_s)
        self._observed = simulation.observe()
        return self._seen(self._observed), _facts(simulation)

    def step(
        self, action: np.ndarray[Any, Any]
    ) -> tuple[np.ndarray[Any, Any], float, bool, bool, dict[str, Any]]:
        """Acts, simulates a step and observes.

        Returns:
            The observation, the reward, never whether it ended by itself, whether the scenario is over, and
            `seed` and `time_s`.

        Raises:
            RefusalError: There is no episode, or it is over: `reset` comes first. Or the action is not a
                finite number for each of `keys`: nothing has changed then. Or the reward is no finite number.
        """
        simulation = self._going_on("step")
        if simulation.time_s >= simulation.duration_s:
            raise _no_episode("step")
        self._act(simulation, self._given(self._within_ranges(action)))
        simulation.advance_until(self._end_of_step_s(simulation))
        self._observed = simulation.observe()
        seen, over = self._seen(self._observed), simulation.time_s >= simulation.duration_s
        return seen, self._paid(self._observed), False, over, _facts(simulation)

    def _paid(self, observed: Observation) -> float:
        """The reward of a step: nothing that is no number gets into what is learnt."""
        reward = self._reward(observed, self._place)
        try:
            number = float(reward)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise RefusalError(f"reward: a finite number, not {quoted(reward)}", place="reward", value=reward)
        return number

    @property
    def observed(self) -> Observation:
        """The last observation, with everything that `Simulation.observe` has.

        Raises:
            RefusalError: There is none: `reset` comes first.
        """
        if self._observed is None:
            raise _no_episode("observed")
        return self._observed

    def state(self) -> Simulation:
        """The episode as it stands, for `rewind`; later steps do not change it.

        Raises:
            RefusalError: There is no episode: `reset` comes first.
            RunError: `result` has ended it.
        """
        return _State.of(self._going_on("state"), self.observed)

    def rewind(self, state: Simulation) -> None:
        """Goes back, or on, to where the episode was; the same state can be gone back to again.

        `observed` is what it was there, and the next observation counts from that one.

        Raises:
            RefusalError: It is no state of an episode of this scenario; nothing has changed.
        """
        is_one = isinstance(state, Simulation)
        if not is_one or state.scenario != self._scenario:
            legal = "what state() has returned, of the same scenario"
            given = f"a simulation of {quoted(state.scenario.name)}" if is_one else quoted(state)
            raise RefusalError(f"state: {legal}, not {given}", place="state", value=state, legal=legal)
        # Looked at in a copy: a look begins the counts of the next observation.
        self._observed = state.observed if isinstance(state, _State) else state.copy().observe()
        self._simulation = state.copy()

    def result(self) -> Result:
        """What is left of the scenario is simulated; the result of the run, with the actions in it.

        Raises:
            RefusalError: There is no episode: `reset` comes first.
        """
        return self._going_on("result").finish()

    def _going_on(self, asked: str) -> Simulation:
        if self._simulation is None:
            raise _no_episode(asked)
        return self._simulation

    def _within_ranges(self, action: object) -> np.ndarray[Any, Any]:
        """The numbers of an action; one beyond its range is the end of the range."""
        try:
            values = np.asarray(action, dtype=float)
        except (TypeError, ValueError):
            values = np.array(math.nan)
        if values.shape != self.action_space.shape or not np.isfinite(values).all():
            legal = f"{counted(len(self.keys), 'finite number')} ({', '.join(self.keys)})"
            raise RefusalError(
                f"action: {legal}, not {quoted(action)}", place="action", value=action, legal=legal
            )
        clipped: np.ndarray[Any, Any] = np.clip(values, self.action_space.low, self.action_space.high)
        return clipped

    def _end_of_step_s(self, simulation: Simulation) -> float:
        return math.inf if self._step_s is None else simulation.time_s + self._step_s

    def _given(self, values: np.ndarray[Any, Any]) -> dict[str, Any]:
        each = zip(self.keys, values, self._whole, strict=True)
        return {key: round(float(value)) if whole else float(value) for key, value, whole in each}

    def _seen(self, observed: Observation) -> np.ndarray[Any, Any]:
        return np.array(self._numbers(observed), dtype=np.float32)


class _State(Simulation):
    """An episode as it stands, with the last observation of it."""

    observed: Observation

    @classmethod
    def of(cls, simulation: Simulation, observed: Observation) -> _State:
        """A copy of a simulation, and what was observed of it last."""
        state = object.__new__(cls)
        vars(state).update(vars(simulation.copy()), observed=observed)
        return state


def _facts(simulation: Simulation) -> dict[str, Any]:
    return {"seed": simulation.seed, "time_s": simulation.time_s}


def _no_episode(asked: str) -> RefusalError:
    legal = "reset() first"
    return RefusalError(f"{asked}: no episode goes on; legal: {legal}", place=asked, legal=legal)


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
