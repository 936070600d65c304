"""A second computation of every quantity, by plain loops over raw rows, as the documentation defines it.

Nothing here uses `aqmlab.statistics` or NumPy. Weights of page load times are exact fractions. `NAIVE` has a
function for each registered quantity, `NAIVE_OF_TRAFFIC` and `NAIVE_OF_STRETCHES` for each number of a part
of the traffic and of the run; a test asks that none is missing.
"""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from itertools import pairwise, permutations
from typing import TYPE_CHECKING, Any

from naive_rows import NoNumberError, mean, rows, seconds, window
from naive_transfers import transfers_that_count, transfers_within
from naive_video import (
    call_bitrate_mbps,
    call_frame_delay_ms,
    call_freezes_per_hour,
    call_frozen_percent,
    video_bitrate_mbps,
    video_calls_of,
    video_stalled_percent,
    video_stalls_per_hour,
    video_start_s,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aqmlab.statistics import Recorded

    Row = Mapping[str, Any]
    Bins = dict[tuple[float, float], Fraction]
    Naive = Callable[[Recorded], float]


# ---------------------------------------------------------------------------------------------- distributions


class Distribution:
    """How many took between two times, and how many never finished."""

    def __init__(self, bins: Bins, never: Fraction) -> None:
        """Takes the weight of each bin, by its edges in seconds, and the weight of what is in none."""
        self.bins = dict(sorted(bins.items()))
        self.never = never
        self.all = sum(bins.values(), never)
        if not self.all:
            raise NoNumberError("nobody")

    def within(self, time_s: float) -> float:
        """The share that took no longer."""
        done = 0.0
        for (lower, upper), weight in self.bins.items():
            if time_s >= upper:
                done += float(weight)
            elif time_s > lower:
                done += float(weight) * (time_s - lower) / (upper - lower)
        return done / float(self.all)

    def quantile(self, share: Fraction) -> float:
        """The first time within which the share was done."""
        wanted, done = share * self.all, Fraction(0)
        for (lower, upper), weight in self.bins.items():
            if weight and done + weight >= wanted:
                return lower + float((wanted - done) / weight) * (upper - lower)
            done += weight
        return math.inf

    def mean_up_to(self, limit: float) -> float:
        """The mean of min(time, limit); what never finished counts as the limit."""
        total = limit * float(self.never)
        for (lower, upper), weight in self.bins.items():
            if upper <= limit:
                mean = (lower + upper) / 2.0
            elif lower >= limit:
                mean = limit
            else:
                below = (limit - lower) / (upper - lower)
                mean = below * (lower + limit) / 2.0 + (1.0 - below) * limit
            total += float(weight) * mean
        return total / float(self.all)


def responses(result: Recorded) -> Distribution:
    """Response times of all ended exchanges."""
    bins: Bins = defaultdict(Fraction)
    for row in rows(result, "response_histogram"):
        bins[row["lower_s"], row["upper_s"]] += row["count"]
    watching = viewers_of(result)
    failed = sum(each["failed"] for each in result.run["populations"] if each["name"] not in watching)
    return Distribution(bins, Fraction(failed))


def pages_counted(result: Recorded, counted: str) -> Bins:
    """Bins of one kind of pages."""
    bins: Bins = defaultdict(Fraction)
    for row in rows(result, "page_histogram"):
        if row["counted"] == counted:
            bins[row["lower_s"], row["upper_s"]] += row["count"]
    return bins


Page = tuple[float, tuple[float, float], bool, Fraction]
"""From which age it was watched, between which times it was last seen, whether loaded then, how many."""


def pages_waited_for(result: Recorded) -> list[Page]:
    """The pages that somebody waited for in the window: by rows, or those that began in it by bins."""
    if "pages" not in result.tables:
        found: list[Page] = []
        for counted in ("followed", "unfinished", "failed"):
            for edges, count in pages_counted(result, counted).items():
                found.append((0.0, edges, counted == "followed", count))
        return found
    return [page_of_row(result, row) for row in rows(result, "pages") if is_waited_for(result, row)]


def is_waited_for(result: Recorded, row: Row) -> bool:
    """Whether a page was under way at some instant of the window."""
    begin, end = window(result)
    return bool(row["began_s"] < end and row["began_s"] + row["page_load_time_s"] > begin)


def page_of_row(result: Recorded, row: Row) -> Page:
    """A page under way at the beginning is watched from its age then, unless it outlasts the window."""
    begin, end = window(result)
    began, took = row["began_s"], row["page_load_time_s"]
    age = begin - began if began < begin and began + took < end else 0.0
    loaded = bool(row["ended"] and row["objects"])
    if row["ended"] and not loaded:
        took = result.run["scenario"]["duration_s"] - began
    return age, (took, took), loaded, Fraction(1)


def kaplan_meier(pages: Sequence[Page]) -> Distribution:
    """The estimate of Kaplan and Meier among those watched at each age, with the pages as its weight."""
    everybody = sum((count for *_, count in pages), Fraction(0))
    longer, weights = Fraction(1), {}
    for edges in sorted({edges for _, edges, loaded, _ in pages if loaded}):
        at_risk = done = Fraction(0)
        for entered, others, loaded, count in pages:
            if entered < edges[0] and others >= edges:
                at_risk += count
            if loaded and others == edges:
                done += count
        stays = longer * (1 - done / at_risk)
        weights[edges] = everybody * (longer - stays)
        longer = stays
    return Distribution(weights, everybody * longer)


def pages_completed(result: Recorded) -> Distribution:
    """Load times of the pages that ended in the window."""
    return Distribution(pages_counted(result, "completed"), Fraction(0))


def pages_followed(result: Recorded) -> Distribution:
    """Load times of the pages that were waited for in the window."""
    return kaplan_meier(pages_waited_for(result))


def quantile_of(times: Callable[[Recorded], Distribution], share: float) -> Naive:
    """A quantile of a distribution of a run."""
    return lambda result: times(result).quantile(Fraction(str(share)))


def response_mean_s(result: Recorded) -> float:
    """Mean of the completed exchanges."""
    total = count = 0.0
    for row in rows(result, "response_histogram"):
        total += row["count"] * (row["lower_s"] + row["upper_s"]) / 2.0
        count += row["count"]
    if not count:
        raise NoNumberError("nobody completed")
    return total / count


def per_cent_between(lower: float, upper: float) -> Naive:
    """Of 100 ended exchanges how many took longer than one time and no longer than another."""
    return lambda result: 100.0 * (responses(result).within(upper) - responses(result).within(lower))


# ------------------------------------------------------------------------------------------------------ links


def data_links(result: Recorded) -> list[Mapping[str, Any]]:
    """The links that carry what users and flows ask for."""
    links = [link for link in result.run["links"] if link["carries_data"]]
    if not links:
        raise NoNumberError("no link")
    return links


def mean_over_links(name: str, factor: float = 1.0) -> Naive:
    """The mean of a number of each link."""

    def mean(result: Recorded) -> float:
        links, total = data_links(result), 0.0
        for link in links:
            total += factor * link[name]
        return total / len(links)

    return mean


def per_cent_of_packets_at_risk(count: Callable[[Mapping[str, Any]], int]) -> Naive:
    """Of 100 packets at risk at all links how many were counted."""

    def percent(result: Recorded) -> float:
        counted = at_risk = 0
        for link in data_links(result):
            counted += count(link["counters"])
            at_risk += link["counters"]["at_risk"]["packets"]
        return 100.0 * counted / at_risk if at_risk else 0.0

    return percent


def all_discarded(counters: Mapping[str, Any]) -> int:
    """Packets discarded for any reason."""
    total = 0
    for reason in counters["discarded"].values():
        total += reason["packets"]
    return total


def overflow_drops(result: Recorded) -> float:
    """Packets that found a full queue."""
    total = 0
    for link in data_links(result):
        total += link["counters"]["discarded"].get("overflow", {"packets": 0})["packets"]
    return total


def longest_queue(result: Recorded) -> float:
    """The longest sample of the intervals of the measured window."""
    names = [link["name"] for link in data_links(result)]
    begin, end = window(result)
    interval = result.run["scenario"]["record"]["queue_summary_interval_ms"] / 1000.0
    longest = []
    for row in rows(result, "queue_summary"):
        inside = row["time_s"] - interval > begin - 1e-6 and row["time_s"] < end + 1e-6
        if row["link"] in names and inside:
            longest.append(row["maximum_packets"])
    if not longest:
        raise NoNumberError("no interval")
    return float(max(longest))


# --------------------------------------------------------------------------------------------- whole runs


def exchanges(kind: str) -> Callable[[Recorded], int]:
    """Exchanges of all populations that the run counts so."""

    def count(result: Recorded) -> int:
        total = 0
        for population in result.run["populations"]:
            total += population[kind]
        return total

    return count


def completed_in(span_s: float, unit: float = 1.0) -> Naive:
    """Completed exchanges, as many as there would be in so many seconds."""
    return lambda result: exchanges("completed")(result) / seconds(result) * span_s / unit


def tcp_ratio(counted: str, of: Callable[[Recorded], int], factor: float = 1.0) -> Naive:
    """A counter of TCP over something else."""

    def ratio(result: Recorded) -> float:
        if not of(result):
            raise NoNumberError("none of it")
        return factor * float(result.run["tcp"][counted]) / of(result)

    return ratio


def episodes(result: Recorded) -> int:
    """Loss episodes."""
    return int(result.run["tcp"]["loss_episodes"])


def whole_count(bins: Bins) -> int:
    """How many there are in bins."""
    return int(sum(bins.values()))


def mean_waiting_ms(result: Recorded) -> float:
    """The mean wait that each link tells."""
    waits = [1000.0 * link["wait_mean_s"] for link in data_links(result)]
    return float(sum(waits) / len(waits))


def mean_wait_by_packets_s(result: Recorded, link: str) -> float:
    """Of the packets sent in the window: from arrival to the end of the transmission, less its time."""
    framing = result.run["scenario"]["dumbbell"]
    [rate_mbps] = [each["rate_mbps"] for each in result.run["links"] if each["name"] == link]
    begin, end = window(result)
    waiting: dict[tuple[Any, ...], list[float]] = defaultdict(list)
    waits: list[float] = []
    for row in rows(result, "packets"):
        if row["link"] != link:
            continue
        names = ("connection", "sender", "sequence", "acknowledgement", "payload_bytes", "flags")
        packet = tuple(row[name] for name in names)
        if row["event"] == "arrival":
            waiting[packet].append(row["time_s"])
            continue
        arrived_s = waiting[packet].pop(0)
        frame = max(row["ip_bytes"] + framing["layer2_overhead_bytes"], framing["layer2_minimum_frame_bytes"])
        transmission_s = 8e-6 * (frame + framing["layer2_gap_bytes"]) / rate_mbps
        if row["event"] == "departure" and begin <= row["time_s"] < end:
            waits.append(row["time_s"] - transmission_s - arrived_s)
    return float(sum(waits) / len(waits))


SHARES = (0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)
PAGE_SHARES = (0.5, 0.75, 0.9, 0.95, 0.99)
NAIVE: Mapping[str, Naive] = {
    "throughput_mbps": mean_over_links("throughput_mbps"),
    "throughput_ip_mbps": mean_over_links("throughput_ip_mbps"),
    "throughput_kilobytes_per_s": mean_over_links("throughput_mbps", 1e6 / 8.0 / 1024.0),
    "utilization_percent": mean_over_links("busy_share", 100.0),
    "queue_mean_packets": mean_over_links("queue_packets_mean"),
    "queue_mean_ms": mean_waiting_ms,
    "mean_frame_bytes": mean_over_links("mean_frame_bytes"),
    "loss_percent": per_cent_of_packets_at_risk(all_discarded),
    "marked_percent": per_cent_of_packets_at_risk(lambda counters: counters["marked"]["packets"]),
    "overflow_drops": overflow_drops,
    "longest_queue_packets": longest_queue,
    "completed_exchanges": exchanges("completed"),
    "failed_exchanges": exchanges("failed"),
    "unfinished_exchanges": exchanges("unfinished"),
    "completed_per_90_minutes": completed_in(90 * 60),
    "completed_millions": completed_in(90 * 60, 1e6),
    "requests_in_70_min": completed_in(70 * 60),
    "measured_s": seconds,
    **{f"response_p{100 * share:g}_s": quantile_of(responses, share) for share in SHARES},
    "median_response_ms": lambda result: 1000.0 * responses(result).quantile(Fraction(1, 2)),
    "response_mean_s": response_mean_s,
    "response_restricted_mean_2s_s": lambda result: responses(result).mean_up_to(2.0),
    "restricted_mean_response_ms": lambda result: 1000.0 * responses(result).mean_up_to(2.0),
    "responses_within_0.5s": lambda result: responses(result).within(0.5),
    "responses_within_1s_percent": lambda result: 100.0 * responses(result).within(1.0),
    "responses_1s_to_2s_percent": per_cent_between(1.0, 2.0),
    "responses_2s_to_3s_percent": per_cent_between(2.0, 3.0),
    "responses_over_3s_or_failed_percent": lambda result: 100.0 * (1.0 - responses(result).within(3.0)),
    "completed_pages": lambda result: whole_count(pages_counted(result, "completed")),
    "unfinished_pages": lambda result: whole_count(pages_counted(result, "unfinished")),
    "failed_pages": lambda result: whole_count(pages_counted(result, "failed")),
    **{f"page_p{100 * share:g}_s": quantile_of(pages_completed, share) for share in PAGE_SHARES},
    **{f"page_followed_p{100 * share:g}_s": quantile_of(pages_followed, share) for share in PAGE_SHARES},
    "multiple_drop_share": tcp_ratio("loss_episodes_multiple", episodes),
    "timeouts_per_episode": tcp_ratio("timeouts", episodes),
    "timeouts_per_thousand": tcp_ratio("timeouts", exchanges("completed"), 1000.0),
}


# ------------------------------------------------------------------------------------ parts of the traffic

SENDERS = {
    "populations": ("population", "server"),
    "flows": ("flow_group", "browser"),
    "datagrams": ("datagram_group", "browser"),
}


def of_part(result: Recorded, table: str, part: str) -> list[Row]:
    """The rows of a table that are of a part's senders."""
    kind, name = part.split(".", 1)
    column, sender = SENDERS[kind]
    return [row for row in rows(result, table) if row[column] == name and row["sender"] == sender]


def paths_over(links: Sequence[Mapping[str, Any]]) -> list[Sequence[Mapping[str, Any]]]:
    """The orders of links in which they follow one another and come to no place twice."""
    found: list[Sequence[Mapping[str, Any]]] = []
    for order in permutations(links):
        places = [order[0]["from"], *(link["to"] for link in order)]
        follow = all(one["to"] == other["from"] for one, other in pairwise(order))
        if follow and len(set(places)) == len(places):
            found.append(order)
    return found


def loss_percent_of(result: Recorded, part: str) -> float:
    """What the links of a path discarded, of that and of what the last of them sent."""
    discarded: dict[str, int] = defaultdict(int)
    sent: dict[str, int] = defaultdict(int)
    for row in of_part(result, "traffic", part):
        discarded[row["link"]] += row["discarded_packets"]
        sent[row["link"]] += row["sent_packets"]
    passed = [link for link in result.run["links"] if discarded[link["name"]] + sent[link["name"]]]
    if not passed or len(paths := paths_over(passed)) != 1:
        raise NoNumberError("no path")
    lost = sum(discarded.values())
    return 100.0 * lost / (lost + sent[paths[0][-1]["name"]])


def viewers_of(result: Recorded) -> set[str]:
    """The populations that watch videos, where segments are recorded."""
    if "video_segments" not in result.tables:
        return set()
    populations = result.run["scenario"]["populations"]
    return {each["name"] for each in populations if each["model"]["model"] == "video-streaming"}


def goodput_kbps_of(result: Recorded, part: str) -> float:
    """Bytes that reached receivers in the window, in kbit/s."""
    kind, name = part.split(".", 1)
    known = [each["name"] for each in result.run[kind]]
    if name not in known:
        raise NoNumberError(name)
    delivered = 0
    if kind == "flows":
        for group in result.run["flows"]:
            if group["name"] == name:
                delivered += sum(group["delivered_bytes"])
    elif name in viewers_of(result):
        begin, end = window(result)
        for row in rows(result, "video_segments"):
            arrived_at = row["requested_at_s"] + row["download_time_s"]
            if row["population"] == name and row["arrived"] and begin <= arrived_at < end:
                delivered += row["bytes"]
    else:
        for row in rows(result, "responses"):
            if row["population"] == name:
                delivered += row["response_bytes"]
    return delivered * 8.0 / 1000.0 / seconds(result)


def goodput_mbps_of(result: Recorded, part: str) -> float:
    """The same in Mbit/s."""
    return goodput_kbps_of(result, part) / 1000.0


def goodput_per_flow_mbps_of(result: Recorded, part: str) -> float:
    """Megabits that a flow of the group delivered per second of the window, in the mean."""
    total_mbps = goodput_mbps_of(result, part)
    for entry in result.run.get("flows", ()):
        if "flows." + entry["name"] == part:
            return total_mbps / len(entry["delivered_bytes"])
    raise NoNumberError


def jain_index_of(result: Recorded, part: str) -> float:
    """By pairs: of n that got x, 1 / (1 + the squared coefficient of variation)."""
    got = [each["delivered_bytes"] for each in result.run["flows"] if f"flows.{each['name']}" == part]
    if not got or not sum(got[0]):
        raise NoNumberError(part)
    mean = sum(got[0]) / len(got[0])
    variance = sum((each - mean) ** 2 for each in got[0]) / len(got[0])
    return float(1.0 / (1.0 + variance / mean**2))


def sources_of(result: Recorded, part: str) -> list[Row]:
    """The rows of the sources of a group of datagrams."""
    found = [row for row in rows(result, "datagrams") if f"datagrams.{row['group']}" == part]
    if not found:
        raise NoNumberError(part)
    return found


def mean_over_sources(number: Callable[[Row], float], silent: float) -> Callable[[Recorded, str], float]:
    """The mean over sources that sent something; `silent` of one of which all was lost."""

    def mean_of_group(result: Recorded, part: str) -> float:
        found = [
            silent if row["lost_packets"] == row["sent_packets"] else number(row)
            for row in sources_of(result, part)
            if row["sent_packets"]
        ]
        if not found:
            raise NoNumberError(part)
        return sum(found) / len(found)

    return mean_of_group


def delay_ms_of_row(row: Row, percent: int) -> float:
    """A percentile of the delay: infinite without an upper end, else the lower; one if they are one bin."""
    least, most = (1000.0 * row[f"delay_p{percent}_{end}_s"] for end in ("least", "most"))
    return float(most if math.isinf(most) or most - least <= 0.001 * least else least)


def delay_ms(percent: int) -> Callable[[Recorded, str], float]:
    """The mean over sources of a percentile of the delay."""
    return mean_over_sources(lambda row: delay_ms_of_row(row, percent), math.inf)


def jitter_ms_of_row(row: Row) -> float:
    """What 99 % take more than the fastest, which is no delay at all where none has come."""
    fastest = row["delay_minimum_s"] if row["received_packets"] else 0.0
    return max(delay_ms_of_row(row, 99) - 1000.0 * fastest, 0.0)


def loss_percent_of_datagrams(result: Recorded, part: str) -> float:
    """Lost ones among those that were sent."""
    lost = others = 0
    for row in sources_of(result, part):
        lost += row["lost_packets"]
        others += row["received_packets"] + row["under_way_packets"]
    if lost + others == 0:
        raise NoNumberError(part)
    return 100.0 - 100.0 * others / (lost + others)


def under_way_percent_of_datagrams(result: Recorded, part: str) -> float:
    """Those of which nothing is known, among those that were sent."""
    own = sources_of(result, part)
    known = sum(int(row["lost_packets"]) + int(row["received_packets"]) for row in own)
    sent = sum(int(row["sent_packets"]) for row in own)
    if not sent:
        raise NoNumberError(part)
    return 100.0 * (sent - known) / sent


def goodput_kbps_of_datagrams(result: Recorded, part: str) -> float:
    """IP bits that arrived in a millisecond of the window."""
    arrived = sum(int(row["arrived_bytes"]) for row in sources_of(result, part))
    return 8.0 * arrived / (1000.0 * seconds(result))


def idd(delay_s: float) -> float:
    """What G.107 says that a delay costs of R, in its range of delays."""
    octaves = max(0.0, math.log(delay_s / 0.100) / math.log(2.0))
    return float(25.0 * ((1.0 + octaves**6) ** (1 / 6) - (729.0 + octaves**6) ** (1 / 6) + 2.0))


def idd_slope(delay_s: float) -> float:
    """The derivative of `idd`, by the chain rule, where it is not level."""
    octaves = math.log(delay_s / 0.100) / math.log(2.0)
    rise, bend = ((each + octaves**6) ** (-5 / 6) for each in (1.0, 729.0))
    return float(25.0 * octaves**5 * (rise - bend) / (delay_s * math.log(2.0)))


def voice_r_of_row(row: Row) -> float:
    """R of ITU-T G.107 in its other form, if all under way are lost and the others late."""
    heard = 0.99 * row["received_packets"] / row["sent_packets"]
    lost_percent = 100.0 - 100.0 * heard
    late_s = min(row["delay_p99_most_s"], 1e6)
    delayed = idd(0.020 + min(late_s, 0.480))
    beyond_s = max(0.0, late_s - 0.480)
    delayed += beyond_s * idd_slope(0.500)
    return float(max(93.2 - delayed - 95.0 * lost_percent / (lost_percent + 25.1), 0.0))


def mos_of_r(r: float) -> float:
    """The cubic of annex B, multiplied out."""
    return max(1.0, 1.0 - 0.007 * r + 0.00112 * r * r - 7e-6 * r * r * r)


def voice(number: Callable[[Row], float], worst: float) -> Callable[[Recorded, str], float]:
    """The mean over sources of a rating of each; a video call and its reports have none."""

    def of_group(result: Recorded, part: str) -> float:
        if part.removesuffix("-feedback") in video_calls_of(result):
            raise NoNumberError(part)
        return mean_over_sources(number, worst)(result, part)

    return of_group


def goodput_of_device(way: str) -> Callable[[Recorded, str], float]:
    """The traffic that ends at a device, or begins there, group by group, in Mbit/s."""

    def of_device(result: Recorded, part: str) -> float:
        scenario, device = result.run["scenario"], part.split(".", 1)[1]
        if device not in [each["name"] for each in scenario["devices"]]:
            raise NoNumberError(device)
        kbps = 0.0
        for flows in scenario["flows"]:
            if (flows["receivers"] if way == "down" else flows["senders"]) == device:
                kbps += goodput_kbps_of(result, f"flows.{flows['name']}")
        for group in scenario["datagrams"]:
            if group.get("receivers" if way == "down" else "senders") == device:
                kbps += goodput_kbps_of_datagrams(result, f"datagrams.{group['name']}")
        for people in scenario["populations"]:
            if way == "down" and people["browsers"] == device:
                kbps += goodput_kbps_of(result, f"populations.{people['name']}")
        return kbps / 1000.0

    return of_device


def jain_index_of_devices(result: Recorded, part: str) -> float:
    """By pairs, of the devices at which flows end, or begin."""
    way = part.split(".", 1)[1]
    if way not in ("down", "up"):
        raise NoNumberError(way)
    flows = result.run["scenario"]["flows"]
    ends = {each["receivers" if way == "down" else "senders"] for each in flows}
    names = [each["name"] for each in result.run["scenario"]["devices"] if each["name"] in ends]
    got = [goodput_of_device(way)(result, f"devices.{name}") for name in names]
    if len(got) < 2 or not sum(got):
        raise NoNumberError(part)
    mean = sum(got) / len(got)
    variance = sum((each - mean) ** 2 for each in got) / len(got)
    return float(1.0 / (1.0 + variance / mean**2))


NAIVE_OF_TRAFFIC: Mapping[str, Mapping[str, Callable[[Recorded, str], float]]] = {
    "populations": {
        "loss_percent": loss_percent_of,
        "goodput_kbps": goodput_kbps_of,
        "goodput_mbps": goodput_mbps_of,
        "video_stalled_percent": video_stalled_percent,
        "video_stalls_per_hour": video_stalls_per_hour,
        "video_bitrate_mbps": video_bitrate_mbps,
        "video_start_s": video_start_s,
    },
    "flows": {
        "loss_percent": loss_percent_of,
        "goodput_kbps": goodput_kbps_of,
        "goodput_mbps": goodput_mbps_of,
        "goodput_per_flow_mbps": goodput_per_flow_mbps_of,
        "jain_index": jain_index_of,
        "completion_p50_s": transfers_within(Fraction(1, 2)),
        "completion_p95_s": transfers_within(Fraction(19, 20)),
        "slowdown_p50": transfers_within(Fraction(1, 2), alone=True),
        "slowdown_p95": transfers_within(Fraction(19, 20), alone=True),
        "transfers": lambda result, part: len(transfers_that_count(result, part)),
        "unfinished_transfers": lambda result, part: sum(
            math.isnan(row["transfer_time_s"]) for row in transfers_that_count(result, part)
        ),
    },
    "devices": {
        "goodput_down_mbps": goodput_of_device("down"),
        "goodput_up_mbps": goodput_of_device("up"),
        "jain_index": jain_index_of_devices,
    },
    "datagrams": {
        "delay_p50_ms": delay_ms(50),
        "delay_p95_ms": delay_ms(95),
        "delay_p99_ms": delay_ms(99),
        "delay_variation_p99_ms": mean_over_sources(jitter_ms_of_row, math.inf),
        "loss_percent": loss_percent_of_datagrams,
        "under_way_percent": under_way_percent_of_datagrams,
        "goodput_kbps": goodput_kbps_of_datagrams,
        "goodput_mbps": lambda result, part: goodput_kbps_of_datagrams(result, part) / 1000.0,
        "voice_r": voice(voice_r_of_row, 0.0),
        "voice_mos": voice(lambda row: mos_of_r(voice_r_of_row(row)), 1.0),
        "call_bitrate_mbps": call_bitrate_mbps,
        "call_frame_delay_p50_ms": call_frame_delay_ms(Fraction(1, 2)),
        "call_frame_delay_p95_ms": call_frame_delay_ms(Fraction(19, 20)),
        "call_frozen_percent": call_frozen_percent,
        "call_freezes_per_hour": call_freezes_per_hour,
    },
}


# ---------------------------------------------------------------------------------------- parts of a run

Pairs = list[tuple[float, float]]


def rows_then(result: Recorded, table: str, column: str, pairs: Pairs) -> list[Row]:
    """The rows of a table whose instant lies in a stretch; to ten microseconds."""

    def ticks(instant: float) -> int:
        return round(1e5 * instant)

    return [
        row
        for row in rows(result, table)
        if any(ticks(begin) <= ticks(row[column]) < ticks(until) for begin, until in pairs)
    ]


def traffic_then(result: Recorded, part: str, pairs: Pairs) -> list[Row]:
    """The rows of the traffic of a part in stretches; of senders, over one link in the run."""
    then = rows_then(result, "traffic_series", "from_s", pairs)
    kind, name = part.split(".", 1)
    if kind == "links":
        if name not in [link["name"] for link in result.run["links"]]:
            raise NoNumberError(name)
        return [row for row in then if row["link"] == name]
    of_run = of_part(result, "traffic_series", part)
    if len({row["link"] for row in of_run}) != 1:
        raise NoNumberError("no link, or several")
    return [row for row in then if row in of_run]


def throughput_then(result: Recorded, part: str, pairs: Pairs) -> float:
    """IP bits sent in stretches, over their length."""
    length = sum(until - begin for begin, until in pairs)
    sent = sum(int(row["sent_bytes"]) for row in traffic_then(result, part, pairs))
    return sent * 8.0 / length / 1e6


def lost_then(unit: str) -> Callable[[Recorded, str, Pairs], float]:
    """Of 100 that were sent or discarded how many were discarded."""

    def percent(result: Recorded, part: str, pairs: Pairs) -> float:
        lost = came = 0
        for row in traffic_then(result, part, pairs):
            lost += row[f"discarded_{unit}"]
            came += row[f"discarded_{unit}"] + row[f"sent_{unit}"]
        if not came:
            raise NoNumberError("nothing came")
        return 100.0 * lost / came

    return percent


def values_then(
    result: Recorded, table: str, column: str, at: str, pairs: Pairs, **names: str
) -> list[float]:
    """The values of a column in stretches, of the rows with these names."""
    found = [
        float(row[column])
        for row in rows_then(result, table, at, pairs)
        if all(row[key] == name for key, name in names.items())
    ]
    if not found:
        raise NoNumberError("no sample")
    return found


def queue_then(result: Recorded, part: str, pairs: Pairs) -> list[float]:
    """Samples of a queue in kilobytes."""
    link = part.split(".", 1)[1]
    return [each / 1000.0 for each in values_then(result, "queue", "bytes", "time_s", pairs, link=link)]


def queue_mean_then(result: Recorded, part: str, pairs: Pairs) -> float:
    """What waited between the samples of stretches, in kilobytes of packets of the size that samples met.

    Of the size of those that were sent in the window if no sample met any.
    """
    link = part.split(".", 1)[1]
    inside = [(round(1e5 * begin), round(1e5 * until)) for begin, until in pairs]
    then = [
        row
        for row in rows(result, "queue")
        if row["link"] == link and any(begin < round(1e5 * row["time_s"]) <= until for begin, until in inside)
    ]
    if not then:
        raise NoNumberError("no sample")
    met = sum(row["packets"] for row in then)
    if met:
        each = sum(row["bytes"] for row in then) / met
    else:
        [own] = [each for each in result.run["links"] if each["name"] == link]
        frames = own["throughput_frame_mbps"] / own["mean_frame_bytes"]
        each = own["throughput_ip_mbps"] / frames
    return float(mean([row["mean_packets"] for row in then])) * float(each) / 1000.0


def queue_deviation(result: Recorded, part: str, pairs: Pairs) -> float:
    """Root of the mean squared distance of the samples from their mean."""
    samples = queue_then(result, part, pairs)
    middle = mean(samples)
    return math.sqrt(mean([(each - middle) ** 2 for each in samples]))


def state_then(quantity: str) -> Callable[[Recorded, str, Pairs], float]:
    """100 times the mean of what a scheme tells."""

    def percent(result: Recorded, part: str, pairs: Pairs) -> float:
        names = {"link": part.split(".", 1)[1], "quantity": quantity}
        return 100.0 * mean(values_then(result, "scheme_state", "value", "time_s", pairs, **names))

    return percent


def response_then(result: Recorded, part: str, pairs: Pairs) -> float:
    """Mean response time of what was complete in the stretches."""
    at, population = "completed_at_s", part.split(".", 1)[1]
    return mean(values_then(result, "responses", "response_time_s", at, pairs, population=population))


NAIVE_OF_STRETCHES: Mapping[str, Callable[[Recorded, str, Pairs], float]] = {
    "throughput_mbps": throughput_then,
    "packet_loss_percent": lost_then("packets"),
    "byte_loss_percent": lost_then("bytes"),
    "queue_mean_kilobytes": queue_mean_then,
    "queue_deviation_kilobytes": queue_deviation,
    "notification_rate_percent": state_then("notification_rate"),
    "filter_on_percent": state_then("filter_is_on"),
    "response_mean_s": response_then,
}
