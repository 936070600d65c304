"""Harm: what others lose beside a controller, of what they have alone; and whether that is too much.

Source: R. Ware, M. K. Mukerjee, S. Seshan, J. Sherry, *Beyond Jain's Fairness Index: Setting the Bar for the
Deployment of Congestion Control Algorithms* (HotNets 2019), section 4. With x alone and y beside the
controller the harm is (x - y) / x where more is better, as of goodput, and (y - x) / y where less is better,
as of delay: 0 is none, 1 is all. Below 0 others gain. A controller is acceptable by their threshold if it
does no more harm to flows of a standard controller than these do to one another.

The evaluated controller is judged against the standard one of a case, number by number and seed by seed: the
controller that its other flows have, or CUBIC. The harm to its flows has to lie within a bounded distance of
the harm that they do to one another; the distance is chosen here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aqmlab.inference import Interval, mean_interval
from aqmlab.statistics.observation import Observation
from aqmlab.study.evaluation.evaluation import ALONE, Figure, by_name
from aqmlab.study.evaluation.metrics import Metric

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aqmlab.inference import NotEnoughReplications
    from aqmlab.study.evaluation.evaluation import Evaluation, Trial

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
    found = by_name(figures)
    trials = {id(each.trial): each.trial for each in figures if each.trial.subject != ALONE}
    for trial in trials.values():
        for harmed in trial.case.harmed:
            own, alone = (found.get((*trial.place, subject, harmed)) for subject in (trial.subject, ALONE))
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


DISTANCE = 0.05
"""How far a controller's harm may lie above the standard's; of other numbers the same share of the standard's
number. Smaller differences are no matter, however sure."""


@dataclass(frozen=True)
class Judgement:
    """A number of the evaluated controller beside the standard's.

    Attributes:
        trial: The evaluated controller's.
        number: What tables call it.
        is_harm: Whether it is the harm to others.
        own: The evaluated controller's.
        standard: The standard controller's; itself where that is evaluated.
        difference: The first minus the second, runs of a seed in pairs.
    """

    trial: Trial
    number: str
    is_harm: bool
    own: Figure
    standard: Figure
    difference: Interval | NotEnoughReplications

    @property
    def distance(self) -> float:
        """How large a difference has to be to matter."""
        return DISTANCE if self.is_harm else DISTANCE * abs(self.standard.interval.mean or 0.0)

    @property
    def is_worse(self) -> bool:
        """Whether the 95 % interval of the difference is all on the bad side, beyond the distance."""
        return self._lies_beyond(more=not self.own.metric.more_is_better)

    @property
    def is_better(self) -> bool:
        """Whether it is all on the good side, beyond the distance."""
        return self._lies_beyond(more=self.own.metric.more_is_better)

    def _lies_beyond(self, *, more: bool) -> bool:
        found = self.difference
        if not isinstance(found, Interval):
            return False
        return bool(found.lies_above(self.distance) if more else found.lies_below(-self.distance))


def numbers_of(trial: Trial) -> dict[str, str]:
    """The metrics that the summary shows of a case, with what it calls them."""
    case = trial.case
    return {**case.headlines, **{harm_name(metric): number for metric, number in case.harmed.items()}}


def judgements_of(evaluation: Evaluation) -> Iterator[Judgement]:
    """Every number of the summary whose case has a standard that was run."""
    for trial in evaluation.trials:
        if trial.subject != evaluation.subject:
            continue
        for metric, number in numbers_of(trial).items():
            own = evaluation.figure(*trial.place, trial.subject, metric)
            standard = evaluation.figure(*trial.place, trial.case.standard, metric)
            if own is None or standard is None:
                continue
            pairs = zip(own.values, standard.values, strict=True)
            difference = mean_interval([one - other for one, other in pairs])
            is_harm = metric.startswith(harm_name(""))
            yield Judgement(trial, number, is_harm, own, standard, difference)
