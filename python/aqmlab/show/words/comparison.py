"""What queue disciplines change for people, in sentences.

`answer` says it for readers who know nothing about queues, in two or three sentences on all configurations;
`sentences` gives each configuration one, with the size and the certainty of what it changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.errors import ComparisonError, MissingDataError
from aqmlab.inference import MINIMUM_REPLICATIONS, Interval, Verdict
from aqmlab.show.words.amounts import (
    MOST_NAMED,
    counted,
    duration,
    is_nothing,
    length_of_each,
    listed,
    span,
    span_of_ratios,
    times_as_long,
)
from aqmlab.show.words.calls import MOST_DELAYS, besides_pages
from aqmlab.show.words.configurations import itself, named, under, whose
from aqmlab.statistics.catalogue import LOADED_MEDIAN, LOADED_P95
from aqmlab.statistics.observation import Bound
from aqmlab.statistics.quantities import quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aqmlab.comparison import Change, Comparison, Level
    from aqmlab.comparison.page_ratio import PageRatio
    from aqmlab.inference import NotEnoughReplications
    from aqmlab.statistics.quantities import Quantity

_BOUNDED = {Bound.EXACT: "", Bound.AT_LEAST: "more than ", Bound.AT_MOST: "less than "}


def sentences(found: Comparison) -> list[str]:
    """What happens to people: how good calls and games are, then pages under each configuration."""
    return [*besides_pages(found), *_of_transfers(found), *_without_pages(found), *page_sentences(found)]


def page_sentences(found: Comparison) -> list[str]:
    """What each configuration changes of page load times, with its size and certainty."""
    return [f"{named(name)}: {_pages_of(found, name)}." for name in _others(found)]


def verdicts(found: Comparison) -> list[str]:
    """Where it is decided, the verdict on the whole curve of response times of each configuration."""
    try:
        curves = [found.curve(name) for name in found.names[1:]]
    except (ComparisonError, MissingDataError):
        return []
    return [
        f"{named(curve.names[0])}: response times up to 2 s against {itself(curve.names[1])}: "
        f"{curve.judgement.verdict} "
        f"({curve.judgement.reason})."
        for curve in curves
        if curve.judgement.verdict is not Verdict.CANNOT_BE_JUDGED
    ]


def answer(found: Comparison) -> list[str]:
    """The answer for readers who know nothing about queues."""
    besides = [*besides_pages(found), *_of_transfers(found)]
    if not found.tells_pages:
        told = [*besides, *_without_pages(found)]
        return told or [_of_links(found)]
    if len(found.names) == 1:
        return [*besides, *_alone(found)]
    return [
        *besides,
        *(f"{_page_answer(found, quantity)}." for quantity in found.of_people),
        *_same_pages(found),
    ]


def window_in_words(found: Comparison) -> str:
    return length_of_each(found.shortest_window_s, found.longest_window_s)


def _others(found: Comparison) -> Sequence[str]:
    return found.names[1:] if found.tells_pages else ()


def _without_pages(found: Comparison) -> Iterator[str]:
    if found.browsing_users and not found.tells_pages:
        people = counted(found.browsing_users, "person", "people")
        verb = "browses" if found.browsing_users == 1 else "browse"
        yield (
            f"{people} {verb}, but no page began in the measured {window_in_words(found)} of any run: "
            "lengthen duration_s."
        )


def _of_transfers(found: Comparison) -> Iterator[str]:
    """How long the transfers of each group take, the usual and the slow ones, and how many did not finish."""
    names = found.names[:MOST_DELAYS]
    for group in found.transfer_groups[:MOST_NAMED]:
        told = [words for name in names if (words := _transfers_with(found, name, group))]
        if told:
            yield f"Half of {whose(group, 'transfers')} complete {listed(told, most=MOST_DELAYS)}."


def _transfers_with(found: Comparison, name: str, group: str) -> str:
    """Of the transfers of a group with a configuration; nothing where none began."""
    half, most, count, unfinished = (
        found.level(name, quantity(f"{of}/flows.{group}")) for of in _OF_TRANSFERS
    )
    if not half.have:
        return ""
    left = f" ({unfinished.mean:.2g} of {count.mean:.0f} unfinished)" if unfinished.mean else ""
    with_it = f" {under(name)}" if len(found.names) > 1 else ""
    return f"in {level_in_words(half)}, 95 % in {level_in_words(most)}{with_it}{left}"


_OF_TRANSFERS = ("completion_p50_s", "completion_p95_s", "transfers", "unfinished_transfers")


# ------------------------------------------------------------------------------------------------------ pages


def _pages_of(found: Comparison, name: str) -> str:
    usual, slow = (found.change(name, quantity) for quantity in (LOADED_MEDIAN, LOADED_P95))
    words = f"half of the pages load in {_changed(found, usual)}; {_slow(found)} in {_changed(found, slow)}"
    return f"{words}{_same_page(found, name)}"


def _slow(found: Comparison) -> str:
    return found.slow_pages.removesuffix(" of the pages")


def _same_page(found: Comparison, name: str) -> str:
    """How much longer the same page takes; nothing where no page could be matched."""
    ratio = found.page_ratio(name)
    estimate = ratio.estimate
    if estimate.mean is None:
        return ""
    seeds = len(found.seeds)
    of = "" if ratio.seeds == seeds else f", in {ratio.seeds} of {seeds} runs"
    if not isinstance(estimate, Interval):
        return f"; the same page takes {times_as_long(estimate.mean)} ({_no_interval(estimate, ratio.seeds)})"
    if ratio.is_one_sided:
        told = f"takes {_at_least_as_long(ratio)}" if ratio.direction else "is cut off too often to say"
        return f"; the same page {told}{of and f' ({of[2:]})'}"
    if estimate.lower == estimate.upper == 1.0:
        return f"; the same page: no difference{of and f' ({of[2:]})'}"
    span_words = span_of_ratios(estimate.lower, estimate.upper)
    if ratio.direction:
        return f"; the same page takes {times_as_long(estimate.mean)} ({span_words}{of})"
    shown = ""
    if ratio.visible:
        less, more = times_as_long(1.0 / ratio.visible), times_as_long(ratio.visible)
        shown = f"; {counted(ratio.seeds, 'seed')} detect {less} or {more}"
    return f"; the same page: no clear difference ({span_words}{shown}{of})"


def _changed(found: Comparison, change: Change) -> str:
    levels = f"{level_in_words(change.after)} instead of {level_in_words(change.before)}"
    return f"{levels}{_how_much(found, change)}"


def _at_least_as_long(ratio: PageRatio) -> str:
    end = getattr(ratio.estimate, "upper" if ratio.direction < 0 else "lower")
    return f"at least {times_as_long(end)}"


def _no_interval(estimate: NotEnoughReplications, seeds: int) -> str:
    if estimate.identical:
        return "nothing is random here"
    if seeds >= MINIMUM_REPLICATIONS:
        return "too few pages for an interval"
    return f"{counted(seeds, 'seed')}: too few for an interval"


def _how_much(found: Comparison, change: Change) -> str:
    seeds = len(found.seeds)
    estimate = change.difference
    if not isinstance(estimate, Interval):
        if change.pairs == 0 or change.after.beyond or change.before.beyond:
            return f" ({_for_certain(change)})"
        return f" ({_no_interval(estimate, change.pairs)})"
    of = "" if change.pairs == seeds else f", in {change.pairs} of {seeds} runs"
    if change.is_one_sided:
        return f" ({_at_least(change)}{of})"
    if change.direction:
        lower, upper = sorted((abs(estimate.lower), abs(estimate.upper)))
        return f" ({span(lower, upper)} {_later(change.direction)}{of})"
    if is_nothing(estimate.lower, estimate.upper):
        return f" (no difference{of})"
    sooner, later = duration(-estimate.lower), duration(estimate.upper)
    return f" (no clear difference: {sooner} sooner to {later} later{_would_show(change)}{of})"


def _would_show(change: Change) -> str:
    """The differences that so many seeds would have shown, either way."""
    if not change.visible or not change.visible_decrease:
        return ""
    sooner, later = duration(change.visible_decrease), duration(change.visible)
    return f"; {counted(change.pairs, 'seed')} detect {sooner} sooner or {later} later"


def _for_certain(change: Change) -> str:
    """How much two levels are apart at least, of which one is a bound, and why there is no interval."""
    before, after = change.before, change.after
    if before.mean is not None and after.mean is not None:
        for bounded, exact, way in ((before, after, "sooner"), (after, before, "later")):
            apart = (bounded.mean or 0.0) - (exact.mean or 0.0)
            if bounded.bound is Bound.AT_LEAST and exact.bound is Bound.EXACT and apart > 0.0:
                return f"{duration(apart)} or more {way}; runs too short for an interval"
    return "runs too short to say by how much"


def _at_least(change: Change) -> str:
    estimate = change.difference
    if change.direction and isinstance(estimate, Interval):
        least = min(abs(estimate.lower), abs(estimate.upper))
        return f"{_later(change.direction)} by at least {duration(least)}"
    return "runs too short to say by how much"


def _later(direction: int) -> str:
    return "later" if direction > 0 else "sooner"


def level_in_words(level: Level) -> str:
    if level.mean is None:
        return "a time that no run shows"
    if level.between is not None:
        return span(level.between.lower, level.between.upper)
    return f"{_BOUNDED[level.bound]}{duration(level.mean)}"


def _page_answer(found: Comparison, quantity: Quantity) -> str:
    """How long some pages take with each configuration, and what of it may be chance."""
    level = found.level(found.baseline, quantity)
    first = f"{_load_in(found, quantity, level, within='in')} {under(found.baseline)}"
    changes = {name: found.change(name, quantity) for name in found.names[1:]}
    certainties = {name: _certainty(change) for name, change in changes.items()}
    shared = next(iter(certainties.values()), "") if len(set(certainties.values())) == 1 else ""
    told = [
        f"{level_in_words(change.after)} {under(name)}{_in_parentheses(certainties[name], shared)}"
        for name, change in changes.items()
    ]
    subject = _subject(found, quantity)
    words = f"{subject[0].upper()}{subject[1:]} {listed([first, *told], most=len(found.names))}"
    of_all = f"{_runs_with_pages(found, changes) if shared == _MAY_BE_CHANCE else ''}{shared}"
    return f"{words}{_in_parentheses(of_all, '')}"


def _runs_with_pages(found: Comparison, changes: Mapping[str, Change]) -> str:
    """How many runs a difference is from: those in which pages loaded under both."""
    runs = counted(len(found.seeds), "run")
    pairs = min(change.pairs for change in changes.values())
    return f"{runs}: " if pairs == len(found.seeds) else f"pages in {pairs} of {runs}: "


def _in_parentheses(words: str, said_of_all: str) -> str:
    return f" ({words})" if words and not said_of_all else ""


def _subject(found: Comparison, quantity: Quantity) -> str:
    return found.slow_pages if quantity is LOADED_P95 else "half of the pages"


def _load_in(found: Comparison, quantity: Quantity, level: Level, *, within: str = "within") -> str:
    """What the pages do: load within a time, or take more than one."""
    is_one = quantity is LOADED_P95 and not found.slow_pages_are_carried
    verb = "take" if level.beyond else "load"
    return f"{verb}{'s' if is_one else ''}{'' if level.beyond else f' {within}'} {level_in_words(level)}"


def _same_pages(found: Comparison) -> Iterator[str]:
    """Of each other configuration how much longer the same page takes, where that is clear."""
    ratios = {name: found.page_ratio(name) for name in found.names[1:]}
    told = [
        f"{times_as_long(ratio.estimate.mean)} {under(name)}"
        for name, ratio in ratios.items()
        if ratio.direction and ratio.estimate.mean is not None
    ]
    if told:
        yield f"Page for page, the same page takes {listed(told)}."


_MAY_BE_CHANCE = "may be chance"


def _certainty(change: Change) -> str:
    """What keeps a difference from being one; nothing of one that is clear."""
    if change.direction:
        return ""
    if isinstance(change.difference, Interval):
        is_none = is_nothing(change.difference.lower, change.difference.upper)
        return "no difference" if is_none else "no clear difference"
    too_short = change.after.beyond or change.before.beyond
    return "runs too short to compare" if too_short else _MAY_BE_CHANCE


def _alone(found: Comparison) -> Iterator[str]:
    """One configuration: its two page load times, and how sure they are."""
    usual, slow = (found.level(found.baseline, quantity) for quantity in found.of_people)
    loads, slow_loads = (
        f"{_load_in(found, quantity, level)}{_sure(level)}"
        for quantity, level in zip(found.of_people, (usual, slow), strict=True)
    )
    yield f"Half of the pages {loads}; {_slow(found)} {slow_loads}."
    runs = counted(len(found.seeds), "run")
    if found.nothing_is_random:
        yield f"Nothing is random here: {runs} are one run, which says it all."
    elif isinstance(usual.estimate, Interval) or isinstance(slow.estimate, Interval):
        yield f"In parentheses: 95 % confidence intervals from {runs}."
    elif len(found.seeds) < MINIMUM_REPLICATIONS:
        yield f"{runs} {'is' if len(found.seeds) == 1 else 'are'} too few for confidence intervals."
    else:
        yield f"Pages ended in too few of {runs} for confidence intervals."


def _sure(level: Level) -> str:
    interval = level.estimate
    return f" ({span(max(0.0, interval.lower), interval.upper)})" if isinstance(interval, Interval) else ""


def _of_links(found: Comparison) -> str:
    """What is left to say where nobody waits: how busy the links are, and what they lose."""
    told = []
    for name in found.names:
        busy, loss = (found.level(name, quantity).mean or 0.0 for quantity in found.of_the_link)
        # One configuration has the name of its scenario, which is no queue: nothing is as it is "with" it.
        which = f" {under(name)}" if len(found.names) > 1 else ""
        told.append(f"busy {busy:.0f} % of the time and loses {loss:.2g} % of the packets{which}")
    return f"The link is {'; '.join(told)}."
