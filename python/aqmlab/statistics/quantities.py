"""The registry: every number of a run that anything here prints, compares, searches for or writes to a file.

`quantity(name)` finds one by its name, which is how an experiment's folder says what a column of a table is.
A number that nobody has asked for yet is one entry here.

Of several links throughput, utilization and queue are means, loss and marks are taken over all their packets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab import arguments
from aqmlab.errors import MissingDataError, TooLittleDataError, UnknownQuantityError
from aqmlab.files.columns import to_numpy
from aqmlab.statistics import loss
from aqmlab.statistics.pages import Pages, failed_pages, page_load_times, unfinished_pages
from aqmlab.statistics.quantity import Link, Measured, OfLinks, OfPages, OfRun, OfUsers, Quantity, Scope
from aqmlab.statistics.recorded import (
    Recorded,
    data_links,
    has_name,
    measured_window,
    measured_window_s,
    monitored_links,
    table,
)
from aqmlab.statistics.stretches import OF_STRETCHES, of_stretches
from aqmlab.statistics.traffic import OF_TRAFFIC, of_traffic
from aqmlab.statistics.waiting import mean_waiting_s
from aqmlab.terminal.spelling import closest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aqmlab.statistics.distribution import ResponseTimes

__all__ = [
    "QUANTITIES",
    "Measured",
    "OfLinks",
    "OfPages",
    "OfRun",
    "OfUsers",
    "Quantity",
    "quantities",
    "quantity",
]

BITS_PER_KILOBYTE = 8 * 1024
MILLISECONDS = 1000.0
_SLACK_S = 1e-6
"""Instants that rounding alone tells apart."""
NINETY_MINUTES_S, SEVENTY_MINUTES_S = 5400.0, 4200.0
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)
PAGE_QUANTILES = (0.5, 0.75, 0.9, 0.95, 0.99)
RESTRICTED_TO_S = 2.0
"""The limit of the restricted mean response time where none is chosen."""


# -------------------------------------------------------------------------------------------------- of links


def _mean(name: str, *, scale: float = 1.0) -> Callable[[Sequence[Link]], float]:
    """The mean over links of a number that each link's summary has."""
    return lambda links: scale * float(np.mean([float(link[name]) for link in links]))


def _per_packet_at_risk(count: Callable[[Link], int]) -> Callable[[Sequence[Link]], float]:
    """Of 100 packets at risk at the queues of links (docs/reference/results.md), how many are counted."""
    return lambda links: loss.percent(sum(map(count, links)), sum(map(loss.at_risk_packets, links)))


def _longest_queue(links: Sequence[Link], result: Recorded) -> int:
    rows = table(result, "queue_summary", setting="record.queue_summary_interval_ms")
    interval_s = float(result.run["scenario"]["record"]["queue_summary_interval_ms"]) / MILLISECONDS
    ends = to_numpy(rows["time_s"])
    start, end = measured_window(result)
    inside = (ends - interval_s >= start - _SLACK_S) & (ends <= end + _SLACK_S)
    judged = np.logical_or.reduce([has_name(rows, "link", link["name"]) for link in links])
    greatest = to_numpy(rows["maximum_packets"])[inside & judged]
    if greatest.size == 0:
        raise TooLittleDataError("no interval of queue_summary lies in the measured window")
    return int(greatest.max())


