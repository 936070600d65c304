"""Numbers of one run by name, so that an experiment's folder can say which of them a column of a table is.

Each is a function of a run's summary or of its response times. A further paper names them in its
`experiment.toml`; a number that no paper has asked for yet is one entry here.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from aqmlab.statistics.measures import (
    completed_per_90_minutes,
    loss_percent,
    loss_percent_by_link,
    throughput_mbps,
    throughput_mbps_by_link,
)
from aqmlab.statistics.recorded import data_links

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aqmlab.statistics.distribution import ResponseTimes
    from aqmlab.statistics.recorded import Recorded

BITS_PER_KILOBYTE = 8 * 1024
MILLISECONDS = 1000.0


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of one run.

    Attributes:
        name: What a folder calls it; its unit is part of the name.
        title: What tables on paper call it.
        short: What tables in the terminal call it.
        digits: Digits after the point in print.
        of_run: The number from a run's summary; or
        of_times: the number from a run's response times.
        by_link: The number of each link, where that has a meaning.
    """

    name: str
    title: str
    short: str
    digits: int
    of_run: Callable[[Recorded], float] | None = None
    of_times: Callable[[ResponseTimes], float] | None = None
    by_link: Callable[[Recorded], Mapping[str, float]] | None = None


class UnknownQuantityError(LookupError):
    """No quantity has this name."""


def completed_millions(result: Recorded) -> float:
    """Completed exchanges in millions, scaled to 90 minutes."""
    return completed_per_90_minutes(result) / 1e6


def requests_in_70_min(result: Recorded) -> float:
    """Completed exchanges, scaled to 70 minutes: where nothing is congested, the requests made."""
    return completed_per_90_minutes(result) * 70.0 / 90.0


def throughput_kilobytes_per_s(result: Recorded) -> float:
    """Throughput in kilobytes of 1,024 bytes per second, at the layer that the scenario counts."""
    return throughput_mbps(result) * 1e6 / BITS_PER_KILOBYTE


def utilization_percent(result: Recorded) -> float:
    """Share of the time in which the links that carry data transmit, in per cent."""
    return 100.0 * _mean_of_links(result, "busy_share")


def queue_mean_packets(result: Recorded) -> float:
    """Mean of the sampled queue in packets, over the links that carry data."""
    return _mean_of_links(result, "queue_packets_mean")


def _mean_of_links(result: Recorded, name: str) -> float:
    return float(np.mean([float(link[name]) for link in data_links(result)]))


def _between_percent(lower_s: float, upper_s: float) -> Callable[[ResponseTimes], float]:
    """Per cent of the ended exchanges that took longer than the one time and no longer than the other."""

    def share(times: ResponseTimes) -> float:
        above, within = times.cdf([lower_s, upper_s])
        return 100.0 * float(within - above)

    return share


QUANTITIES: Mapping[str, Quantity] = {
    quantity.name: quantity
    for quantity in (
        Quantity("loss_percent", "loss, %", "loss %", 2, loss_percent, by_link=loss_percent_by_link),
        Quantity("completed_millions", "completed, millions / 90 min", "compl. M", 2, completed_millions),
        Quantity("requests_in_70_min", "requests in 70 min", "requests", 0, requests_in_70_min),
        Quantity(
            "throughput_mbps",
            "throughput, Mbit/s",
            "Mbit/s",
            1,
            throughput_mbps,
            by_link=throughput_mbps_by_link,
        ),
        Quantity("throughput_kilobytes_per_s", "throughput, KB/s", "KB/s", 0, throughput_kilobytes_per_s),
        Quantity("utilization_percent", "link busy, %", "busy %", 2, utilization_percent),
        Quantity("queue_mean_packets", "mean queue, packets", "queue", 1, queue_mean_packets),
        Quantity(
            "median_response_ms",
            "median response, ms",
            "median ms",
            0,
            of_times=lambda times: MILLISECONDS * times.quantile(0.5),
        ),
        Quantity(
            "restricted_mean_response_ms",
            "mean of min(response, 2 s), ms",
            "mean ≤2s ms",
            0,
            of_times=lambda times: MILLISECONDS * times.restricted_mean_s(2.0),
        ),
        Quantity(
            "responses_within_1s_percent",
            "within 1 s, %",
            "≤1 s %",
            1,
            of_times=lambda times: 100.0 * float(times.cdf(1.0)),
        ),
        Quantity(
            "responses_1s_to_2s_percent", "1 to 2 s, %", "1–2 s %", 1, of_times=_between_percent(1.0, 2.0)
        ),
        Quantity(
            "responses_2s_to_3s_percent", "2 to 3 s, %", "2–3 s %", 1, of_times=_between_percent(2.0, 3.0)
        ),
        Quantity(
            "responses_over_3s_or_failed_percent",
            "over 3 s, %",
            ">3 s %",
            1,
            of_times=lambda times: 100.0 * float(times.ccdf(3.0)),
        ),
    )
}


def quantity(name: str) -> Quantity:
    """The quantity of this name.

    Raises:
        UnknownQuantityError: There is none; the message names those that there are.
    """
    if name in QUANTITIES:
        return QUANTITIES[name]
    nearest = difflib.get_close_matches(name, list(QUANTITIES), n=1)
    meant = f'; did you mean "{nearest[0]}"?' if nearest else ""
    raise UnknownQuantityError(f'no quantity "{name}"; there are: {", ".join(QUANTITIES)}{meant}')
