"""Section 5, figure 12: the weight of the average and the maximum drop probability of RED."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aqmlab.experiments.christiansen2000.claims.cells import RECOMMENDED, christiansen2000
from aqmlab.reproduce.claims.answers import attempt
from aqmlab.reproduce.claims.curves import little_difference, no_worse, time_of_share
from aqmlab.reproduce.claims.numbers import higher, slower
from aqmlab.statistics import MissingDataError, loss_percent

if TYPE_CHECKING:
    from aqmlab.reproduce.claims.outcome import Part
    from aqmlab.reproduce.study import Study

WEIGHTS = (512, 256, 128)


def setting(weight: int, probability: int) -> str:
    """30/90 with w_q = 1/weight and max_p = 1/probability."""
    if (weight, probability) == (512, 10):
        return RECOMMENDED
    return f"{RECOMMENDED}-w{weight}-p{probability}"


@christiansen2000("C09")
def weight_and_probability(study: Study, *, knee: float, little: float, much: float) -> list[Part]:
    """max_p = 0.25 hurts at every load; the rest matters beyond the knee; nothing beats the suggestion."""
    return [
        *_quarter_hurts(study),
        *_alike_up_to_the_knee(study, knee, little),
        *_suggestion_stands(study, much),
    ]


def _quarter_hurts(study: Study) -> list[Part]:
    parts = []
    for load in (90.0, 98.0, 110.0):
        for weight in WEIGHTS:
            quarter, tenth = (setting(weight, 4), load), (setting(weight, 10), load)
            where = f"at {load:g} % with w_q = 1/{weight}"
            parts += [
                slower(study, f"{where} max_p = 0.25 is worse than 0.1", quarter, tenth),
                higher(
                    study,
                    f"{where} max_p = 0.25 drops more than 0.1",
                    quarter,
                    tenth,
                    loss_percent,
                    unit="points",
                ),
            ]
    return parts


def _others() -> list[str]:
    pairs = [(weight, probability) for weight in WEIGHTS for probability in (20, 10)]
    return [setting(*pair) for pair in pairs if setting(*pair) != RECOMMENDED]


def _alike_up_to_the_knee(study: Study, knee: float, little: float) -> list[Part]:
    everything = [*_others(), *(setting(weight, 4) for weight in WEIGHTS)]
    return [
        _up_to_the_knee(study, other, load, knee, little) for load in (90.0, 98.0) for other in everything
    ]


def _up_to_the_knee(study: Study, other: str, load: float, knee: float, little: float) -> Part:
    label = study.configuration(other).label
    said = f"at {load:g} % {label} and 1/512, 1/10 differ little up to the {100 * knee:g}th percentile"

    def ask() -> Part:
        until_s = time_of_share(study, (RECOMMENDED, load), knee)
        if until_s >= 2.0:
            raise MissingDataError(
                f"the {100 * knee:g}th percentile lies at {until_s:.1f} s, beyond the figures"
            )
        pair = (other, load), (RECOMMENDED, load)
        return little_difference(study, said, *pair, between_s=(0.0, until_s), margin=little)

    return attempt(said, ask)


def _suggestion_stands(study: Study, much: float) -> list[Part]:
    return [
        no_worse(
            study,
            f"at {load:g} % 1/512, 1/10 is not worse than {study.configuration(other).label}",
            (RECOMMENDED, load),
            (other, load),
            margin=much,
        )
        for load in (90.0, 98.0)
        for other in _others()
    ]
