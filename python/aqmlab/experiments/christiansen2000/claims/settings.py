"""Section 5, table 4, figures 13 and 14: the best settings of RED by three criteria, and bad ones."""

from __future__ import annotations

from functools import partial
from itertools import permutations
from typing import TYPE_CHECKING

from aqmlab.errors import MissingDataError
from aqmlab.inference import Interval
from aqmlab.papers.claims import Answer
from aqmlab.papers.claims.checks import above_zero, much_better, shown, unit_of
from aqmlab.papers.claims.outcome import decided
from aqmlab.statistics.quantities import restricted_mean_response_ms

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aqmlab.inference import NotEnoughReplications
    from aqmlab.papers.claims import Question
    from aqmlab.papers.published import Criterion
    from aqmlab.papers.study import Cell, Study


def red_cells(study: Study, load_percent: float) -> list[str]:
    """Every RED configuration of the paper's search that was run at a load."""
    return [
        name
        for name, configuration in study.experiment.configurations.items()
        if name.startswith("red-") and configuration.extends is None and study.has(name, load_percent)
    ]


def settings_of_table_4(study: Study, *, slack: Mapping[str, float]) -> Iterator[tuple[str, Question]]:
    """Each is the best of the RED cells that were run; the paper chose by eye, `aqmlab tune` searches."""
    table = study.experiment.published.table("4")
    for cell, row in table.rows.items():
        name = row.text[table.criterion_column]
        criterion = table.criteria[name]
        label, unit = study.configuration(cell[0]).label, unit_of(criterion.quantities[0])
        said = f"at {cell[1]:g} % {label} has the {name} (slack {slack[name]:g} {unit})"
        yield said, partial(_best_of, study, cell, criterion, slack[name])


def _best_of(study: Study, cell: Cell, criterion: Criterion, slack: float) -> Answer:
    """No other setting at the same load is better by the criterion, by more than the slack."""
    rivals = [(name, cell[1]) for name in _searched(study, cell[1]) if name != cell[0]]
    behind = {rival: _ahead(study, criterion, rival, cell) for rival in rivals}
    known = {rival: value for rival, value in behind.items() if isinstance(value, Interval)}
    if len(known) < len(behind) or not known:
        return Answer(None, "; ".join(str(value) for value in behind.values()) or "no rival was run")
    worst = max(known, key=lambda rival: known[rival].mean)
    beaten = any(value.lies_above(slack) for value in known.values())
    unbeaten = all(value.lies_below(slack) for value in known.values())
    label = study.configuration(worst[0]).label
    behind_by = shown(known[worst], unit=unit_of(criterion.quantities[0]))
    evidence = f"behind {label}, the best or nearest of {len(known)} others, by {behind_by}"
    return Answer(decided(unbeaten, beaten), evidence, known[worst])


def _ahead(study: Study, criterion: Criterion, one: Cell, other: Cell) -> Interval | NotEnoughReplications:
    """By how much the one cell is better than the other by a criterion."""
    better, worse = (one, other) if criterion.highest else (other, one)
    return study.difference(better, worse, criterion.quantities[0])


def _searched(study: Study, load: float) -> list[str]:
    """The RED cells at a load, once all settings of table 4 are among them."""
    named = [name for name, at in study.experiment.published.table("4").rows if at == load]
    missing = [name for name in named if not study.has(name, load)]
    if missing:
        raise MissingDataError(f"cells {', '.join(missing)} of table 4 were not run at {load:g} %")
    return red_cells(study, load)


def criteria_differ(study: Study, *, load_percent: float) -> Answer:
    """No one setting is best by all criteria of table 4."""
    names, criteria = _searched(study, load_percent), study.experiment.published.table("4").criteria
    best = {name: study.ranked(names, load_percent, criterion)[0] for name, criterion in criteria.items()}
    evidence = ", ".join(f"{name}: {study.configuration(own).label}" for name, own in best.items())
    if len(set(best.values())) == 1:
        return Answer(False, evidence)
    apart = any(
        _shown_better(study, criteria[one], (best[one], load_percent), (best[other], load_percent))
        for one, other in permutations(best, 2)
    )
    return Answer(True if apart else None, evidence)


def _shown_better(study: Study, criterion: Criterion, best: Cell, other: Cell) -> bool:
    """Whether the winner by another criterion is shown to be worse by this one."""
    ahead = _ahead(study, criterion, best, other)
    return isinstance(ahead, Interval) and ahead.lies_above(0.0)


def considerably_worse(study: Study, a: Cell, *, candidates: Sequence[str], margin: float) -> Answer:
    """The worst of some settings is considerably worse than `a`."""
    tried = _run(study, candidates, a[1])
    worst = _worst(study, a[1], tried)
    answer = much_better(study, a, (worst, a[1]), margin=margin)
    label = study.configuration(worst).label
    return answer._replace(evidence=f"{label}, worst of {len(tried)}: {answer.evidence}")


def more_harm(study: Study, a: Cell, b: Cell, *, candidates: Sequence[str]) -> Answer:
    """The worst setting of those run at both loads does more harm at the load of `a` than at that of `b`."""
    both = [name for name in _run(study, candidates, b[1]) if study.has(name, a[1])]
    if not both:
        raise MissingDataError("no candidate for a bad setting was run at both loads")
    here, there = (_harm(study, cell, _worst(study, cell[1], both)) for cell in (a, b))
    seeds = sorted(here.keys() & there.keys())
    if not seeds:
        raise MissingDataError("the loads share no seed")
    return above_zero([here[seed] - there[seed] for seed in seeds], unit="ms")


def _harm(study: Study, cell: Cell, worst: str) -> dict[int, float]:
    """Milliseconds by which a setting's mean lies above that of a cell at the same load, by seed."""
    theirs, ours = (study.by_seed((name, cell[1]), restricted_mean_response_ms) for name in (worst, cell[0]))
    return {seed: theirs[seed] - ours[seed] for seed in theirs.keys() & ours.keys()}


def _run(study: Study, candidates: Sequence[str], load: float) -> list[str]:
    run = [name for name in candidates if study.has(name, load)]
    if not run:
        raise MissingDataError(f"no candidate for a bad setting was run at {load:g} %")
    return run


def _worst(study: Study, load: float, names: list[str]) -> str:
    """The setting with the largest mean up to 2 s."""
    return max(names, key=lambda name: study.measure(name, load, restricted_mean_response_ms).mean or 0.0)
