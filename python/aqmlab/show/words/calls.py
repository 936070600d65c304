"""What is said of calls, games and videos: how good they are under each configuration.

The group that suffers most is named, under each configuration its own, with the numbers that it is judged by
(`aqmlab.statistics.experience`). What moved against that is said behind it: no sentence points against a row
that differs.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from aqmlab.comparison.suffering import mean_of, suffering_most
from aqmlab.show.words.amounts import MOST_NAMED, bit_rate, delay, listed, share_of_time
from aqmlab.statistics.datagrams import (
    delay_ms_of,
    delay_variation_ms_of,
    loss_percent_of_datagrams,
)
from aqmlab.statistics.experience import CALL, CLOUD_GAME, PACKETS, VIDEO_CALL
from aqmlab.statistics.traffic import goodput_mbps_of
from aqmlab.statistics.video import bitrate_mbps_of, stalled_percent_of
from aqmlab.statistics.video_call import (
    call_bitrate_mbps_of,
    call_frame_delay_ms_of,
    call_freezes_per_hour_of,
    call_frozen_percent_of,
)
from aqmlab.statistics.voice import voice_mos_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from aqmlab.comparison import Comparison
    from aqmlab.statistics.experience import Experience, Kind
    from aqmlab.statistics.quantity import OfRun, Quantity

    Rows = Mapping[str, Sequence[Callable[[str], OfRun]]]

MOST_DELAYS = 8
"""So many configurations are named with their numbers in one sentence."""

_LESS_IS_BETTER: Rows = {
    "delay": (delay_ms_of(95), delay_ms_of(50), delay_ms_of(99)),
    "jitter": (delay_variation_ms_of,),
    "loss": (loss_percent_of_datagrams,),
}
_OF_PICTURES: Rows = {
    "delay of frames": (call_frame_delay_ms_of(95), call_frame_delay_ms_of(50)),
    "time frozen": (call_frozen_percent_of,),
    "freezes per hour": (call_freezes_per_hour_of,),
}
_MORE_IS_BETTER: Mapping[Kind, Rows] = {
    CALL: {"MOS": (voice_mos_of,)},
    VIDEO_CALL: {"bit rate": (call_bitrate_mbps_of,)},
    CLOUD_GAME: {"bit rate": (call_bitrate_mbps_of,)},
}
"""What is told of a group, row by row; of the rows of one name the first that differs."""

_IN_WORDS: Mapping[str, tuple[str, Callable[[float], str]]] = {
    "delay_p50_ms": ("median delay", delay),
    "delay_p95_ms": ("delay", delay),
    "delay_p99_ms": ("99 % delay", delay),
    "delay_variation_p99_ms": ("jitter", delay),
    "loss_percent": ("loss", share_of_time),
    "voice_mos": ("MOS", lambda score: f"{score:.1f}"),
    "call_frame_delay_p50_ms": ("median delay of frames", delay),
    "call_frame_delay_p95_ms": ("delay of frames", delay),
    "call_frozen_percent": ("picture frozen", share_of_time),
    "call_freezes_per_hour": ("freezes per hour", lambda freezes: f"{freezes:.3g}"),
    "call_bitrate_mbps": ("bit rate", bit_rate),
}


def besides_pages(found: Comparison) -> list[str]:
    """What is said of calls, games and videos, before pages."""
    return [*_of_quality(found), *_of_video_calls(found), *_of_videos(found)]


# --------------------------------------------------------------------------------------------------- quality


def _of_quality(found: Comparison) -> Iterator[str]:
    """How good the group is that suffers most, under each configuration, and what moved against that."""
    kinds = found.judged_groups
    suffering = suffering_most(found, kinds)
    if not suffering:
        yield from _of_packets(found)
        return
    names = [name for name in found.names[:MOST_DELAYS] if name in suffering]
    told = [_graded(found, name, suffering[name], alone=len(kinds) == 1) for name in names]
    subject = f"the {_kinds(kinds)}"
    subject += f" {next(iter(kinds))}" if len(kinds) == 1 else " that suffers most"
    words = f"{subject} is {listed(told, most=MOST_DELAYS)}{_more(found)}"
    yield f"{_begun(found, words)} (delays: 95 %, one way)."
    if found.baseline in suffering:
        for name in found.names[1:]:
            if name in suffering:
                yield from _against(found, name, suffering)


def _kinds(kinds: Mapping[str, Kind]) -> str:
    """The kinds that there are: "call or game"."""
    return " or ".join(dict.fromkeys(kind.name for kind in kinds.values()))


def _graded(found: Comparison, name: str, felt: Experience, *, alone: bool) -> str:
    """The grade of a group with a configuration, and the numbers of its criteria."""
    numbers = _numbers(found, name, felt)
    detail = numbers if alone else f"{felt.group}: {numbers}"
    return f"{felt.grade.word}{_with(found, name)} ({detail})"


def _with(found: Comparison, name: str) -> str:
    return f" with {name}" if len(found.names) > 1 else ""


def _numbers(found: Comparison, name: str, felt: Experience) -> str:
    if felt.is_dead:
        return "nothing of it arrives"
    part = f"datagrams.{felt.group}"
    return ", ".join(_row(found, name, each.of(part)) for each in felt.values)


def _row(found: Comparison, name: str, quantity: Quantity) -> str:
    """A number with what it is of: "loss 0.43 %"."""
    return f"{_IN_WORDS[quantity.base][0]} {_amount(found, name, quantity)}"


def in_words(quantity: str, value: float) -> str:
    """A number of a call or a game by the name of its quantity: "loss 0.43 %"."""
    title, words = _IN_WORDS[quantity]
    return f"{title} {words(value)}"


def _amount(found: Comparison, name: str, quantity: Quantity) -> str:
    """The mean over the runs, or between what it lies."""
    mean, (_, words) = mean_of(found, name, quantity), _IN_WORDS[quantity.base]
    lower, upper = mean.lower, mean.upper
    if math.isinf(upper):
        return f"more than {words(lower)}" if math.isfinite(lower) else "unknown"
    if math.isinf(lower):
        return f"less than {words(upper)}"
    least, most = words(lower), words(upper)
    return least if least == most else f"{least} to {most}"


def _against(found: Comparison, name: str, suffering: Mapping[str, Experience]) -> Iterator[str]:
    """Which rows differ from the baseline's in the direction that the grades do not tell."""
    grades = suffering[found.baseline].grade.value, suffering[name].grade.value
    worsened = grades[1] > grades[0]
    moved = {
        group: rows
        for group, kind in found.judged_groups.items()
        if (rows := _moved(found, name, group, kind, better=worsened))
    }
    if moved:
        told = "; ".join(f"{group} ({', '.join(rows)})" for group, rows in moved.items())
        yield f"{'Better' if worsened else 'Worse'} with {name} than with {found.baseline}: {told}."


