"""What to set in a router, in sentences: what it changes for whoever suffers most, and what it costs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from aqmlab.presets.line import AS_IT_IS
from aqmlab.show.words.amounts import duration
from aqmlab.show.words.calls import in_words
from aqmlab.show.words.configurations import the
from aqmlab.statistics.experience import Grade
from aqmlab.study.sqm.candidates import PROVIDER_COULD, varies

if TYPE_CHECKING:
    from aqmlab.study.sqm import RouterAdvice
    from aqmlab.study.sqm.choosing import Judged


def advice_in_words(found: RouterAdvice) -> list[str]:
    """What to do, first; what it costs; what it does not help."""
    own, chosen = found.own, found.recommended
    if chosen.candidate.name == AS_IT_IS:
        return [_nothing_to_set(own), *_provider(found)]
    share = chosen.candidate.share
    said = f"Set {chosen.candidate.name}: {suffering(own)} {_becomes(chosen)}."
    if chosen.candidate.follows:
        return [f"{said} {_reaction(chosen)}", *_varying(found), *_provider(found)]
    cost = f"It costs {100 * (1 - share):.3g} % of the rate." if share < 1.0 else "It costs nothing."
    return [f"{said} {cost}", *_varying(found), *_provider(found)]


def _nothing_to_set(own: Judged) -> str:
    if own.felt is None and math.isnan(own.page_s):
        return "Nothing is judged: nobody calls, plays or loads pages in this scenario."
    if own.grade is Grade.GOOD:
        return f"Nothing to set in your router: even {suffering(own)} already."
    return f"Nothing that was tried in your router helps: {suffering(own)} as it is."


def suffering(row: Judged) -> str:
    """Whoever suffers most, with the grade and its numbers."""
    if row.felt is None:
        return f"the median page is {row.grade.word} ({numbers_in_words(row)})"
    return f"{the(row.felt.group)} is {row.grade.word} ({numbers_in_words(row)})"


def _becomes(row: Judged) -> str:
    if row.felt is None:
        return f"as it is; then it is {row.grade.word} ({numbers_in_words(row)})"
    felt = f"{the(row.felt.group)} is worst off, and {row.grade.word} ({numbers_in_words(row)})"
    return f"as it is; then {felt}"


def numbers_in_words(row: Judged) -> str:
    """What it is judged by."""
    if row.felt is None:
        return "" if math.isnan(row.page_s) else duration(row.page_s)
    if row.felt.is_dead:
        return "nothing of it arrives"
    part = f"datagrams.{row.felt.group}"
    return ", ".join(in_words(each.of(part).base, value) for each, value in row.felt.values.items())


def _reaction(row: Judged) -> str:
    """What shapers that follow the line were set to."""
    ways = [
        f"{least:.3g} to {most:.3g} Mbit/s {way} ({mean:.3g} on average)"
        for way, (mean, least, most) in row.shapers_mbps.items()
    ]
    return f"Its shapers, set by cake-autorate, stood at {' and '.join(ways)}."


def _varying(found: RouterAdvice) -> list[str]:
    if not varies(found.scenario):
        return []
    said = "a fixed rate in the router is too high whenever they fall below it, and too low otherwise"
    return [f"The line's rates vary: {said}. {_other_kind(found)}"]


def _other_kind(found: RouterAdvice) -> str:
    """The best of the other kind: a fixed share beside shapers that follow, or these beside a fixed share."""
    follows = found.recommended.candidate.follows
    others = [row for row in found.rows if row.candidate.scheme and row.candidate.follows is not follows]
    if not others:
        return "Shapers that follow them (cake-autorate) set CAKE alone, which was not tried."
    other = min(others, key=lambda row: row.badness)
    if follows:
        return f"The best fixed rate, {other.candidate.name}: {suffering(other)}."
    return f"Shapers that follow them (cake-autorate) are no better here: {suffering(other)}."


def _provider(found: RouterAdvice) -> list[str]:
    row = next((row for row in found.rows if row.candidate.name == PROVIDER_COULD), None)
    if row is None or row.felt is None or row.grade.value >= found.own.grade.value:
        return []
    if row.grade.value > found.recommended.grade.value:
        return []
    return [f"With {PROVIDER_COULD} {suffering(row)}: ask your provider for it, you cannot set it."]
