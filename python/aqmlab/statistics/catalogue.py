"""The catalogue: what is shown of a run, and in which order: people, calls, games, flows, links.

`run`, `compare`, `sweep`, `tune`, `crossvalidate`, tables of data, CSV, JSON, reports and `play` take from
here which quantities they show; the quantity itself says what it is called and with how many digits it is
printed (`aqmlab.statistics.quantities`). A number that is shown in one place is the same number in every
other, which a test checks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aqmlab.statistics.datagrams import (
    OF_DATAGRAMS,
    datagram_groups,
    feedback_groups,
)
from aqmlab.statistics.experience import CALL, judged_groups
from aqmlab.statistics.pages import Pages
from aqmlab.statistics.quantities import (
    loss_percent,
    marked_percent,
    page_quantile_s,
    quantile_s,
    queue_mean_ms,
    queue_mean_packets,
    throughput_mbps,
    utilization_percent,
)
from aqmlab.statistics.quantity import OfRun
from aqmlab.statistics.recorded import judged_links, viewers
from aqmlab.statistics.traffic import (
    WAYS,
    devices,
    goodput_mbps_of,
    goodput_per_flow_mbps_of,
    jain_index_of,
    of_traffic,
    sharing_ways,
)
from aqmlab.statistics.transfers import OF_TRANSFERS, transfer_groups
from aqmlab.statistics.video import OF_VIDEO
from aqmlab.statistics.video_call import OF_VIDEO_CALLS
from aqmlab.statistics.voice import voice_mos_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aqmlab.statistics import Recorded
    from aqmlab.statistics.experience import Kind
    from aqmlab.statistics.quantities import OfLinks, Quantity

LOADED_MEDIAN = page_quantile_s(0.5, Pages.FOLLOWED)
LOADED_P95 = page_quantile_s(0.95, Pages.FOLLOWED)
OF_PEOPLE = (LOADED_MEDIAN, LOADED_P95)
"""The usual page and the slow one in twenty, of pages that were waited for in the measured window."""
RESPONSE_MEDIAN = quantile_s(0.5)
OF_OBJECTS = (RESPONSE_MEDIAN, quantile_s(0.95))
OF_THE_LINK = (utilization_percent, loss_percent)
OF_LINKS = (throughput_mbps, *OF_THE_LINK, marked_percent, queue_mean_ms, queue_mean_packets)

OF_SEARCHES = (LOADED_MEDIAN, RESPONSE_MEDIAN, *OF_THE_LINK, queue_mean_packets)
"""What tables of searches have room for, beside the parameters and what is sought."""


def of_datagrams(group: str) -> tuple[Quantity, ...]:
    """The delay and loss of the packets of a group, and what was under way at the end of the run."""
    made = (quantity_of for name, quantity_of in OF_DATAGRAMS.items() if name != "goodput_kbps")
    return tuple(quantity_of(f"datagrams.{group}") for quantity_of in made)


def of_calls(group: str, kind: Kind | None) -> tuple[Quantity, ...]:
    """The picture of a video call or a cloud game; of a call its quality. Another game has neither."""
    part = f"datagrams.{group}"
    if kind is not None and kind.shows_frames:
        return tuple(quantity_of(part) for quantity_of in OF_VIDEO_CALLS.values())
    return (voice_mos_of(part),) if kind is CALL else ()


def of_video(population: str) -> tuple[Quantity, ...]:
    """What those see who watch videos."""
    return tuple(quantity_of(f"populations.{population}") for quantity_of in OF_VIDEO.values())


def of_flows(group: str, flows: int) -> tuple[Quantity, ...]:
    """What long-lived flows get."""
    part = f"flows.{group}"
    of_several = (goodput_per_flow_mbps_of(part), jain_index_of(part))
    return (goodput_mbps_of(part), *(of_several if flows > 1 else ()))


def of_devices(result: Recorded) -> tuple[Quantity, ...]:
    """What each device gets either way, and how fairly those share that take all they can."""
    rates = [
        found
        for name in devices(result)
        for way in WAYS
        if (found := of_traffic(f"goodput_{way}_mbps/devices.{name}")) is not None
    ]
    shares = [of_traffic(f"jain_index/devices.{way}") for way in sharing_ways(result)]
    return (*rates, *(each for each in shares if each is not None))


def of_transfers(group: str) -> tuple[Quantity, ...]:
    """How long the transfers of a group take, and which did not finish."""
    return tuple(quantity_of(f"flows.{group}") for quantity_of in OF_TRANSFERS.values())


def of_link(quantity: OfLinks, link: str) -> OfRun:
    """A quantity of links, of one link by name."""

    def value(result: Recorded) -> float:
        return quantity.compute(judged_links(result, [link]))

    title, short = (f"{each}, {link}" for each in (quantity.title, quantity.short))
    return OfRun(f"{quantity.name}/links.{link}", quantity.unit, title, short, quantity.digits, value)


def flow_groups(result: Recorded) -> dict[str, int]:
    """Groups of long-lived flows, those without a size, with how many flows each has."""
    endless = {
        str(entry.get("name"))
        for entry in result.run["scenario"].get("flows", ())
        if entry.get("bytes") is None
    }
    groups = {entry["name"]: len(entry["delivered_bytes"]) for entry in result.run.get("flows", ())}
    return {name: flows for name, flows in groups.items() if name in endless}


def greedy_groups(result: Recorded) -> list[str]:
    """Of these groups those that send as fast as they can: their application has no rate of its own."""
    groups = result.run["scenario"].get("flows") or ()
    paced = {str(each.get("name")) for each in groups if each.get("application_mbps") is not None}
    return [name for name in flow_groups(result) if name not in paced]


def shown_of(result: Recorded, links: Sequence[str]) -> tuple[Quantity, ...]:
    """What is shown of a run: of people, datagrams, flows, each link, and of links of one rate together.

    Links of different rates have no number together: a mean of a fast and a slow direction is that of
    neither.
    """
    kinds, reports = judged_groups(result), feedback_groups(result)
    groups = [each for each in datagram_groups(result) if each not in reports]
    per_link = [of_link(quantity, link) for link in links for quantity in OF_LINKS] if len(links) > 1 else []
    return (
        *OF_PEOPLE,
        *OF_OBJECTS,
        *(each for group in groups for each in (*of_datagrams(group), *of_calls(group, kinds.get(group)))),
        *(each for population in viewers(result) for each in of_video(population)),
        *(each for group, flows in flow_groups(result).items() for each in of_flows(group, flows)),
        *of_devices(result),
        *(each for group in transfer_groups(result) for each in of_transfers(group)),
        *per_link,
        *(OF_LINKS if _are_alike(result, links) else ()),
    )


def shown_of_all(results: Iterable[Recorded], links: Sequence[str] = ()) -> tuple[Quantity, ...]:
    """What is shown of several runs, in the order in which they bring it.

    Args:
        results: Finished runs, also of different scenarios.
        links: The judged links; by default, of each run, those that carry data.
    """
    found: dict[str, Quantity] = {}
    for result in results:
        own = links or [str(link["name"]) for link in _links_of(result)]
        found |= {each.name: each for each in shown_of(result, own) if each.name not in found}
    return tuple(found.values())


def headline_of_all(results: Sequence[Recorded], links: Sequence[str] = ()) -> tuple[Quantity, ...]:
    """Of what is shown of several runs the few numbers that a row for each of many points has room for.

    Of pages and their objects the load times, of a call or a game its quality, of a video for how long it
    stands still, of flows their goodput or, if they have a size, how long the slow ones take, of links
    what they carry and lose.
    """
    return tuple(each for each in shown_of_all(results, links) if each.name.partition("/")[0] in _HEADLINES)


def _links_of(result: Recorded) -> Sequence[Mapping[str, Any]]:
    return [link for link in result.run["links"] if link["carries_data"]] or result.run["links"]


def _are_alike(result: Recorded, links: Sequence[str]) -> bool:
    return len({float(link["rate_mbps"]) for link in result.run["links"] if link["name"] in links}) <= 1


_HEADLINES = {
    LOADED_MEDIAN.name,
    LOADED_P95.name,
    RESPONSE_MEDIAN.name,
    "delay_p95_ms",
    "voice_mos",
    "call_frozen_percent",
    "video_stalled_percent",
    "goodput_mbps",
    "completion_p95_s",
    throughput_mbps.name,
    loss_percent.name,
    queue_mean_ms.name,
}