def _moved(found: Comparison, name: str, group: str, kind: Kind, *, better: bool) -> list[str]:
    """The rows of a group that differ for the better or the worse, the first of each name."""
    more = _MORE_IS_BETTER.get(kind, {})
    less = {**_LESS_IS_BETTER, **(_OF_PICTURES if kind.shows_frames else {})}
    told = []
    for rows, sign in ((less, -1), (more, 1)):
        wanted = sign if better else -sign
        for makers in rows.values():
            quantities = [make(f"datagrams.{group}") for make in makers]
            differing = [each for each in quantities if found.change(name, each).direction == wanted]
            told += [_instead(found, name, each) for each in differing[:1]]
    return told


def _instead(found: Comparison, name: str, quantity: Quantity) -> str:
    """A number in place of the baseline's: "loss 8.0 % instead of 0.43 %"."""
    return f"{_row(found, name, quantity)} instead of {_amount(found, found.baseline, quantity)}"


def _of_packets(found: Comparison) -> Iterator[str]:
    """Delay and loss of datagrams where none are a call or a game, of the group that suffers most."""
    apart = {*found.echo_groups, *found.feedback_groups}
    suffering = suffering_most(
        found, {group: PACKETS for group in found.datagram_groups if group not in apart}
    )
    names = [name for name in found.names[:MOST_DELAYS] if name in suffering]
    if names:
        told = [
            f"those of {suffering[name].group}{_with(found, name)} ({_numbers(found, name, suffering[name])})"
            for name in names
        ]
        words = f"the packets that suffer most are {listed(told, most=MOST_DELAYS)}{_more(found)}"
        yield f"{_begun(found, words)} (delays: 95 %, one way)."