throughput_mbps = OfLinks(
    "throughput_mbps", "Mbit/s", "throughput, Mbit/s", "Mbit/s", 1, _mean("throughput_mbps"),
    definition="bits that a link sent, at the layer of `record.throughput_layer`, per second of the window",
)  # fmt: skip
throughput_ip_mbps = OfLinks(
    "throughput_ip_mbps", "Mbit/s", "throughput (IP), Mbit/s", "IP Mbit/s", 1, _mean("throughput_ip_mbps"),
    definition="bits of IP packets that a link sent, per second of the measured window",
)  # fmt: skip
throughput_kilobytes_per_s = OfLinks(
    "throughput_kilobytes_per_s", "KB/s", "throughput, KB/s", "KB/s", 0,
    lambda links: throughput_mbps.compute(links) * 1e6 / BITS_PER_KILOBYTE,
    definition="`throughput_mbps` in kilobytes of 1,024 bytes",
)  # fmt: skip
utilization_percent = OfLinks(
    "utilization_percent", "%", "link busy, %", "busy %", 2, _mean("busy_share", scale=100.0),
    definition="time in which a link transmits, gaps between frames included, of the measured window",
    denominator="the measured window",
)  # fmt: skip
loss_percent = OfLinks(
    "loss_percent", "%", "loss, %", "loss %", 2, _per_packet_at_risk(loss.discarded_packets),
    definition="packets discarded, but for acknowledgements that a filter took out, of the packets at risk "
    "at the queues",
    denominator=loss.AT_RISK,
)  # fmt: skip
marked_percent = OfLinks(
    "marked_percent", "%", "marked, %", "marked %", 2, _per_packet_at_risk(loss.marked_packets),
    definition="packets marked with CE, of the packets at risk at the queues",
    denominator=loss.AT_RISK,
)  # fmt: skip
queue_mean_packets = OfLinks(
    "queue_mean_packets", "packets", "mean queue, packets", "queue", 1, _mean("queue_packets_mean"),
    definition="waiting packets, without the one on the wire; average over the time of the window",
)  # fmt: skip
queue_mean_ms = OfLinks(
    "queue_mean_ms", "ms", "mean waiting time, ms", "wait ms", 1,
    lambda links: MILLISECONDS * float(np.mean([mean_waiting_s(link) for link in links])),
    definition="mean time in the queue of the packets sent, without those dropped there",
)  # fmt: skip
overflow_drops = OfLinks(
    "overflow_drops", "packets", "dropped from a full queue", "overflow", 0,
    lambda links: sum(loss.discarded_packets(link, "overflow") for link in links),
    definition="packets discarded because the queue was full",
)  # fmt: skip
longest_queue_packets = OfRun(
    "longest_queue_packets", "packets", "longest queue, packets", "longest", 0,
    lambda result: _longest_queue(data_links(result), result),
    definition="greatest sample of the queues of links that carry data, in intervals of the window",
)  # fmt: skip
mean_frame_bytes = OfLinks(
    "mean_frame_bytes", "bytes", "mean frame, bytes", "frame", 0, _mean("mean_frame_bytes"),
    definition="mean length of the frames that a link sent",
)  # fmt: skip


# -------------------------------------------------------------------------------------------------- of users


_WHICH = {
    "completed": "exchanges that completed in the measured window",
    "failed": "exchanges that ended in the window without a response: their connection gave up",
    "unfinished": "exchanges in progress at the end of the run",
}


def _counted(name: str) -> OfRun:
    """Exchanges that the run counts under this name, over all populations."""

    def count(result: Recorded) -> int:
        return sum(int(entry[name]) for entry in result.run["populations"])

    return OfRun(f"{name}_exchanges", "", f"{name} exchanges", name, 0, count, definition=_WHICH[name])


completed_exchanges, failed_exchanges, unfinished_exchanges = map(
    _counted, ("completed", "failed", "unfinished")
)


def _completed(name: str, title: str, short: str, digits: int, *, in_s: float, unit: float = 1.0) -> OfRun:
    """Completed exchanges, scaled from the measured window to one of `in_s` seconds."""

    def scaled(result: Recorded) -> float:
        return completed_exchanges(result) * in_s / measured_window_s(result) / unit

    counted = "completed exchanges" if unit == 1.0 else "millions of completed exchanges"
    definition = f"{counted}, scaled from the measured window to {in_s / 60:g} minutes"
    return OfRun(name, "", title, short, digits, scaled, definition=definition)


completed_per_90_minutes = _completed(
    "completed_per_90_minutes", "completed in 90 min", "completed", 0, in_s=NINETY_MINUTES_S
)
completed_millions = _completed(
    "completed_millions", "completed, millions / 90 min", "compl. M", 2, in_s=NINETY_MINUTES_S, unit=1e6
)
requests_in_70_min = OfRun(
    "requests_in_70_min", "", "requests in 70 min", "requests", 0,
    lambda result: completed_per_90_minutes(result) * 70.0 / 90.0,
    definition="completed exchanges, scaled to 70 minutes: where nothing is congested, the requests made",
)  # fmt: skip


