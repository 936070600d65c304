"""The answer in two sentences, for readers who know nothing about queues."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab.alternatives import OF_THE_LINK, PAGE_MEDIAN, PAGE_P95
from aqmlab.figures.page_loads import in_seconds
from aqmlab.statistics import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.alternatives import Alternatives, Change
    from aqmlab.statistics.quantities import Quantity


def answer(found: Alternatives) -> list[str]:
    """What happens to people: the usual page in one sentence, the slow one in twenty in another."""
    if not found.tells_pages:
        return [
            "Nobody browses the web in these runs, so there is no page to wait for.",
            _of_the_link(found),
        ]
    if len(found.names) == 1:
        return [_alone(found), _how_sure(found)]
    usual = _reached(found, PAGE_MEDIAN, "half of the pages are there {} after the click")
    slow = _reached(found, PAGE_P95, "one page in twenty takes longer than {}")
    return [f"With {found.names[0]}, {said}." for said in (usual, slow)]


UNTOLD = {
    PAGE_MEDIAN.name: "some run ended before half of its pages were there",
    PAGE_P95.name: "some run ended before 19 of 20 pages were there",
}
"""Why there is no such time: what takes longer than a run was watched is not seen to end."""
NO_PAGE = "in some run nobody asked for a page"


def _untold(found: Alternatives, quantity: Quantity, names: Sequence[str]) -> str:
    """Why some of these have no such time: infinite ones took too long, others are of no page."""
    none = any(np.isnan(found.values[name][quantity.name]).any() for name in names)
    return NO_PAGE if none else UNTOLD[quantity.name]


def _reached(found: Alternatives, quantity: Quantity, said: str) -> str:
    """What the first alternative reaches, and what becomes of that under the others."""
    level = float(found.values[found.names[0]][quantity.name].mean())
    reached = (
        said.format(in_seconds(level)) if np.isfinite(level) else _untold(found, quantity, found.names[:1])
    )
    return reached + _others(found, quantity)


def _alone(found: Alternatives) -> str:
    only = found.names[:1]
    for quantity in (PAGE_MEDIAN, PAGE_P95):
        if not np.isfinite(found.values[only[0]][quantity.name]).all():
            share = "half" if quantity is PAGE_MEDIAN else "19 of 20"
            return f"How soon {share} of the pages are there was not seen: {_untold(found, quantity, only)}."
    return (
        f"Half of the pages are there within {_level(found, PAGE_MEDIAN)} of the click; one page in twenty "
        f"takes longer than {_level(found, PAGE_P95)}."
    )


def _how_sure(found: Alternatives) -> str:
    bounds = [found.level(found.names[0], each) for each in (PAGE_MEDIAN, PAGE_P95)]
    said = [
        f"{in_seconds(max(0.0, each.lower))} and {in_seconds(each.upper)}"
        for each in bounds
        if isinstance(each, Interval)
    ]
    if len(said) < len(bounds):
        return f"{_runs(found)} cannot tell how far chance may move these two numbers."
    return (
        f"Chance may move them: the first lies between {said[0]}, the second between {said[1]}, each with "
        f"95 % certainty after {_runs(found)}."
    )


def _others(found: Alternatives, quantity: Quantity) -> str:
    """What becomes of it under the others: which are sooner, which are later, of which nobody can tell."""
    groups: dict[str, list[str]] = {}
    for name in found.names[1:]:
        change = found.change(name, quantity)
        level = f" ({in_seconds(change.after)})" if np.isfinite(change.after) else ""
        groups.setdefault(_sort_of(change), []).append(f"{name}{level}")
    said = [f"{word} with {_listed(groups[word])}" for word in ("sooner", "later") if word in groups]
    if "open" in groups:
        said.append(f"no clear difference after {_runs(found)} with {_listed(groups['open'])}")
    if "few" in groups:
        said.append(f"{_listed(groups['few'])}, but {_runs(found)} are too few to say whether that is chance")
    if "unseen" in groups:
        why = _untold(found, quantity, groups["unseen"])
        cannot = "not to be told" if why == NO_PAGE else "too long to tell"
        said.append(f"{cannot} with {_listed(groups['unseen'])}, where {why}")
    if "too" in groups:
        said.append(f"nor can it be told with {_listed(groups['too'])}")
    if "alone" in groups:
        said.append(f"not so with {_listed(groups['alone'])}")
    return f": {'; '.join(said)}" if said else ""


def _sort_of(change: Change) -> str:
    difference = change.difference
    if not np.isfinite(change.after):
        return "unseen" if np.isfinite(change.before) else "too"
    if not np.isfinite(change.before):
        return "alone"
    if not isinstance(difference, Interval):
        return "few"
    if difference.lies_below(0.0):
        return "sooner"
    return "later" if difference.lies_above(0.0) else "open"


def _of_the_link(found: Alternatives) -> str:
    busy, loss = (
        {name: float(np.mean(found.values[name][each.name])) for name in found.names} for each in OF_THE_LINK
    )
    told = [
        f"{busy[name]:.1f} % of the time with {name}, losing {loss[name]:.2g} % of the packets"
        for name in busy
    ]
    return f"The link is busy {_listed(told)}."


def _level(found: Alternatives, quantity: Quantity) -> str:
    return in_seconds(float(found.values[found.names[0]][quantity.name].mean()))


def _runs(found: Alternatives) -> str:
    seeds = len(found.seeds)
    return "one run" if seeds == 1 else f"{seeds} runs"


MOST_NAMED = 4
"""Of more alternatives alike the first are named, and the others counted."""


def _listed(words: Sequence[str]) -> str:
    if len(words) > MOST_NAMED + 1:
        return f"{', '.join(words[:MOST_NAMED])} and {len(words) - MOST_NAMED} others"
    return " and ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else words[0]
