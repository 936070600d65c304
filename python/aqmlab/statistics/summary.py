"""One run as one row of figures, each under the name of its quantity.

Figures of links are of those that carry data, or of those chosen by name (`judged_links`). Each monitored
link has figures of its own as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.errors import MissingDataError
from aqmlab.statistics import quantities
from aqmlab.statistics.quantities import QUANTILES, RESTRICTED_TO_S, Measured, quantile_s, restricted_mean_s
from aqmlab.statistics.recorded import monitored_links

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.statistics.quantities import Quantity
    from aqmlab.statistics.recorded import Recorded

__all__ = ["QUANTILES", "RESTRICTED_TO_S", "Figures", "figures", "restricted_mean_name", "row_of"]

Figures = dict[str, float | int | None]

_OF_EACH_LINK = (
    quantities.throughput_mbps,
    quantities.utilization_percent,
    quantities.loss_percent,
    quantities.queue_mean_packets,
)


def row_of(restricted_to_s: float = RESTRICTED_TO_S) -> list[Quantity]:
    """The quantities of the row, in order."""
    return [
        quantities.measured_s,
        quantities.throughput_mbps,
        quantities.throughput_ip_mbps,
        quantities.utilization_percent,
        quantities.loss_percent,
        quantities.marked_percent,
        quantities.queue_mean_packets,
        quantities.completed_exchanges,
        quantities.failed_exchanges,
        quantities.unfinished_exchanges,
        *map(quantile_s, QUANTILES),
        quantities.response_mean_s,
        restricted_mean_s(restricted_to_s),
        *quantities.RESPONSE_CLASSES,
        *quantities.PAGE_QUANTITIES,
    ]


def figures(
    result: Recorded, *, restricted_to_s: float = RESTRICTED_TO_S, links: Sequence[str] = ()
) -> Figures:
    """The run's figures; those of responses are none where the run has no users or recorded no responses.

    Args:
        result: A finished run.
        restricted_to_s: The limit of the restricted mean response time, in seconds.
        links: The links that figures are taken over; by default those that carry data.

    Raises:
        MissingDataError: No link is chosen, and none carries data.
    """
    run = Measured(result, links)
    run.links  # noqa: B018  (without a link there is no row)
    row: Figures = {quantity.name: _known(quantity, run) for quantity in row_of(restricted_to_s)}
    # Figures of each link stand behind those of the run.
    for link in monitored_links(result):
        row |= {f"{link['name']}.{quantity.name}": quantity.of_link(link) for quantity in _OF_EACH_LINK}
    return row


def restricted_mean_name(restricted_to_s: float = RESTRICTED_TO_S) -> str:
    """The name of the restricted mean of that limit."""
    return restricted_mean_s(restricted_to_s).name


def _known(quantity: Quantity, run: Measured) -> float | None:
    try:
        return quantity.of(run)
    except MissingDataError:
        return None
