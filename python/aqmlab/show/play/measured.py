"""What the page draws of a run: the queue and the link over time, and how long people waited."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from aqmlab.comparison import Comparison
from aqmlab.comparison.verdict import application_name, verdict, way_of
from aqmlab.errors import MissingDataError
from aqmlab.files.columns import to_numpy
from aqmlab.show.tables.verdict import verdict_notes
from aqmlab.show.words.play import of_verdict
from aqmlab.show.words.verdict import fares_in_words, what_changes_most
from aqmlab.statistics.datagrams import (
    datagram_groups,
    delay_ms_of,
    delay_variation_ms_of,
    delays_of,
    feedback_groups,
    goodput_kbps_of_datagrams,
    loss_percent_of_datagrams,
)
from aqmlab.statistics.distribution import response_times
from aqmlab.statistics.experience import CALL, CLOUD_GAME, GAME, VIDEO_CALL, Grade, judged_groups
from aqmlab.statistics.pages import FollowedPages, Pages, page_load_times
from aqmlab.statistics.quantities import loss_percent, marked_percent, queue_mean_ms, utilization_percent
from aqmlab.statistics.recorded import judged_links, measured_window, measured_window_s, rows_named
from aqmlab.statistics.video_call import OF_VIDEO_CALLS
from aqmlab.statistics.voice import voice_mos_of
from aqmlab.statistics.waiting import waiting_ms

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aqmlab.comparison.verdict import Application
    from aqmlab.result import Result
    from aqmlab.statistics.distribution import FloatArray, ResponseTimes
    from aqmlab.statistics.quantity import OfRun


SHARES = tuple(number / 100.0 for number in range(1, 100))
"""The shares whose quantiles make a curve."""


def measurement(result: Result, link: str, waits: Sequence[str] = ()) -> dict[str, Any]:
    """A link over time, curves of page load and response times, and the few numbers that count.

    Every time is in seconds or, where the name says so, in milliseconds; what was not observed is null.
    """
    [drawn] = judged_links(result, [link])
    # The port of a router that shapes is far faster than the line behind it, which is what is busy.
    [busy] = judged_links(
        result, [link.removeprefix("router-") if result.run["scenario"].get("line") else link]
    )
    pages = _pages(result)
    return {
        "link": link,
        "measured_s": measured_window_s(result),
        "warm_up_s": float(result.run["measured_from_s"]),
        "queue": _queue(result, drawn),
        "utilization": _utilization(result, busy),
        "pages": _curve(pages),
        "responses": _curve(_responses(result)),
        "datagrams": _datagrams(result),
        "strip": strip(result, waits),
        "numbers": {
            "utilization_percent": utilization_percent.compute([busy]),
            "loss_percent": loss_percent.compute([drawn]),
            "marked_percent": marked_percent.compute([drawn]),
            "wait_ms": _mean_wait_ms(drawn),
            "pages_begun": None if pages is None else round(pages.ended),
            "pages_unfinished": None if pages is None else round(FollowedPages.of(result).unfinished),
        },
        "warnings": result.warnings,
    }


def strip(result: Result, waits: Sequence[str] = ()) -> dict[str, Any] | None:
    """The delay of one application's packets over the measured window, each way: a call's, else a game's.

    Without either it is that of a meeting. Where no packets are judged it is how long the queue of each of
    the links `waits` takes to be sent. Times begin with the window; at those of `lost_s` a packet was sent
    that never came.
    """
    kinds = judged_groups(result)
    told = next((group for kind in _TOLD_FIRST for group, own in kinds.items() if own is kind), None)
    begin_s, until_s = measured_window(result)
    if told is None or "datagram_arrivals" not in result.tables:
        ways = [_wait_in(result, link, begin_s, until_s) for link in waits]
        return {"of": "", "limits_ms": [], "ways": ways} if ways else None
    name = application_name(told)
    groups = [group for group in kinds if application_name(group) == name]
    return {
        "of": name,
        "limits_ms": list(dict.fromkeys(kinds[told].criteria[0].limits)),
        "ways": [_delays_of(result, group, begin_s, until_s) for group in groups],
    }


def judged(result: Result) -> dict[str, Any]:
    """The verdict of one run: a row for each application with its grade, and who is worst off."""
    found = Comparison.of({"now": [result]})
    told = verdict(found)
    grades = {fares.grade for each in told for fares in each.fares.values() if fares.grade is not None}
    return {
        "rows": [_row(each) for each in told],
        "words": of_verdict(what_changes_most(found, told), all_good=grades == {Grade.GOOD}),
        "notes": verdict_notes(found),
    }


def _row(application: Application) -> dict[str, Any]:
    [fares] = application.fares.values()
    return {
        "name": application.name,
        "words": fares_in_words(fares),
        "grade": None if fares.grade is None else fares.grade.word,
    }


_TOLD_FIRST = (CALL, GAME, VIDEO_CALL, CLOUD_GAME)


def _delays_of(result: Result, group: str, begin_s: float, until_s: float) -> dict[str, Any]:
    """What the packets of a group took that were sent in the window, and which never came."""
    found = delays_of(result, group, from_s=begin_s, until_s=until_s)
    return {
        "way": way_of(group) or group,
        "time_s": _listed(found.sent_s - begin_s),
        "delay_ms": _listed(found.delay_ms),
        "lost_s": [] if found.lost_s is None else _listed(found.lost_s - begin_s),
    }


def _wait_in(result: Result, link: str, begin_s: float, until_s: float) -> dict[str, Any]:
    """How long what waits at a link takes to be sent, in the window."""
    time_s, delay_ms = waiting_ms(result, link)
    within = (time_s >= begin_s) & (time_s < until_s)
    return {
        "way": link.removeprefix("router-"),
        "time_s": _listed(time_s[within] - begin_s),
        "delay_ms": _listed(delay_ms[within]),
        "lost_s": [],
    }


def _queue(result: Result, link: Mapping[str, Any]) -> dict[str, list[float]]:
    """How long what waits takes to be sent, in milliseconds, and how many packets it is."""
    rows = result.queue
    rows = rows_named(rows, "link", link["name"])
    instants, delay_ms = waiting_ms(result, link["name"])
    return {
        "time_s": _listed(instants),
        "delay_ms": _listed(delay_ms),
        "packets": _listed(to_numpy(rows["packets"])),
        "signal_percent": _listed(to_numpy(rows["signal_probability"]) * 100.0),
    }


def _mean_wait_ms(link: Mapping[str, Any]) -> float | None:
    try:
        return queue_mean_ms.of_link(link)
    except MissingDataError:  # packets wait, and none was sent
        return None


def _utilization(result: Result, link: Mapping[str, Any]) -> dict[str, list[float]]:
    rows = result.link
    rows = rows_named(rows, "link", link["name"])
    return {
        "time_s": _listed(to_numpy(rows["time_s"])),
        "percent": _listed(to_numpy(rows["utilization"]) * 100.0),
    }


_OF_PACKETS = {
    "delay_p50_ms": delay_ms_of(50),
    "delay_p95_ms": delay_ms_of(95),
    "delay_variation_p99_ms": delay_variation_ms_of,
    "loss_percent": loss_percent_of_datagrams,
    "goodput_kbps": goodput_kbps_of_datagrams,
}


def _datagrams(result: Result) -> dict[str, dict[str, Any]]:
    """What each group of datagrams felt that sent something: a call, a game."""
    kinds, reports = judged_groups(result), feedback_groups(result)
    of_calls = {CALL: {"voice_mos": voice_mos_of}, VIDEO_CALL: OF_VIDEO_CALLS, CLOUD_GAME: OF_VIDEO_CALLS}
    found: dict[str, dict[str, Any]] = {}
    for group in datagram_groups(result):
        kind = kinds.get(group)
        of_call = of_calls.get(kind, {}) if kind is not None else {}
        felt = _known(result, f"datagrams.{group}", {**_OF_PACKETS, **of_call})
        if group not in reports and "delay_p50_ms" in felt:
            found[group] = {"kind": None if kind is None else kind.name, **felt}
    return found


def _known(
    result: Result, part: str, quantities: Mapping[str, Callable[[str], OfRun]]
) -> dict[str, float | None]:
    """Those of the numbers of a part of the traffic that the run has; null for which it is too short."""
    found: dict[str, float | None] = {}
    for name, quantity in quantities.items():
        try:
            value = quantity(part)(result)
        except MissingDataError:
            continue
        found[name] = value if math.isfinite(value) else None
    return found


def _pages(result: Result) -> ResponseTimes | None:
    # Those that were waited for in the window, unfinished ones as such: among the ended ones slow ones lack.
    return _observed(lambda: page_load_times(result, Pages.FOLLOWED))


def _responses(result: Result) -> ResponseTimes | None:
    return _observed(lambda: response_times(result))


def _observed(of: Any) -> ResponseTimes | None:  # noqa: ANN401
    """The times, if anything began: a network may have no users. What began may not have come yet."""
    try:
        times: ResponseTimes = of()
    except MissingDataError:
        return None
    return times if times.ended else None


def _curve(times: ResponseTimes | None) -> dict[str, Any] | None:
    """Quantiles at every percent; none is infinite, which JSON lacks. No curve where nothing came."""
    if times is None or not times.completed:
        return None
    at = [times.quantile(share) for share in SHARES]
    return {
        "share": list(SHARES),
        "seconds": [value if math.isfinite(value) else None for value in at],
    }


def _listed(values: FloatArray) -> list[float]:
    return [float(f"{value:.5g}") for value in values.tolist()]
