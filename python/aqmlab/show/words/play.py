"""What the page of `aqmlab play` shows of one run, and of a comparison under way."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from aqmlab.load.parametrized_scheme import spelt
from aqmlab.show.words.amounts import bit_rate, counted, delay, duration, listed, percent, share_of_time
from aqmlab.show.words.calls import in_words
from aqmlab.statistics.experience import KINDS, experience, worst
from aqmlab.statistics.observation import Observation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aqmlab.load.queue_place import QueuePlace
    from aqmlab.statistics.quantity import Quantity

    Measurement = Mapping[str, Any]

_UNKNOWN = "–"
_USUAL, _SLOW = 0.5, 0.95


def of_run(run: Measurement, *, simulated_s: float) -> dict[str, Any]:
    length = f"one run of {duration(simulated_s)}, measured for {duration(run['measured_s'])}"
    return {
        "headline": _headline(run),
        "before": _before(run),
        "rows": [list(row) for row in _rows(run)],
        "scope": (
            f"This is {length}: too short to compare settings. Another seed changes these numbers; the "
            "comparison below shows by how much."
        ),
    }


def of_verdict(worst: str, *, all_good: bool) -> dict[str, str]:
    """Who is worst off: as the headline `now`, and `before` beside the next one; empty if none is judged."""
    if all_good:
        return {"now": "Everybody is well off: all grades are good.", "before": "Before: all were good."}
    return {"now": worst, "before": f"Before: {worst[0].lower()}{worst[1:]}" if worst else ""}


_AT = {
    "router": "in your router, which shapes",
    "router-unshaped": "in your router, unshaped",
    "modem": "in the modem, up alone",
    "provider": "at the provider's, down alone",
    "line": "in the modem and at the provider's",
}


def of_place(place: QueuePlace) -> str:
    """Where a queue management stands, as the label of a choice."""
    return _AT[place.name]


def of_application(name: str, groups: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """An application as the label of a switch: `backup (upload)`, `readers (pages)`, `call`."""
    what = {_what(table, group) for table, group in groups} - {"", name}
    return f"{name} ({what.pop()})" if len(what) == 1 else name


def _what(table: str, group: Mapping[str, Any]) -> str:
    if table == "flows":
        return "download" if group.get("senders") == "internet" else "upload"
    if table == "populations":
        return "videos" if "video" in str(group["model"].get("model")) else "pages"
    return ""


_COUNTED = {"readers": "people who read web pages", "backup": "uploads (backups)", "download": "downloads"}


def of_count(name: str) -> str:
    """How many there are of an application, as the label of a slider."""
    return _COUNTED.get(name, f"{name}, number")


_SENDERS = {"": "as it is", "cubic": "CUBIC", "reno": "Reno", "bbr": "BBR"}


def of_sender(name: str) -> str:
    """How servers of downloads send, as the label of a choice; empty: as the scenario says."""
    return _SENDERS[name]


def of_setting(
    scheme: str,
    place: QueuePlace | None,
    *,
    off: Sequence[str],
    rates_mbps: Sequence[float],
    further: Sequence[str] = (),
) -> str:
    """A household's setting: `FQ-CoDel in your router, which shapes; without backup; 50 down and 10 up`."""
    told = [spelt(scheme) if place is None else f"{spelt(scheme)} {of_place(place)}"]
    if off:
        told.append(f"without {listed(list(off), most=8)}")
    if rates_mbps:
        down, up = rates_mbps
        told.append(f"{down:g} Mbit/s down and {up:g} up")
    told += further
    return "; ".join(told)


def of_page(name: str, *, home: bool) -> dict[str, str]:
    """The words of the page that no run changes: `title`, what its commands do, where no page was loaded."""
    title = "switch somebody on or off, choose a queue" if home else "change a setting, see the queue"
    return {
        "title": f"{name}: {title}",
        "command": "The same setting at the scenario's full length:",
        "compare": "Compared with other queue disciplines: eight seeds, confidence intervals, full length:",
        "no_pages": "Nobody loads pages here.",
        "none_loaded": "Nothing has loaded within the run.",
    }


def of_comparison(status: Mapping[str, Any]) -> str:
    """How far a comparison is, or why it failed, from what `FullComparison.status` returns."""
    state = status["state"]
    if state == "failed":
        return f"The comparison failed: {status['refused']}"
    if state not in ("running", "done", "cancelled"):
        return ""
    before, now = status["names"]
    what = f"{now} compared with {before}, {counted(status['seeds'], 'seed')}"
    if state == "cancelled":
        return f"{what}: cancelled."
    if status["simulated_s"] is None:
        return f"{what}: measuring the time of a run …"
    shortened = " (shorter than the scenario, to end within about a minute)" if status["shortened"] else ""
    what += f" of {status['simulated_s']:,g} simulated seconds each{shortened}"
    return (
        f"{what}: done."
        if state == "done"
        else f"{what}: {status['finished']} of {counted(status['runs'], 'run')}"
    )


