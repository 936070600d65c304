"""Longer runs before more of them: what warm-up and cool-down cost is paid once for each run.

A run of 120 s with 40 s of warm-up and cool-down measures 80 s; seven such runs take as long as three of
280 s, which measure 720 s instead of 560 s. So a comparison up to a width lengthens its runs before it adds
seeds. By how much depends on the scenario alone, never on results: to stop at short runs that happen to
scatter little makes intervals cover too rarely, as in `aqmlab.statistics.stopping`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from aqmlab.scenario import Scenario

WINDOW_PER_EDGE = 6.0
"""A measured window of so many times warm-up and cool-down together: these are then a seventh of the run."""


def lengthened(scenario: Scenario) -> Scenario:
    """The scenario with a longer measured window; itself where that is long enough, or `scheduled`.

    Longer runs are of the same traffic only where nothing begins or ends at an instant of its own.
    """
    edges_s = float(scenario.resolved["warm_up_s"]) + float(scenario.resolved["cool_down_s"])
    wanted_s = edges_s * (1.0 + WINDOW_PER_EDGE)
    if wanted_s <= scenario.duration_s or any(scheduled(scenario.resolved)):
        return scenario
    return scenario.with_overrides({"duration_s": wanted_s})


def scheduled(resolved: Mapping[str, Any]) -> Iterator[str]:
    """The keys of a resolved scenario that let traffic begin or end within the measured window.

    Transfers of a size that arrive all the time are no such traffic.
    """
    warm_up_s = float(resolved["warm_up_s"])
    for kind in ("flows", "datagrams"):
        for place, group in enumerate(resolved.get(kind) or ()):
            starts_s = [group.get("start_s") or 0.0, *(group.get("starts_s") or ())]
            late = max(starts_s) + (group.get("start_spread_s") or 0.0) > warm_up_s
            ends = group.get("stop_s") is not None or group.get("phases") is not None
            once = group.get("bytes") is not None and group.get("arrivals_hz") is None
            if late or ends or once:
                yield f"{kind}.{place}"
    for place, population in enumerate([resolved.get("users") or {}, *(resolved.get("populations") or ())]):
        if (population.get("start_spread_s") or 0.0) > warm_up_s:
            yield f"populations.{place - 1}" if place else "users"
