"""Longer runs before more of them, where warm-up and cool-down are a large part of what short ones cost.

A run of 180 s with 80 s of warm-up and cool-down measures 100 s; 28 such runs take as long as nine of 560 s,
which measure 4,320 s instead of 2,800 s. Against that, common random numbers lose some of their hold: in the
first minutes later pages meet less and less of what they met under the other queue. Runs that measure twice
their edges or more could gain an eighth of the width at most, and keep their length, so that runs already
made are used; `docs/explanation/statistics.md` has what was measured. By how much others are lengthened
depends on the scenario alone, never on results: to stop at short runs that happen to scatter little makes
intervals cover too rarely, as in `aqmlab.inference.stopping`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aqmlab.scenario import Scenario

LEAST_WINDOW_PER_EDGE = 2.0
"""A measured window of at least so many times warm-up and cool-down together keeps its length."""

WINDOW_PER_EDGE = 6.0
"""Another becomes so many times as long as they are, which are then a seventh of the run."""


def lengthened(scenario: Scenario) -> Scenario:
    """The scenario with a longer measured window; itself where it has a long one, or is `scheduled`.

    Longer runs are of the same traffic only where nothing begins or ends at an instant of its own.
    """
    edges_s = float(scenario.resolved["warm_up_s"]) + float(scenario.resolved["cool_down_s"])
    least_s = edges_s * (1.0 + LEAST_WINDOW_PER_EDGE)
    # Three times 2.1 is more than 6.3, in binary.
    long_enough = scenario.duration_s >= least_s or math.isclose(scenario.duration_s, least_s)
    if long_enough or any(scheduled(scenario.resolved)):
        return scenario
    return scenario.with_overrides({"duration_s": edges_s * (1.0 + WINDOW_PER_EDGE)})


def scheduled(resolved: Mapping[str, Any]) -> Iterator[str]:
    """The keys of a resolved scenario that let traffic begin or end within the measured window.

    Transfers of a size that arrive all the time, or that somebody thinks about, are no such traffic.
    """
    warm_up_s = float(resolved["warm_up_s"])
    for kind in ("flows", "datagrams"):
        for place, group in enumerate(resolved.get(kind) or ()):
            starts_s = [group.get("start_s") or 0.0, *(group.get("starts_s") or ())]
            late = max(starts_s) + (group.get("start_spread_s") or 0.0) > warm_up_s
            ends = group.get("stop_s") is not None or group.get("phases") is not None
            goes_on = group.get("arrivals_hz") is not None or group.get("think_s") is not None
            once = group.get("bytes") is not None and not goes_on
            if late or ends or once:
                yield f"{kind}.{place}"
    for place, population in enumerate([resolved.get("users") or {}, *(resolved.get("populations") or ())]):
        if (population.get("start_spread_s") or 0.0) > warm_up_s:
            yield f"populations.{place - 1}" if place else "users"
