"""What is said of calls, games and videos: how good they are under each configuration.

The group that suffers most is named, under each configuration its own, with the numbers that it is judged by
(`aqmlab.statistics.experience`). What moved against that is said behind it: no sentence points against a row
that differs.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from aqmlab.comparison.verdict import grades_of_all, mean_of, suffering_most, video_needs_s
from aqmlab.show.words.amounts import MOST_NAMED, bit_rate, delay, listed, share_of_time
from aqmlab.show.words.configurations import the, under, whose
from aqmlab.show.words.verdict import grades_in_words
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
    """What is said of calls, games and videos, before pages; what runs meanwhile stands above it, once."""
    told = [*_of_quality(found), *_of_video_calls(found), *_of_videos(found)]
    return [*_meanwhile(found), *told] if told else []


# --------------------------------------------------------------------------------------------------- quality


def _of_quality(found: Comparison) -> Iterator[str]:
    """How good the group is that suffers most, under each configuration, and what moved against that."""
    kinds = found.judged_groups
    suffering = suffering_most(found, kinds)
    if not suffering:
        yield from _of_packets(found)
        return
    names = [name for name in found.names[:MOST_DELAYS] if name in suffering]
    if len(kinds) == 1:
        (only,) = kinds
        told = listed([_graded(found, name, suffering[name]) for name in names], most=MOST_DELAYS)
        yield f"{_capitalised(the(only))} is {told}{_more(found)}. {_DELAYS}"
    else:
        told = "; ".join(
            f"{the(suffering[name].group)}{_under(found, name)}, "
            f"{_graded(found, name, suffering[name], under_it=False)}"
            for name in names
        )
        yield f"Worst off of calls and games: {told}{_more(found)}. {_DELAYS}"
    if found.baseline in suffering:
        for name in found.names[1:]:
            if name in suffering:
                yield from _against(found, name, suffering)


_DELAYS = "Delays: 95th percentile, one way."


def _graded(found: Comparison, name: str, felt: Experience, *, under_it: bool = True) -> str:
    """The grade of a group under a configuration, and the numbers of its criteria."""
    grade = grades_in_words(grades_of_all(found, name, [felt]))
    return f"{grade}{_under(found, name) if under_it else ''} ({_numbers(found, name, felt)})"


def _under(found: Comparison, name: str) -> str:
    return f" {under(name)}" if len(found.names) > 1 else ""


def _capitalised(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}"


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
        told = "; ".join(f"{the(group)} ({', '.join(rows)})" for group, rows in moved.items())
        yield f"{'Better' if worsened else 'Worse'} {under(name)} than {under(found.baseline)}: {told}."


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
        told = "; ".join(
            f"{the(suffering[name].group)}{_under(found, name)} ({_numbers(found, name, suffering[name])})"
            for name in names
        )
        yield f"Worst off of calls and games: {told}{_more(found)}. {_DELAYS}"


def _more(found: Comparison) -> str:
    left = len(found.names) - MOST_DELAYS
    return f" ({left} more in the table)" if left > 0 else ""


# -------------------------------------------------------------------------------------------------- pictures


def _of_video_calls(found: Comparison) -> Iterator[str]:
    """The bit rate of the video of groups of video calls, the first ones, and for how long it is frozen."""
    names = found.names[:MOST_DELAYS]
    for group in found.video_call_groups[:MOST_NAMED]:
        part = f"datagrams.{group}"
        frozen, rates = (
            [level for name in names if (level := found.level(name, of(part)).mean) is not None]
            for of in (call_frozen_percent_of, call_bitrate_mbps_of)
        )
        if len(frozen) == len(rates) == len(names):
            video = _capitalised(whose(group, "video"))
            never = "" if any(frozen) else " never freezes"
            yield f"{video}{never}: {_shown_at(found, rates, frozen, 'frozen')}{_more(found)}."


def _shown_at(found: Comparison, rates: Sequence[float], still: Sequence[float], word: str) -> str:
    """A bit rate with each configuration, and for which share of the time nothing moves, if it ever does."""
    shares = [f", {word} {share_of_time(share)} of the time" if any(still) else "" for share in still]
    shares = [share.removesuffix(" of the time") if place else share for place, share in enumerate(shares)]
    told = [
        f"{bit_rate(rate)}{_under(found, name)}{share}"
        for name, rate, share in zip(found.names, rates, shares, strict=False)
    ]
    return "; ".join(told) if any(still) else listed(told, most=MOST_DELAYS)


def _of_videos(found: Comparison) -> Iterator[str]:
    """At which bit rate each population's videos play, and for how long they stand still, if they do."""
    names = found.names[:MOST_DELAYS]
    for population in found.viewers:
        if video_needs_s(found, population) is not None:
            continue  # said below the verdict
        part = f"populations.{population}"
        rates, stalls = (
            [level for name in names if (level := found.level(name, of(part)).mean) is not None]
            for of in (bitrate_mbps_of, stalled_percent_of)
        )
        if len(rates) == len(stalls) == len(names):
            verb = "play" if population.endswith("s") else "plays"
            yield (
                f"{_capitalised(the(population))} {verb} at {_shown_at(found, rates, stalls, 'still')}"
                f"{_more(found)}."
            )


def _meanwhile(found: Comparison) -> Iterator[str]:
    of = {group: goodput_mbps_of(f"flows.{group}") for group in found.flow_groups}
    groups = [
        group for group, goodput in of.items() if any(found.level(name, goodput).mean for name in found.names)
    ]
    if groups:
        verb = "runs" if len(groups) == 1 and not groups[0].endswith("s") else "run"
        yield f"While {listed([the(group) for group in groups])} {verb}:"