def quantile_s(share: float) -> OfUsers:
    """The time in seconds within which a share of the exchanges completed; infinite where fewer did."""
    short = "median s" if share == 0.5 else f"{100 * share:g} % s"
    title = f"{100 * share:g} % of responses within, s"
    return OfUsers(
        f"response_p{100 * share:g}_s", "s", title, short, 3, lambda times: times.quantile(share),
        on_logarithms=True,
        definition=f"time within which {100 * share:g} % of the ended exchanges completed; else infinite",
        denominator="exchanges that ended",
    )  # fmt: skip


def restricted_mean_s(limit_s: float = RESTRICTED_TO_S) -> OfUsers:
    """The mean of min(response time, limit) in seconds; a failed exchange counts as the limit."""
    name = f"response_restricted_mean_{limit_s:g}s_s"
    title, short = f"mean of min(response, {limit_s:g} s), s", f"min(t, {limit_s:g}) s"
    return OfUsers(
        name, "s", title, short, 3, lambda times: times.restricted_mean_s(limit_s), on_logarithms=True,
        definition=f"mean of min(response time, {limit_s:g} s) of ended exchanges; failed: {limit_s:g} s",
    )  # fmt: skip


def share_within(limit_s: float) -> OfUsers:
    """The share, from 0 to 1, of the ended exchanges that were complete within a time in seconds."""
    name, title = f"responses_within_{limit_s:g}s", f"within {limit_s:g} s"
    return OfUsers(
        name, "", title, f"≤{limit_s:g} s", 3, lambda times: float(times.cdf(limit_s)),
        definition=f"share, from 0 to 1, of the ended exchanges that completed within {limit_s:g} s",
        denominator="exchanges that ended",
    )  # fmt: skip


def _percent_between(lower_s: float, upper_s: float) -> OfUsers:
    """Per cent of the ended exchanges that took longer than the one time and no longer than the other."""

    def percent(times: ResponseTimes) -> float:
        above, at_most = times.cdf([lower_s, upper_s])
        return 100.0 * float(at_most - above)

    name = f"responses_{lower_s:g}s_to_{upper_s:g}s_percent"
    title, short = f"{lower_s:g} to {upper_s:g} s, %", f"{lower_s:g}–{upper_s:g} s %"
    definition = f"completed after more than {lower_s:g} s and at most {upper_s:g} s, of the ended exchanges"
    return OfUsers(
        name, "%", title, short, 1, percent, definition=definition, denominator="exchanges that ended"
    )


def _mean_s(times: ResponseTimes) -> float:
    if times.completed == 0:
        raise TooLittleDataError("no exchange completed in the measured window")
    middles = (times.lower_s + times.upper_s) / 2.0
    return float(middles @ times.counts / times.counts.sum())


response_mean_s = OfUsers(
    "response_mean_s", "s", "mean response, s", "mean s", 3, _mean_s, on_logarithms=True,
    definition="mean response time of the completed exchanges; a handful of huge ones may decide it",
)  # fmt: skip
median_response_ms = OfUsers(
    "median_response_ms", "ms", "median response, ms", "median ms", 0,
    lambda times: MILLISECONDS * times.quantile(0.5), on_logarithms=True,
    definition="time within which half of the ended exchanges completed; else infinite",
    denominator="exchanges that ended",
)  # fmt: skip
restricted_mean_response_ms = OfUsers(
    "restricted_mean_response_ms", "ms", "mean of min(response, 2 s), ms", "mean ≤2s ms", 0,
    lambda times: MILLISECONDS * times.restricted_mean_s(RESTRICTED_TO_S), on_logarithms=True,
    definition="mean of min(response time, 2 s) of ended exchanges; failed: 2 s",
)  # fmt: skip
RESPONSE_CLASSES = (
    OfUsers(
        "responses_within_1s_percent", "%", "within 1 s, %", "≤1 s %", 1,
        lambda times: 100.0 * float(times.cdf(1.0)),
        definition="completed within 1 s, of the ended exchanges",
        denominator="exchanges that ended",
    ),
    _percent_between(1.0, 2.0),
    _percent_between(2.0, 3.0),
    OfUsers(
        "responses_over_3s_or_failed_percent", "%", "over 3 s, %", ">3 s %", 1,
        lambda times: 100.0 * float(times.ccdf(3.0)),
        definition="completed after more than 3 s, or failed, of the ended exchanges",
        denominator="exchanges that ended",
    ),
)  # fmt: skip
"""Shares of the ended exchanges, in per cent, which add up to 100."""