def _begun(found: Comparison, words: str) -> str:
    """The beginning of a sentence, behind what runs meanwhile."""
    meanwhile = _meanwhile(found)
    return f"{meanwhile}{words}" if meanwhile else f"{words[0].upper()}{words[1:]}"


def _more(found: Comparison) -> str:
    """How many configurations a sentence leaves out."""
    left = len(found.names) - MOST_DELAYS
    return f" ({left} more in the table)" if left > 0 else ""


# -------------------------------------------------------------------------------------------------- pictures


def _of_video_calls(found: Comparison) -> Iterator[str]:
    """For how long the picture of groups of video calls, the first ones, is frozen, and its bit rate."""
    names = found.names[:MOST_DELAYS]
    for group in found.video_call_groups[:MOST_NAMED]:
        part = f"datagrams.{group}"
        frozen, rates = (
            [level for name in names if (level := found.level(name, of(part)).mean) is not None]
            for of in (call_frozen_percent_of, call_bitrate_mbps_of)
        )
        if len(frozen) < len(names) or len(rates) < len(names):
            continue
        shares, bit_rates = [*map(share_of_time, frozen)], [*map(bit_rate, rates)]
        if any(frozen):
            picture = f"is frozen {listed(_each_with(names, shares, ' of the time'), most=MOST_DELAYS)}"
            rate = f"its bit rate is {listed(bit_rates, most=MOST_DELAYS)}"
        else:
            picture = "never freezes"
            rate = f"its bit rate is {listed(_each_with(names, bit_rates), most=MOST_DELAYS)}"
        words = f"the picture of {group} {picture}; {rate}{_more(found)}."
        yield _begun(found, words)


def _each_with(names: Sequence[str], amounts: Sequence[str], of_what: str = "") -> list[str]:
    """An amount with each configuration, if there are several; of what, after the first."""
    first, *others = amounts
    told = [f"{first}{of_what}", *others]
    if len(names) == 1:
        return told
    return [f"{amount} with {name}" for amount, name in zip(told, names, strict=True)]


def _of_videos(found: Comparison) -> Iterator[str]:
    """At which bit rate each population's videos are shown, and for how long they stand still, if they do."""
    for population in found.viewers:
        part = f"populations.{population}"
        bit_rates, stalls = (
            [found.level(name, of(part)).mean for name in found.names[:MOST_DELAYS]]
            for of in (bitrate_mbps_of, stalled_percent_of)
        )
        if any(each is None for each in (*bit_rates, *stalls)):
            continue
        several = len(found.names) > 1
        told = [
            f"{rate:.1f} Mbit/s with {name}" if several else f"{rate:.1f} Mbit/s"
            for name, rate in zip(found.names, bit_rates, strict=False)
        ]
        words = f"videos of {population} are shown at {listed(told, most=MOST_DELAYS)}"
        if any(stalls):
            stood = listed([f"{share:.1f} %" for share in stalls], most=MOST_DELAYS)
            words += f"; they stand still for {stood} of the time"
        yield f"{_begun(found, words)}."


def _meanwhile(found: Comparison) -> str:
    """The long-lived flows that share the line in the window, as the beginning of a sentence."""
    of = {group: goodput_mbps_of(f"flows.{group}") for group in found.flow_groups}
    groups = [
        group for group, goodput in of.items() if any(found.level(name, goodput).mean for name in found.names)
    ]
    if not groups:
        return ""
    verb = "runs" if len(groups) == 1 else "run"
    return f"While {listed(groups)} {verb}, "
