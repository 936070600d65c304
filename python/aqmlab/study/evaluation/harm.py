"""Harm: what others lose beside a controller, of what they have alone.

Source: R. Ware, M. K. Mukerjee, S. Seshan, J. Sherry, *Beyond Jain's Fairness Index: Setting the Bar for the
Deployment of Congestion Control Algorithms* (HotNets 2019), section 4. With x alone and y beside the
controller the harm is (x - y) / x where more is better, as of goodput, and (y - x) / y where less is better,
as of delay: 0 is none, 1 is all. Below 0 others gain. A controller is acceptable by their threshold if it
does no more harm to flows of a standard controller than these do to one another.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from aqmlab.statistics.observation import Observation
from aqmlab.study.evaluation.evaluation import ALONE, Figure
from aqmlab.study.evaluation.metrics import Metric

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SECTION = "5.2"
"""Of RFC 9743, which asks for the harm to others."""


def harm_of(alone: Observation, beside: Observation, *, more_is_better: bool) -> Observation:
    """The harm to whoever has these numbers; bounds of a number are bounds of the harm.

    Nothing where one of them is nothing, or where a share of zero would be asked for.
    """
    best, worst = (beside.upper, beside.lower) if more_is_better else (beside.lower, beside.upper)
    if more_is_better:
        return _between(_lost(alone.lower, best), _lost(alone.upper, worst))
    return _between(_lost(best, alone.upper), _lost(worst, alone.lower))


def harm_name(metric: str) -> str:
    """What tables call the harm to a metric: `harm/goodput_mbps/flows.cubic`."""
    return f"harm/{metric}"


def harms(figures: Sequence[Figure]) -> Iterator[Figure]:
    """The harm in each trial whose case asks for it, seed by seed, against the case without the subject."""
    found = {
        (each.trial.guideline.section, each.trial.name, each.trial.subject, each.metric.name): each
        for each in figures
    }
    trials = {id(each.trial): each.trial for each in figures if each.trial.subject != ALONE}
    for trial in trials.values():
        for harmed in trial.case.harmed:
            place = trial.guideline.section, trial.name
            own, alone = (found.get((*place, subject, harmed)) for subject in (trial.subject, ALONE))
            if own is None or alone is None:
                continue
            pairs = zip(alone.observed, own.observed, strict=True)
            observed = [
                harm_of(before, beside, more_is_better=own.metric.more_is_better) for before, beside in pairs
            ]
            yield Figure(trial, Metric(_SECTION, harm_name(harmed), ""), tuple(observed))


def _lost(whole: float, rest: float) -> float:
    """The share of the whole that is not in the rest."""
    if math.isinf(whole):
        return 1.0 if math.isfinite(rest) else math.nan
    return 1.0 - rest / whole if whole > 0.0 else math.nan


def _between(least: float, most: float) -> Observation:
    unknown = math.isnan(least) or math.isnan(most)
    return Observation.nothing() if unknown else Observation(least, most)
