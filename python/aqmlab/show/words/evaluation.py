"""What an evaluation by RFC 7928 found, in sentences."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from aqmlab.inference.replication import MINIMUM_REPLICATIONS
from aqmlab.show.words.amounts import delay, listed
from aqmlab.show.words.configurations import named, under
from aqmlab.study.evaluation.summary import leading_case, standings_of
from aqmlab.terminal.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aqmlab.study.evaluation import Evaluation, Trial
    from aqmlab.study.evaluation.summary import Standings

_CALLED = {"queue_mean_ms": "delay", "goodput_mbps": "goodput"}


def in_words(evaluation: Evaluation) -> list[str]:
    """What was found, in sentences."""
    return [
        *waits_in_words(evaluation, leading_case(evaluation)),
        *standings_in_words(evaluation.scheme, standings_of(evaluation)),
    ]


def waits_in_words(evaluation: Evaluation, trial: Trial | None) -> list[str]:
    """How long packets wait under each scheme in one case."""
    if trial is None:
        return []
    section, name = trial.guideline.section, trial.name
    figures = {
        scheme: evaluation.figure(section, name, scheme, "queue_mean_ms") for scheme in evaluation.schemes
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


def means_in_words(seeds: int) -> str:
    """What the numbers of the summary are."""
    certainty = " with 95 % intervals" if seeds >= MINIMUM_REPLICATIONS else ": too few for intervals"
    means = f"means over {counted(seeds, 'seed')}{certainty}"
    return f"delay: mean queueing delay; Mbit/s: goodput of all traffic; {means}"


def _against(standings: Standings) -> str:
    counts = {"lower": standings.less, "higher": standings.more}
    found = ", ".join(f"{way} in {count}" for way, count in counts.items() if count)
    return f"{_CALLED[standings.number]} {found or 'not clearly different'}"
