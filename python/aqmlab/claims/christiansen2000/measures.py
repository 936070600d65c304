"""Single numbers of one run as this paper reports them: of the studied link alone, per 70 minutes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.statistics import MissingDataError, response_times
from aqmlab.statistics.recorded import data_links, has_name, table
from aqmlab.statistics.summary import figures

if TYPE_CHECKING:
    from aqmlab.statistics import Recorded

SEVENTY_MINUTES_S = 4200.0


def utilization_percent(result: Recorded) -> float:
    """Share of time in which the studied link was transmitting, in per cent."""
    return _figure(result, "utilization_percent")


def drop_percent(result: Recorded) -> float:
    """Packets discarded at the studied queue per 100 that arrived there."""
    return _figure(result, "loss_percent")


def restricted_mean_s(result: Recorded) -> float:
    """Mean of min(response time, 2 s): the area above the paper's plots."""
    return response_times(result).restricted_mean_s(2.0)


def longest_queue_packets(result: Recorded) -> int:
    """Greatest of the 3 ms samples of the studied queue, as the paper's monitor logged it."""
    rows = table(result, "queue_summary", setting="record.queue_summary_interval_ms")
    greatest = rows["maximum_packets"].to_numpy()
    return max(int(greatest[has_name(rows, "link", link["name"])].max()) for link in data_links(result))


def overflow_drops(result: Recorded) -> int:
    """Packets that the studied queue discarded because it was full."""
    found = [link["counters"]["discarded"].get("overflow") for link in data_links(result)]
    return sum(int(count["packets"]) for count in found if count is not None)


def _figure(result: Recorded, name: str) -> float:
    value = figures(result)[name]
    if value is None:
        raise MissingDataError(f"the run has no {name}")
    return float(value)
