"""What an evaluation found, in sentences."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from aqmlab.inference.replication import MINIMUM_REPLICATIONS
from aqmlab.show.words.amounts import delay, listed
from aqmlab.show.words.configurations import named, under
from aqmlab.study.evaluation import CONTROLLERS
from aqmlab.study.evaluation.harm import DISTANCE, Judgement, judgements_of
from aqmlab.study.evaluation.summary import leading_case, standings_of, summary_of
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aqmlab.study.evaluation import Evaluation, Trial
    from aqmlab.study.evaluation.summary import Standings

_NUMBERS = {
    "harm": "what others lose beside it, of what they have alone (0 none, 1 all; Ware et al. 2019)",
    "harm, delay": "to the 95th percentile, one way, of the delay of probes, calls or frames",
    "harm, time": "to the median time of transfers",
    "harm, inside": "to the goodput of the CUBIC flow in the tunnel",
    "harm, outside": "to that of the one outside",
    "delay ms": "mean queueing delay",
    "short s": "median time of transfers of 80 kB",
    "breaker s": "longest time with more than 10 % of loss in every second, which opens a circuit breaker",
    "packets/segment": "packets either way for each segment delivered",
    "answers ms": "time in which 95 % of the answers are there",
}
"""What each number of a controller's summary is; `harm` is said of every kind of harm."""
_STAR = (
    f"; *: worse than CUBIC (beside Reno: than Reno) by more than {DISTANCE:g} of harm, or "
    f"{100.0 * DISTANCE:g} % of other numbers, beyond chance"
)
_CALLED = {"queue_mean_ms": "delay", "goodput_mbps": "goodput"}


def in_words(evaluation: Evaluation) -> list[str]:
    """What was found, in sentences."""
    if evaluation.method is CONTROLLERS:
        return judgements_in_words(evaluation, list(judgements_of(evaluation)))
    return [
        *waits_in_words(evaluation, leading_case(evaluation)),
        *standings_in_words(evaluation.subject, standings_of(evaluation)),
    ]


def waits_in_words(evaluation: Evaluation, trial: Trial | None) -> list[str]:
    """How long packets wait under each scheme in one case."""
    if trial is None:
        return []
    section, name = trial.guideline.section, trial.name
    figures = {
        scheme: evaluation.figure(section, name, scheme, "queue_mean_ms") for scheme in evaluation.subjects
    }
    waits = [
        f"{delay(mean)} {under(scheme)}"
        for scheme, figure in figures.items()
        if figure is not None and (mean := figure.interval.mean) is not None
    ]
    title = trial.title[0].upper() + trial.title[1:]
    return [f"{title}: packets wait {listed(waits)}."] if waits else []


def standings_in_words(scheme: str, standings: Sequence[Standings]) -> list[str]:
    """In how many cases a scheme has less delay and more goodput than each other one."""
    return [
        f"{named(scheme)} against {named(other)} ({counted(cases, 'scenario')}): "
        f"{'; '.join(map(_against, found))}."
        for (other, cases), group in groupby(standings, key=lambda each: (each.other, each.cases))
        if cases
        for found in [list(group)]
    ]


def judgements_in_words(evaluation: Evaluation, judged: Sequence[Judgement]) -> list[str]:
    """Where a controller does more harm than the standard does itself, and where it is worse otherwise."""
    name = evaluation.method.spelt(evaluation.subject)
    others = [each for each in judged if each.trial.case.standard != evaluation.subject]
    if not others or len(evaluation.seeds) < MINIMUM_REPLICATIONS:
        return []
    harm = [each for each in others if each.is_harm]
    rest = [each for each in others if not each.is_harm]
    return [*_harm_in_words(evaluation, name, harm), *_rest_in_words(evaluation, name, rest)]


def _harm_in_words(evaluation: Evaluation, name: str, judged: Sequence[Judgement]) -> Iterator[str]:
    if not judged:
        return
    spelt = evaluation.method.spelt
    standards = dict.fromkeys(each.trial.case.standard for each in judged)
    itself = " or ".join(map(spelt, standards))
    worse = [each for each in judged if each.is_worse]
    better = sum(each.is_better for each in judged)
    yield (
        f"Harm to others: {name} does more than {itself} to itself in {len(worse)} of "
        f"{counted(len(judged), 'number')} and less in {better}."
    )
    if worse:
        most = max(worse, key=lambda each: each.difference.mean or 0.0)
        own, standard = (f"{each.interval.mean:.2f}" for each in (most.own, most.standard))
        what = most.number.removeprefix("harm, ")
        yield (
            f"The greatest excess: {most.trial.guideline.section} {most.trial.title} ({what}), harm {own} "
            f"against {standard} of {spelt(most.trial.case.standard)}."
        )


def _rest_in_words(evaluation: Evaluation, name: str, judged: Sequence[Judgement]) -> Iterator[str]:
    for standard, group in groupby(judged, key=lambda each: each.trial.case.standard):
        found = list(group)
        worse, better = (
            [each.trial.guideline.section for each in found if getattr(each, way)]
            for way in ("is_worse", "is_better")
        )
        yield (
            f"Of the other {counted(len(found), 'number')} {name} is worse than "
            f"{evaluation.method.spelt(standard)} in {_where(worse)} and better in {_where(better)}."
        )


def _where(sections: Sequence[str]) -> str:
    told = ", ".join(dict.fromkeys(sections))
    return f"{len(sections)} ({told})" if sections else "none"


def means_in_words(evaluation: Evaluation) -> str:
    """What the numbers of the summary are."""
    seeds = len(evaluation.seeds)
    certainty = " with 95 % intervals" if seeds >= MINIMUM_REPLICATIONS else ": too few for intervals"
    means = f"means over {counted(seeds, 'seed')}{certainty}"
    if evaluation.method is CONTROLLERS:
        numbers = {row.number for row in summary_of(evaluation)}
        shown = [
            f"{number}: {said}"
            for number, said in _NUMBERS.items()
            if number in numbers or (number == "harm" and any(each.startswith("harm") for each in numbers))
        ]
        return f"{'; '.join([*shown, means])}{_STAR if seeds >= MINIMUM_REPLICATIONS else ''}"
    return f"delay: mean queueing delay; Mbit/s: goodput of all traffic; {means}"


def _against(standings: Standings) -> str:
    counts = {"lower": standings.less, "higher": standings.more}
    found = ", ".join(f"{way} in {count}" for way, count in counts.items() if count)
    return f"{_CALLED[standings.number]} {found or 'not clearly different'}"
