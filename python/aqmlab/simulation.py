"""A simulation that is taken step by step, for agents at a queue and for teachers."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from aqmlab import _core, arguments
from aqmlab._core import GroupObservation, LinkObservation, Observation
from aqmlab.errors import RefusalError, ScenarioError
from aqmlab.result import Result
from aqmlab.scenario import Scenario, ScenarioLike
from aqmlab.seeds import seed_of
from aqmlab.terminal.spelling import closest, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["GroupObservation", "LinkObservation", "Observation", "Simulation"]


class Simulation:
    """A simulation that is taken step by step, observed and acted on.

    Steps and observations change nothing: without an action, `finish` returns the result of `aqmlab.run`,
    byte for byte. Steps go by the clock: a scenario with `cool_down_s` gets `record.cool_down = true`, as a
    run else ends once nothing that is measured can change. The simulated time stops between steps; it does
    not matter how long an agent thinks.

    Args:
        scenario: A `Scenario`, the path of a TOML file, TOML text or a dict.
        seed: Seed of all random streams, from 0 to 2⁶⁴ − 1.
        overrides: Dotted keys with the values that replace the scenario's.

    Raises:
        ScenarioError: The scenario is invalid; the message names the place and the legal values.
    """

    @arguments.checked(ScenarioError)
    def __init__(
        self, scenario: ScenarioLike, *, seed: int = 1, overrides: Mapping[str, object] | None = None
    ) -> None:
        seed = seed_of(seed)
        given = Scenario.of(scenario, overrides=overrides)
        by_the_clock = {"record.cool_down": True} if given.resolved["cool_down_s"] > 0.0 else {}
        self._scenario = given.with_overrides(by_the_clock)
        self._seed = seed
        self._core = _core.Simulation(self._scenario.core, seed)
        self._actions: list[dict[str, Any]] = []
        self._result: Result | None = None

    @property
    def scenario(self) -> Scenario:
        """The scenario."""
        return self._scenario

    @property
    def seed(self) -> int:
        """The seed of all its random streams."""
        return self._seed

    @property
    def time_s(self) -> float:
        """Simulated time, in seconds."""
        return self.duration_s if self._result is not None else self._core.time_s

    @property
    def duration_s(self) -> float:
        """Total simulated time, in seconds."""
        return self._scenario.duration_s

    def advance_until(self, time_s: float) -> None:
        """Simulates up to an instant, everything that happens at that instant included.

        Args:
            time_s: Simulated time in seconds, not before `time_s`; a time after the end is the end.

        Raises:
            RefusalError: The time has passed, or is not a number.
            RunError: The simulator or a user's scheme failed, or the simulation is over.
            KeyboardInterrupt: Ctrl-C; the simulation can continue.
        """
        if not isinstance(time_s, int | float) or math.isnan(time_s) or time_s < self.time_s:
            legal = f"a number of seconds, at least {self.time_s:g} (now)"
            raise RefusalError(
                f"time_s: {legal}, not {quoted(time_s)}", place="time_s", value=time_s, legal=legal
            )
        self._core.advance_until(min(float(time_s), self.duration_s))

    def observe(self) -> Observation:
        """Each monitored link and group of traffic now, and what happened there since the last observation.

        Raises:
            RunError: A user's scheme failed, or the simulation is over.
        """
        return self._core.observe()

    def act(self, link: str, *, rate_mbps: float | None = None, **parameters: object) -> None:
        """Changes a monitored link from now on.

        The packet on the link is sent at the rate with which it began. Packets beyond a lower limit stay;
        arrivals are dropped until there is room. The scheme keeps its state, and the settings that it has
        derived from the link's rate at the start.

        Args:
            link: Name of the link, as in `observe().links`.
            rate_mbps: New rate in Mbit/s, from 0.001 to 1,000,000; a link with a rate trace or a medium has
                none to set.
            parameters: New values of parameters of the queue's scheme, by their scenario keys, such as
                `limit_packets=30`. The error for another key lists those that can change during a run.

        Raises:
            ScenarioError: There is no such link, or a value is refused; nothing has changed. The refused
                parameter is the `place`.
            RunError: A user's scheme failed, or the simulation is over.
        """
        values = json.dumps({key: _plain(link, key, value) for key, value in parameters.items()})
        changed = parameters if rate_mbps is None else {"rate_mbps": rate_mbps, **parameters}
        floats = {key: value for key, value in parameters.items() if isinstance(value, float)}
        refused = self._core.act(link, rate_mbps, values, floats)
        if refused is not None:
            raise _refusal(refused, link, changed)
        if changed:
            self._actions.append({"time_s": self.time_s, "link": link, **changed})

    @arguments.checked(
        ScenarioError,
        group=arguments.text,
        window_segments=arguments.optional(arguments.whole(2, 1_000_000)),
        bit_rate_mbps=arguments.optional(arguments.above_zero),
    )
    def steer(
        self, group: str, *, window_segments: int | None = None, bit_rate_mbps: float | None = None
    ) -> None:
        """Changes the senders of a group of traffic from now on.

        Args:
            group: Name of the group, as in `observe().groups`.
            window_segments: Congestion window in segments, from 2 to 1,000,000, of each flow that is open;
                of flows with `host = { congestion = "agent" }`. What a larger window admits leaves with the
                next acknowledgement.
            bit_rate_mbps: Bit rate of each call with `adaptive_video`, in Mbit/s of IP packets, from its
                `minimum_mbps` to its `maximum_mbps`; from the next frame on, instead of that of its own
                congestion control.

        Raises:
            ScenarioError: There is no such group, it has no such thing to set, or a value is refused;
                nothing has changed.
            RunError: The simulation is over.
        """
        given = {"window_segments": window_segments, "bit_rate_mbps": bit_rate_mbps}
        changed = {key: value for key, value in given.items() if value is not None}
        refused = self._core.steer(group, window_segments, bit_rate_mbps)
        if refused is not None:
            raise _refusal(refused, group, changed, "group of traffic")
        if changed:
            self._actions.append({"time_s": self.time_s, "group": group, **changed})

    def copy(self) -> Simulation:
        """A simulation that goes on from this instant by itself: nothing done to one is done to the other.

        Without further actions both finish with the same result, byte for byte. A user's queue discipline
        in Python is copied by `copy.deepcopy`, one in C with its block of state.

        Raises:
            RunError: A user's queue discipline cannot be copied, or the simulation is over.
        """
        copied = object.__new__(type(self))
        vars(copied).update(vars(self), _core=self._core.copy(), _actions=list(self._actions))
        return copied

    __copy__ = copy

    def __deepcopy__(self, memo: object) -> Simulation:
        """The same: nothing of a simulation is shared."""
        return self.copy()

    def finish(self) -> Result:
        """Simulates what is left and returns the result.

        The result of a simulation with actions lists them in `run["actions"]`, warns about them, and has a
        content address of its own.

        Raises:
            RunError: The simulator or a user's scheme failed.
            KeyboardInterrupt: Ctrl-C; the simulation can continue.
        """
        if self._result is None:
            address = self._scenario.content_address(self._seed)
            result = Result.from_core(self._core.finish(), content_address=address)
            self._result = result.with_actions(self._actions) if self._actions else result
        return self._result

    def __repr__(self) -> str:
        return f"Simulation({self._scenario.name!r}, seed {self._seed}, {self.time_s:g} s)"


def _plain(link: str, key: str, value: object) -> object:
    """A value that JSON can hold."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ScenarioError(f"{link}: {key}: {error}", place=key, value=value) from None
    return value


def _refusal(
    refused: _core.RefusedAction, name: str, given: Mapping[str, object], kind: str = "monitored link"
) -> ScenarioError:
    if refused.key is None:
        return ScenarioError.not_among(kind, name, refused.names)
    value = refused.key if refused.names else given.get(refused.key)
    nearest = closest(refused.key, refused.names)
    return ScenarioError(
        refused.message, place=refused.key, value=value, legal=refused.legal, nearest=nearest
    )
