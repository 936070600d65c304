"""One run as one row of figures, each with its unit in its name.

Of the links that carry data, or those chosen by name (`judged_links`): throughput, utilization and queue are
means over them, loss and marks are pooled. Each monitored link has figures of its own as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from aqmlab.statistics.distribution import ResponseTimes, response_times
from aqmlab.statistics.measures import discarded_packets, measured_window_s
from aqmlab.statistics.recorded import MissingDataError, judged_links, monitored_links

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.statistics.recorded import Recorded

__all__ = ["QUANTILES", "RESTRICTED_TO_S", "Figures", "figures", "restricted_mean_name"]

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)
RESTRICTED_TO_S = 2.0

Figures = dict[str, float | int | None]


def figures(
    result: Recorded, *, restricted_to_s: float = RESTRICTED_TO_S, links: Sequence[str] = ()
) -> Figures:
    """The run's figures; those of responses are none where the run has no users or recorded no responses.

    Args:
        result: A finished run.
        restricted_to_s: The limit of the restricted mean response time, in seconds.
        links: The links that figures are taken over; by default those that carry data.
    """
    return {
        "measured_s": measured_window_s(result),
        **_of_links(judged_links(result, links)),
        **_of_responses(result, restricted_to_s),
        **_by_link(result),
    }


def restricted_mean_name(restricted_to_s: float = RESTRICTED_TO_S) -> str:
    """The name of the restricted mean of that limit."""
    return f"response_restricted_mean_{restricted_to_s:g}s_s"


def _of_links(links: Sequence[Mapping[str, Any]]) -> Figures:
    arrived = sum(int(link["counters"]["arrived"]["packets"]) for link in links)
    marked = sum(int(link["counters"]["marked"]["packets"]) for link in links)
    discarded = sum(discarded_packets(link) for link in links)
    return {
        "throughput_mbps": _mean(links, "throughput_mbps"),
        "throughput_ip_mbps": _mean(links, "throughput_ip_mbps"),
        "utilization_percent": 100.0 * _mean(links, "busy_share"),
        "loss_percent": 100.0 * discarded / arrived if arrived else 0.0,
        "marked_percent": 100.0 * marked / arrived if arrived else 0.0,
        "queue_mean_packets": _mean(links, "queue_packets_mean"),
    }


def _mean(links: Sequence[Mapping[str, Any]], name: str) -> float:
    return float(np.mean([float(link[name]) for link in links]))


def _by_link(result: Recorded) -> Figures:
    row: Figures = {}
    for link in monitored_links(result):
        name = link["name"]
        row[f"{name}.throughput_mbps"] = float(link["throughput_mbps"])
        row[f"{name}.utilization_percent"] = 100.0 * float(link["busy_share"])
        row[f"{name}.loss_percent"] = 100.0 * float(link["loss_ratio"])
        row[f"{name}.queue_mean_packets"] = float(link["queue_packets_mean"])
    return row


def _of_responses(result: Recorded, restricted_to_s: float) -> Figures:
    populations = result.run["populations"]
    row: Figures = {
        f"{name}_exchanges": sum(int(entry[name]) for entry in populations)
        for name in ("completed", "failed", "unfinished")
    }
    try:
        times = response_times(result) if populations else None
    except MissingDataError:
        times = None
    if times is not None and times.ended == 0:
        times = None
    for share in QUANTILES:
        row[f"response_p{100 * share:g}_s"] = times.quantile(share) if times else None
    row["response_mean_s"] = _mean_s(times) if times and times.completed else None
    row[restricted_mean_name(restricted_to_s)] = times.restricted_mean_s(restricted_to_s) if times else None
    within = times.cdf([1.0, 2.0, 3.0]) if times else None
    edges = None if within is None else np.concatenate(([0.0], within, [1.0]))
    names = ("within_1s", "1s_to_2s", "2s_to_3s", "over_3s_or_failed")
    for place, name in enumerate(names):
        part = None if edges is None else 100.0 * float(edges[place + 1] - edges[place])
        row[f"responses_{name}_percent"] = part
    return row


def _mean_s(times: ResponseTimes) -> float:
    middles = (times.lower_s + times.upper_s) / 2.0
    return float(middles @ times.counts / times.counts.sum())
