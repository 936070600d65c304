"""Section 5, table 4, figures 13 and 14: the best settings of RED by three criteria, and bad ones."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

from aqmlab.claims.christiansen2000.cells import (
    RECOMMENDED,
    TUNED_FOR_98,
    christiansen2000,
    red,
    red_cells,
)
from aqmlab.claims.christiansen2000.degrees import (
    MUCH,
    SLACK_S,
    above,
    best_of,
    little_difference,
    much_better,
)
from aqmlab.claims.evidence import attempt
from aqmlab.claims.outcome import Part
from aqmlab.statistics import Interval, MissingDataError, loss_percent, mean_interval
from aqmlab.statistics.quantities import restricted_mean_response_ms, utilization_percent

if TYPE_CHECKING:
    from collections.abc import Callable

    from aqmlab.statistics import Recorded
    from aqmlab.study import Study


class Criterion(NamedTuple):
    """What a setting is best at: a number, which way, and how much less still counts as best."""

    name: str
    of: Callable[[Recorded], float]
    highest: bool
    slack: float
    unit: str


RESPONSE = Criterion("best overall response", restricted_mean_response_ms, False, 1000.0 * SLACK_S, "ms")
UTILIZATION = Criterion("highest link utilization", utilization_percent, True, 0.5, "points")
DROPS = Criterion("lowest drop rate", loss_percent, False, 0.1, "points")
"""Slack: the last digit of table 3's drop rates; half a point of utilization, 6 KB/s, is half of what parts
rows of table 3 at one load; the mean has the slack of `degrees`."""

TABLE_4 = {
    90.0: {RESPONSE: RECOMMENDED, UTILIZATION: f"{RECOMMENDED}-w512-p20", DROPS: red(120, 360)},
    98.0: {RESPONSE: TUNED_FOR_98, UTILIZATION: red(30, 180), DROPS: red(90, 150)},
}

CANDIDATES = (
    red(5, 15),
    f"{RECOMMENDED}-w512-p4",
    f"{RECOMMENDED}-w128-p4",
    f"{RECOMMENDED}-w1024",
    red(120, 360),
)
"""Figure 14 prints no settings. These are what the text speaks against, and the largest thresholds."""


@christiansen2000("C11")
def best_settings(study: Study) -> list[Part]:
    """Table 4 among all RED cells that were run; the paper chose by eye, here a search is `aqmlab tune`."""
    parts = [_named(study, load, criterion) for load in TABLE_4 for criterion in TABLE_4[load]]
    parts += [_criteria_differ(study, load) for load in TABLE_4]
    best_90 = TABLE_4[90.0][RESPONSE], 90.0
    parts += [
        little_difference(
            study,
            f"at 90 % tuning for {criterion.name} differs relatively little from tuning for response",
            (TABLE_4[90.0][criterion], 90.0),
            best_90,
            margin=MUCH,
        )
        for criterion in (UTILIZATION, DROPS)
    ]
    parts.append(
        much_better(
            study,
            "at 98 % tuning for highest utilization has serious effects on response times",
            (TABLE_4[98.0][RESPONSE], 98.0),
            (TABLE_4[98.0][UTILIZATION], 98.0),
        )
    )
    return parts


def _named(study: Study, load: float, criterion: Criterion) -> Part:
    setting = TABLE_4[load][criterion]
    said = f"at {load:g} % {study.configuration(setting).label} has the {criterion.name}"

    def ask() -> Part:
        return best_of(
            study,
            said,
            (setting, load),
            _searched(study, load),
            criterion.of,
            highest=criterion.highest,
            slack=criterion.slack,
            unit=criterion.unit,
        )

    return attempt(said, ask)


def _searched(study: Study, load: float) -> list[str]:
    """The RED cells at a load, once all settings of table 4 are among them."""
    missing = [setting for setting in TABLE_4[load].values() if not study.has(setting, load)]
    if missing:
        raise MissingDataError(f"cells {', '.join(missing)} of table 4 were not run at {load:g} %")
    return red_cells(study, load)


def _criteria_differ(study: Study, load: float) -> Part:
    said = f"at {load:g} % no one setting is best by all three criteria"

    def ask() -> Part:
        names = _searched(study, load)
        best = {criterion: _best(study, names, load, criterion) for criterion in TABLE_4[load]}
        evidence = ", ".join(
            f"{criterion.name}: {study.configuration(name).label}" for criterion, name in best.items()
        )
        if len(set(best.values())) == 1:
            return Part(said, False, evidence)
        apart = any(
            _shown_apart(study, load, one, best[one], best[two]) for one, two in permutations(best, 2)
        )
        return Part(said, True if apart else None, evidence)

    return attempt(said, ask)


def _best(study: Study, names: list[str], load: float, criterion: Criterion) -> str:
    sign = -1.0 if criterion.highest else 1.0

    def cost(name: str) -> float:
        mean = study.measure(name, load, criterion.of).mean
        return float("inf") if mean is None else sign * mean

    return min(names, key=cost)


def _shown_apart(study: Study, load: float, criterion: Criterion, best: str, other: str) -> bool:
    """Whether the winner by another criterion is shown to be worse by this one."""
    difference = study.difference((best, load), (other, load), criterion.of)
    if not isinstance(difference, Interval):
        return False
    return difference.lies_above(0.0) if criterion.highest else difference.lies_below(0.0)


@christiansen2000("C12")
def bad_settings(study: Study) -> list[Part]:
    """Some plausible setting is considerably worse than the recommended one; candidates are ours."""
    return [_considerably_worse(study, 90.0), _considerably_worse(study, 98.0), _more_so_at_98(study)]


def _considerably_worse(study: Study, load: float) -> Part:
    said = f"at {load:g} % the worst of our candidates for figure 14 is considerably worse than 30/90"

    def ask() -> Part:
        tried = _candidates(study, load)
        worst = _worst(study, load, tried)
        part = much_better(study, said, (RECOMMENDED, load), (worst, load))
        evidence = f"{study.configuration(worst).label}, worst of {len(tried)}: {part.evidence}"
        return Part(part.statement, part.holds, evidence, part.effect)

    return attempt(said, ask)


def _more_so_at_98(study: Study) -> Part:
    said = "the worst candidate's harm (mean up to 2 s) is greater at 98 % than at 90"

    def ask() -> Part:
        both = [name for name in _candidates(study, 90.0) if study.has(name, 98.0)]
        if not both:
            raise MissingDataError("no candidate for a bad setting was run at both loads")
        harm = {load: _harm(study, load, _worst(study, load, both)) for load in (90.0, 98.0)}
        seeds = sorted(harm[90.0].keys() & harm[98.0].keys())
        if not seeds:
            raise MissingDataError("the loads share no seed")
        growth = mean_interval([harm[98.0][seed] - harm[90.0][seed] for seed in seeds])
        return above(said, growth, 0.0, unit="ms")

    return attempt(said, ask)


def _harm(study: Study, load: float, worst: str) -> dict[int, float]:
    """Milliseconds by which a setting's mean lies above that of the recommended one, by seed."""
    theirs, ours = (study.by_seed((name, load), restricted_mean_response_ms) for name in (worst, RECOMMENDED))
    return {seed: theirs[seed] - ours[seed] for seed in theirs.keys() & ours.keys()}


def _candidates(study: Study, load: float) -> list[str]:
    run = [name for name in CANDIDATES if study.has(name, load)]
    if not run:
        raise MissingDataError(f"no candidate for a bad setting was run at {load:g} %")
    return run


def _worst(study: Study, load: float, names: list[str]) -> str:
    """The setting with the largest mean up to 2 s."""
    return max(names, key=lambda name: study.measure(name, load, restricted_mean_response_ms).mean or 0.0)
