"""The verdict in words: the number of an application as people say it, and what changes most for somebody."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from aqmlab.inference import MINIMUM_REPLICATIONS
from aqmlab.show.words.amounts import bit_rate, delay, duration, share_of_time
from aqmlab.show.words.configurations import the, under
from aqmlab.statistics.catalogue import LOADED_MEDIAN
from aqmlab.statistics.experience import WORST_BADNESS
from aqmlab.statistics.recorded import measured_window_s
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from aqmlab.comparison import Comparison
    from aqmlab.comparison.verdict import Application, Fares
    from aqmlab.statistics.experience import Grade


def score(value: float) -> str:
    """A mean opinion score: 4.3."""
    return f"{value:.1f}"


_MOST_TOLD = 5
"""So many configurations have room in a sentence."""
AS_SAID: Mapping[str, tuple[str, Callable[[float], str]]] = {
    LOADED_MEDIAN.name: ("", duration),
    "delay_p95_ms": ("", delay),
    "call_frame_delay_p95_ms": ("", delay),
    "delay_variation_p99_ms": ("jitter ", delay),
    "loss_percent": ("loss ", share_of_time),
    "voice_mos": ("MOS ", score),
    "call_frozen_percent": ("frozen ", share_of_time),
    "video_stalled_percent": ("still ", share_of_time),
    "call_bitrate_mbps": ("", bit_rate),
    "video_bitrate_mbps": ("", bit_rate),
    "goodput_mbps": ("", bit_rate),
    "completion_p50_s": ("half in ", duration),
}
"""By the number that decides: the word before it, and how it is written."""


def number_in_words(fares: Fares) -> str:
    """The number that decides: `256 ms`, `loss 8 %`, `> 12 s`, `0.63 Mbit/s`."""
    if fares.is_dead:
        return "nothing arrives"
    what, written = AS_SAID[fares.quantity.base]
    lower, upper = fares.number.lower, fares.number.upper
    if math.isinf(upper):
        return f"{what}> {written(lower)}"
    if math.isinf(lower):
        return f"{what}< {written(upper)}"
    least, most = written(lower), written(upper)
    return f"{what}{least}" if least == most else f"{what}{least} to {most}"


def fares_in_words(fares: Fares) -> str:
    """The grade and its number: `poor 256 ms`; of what is not judged the number, and which way it is."""
    if fares.needs_s is not None:
        return "too short"
    if fares.grade is None:
        return f"{number_in_words(fares)} {fares.way}".rstrip()
    if fares.quantity.base == "video_bitrate_mbps":
        return f"plays {number_in_words(fares)}"
    return f"{_grade_in_words(fares)} {number_in_words(fares)}"


def _grade_in_words(fares: Fares) -> str:
    """The grade: `poor`; `fair to poor` where chance leaves both, `poor or worse` where a bound is known."""
    if fares.grade is None:
        return ""
    if fares.may_be_worse:
        return f"{fares.grade.word} or worse"
    return grades_in_words(fares.within or (fares.grade, fares.grade))


def has_span(fares: Fares) -> bool:
    """Whether two words are said of it, and not one."""
    return " to " in _grade_in_words(fares) and fares.quantity.base != "video_bitrate_mbps"


def grades_in_words(within: tuple[Grade, Grade]) -> str:
    """From the best to the worst grade that chance leaves: `fair to poor`, or `fair` where that is one."""
    return " to ".join(dict.fromkeys(each.word for each in within))


def too_short_in_words(found: Comparison, applications: Sequence[Application]) -> Iterator[str]:
    """What was measured for less time than it takes to judge it."""
    for each in applications:
        if needs_s := max((own.needs_s or 0.0 for own in each.fares.values()), default=0.0):
            yield (
                f"Too short: {the(each.name)} may play for {needs_s:g} s what arrived before; "
                f"measure so long or longer ({measured_in_words(found)})."
            )


def measured_in_words(found: Comparison) -> str:
    """Over how long a window the runs were measured: `now 10 s`."""
    least_s = min(measured_window_s(run.result) for runs in found.runs.values() for run in runs)
    return f"now {least_s:g} s"


def what_changes_most(found: Comparison, applications: Sequence[Application]) -> str:
    """For whom the queue matters most, in one sentence; nothing where nobody is judged."""
    judged = [each for each in applications if any(fares.grade is not None for fares in each.fares.values())]
    if not judged:
        return ""
    if len(found.names) == 1:
        return _worst_off(found, judged)
    changes = {each.name: change for each in judged if (change := _largest_change(found, each))[0]}
    if not changes:
        unknown = any(fares.may_be_worse for each in judged for fares in each.fares.values())
        no_change = "" if unknown else f"No grade changes{_beyond_chance(found)}. "
        return no_change + _worst_off(found, judged)
    most = max(changes, key=lambda name: changes[name])
    application = next(each for each in judged if each.name == most)
    verb = "change" if application.name.endswith("s") else "changes"
    return f"{_subject(application)} {verb} most: {_under_each(found, application)}{may_be_chance(found)}."


def _under_each(found: Comparison, application: Application) -> str:
    """How it fares under each configuration; of many under the baseline, the best and the worst."""
    told = {
        name: f"{_grade_and_number(application.fares[name])} {under(name)}"
        for name in found.names
        if name in application.fares
    }
    if len(told) <= _MOST_TOLD:
        return ", ".join(told.values())
    others = sorted(told.keys() - {found.baseline}, key=lambda name: (_capped(application.fares[name]), name))
    return f"{told[found.baseline]}, of {len(others)} others from {told[others[0]]} to {told[others[-1]]}"


def what_would_show(applications: Sequence[Application]) -> str:
    """From which difference on one of what is judged would have shown, where none is beyond chance."""
    told = []
    for each in applications:
        unseen: dict[str, float] = {}
        for own in each.fares.values():
            if own.grade is not None and own.visible is not None:
                written = own.quantity.base
                unseen[written] = max(unseen.get(written, 0.0), own.visible)
        words = [quantity_in_words(base, largest) for base, largest in unseen.items()]
        told += [f"{each.name} {' or '.join(words)}"] if words else []
    return ", ".join(told)


def quantity_in_words(base: str, value: float) -> str:
    """A value of a number that decides, by its name without the group: `256 ms`, `loss 8 %`."""
    what, written = AS_SAID[base]
    return f"{what}{written(value)}"


def facts_of(found: Comparison, applications: Sequence[Application]) -> dict[str, Any]:
    """The verdict as plain data: the sentence, and of each application grade, words and number."""
    return {
        "sentence": what_changes_most(found, applications),
        "applications": [
            {
                "application": each.name,
                "kind": each.kind,
                "fares": {name: _facts_of_fares(own) for name, own in each.fares.items()},
            }
            for each in applications
        ],
    }


def _facts_of_fares(fares: Fares) -> dict[str, Any]:
    return {
        "words": fares_in_words(fares),
        "grade": None if fares.grade is None else fares.grade.word,
        "grades_within_chance": fares.within and [each.word for each in fares.within],
        "may_be_worse": fares.may_be_worse,
        "needs_s": fares.needs_s,
        "quantity": fares.quantity.name,
        "unit": fares.quantity.unit,
        "at_least": fares.number.lower,
        "at_most": fares.number.upper,
        "differs": fares.differs,
        "difference_that_would_have_shown": fares.visible,
    }


def _beyond_chance(found: Comparison) -> str:
    return "" if len(found.seeds) < MINIMUM_REPLICATIONS else " beyond chance"


def may_be_chance(found: Comparison) -> str:
    """The caution beside what changes most, or is recommended, where there are too few seeds to tell."""
    runs = len(found.seeds)
    return (
        ""
        if runs >= MINIMUM_REPLICATIONS or found.nothing_is_random
        else f" ({counted(runs, 'seed')}: may be chance)"
    )


def _largest_change(found: Comparison, application: Application) -> tuple[int, float]:
    """How far its badness moves to another grade than the baseline's; beyond chance with enough seeds."""
    base = application.fares.get(found.baseline)
    if base is None:
        return 0, 0.0
    unknown = len(found.seeds) < MINIMUM_REPLICATIONS
    moved = [
        (_grades_apart(fares, base), abs(_capped(fares) - _capped(base)))
        for name, fares in application.fares.items()
        if name != found.baseline and (fares.differs or unknown) and fares.grade is not base.grade
    ]
    return max(moved, default=(0, 0.0))


def _grades_apart(one: Fares, other: Fares) -> int:
    return abs(one.grade.value - other.grade.value) if one.grade and other.grade else 0


def _capped(fares: Fares) -> float:
    return min(fares.badness, WORST_BADNESS)


def _grade_and_number(fares: Fares) -> str:
    way = f" {fares.way}" if fares.way else ""
    return f"{_grade_in_words(fares)} ({number_in_words(fares)}{way})"


def _worst_off(found: Comparison, judged: Sequence[Application]) -> str:
    own = {each.name: each for each in judged if found.baseline in each.fares}
    if not own:
        return ""
    worst = max(own.values(), key=lambda each: _capped(each.fares[found.baseline]))
    verb = "are" if worst.name.endswith("s") else "is"
    return f"{_subject(worst)} {verb} worst off: {_grade_and_number(worst.fares[found.baseline])}."


def _subject(application: Application) -> str:
    """An application at the beginning of a sentence: `The game`, `Pages`."""
    words = application.name if application.kind == "pages" else the(application.name)
    return f"{words[0].upper()}{words[1:]}"
