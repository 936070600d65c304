"""Section 5, table 4, figures 13 and 14: the best settings of RED by three criteria, and bad ones."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

from aqmlab.experiments.christiansen2000.claims.cells import (
    RECOMMENDED,
    christiansen2000,
    red_cells,
)
from aqmlab.reproduce.claims.answers import attempt
from aqmlab.reproduce.claims.curves import little_difference, much_better
from aqmlab.reproduce.claims.numbers import above, best_of
from aqmlab.reproduce.claims.outcome import Part
from aqmlab.statistics import Interval, MissingDataError, mean_interval
from aqmlab.statistics.quantities import restricted_mean_response_ms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aqmlab.reproduce.published import Criterion
    from aqmlab.reproduce.study import Study


RESPONSE, UTILIZATION, DROPS = "best overall response", "highest link utilization", "lowest drop rate"
"""What table 4 calls its criteria."""


@christiansen2000("C11")
def best_settings(study: Study, *, slack: Mapping[str, float], much: float) -> list[Part]:
    """Table 4 among all RED cells that were run; the paper chose by eye, here a search is `aqmlab tune`."""
    best = _table_4(study)
    parts = [_named(study, load, name, slack[name]) for load in best for name in best[load]]
    parts += [_criteria_differ(study, load) for load in best]
    parts += [
        little_difference(
            study,
            f"at 90 % tuning for {name} differs relatively little from tuning for response",
            (best[90.0][name], 90.0),
            (best[90.0][RESPONSE], 90.0),
            margin=much,
        )
        for name in (UTILIZATION, DROPS)
    ]
    parts.append(
        much_better(
            study,
            "at 98 % tuning for highest utilization has serious effects on response times",
            (best[98.0][RESPONSE], 98.0),
            (best[98.0][UTILIZATION], 98.0),
            margin=much,
        )
    )
    return parts


def _table_4(study: Study) -> dict[float, dict[str, str]]:
    """The published settings by load and criterion."""
    table = study.experiment.table("4")
    best: dict[float, dict[str, str]] = {}
    for name, load in table.rows:
        best.setdefault(load, {})[table.rows[name, load].text[table.criterion_column]] = name
    return best


def _criterion(study: Study, name: str) -> Criterion:
    return study.experiment.table("4").criteria[name]


def _named(study: Study, load: float, name: str, slack: float) -> Part:
    setting, criterion = _table_4(study)[load][name], _criterion(study, name)
    said = f"at {load:g} % {study.configuration(setting).label} has the {name}"
    quantity = criterion.quantities[0]

    def ask() -> Part:
        return best_of(
            study,
            said,
            (setting, load),
            _searched(study, load),
            quantity,
            highest=criterion.highest,
            slack=slack,
            unit="points" if quantity.unit == "%" else quantity.unit,
        )

    return attempt(said, ask)


def _searched(study: Study, load: float) -> list[str]:
    """The RED cells at a load, once all settings of table 4 are among them."""
    missing = [setting for setting in _table_4(study)[load].values() if not study.has(setting, load)]
    if missing:
        raise MissingDataError(f"cells {', '.join(missing)} of table 4 were not run at {load:g} %")
    return red_cells(study, load)


def _criteria_differ(study: Study, load: float) -> Part:
    said = f"at {load:g} % no one setting is best by all three criteria"

    def ask() -> Part:
        names = _searched(study, load)
        best = {name: _best(study, names, load, _criterion(study, name)) for name in _table_4(study)[load]}
        evidence = ", ".join(f"{name}: {study.configuration(own).label}" for name, own in best.items())
        if len(set(best.values())) == 1:
            return Part(said, False, evidence)
        apart = any(
            _shown_apart(study, load, _criterion(study, one), best[one], best[two])
            for one, two in permutations(best, 2)
        )
        return Part(said, True if apart else None, evidence)

    return attempt(said, ask)


def _best(study: Study, names: list[str], load: float, criterion: Criterion) -> str:
    sign = -1.0 if criterion.highest else 1.0

    def cost(name: str) -> float:
        mean = study.measure(name, load, criterion.quantities[0]).mean
        return float("inf") if mean is None else sign * mean

    return min(names, key=cost)


def _shown_apart(study: Study, load: float, criterion: Criterion, best: str, other: str) -> bool:
    """Whether the winner by another criterion is shown to be worse by this one."""
    difference = study.difference((best, load), (other, load), criterion.quantities[0])
    if not isinstance(difference, Interval):
        return False
    return difference.lies_above(0.0) if criterion.highest else difference.lies_below(0.0)


@christiansen2000("C12")
def bad_settings(study: Study, *, candidates: Sequence[str], much: float) -> list[Part]:
    """Some plausible setting is considerably worse than the recommended one; candidates are ours."""
    return [
        *[_considerably_worse(study, load, candidates, much) for load in (90.0, 98.0)],
        _more_so_at_98(study, candidates),
    ]


def _considerably_worse(study: Study, load: float, candidates: Sequence[str], much: float) -> Part:
    said = f"at {load:g} % the worst of our candidates for figure 14 is considerably worse than 30/90"

    def ask() -> Part:
        tried = _run(study, candidates, load)
        worst = _worst(study, load, tried)
        part = much_better(study, said, (RECOMMENDED, load), (worst, load), margin=much)
        evidence = f"{study.configuration(worst).label}, worst of {len(tried)}: {part.evidence}"
        return Part(part.statement, part.holds, evidence, part.effect)

    return attempt(said, ask)


def _more_so_at_98(study: Study, candidates: Sequence[str]) -> Part:
    said = "the worst candidate's harm (mean up to 2 s) is greater at 98 % than at 90"

    def ask() -> Part:
        both = [name for name in _run(study, candidates, 90.0) if study.has(name, 98.0)]
        if not both:
            raise MissingDataError("no candidate for a bad setting was run at both loads")
        harm = {load: _harm(study, load, _worst(study, load, both)) for load in (90.0, 98.0)}
        seeds = sorted(harm[90.0].keys() & harm[98.0].keys())
        if not seeds:
            raise MissingDataError("the loads share no seed")
        growth = mean_interval([harm[98.0][seed] - harm[90.0][seed] for seed in seeds])
        return above(said, growth, unit="ms")

    return attempt(said, ask)


def _harm(study: Study, load: float, worst: str) -> dict[int, float]:
    """Milliseconds by which a setting's mean lies above that of the recommended one, by seed."""
    theirs, ours = (study.by_seed((name, load), restricted_mean_response_ms) for name in (worst, RECOMMENDED))
    return {seed: theirs[seed] - ours[seed] for seed in theirs.keys() & ours.keys()}


def _run(study: Study, candidates: Sequence[str], load: float) -> list[str]:
    run = [name for name in candidates if study.has(name, load)]
    if not run:
        raise MissingDataError(f"no candidate for a bad setting was run at {load:g} %")
    return run


def _worst(study: Study, load: float, names: list[str]) -> str:
    """The setting with the largest mean up to 2 s."""
    return max(names, key=lambda name: study.measure(name, load, restricted_mean_response_ms).mean or 0.0)