# -------------------------------------------------------------------------------------------------- of pages


def page_quantile_s(share: float, pages: Pages = Pages.COMPLETED) -> OfPages:
    """The time in seconds within which a share of the pages was loaded; infinite where fewer were."""
    which = "" if pages is Pages.COMPLETED else f"{pages}_"
    name, title = f"page_{which}p{100 * share:g}_s", f"{100 * share:g} % of pages within, s"
    short = f"page {'median' if share == 0.5 else f'{100 * share:g} %'} s"
    if pages is Pages.FOLLOWED:
        title = f"{title} (followed)"
    which_pages = "pages waited for" if pages is Pages.FOLLOWED else "pages that ended"
    return OfPages(
        name, "s", title, short, 2, lambda times: times.quantile(share), pages,
        share=share, on_logarithms=True,
        definition=f"time within which {100 * share:g} % of the {which_pages} in the window were loaded; "
        f"else infinite",
        denominator=f"{which_pages} in the window",
    )  # fmt: skip


completed_pages = OfRun(
    "completed_pages", "", "pages loaded", "pages", 0,
    lambda result: round(page_load_times(result, Pages.COMPLETED).completed),
    definition="pages that were loaded in the measured window",
)  # fmt: skip
pages_unfinished = OfRun(
    "unfinished_pages", "", "pages unfinished at the end", "unfinished", 0, unfinished_pages,
    definition="pages that began in the measured window and were not loaded when the run ended",
)  # fmt: skip
pages_failed = OfRun(
    "failed_pages", "", "pages of which nothing came", "failed", 0, failed_pages,
    definition="pages that began in the measured window and of which no object came: never loaded",
)  # fmt: skip
PAGE_QUANTITIES = (
    completed_pages, pages_unfinished, pages_failed,
    *(page_quantile_s(share, pages) for pages in Pages for share in PAGE_QUANTILES),
)  # fmt: skip
"""Page load times of both populations of pages."""


# ------------------------------------------------------------------------------------------ of the whole run


measured_s = OfRun(
    "measured_s", "s", "measured window, s", "window s", 0, measured_window_s,
    definition="length of the measured window",
)  # fmt: skip


def tcp_count(result: Recorded, name: str) -> int:
    """A counter of the TCP ends, such as `timeouts` or `loss_episodes`."""
    counters = result.run["tcp"]
    if name not in counters:
        raise MissingDataError(f"`{name}` is not recorded{' by a live run' if 'live' in result.run else ''}")
    return int(counters[name])


def _per_episode(name: str) -> Callable[[Recorded], float]:
    def ratio(result: Recorded) -> float:
        episodes = tcp_count(result, "loss_episodes")
        if episodes == 0:
            raise TooLittleDataError("no loss episode occurred")
        return tcp_count(result, name) / episodes

    return ratio


def _timeouts_per_thousand(result: Recorded) -> float:
    completed = completed_exchanges(result)
    if completed == 0:
        raise TooLittleDataError("no exchange completed in the measured window")
    return 1000.0 * tcp_count(result, "timeouts") / completed


multiple_drop_share = OfRun(
    "multiple_drop_share", "", "episodes with several drops", "multiple", 3,
    _per_episode("loss_episodes_multiple"),
    definition="loss episodes with two or more dropped segments of one window, over all loss episodes",
    denominator="loss episodes",
)  # fmt: skip
timeouts_per_episode = OfRun(
    "timeouts_per_episode", "", "timeouts per loss episode", "timeouts", 3, _per_episode("timeouts"),
    definition="retransmission timeouts of data or FIN, over loss episodes",
    denominator="loss episodes",
)  # fmt: skip
timeouts_per_thousand = OfRun(
    "timeouts_per_thousand", "", "timeouts per thousand exchanges", "timeouts", 2, _timeouts_per_thousand,
    definition="retransmission timeouts of data or FIN, over thousands of completed exchanges",
    denominator="completed exchanges",
)  # fmt: skip


