"""Single numbers of one run as this paper reports them: of the studied link alone, per 70 minutes."""

from __future__ import annotations

import csv
from importlib import resources
from typing import TYPE_CHECKING

from aqmlab.statistics import MissingDataError, measured_window_s, response_times
from aqmlab.statistics.recorded import table
from aqmlab.statistics.summary import data_links, figures

if TYPE_CHECKING:
    from aqmlab.statistics import Recorded
    from aqmlab.study import Study

SEVENTY_MINUTES_S = 4200.0
BYTES_PER_KILOBYTE = 1024.0
"""Section 4 calls 10 Mbit/s x 79 ms = 98,750 bytes "approximately 96 KB"."""


def requests_per_70_minutes(result: Recorded) -> float:
    """Exchanges that ended, scaled from the measured window to 70 minutes."""
    ended = sum(int(entry["completed"]) + int(entry["failed"]) for entry in result.run["populations"])
    return ended * SEVENTY_MINUTES_S / measured_window_s(result)


def throughput_kilobytes_per_s(result: Recorded) -> float:
    """Bytes of frames per second, in units of 1,024.

    The paper counts "frames traversing the links" and does not say whether with their headers. Bytes of IP
    in units of 1,000 give the same within 1 %; bytes of IP in units of 1,024 cannot: with datagrams of just
    over 1 KB the link would have to be faster than 10 Mbit/s.
    """
    links = data_links(result)
    mbps = sum(float(link["throughput_frame_mbps"]) for link in links) / len(links)
    return mbps * 1e6 / 8.0 / BYTES_PER_KILOBYTE


def utilization_percent(result: Recorded) -> float:
    """Share of time in which the studied link was transmitting, in per cent."""
    return _figure(result, "utilization_percent")


def drop_percent(result: Recorded) -> float:
    """Packets discarded at the studied queue per 100 that arrived there."""
    return _figure(result, "loss_percent")


def mean_queue_packets(result: Recorded) -> float:
    """Mean of the samples of the studied queue."""
    return _figure(result, "queue_mean_packets")


def restricted_mean_s(result: Recorded) -> float:
    """Mean of min(response time, 2 s): the area above the paper's plots."""
    return response_times(result).restricted_mean_s(2.0)


def longest_queue_packets(result: Recorded) -> int:
    """Greatest of the 3 ms samples of the studied queue, as the paper's monitor logged it."""
    rows = table(result, "queue_summary", setting="record.queue_summary_interval_ms")
    names = [link["name"] for link in result.run["links"]]
    studied = [names.index(link["name"]) for link in data_links(result)]
    links, greatest = rows["link"].to_numpy(), rows["maximum_packets"].to_numpy()
    return max(int(greatest[links == place].max()) for place in studied)


def overflow_drops(result: Recorded) -> int:
    """Packets that the studied queue discarded because it was full."""
    found = [link["counters"]["discarded"].get("overflow") for link in data_links(result)]
    return sum(int(count["packets"]) for count in found if count is not None)


def published_rows(study: Study, file: str) -> list[dict[str, str]]:
    """The rows of one of the paper's tables, as they stand in the experiment's folder."""
    path = resources.files("aqmlab") / "experiments" / study.experiment.name / file
    with path.open(encoding="utf-8") as text:
        return list(csv.DictReader(text))


def _figure(result: Recorded, name: str) -> float:
    value = figures(result)[name]
    if value is None:
        raise MissingDataError(f"the run has no {name}")
    return float(value)
