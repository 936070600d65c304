"""Sections 5 and 6, figures 9, 10, 12 and 15: stretches of curves, and RED queues as the load grows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aqmlab.errors import MissingDataError, TooLittleDataError
from aqmlab.experiments.christiansen2000.claims.settings import red_cells
from aqmlab.inference import Verdict, mean_interval
from aqmlab.papers.claims import Answer
from aqmlab.papers.claims.checks import (
    WHOLE,
    above_bound,
    better,
    evidence_of,
    little_difference,
    time_of_share,
)
from aqmlab.statistics import loss_percent
from aqmlab.statistics.quantities import longest_queue_packets, overflow_drops, restricted_mean_s

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from aqmlab.papers.study import Cell, Study
    from aqmlab.statistics.quantities import Quantity


def grows_faster(study: Study, a: Cell, *, loads_percent: Sequence[float]) -> Answer:
    """The mean up to 2 s grows more from the load of `a` to a higher one than from a lower one to it."""
    loads = (loads_percent[0], a[1], loads_percent[1])
    least, middle, most = (study.by_seed((a[0], load), restricted_mean_s()) for load in loads)
    seeds = sorted(least.keys() & middle.keys() & most.keys())
    if not seeds:
        raise MissingDataError("the loads share no seed")
    excess = [most[seed] - 2.0 * middle[seed] + least[seed] for seed in seeds]
    return above_bound(mean_interval(excess), scale=1000.0, unit="ms more")


def never_drops_more(study: Study, a: Cell, *, most_percent: float) -> Answer:
    """No replication drops more than so many per cent of the packets."""
    each = study.values(*a, loss_percent)
    evidence = f"from {min(each):.4f} to {max(each):.4f} % in {len(each)} replications"
    return Answer(max(each) <= most_percent, evidence, max(each))


def never_full(study: Study, *, load_percent: float, limit_packets: int) -> Answer:
    """No sample of any RED queue of the paper's search finds it full."""
    worst, packets, settings = _worst(study, load_percent, longest_queue_packets, max)
    evidence = f"longest {packets} packets, {worst}; {settings} settings"
    return Answer(packets < limit_packets, evidence, float(packets))


def no_overflow(study: Study, *, load_percent: float) -> Answer:
    """No RED queue of the paper's search drops a packet because it is full."""
    worst, drops, settings = _worst(study, load_percent, overflow_drops, sum)
    return Answer(drops == 0, f"most overflow drops {drops}, {worst}; {settings} settings", float(drops))


def _worst(
    study: Study, load: float, of: Quantity, together: Callable[[Iterable[float]], float]
) -> tuple[str, int, int]:
    """The setting of section 5 with the highest count, that count, and how many settings there are."""
    names = [name for name in red_cells(study, load) if "-limit-" not in name]
    if not names:
        raise MissingDataError(f"no RED cell was run at {load:g} %")
    counts = {name: int(together(study.values(name, load, of))) for name in names}
    worst = max(counts, key=lambda name: counts[name])
    return study.configuration(worst).label, counts[worst], len(counts)


def short_against_long(study: Study, a: Cell, b: Cell, *, shares: tuple[float, float]) -> Answer:
    """`a` is better up to a share of responses and `b` beyond it."""
    comparison = study.cell_curve(a, b)
    judgement = comparison.within(*WHOLE)
    if judgement.verdict is Verdict.CANNOT_BE_JUDGED:
        return Answer(None, judgement.reason)
    if judgement.crossing_s is None:
        return Answer(False, evidence_of(judgement))
    share = float(np.interp(judgement.crossing_s, comparison.time_s, comparison.responses))
    before = comparison.difference[comparison.time_s < judgement.crossing_s]
    holds = shares[0] <= share <= shares[1] and float(before.max()) > -float(before.min())
    evidence = f"the curves cross at {judgement.crossing_s:.2f} s, after {share:.0%} of responses"
    return Answer(holds, evidence, share)


def little_difference_up_to(study: Study, a: Cell, b: Cell, *, knee: float, margin: float) -> Answer:
    """`a` and `b` differ little up to the time within which a share of the responses of `b` complete."""
    until_s = time_of_share(study, b, knee)
    if until_s >= WHOLE[1]:
        raise TooLittleDataError(
            f"the {100 * knee:g}th percentile lies at {until_s:.1f} s, beyond the figures"
        )
    return little_difference(study, a, b, margin=margin, between_s=(0.0, until_s))


def better_for_the_shorter(study: Study, a: Cell, b: Cell, *, shorter: float) -> Answer:
    """`a` is better than `b` up to the time within which a share of the responses of `b` complete."""
    # The figure ends at 2 s: where fewer are complete by then, all of it is shorter ones.
    return better(study, a, b, between_s=(0.0, min(WHOLE[1], time_of_share(study, b, shorter))))