def class_loss_percent(packet_class: str) -> OfRun:
    """Packets of one class (`syn`, `pure_ack`, `data` ...) discarded per 100 of it at risk."""

    def percent(result: Recorded) -> float:
        none = TooLittleDataError(f"no packet of class {packet_class} arrived at the queues")
        return loss.percent(*loss.of_class(monitored_links(result), packet_class), where_none=none)

    name = f"{packet_class}_loss_percent"
    return OfRun(name, "%", f"loss of {packet_class}, %", f"{packet_class} %", 2, percent)


QUANTITIES: Mapping[str, Quantity] = {
    each.name: each
    for each in (
        loss_percent, completed_millions, requests_in_70_min, throughput_mbps, throughput_kilobytes_per_s,
        utilization_percent, queue_mean_packets, queue_mean_ms,
        median_response_ms, restricted_mean_response_ms,
        *RESPONSE_CLASSES, throughput_ip_mbps, marked_percent, mean_frame_bytes, completed_exchanges,
        failed_exchanges, unfinished_exchanges, completed_per_90_minutes, *map(quantile_s, QUANTILES),
        response_mean_s, restricted_mean_s(), share_within(0.5), measured_s, multiple_drop_share,
        timeouts_per_episode, timeouts_per_thousand, overflow_drops, longest_queue_packets, *PAGE_QUANTITIES,
    )
}  # fmt: skip


@arguments.checked(
    UnknownQuantityError,
    scope=arguments.optional(arguments.text),
)
def quantities(scope: str | None = None) -> tuple[Quantity, ...]:
    """Every quantity with a name of its own: name, unit, scope, definition, denominator.

    Beside them there are those of a part of the traffic (`loss_percent/flows.NAME`) and of a part of a run
    (`throughput_mbps/links.NAME@200-400`, in seconds).

    Args:
        scope: `links`, `users` or `run`: those of this alone.

    Raises:
        UnknownQuantityError: There is no such scope.

    >>> import aqmlab
    >>> [each.name for each in aqmlab.quantities("links")][:3]
    ['loss_percent', 'throughput_mbps', 'throughput_kilobytes_per_s']
    >>> aqmlab.quantity("loss_percent").denominator
    'packets at risk at the queues'
    """
    if scope is not None and scope not in set(Scope):
        raise UnknownQuantityError.unknown(f"scope {scope!r}", scope, Scope)
    return tuple(each for each in QUANTITIES.values() if scope in {None, each.scope.value})


@arguments.checked(
    UnknownQuantityError,
    name=arguments.text,
)
def quantity(name: str) -> Quantity:
    """The quantity of this name.

    Every place that takes the name of a quantity reads it here.

    Args:
        name: Such as `loss_percent`, `goodput_mbps/flows.bulk` or `throughput_mbps/links.up@20-40`.

    Raises:
        UnknownQuantityError: There is none; the message lists those that there are.
    """
    found = QUANTITIES.get(name) or of_stretches(name) or of_traffic(name)
    if found is not None:
        return found
    parts = "; ".join(f"{', '.join(numbers)} of {kind}.NAME" for kind, numbers in OF_TRAFFIC.items())
    legal = ", ".join(QUANTITIES)
    near = closest(name, QUANTITIES)
    meant = "" if near is None else f'; did you mean "{near}"?'
    raise UnknownQuantityError(
        f'no quantity "{name}"; there are: {legal}{meant}; and '
        f"of a part of the traffic, such as loss_percent/flows.NAME, {parts}; and "
        f"{', '.join(OF_STRETCHES)} of a part of a run, such as throughput_mbps/links.NAME@200-400",
        place="quantity",
        value=name,
        legal=legal,
        nearest=near,
    )


def by_name(wanted: Quantity | str) -> Quantity:
    """A quantity that was given itself, or by its name."""
    if isinstance(wanted, str):
        return quantity(wanted)
    found: Quantity = arguments.quantity("quantity", wanted, UnknownQuantityError)
    return found
