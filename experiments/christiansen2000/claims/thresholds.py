"""Section 5, figures 10 and 11: the thresholds of RED."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab.experiments.christiansen2000.claims.cells import RECOMMENDED, christiansen2000, red
from aqmlab.reproduce.claims.answers import answered, decided
from aqmlab.reproduce.claims.curves import little_difference, much_better, no_worse
from aqmlab.reproduce.claims.numbers import no_slower, shown
from aqmlab.reproduce.claims.outcome import Part
from aqmlab.statistics import Interval, Verdict
from aqmlab.statistics.quantities import utilization_percent

if TYPE_CHECKING:
    from aqmlab.reproduce.study import Cell, Study

BEST = (red(30, 90), red(60, 180))
OTHERS = (red(5, 15), red(120, 360))
"""The other settings that the text names: from the guideline's min_th of 5 up to 120."""


@christiansen2000("C07")
def both_thresholds(
    study: Study, *, about_70_percent: tuple[float, float], little: float, much: float, slack_s: float
) -> list[Part]:
    """5/15 is poor, 30/90 and 60/180 are best, with a trade-off between them at 98 %."""
    parts = [
        much_better(
            study,
            f"at {load:g} % RED 5/15 is poor against 30/90",
            (red(30, 90), load),
            (red(5, 15), load),
            margin=much,
        )
        for load in (90.0, 98.0)
    ]
    label = {name: study.configuration(name).label for name in (*BEST, *OTHERS)}
    parts += [
        no_slower(
            study,
            f"at {load:g} % {label[best]} is as good overall as {label[other]}",
            (best, load),
            (other, load),
            slack_s=slack_s,
        )
        for load in (90.0, 98.0)
        for best in BEST
        for other in OTHERS
    ]
    parts.append(
        short_against_long(
            study,
            "at 98 % about 70 % (60 to 80) of requests, the shorter ones, prefer 30/90 to 60/180",
            (red(30, 90), 98.0),
            (red(60, 180), 98.0),
            about_70_percent,
        )
    )
    return parts + [
        no_worse(
            study,
            f"at 110 % no threshold helps: 30/90 is not worse than {label[other]}",
            (RECOMMENDED, 110.0),
            (other, 110.0),
            margin=little,
        )
        for other in (red(5, 15), red(60, 180), red(120, 360))
    ]


@answered
def short_against_long(study: Study, statement: str, a: Cell, b: Cell, shares: tuple[float, float]) -> Part:
    """`a` is better up to a share of responses and `b` beyond it."""
    comparison = study.cell_comparison(a, b)
    judgement = comparison.within(0.0, 2.0)
    if judgement.verdict is Verdict.CANNOT_BE_JUDGED:
        return Part(statement, None, judgement.reason)
    if judgement.crossing_s is None:
        return Part(statement, False, f"{judgement.verdict}: {judgement.reason}")
    share = float(np.interp(judgement.crossing_s, comparison.time_s, comparison.responses))
    before = comparison.difference[comparison.time_s < judgement.crossing_s]
    holds = shares[0] <= share <= shares[1] and float(before.max()) > -float(before.min())
    evidence = f"the curves cross at {judgement.crossing_s:.2f} s, after {share:.0%} of responses"
    return Part(statement, holds, evidence, share)


@christiansen2000("C08")
def one_threshold(study: Study, *, marginal_points: float, little: float) -> list[Part]:
    """At 90 % load, the one of figure 11, neither threshold alone matters, to users or to the link."""
    others = [red(low, 90) for low in (5, 15, 60)] + [red(30, high) for high in (60, 120, 180)]
    parts: list[Part] = []
    for other in others:
        label = study.configuration(other).label
        pair = (other, 90.0), (RECOMMENDED, 90.0)
        parts += [
            little_difference(study, f"at 90 % {label} and 30/90 differ little", *pair, margin=little),
            same_utilization(study, f"at 90 % {label} and 30/90 use the link alike", *pair, marginal_points),
        ]
    return parts


@answered
def same_utilization(study: Study, statement: str, a: Cell, b: Cell, limit: float) -> Part:
    """Utilization differs by no more than so many points."""
    difference = study.difference(a, b, utilization_percent)
    said = f"{statement} (within {limit:g} points)"
    holds = None
    if isinstance(difference, Interval):
        outside = difference.lies_above(limit) or difference.lies_below(-limit)
        holds = decided(difference.lies_within(-limit, limit), outside)
    return Part(said, holds, shown(difference, unit="points"), difference)