def _headline(run: Measurement) -> str:
    sentences = []
    if run["pages"]:
        slow = _quantile(run["pages"], _SLOW)
        takes = "longer than the run" if slow is None else f"longer than {duration(slow)}"
        usual = _time(run["pages"], _USUAL)
        sentences.append(f"Half of the pages load within {usual}, 5 % take {takes}.")
    if run["datagrams"]:
        sentences += _of_quality(run["datagrams"])
    sentences.append(
        f"A packet waits {_wait(run)} in the queue on average; the link is busy "
        f"{run['numbers']['utilization_percent']:.0f} % of the time."
    )
    return " ".join(sentences)


def _of_quality(datagrams: Mapping[str, Any]) -> Iterator[str]:
    felt = [
        experience(group, KINDS[numbers["kind"]], partial(_observed, numbers))
        for group, numbers in datagrams.items()
        if numbers["kind"] is not None
    ]
    if (most := worst(each for each in felt if each is not None)) is None:
        return
    if most.is_dead:
        yield f"Nothing of {most.group} arrives."
        return
    told = [in_words(each.of(most.group).base, value) for each, value in most.values.items()]
    yield f"The {most.kind.name} that suffers most is {most.grade.word} ({most.group}: {', '.join(told)})."


def _observed(numbers: Mapping[str, Any], quantity: Quantity) -> Observation:
    """A number of a group; infinite where the run was too short for it."""
    if quantity.base not in numbers:
        return Observation.nothing()
    value = numbers[quantity.base]
    return Observation.exact(math.inf if value is None else float(value))


def _before(run: Measurement) -> str:
    if not run["pages"]:
        return ""
    return f"Before the change: {_time(run['pages'], _USUAL)} and {_time(run['pages'], _SLOW)}."


def _rows(run: Measurement) -> tuple[tuple[str, str], ...]:
    numbers = run["numbers"]
    return (
        ("half of the pages load within", _time(run["pages"], _USUAL)),
        ("95 % of the pages load within", _time(run["pages"], _SLOW)),
        ("pages waited for", _count(numbers["pages_begun"])),
        ("of these not loaded at the end", _count(numbers["pages_unfinished"])),
        ("half of the objects load within", _time(run["responses"], _USUAL)),
        *_datagram_rows(run),
        ("mean wait in the queue", _wait(run)),
        ("link busy", percent(numbers["utilization_percent"])),
        ("packets lost", percent(numbers["loss_percent"])),
        ("packets marked (ECN)", percent(numbers["marked_percent"])),
    )


def _datagram_rows(run: Measurement) -> Iterator[tuple[str, str]]:
    for group, felt in run["datagrams"].items():
        yield f"{group}: delay (median, one way)", _delay(felt["delay_p50_ms"])
        yield f"{group}: delay (95 %)", _delay(felt["delay_p95_ms"])
        yield f"{group}: jitter (99 %)", _delay(felt["delay_variation_p99_ms"])
        yield f"{group}: packets lost", percent(felt["loss_percent"])
        if "voice_mos" in felt:
            yield f"{group}: a voice call there (MOS, 1 to 4.3)", f"{felt['voice_mos']:.2f}"
        if "call_frozen_percent" in felt:
            yield f"{group}: picture frozen", share_of_time(felt["call_frozen_percent"])
            yield f"{group}: bit rate of the picture", bit_rate(felt["call_bitrate_mbps"])
        if "call_frame_delay_p50_ms" in felt:
            yield f"{group}: from camera to screen (median)", _delay(felt["call_frame_delay_p50_ms"])


def _delay(milliseconds: float | None) -> str:
    return delay(math.inf if milliseconds is None else milliseconds)


def _wait(run: Measurement) -> str:
    wait_ms = run["numbers"]["wait_ms"]
    return _UNKNOWN if wait_ms is None else delay(wait_ms)


def _quantile(curve: Mapping[str, Any], share: float) -> float | None:
    seconds: float | None = dict(zip(curve["share"], curve["seconds"], strict=True))[share]
    return seconds


def _time(curve: Mapping[str, Any] | None, share: float) -> str:
    if curve is None:
        return _UNKNOWN
    seconds = _quantile(curve, share)
    return "longer than the run" if seconds is None else duration(seconds)


def _count(value: int | None) -> str:
    return _UNKNOWN if value is None else f"{value:,}"
