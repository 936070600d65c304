"""The evaluated controller against a standard one, number by number and seed by seed.

The standard of a case is the controller that its other flows have, or CUBIC. Ware et al. (HotNets 2019) ask
that the harm to its flows lies within a bounded distance of the harm that they do to one another; the
distance is chosen here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aqmlab.inference import Interval, mean_interval
from aqmlab.study.evaluation.harm import harm_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aqmlab.inference import NotEnoughReplications
    from aqmlab.study.evaluation.evaluation import Evaluation, Figure, Trial

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
            place = trial.guideline.section, trial.name
            own = evaluation.figure(*place, trial.subject, metric)
            standard = evaluation.figure(*place, trial.case.standard, metric)
            if own is None or standard is None:
                continue
            pairs = zip(own.values, standard.values, strict=True)
            difference = mean_interval([one - other for one, other in pairs])
            is_harm = metric.startswith(harm_name(""))
            yield Judgement(trial, number, is_harm, own, standard, difference)
