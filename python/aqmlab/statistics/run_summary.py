"""A run's summary as typed numbers; `run.json` holds the same as plain data (`docs/reference/results.md`).

It is also one row of figures, each under the name of its quantity. Figures of links are of those that carry
data, or of those chosen by name (`judged_links`). Each monitored link has figures of its own as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aqmlab import shown
from aqmlab.errors import MissingDataError
from aqmlab.statistics import quantities
from aqmlab.statistics.loss import discarded_packets
from aqmlab.statistics.quantities import QUANTILES, RESTRICTED_TO_S, Measured, quantile_s, restricted_mean_s
from aqmlab.statistics.recorded import measured_window_s, monitored_links

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.statistics.quantities import Quantity
    from aqmlab.statistics.recorded import Recorded

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
    """The run's figures; those of responses are none where the run has no users or recorded no responses."""
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


@dataclass(frozen=True, slots=True)
class LinkSummary:
    """A monitored link over the measured window.

    Attributes:
        name: Its name.
        scheme: Its queue discipline.
        carries_data: Whether data of users or flows passes it, and not only acknowledgements.
        rate_mbps: Its rate in Mbit/s; of a varying one the mean.
        throughput_mbps: Its throughput in Mbit/s, at the layer that the scenario counts.
        utilization_percent: The share of the time in which it transmits, 0 to 100.
        loss_percent: Packets discarded per 100 at risk.
        marked_percent: Packets marked per 100 at risk.
        queue_mean_packets: Mean number of waiting packets.
        queue_mean_ms: Mean wait of packets that left, in milliseconds; not a number where nothing was sent.
        arrived_packets: Packets that arrived at its queue.
        discarded_packets: Packets that its queue discarded, by reason.
        marked_packets: Packets that its queue marked.
    """

    name: str
    scheme: str
    carries_data: bool
    rate_mbps: float
    throughput_mbps: float
    utilization_percent: float
    loss_percent: float
    marked_percent: float
    queue_mean_packets: float
    queue_mean_ms: float
    arrived_packets: int
    discarded_packets: Mapping[str, int]
    marked_packets: int

    @classmethod
    def of(cls, link: Mapping[str, Any]) -> LinkSummary:
        """The summary of a link of `run.json`."""
        counters = link["counters"]
        return cls(
            name=str(link["name"]),
            scheme=str(link["scheme"]),
            carries_data=bool(link["carries_data"]),
            rate_mbps=float(link["rate_mbps"]),
            throughput_mbps=quantities.throughput_mbps.of_link(link),
            utilization_percent=quantities.utilization_percent.of_link(link),
            loss_percent=quantities.loss_percent.of_link(link),
            marked_percent=quantities.marked_percent.of_link(link),
            queue_mean_packets=quantities.queue_mean_packets.of_link(link),
            queue_mean_ms=quantities.queue_mean_ms.of_link(link),
            arrived_packets=int(counters["arrived"]["packets"]),
            discarded_packets={reason: discarded_packets(link, reason) for reason in counters["discarded"]},
            marked_packets=int(counters["marked"]["packets"]),
        )


@dataclass(frozen=True, slots=True)
class PopulationSummary:
    """A population of users over the measured window.

    Attributes:
        name: Its name.
        users: Its size.
        completed: Exchanges completed.
        failed: Exchanges whose connection gave up.
        unfinished: Exchanges in progress at the end of the run.
    """

    name: str
    users: int
    completed: int
    failed: int
    unfinished: int

    @classmethod
    def of(cls, population: Mapping[str, Any]) -> PopulationSummary:
        """The summary of a population of `run.json`."""
        counts = {name: int(population[name]) for name in ("users", "completed", "failed", "unfinished")}
        return cls(str(population["name"]), **counts)


@dataclass(frozen=True, slots=True)
class FlowsSummary:
    """A group of long flows over the measured window.

    Attributes:
        name: Its name.
        delivered_bytes: What each flow delivered to the receiving application.
        goodput_mbps: What all of them delivered, in Mbit/s.
    """

    name: str
    delivered_bytes: tuple[int, ...]
    goodput_mbps: float


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a run measured.

    Attributes:
        scenario: The name of the scenario.
        seed: The seed.
        window_s: Length of the measured window in seconds.
        links: The monitored links, by name.
        populations: The populations of users, by name.
        flows: The groups of long flows, by name.
        tcp: Counters over all connections, such as `timeouts` (`docs/reference/results.md`).
        offered_load_percent: The offered load in per cent of the bottleneck's rate; none if not measured.
        timing_valid: Of a live run whether its timing is valid; none of a simulation.
        warnings: Reasons for caution.
    """

    scenario: str
    seed: int
    window_s: float
    links: Mapping[str, LinkSummary]
    populations: Mapping[str, PopulationSummary]
    flows: Mapping[str, FlowsSummary]
    tcp: Mapping[str, int]
    offered_load_percent: float | None
    timing_valid: bool | None
    warnings: tuple[str, ...]

    @classmethod
    def of(cls, result: Recorded) -> RunSummary:
        """The summary of a finished run."""
        run, window_s = result.run, measured_window_s(result)
        load, live = run.get("offered_load") or {}, run.get("live")
        return cls(
            scenario=str(run["scenario"]["name"]),
            seed=int(run["seed"]),
            window_s=window_s,
            links={str(each["name"]): LinkSummary.of(each) for each in run["links"]},
            populations={str(each["name"]): PopulationSummary.of(each) for each in run["populations"]},
            flows={str(each["name"]): _flows(each, window_s) for each in run["flows"]},
            tcp={name: int(count) for name, count in run["tcp"].items()},
            offered_load_percent=load.get("realised_percent"),
            timing_valid=None if live is None else live["verdict"] == "valid",
            warnings=tuple(map(str, run["warnings"])),
        )

    def _repr_html_(self) -> str:
        """What notebooks show: its links, its users, its long flows."""
        return shown.html(self)


def _flows(group: Mapping[str, Any], window_s: float) -> FlowsSummary:
    delivered = tuple(map(int, group["delivered_bytes"]))
    return FlowsSummary(str(group["name"]), delivered, 8.0 * sum(delivered) / 1e6 / window_s)
