"""What users offer: the throughput that they cause where nothing holds them back."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from aqmlab.errors import DemandError, ScenarioError
from aqmlab.load.demand import USERS, Demand
from aqmlab.statistics import loss_percent, throughput_mbps

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aqmlab.result import Result
    from aqmlab.scenario import Scenario


OWN_TWIN = "its own uncongested twin"
"""What `aqmlab run` measures the offered load on."""


@lru_cache(maxsize=1024)  # a sweep asks for every seed of a point
def offering_twin(scenario: Scenario) -> Scenario | None:
    """The network on which offered load is measured; none where it means nothing.

    It needs users, a monitored link on their way, and a network that says what it is when it is uncongested.
    Long-lived flows offer whatever they are let through: those without end are left out.
    """
    try:
        demand = Demand.of(scenario, (USERS,))
        if not demand.size:
            return None
        demand.bottlenecks()
        return demand.twin_of(scenario)
    except (DemandError, ScenarioError):
        return None


def measured(twin: Result, *, scenario: Scenario) -> dict[str, Any]:
    """The offered load of a scenario's users, from the run of its twin with the same seed.

    Returns:
        `realised_mbps`, bits per second in Mbit/s at the layer that the scenario counts, of each link that
        carries what users ask for; `bottleneck`, the one of them with the highest load, and
        `realised_percent`, its throughput as a share of what it can carry;
        and `held_back`, those of the links on which the twin discarded packets or was busy all the time: what
        is offered there is more than was measured.
    """
    bottlenecks = Demand.of(scenario, (USERS,)).bottlenecks()
    by_link = throughput_mbps.by_link(twin, [link.name for each in bottlenecks for link in each.links])
    loads = {name: load for each in bottlenecks for name, load in each.loads(by_link).items()}
    fullest = max(loads, key=lambda name: loads[name])
    return {
        "realised_mbps": by_link,
        "bottleneck": [fullest],
        "realised_percent": 100.0 * loads[fullest],
        "held_back": _held_back(twin, by_link),
        "measured_on": OWN_TWIN,
    }


ALWAYS_BUSY = 0.99
"""A twin that transmits for this share of the time passes what it can, and not what is offered."""


def _held_back(twin: Result, links: Iterable[str]) -> list[str]:
    """Those of the links that were congested on the uncongested network."""
    lost = loss_percent.by_link(twin, list(links))
    busy = {link["name"]: link["busy_share"] for link in twin.run["links"]}
    return [name for name in links if lost[name] > 0.0 or busy[name] > ALWAYS_BUSY]
