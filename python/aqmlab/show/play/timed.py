"""A scenario that is played with, whatever can be turned of it: how long its runs are, and what they keep."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from aqmlab.load.demand import parts_of
from aqmlab.runs import Job
from aqmlab.runs.executors.active_runs import ActiveRuns

if TYPE_CHECKING:
    from aqmlab.result import Result
    from aqmlab.scenario import Scenario
    from aqmlab.show.play.knobs import Setting

Own = TypeVar("Own", bound="Setting")
"""What can be set."""

_PROBED_S = 5.0
"""Simulated seconds of the run that measures the cost of a second."""
_BUDGET_S = 0.6
"""Time that a run may take."""
_SHORTEST_S, _LONGEST_S = 10.0, 300.0
_WARM_UP_SHARE = 0.2
_COOL_DOWN_SHARE = 0.1
"""For pages that began in the measured window to end."""
_QUEUE_SAMPLES, _LINK_SAMPLES = 1_200, 150
_MEASURED_AS = ("throughput_layer", "response_end")
"""What of the scenario's record a run here keeps: what its numbers are of."""


class Played(ABC, Generic[Own]):
    """A scenario that is played with.

    Every setting is a checked scenario of its own, run from its beginning with the same users: nothing is
    carried over from the setting before but the seed.
    """

    def __init__(self, scenario: Scenario, simulated_s: float | None) -> None:
        self.scenario = scenario
        self.simulated_s = simulated_s or self._affordable_s()
        self.timed(scenario)

    @property
    @abstractmethod
    def start(self) -> Own:
        """The scenario as it is."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """What the page is told once: what can be turned, and where it stands."""

    @abstractmethod
    def read(self, sent: Any, place: str) -> Own:  # noqa: ANN401
        """A setting from what the page sent."""

    @abstractmethod
    def at(self, setting: Own) -> Scenario:
        """The scenario in a setting, of its own length."""

    @abstractmethod
    def drawn_link(self, setting: Own) -> str:
        """The link whose queue is drawn."""

    def waiting_links(self, scenario: Scenario) -> tuple[str, ...]:
        """The links whose waits are drawn where no call or game is; none where they are drawn anyway."""
        del scenario
        return ()

    @abstractmethod
    def about(self, setting: Own, scenario: Scenario, file: str) -> dict[str, Any]:
        """What stands on the page beside the numbers of a setting's run: parameters, commands, names."""

    @abstractmethod
    def names(self, before: Own, now: Own) -> tuple[str, str]:
        """What a comparison of two settings calls them."""

    def length_of(self, scenario: Scenario, *, quick: bool) -> float:
        """Simulated seconds of a setting's run; of a quick one, which a longer one follows, perhaps fewer."""
        del scenario, quick
        return self.simulated_s

    def run(
        self, scenario: Scenario, seed: int, active: ActiveRuns, simulated_s: float | None = None
    ) -> Result:
        """Runs what was turned, for a second."""
        return active.perform(Job(self.timed(scenario, simulated_s), seed))

    def length_s(self, affordable_s: float) -> float:
        """The scenario's own length, or as much of it as is affordable, but no less than a run here has."""
        own_s = float(self.scenario.duration_s)
        return min(own_s, float(f"{max(affordable_s, _SHORTEST_S):.2g}"))

    def shortened(self, scenario: Scenario, simulated_s: float) -> Scenario:
        """A setting at this length, in the scenario's proportions, without rows of packets.

        Responses are kept as the scenario keeps them: pages are matched one by one by their rows.
        """
        share = simulated_s / float(scenario.duration_s)
        parts = ("warm_up_s", "cool_down_s") if share < 1.0 else ()
        overrides: dict[str, Any] = {part: round(share * scenario.resolved[part], 3) for part in parts}
        overrides |= {f"record.{table}": False for table in ("arrivals", "packets")}
        return scenario.with_overrides({"duration_s": simulated_s, **overrides})

    def probe(self, scenario: Scenario) -> Job:
        """A short run of a setting, from which it is seen what a simulated second costs."""
        return Job(self.timed(scenario, _PROBED_S), 1)

    def edges_s(self, duration_s: float) -> tuple[float, float]:
        """Warm-up and cool-down of a run of this length."""
        return duration_s * _WARM_UP_SHARE, duration_s * _COOL_DOWN_SHARE

    def timed(self, scenario: Scenario, simulated_s: float | None = None) -> Scenario:
        """A setting at the length of a run here, recording what the page draws."""
        duration_s = simulated_s or self.simulated_s
        warm_up_s, cool_down_s = self.edges_s(duration_s)
        document = scenario.resolved
        has_users = any(part.unit == "users" for part in parts_of(scenario))
        return scenario.with_overrides(
            {
                "duration_s": duration_s,
                "warm_up_s": round(warm_up_s, 3),
                "cool_down_s": round(cool_down_s, 3),
                "record": {
                    **{name: document["record"][name] for name in _MEASURED_AS},
                    **({"responses": "histogram"} if has_users else {}),
                    **({"datagrams": True} if document.get("datagrams") else {}),
                    "queue_interval_ms": max(1.0, duration_s * 1e3 / _QUEUE_SAMPLES),
                    "link_interval_ms": max(10.0, duration_s * 1e3 / _LINK_SAMPLES),
                    "cool_down": True,  # the picture goes on to its end
                },
            }
        )

    def _affordable_s(self) -> float:
        """As many simulated seconds as a run of the scenario does within its time."""
        probe = self.probe(self.scenario)
        ActiveRuns().perform(
            probe
        )  # once for nothing: the first touches code and memory that are not there yet
        begun = time.perf_counter()
        ActiveRuns().perform(probe)
        cost = max(time.perf_counter() - begun, 1e-4) / _PROBED_S
        affordable = min(_BUDGET_S / cost, float(self.scenario.duration_s), _LONGEST_S)
        return float(f"{max(affordable, _SHORTEST_S):.2g}")
