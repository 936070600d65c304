"""What users offer: the throughput that they cause where nothing holds them back."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

from aqmlab.statistics import throughput_mbps

if TYPE_CHECKING:
    from aqmlab.result import Result
    from aqmlab.scenario import Scenario


def can_be_measured(scenario: Scenario) -> bool:
    """Whether offered load means something here: users, and one bottleneck to relate their traffic to.

    Long-lived flows offer whatever they are let through.
    """
    return "dumbbell" in scenario.resolved and "users" in scenario.resolved


def measured(twin: Result, *, scenario: Scenario) -> dict[str, Any]:
    """The offered load of a scenario, from the run of its uncongested twin with the same seed.

    Returns:
        `realised_mbps`, bits per second by link in Mbit/s at the layer that the scenario counts, and
        `realised_percent`, their mean as a share of the bottleneck's rate. Where all users sit on one side,
        only the link that carries what they asked for counts.
    """
    by_link = throughput_mbps.by_link(twin)
    share = fmean(by_link.values()) / scenario.resolved["dumbbell"]["rate_mbps"]
    return {
        "realised_mbps": by_link,
        "realised_percent": 100.0 * share,
        "measured_on": "its own uncongested twin",
    }
