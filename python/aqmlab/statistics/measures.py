"""One run's single numbers, as every table of this project defines them.

Figures of links are those of the links that carry what users and flows ask for, or of those chosen by name
(`judged_links`). Over several, throughput is their mean and loss is pooled: packets discarded at all of their
queues over packets that arrived there. `*_by_link` keeps each. Completed exchanges are scaled to 90
minutes, the window of the study they are compared with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from aqmlab.statistics.recorded import MissingDataError, Recorded, judged_links, monitored_links

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NINETY_MINUTES_S = 5400.0


def measured_window_s(result: Recorded) -> float:
    """Length of the measured window in simulated seconds."""
    return float(result.run["measured_until_s"]) - float(result.run["measured_from_s"])


def throughput_mbps(result: Recorded, links: Sequence[str] = ()) -> float:
    """Throughput in Mbit/s at the layer that the scenario counts, mean of the judged links."""
    return float(np.mean(list(throughput_mbps_by_link(result, links).values())))


def throughput_mbps_by_link(result: Recorded, links: Sequence[str] = ()) -> dict[str, float]:
    """Throughput in Mbit/s at the layer that the scenario counts, of each judged link."""
    return {link["name"]: float(link["throughput_mbps"]) for link in judged_links(result, links)}


def loss_percent(result: Recorded, links: Sequence[str] = ()) -> float:
    """Packets discarded per 100 packets that arrived, over the queues of all judged links."""
    return pooled_loss_percent(judged_links(result, links))


def pooled_loss_percent(links: Sequence[Mapping[str, Any]]) -> float:
    """Packets discarded per 100 packets that arrived, over the queues of these links."""
    arrived = sum(_packets(link, "arrived") for link in links)
    discarded = sum(discarded_packets(link) for link in links)
    return 100.0 * discarded / arrived if arrived else 0.0


def loss_percent_by_link(result: Recorded, links: Sequence[str] = ()) -> dict[str, float]:
    """Packets discarded per 100 packets that arrived, of each judged link."""
    return {
        link["name"]: 100.0 * discarded_packets(link) / max(1, _packets(link, "arrived"))
        for link in judged_links(result, links)
    }


def completed_per_90_minutes(result: Recorded) -> float:
    """Completed exchanges, scaled from the measured window to 90 minutes."""
    completed = sum(int(entry["completed"]) for entry in result.run["populations"])
    return completed * NINETY_MINUTES_S / measured_window_s(result)


def discarded_packets(link: Mapping[str, Any]) -> int:
    """Packets discarded at a link's queue for whatever reason."""
    return sum(int(count["packets"]) for count in link["counters"]["discarded"].values())


def class_loss_percent(result: Recorded, packet_class: str) -> float:
    """Packets of one class (`syn`, `pure_ack`, `data` ...) discarded per 100 of that class that arrived."""
    counts = [link["counters"]["by_class"].get(packet_class) for link in monitored_links(result)]
    present = [count for count in counts if count is not None]
    arrived = sum(int(count["arrived_packets"]) for count in present)
    if arrived == 0:
        raise MissingDataError(f"no packet of class {packet_class} arrived at the queues")
    return 100.0 * sum(int(count["discarded_packets"]) for count in present) / arrived


def tcp_count(result: Recorded, name: str) -> int:
    """A counter of the TCP ends, such as `timeouts` or `loss_episodes`."""
    counters = result.run["tcp"]
    if name not in counters:
        raise MissingDataError(f"the run has no TCP counter `{name}`")
    return int(counters[name])


def multiple_drop_share(result: Recorded) -> float:
    """Share of loss episodes in which two or more segments of one window were lost."""
    return _per_episode(result, "loss_episodes_multiple")


def timeouts_per_episode(result: Recorded) -> float:
    """Retransmission timeouts per loss episode."""
    return _per_episode(result, "timeouts")


def _per_episode(result: Recorded, name: str) -> float:
    episodes = tcp_count(result, "loss_episodes")
    if episodes == 0:
        raise MissingDataError("no loss episode occurred")
    return tcp_count(result, name) / episodes


def _packets(link: Mapping[str, Any], counter: str) -> int:
    return int(link["counters"][counter]["packets"])
